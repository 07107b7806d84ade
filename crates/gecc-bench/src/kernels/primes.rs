//! The primes of the curves.

use gecc::lab::constants;
use gecc::{Curve, CurveId};
use num_bigint::BigUint;

/// The primes of a curve, and whether p has a special form with a faster reduction than
/// Montgomery's.
#[derive(Debug)]
pub struct Primes {
    pub curve: CurveId,
    pub p: &'static [u64; 4],
    pub n: &'static [u64; 4],
    pub folds: bool,
}

macro_rules! primes {
    ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
        &[$(Primes {
            curve: gecc::$curve::ID,
            p: &constants::$name::P,
            n: &constants::$name::N,
            folds: constants::$name::FOLDS,
        }),*]
    };
}

/// The primes of all curves.
pub const PRIMES: &[Primes] = gecc::for_each_curve!(primes!);

impl Primes {
    /// Returns the primes of a curve.
    pub fn of(curve: CurveId) -> &'static Self {
        PRIMES
            .iter()
            .find(|primes| primes.curve == curve)
            .expect("every curve is in the list")
    }
}

/// Returns the bytes of a prime as stored in memory.
pub fn bytes_of(prime: &[u64; 4]) -> Vec<u8> {
    prime.iter().flat_map(|limb| limb.to_le_bytes()).collect()
}

/// Returns a prime as a big integer.
pub fn number_of(prime: &[u64; 4]) -> BigUint {
    BigUint::from_bytes_le(&bytes_of(prime))
}
