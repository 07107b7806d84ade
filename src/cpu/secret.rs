//! Building blocks of operations on secrets: arithmetic modulo n of the RustCrypto crates, and
//! batched products with the constant-time code of `cpu::simd` or `cpu::uniform`.
//!
//! There are two branches on secrets. The first is the check that a number is in range, whose
//! outcome the caller learns anyway. The second is whether a nonce has to be drawn again, which
//! reveals nothing about the nonce that is used; this happens with a probability of about 1 - n /
//! 2^256: below 2^-30 for secp256k1, P-256 and SM2, one in three for brainpoolP256r1.

use super::be_bytes_to_limbs;
use super::point::Affine;
use super::simd::{self, Bases, Lanes};
use super::tables::BaseTables;
use super::uniform;
use crate::curve::for_each_curve;
use crate::curve::types::*;
use crate::types::Rejection;
use elliptic_curve::subtle::ConditionallySelectable;
use elliptic_curve::{Curve, Field, FieldBytes, PrimeField, Scalar};
use sha2::digest::{Digest, block_api::BlockSizeUser};
use zeroize::Zeroizing;

/// A curve with its RustCrypto type.
pub trait SecretCurve: BaseTables {
    type Reference: elliptic_curve::CurveArithmetic<
            FieldBytesSize = elliptic_curve::consts::U32,
            AffinePoint: elliptic_curve::sec1::FromSec1Point<Self::Reference>
                             + elliptic_curve::sec1::ToSec1Point<Self::Reference>,
        >;
}

macro_rules! references {
    ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
        $(
            impl SecretCurve for $curve {
                type Reference = $($reference)*;
            }
        )*
    };
}
for_each_curve!(references!);

pub type Bytes<C> = FieldBytes<<C as SecretCurve>::Reference>;
pub type Number<C> = Scalar<<C as SecretCurve>::Reference>;

/// Decodes the scalar of a key, which is in `1..n`.
pub fn scalar<C: SecretCurve>(key: &[u8; 32]) -> Result<Zeroizing<Number<C>>, Rejection> {
    nonzero_scalar::<C>(key).ok_or(Rejection::SecretKeyOutOfRange)
}

/// Returns `true` if a key is in `1..n`.
pub fn is_key<C: SecretCurve>(key: &[u8; 32]) -> bool {
    nonzero_scalar::<C>(key).is_some()
}

fn nonzero_scalar<C: SecretCurve>(bytes: &[u8; 32]) -> Option<Zeroizing<Number<C>>> {
    let bytes = Zeroizing::new(Bytes::<C>::from(*bytes));
    let scalar = Zeroizing::new(Number::<C>::from_repr(*bytes).into_option()?);
    (!bool::from(scalar.is_zero())).then_some(scalar)
}

/// Calls `work` with the nonces of RFC 6979 for a key and a digest, with additional data (section
/// 3.6) that may be empty.
pub fn with_nonces<C: SecretCurve, D: Digest + BlockSizeUser, R>(
    d: &Number<C>,
    digest: &[u8; 32],
    additional: &[u8],
    work: impl FnOnce(&mut dyn FnMut(&mut [u8; 32])) -> R,
) -> R {
    let order = C::Reference::ORDER;
    let bytes = Zeroizing::new(d.to_repr());
    let mut nonces = rfc6979::KGenerator::<D, _>::new(&bytes, digest, additional, order.as_ref());
    work(&mut |nonce| nonces.fill_next_k(nonce))
}

/// Returns the next nonce in 1..n.
pub fn draw<C: SecretCurve>(next: &mut dyn FnMut(&mut [u8; 32])) -> Zeroizing<Number<C>> {
    loop {
        let mut bytes = Zeroizing::new([0; 32]);
        next(&mut bytes);
        if let Some(k) = nonzero_scalar::<C>(&bytes) {
            return k;
        }
    }
}

/// Inverts non-zero numbers with Montgomery's trick.
pub fn invert_all<C: SecretCurve>(values: &[Number<C>]) -> Zeroizing<Vec<Number<C>>> {
    // First the products of the values before each, then overwritten with the inverses.
    let mut inverses = Zeroizing::new(Vec::with_capacity(values.len()));
    let mut product = Zeroizing::new(Number::<C>::ONE);
    for value in values {
        inverses.push(*product);
        *product *= value;
    }
    let mut suffix = Zeroizing::new(Field::invert(&*product).expect("no value is zero"));
    for (inverse, value) in inverses.iter_mut().zip(values).rev() {
        *inverse *= &*suffix;
        *suffix *= value;
    }
    inverses
}

/// Computes kG for each k in 1..n, in constant time.
pub fn base_products<C: SecretCurve>(
    lanes: Option<Lanes>,
    k: &[Number<C>],
) -> Vec<Affine<C::Base>> {
    let (odd, negated) = odd_or_opposite::<C>(k);
    let tables = C::tables();
    match lanes {
        Some(lanes) => tables.uniform(lanes).mul_base(lanes, &odd, &negated),
        None => tables.portable_uniform().mul_base(&odd, &negated),
    }
}

/// The coordinates x and y of each product as plain numbers.
pub type Products = Zeroizing<Vec<[[u64; 4]; 2]>>;

/// Computes k[i] points[i] for k in 1..n, in constant time. No point is the identity.
pub fn products<C: SecretCurve>(
    lanes: Option<Lanes>,
    k: &[Number<C>],
    points: &[Affine<C::Base>],
    bases: Bases,
) -> Products {
    let (odd, negated) = odd_or_opposite::<C>(k);
    match lanes {
        Some(lanes) => simd::mul_uniform::<C>(lanes, &odd, &negated, points, bases),
        // Treats all points as secret.
        None => uniform::mul_uniform::<C>(&odd, &negated, points),
    }
}

/// Returns, for each k in 1..n, the odd one of k and n - k, and 1 if that is n - k.
pub fn odd_or_opposite<C: SecretCurve>(
    k: &[Number<C>],
) -> (Zeroizing<Vec<[u64; 4]>>, Zeroizing<Vec<u8>>) {
    // n is odd, so exactly one of k and n - k is.
    let mut odd = Zeroizing::new(Vec::with_capacity(k.len()));
    let mut negated = Zeroizing::new(Vec::with_capacity(k.len()));
    for k in k {
        let negate = k.is_even();
        let bytes = Zeroizing::new(Number::<C>::conditional_select(k, &-*k, negate).to_repr());
        odd.push(be_bytes_to_limbs(&(*bytes).into()));
        negated.push(negate.unwrap_u8());
    }
    (odd, negated)
}
