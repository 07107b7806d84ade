//! The prime p = 2^256 - 2^224 + 2^192 + 2^96 - 1 of P-256, in Montgomery form with R = 2^260.

use super::element::{BITS, Prime, carry, fold_by_complement};
use super::words::Words;
use crate::cpu::field::MontgomeryP256;
use crate::cpu::field::moduli::Modulus;

impl<M: Modulus> Prime for MontgomeryP256<M> {
    const SHIFT: i32 = 4;

    /// p = -1 modulo 2^52, so a word m is cleared by adding m p, and m p + m is m times 2^44 one
    /// word up, 2^36 three words up and 2^48 - 2^16 four words up.
    #[inline(always)]
    fn reduce(columns: [Words; 10]) -> [Words; 5] {
        let mut t = columns;
        let p1 = t[0].all(1 << 44);
        let p3 = t[0].all(1 << 36);
        let p4 = t[0].all((1 << 48) - (1 << 16));
        for i in 0..5 {
            let m = t[i];
            t[i + 1] = t[i + 1].add(m.shr::<BITS>()).mul_add_low(m, p1);
            t[i + 2] = t[i + 2].mul_add_high(m, p1);
            t[i + 3] = t[i + 3].mul_add_low(m, p3);
            t[i + 4] = t[i + 4].mul_add_high(m, p3).mul_add_low(m, p4);
            t[i + 5] = t[i + 5].mul_add_high(m, p4);
        }
        carry([t[5], t[6], t[7], t[8], t[9]])
    }

    #[inline(always)]
    fn add_multiple([t0, t1, t2, t3, t4]: [Words; 5], k: i64) -> [Words; 5] {
        [
            t0.sub(t0.all(k as u64)),
            t1.add(t0.all((k << 44) as u64)),
            t2,
            t3.add(t0.all((k << 36) as u64)),
            t4.add(t0.all(((k << 48) - (k << 16)) as u64)),
        ]
    }

    #[inline(always)]
    fn fold(sum: [Words; 5]) -> [Words; 5] {
        fold_by_complement(sum, |[t0, t1, t2, t3, t4], k| {
            [
                t0.add(k),
                t1.sub(k.shl::<44>()),
                t2,
                t3.sub(k.shl::<36>()),
                t4.add(k.shl::<16>()),
            ]
        })
    }
}
