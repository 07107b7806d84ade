//! Multiplication of points that differ between items by secret scalars. **Constant-time:** digits
//! are signed and in fixed windows, lookups read whole tables, and signs and selections are masks.
//! The formulas have no exceptions, so that points may be of any order.
//!
//! Products in memory are wiped. The caller has to wipe the stack.

use super::curves::EdwardsCurve;
use super::point::{Extended, Projective, ProjectiveNiels};
use super::scalar::Scalar;
use crate::cpu::scalar::uniform_windows;
use core::hint::black_box;
use zeroize::Zeroizing;

/// Bits per window, and the number of stored multiples of a point: 1 to 8 times it. With five bits,
/// reading the table would take longer than the additions that are saved.
pub(super) const WINDOW: u32 = 4;
pub(super) const MULTIPLES: usize = 1 << (WINDOW - 1);
/// The number of windows for orders below 2^254.
pub(super) const WINDOWS: usize = 64;

/// Computes k P for each scalar and point.
pub fn products<C: EdwardsCurve>(
    scalars: &[Scalar<C::Order>],
    points: &[Extended],
) -> Zeroizing<Vec<Projective>> {
    // Allocated once: growing the vector would leave its old contents in freed memory.
    let mut products = Zeroizing::new(Vec::with_capacity(points.len()));
    for (scalar, point) in scalars.iter().zip(points) {
        products.push(product::<C>(scalar, point));
    }
    products
}

// Not inlined into the loop over items, where LLVM might replace conditional moves by branches.
#[inline(never)]
fn product<C: EdwardsCurve>(scalar: &Scalar<C::Order>, point: &Extended) -> Projective {
    let multiples = multiples::<C>(point);
    let mut digits = [0; WINDOWS];
    uniform_windows(scalar.limbs(), WINDOW, WINDOWS, |window, digit| {
        digits[window] = digit;
    });
    let mut product = Extended::IDENTITY.to_projective();
    for digit in digits.into_iter().rev() {
        for _ in 0..WINDOW - 1 {
            product = product.double().to_projective();
        }
        product = product
            .double()
            .to_extended()
            .add(&select(&multiples, digit))
            .to_projective();
    }
    product
}

/// Returns 1 to 8 times a point.
fn multiples<C: EdwardsCurve>(point: &Extended) -> [ProjectiveNiels; MULTIPLES] {
    let first = point.to_niels::<C>();
    let mut multiples = [first; MULTIPLES];
    let mut multiple = *point;
    for place in &mut multiples[1..] {
        multiple = multiple.add(&first).to_extended();
        *place = multiple.to_niels::<C>();
    }
    multiples
}

/// Returns the multiple for a digit, reading all of them.
#[inline(always)]
fn select(multiples: &[ProjectiveNiels; MULTIPLES], digit: i32) -> ProjectiveNiels {
    // The compiler must not know anything about the digit: if it knows the possible values of a
    // mask, it may generate branches.
    let (sign, absolute) = black_box((digit.cast_unsigned() >> 31, digit.unsigned_abs()));
    let mut selected = ProjectiveNiels::IDENTITY;
    for (multiple, number) in multiples.iter().zip(1..) {
        selected.assign_masked(multiple, mask((absolute ^ number).wrapping_sub(1) >> 31));
    }
    let negated = selected.neg();
    selected.assign_masked(&negated, mask(sign));
    selected
}

/// Returns all ones for 1, and 0 for 0.
#[inline(always)]
fn mask(bit: u32) -> u64 {
    0u64.wrapping_sub(bit.into())
}
