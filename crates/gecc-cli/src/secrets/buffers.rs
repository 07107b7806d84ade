//! Buffers that may hold secrets.

use gecc::stack;
pub use gecc_keys::push;
use std::sync::{Mutex, PoisonError};
use zeroize::{Zeroize, Zeroizing};

/// Bytes that are wiped when dropped. Filled only by [`append`], since a `Vec` that grows leaves
/// its old bytes behind.
pub type Wiped = Zeroizing<Vec<u8>>;

/// The size in bytes from which a buffer no longer doubles when it grows: wiping the spare capacity
/// makes it resident.
const LARGE: usize = 1 << 20;

/// Appends bytes, and wipes the memory that growing leaves behind.
pub fn append(buffer: &mut Wiped, bytes: &[u8]) {
    let capacity = buffer.capacity();
    if buffer.len() + bytes.len() > capacity {
        reserve(
            buffer,
            bytes.len().max(if capacity < LARGE {
                capacity
            } else {
                capacity / 8
            }),
        );
    }
    buffer.extend_from_slice(bytes);
}

/// Reserves capacity for `more` additional bytes, and wipes the memory that growing leaves behind.
pub fn reserve(buffer: &mut Wiped, more: usize) {
    let needed = buffer.len() + more;
    if needed > buffer.capacity() {
        let mut larger = Zeroizing::new(Vec::with_capacity(needed));
        larger.extend_from_slice(buffer);
        *buffer = larger;
    }
}

/// A pool of buffers for reuse. They are not wiped on drop, which would take long: secrets are
/// wiped earlier.
pub struct Spares {
    free: Mutex<Vec<Vec<u8>>>,
    /// True if buffers are wiped when they are returned.
    secret: bool,
    /// The capacity of the largest buffer that is kept, in bytes.
    largest: usize,
}

impl Spares {
    pub fn new(secret: bool, largest: usize) -> Self {
        Spares {
            free: Mutex::default(),
            secret,
            largest,
        }
    }

    /// Takes a buffer, which has the length with which it was returned.
    pub fn take(&self) -> Option<Vec<u8>> {
        self.free
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
    }

    pub fn give_back(&self, mut buffer: Vec<u8>) {
        if self.secret {
            buffer.as_mut_slice().zeroize();
        }
        if buffer.capacity() > self.largest {
            return;
        }
        self.free
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(buffer);
    }
}

/// Runs work, and wipes the stack that it used if `secret`. Wiping takes as long as processing some
/// hundred rows of text.
pub fn wiped_if<R>(secret: bool, work: impl FnOnce() -> R) -> R {
    if secret { stack::wiped(work) } else { work() }
}
