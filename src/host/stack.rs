//! Wipes the secrets that computations leave on the stack.
//!
//! Local values are copied when they move, are spilled from registers, and lie in stack frames of
//! other crates, whose state cannot be wiped by name. Therefore computations on secrets run below a
//! stack frame from which the stack is overwritten afterwards.

/// Bytes that are overwritten: several times the stack of any computation on secrets in optimised
/// code. Frames of unoptimised vector code can be larger; threads of callers have no room for more.
const DEPTH: usize = 64 << 10;

/// Runs a computation on secrets and wipes the stack that it used. Its return value is moved like
/// any value, so secret results must be written to their final place instead.
pub fn wiped<R>(work: impl FnOnce() -> R) -> R {
    let result = below(work);
    zeroize::zeroize_stack::<DEPTH>();
    result
}

/// Runs `work` in a separate stack frame, which begins where that of `zeroize_stack` does.
#[inline(never)]
fn below<R>(work: impl FnOnce() -> R) -> R {
    work()
}
