//! Values that are computed once per process.

use std::sync::OnceLock;

/// The value, computed by whoever lacks it; the first to be done keeps it for all. Unlike `get_or_init` nobody waits
/// for the thread that computes, which in the child of a process that has forked does not exist.
pub fn get_or_compute<T>(place: &OnceLock<T>, compute: impl FnOnce() -> T) -> &T {
    if let Some(value) = place.get() {
        return value;
    }
    let value = compute();
    place.get_or_init(|| value)
}
