//! Values that are computed once per process.

use std::sync::OnceLock;

/// Returns the value, which every caller that finds none computes; the first to finish stores it
/// for all. Unlike with `get_or_init`, no caller waits for another thread that computes the value,
/// which would not exist in a forked child process.
pub fn get_or_compute<T>(place: &OnceLock<T>, compute: impl FnOnce() -> T) -> &T {
    if let Some(value) = place.get() {
        return value;
    }
    let value = compute();
    place.get_or_init(|| value)
}
