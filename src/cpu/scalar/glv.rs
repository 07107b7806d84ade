//! The decomposition of scalars by Gallant, Lambert and Vanstone (CRYPTO 2001): k = k1 + k2 lambda
//! modulo n, where both halves have about 128 bits. There are no branches on the scalars.

use crate::cpu::field::{Field, limbs};
use zeroize::Zeroize;

/// The constants of an endomorphism (x, y) -> (beta x, y), derived in `build/derive.rs`.
#[derive(Clone, Copy)]
pub struct Endomorphism {
    /// The factor of the x-coordinate.
    pub beta: [u64; 4],
    /// round(2^384 b2 / n).
    pub g1: [u64; 4],
    /// round(2^384 (-b1) / n).
    pub g2: [u64; 4],
    /// The basis of the lattice, as two's complement modulo 2^192.
    pub a1: [u64; 3],
    /// See `a1`.
    pub b1: [u64; 3],
    /// See `a1`.
    pub a2: [u64; 3],
    /// See `a1`.
    pub b2: [u64; 3],
}

/// A number given by sign and magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroize)]
pub struct SignedScalar {
    pub negative: bool,
    pub magnitude: [u64; 4],
}

impl SignedScalar {
    /// Returns k or n - k, whichever is below 2^255; n < 2^256. Variable-time.
    pub fn shorter<F: Field>(scalar: &F) -> Self {
        let limbs = limbs::from_be_bytes(&scalar.to_be_bytes());
        let negative = limbs[3] >> 63 == 1;
        let magnitude = if negative {
            limbs::from_be_bytes(&scalar.neg().to_be_bytes())
        } else {
            limbs
        };
        SignedScalar {
            negative,
            magnitude,
        }
    }
}

impl Endomorphism {
    /// Returns k1 and k2 with k = k1 + k2 lambda modulo n.
    ///
    /// The rounding error is below one in each coordinate, so both halves are below the sum of the
    /// two basis vectors' entries, 2^129.2 for secp256k1: arithmetic modulo 2^192 is exact.
    pub fn decompose(&self, k: &[u64; 4]) -> (SignedScalar, SignedScalar) {
        let c1 = multiply_and_round(k, &self.g1);
        let c2 = multiply_and_round(k, &self.g2);
        self.remainder(k, &c1, &c2)
    }

    /// Returns k1 and k2 with k = k1 + k2 lambda modulo n, both odd.
    ///
    /// In addition to `decompose`, each basis vector may be subtracted once more, so both halves
    /// are below 2^130.
    pub fn decompose_odd(&self, k: &[u64; 4]) -> (SignedScalar, SignedScalar) {
        let c1 = multiply_and_round(k, &self.g1);
        let c2 = multiply_and_round(k, &self.g2);
        // The determinant of the basis is n, which is odd, so the basis can be inverted modulo 2:
        // the inverse maps the parities that the halves lack to the vectors that make them odd.
        let lacks1 = 1 ^ k[0] ^ (c1[0] & self.a1[0]) ^ (c2[0] & self.a2[0]);
        let lacks2 = 1 ^ (c1[0] & self.b1[0]) ^ (c2[0] & self.b2[0]);
        let more1 = ((lacks1 & self.b2[0]) ^ (lacks2 & self.a2[0])) & 1;
        let more2 = ((lacks1 & self.b1[0]) ^ (lacks2 & self.a1[0])) & 1;
        self.remainder(k, &add(&c1, more1), &add(&c2, more2))
    }

    /// Computes k - c1 (a1, b1) - c2 (a2, b2).
    fn remainder(
        &self,
        k: &[u64; 4],
        c1: &[u64; 3],
        c2: &[u64; 3],
    ) -> (SignedScalar, SignedScalar) {
        let k_low = [k[0], k[1], k[2]];
        let k1 = sub(&sub(&k_low, &mul(c1, &self.a1)), &mul(c2, &self.a2));
        let k2 = sub(&sub(&[0; 3], &mul(c1, &self.b1)), &mul(c2, &self.b2));
        (signed(&k1), signed(&k2))
    }
}

/// Computes a + b modulo 2^192.
fn add(a: &[u64; 3], b: u64) -> [u64; 3] {
    let (s0, carry) = a[0].overflowing_add(b);
    let (s1, carry) = a[1].overflowing_add(u64::from(carry));
    [s0, s1, a[2].wrapping_add(u64::from(carry))]
}

/// Computes (k g + 2^383) >> 384, below 2^128.
fn multiply_and_round(k: &[u64; 4], g: &[u64; 4]) -> [u64; 3] {
    let (_, [_, below, low, high]) = limbs::mul_wide(k, g);
    let (low, carry) = low.overflowing_add(below >> 63);
    // The product is below 2^512 - 2^384, so the top word has room for the carry.
    [low, high + u64::from(carry), 0]
}

/// Computes a b modulo 2^192.
fn mul(a: &[u64; 3], b: &[u64; 3]) -> [u64; 3] {
    let mut product = [0u64; 3];
    for i in 0..3 {
        let mut carry = 0;
        for j in 0..3 - i {
            (product[i + j], carry) = a[i].carrying_mul_add(b[j], product[i + j], carry);
        }
    }
    product
}

/// Computes a - b modulo 2^192.
fn sub(a: &[u64; 3], b: &[u64; 3]) -> [u64; 3] {
    let mut borrow = false;
    let mut difference = [0; 3];
    for i in 0..3 {
        (difference[i], borrow) = a[i].borrowing_sub(b[i], borrow);
    }
    difference
}

fn signed(value: &[u64; 3]) -> SignedScalar {
    let sign = value[2] >> 63;
    // A negative number is complemented and incremented.
    let [m0, m1, m2] = add(&value.map(|limb| limb ^ sign.wrapping_neg()), sign);
    SignedScalar {
        negative: sign == 1,
        magnitude: [m0, m1, m2, 0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::CpuCurve;
    use crate::curve::Secp256k1;
    use crate::curve::constants::secp256k1::{LAMBDA, N};
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn integer(limbs: &[u64; 4]) -> BigInt {
        limbs
            .iter()
            .rev()
            .fold(BigInt::ZERO, |sum, limb| (sum << 64) + limb)
    }

    fn check(k: &[u64; 4]) {
        let endomorphism = Secp256k1::ENDOMORPHISM.unwrap();
        check_halves(k, endomorphism.decompose(k).into());
        let halves: [SignedScalar; 2] = endomorphism.decompose_odd(k).into();
        assert!(halves.iter().all(|half| half.magnitude[0] & 1 == 1));
        check_halves(k, halves);
    }

    fn check_halves(k: &[u64; 4], halves: [SignedScalar; 2]) {
        let [k1, k2] = halves.map(|half| {
            assert_eq!(half.magnitude[2] >> 2, 0, "a half has at most 130 bits");
            if half.negative {
                -integer(&half.magnitude)
            } else {
                integer(&half.magnitude)
            }
        });
        let n = integer(&N);
        assert_eq!((k1 + k2 * integer(&LAMBDA) - integer(k)) % n, BigInt::ZERO);
    }

    #[test]
    fn edge_values() {
        for value in [0, 1, 2] {
            check(&[value, 0, 0, 0]);
        }
        for difference in [1, 2] {
            check(&[N[0] - difference, N[1], N[2], N[3]]);
        }
        for k in [
            LAMBDA,
            [u64::MAX, u64::MAX, 0, 0],
            [0, 0, 1, 0],
            [0, 0, 0, 1 << 63],
        ] {
            check(&k);
        }
    }

    proptest! {
        #[test]
        fn random_values(limbs: [u64; 4]) {
            check(&[limbs[0], limbs[1], limbs[2], limbs[3] % N[3]]);
        }
    }
}
