//! Scalars of the small groups: the production code for scalars, modulo the N of a group.

use super::parameters::GROUPS;
use crate::cpu::field::Montgomery;
use crate::cpu::field::moduli::Modulus;

type Limbs = [u64; 4];

/// The scalars of a group, by its number. N is not a prime: code that inverts takes care that the
/// number is prime to N.
pub type Scalar<const GROUP: usize> = Montgomery<Order<GROUP>>;

/// The N of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Order<const GROUP: usize>;

impl<const GROUP: usize> Order<GROUP> {
    const INVERSE: u64 = inverse(Self::M[0]);
}

impl<const GROUP: usize> Modulus for Order<GROUP> {
    const M: Limbs = GROUPS[GROUP].n;
    const R: Limbs = times_two_to_256([1, 0, 0, 0], &Self::M);
    const R2: Limbs = times_two_to_256(Self::R, &Self::M);
    const NEG_INV64: u64 = Self::INVERSE.wrapping_neg();
    const INV62: u64 = Self::INVERSE & ((1 << 62) - 1);
}

/// 2^256 value mod m, for a value below m.
pub const fn times_two_to_256(mut value: Limbs, m: &Limbs) -> Limbs {
    let mut doublings = 0;
    while doublings < 256 {
        let top = value[3] >> 63 == 1;
        let mut double = [value[0] << 1, 0, 0, 0];
        let mut reduced = [0; 4];
        let mut borrow = false;
        let mut i = 0;
        while i < 4 {
            if i > 0 {
                double[i] = value[i] << 1 | value[i - 1] >> 63;
            }
            let (difference, below) = double[i].overflowing_sub(m[i]);
            let (difference, below_borrow) = difference.overflowing_sub(borrow as u64);
            (reduced[i], borrow) = (difference, below || below_borrow);
            i += 1;
        }
        value = if borrow && !top { double } else { reduced };
        doublings += 1;
    }
    value
}

/// m^-1 mod 2^64 by Newton's iteration: an odd m is its own inverse modulo 8, and each step doubles
/// the correct bits.
pub const fn inverse(m: u64) -> u64 {
    let mut x = m;
    let mut bits = 3;
    while bits < 64 {
        x = x.wrapping_mul(2u64.wrapping_sub(m.wrapping_mul(x)));
        bits *= 2;
    }
    x
}
