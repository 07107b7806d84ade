//! Constant-time multiplication of points that differ between items by secret scalars: the same
//! instructions at the same addresses for every scalar.
//!
//! Points are public, and so are the tables of their multiples, unless they are `Bases::Secret`:
//! then the time does not depend on them either, and tables are wiped. Lookups read whole tables;
//! signs and selections are masks. Digits, sums and products in memory are wiped.

use super::point::{Affine, Jacobian};
use super::tables::odd_rows;
use super::uniform::{Saved, normalize, save, signed_entry};
use crate::cpu::CpuCurve;
use crate::cpu::field::Coordinate;
use crate::cpu::field::vector::{Element, LANES, Lanes, Mask, Words};
use crate::cpu::point::affine::{self, Entry};
use crate::cpu::scalar::{SignedScalar, windows_of_odd};
use crate::host::wiped::wipe;
use zeroize::{Zeroize, Zeroizing};

/// Bits per window.
const WINDOW: u32 = 5;
/// The number of odd multiples P, 3P, ..., (2^w - 1) P.
const ENTRIES: usize = 1 << (WINDOW - 1);
/// The number of digits in all windows of a scalar: of 256 bits, or of two halves of 130 bits.
const DIGITS: usize = 52;
/// The number of items whose tables are built at a time: enough to share an inversion, and few
/// enough that their tables stay in the L2 cache.
const BATCH: usize = 128;

/// The coordinates x and y of each product as plain numbers.
pub type Products = Zeroizing<Vec<[[u64; 4]; 2]>>;

/// The odd multiples of eight points, starting with P.
type Table<C> = [Affine<<C as CpuCurve>::Base>; ENTRIES];

/// The digits of eight scalars, the most significant first; the digits of two halves alternate.
#[derive(Zeroize)]
struct Digits {
    rows: [[u64; LANES]; DIGITS],
    /// The lanes in which each half has to be negated.
    negate: [Mask; 2],
}

impl Digits {
    /// Computes the digits of up to eight scalars, each negated if `negate` is 1; lanes without a
    /// scalar repeat the last one. All digits have to be zero before. A separate function, so that
    /// its machine code can be analysed (tools/constant-time).
    #[inline(never)]
    fn recode<C: CpuCurve>(&mut self, scalars: &[[u64; 4]], negate: &[u8]) {
        for lane in 0..LANES {
            let item = lane.min(scalars.len() - 1);
            let scalar = &scalars[item];
            let negate = negate[item];
            match &C::ENDOMORPHISM {
                Some(endomorphism) => {
                    let halves: Zeroizing<[SignedScalar; 2]> =
                        Zeroizing::new(endomorphism.decompose_odd(scalar).into());
                    for (half, number) in halves.iter().enumerate() {
                        self.set(
                            lane,
                            half,
                            2,
                            negate ^ u8::from(number.negative),
                            &number.magnitude,
                        );
                    }
                }
                None => self.set(lane, 0, 1, negate, scalar),
            }
        }
    }

    fn set(&mut self, lane: usize, first: usize, step: usize, negate: u8, value: &[u64; 4]) {
        self.negate[first] |= negate << lane;
        windows_of_odd(value, WINDOW, DIGITS / step, |window, digit| {
            self.rows[(DIGITS / step - 1 - window) * step + first][lane] = u64::from(digit);
        });
    }
}

/// The confidentiality of the points of a multiplication.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bases {
    Public,
    Secret,
}

/// Computes scalars[i] points[i] for odd scalars below n, or the negative if `negate[i]` is 1
/// instead of 0. No point is the identity.
pub fn mul_uniform<C: CpuCurve>(
    lanes: Lanes,
    scalars: &[[u64; 4]],
    negate: &[u8],
    points: &[affine::Affine<C::Base>],
    bases: Bases,
) -> Products {
    // Allocated once: growing the vector would leave its old contents in freed memory.
    let mut sums = Zeroizing::new(Vec::with_capacity(points.len().div_ceil(LANES)));
    for ((scalars, negate), points) in scalars
        .chunks(BATCH)
        .zip(negate.chunks(BATCH))
        .zip(points.chunks(BATCH))
    {
        sum_batch::<C>(lanes, scalars, negate, points, bases, &mut sums);
    }
    // SAFETY: a `Lanes` proves that the instructions exist.
    let mut products = unsafe { coordinates::<C::Base>(lanes, &sums) };
    products.truncate(points.len());
    products
}

fn sum_batch<C: CpuCurve>(
    lanes: Lanes,
    scalars: &[[u64; 4]],
    negate: &[u8],
    points: &[affine::Affine<C::Base>],
    bases: Bases,
    sums: &mut Vec<[Saved; 3]>,
) {
    let last = points.len() - 1;
    let mut entries: Vec<_> = (0..points.len().next_multiple_of(LANES))
        .map(|item| Entry::new(&points[item.min(last)].x, &points[item.min(last)].y))
        .collect();
    // SAFETY: a `Lanes` proves that the instructions exist.
    let mut rows = unsafe { odd_rows::<C, ENTRIES>(lanes, &entries, bases == Bases::Secret) };
    let groups = entries.len() / LANES;
    for (group, (scalars, negate)) in scalars.chunks(LANES).zip(negate.chunks(LANES)).enumerate() {
        // Copied next to each other: rows at a distance of 2^12 bytes would conflict in the L1
        // cache.
        let table = core::array::from_fn(|entry| rows[entry * groups + group]);
        // Computed where they are wiped: moving them would leave a copy behind.
        let mut digits = Zeroizing::new(Digits {
            rows: [[0; LANES]; DIGITS],
            negate: [0; 2],
        });
        digits.recode::<C>(scalars, negate);
        sums.push([[[0; LANES]; 5]; 3]);
        let out = sums.last_mut().expect("it was just pushed");
        // SAFETY: as above.
        unsafe { sum::<C>(lanes, &digits, &table, out) };
    }
    if bases == Bases::Secret {
        wipe(&mut entries);
        wipe(&mut rows);
    }
}

/// Computes the sum of all digits' multiples, with five doublings after each window.
///
/// An addition meets equal or opposite points only in the last window, where it is complete. Before
/// that, the sum is 2^5 times a combination of 1 and lambda with non-zero coefficients, and the
/// addend has one odd coefficient and one that is zero: as pairs of integers they differ. As these
/// are below 2^126, and every relation between 1 and lambda modulo n has a coefficient above 2^127
/// (or, without an endomorphism, n is far above the sum), they differ modulo n.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn sum<C: CpuCurve>(lanes: Lanes, digits: &Digits, table: &Table<C>, out: &mut [Saved; 3]) {
    let halves = if C::ENDOMORPHISM.is_some() { 2 } else { 1 };
    let beta = Element::splat(lanes, &C::constants().beta);
    let one = Element::one(lanes);
    let mut sum = Jacobian {
        x: one,
        y: one,
        z: one,
    };
    for (row, digits_of_row) in digits.rows.iter().enumerate() {
        let half = row % halves;
        let (index, negative) = signed_entry(lanes, digits_of_row, ENTRIES);
        let opposite = negative ^ digits.negate[half];
        let mut point = lookup(lanes, table, index);
        if half == 1 {
            point.x = point.x.mul(beta);
        }
        if row == 0 {
            sum = Jacobian {
                x: point.x,
                y: point.y.sum().negate(opposite).fold(),
                z: one,
            };
            continue;
        }
        if half == 0 {
            for _ in 0..WINDOW {
                sum = sum.double::<C>();
            }
        }
        // The index of the window is public.
        sum = if row >= DIGITS - halves {
            sum.add_uniform::<C>(lanes, point, opposite)
        } else {
            sum.add(point, opposite)
        };
    }
    save(sum, out);
}

/// Looks up the entry of each lane by reading all entries. One coordinate at a time: next to a sum
/// of points, the words of both do not fit the registers.
#[inline(always)]
fn lookup<F: Coordinate>(lanes: Lanes, table: &[Affine<F>; ENTRIES], index: Words) -> Affine<F> {
    let mut x = table[0].x;
    for (number, entry) in table.iter().enumerate().skip(1) {
        x = x.select(
            index.sub(Words::splat(lanes, number as u64)).zeros(),
            entry.x,
        );
    }
    let mut y = table[0].y;
    for (number, entry) in table.iter().enumerate().skip(1) {
        y = y.select(
            index.sub(Words::splat(lanes, number as u64)).zeros(),
            entry.y,
        );
    }
    Affine { x, y }
}

/// Returns the coordinates of the sums as numbers.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn coordinates<F: Coordinate>(lanes: Lanes, sums: &[[Saved; 3]]) -> Products {
    let mut products = Zeroizing::new(vec![[[0; 4]; 2]; sums.len() * LANES]);
    normalize::<F>(lanes, sums, |group, Affine { x, y }| {
        for (coordinate, element) in [x, y].into_iter().enumerate() {
            let mut words = Zeroizing::new([[0; LANES]; 4]);
            for (number, out) in element.to_number(lanes).into_iter().zip(words.iter_mut()) {
                number.store(out);
            }
            for lane in 0..LANES {
                let product = &mut products[group * LANES + lane];
                for (number, words) in product[coordinate].iter_mut().zip(words.iter()) {
                    *number = words[lane];
                }
            }
        }
    });
    products
}
