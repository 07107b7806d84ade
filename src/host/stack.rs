//! Wiping of what work on secrets leaves on the stack.
//!
//! Values in local variables are copied where they move, spilled from registers, and lie in frames of other crates,
//! whose state cannot be wiped by name. So work on secrets is done below a frame from which its stack is then
//! overwritten.

/// Bytes that are overwritten: several times what any work here uses, also without optimisation.
const DEPTH: usize = 64 << 10;

/// Does work on secrets and wipes the stack that it used. What it returns is moved as any value is: secret results are
/// written to where they stay instead.
pub fn wiped<R>(work: impl FnOnce() -> R) -> R {
    let result = below(work);
    zeroize::zeroize_stack::<DEPTH>();
    result
}

/// A frame of its own, which begins where that of `zeroize_stack` does.
#[inline(never)]
fn below<R>(work: impl FnOnce() -> R) -> R {
    work()
}
