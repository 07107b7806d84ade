//! The engine of the process, which starts when it is first needed.

use gecc::Engine;
use gecc_arrow::sql::Service;
use std::sync::OnceLock;

/// Returns the service with which all functions of all databases in this process compute.
///
/// # Errors
/// Why it could not be started. It is not tried again.
pub fn service() -> Result<&'static Service, String> {
    static SERVICE: OnceLock<Result<Service, String>> = OnceLock::new();
    let start = || Engine::new().and_then(|engine| Service::new(&engine)).map_err(|problem| problem.to_string());
    SERVICE.get_or_init(start).as_ref().map_err(String::clone)
}
