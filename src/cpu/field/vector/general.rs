//! Any prime p between 2^255 and 2^256. Montgomery form with R = 2^260.

use super::element::{BITS, LOW, Prime, carry, split};
use super::words::Words;
use crate::cpu::field::Montgomery;
use crate::cpu::field::moduli::Modulus;

impl<M: Modulus> Prime for Montgomery<M> {
    const SHIFT: i32 = 4;

    /// Row by row: the multiple m of p clears a word. A column gets ten terms more, below 2^52, and a carry.
    #[inline(always)]
    fn reduce(columns: [Words; 10]) -> [Words; 5] {
        let mut t = columns;
        let p = const { split(&M::M, 0) }.map(|word| t[0].all(word));
        let (zero, factor) = (t[0].all(0), t[0].all(M::NEG_INV64 & LOW));
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

    /// sum - q p for a q that is close to sum / p.
    ///
    /// Let x = top f / 2^52, with top = floor(t4 / 2^26) and f close to 2^286 / p: both fit signed numbers of 32 bits,
    /// as words are below 2^57. Then sum / p - x is
    /// - more by less than 2^234 / p < 2^-21 for what top leaves of t4,
    /// - more or less by less than 2^214 / p < 2^-41 for the other words, and
    /// - more or less by less than 1.01 2^31 / 2^52 for what f leaves.
    ///
    /// With q = floor(x - 2^-20), sum / p - q is thus between 0 and 1 + 2^-18. And q is below 2^11 in absolute value: a
    /// product with half a word of p fits.
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

/// 2^286 / p, less something below 1.01; below 2^31, as p is above 2^255.
const fn inverse(p: &[u64; 4]) -> u64 {
    ((1 << 94) / (p[3] as u128 + 1)) as u64
}
