//! The prime p = 2^256 - 2^224 - 2^96 + 2^64 - 1 of SM2, in Montgomery form with R = 2^260.

use super::element::{BITS, LOW, Prime, carry, fold_by_complement};
use super::words::Words;
use crate::cpu::field::MontgomerySm2;
use crate::cpu::field::moduli::Modulus;

impl<M: Modulus> Prime for MontgomerySm2<M> {
    const SHIFT: i32 = 4;

    /// p = -1 modulo 2^52, so a word m is cleared by adding m p, and m p + m is m times 2^12 - 2^44
    /// one word up and 2^48 - 2^16 four words up. The first is negative: it borrows 2^52 from the
    /// next word.
    #[inline(always)]
    fn reduce(columns: [Words; 10]) -> [Words; 5] {
        let mut t = columns;
        let p1 = t[0].all((1 << 52) + (1 << 12) - (1 << 44));
        let p4 = t[0].all((1 << 48) - (1 << 16));
        let low = t[0].all(LOW);
        for i in 0..5 {
            let m = t[i];
            t[i + 1] = t[i + 1].add(m.sar::<BITS>()).mul_add_low(m, p1);
            t[i + 2] = t[i + 2].sub(m.and(low)).mul_add_high(m, p1);
            t[i + 4] = t[i + 4].mul_add_low(m, p4);
            t[i + 5] = t[i + 5].mul_add_high(m, p4);
        }
        carry([t[5], t[6], t[7], t[8], t[9]])
    }

    #[inline(always)]
    fn add_multiple([t0, t1, t2, t3, t4]: [Words; 5], k: i64) -> [Words; 5] {
        [
            t0.sub(t0.all(k as u64)),
            t1.add(t0.all(((k << 12) - (k << 44)) as u64)),
            t2,
            t3,
            t4.add(t0.all(((k << 48) - (k << 16)) as u64)),
        ]
    }

    #[inline(always)]
    fn fold(sum: [Words; 5]) -> [Words; 5] {
        fold_by_complement(sum, |[t0, t1, t2, t3, t4], k| {
            [
                t0.add(k),
                t1.add(k.shl::<44>()).sub(k.shl::<12>()),
                t2,
                t3,
                t4.add(k.shl::<16>()),
            ]
        })
    }
}
