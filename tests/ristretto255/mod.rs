//! ristretto255.

pub mod agreement;
pub mod columns;
pub mod hashing;
pub mod isolation;
pub mod masks;
pub mod rfc9496;

use crate::support::random::Random;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use gecc::ristretto255;
use gecc::{Engine, Rejection, Rows, SecretKey, SecretKeys};

/// A product, or why there is none.
type Product = Result<[u8; 32], Rejection>;

/// The encoding of the identity.
const IDENTITY: [u8; 32] = [0; 32];

fn row<const W: usize>(digits: &str) -> [u8; W] {
    hex::decode(digits).unwrap().try_into().unwrap()
}

/// Returns the bytes of a small number.
fn number(value: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&value.to_le_bytes());
    bytes
}

/// Returns the bytes of a multiple of the group order plus a small number.
fn order_plus(distance: i64) -> [u8; 32] {
    // The order is 1 more than the largest scalar.
    let largest = (-Scalar::ONE).to_bytes();
    let lowest = i64::from_le_bytes(*largest.first_chunk().unwrap()) + 1 + distance;
    let mut bytes = largest;
    bytes[..8].copy_from_slice(&lowest.to_le_bytes());
    bytes
}

fn secret_keys(rows: &[[u8; 32]]) -> Vec<SecretKey> {
    rows.iter().map(|row| SecretKey::from_bytes(*row)).collect()
}

fn random_scalars(random: &mut Random, count: usize) -> Vec<[u8; 32]> {
    (0..count)
        .map(|_| Scalar::from_bytes_mod_order(random.bytes()).to_bytes())
        .collect()
}

fn random_inputs(random: &mut Random, count: usize) -> Vec<[u8; 64]> {
    (0..count)
        .map(|_| {
            let halves: [[u8; 32]; 2] = [random.bytes(), random.bytes()];
            halves.as_flattened().try_into().unwrap()
        })
        .collect()
}

fn random_elements(random: &mut Random, count: usize) -> Vec<[u8; 32]> {
    random_inputs(random, count).iter().map(mapped).collect()
}

fn multiply<'a>(
    engine: &Engine,
    keys: impl Into<SecretKeys<'a>>,
    elements: &[[u8; 32]],
) -> Vec<Product> {
    ristretto255::mul(engine, keys, Rows::new(elements)).unwrap()
}

/// Maps bytes to an element with curve25519-dalek.
fn mapped(bytes: &[u8; 64]) -> [u8; 32] {
    RistrettoPoint::from_uniform_bytes(bytes)
        .compress()
        .to_bytes()
}

/// Decodes an element with curve25519-dalek.
fn decoded(element: &[u8; 32]) -> Option<RistrettoPoint> {
    CompressedRistretto(*element).decompress()
}

/// Multiplies an element by a scalar with curve25519-dalek, and returns the code of the rejection
/// that the interface states.
fn reference(key: &[u8; 32], element: &[u8; 32]) -> Product {
    let scalar = Scalar::from_canonical_bytes(*key)
        .into_option()
        .filter(|scalar| *scalar != Scalar::ZERO)
        .ok_or(Rejection::SecretKeyOutOfRange)?;
    match decoded(element) {
        Some(_) if *element == IDENTITY => Err(Rejection::IdentityKey),
        Some(point) => Ok((point * scalar).compress().to_bytes()),
        None if is_even_and_below_p(element) => Err(Rejection::NotOnCurve),
        None => Err(Rejection::MalformedPoint),
    }
}

fn is_even_and_below_p(element: &[u8; 32]) -> bool {
    let is_below_p = element[31] < 0x7f
        || element[31] == 0x7f && (element[1..31] != [0xff; 30] || element[0] < 0xed);
    element[0] & 1 == 0 && is_below_p
}
