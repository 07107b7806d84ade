//! Memory that serves one after the other: what is new costs more than what is written into it.

use std::sync::{Mutex, PoisonError};

/// Things that nobody has at the moment.
#[derive(Debug)]
pub struct Spare<T>(Mutex<Vec<T>>);

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Spare(Mutex::default())
    }
}

impl<T: Default> Spare<T> {
    /// One that was given back, as it was then, or a new one.
    pub fn take(&self) -> T {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub fn give_back(&self, thing: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(thing);
    }
}
