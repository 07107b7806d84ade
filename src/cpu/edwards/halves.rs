//! Splitting a number k into a ratio d / c of numbers half as long (Antipa, Brown, Gallant,
//! Lambert, Struik and Vanstone, SAC 2005). Checking that c S B - d A - c R is the identity takes
//! half the doublings of checking that S B - k A is R.
//!
//! Both checks agree for every A and R, including those with components of small order, if c k = d
//! modulo the number of points h n, and if c is coprime to it: then c k A is d A, and only the
//! identity times c is the identity. As h is a power of 2, c has to be odd, and not 0 modulo n.

use super::curves::EdwardsCurve;
use super::scalar::Scalar;
use crate::cpu::field::limbs::{self, Limbs};
use crate::cpu::field::moduli::Modulus;
use crate::cpu::scalar::length;

/// The numbers c and d: c k = d modulo h n, or -d if `opposite`.
#[derive(Clone, Copy, Debug)]
pub struct Halves {
    /// The number c: odd, below 2^192, and less than n.
    pub c: Limbs,
    pub d: Limbs,
    pub opposite: bool,
}

impl Halves {
    /// Computes numbers of about 128 bits each; for one in a hundred k one of them has 131 bits or
    /// more. Variable-time.
    ///
    /// This is Euclid's algorithm on h n and k. Its two rows are a basis of all pairs with c k = d,
    /// of opposite signs: c of the first row times d of the second, plus c of the second times d of
    /// the first, is always h n. The pair (1, k) is a combination of both rows, so one of them has
    /// an odd c.
    pub fn of_var<C: EdwardsCurve>(k: &Scalar<C::Order>) -> Self {
        let points = times(&C::Order::M, 1 << C::COFACTOR_DOUBLINGS);
        let mut longer = Halves {
            c: limbs::ZERO,
            d: points,
            opposite: true,
        };
        let mut shorter = Halves {
            c: [1, 0, 0, 0],
            d: *k.limbs(),
            opposite: false,
        };
        while shorter.d[2] | shorter.d[3] != 0 {
            let Some([a, b, c, d]) = divisions(&longer.d, &shorter.d) else {
                break;
            };
            (longer, shorter) = (
                longer.combined(a, &shorter, b),
                longer.combined(c, &shorter, d),
            );
            if limbs::sub(&longer.d, &shorter.d).1 {
                (longer, shorter) = (shorter, longer);
            }
        }
        if shorter.c[0] & 1 == 1 {
            return shorter;
        }
        // If c is even, use the other row, or that row reduced by one more step, whichever is
        // shorter. Before the step, c is below 2^128; after it, c times the shorter row's d is at
        // most h n.
        let step = Leading::of(&longer.d, &shorter.d)
            .quotient()
            .map(|times| longer.combined(1, &shorter, times));
        step.filter(|reduced| reduced.bits() < longer.bits())
            .unwrap_or(longer)
    }

    /// Combines two rows with opposite signs: returns a times this row minus b times the other if
    /// that is not negative, otherwise its negative, below 2^255.
    fn combined(&self, a: u64, other: &Self, b: u64) -> Self {
        let (d, _) = limbs::sub(&times(&self.d, a), &times(&other.d, b));
        let is_negative = d[3] >> 63 == 1;
        let d = if is_negative {
            limbs::sub(&limbs::ZERO, &d).0
        } else {
            d
        };
        let [c0, c1, c2, c3, _] = limbs::mul_limb_add(&times(&self.c, a), &other.c, b);
        Halves {
            c: [c0, c1, c2, c3],
            d,
            opposite: self.opposite ^ is_negative,
        }
    }

    /// Returns the bit length of the longer of both numbers.
    fn bits(&self) -> u32 {
        let both = std::array::from_fn(|limb| self.c[limb] | self.d[limb]);
        length(&both)
    }
}

/// The highest 64 bits of a number of 2^128 or more, and the bits at the same positions of a number
/// that is not longer.
struct Leading {
    longer: u64,
    shorter: u64,
    /// The number of bits below the window.
    place: u32,
}

impl Leading {
    fn of(longer: &Limbs, shorter: &Limbs) -> Self {
        let top = if longer[3] != 0 { 3 } else { 2 };
        let shift = longer[top].leading_zeros();
        let highest = |number: &Limbs| {
            ((u128::from(number[top]) << 64 | u128::from(number[top - 1])) << shift >> 64) as u64
        };
        Leading {
            longer: highest(longer),
            shorter: highest(shorter),
            place: 64 * top as u32 - shift,
        }
    }

    /// Returns how often the shorter number can be subtracted from the longer one, as far as the
    /// top bits determine it: at least once, and never too often. Returns `None` if the shorter
    /// number is about 64 bits shorter, so that the top bits determine nothing.
    fn quotient(&self) -> Option<u64> {
        let times = self
            .longer
            .checked_div(self.shorter.wrapping_add(1))
            .unwrap_or(1)
            .max(1);
        (self.shorter != 0).then_some(times)
    }
}

/// Performs as many of Euclid's divisions as the top bits determine while the shorter number stays
/// near 2^128 (Lehmer 1938). Returns a and b for the new longer number, which is a times the longer
/// one minus b times the shorter one or the opposite, and likewise for the new shorter number.
/// Falls back to a single division, not always complete; `None` if that is undetermined too.
fn divisions(longer: &Limbs, shorter: &Limbs) -> Option<[u64; 4]> {
    let leading = Leading::of(longer, shorter);
    // Factors stay below 2^31, and the contribution of the lower bits to a remainder is below 2^32
    // in its unit: the remainder stays positive.
    let least = 1u64 << 33.max(128u32.saturating_sub(leading.place));
    let mut x = leading.longer;
    let mut y = leading.shorter;
    let mut factors = [1, 0, 0, 1];
    while let Some(quotient) = x.checked_div(y) {
        let rest = x - quotient * y;
        if rest < least {
            break;
        }
        (x, y) = (y, rest);
        let [a, b, c, d] = factors;
        factors = [c, d, a + quotient * c, b + quotient * d];
    }
    if factors[1] != 0 {
        Some(factors)
    } else {
        leading.quotient().map(|times| [1, times, 0, 1])
    }
}

/// Multiplies modulo 2^256.
fn times(number: &Limbs, factor: u64) -> Limbs {
    let [w0, w1, w2, w3, _] = limbs::mul_limb_add(&limbs::ZERO, number, factor);
    [w0, w1, w2, w3]
}
