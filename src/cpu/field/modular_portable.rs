//! Addition, subtraction and halving modulo m in plain Rust, the counterpart of `modular_x86_64`
//! for other processors.

use super::limbs::{Limbs, ZERO, add, sub};

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
    // A borrow means -2^256, which the carry of this addition cancels.
    let (wrapped, _) = add(&difference, modulus);
    select(borrow, &wrapped, &difference)
}

/// (a - b) mod m 2^256 as (low half, high half), for a, b < m 2^256.
#[inline(always)]
pub(super) fn sub_wide_mod(
    a: &(Limbs, Limbs),
    b: &(Limbs, Limbs),
    modulus: &'static Limbs,
) -> (Limbs, Limbs) {
    let (low, borrow) = sub(&a.0, &b.0);
    let (high, carried) = sub(&a.1, &b.1);
    let (high, borrow) = sub(&high, &[u64::from(borrow), 0, 0, 0]);
    let (wrapped, _) = add(&high, modulus);
    (low, select(borrow | carried, &wrapped, &high))
}

/// a / 2 mod m, for an odd m and a < m: half of the even one of a and a + m.
#[inline(always)]
pub(super) fn half_mod(a: &Limbs, modulus: &'static Limbs) -> Limbs {
    let (lifted, carry) = add(a, &select(a[0] & 1 == 1, modulus, &ZERO));
    [
        lifted[0] >> 1 | lifted[1] << 63,
        lifted[1] >> 1 | lifted[2] << 63,
        lifted[2] >> 1 | lifted[3] << 63,
        lifted[3] >> 1 | u64::from(carry) << 63,
    ]
}

/// Returns `a` if `choice` is true, else `b`. Masks are used because the carries that determine the
/// choice are unpredictable, and the compiler would turn a choice between arrays into a choice
/// between addresses.
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
