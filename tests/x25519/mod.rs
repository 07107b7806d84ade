//! X25519.

pub mod agreement;
pub mod columns;
pub mod isolation;
pub mod operations;
pub mod rfc7748;
pub mod wycheproof;

use crate::support::random::Random;
use curve25519_dalek::MontgomeryPoint;
use gecc::x25519::{self, AllZero};
use gecc::{Engine, PublicKeys, Rejection, SecretKey, SecretKeys};

/// A secret, or why there is none.
type Shared = Result<[u8; 32], Rejection>;

/// Public keys with the shared secret zero: the u-coordinates of the points whose order divides 8,
/// on the curve and on its twist, and numbers from p on that are congruent to them ("Curve25519: new
/// Diffie-Hellman speed records", and https://cr.yp.to/ecdh.html, "How do I validate public keys?").
const SMALL_ORDER: [&str; 7] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

fn row(digits: &str) -> [u8; 32] {
    hex::decode(digits).unwrap().try_into().unwrap()
}

/// Returns the public keys of small order, each also with the highest bit set.
fn small_order() -> Vec<[u8; 32]> {
    let keys = SMALL_ORDER.map(row);
    let with_high_bit = keys.map(|mut key| {
        key[31] |= 0x80;
        key
    });
    [keys, with_high_bit].concat()
}

fn secret_keys(rows: &[[u8; 32]]) -> Vec<SecretKey> {
    rows.iter().map(|row| SecretKey::from_bytes(*row)).collect()
}

fn random_rows(random: &mut Random, count: usize) -> Vec<[u8; 32]> {
    (0..count).map(|_| random.bytes()).collect()
}

/// Computes shared secrets as bytes.
fn shared<'a>(
    engine: &Engine,
    keys: impl Into<SecretKeys<'a>>,
    peers: PublicKeys,
    all_zero: AllZero,
) -> Vec<Shared> {
    x25519::shared_secrets(engine, keys, peers, all_zero)
        .unwrap()
        .into_iter()
        .map(|secret| secret.map(|secret| *secret.expose_bytes()))
        .collect()
}

/// Computes the shared secret of one item with curve25519-dalek.
fn reference(key: &[u8; 32], peer: &[u8; 32]) -> [u8; 32] {
    MontgomeryPoint(*peer).mul_clamped(*key).to_bytes()
}
