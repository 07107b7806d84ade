//! Constant-time multiplication of a point known in advance by secret scalars: the same
//! instructions at the same addresses for every scalar. Lookups read whole tables through
//! registers, and signs are masks.

use super::{Addend, Element, LANES, Lanes, Point, Projective};
use crate::cpu::edwards::curves::EdwardsCurve;
use crate::cpu::edwards::scalar::Scalar;
use crate::cpu::edwards::tables::{
    UNIFORM_ENTRIES, UNIFORM_WINDOW, UNIFORM_WINDOWS, Uniform, UniformWindow,
};
use crate::cpu::field::moduli::Modulus;
use crate::cpu::field::vector::Words;
use crate::cpu::scalar::uniform_windows;
use zeroize::Zeroizing;

/// The digits of eight scalars, by window, each with 2^(w-1) added.
type Digits = Zeroizing<[[u64; LANES]; UNIFORM_WINDOWS]>;

/// Computes k P for each scalar k, with the table of P. **Constant-time.** The caller has to wipe
/// the stack.
pub fn uniform_products<C: EdwardsCurve>(
    lanes: Lanes,
    scalars: &[&Scalar<C::Order>],
    table: &Uniform<C>,
) -> Zeroizing<Vec<Projective>> {
    // Allocated once: growing the vector would leave its old contents in freed memory.
    let mut sums = Zeroizing::new(Vec::with_capacity(scalars.len().next_multiple_of(LANES)));
    for group in scalars.chunks(LANES) {
        let mut digits = Digits::new([[0; LANES]; UNIFORM_WINDOWS]);
        recode(group, &mut digits);
        // SAFETY: a `Lanes` proves that the instructions exist.
        sums.extend(unsafe { sum(lanes, &digits, &table.windows) });
    }
    sums.truncate(scalars.len());
    sums
}

/// Computes the digits of scalars; lanes without a scalar repeat the last one. A separate function,
/// so that its machine code can be analysed (tools/constant-time).
#[inline(never)]
fn recode<N: Modulus>(scalars: &[&Scalar<N>], digits: &mut Digits) {
    for lane in 0..LANES {
        let limbs = scalars[lane.min(scalars.len() - 1)].limbs();
        uniform_windows(limbs, UNIFORM_WINDOW, UNIFORM_WINDOWS, |window, digit| {
            digits[window][lane] = u64::from((digit + UNIFORM_ENTRIES as i32).cast_unsigned());
        });
    }
}

/// Computes the sum of one entry per window.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn sum(lanes: Lanes, digits: &Digits, table: &[UniformWindow]) -> [Projective; LANES] {
    let [zero, one, half] = [0, 1, UNIFORM_ENTRIES as u64].map(|word| Words::splat(lanes, word));
    let mut sum = Point::identity(lanes);
    for (window, digits) in table.iter().zip(digits.iter()) {
        let digits = Words::load(lanes, digits);
        let negative = digits.and(half).zeros();
        let absolute = digits.sub(half).select_difference(negative, half, digits);
        let is_zero = absolute.zeros();
        let index = absolute.sub(one);
        let mut words = [zero; 12];
        for (word, entries) in words.iter_mut().zip(window) {
            let [low, high] = [0, 8].map(|first| {
                Words::load(lanes, entries[first..].first_chunk().expect("16 entries"))
            });
            *word = low.lookup(index, high).select(is_zero, zero);
        }
        // The sum and the difference of the identity are 1.
        words[0] = words[0].select(is_zero, one);
        words[4] = words[4].select(is_zero, one);
        let [s0, s1, s2, s3, d0, d1, d2, d3, p0, p1, p2, p3] = words;
        let addend = Addend {
            sum: Element::unpack::<0>([s0, s1, s2, s3]),
            difference: Element::unpack::<0>([d0, d1, d2, d3]),
            product: Element::unpack::<0>([p0, p1, p2, p3]),
            z2: sum.z,
        };
        sum = sum
            .add(&addend, negative, sum.z.sum().shl::<1>())
            .to_point();
    }
    sum.store()
}
