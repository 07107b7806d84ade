//! What follows from the domain parameters: Montgomery constants and the lattice of the endomorphism.

use crate::params::{Curve, Endomorphism};
use num_bigint::{BigInt, BigUint, Sign};

/// Constants of arithmetic modulo one prime, with R = 2^256.
pub struct Modulus {
    /// R mod m: one in Montgomery form.
    pub r: BigUint,
    /// R^2 mod m: the factor that brings a value into Montgomery form.
    pub r2: BigUint,
    /// -m^-1 mod 2^64.
    pub neg_inverse_64: u64,
    /// m^-1 mod 2^62, for inversion by division steps in blocks of 62.
    pub inverse_62: u64,
}

impl Modulus {
    pub fn new(value: &BigUint) -> Self {
        let r: BigUint = (BigUint::from(1u32) << 256) % value;
        let inverse = inverse_mod_2_64(value.iter_u64_digits().next().expect("a modulus is not zero"));
        Modulus {
            r2: &r * &r % value,
            r,
            neg_inverse_64: inverse.wrapping_neg(),
            inverse_62: inverse & ((1 << 62) - 1),
        }
    }
}

/// Newton's iteration: each step doubles the number of correct low bits; an odd m is its own inverse modulo 8.
fn inverse_mod_2_64(odd: u64) -> u64 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))))
}

/// A short basis (a1, b1), (a2, b2) of the lattice { (i, j) : i + j lambda = 0 mod n }, and the multipliers that
/// replace the division by n when a scalar is rounded to the lattice.
pub struct Glv {
    pub a1: BigInt,
    pub b1: BigInt,
    pub a2: BigInt,
    pub b2: BigInt,
    /// round(2^384 b2 / n): c1 = round(k b2 / n) = (k g1 + 2^383) >> 384, off by at most one.
    pub g1: BigUint,
    /// round(2^384 (-b1) / n), likewise for c2.
    pub g2: BigUint,
}

impl Glv {
    /// Guide to Elliptic Curve Cryptography, algorithm 3.74: the extended Euclidean algorithm on (n, lambda), stopped
    /// around sqrt(n).
    pub fn new(curve: &Curve, endomorphism: &Endomorphism) -> Self {
        let n = BigInt::from(curve.n.clone());
        let root = BigInt::from(curve.n.sqrt());
        // Invariant: r = s n + t lambda for each row (r, t), so (r, -t) lies in the lattice.
        let mut rows = vec![(n.clone(), BigInt::ZERO), (BigInt::from(endomorphism.lambda.clone()), BigInt::from(1))];
        while rows[rows.len() - 1].0 >= root {
            rows.push(next_row(&rows[rows.len() - 2], &rows[rows.len() - 1]));
        }
        let (before, first) = (&rows[rows.len() - 2], &rows[rows.len() - 1]);
        let after = next_row(before, first);
        let norm = |row: &Row| &row.0 * &row.0 + &row.1 * &row.1;
        let second = if norm(before) <= norm(&after) { before } else { &after };
        // Orientation: b1 < 0 < b2 and a1 b2 - a2 b1 = +n, so that both multipliers are positive.
        let lattice = |row: &Row| (row.0.clone(), -&row.1);
        let ((a1, b1), (a2, b2)) =
            if first.1 > BigInt::ZERO { (lattice(first), lattice(second)) } else { (lattice(second), lattice(first)) };
        assert_eq!(&a1 * &b2 - &a2 * &b1, n, "the rows must be an oriented basis");
        let multiplier = |numerator: &BigInt| -> BigUint {
            assert_eq!(numerator.sign(), Sign::Plus, "both multipliers must be positive");
            let doubled: BigUint = (numerator.magnitude() << 385) / &curve.n;
            (doubled + 1u32) >> 1
        };
        let (g1, g2) = (multiplier(&b2), multiplier(&-&b1));
        Glv { a1, b1, a2, b2, g1, g2 }
    }
}

/// (remainder, cofactor of lambda).
type Row = (BigInt, BigInt);

fn next_row(before: &Row, last: &Row) -> Row {
    let quotient = &before.0 / &last.0;
    (&before.0 - &quotient * &last.0, &before.1 - &quotient * &last.1)
}
