//! Known answers of products, against which the vector code is tested before it is used. They follow
//! from repeated addition of the base point in portable code. The private keys are for tests only.

use super::{BASE_POINT, Bases, IDENTITY, Multiply, Points};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::curves::{Ed25519, EdwardsCurve};
use crate::cpu::edwards::decode::encode_all;
use crate::cpu::edwards::point::Extended;
use crate::known_answers::compare;
use crate::operation::Computation;
use crate::types::{Rejection, Rows, SecretKeys, Values, bytes_of};

/// Multiples of the base point, more than a vector has lanes, and factors of them.
const MULTIPLES: usize = 99;
const FACTORS: usize = 11;

/// Returns the encodings of 0, 1, 2, ... times the base point.
fn multiples() -> Vec<[u8; 32]> {
    let base = Extended::from_affine(&Ed25519::G).to_niels::<Ed25519>();
    let mut multiple = Extended::IDENTITY;
    let mut multiples = Vec::with_capacity(MULTIPLES + 1);
    for _ in 0..=MULTIPLES {
        multiples.push(multiple.to_projective());
        multiple = multiple.add(&base).to_extended();
    }
    encode_all(&multiples)
}

/// Returns the scalar of a small number.
fn scalar(number: usize) -> [u8; 32] {
    let mut scalar = [0; 32];
    scalar[0] = number as u8;
    scalar
}

/// # Errors
/// A description of the first wrong answer of an engine with vector code.
pub(crate) fn of_lanes(engine: &CpuEngine) -> Result<(), String> {
    let multiples = multiples();
    let keys: Vec<[u8; 32]> = (0..=FACTORS).map(scalar).collect();
    let of_generator = Multiply {
        secret_keys: SecretKeys::rows(Rows::new(&keys)),
        bases: Bases::Generator,
        is_cofactored: false,
        items: keys.len(),
    };
    let of_key = |key: usize, factor: usize| match key {
        0 => Err(Rejection::SecretKeyOutOfRange),
        _ => Ok(multiples[key * factor]),
    };
    let known = (0..=FACTORS).map(|key| of_key(key, 1));
    check(engine, "products of the base point", &of_generator, known)?;
    // 9 P and 8 k B, the identity, and bytes that encode no point.
    let mut points = multiples[..=FACTORS].to_vec();
    points.extend([[2; 32], BASE_POINT]);
    let mut known: Vec<_> = (0..=FACTORS).map(|factor| of_key(9, factor)).collect();
    known.extend([Err(Rejection::NotOnCurve), of_key(9, 1)]);
    let of_points = Multiply {
        secret_keys: SecretKeys::rows(Rows::all(&keys[9])),
        bases: Bases::Points(Points::canonical(&points)),
        is_cofactored: false,
        items: points.len(),
    };
    check(engine, "products of points", &of_points, known)?;
    let cofactored = Multiply {
        secret_keys: SecretKeys::rows(Rows::new(&keys)),
        bases: Bases::Points(Points::canonical(Rows::all(&BASE_POINT))),
        is_cofactored: true,
        items: keys.len(),
    };
    let known = (0..=FACTORS).map(|key| of_key(key, 8));
    check(engine, "products with the cofactor", &cofactored, known)?;
    debug_assert_eq!(multiples[0], IDENTITY);
    Ok(())
}

fn check(
    engine: &CpuEngine,
    operation: &str,
    computation: &dyn Computation,
    known: impl IntoIterator<Item = Result<[u8; 32], Rejection>>,
) -> Result<(), String> {
    let items = computation.items();
    let mut values = Values::new(items, bytes_of);
    computation.compute_on_cpu(engine, 0..items, &mut values.sink());
    // SAFETY: an operation on the CPU has results of every item.
    let computed = unsafe { values.into_vec() };
    compare(operation, "edwards25519", computed, known)
}
