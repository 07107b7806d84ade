//! Tests of every rule for every signature in small groups: each A and R of the group in each
//! encoding, with each S and each k; and of all products and sums of points.
//!
//! The groups are cyclic subgroups, with cofactor times n points, of curves over the field of
//! Ed25519. Expected results follow from numbers alone: the points are multiples of a generator T,
//! B is cofactor T, and the equation holds if S cofactor = r + k a modulo the number of points.

use super::rule::Rule;
use super::verify::{Verification, verify};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::curves::EdwardsCurve;
use crate::cpu::edwards::decode::Encoding;
use crate::cpu::edwards::field::Element;
use crate::cpu::edwards::tables::{BaseTables, Precomputed};
use crate::cpu::field::limbs::{Limbs, to_le_bytes};
use crate::cpu::field::moduli::Modulus;
use crate::curve::constants::ed25519::P;
use crate::ops::edwards25519::{Arithmetic, Bases, Multiply, Operation, Points};
use crate::types::{
    PublicKeys, Rejection, ResultSink, ResultsMut, Rows, SecretKeys, Verdict, rows_of,
};
use num_bigint::BigUint;

/// Defines a curve with the order of B, the coefficient d and a generator of the group.
macro_rules! small_group {
    ($name:ident, $order:ident, $n:literal, $cofactor:literal, $d:literal, $x:expr, $y:expr) => {
        #[derive(Clone, Copy, PartialEq, Eq)]
        struct $order;

        impl Modulus for $order {
            const M: Limbs = [$n, 0, 0, 0];
            const R: Limbs = [power_of_two(256, $n), 0, 0, 0];
            const R2: Limbs = [power_of_two(512, $n), 0, 0, 0];
            const NEG_INV64: u64 = inverse($n).wrapping_neg();
            const INV62: u64 = inverse($n) & ((1 << 62) - 1);
        }

        #[derive(Clone, Copy)]
        struct $name;

        impl EdwardsCurve for $name {
            type Order = $order;
            const D: Element = Element::from_limbs([$d, 0, 0, 0]);
            const D2: Element = Element::from_limbs([2 * $d, 0, 0, 0]);
            // Unused: the tables are built from the point that the test computes.
            const G: [Element; 2] = [Element::ZERO, Element::ONE];
            const COFACTOR_DOUBLINGS: u32 = ($cofactor as u32).trailing_zeros();
        }

        impl BaseTables for $name {
            fn tables() -> &'static Precomputed<Self> {
                static TABLES: Precomputed<$name> = Precomputed::new();
                &TABLES
            }
        }

        impl SmallGroup for $name {
            const N: u64 = $n;
            const COFACTOR: u64 = $cofactor;
            const SMALL_D: u64 = $d;
            const T: (Limbs, Limbs) = ($x, $y);
        }
    };
}

/// Returns 2^exponent modulo n.
const fn power_of_two(exponent: u32, n: u64) -> u64 {
    let mut power = 1;
    let mut step = 0;
    while step < exponent {
        power = power * 2 % n;
        step += 1;
    }
    power
}

/// Returns n^-1 modulo 2^64.
const fn inverse(n: u64) -> u64 {
    let mut x = n;
    let mut step = 0;
    while step < 5 {
        x = x.wrapping_mul(2u64.wrapping_sub(n.wrapping_mul(x)));
        step += 1;
    }
    x
}

trait SmallGroup: BaseTables {
    const N: u64;
    const COFACTOR: u64;
    const SMALL_D: u64;
    const T: (Limbs, Limbs);
}

small_group!(
    Of24,
    N3,
    3,
    8,
    11,
    [
        0x4355_a082_0209_8726,
        0xb116_9bcf_0af5_3871,
        0x33bb_c45e_7e4e_3b70,
        0x0ae9_a634_b541_6649
    ],
    [
        0x8cc4_0351_c778_6aff,
        0xb2d2_fd10_0c59_86b7,
        0xfa7f_68fd_4eba_9a55,
        0x52c0_ab63_cfae_60b5
    ]
);
small_group!(
    Of20,
    N5,
    5,
    4,
    17,
    [
        0xeb6f_c8ed_cb15_50f7,
        0xe9ab_1da1_702f_908c,
        0x7f72_8ced_373d_da5e,
        0x6b3d_472c_85d2_2a4f
    ],
    [
        0xf6ab_a337_af5e_0913,
        0xe0d8_8462_1f4a_95e3,
        0xbc5c_97c0_b466_ecf7,
        0x75e6_63d8_f2fb_f380
    ]
);

type Point = (BigUint, BigUint);

fn integer(limbs: &Limbs) -> BigUint {
    limbs
        .iter()
        .rev()
        .fold(BigUint::ZERO, |sum, limb| (sum << 64) + limb)
}

fn limbs(number: &BigUint) -> Limbs {
    let mut limbs = [0; 4];
    number
        .iter_u64_digits()
        .zip(&mut limbs)
        .for_each(|(digit, limb)| *limb = digit);
    limbs
}

/// Adds points with big integers, independent of the arithmetic under test.
fn add(d: u64, (x1, y1): &Point, (x2, y2): &Point) -> Point {
    let p = &integer(&P);
    let t = d * x1 * x2 % p * y1 * y2 % p;
    (
        quotient(x1 * y2 + y1 * x2, &t + 1u32),
        quotient(y1 * y2 + x1 * x2, p + 1u32 - &t),
    )
}

/// Divides modulo p.
fn quotient(numerator: BigUint, denominator: BigUint) -> BigUint {
    let p = &integer(&P);
    numerator * denominator.modpow(&(p - 2u32), p) % p
}

/// Returns 0, T, 2T, ...
fn multiples<G: SmallGroup>() -> Vec<Point> {
    let t = (integer(&G::T.0), integer(&G::T.1));
    let identity = (BigUint::ZERO, BigUint::from(1u32));
    let mut multiples = vec![identity.clone()];
    loop {
        let next = add(G::SMALL_D, multiples.last().expect("there is one"), &t);
        if next == identity {
            return multiples;
        }
        multiples.push(next);
    }
}

/// An encoding of a point of the group, with the number of the multiple of T.
struct Encoded {
    number: u64,
    bytes: [u8; 32],
    is_canonical: bool,
}

/// Returns all encodings of all points.
fn encodings(multiples: &[Point]) -> Vec<Encoded> {
    let p = integer(&P);
    let mut encodings = Vec::new();
    for (number, (x, y)) in (0..).zip(multiples) {
        let signs = if *x == BigUint::ZERO {
            vec![(false, true), (true, false)]
        } else {
            vec![(x.bit(0), true)]
        };
        for (sign, is_canonical_sign) in signs {
            for (y, is_canonical_y) in [(y.clone(), true), (y + &p, false)] {
                if y.bits() <= 255 {
                    let mut bytes = to_le_bytes(&limbs(&y));
                    bytes[31] |= u8::from(sign) << 7;
                    encodings.push(Encoded {
                        number,
                        bytes,
                        is_canonical: is_canonical_sign && is_canonical_y,
                    });
                }
            }
        }
    }
    encodings
}

fn require(holds: bool, reason: Rejection) -> Result<(), Rejection> {
    if holds { Ok(()) } else { Err(reason) }
}

/// Returns the expected verdict on a signature from the indices of its points.
fn expected<G: SmallGroup>(
    rule: Rule,
    a: &Encoded,
    r: &Encoded,
    s: u64,
    k: u64,
) -> Result<(), Rejection> {
    let points = G::N * G::COFACTOR;
    // Multiples of n have an order that divides 8, since the orders of all groups here divide 8 n.
    let a_is_small = a.number.is_multiple_of(G::N);
    let r_is_small = r.number.is_multiple_of(G::N);
    let wants_canonical = matches!(
        rule,
        Rule::Libsodium | Rule::Rfc8032 | Rule::Rfc8032Cofactored
    );
    let rejects_small = matches!(rule, Rule::Strict | Rule::Libsodium);
    let is_cofactored = matches!(rule, Rule::Zip215 | Rule::Rfc8032Cofactored);
    require(s < G::N, Rejection::SOutOfRange)?;
    require(
        a.is_canonical || !wants_canonical,
        Rejection::MalformedPoint,
    )?;
    require(!rejects_small || !a_is_small, Rejection::SmallOrderKey)?;
    require(!rejects_small || !r_is_small, Rejection::SmallOrderR)?;
    require(
        r.is_canonical || rule != Rule::Rfc8032Cofactored,
        Rejection::ROutOfRange,
    )?;
    let difference =
        (s * G::COFACTOR + (points - r.number) + (points - k * a.number % points)) % points;
    let holds = match is_cofactored {
        true => (difference * G::COFACTOR).is_multiple_of(points),
        false => difference == 0 && r.is_canonical,
    };
    require(holds, Rejection::Mismatch)
}

fn every_signature<G: SmallGroup>() {
    let multiples = multiples::<G>();
    assert_eq!(multiples.len() as u64, G::N * G::COFACTOR);
    let (x, y) = &multiples[G::COFACTOR as usize];
    G::tables().serve([limbs(x), limbs(y)].map(Element::from_limbs));
    let encodings = encodings(&multiples);
    assert!(
        encodings
            .iter()
            .filter(|encoding| !encoding.is_canonical)
            .count()
            >= 3
    );
    // Batches with all keys and one R each, in which every key occurs once, and with every R, in
    // which keys have tables.
    let all = encodings
        .iter()
        .flat_map(|r| encodings.iter().map(move |a| (a, r)));
    let all: Vec<(&Encoded, &Encoded)> = all.collect();
    let batches: Vec<&[(&Encoded, &Encoded)]> = all
        .chunks(encodings.len())
        .chain([all.as_slice()])
        .collect();
    let engines = [
        CpuEngine::new(None, None).unwrap(),
        CpuEngine::new(None, None).unwrap().portable(),
    ];
    // S = n is one too large.
    for (s, k) in (0..=G::N).flat_map(|s| (0..G::N).map(move |k| (s, k))) {
        // k plus a multiple of n, which has to be reduced.
        let mut challenge = [0; 64];
        challenge[..8].copy_from_slice(&(k + 5 * G::N).to_le_bytes());
        for batch in &batches {
            let keys: Vec<[u8; 32]> = batch.iter().map(|(a, _)| a.bytes).collect();
            let s_bytes = to_le_bytes(&[s, 0, 0, 0]);
            let signatures: Vec<[[u8; 32]; 2]> =
                batch.iter().map(|(_, r)| [r.bytes, s_bytes]).collect();
            let signatures = Rows::new(signatures.as_flattened().as_flattened().as_chunks().0);
            let keys = PublicKeys::ed25519(&keys);
            for (engine, &rule) in engines
                .iter()
                .flat_map(|engine| Rule::ALL.iter().map(move |rule| (engine, rule)))
            {
                let verification = Verification {
                    rule,
                    challenge: &|_| challenge,
                    bytes: 0,
                    signatures,
                    keys,
                    batch_verification: false,
                };
                let mut codes = vec![0; batch.len()];
                verify::<G>(
                    engine,
                    &verification,
                    &mut ResultsMut::codes(&mut codes).into(),
                );
                for ((a, r), code) in batch.iter().zip(codes) {
                    let expected = Verdict::from(expected::<G>(rule, a, r, s, k));
                    assert_eq!(
                        code,
                        expected.code(),
                        "{rule:?}: A {}, R {}, S {s}, k {k}",
                        a.number,
                        r.number
                    );
                }
            }
        }
    }
}

/// Returns the encodings of all points by the number of the multiple of T.
fn canonical_encodings(encodings: &[Encoded]) -> Vec<[u8; 32]> {
    let canonical = encodings.iter().filter(|encoding| encoding.is_canonical);
    canonical.map(|encoding| encoding.bytes).collect()
}

/// Checks the results of an operation, by item.
fn check<const W: usize>(
    engine: &CpuEngine,
    items: usize,
    compute: impl Fn(&CpuEngine, &mut ResultSink),
    expected: impl Fn(usize) -> Result<[u8; W], Rejection>,
) {
    let found = rows_of::<W>(items, |out| compute(engine, out));
    assert!(found.into_iter().eq((0..items).map(expected)));
}

/// Tests products of every point in every encoding and every scalar, with and without the cofactor,
/// and sums of every pair of points.
fn every_product<G: SmallGroup>() {
    let multiples = multiples::<G>();
    let points = multiples.len();
    let encodings = encodings(&multiples);
    let canonical = canonical_encodings(&encodings);
    assert_eq!(canonical.len(), points);
    let rows: Vec<[u8; 32]> = encodings.iter().map(|encoding| encoding.bytes).collect();
    let items = rows.len();
    let number = |item: usize| encodings[item].number as usize;
    for engine in [
        CpuEngine::new(None, None).unwrap(),
        CpuEngine::new(None, None).unwrap().portable(),
    ] {
        for encoding in [Encoding::Canonical, Encoding::Lenient] {
            let is_taken =
                |item: usize| encoding == Encoding::Lenient || encodings[item].is_canonical;
            // The result with this number, if the item's encoding is taken.
            let result = |item: usize, number: usize| match is_taken(item) {
                true => Ok(canonical[number % points]),
                false => Err(Rejection::MalformedPoint),
            };
            let points_of_items = Points::encoded(&rows, encoding);
            for (k, is_cofactored) in (0..=G::N).flat_map(|k| [(k, false), (k, true)]) {
                let key = to_le_bytes(&[k, 0, 0, 0]);
                let multiply = Multiply {
                    secret_keys: SecretKeys::rows(Rows::all(&key)),
                    bases: Bases::Points(points_of_items),
                    is_cofactored,
                    items,
                };
                let factor = (if is_cofactored { k * G::COFACTOR } else { k }) as usize;
                check(
                    &engine,
                    items,
                    |engine, out| multiply.compute_in_chunks::<G>(engine, 0, out),
                    |item| match k {
                        0 => Err(Rejection::SecretKeyOutOfRange),
                        k if k == G::N => Err(Rejection::SecretKeyOutOfRange),
                        _ => result(item, factor * number(item)),
                    },
                );
            }
            for (addend, row) in canonical.iter().enumerate() {
                let arithmetic = |operation| Arithmetic {
                    operation,
                    points: points_of_items,
                    items,
                };
                let sums = arithmetic(Operation::Add(Points::canonical(Rows::all(row))));
                let multiples = arithmetic(Operation::MultiplyByCofactor);
                check(
                    &engine,
                    items,
                    |engine, out| sums.compute_in_chunks::<G>(engine, 0, out),
                    |item| result(item, number(item) + addend),
                );
                check(
                    &engine,
                    items,
                    |engine, out| multiples.compute_in_chunks::<G>(engine, 0, out),
                    |item| result(item, number(item) * G::COFACTOR as usize),
                );
            }
        }
    }
}

#[test]
fn products_cofactor_8() {
    every_product::<Of24>();
}

#[test]
fn products_cofactor_4() {
    every_product::<Of20>();
}

#[test]
fn cofactor_8() {
    every_signature::<Of24>();
}

#[test]
fn cofactor_4() {
    every_signature::<Of20>();
}
