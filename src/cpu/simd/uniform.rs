//! Constant-time multiplication of the base point by secret scalars: the same instructions at the
//! same addresses for every scalar.
//!
//! Lookups read whole tables through registers, signs and selections are masks, and the final
//! inversion is a power with a public exponent. Intermediate values in memory are wiped; results
//! are public.

use super::invert::invert;
use super::point::{Affine, Jacobian};
use super::tables::{odd_multiples, powers_of};
use crate::cpu::field::Coordinate;
use crate::cpu::field::vector::{Element, LANES, Lanes, Mask, Words};
use crate::cpu::point::affine::{self, Denominators, Entry};
use crate::cpu::scalar::windows_of_odd;
use crate::cpu::{CpuCurve, generator};
use zeroize::Zeroizing;

/// Bits per window: with a larger window the lookups would cost more than the saved additions.
const WINDOW: u32 = 6;
const WINDOWS: usize = 43;
/// The number of odd multiples per window.
const ENTRIES: usize = 1 << (WINDOW - 1);

/// The odd multiples G, 3G, ... of the base point times 2^(w j), for every window j.
pub struct UniformTable<C: CpuCurve> {
    /// The eight words of the entries of each window, grouped by word.
    windows: Vec<[[u64; ENTRIES]; 8]>,
    /// The point 2d 2^252 G: see `sum`.
    exception: affine::Affine<C::Base>,
}

/// The words of an element per lane, in memory that is wiped.
pub(super) type Saved = [[u64; LANES]; 5];

/// The digits of eight scalars, by window.
type Digits = Zeroizing<[[u64; LANES]; WINDOWS]>;

fn by_words<F: Coordinate>(entries: &[Entry<F>; ENTRIES]) -> [[u64; ENTRIES]; 8] {
    core::array::from_fn(|word| core::array::from_fn(|entry| entries[entry].words()[word]))
}

impl<C: CpuCurve> UniformTable<C> {
    pub fn new(lanes: Lanes) -> Self {
        let generator = Entry::new(&generator::<C>().x, &generator::<C>().y);
        let mut bases = powers_of::<C>(lanes, &[generator], WINDOW, WINDOWS);
        let last = &bases[WINDOWS - 1];
        // d = 2 floor(n / 2^253) + 1.
        let odd_multiples_of_last =
            affine::odd_multiples::<C>(&[affine::Affine::new(last.x(), last.y())], 8);
        let mut exception = [odd_multiples_of_last[(C::N[3] >> 61) as usize]];
        affine::double_assign::<C>(&mut exception, &mut Denominators::new());
        bases.resize(WINDOWS.next_multiple_of(LANES), generator);
        // SAFETY: a `Lanes` proves that the instructions exist.
        let multiples = unsafe { odd_multiples::<C, ENTRIES>(lanes, &bases) };
        UniformTable {
            windows: multiples[..WINDOWS].iter().map(by_words).collect(),
            exception: exception[0],
        }
    }

    /// Computes scalars[i] G for odd scalars below n, or the negative if `negate[i]` is 1 instead
    /// of 0.
    pub fn mul_base(
        &self,
        lanes: Lanes,
        scalars: &[[u64; 4]],
        negate: &[u8],
    ) -> Vec<affine::Affine<C::Base>> {
        // Allocated once: growing the vector would leave its old contents in freed memory.
        let groups = scalars.len().div_ceil(LANES);
        let mut sums: Zeroizing<Vec<[Saved; 3]>> = Zeroizing::new(Vec::with_capacity(groups));
        // Hides the address: a compiler that knows the single table of a curve would omit this
        // argument of `sum`, and tools/constant-time identifies registers by its signature.
        let table = core::hint::black_box(self);
        for (group, signs) in scalars.chunks(LANES).zip(negate.chunks(LANES)) {
            let mut digits = Digits::new([[0; LANES]; WINDOWS]);
            let negate = recode(group, signs, &mut digits);
            sums.push([[[0; LANES]; 5]; 3]);
            let sum = sums.last_mut().expect("it was just pushed");
            // SAFETY: a `Lanes` proves that the instructions exist.
            unsafe { table.sum(lanes, &digits, negate, sum) };
        }
        // SAFETY: as above.
        let mut points = unsafe { affine_points(lanes, &sums) };
        points.truncate(scalars.len());
        points
    }

    /// Computes the sum of one entry per window.
    ///
    /// An addition meets equal or opposite points for at most one scalar, and only in the last
    /// window: before that, the sum is below 2^(w j) in absolute value, and the entry is an odd
    /// multiple of it. In the last window the scalar k < n < 2^256 is the sum of d 2^252, with d
    /// odd and at most 15, and a part below 2^252 in absolute value. Opposite points would mean k =
    /// 0 modulo n, and equal ones k = 2d 2^252 modulo n: as k is odd, k = 2d 2^252 - n, with a part
    /// d 2^252 - n below 2^252 in absolute value, and below 0 as k < n. So such a k exists exactly
    /// if floor(n / 2^252) is odd, which is then d; on the other curves there is no exception. The
    /// result is then 2d 2^252 G.
    #[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
    fn sum(&self, lanes: Lanes, digits: &Digits, negate: Mask, out: &mut [Saved; 3]) {
        let one = Element::<C::Base>::one(lanes);
        let mut sum = Jacobian {
            x: one,
            y: one,
            z: one,
        };
        for (window, (entries, digits)) in self.windows.iter().zip(digits.iter()).enumerate() {
            let (index, negative) = signed_entry(lanes, digits, ENTRIES);
            let opposite = negative ^ negate;
            let mut words = [index; 8];
            for (word, entries) in words.iter_mut().zip(entries) {
                let [a, b, c, d] = [0, 8, 16, 24].map(|first| {
                    Words::load(lanes, entries[first..].first_chunk().expect("32 entries"))
                });
                let low = a.lookup(index, b);
                let high = c.lookup(index, d);
                let sixteen = Words::splat(lanes, 16);
                *word = high.select(index.and(sixteen).zeros(), low);
            }
            let [x0, x1, x2, x3, y0, y1, y2, y3] = words;
            let x = Element::unpack::<0>([x0, x1, x2, x3]);
            let y = Element::unpack::<0>([y0, y1, y2, y3]);
            sum = if window == 0 {
                Jacobian {
                    x,
                    y: y.sum().negate(opposite).fold(),
                    z: one,
                }
            } else {
                sum.add(Affine { x, y }, opposite)
            };
        }
        let x = Element::splat(lanes, &self.exception.x);
        let y = Element::splat(lanes, &self.exception.y);
        let exception = Jacobian {
            x,
            y: y.sum().negate(negate).fold(),
            z: one,
        };
        save(sum.select(sum.z.zeros(), exception), out);
    }
}

/// Computes the digits of up to eight scalars; lanes without a scalar repeat the last one. Returns
/// the lanes where `negate` is 1. A separate function, so that its machine code can be analysed
/// (tools/constant-time).
#[inline(never)]
fn recode(scalars: &[[u64; 4]], negate: &[u8], digits: &mut Digits) -> Mask {
    for lane in 0..LANES {
        windows_of_odd(
            &scalars[lane.min(scalars.len() - 1)],
            WINDOW,
            WINDOWS,
            |window, digit| {
                digits[window][lane] = u64::from(digit);
            },
        );
    }
    negate
        .iter()
        .enumerate()
        .fold(0, |mask, (lane, negate)| mask | negate << lane)
}

/// Returns, for each digit e below 2^w, the index of its entry among 2^(w-1) odd multiples, and a
/// mask of negative digits. The digit e denotes 2e - (2^w - 1): from 2^(w-1) on this is entry e -
/// 2^(w-1), and below it the negative of entry 2^(w-1) - 1 - e.
#[inline(always)]
pub(super) fn signed_entry(lanes: Lanes, digits: &[u64; LANES], entries: usize) -> (Words, Mask) {
    let digits = Words::load(lanes, digits);
    let half = Words::splat(lanes, entries as u64);
    let negative = digits.and(half).zeros();
    let last = Words::splat(lanes, entries as u64 - 1);
    (
        digits.and(last).select_difference(negative, last, digits),
        negative,
    )
}

#[inline(always)]
pub(super) fn save<F: Coordinate>(sum: Jacobian<F>, out: &mut [Saved; 3]) {
    let [x, y, z] = out;
    sum.x.save(x);
    sum.y.save(y);
    sum.z.save(z);
}

/// Returns the affine points.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn affine_points<F: Coordinate>(lanes: Lanes, sums: &[[Saved; 3]]) -> Vec<affine::Affine<F>> {
    let mut points = vec![affine::Affine::IDENTITY; sums.len() * LANES];
    normalize(lanes, sums, |group, Affine { x, y }| {
        let x = x.store(lanes);
        let y = y.store(lanes);
        for lane in 0..LANES {
            points[group * LANES + lane] = affine::Affine::new(x[lane], y[lane]);
        }
    });
    points
}

/// Calls `take` with the index and affine form of each vector of sums, the last first. No sum is
/// the identity.
#[inline(always)]
pub(super) fn normalize<F: Coordinate>(
    lanes: Lanes,
    sums: &[[Saved; 3]],
    mut take: impl FnMut(usize, Affine<F>),
) {
    let one = Element::<F>::one(lanes);
    // The running products before each Z.
    let mut prefix: Zeroizing<Vec<Saved>> = Zeroizing::new(Vec::with_capacity(sums.len()));
    let mut product = one;
    for [_, _, z] in sums {
        prefix.push([[0; LANES]; 5]);
        product.save(prefix.last_mut().expect("it was just pushed"));
        product = product.mul(Element::restore(lanes, z));
    }
    let mut inverse = invert(one, product);
    for (group, [x, y, z]) in sums.iter().enumerate().rev() {
        let z_inverse = inverse.mul(Element::restore(lanes, &prefix[group]));
        inverse = inverse.mul(Element::restore(lanes, z));
        let square = z_inverse.square();
        let x = Element::restore(lanes, x).mul(square);
        let y = Element::restore(lanes, y).mul(square.mul(z_inverse));
        take(group, Affine { x, y });
    }
}
