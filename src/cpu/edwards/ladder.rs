//! Products of points by their u-coordinates alone: the Montgomery ladder of curve25519, the curve
//! v^2 = u^3 + A u^2 + u with A = 486662 (RFC 7748, section 5). **Constant-time.**
//!
//! The same formulas compute on the curve and on its twist, so every number is the u-coordinate of
//! a point. The u-coordinate 0 and the identity both become the fraction X / 0, and the result 0.

use super::field::{Element, invert_all};
use crate::cpu::field::limbs::Limbs;
use core::hint::black_box;
use zeroize::{DefaultIsZeroes, Zeroizing};

/// (A - 2) / 4.
pub const A24: u64 = 121_665;
/// Bits of the scalars.
pub const BITS: usize = 255;

/// The u-coordinate X / Z of a point. Z is 0 for the identity.
#[derive(Clone, Copy, Default)]
struct Fraction {
    x: Element,
    z: Element,
}

impl DefaultIsZeroes for Fraction {}

/// Computes the u-coordinates of k P, canonical, for scalars k below 2^255 and the u-coordinates of
/// P, any numbers below 2^256. The result is 0 for the identity. **Constant-time** in both. The
/// caller has to wipe the stack.
pub fn products(scalars: &[Limbs], points: &[Limbs]) -> Zeroizing<Vec<Limbs>> {
    // Allocated once: growing the vectors would leave their old contents in freed memory.
    let mut products = Zeroizing::new(Vec::with_capacity(scalars.len()));
    let mut inverses = Zeroizing::new(Vec::with_capacity(scalars.len()));
    for (scalar, point) in scalars.iter().zip(points) {
        let product = product(scalar, &Element::from_limbs(*point));
        products.push(product);
        // A zero would spoil all inverses. The product is then multiplied by zero instead.
        let mut denominator = product.z;
        denominator.assign_masked(&Element::ONE, product.z.zero_mask());
        inverses.push(denominator);
    }
    invert_all(&mut inverses);
    let mut results = Zeroizing::new(Vec::with_capacity(scalars.len()));
    for (Fraction { x, z }, inverse) in products.iter().zip(&*inverses) {
        let mut result = x.mul(inverse);
        result.assign_masked(&Element::ZERO, z.zero_mask());
        results.push(result.canonical());
    }
    results
}

/// Computes k P. Below, m are the bits of k so far.
fn product(scalar: &Limbs, u: &Element) -> Fraction {
    // m P and (m + 1) P, exchanged if the last bit is set.
    let mut near = Fraction {
        x: Element::ONE,
        z: Element::ZERO,
    };
    let mut far = Fraction {
        x: *u,
        z: Element::ONE,
    };
    let mut last = 0;
    for bit in (0..BITS).rev() {
        // Hides that this is 0 or 1, for which a compiler might branch.
        let bit = black_box(scalar[bit / 64] >> (bit % 64) & 1);
        exchange(&mut near, &mut far, last ^ bit);
        last = bit;
        (near, far) = double_and_add(&near, &far, u);
    }
    exchange(&mut near, &mut far, last);
    near
}

/// Exchanges two points if `bit` is 1.
#[inline(always)]
fn exchange(one: &mut Fraction, other: &mut Fraction, bit: u64) {
    let mask = bit.wrapping_neg();
    let Fraction { x, z } = *one;
    one.x.assign_masked(&other.x, mask);
    one.z.assign_masked(&other.z, mask);
    other.x.assign_masked(&x, mask);
    other.z.assign_masked(&z, mask);
}

/// Returns 2 `near` and `near` + `far`, given the u-coordinate of their difference, with five
/// products and four squares.
#[inline(always)]
fn double_and_add(near: &Fraction, far: &Fraction, u: &Element) -> (Fraction, Fraction) {
    let sum = near.x.add(&near.z);
    let difference = near.x.sub(&near.z);
    let crossed = far.x.sub(&far.z).mul(&sum);
    let other = far.x.add(&far.z).mul(&difference);
    let sum = sum.square();
    let difference = difference.square();
    // 4 X Z.
    let quadruple = sum.sub(&difference);
    let double = Fraction {
        x: sum.mul(&difference),
        z: quadruple.mul(&quadruple.mul_small(A24).add(&sum)),
    };
    let total = Fraction {
        x: crossed.add(&other).square(),
        z: crossed.sub(&other).square().mul(u),
    };
    (double, total)
}
