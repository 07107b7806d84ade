//! Buffers that may hold secrets.

use gecc::stack;
pub use gecc_keys::push;
use std::sync::{Mutex, PoisonError};
use zeroize::{Zeroize, Zeroizing};

/// Bytes that are wiped when dropped. Filled by [`append`] alone: a `Vec` that grows leaves its old bytes behind.
pub type Wiped = Zeroizing<Vec<u8>>;

/// Appends, and wipes what growing leaves behind.
pub fn append(buffer: &mut Wiped, bytes: &[u8]) {
    let needed = buffer.len() + bytes.len();
    if needed > buffer.capacity() {
        let mut larger = Zeroizing::new(Vec::with_capacity(needed.max(2 * buffer.capacity())));
        larger.extend_from_slice(buffer);
        *buffer = larger;
    }
    buffer.extend_from_slice(bytes);
}

/// Buffers that wait to be used again. Not wiped when they are dropped, which takes long: secrets were wiped before.
pub struct Spares {
    free: Mutex<Vec<Vec<u8>>>,
    /// Whether what buffers held is wiped before they wait.
    secret: bool,
}

impl Spares {
    pub fn new(secret: bool) -> Self {
        Spares { free: Mutex::default(), secret }
    }

    /// A buffer, as long as when it was given back.
    pub fn take(&self) -> Option<Vec<u8>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    pub fn give_back(&self, mut buffer: Vec<u8>) {
        if self.secret {
            buffer.as_mut_slice().zeroize();
        }
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

/// Does work, and wipes the stack that it used where secrets pass through: that takes as long as some hundred rows of
/// text.
pub fn wiped_if<R>(secret: bool, work: impl FnOnce() -> R) -> R {
    if secret { stack::wiped(work) } else { work() }
}
