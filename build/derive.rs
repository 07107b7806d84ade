//! Constants derived from the domain parameters: the shapes of p and a, Montgomery constants, a
//! chain for square roots, and the lattice of the endomorphism.

use crate::params::{ChainStep, Curve, Endomorphism};
use num_bigint::{BigInt, BigUint, Sign};

/// The reduction after a multiplication, as permitted by the shape of p.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// p = 2^256 - 2^32 - c with c below 2^31.
    Fold,
    /// The prime of P-256, Montgomery form.
    P256,
    /// The prime of SM2, Montgomery form.
    Sm2,
    /// Any odd p, Montgomery form.
    Montgomery,
}

impl Reduction {
    pub fn of(p: &BigUint) -> Self {
        if *p == power(256) - power(224) + power(192) + power(96) - 1u32 {
            Reduction::P256
        } else if *p == power(256) - power(224) - power(96) + power(64) - 1u32 {
            Reduction::Sm2
        } else if (power(256) - power(32) - power(31) + 1u32..=power(256) - power(32)).contains(p) {
            Reduction::Fold
        } else {
            Reduction::Montgomery
        }
    }

    /// Returns the residue as elements are stored: plain, or times 2^256 in Montgomery form.
    pub fn stored(self, value: &BigUint, p: &BigUint) -> BigUint {
        match self {
            Reduction::Fold => value.clone(),
            _ => (value << 256) % p,
        }
    }
}

/// Returns 2^exponent.
fn power(exponent: u32) -> BigUint {
    BigUint::from(1u32) << exponent
}

/// The shape of the coefficient a.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ShapeOfA {
    Zero,
    MinusThree,
    General,
}

impl ShapeOfA {
    pub fn of(curve: &Curve) -> Self {
        if curve.a == BigUint::ZERO {
            ShapeOfA::Zero
        } else if &curve.a + 3u32 == curve.p {
            ShapeOfA::MinusThree
        } else {
            ShapeOfA::General
        }
    }
}

/// Returns a chain for a power of about 254 bits, with the window width that makes it shortest.
pub fn power_chain(exponent: &BigUint) -> Vec<ChainStep> {
    (3..=6)
        .map(|window| windowed_chain(exponent, window))
        .min_by_key(Vec::len)
        .expect("there are windows")
}

/// Returns a chain with the powers 2 and 3, 5, 7, ..., 2^w - 1, followed by the windows of the
/// exponent from the top. Since a step continues from the last power, the first window has w + 1
/// bits: it is the largest odd power plus at most two.
fn windowed_chain(exponent: &BigUint, window: u64) -> Vec<ChainStep> {
    let largest = (1u32 << window) - 1;
    let mut chain = vec![
        ChainStep {
            squarings: 1,
            factor: None,
        },
        ChainStep::times(0, 0),
    ];
    chain.extend((5..=largest).step_by(2).map(|_| ChainStep::times(0, 1)));
    let mut low = exponent.bits() - window - 1;
    let mut missing = bits(exponent, low, window + 1) - largest;
    if missing.is_multiple_of(2) {
        chain.push(ChainStep::times(0, 0));
        missing -= 1;
    }
    chain.push(ChainStep::times(0, index_of_power(missing)));
    // Windows begin and end with a one; zeros between them become squarings of the next window.
    let mut squarings = 0;
    while low > 0 {
        if !exponent.bit(low - 1) {
            low -= 1;
            squarings += 1;
            continue;
        }
        let end = (low.saturating_sub(window)..low)
            .find(|bit| exponent.bit(*bit))
            .expect("the first bit is a one");
        let power = bits(exponent, end, low - end);
        chain.push(ChainStep::times(
            squarings + (low - end) as u32,
            index_of_power(power),
        ));
        low = end;
        squarings = 0;
    }
    if squarings > 0 {
        chain.push(ChainStep {
            squarings,
            factor: None,
        });
    }
    chain
}

/// Returns the index of an odd power in such a chain. Power 2 has index 1, and the odd power k has
/// index (k + 1) / 2, except for 1, which has index 0.
fn index_of_power(odd: u32) -> u32 {
    if odd == 1 { 0 } else { odd.div_ceil(2) }
}

/// Returns `count` bits of a number, starting at bit `low`.
fn bits(value: &BigUint, low: u64, count: u64) -> u32 {
    let part = (value >> low) & ((BigUint::from(1u32) << count) - 1u32);
    part.iter_u32_digits().next().unwrap_or(0)
}

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
        let inverse = inverse_mod_2_64(
            value
                .iter_u64_digits()
                .next()
                .expect("a modulus is not zero"),
        );
        Modulus {
            r2: &r * &r % value,
            r,
            neg_inverse_64: inverse.wrapping_neg(),
            inverse_62: inverse & ((1 << 62) - 1),
        }
    }
}

/// Computes the inverse with Newton's iteration: each step doubles the number of correct low bits;
/// an odd m is its own inverse modulo 8.
fn inverse_mod_2_64(odd: u64) -> u64 {
    (0..5).fold(odd, |x, _| {
        x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)))
    })
}

/// A short basis (a1, b1), (a2, b2) of the lattice { (i, j) : i + j lambda = 0 mod n }, and the
/// multipliers that replace the division by n when a scalar is rounded to the lattice.
pub struct Glv {
    pub a1: BigInt,
    pub b1: BigInt,
    pub a2: BigInt,
    pub b2: BigInt,
    /// round(2^384 b2 / n): c1 = round(k b2 / n) = (k g1 + 2^383) >> 384, off by at most one.
    pub g1: BigUint,
    /// round(2^384 (-b1) / n), for c2 in the same way.
    pub g2: BigUint,
}

impl Glv {
    /// Computes the basis with algorithm 3.74 of Guide to Elliptic Curve Cryptography: the extended
    /// Euclidean algorithm on (n, lambda), stopped around sqrt(n).
    pub fn new(curve: &Curve, endomorphism: &Endomorphism) -> Self {
        let n = BigInt::from(curve.n.clone());
        let root = BigInt::from(curve.n.sqrt());
        // Invariant: r = s n + t lambda for each row (r, t), so (r, -t) lies in the lattice.
        let mut rows = vec![
            (n.clone(), BigInt::ZERO),
            (BigInt::from(endomorphism.lambda.clone()), BigInt::from(1)),
        ];
        while rows[rows.len() - 1].0 >= root {
            rows.push(next_row(&rows[rows.len() - 2], &rows[rows.len() - 1]));
        }
        let before = &rows[rows.len() - 2];
        let first = &rows[rows.len() - 1];
        let after = next_row(before, first);
        let second = if norm(before) <= norm(&after) {
            before
        } else {
            &after
        };
        // Orientation: b1 < 0 < b2 and a1 b2 - a2 b1 = +n, so that both multipliers are positive.
        let oriented = if first.1 > BigInt::ZERO {
            [first, second]
        } else {
            [second, first]
        };
        let [(a1, b1), (a2, b2)] = oriented.map(lattice_vector);
        assert_eq!(
            &a1 * &b2 - &a2 * &b1,
            n,
            "the rows must be an oriented basis"
        );
        let g1 = multiplier(&b2, &curve.n);
        let g2 = multiplier(&-&b1, &curve.n);
        Glv {
            a1,
            b1,
            a2,
            b2,
            g1,
            g2,
        }
    }
}

/// Returns round(2^384 numerator / n).
fn multiplier(numerator: &BigInt, n: &BigUint) -> BigUint {
    assert_eq!(
        numerator.sign(),
        Sign::Plus,
        "both multipliers must be positive"
    );
    let doubled: BigUint = (numerator.magnitude() << 385) / n;
    (doubled + 1u32) >> 1
}

/// A row of the extended Euclidean algorithm: remainder and cofactor of lambda.
type EuclidRow = (BigInt, BigInt);

/// Returns the squared length of the vector that a row stands for.
fn norm(row: &EuclidRow) -> BigInt {
    &row.0 * &row.0 + &row.1 * &row.1
}

fn lattice_vector(row: &EuclidRow) -> (BigInt, BigInt) {
    (row.0.clone(), -&row.1)
}

fn next_row(before: &EuclidRow, last: &EuclidRow) -> EuclidRow {
    let quotient = &before.0 / &last.0;
    (
        &before.0 - &quotient * &last.0,
        &before.1 - &quotient * &last.1,
    )
}
