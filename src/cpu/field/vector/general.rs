//! Any prime p between 2^255 and 2^256, in Montgomery form with R = 2^260.

use super::element::{BITS, LOW, Prime, carry, split};
use super::words::Words;
use crate::cpu::field::Montgomery;
use crate::cpu::field::moduli::Modulus;

impl<M: Modulus> Prime for Montgomery<M> {
    const SHIFT: i32 = 4;

    /// Reduces row by row: a multiple m of p clears each word. A column gets ten more terms, below
    /// 2^52, and a carry.
    #[inline(always)]
    fn reduce(columns: [Words; 10]) -> [Words; 5] {
        let mut t = columns;
        let p = const { split(&M::M, 0) }.map(|word| t[0].all(word));
        let zero = t[0].all(0);
        let factor = t[0].all(M::NEG_INV64 & LOW);
        for i in 0..5 {
            let m = zero.mul_add_low(t[i], factor);
            for j in 0..5 {
                t[i + j] = t[i + j].mul_add_low(m, p[j]);
            }
            for j in 0..5 {
                t[i + j + 1] = t[i + j + 1].mul_add_high(m, p[j]);
            }
            t[i + 1] = t[i + 1].add(t[i].shr::<BITS>());
        }
        carry([t[5], t[6], t[7], t[8], t[9]])
    }

    #[inline(always)]
    fn add_multiple(mut sum: [Words; 5], k: i64) -> [Words; 5] {
        for (word, p) in sum.iter_mut().zip(const { split(&M::M, 0) }) {
            *word = word.add(word.all((k * p as i64) as u64));
        }
        sum
    }

    /// Computes sum - q p for a q close to sum / p.
    ///
    /// Let x = top f / 2^52, with top = floor(t4 / 2^26) and f close to 2^286 / p: both fit signed
    /// 32-bit numbers, as words are below 2^57. Then the following errors make up sum / p - x:
    /// - the low part of t4 that top drops adds less than 2^234 / p < 2^-21,
    /// - the other words add or subtract less than 2^214 / p < 2^-41, and
    /// - the rounding of f adds or subtracts less than 1.01 2^31 / 2^52.
    ///
    /// With q = floor(x - 2^-20), sum / p - q is therefore between 0 and 1 + 2^-18. And q is below
    /// 2^11 in absolute value, so a product with half a word of p fits.
    #[inline(always)]
    fn fold(mut sum: [Words; 5]) -> [Words; 5] {
        const HALF: u32 = BITS / 2;
        let top = sum[4].sar::<HALF>();
        let x = top.mul_signed_32(top.all(const { inverse(&M::M) }));
        let q = x.sub(x.all(1 << 32)).sar::<BITS>();
        for (word, p) in sum.iter_mut().zip(const { split(&M::M, 0) }) {
            let low = q.mul_signed_32(q.all(p & ((1 << HALF) - 1)));
            let high = q.mul_signed_32(q.all(p >> HALF));
            *word = word.sub(low).sub(high.shl::<HALF>());
        }
        sum
    }
}

/// Returns 2^286 / p, minus less than 1.01; the result is below 2^31, as p is above 2^255.
const fn inverse(p: &[u64; 4]) -> u64 {
    ((1 << 94) / (p[3] as u128 + 1)) as u64
}
