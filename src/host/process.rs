//! The process in which an engine runs: detection of forks, and values that are computed once.

use std::sync::OnceLock;

/// The process in which an object was created. A forked child process has only the thread that
/// forked: the engine's threads do not exist, locks that they held stay locked, and the driver does
/// not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process(u32);

impl Process {
    pub fn this() -> Self {
        Process(std::process::id())
    }

    pub fn is_this(self) -> bool {
        self == Self::this()
    }
}

/// Returns the value of a cell, and computes it if the cell is empty. Several callers may compute
/// it concurrently; the first to finish stores it for all. Unlike with `get_or_init`, no caller
/// waits for another thread that computes the value, which would not exist in a forked child
/// process.
pub fn get_or_compute<T>(cell: &OnceLock<T>, compute: impl FnOnce() -> T) -> &T {
    if let Some(value) = cell.get() {
        return value;
    }
    let value = compute();
    cell.get_or_init(|| value)
}
