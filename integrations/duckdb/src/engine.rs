//! The engine of the process, which starts when first needed.

use gecc::Engine;
use gecc_arrow::sql::Service;
use std::sync::OnceLock;

/// Returns the service that computes the functions of all databases in this process.
///
/// # Errors
/// The reason why it could not be started. Starting is not retried.
pub fn service() -> Result<&'static Service, String> {
    static SERVICE: OnceLock<Result<Service, String>> = OnceLock::new();
    SERVICE.get_or_init(start).as_ref().map_err(String::clone)
}

fn start() -> Result<Service, String> {
    Engine::new()
        .and_then(|engine| Service::new(&engine))
        .map_err(|problem| problem.to_string())
}
