//! The Montgomery ladder for eight items at a time. **Constant-time:** the same instructions at the
//! same addresses for all scalars and points. Points are exchanged by masks, and the division is a
//! power with a public exponent. Intermediate values in memory are wiped.

use super::{C, Element, LANES, Lanes, Stored, TOP};
use crate::cpu::edwards::ladder::{A24, BITS};
use crate::cpu::field::limbs::Limbs;
use crate::cpu::field::vector::{Mask, Words, carry};
use zeroize::Zeroizing;

/// The words of an element per lane, in memory that is wiped.
pub(super) type Saved = [[u64; LANES]; 5];
/// The limbs of a number per lane.
pub(super) type Numbers = [[u64; LANES]; 4];

/// The u-coordinate X / Z of a point, both below 1.01 p. Z is 0 for the identity.
#[derive(Clone, Copy)]
struct Fraction {
    x: Element,
    z: Element,
}

/// Computes the u-coordinates of k P, as `ladder::products` does. **Constant-time.** The caller has
/// to wipe the stack.
pub fn ladder_products(lanes: Lanes, scalars: &[Limbs], points: &[Limbs]) -> Zeroizing<Vec<Limbs>> {
    let groups = scalars.len().div_ceil(LANES);
    // Allocated once: growing the vectors would leave their old contents in freed memory.
    let mut products: Zeroizing<Vec<[Saved; 2]>> =
        Zeroizing::new(vec![[[[0; LANES]; 5]; 2]; groups]);
    for ((scalars, points), product) in scalars
        .chunks(LANES)
        .zip(points.chunks(LANES))
        .zip(&mut *products)
    {
        let mut k = Zeroizing::new([[0; LANES]; 4]);
        let mut u = Zeroizing::new([[0; LANES]; 4]);
        by_lane(scalars, &mut k);
        by_lane(points, &mut u);
        // SAFETY: a `Lanes` proves that the instructions exist.
        unsafe { multiply(lanes, &k, &u, product) };
    }
    let mut prefixes: Zeroizing<Vec<Saved>> = Zeroizing::new(vec![[[0; LANES]; 5]; groups]);
    let mut results: Zeroizing<Vec<Numbers>> = Zeroizing::new(vec![[[0; LANES]; 4]; groups]);
    // SAFETY: as above.
    unsafe { divide(lanes, &products, &mut prefixes, &mut results) };
    let mut rows = Zeroizing::new(Vec::with_capacity(scalars.len()));
    for item in 0..scalars.len() {
        rows.push(results[item / LANES].map(|limbs| limbs[item % LANES]));
    }
    rows
}

/// Copies one number to each lane; lanes without a number repeat the last one. A separate function,
/// so that its machine code can be analysed (tools/constant-time).
#[inline(never)]
fn by_lane(numbers: &[Limbs], lanes: &mut Numbers) {
    for lane in 0..LANES {
        let number = &numbers[lane.min(numbers.len() - 1)];
        for (limbs, limb) in lanes.iter_mut().zip(number) {
            limbs[lane] = *limb;
        }
    }
}

/// Computes k P for scalars below 2^255. Below, m are the bits of k so far.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn multiply(lanes: Lanes, k: &Numbers, u: &Numbers, product: &mut [Saved; 2]) {
    let [u0, u1, u2, u3] = u;
    // Below 2^256, which is 2.01 p.
    let u = Element::unpack::<0>([
        Words::load(lanes, u0),
        Words::load(lanes, u1),
        Words::load(lanes, u2),
        Words::load(lanes, u3),
    ]);
    let one = Element::splat(lanes, &Stored::ONE);
    // m P and (m + 1) P, exchanged if the last bit is set.
    let mut near = Fraction {
        x: one,
        z: Element::splat(lanes, &Stored::ZERO),
    };
    // Below 1.01 p, since it is a product.
    let mut far = Fraction {
        x: u.mul(one),
        z: one,
    };
    let u = far.x;
    let mut last: Mask = 0;
    for (number, limbs) in k.iter().enumerate().rev() {
        let bits = BITS.min(64 * (number + 1)) - 64 * number;
        // The next bit is at the top.
        let mut limbs = Words::load(lanes, limbs);
        if bits < 64 {
            limbs = limbs.shl::<1>();
        }
        for _ in 0..bits {
            let mask = limbs.negatives();
            limbs = limbs.shl::<1>();
            (near, far) = exchange(near, far, last ^ mask);
            last = mask;
            (near, far) = double_and_add(near, far, u);
        }
    }
    (near, _) = exchange(near, far, last);
    let [x, z] = product;
    save(near.x, x);
    save(near.z, z);
}

/// Exchanges the points where the mask is set.
#[inline(always)]
fn exchange(one: Fraction, other: Fraction, mask: Mask) -> (Fraction, Fraction) {
    (
        Fraction {
            x: one.x.select(mask, other.x),
            z: one.z.select(mask, other.z),
        },
        Fraction {
            x: other.x.select(mask, one.x),
            z: other.z.select(mask, one.z),
        },
    )
}

/// Returns 2 `near` and `near` + `far`, given the u-coordinate of their difference. Sums of two
/// coordinates are below 2.02 p, and differences plus 2 p between 0 and 3.01 p.
#[inline(always)]
fn double_and_add(near: Fraction, far: Fraction, u: Element) -> (Fraction, Fraction) {
    let sum = (near.x.sum() + near.z.sum()).plus_multiple(0);
    let difference = (near.x.sum() - near.z.sum()).plus_multiple(2);
    let far_sum = (far.x.sum() + far.z.sum()).plus_multiple(0);
    let far_difference = (far.x.sum() - far.z.sum()).plus_multiple(2);
    let crossed = far_difference.mul(sum).sum();
    let other = far_sum.mul(difference).sum();
    let sum = sum.square();
    let difference = difference.square();
    // 4 X Z.
    let quadruple = (sum.sum() - difference.sum()).plus_multiple(2);
    let double = Fraction {
        x: sum.mul(difference),
        z: quadruple.mul(multiply_by_a24_and_add(quadruple, sum)),
    };
    let total = Fraction {
        x: (crossed + other).plus_multiple(0).square(),
        z: (crossed - other).plus_multiple(2).square().mul(u),
    };
    (double, total)
}

/// Computes A24 a + b, below 1.01 p, of elements below 2^260.
#[inline(always)]
fn multiply_by_a24_and_add(a: Element, b: Element) -> Element {
    let [a0, a1, a2, a3, a4] = a.words();
    let [b0, b1, b2, b3, b4] = b.words();
    let factor = a0.all(A24);
    let zero = a0.all(0);
    // The part above 2^260, below 2^17, times 2^260 = 32 c modulo p.
    let above = zero.mul_add_high(a4, factor);
    let t0 = b0
        .mul_add_low(a0, factor)
        .mul_add_low(above, a0.all(C << 5));
    let t1 = b1.mul_add_low(a1, factor).mul_add_high(a0, factor);
    let t2 = b2.mul_add_low(a2, factor).mul_add_high(a1, factor);
    let t3 = b3.mul_add_low(a3, factor).mul_add_high(a2, factor);
    let t4 = b4.mul_add_low(a4, factor).mul_add_high(a3, factor);
    // t4 < 2^54, so the part above 2^255 is below 2^7, and t4 is then below 2^47 except for its
    // carry, of a few bits.
    let t0 = t0.mul_add_low(t4.shr::<TOP>(), t4.all(C));
    Element::new(carry([t0, t1, t2, t3, t4.and(t4.all((1 << TOP) - 1))]))
}

/// Divides X by Z, with Montgomery's trick over the products of each lane, and writes canonical
/// numbers: 0 for the identity. `prefixes` is scratch memory of one element per product.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn divide(lanes: Lanes, products: &[[Saved; 2]], prefixes: &mut [Saved], results: &mut [Numbers]) {
    let one = Element::splat(lanes, &Stored::ONE);
    let zero = Element::splat(lanes, &Stored::ZERO);
    let mut product = one;
    for ([_, z], prefix) in products.iter().zip(prefixes.iter_mut()) {
        save(product, prefix);
        let z = restore(lanes, z);
        // A zero would spoil all inverses. The product is then replaced by zero instead.
        product = product.mul(z.select(z.zeros(), one));
    }
    let mut inverse = invert(product);
    for (([x, z], prefix), result) in products.iter().zip(prefixes).zip(results).rev() {
        let z = restore(lanes, z);
        let is_zero = z.zeros();
        let own = inverse.mul(restore(lanes, prefix));
        inverse = inverse.mul(z.select(is_zero, one));
        let quotient = restore(lanes, x).mul(own).select(is_zero, zero);
        for (words, limbs) in quotient.canonical().pack().into_iter().zip(result) {
            words.store(limbs);
        }
    }
}

/// Computes value^(p - 2), the inverse, or 0 for 0: p - 2 = 2^255 - 21 = 2^5 (2^250 - 1) + 11. The
/// chain is that of Bernstein's "Curve25519: new Diffie-Hellman speed records", section 4.
#[inline(always)]
fn invert(value: Element) -> Element {
    let square = value.square();
    let power_9 = square_times(square, 2).mul(value);
    let power_11 = power_9.mul(square);
    // ones_n is value^(2^n - 1).
    let ones_5 = power_11.square().mul(power_9);
    let ones_10 = square_times(ones_5, 5).mul(ones_5);
    let ones_20 = square_times(ones_10, 10).mul(ones_10);
    let ones_40 = square_times(ones_20, 20).mul(ones_20);
    let ones_50 = square_times(ones_40, 10).mul(ones_10);
    let ones_100 = square_times(ones_50, 50).mul(ones_50);
    let ones_200 = square_times(ones_100, 100).mul(ones_100);
    let ones_250 = square_times(ones_200, 50).mul(ones_50);
    square_times(ones_250, 5).mul(power_11)
}

#[inline(always)]
fn square_times(value: Element, count: u32) -> Element {
    let mut power = value;
    for _ in 0..count {
        power = power.square();
    }
    power
}

#[inline(always)]
pub(super) fn save(element: Element, saved: &mut Saved) {
    for (words, saved) in element.words().into_iter().zip(saved) {
        words.store(saved);
    }
}

#[inline(always)]
pub(super) fn restore(lanes: Lanes, [w0, w1, w2, w3, w4]: &Saved) -> Element {
    Element::new([
        Words::load(lanes, w0),
        Words::load(lanes, w1),
        Words::load(lanes, w2),
        Words::load(lanes, w3),
        Words::load(lanes, w4),
    ])
}
