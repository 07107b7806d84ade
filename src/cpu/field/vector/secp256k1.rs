//! A prime p = 2^256 - c with 2^32 <= c < 2^32 + 2^31, such as that of secp256k1, where
//! c = 2^32 + 977. Plain numbers.

use super::element::{BITS, Prime, carry, fold_by_complement};
use super::words::Words;
use crate::cpu::field::moduli::PrimeOfCoordinates;
use crate::cpu::field::secp256k1::Element;

impl<M: PrimeOfCoordinates> Prime for Element<M> {
    const SHIFT: i32 = 0;

    /// The upper half is multiplied by 2^260 mod p and added to the lower half; the part of the
    /// result above 2^260, and finally the part above 2^256, are reduced in the same way.
    #[inline(always)]
    fn reduce(columns: [Words; 10]) -> [Words; 5] {
        let [mut t0, mut t1, mut t2, mut t3, mut t4, h0, h1, h2, h3, h4] = columns;
        // The upper half is below 2^260: h4 fits 52 bits after adding its carry. A factor is taken
        // modulo 2^52.
        let h1 = h1.add(h0.shr::<BITS>());
        let h2 = h2.add(h1.shr::<BITS>());
        let h3 = h3.add(h2.shr::<BITS>());
        let h4 = h4.add(h3.shr::<BITS>());
        // 2^260 modulo p, which has 37 bits.
        let fold = t0.all(Self::C << 4);
        // Below 2^37.
        let top = t0.all(0).mul_add_high(h4, fold);
        t0 = t0.mul_add_low(h0, fold);
        t1 = t1.mul_add_low(h1, fold);
        t2 = t2.mul_add_low(h2, fold);
        t3 = t3.mul_add_low(h3, fold);
        t4 = t4.mul_add_low(h4, fold);
        t1 = t1.mul_add_high(h0, fold);
        t2 = t2.mul_add_high(h1, fold);
        t3 = t3.mul_add_high(h2, fold);
        t4 = t4.mul_add_high(h3, fold);
        t0 = t0.mul_add_low(top, fold);
        t1 = t1.mul_add_high(top, fold);
        // t4 < 2^59, so this is below 2^11, and its product with c below 2^44. t4 is then below
        // 2^48 except for its carry.
        t0 = t0.mul_add_low(t4.shr::<48>(), t0.all(Self::C));
        carry([t0, t1, t2, t3, t4.and(t4.all((1 << 48) - 1))])
    }

    #[inline(always)]
    fn add_multiple([t0, t1, t2, t3, t4]: [Words; 5], k: i64) -> [Words; 5] {
        [
            t0.sub(t0.all((k * Self::C as i64) as u64)),
            t1,
            t2,
            t3,
            t4.add(t4.all((k << 48) as u64)),
        ]
    }

    #[inline(always)]
    fn fold(sum: [Words; 5]) -> [Words; 5] {
        fold_by_complement(sum, |[t0, t1, t2, t3, t4], k| {
            let low = k.all(Self::C - (1 << 32));
            [
                t0.add(k.mul_signed_32(low)).add(k.shl::<32>()),
                t1,
                t2,
                t3,
                t4,
            ]
        })
    }
}
