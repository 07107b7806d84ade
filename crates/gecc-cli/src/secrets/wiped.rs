//! Buffers that may hold secrets.

use gecc::stack;
pub use gecc_keys::push;
use std::sync::{Mutex, PoisonError};
use zeroize::{Zeroize, Zeroizing};

/// Bytes that are wiped when dropped. Filled by [`append`] alone: a `Vec` that grows leaves its old bytes behind.
pub type Wiped = Zeroizing<Vec<u8>>;

/// Bytes from which a buffer no longer doubles when it grows: what it has to spare is wiped with it, and so takes
/// memory.
const LARGE: usize = 1 << 20;

/// Appends, and wipes what growing leaves behind.
pub fn append(buffer: &mut Wiped, bytes: &[u8]) {
    let capacity = buffer.capacity();
    if buffer.len() + bytes.len() > capacity {
        reserve(buffer, bytes.len().max(if capacity < LARGE { capacity } else { capacity / 8 }));
    }
    buffer.extend_from_slice(bytes);
}

/// Makes room for this many bytes more, and wipes what growing leaves behind.
pub fn reserve(buffer: &mut Wiped, more: usize) {
    let needed = buffer.len() + more;
    if needed > buffer.capacity() {
        let mut larger = Zeroizing::new(Vec::with_capacity(needed));
        larger.extend_from_slice(buffer);
        *buffer = larger;
    }
}

/// Buffers that wait to be used again. Not wiped when they are dropped, which takes long: secrets were wiped before.
pub struct Spares {
    free: Mutex<Vec<Vec<u8>>>,
    /// True if the contents of buffers are wiped before these wait for reuse.
    secret: bool,
    /// Bytes of the largest that is kept.
    largest: usize,
}

impl Spares {
    pub fn new(secret: bool, largest: usize) -> Self {
        Spares { free: Mutex::default(), secret, largest }
    }

    /// A buffer, as long as when it was given back.
    pub fn take(&self) -> Option<Vec<u8>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    pub fn give_back(&self, mut buffer: Vec<u8>) {
        if self.secret {
            buffer.as_mut_slice().zeroize();
        }
        if buffer.capacity() > self.largest {
            return;
        }
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

/// Does work, and wipes the stack that it used where secrets pass through: that takes as long as some hundred rows of
/// text.
pub fn wiped_if<R>(secret: bool, work: impl FnOnce() -> R) -> R {
    if secret { stack::wiped(work) } else { work() }
}
