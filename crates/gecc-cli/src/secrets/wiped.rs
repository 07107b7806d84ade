//! Buffers that may hold secrets.

use gecc::stack;
pub use gecc_keys::push;
use zeroize::Zeroizing;

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

/// Does work, and wipes the stack that it used where secrets pass through: that takes as long as some hundred rows of
/// text.
pub fn wiped_if<R>(secret: bool, work: impl FnOnce() -> R) -> R {
    if secret { stack::wiped(work) } else { work() }
}
