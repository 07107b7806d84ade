//! Starting threads, which may fail, for example where the system's limit is reached.

use gecc::Error;
use std::io;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Starts a thread. On failure `work` is dropped with everything it owns, so that no other stage
/// waits for it.
pub fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, Error> {
    Builder::new()
        .spawn_scoped(scope, work)
        .map_err(|problem| not_started(&problem))
}

/// Converts the error of the operating system about a thread that cannot be started.
pub fn not_started(problem: &io::Error) -> Error {
    Error::Threads(problem.to_string())
}

/// Starts a thread for each element, or for as many as possible. Fewer threads are acceptable; none
/// is an error.
pub fn spawn_some<'scope, W: FnOnce() + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    works: impl IntoIterator<Item = W>,
) -> Result<(), Error> {
    for (started, work) in works.into_iter().enumerate() {
        match spawn(scope, work) {
            Ok(_) => {}
            Err(problem) if started == 0 => return Err(problem),
            Err(_) => break,
        }
    }
    Ok(())
}
