//! Addition and subtraction modulo m in plain Rust: the twin of `modular_x86_64` for other processors.

use super::limbs::{Limbs, add, sub};

/// a + b mod m, for a, b < 2^256 with a + b < 2m.
#[inline(always)]
pub(super) fn add_mod(a: &Limbs, b: &Limbs, modulus: &'static Limbs) -> Limbs {
    let (sum, carry) = add(a, b);
    let (reduced, borrow) = sub(&sum, modulus);
    select(borrow & !carry, &sum, &reduced)
}

/// a - b mod m, for a, b < m.
#[inline(always)]
pub(super) fn sub_mod(a: &Limbs, b: &Limbs, modulus: &'static Limbs) -> Limbs {
    let (difference, borrow) = sub(a, b);
    // A borrow stands for -2^256, which the carry of this addition cancels.
    let (wrapped, _) = add(&difference, modulus);
    select(borrow, &wrapped, &difference)
}

/// `a` if `choice`, else `b`. Masks, because the carries that decide are unpredictable, and the compiler would turn a
/// choice between arrays into a choice between addresses.
#[inline(always)]
fn select(choice: bool, a: &Limbs, b: &Limbs) -> Limbs {
    let mask = u64::from(choice).wrapping_neg();
    [
        b[0] ^ (mask & (a[0] ^ b[0])),
        b[1] ^ (mask & (a[1] ^ b[1])),
        b[2] ^ (mask & (a[2] ^ b[2])),
        b[3] ^ (mask & (a[3] ^ b[3])),
    ]
}
