//! The process that the engine lives in: threads, forks, stacks, pages of memory.

pub mod fork;
pub mod notes;
pub mod once;
pub mod pages;
pub mod stack;
pub mod workers;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a thread that panicked left is whole: who locks so panics nowhere between two changes that belong together.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
