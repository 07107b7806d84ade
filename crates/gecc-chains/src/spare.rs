//! A pool of reusable memory: allocating costs more than writing into it.

use std::sync::{Mutex, PoisonError};

/// Values that are currently unused.
#[derive(Debug)]
pub struct Spare<T>(Mutex<Vec<T>>);

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Spare(Mutex::default())
    }
}

impl<T: Default> Spare<T> {
    /// Takes an unused value, in the state in which it was returned, or creates a new one.
    pub fn take(&self) -> T {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub fn give_back(&self, thing: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(thing);
    }
}
