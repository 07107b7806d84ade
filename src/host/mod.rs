//! Services of the process in which the engine runs: threads, forks, stacks, memory pages.

pub mod pages;
pub mod process;
pub mod stack;
pub mod trace;
pub mod wiped;
pub mod workers;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex whether or not a thread panicked while holding it. The data is consistent in
/// either case, because no holder panics between two changes that belong together.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
