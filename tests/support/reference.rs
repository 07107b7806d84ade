//! The reference: the RustCrypto crates of the curves, fed one item at a time.

use ::ecdsa::signature::hazmat::PrehashVerifier;
use ::ecdsa::{RecoveryId, Signature, SigningKey, VerifyingKey};
use elliptic_curve::consts::U32;
use elliptic_curve::ops::Reduce;
use elliptic_curve::sec1::{FromSec1Point, ToSec1Point};
use elliptic_curve::{CurveArithmetic, CurveGroup, FieldBytes, Group as _, PrimeField};
use gecc::{Curve, EcdsaCurve, Point, Sm2};

/// A curve of gecc and its type in the reference.
pub trait TestCurve: Curve {
    type Theirs: CurveArithmetic<
            FieldBytesSize = U32,
            AffinePoint: FromSec1Point<Self::Theirs> + ToSec1Point<Self::Theirs>,
        >;
}

macro_rules! test_curves {
    ([] $($curve:ident $name:ident $module:tt [$($reference:tt)*];)*) => {
        $(
            impl TestCurve for gecc::$curve {
                type Theirs = $($reference)*;
            }
        )*
    };
}
gecc::for_each_curve!(test_curves!);

pub type Scalar<C> = elliptic_curve::Scalar<<C as TestCurve>::Theirs>;
pub type Group<C> = elliptic_curve::ProjectivePoint<<C as TestCurve>::Theirs>;
type Affine<C> = elliptic_curve::AffinePoint<<C as TestCurve>::Theirs>;

/// The scalar, if below n.
pub fn scalar<C: TestCurve>(bytes: &[u8; 32]) -> Option<Scalar<C>> {
    Scalar::<C>::from_repr((*bytes).into()).into_option()
}

/// The scalar modulo n.
pub fn reduced<C: TestCurve>(bytes: &[u8; 32]) -> Scalar<C> {
    Scalar::<C>::reduce(&FieldBytes::<C::Theirs>::from(*bytes))
}

pub fn bytes<C: TestCurve>(scalar: &Scalar<C>) -> [u8; 32] {
    scalar.to_repr().into()
}

pub fn mul_base<C: TestCurve>(scalar: &Scalar<C>) -> Group<C> {
    Group::<C>::mul_by_generator(scalar)
}

fn encode_affine<C: TestCurve>(point: &Affine<C>) -> Point {
    // The identity encodes as a single byte.
    <[u8; 65]>::try_from(point.to_sec1_point(false).as_bytes()).map_or(Point::IDENTITY, |bytes| {
        Point::from_uncompressed(bytes).expect("an uncompressed point")
    })
}

pub fn encode<C: TestCurve>(point: &Group<C>) -> Point {
    encode_affine::<C>(&point.to_affine())
}

pub fn encode_all<C: TestCurve>(points: &[Group<C>]) -> Vec<Point> {
    let mut affine = vec![Affine::<C>::default(); points.len()];
    Group::<C>::batch_normalize(points, &mut affine);
    affine.iter().map(encode_affine::<C>).collect()
}

/// The point, if it lies on the curve.
pub fn decode<C: TestCurve>(point: &Point) -> Option<Group<C>> {
    Affine::<C>::from_sec1_bytes(point.as_sec1())
        .ok()
        .map(Into::into)
}

/// The point of a public key, which must not be the identity.
///
/// The reference also takes compact encodings (tag 05), which are not part of SEC 1 and not taken
/// by gecc.
pub fn decode_key<C: TestCurve>(sec1: &[u8]) -> Option<Group<C>> {
    if sec1.first() == Some(&5) {
        return None;
    }
    let key = elliptic_curve::PublicKey::<C::Theirs>::from_sec1_bytes(sec1).ok()?;
    Some((*key.as_affine()).into())
}

/// The point with this x-coordinate, if there is one.
pub fn lift_x<C: TestCurve>(x: &[u8; 32], y_is_odd: bool) -> Option<Group<C>> {
    let mut compressed = [2 + u8::from(y_is_odd); 33];
    compressed[1..].copy_from_slice(x);
    decode_key::<C>(&compressed)
}

/// The x-coordinate of the shared point, if the private key is in range.
pub fn shared_point<C: TestCurve>(secret: &[u8; 32], peer: &[u8]) -> Option<Group<C>> {
    let key = elliptic_curve::SecretKey::<C::Theirs>::from_slice(secret).ok()?;
    Some(decode_key::<C>(peer)? * *key.to_nonzero_scalar())
}

/// The public key, if the private key is in range.
pub fn public_key<C: TestCurve>(secret: &[u8; 32]) -> Option<Point> {
    let key = elliptic_curve::SecretKey::<C::Theirs>::from_slice(secret).ok()?;
    Some(Point::from(&key.public_key()))
}

/// ECDSA as the curve's crate computes it.
pub trait EcdsaReference: TestCurve + EcdsaCurve {
    /// Returns whether the crate itself accepts the signature: `k256` requires low s.
    fn accepts(digest: &[u8; 32], signature: &[u8; 64], key: &[u8]) -> bool;
    /// The signature with low s, or `None` unless r and s are in range.
    fn normalized(signature: &[u8; 64]) -> Option<[u8; 64]>;
    /// The crate's signature and recovery id.
    fn sign(secret: &[u8; 32], digest: &[u8; 32]) -> Option<([u8; 64], u8)>;
    fn recover(digest: &[u8; 32], signature: &[u8; 64], recovery_id: u8) -> Option<Point>;

    /// Returns whether the signature is valid by the standard, which allows high s.
    fn verifies(digest: &[u8; 32], signature: &[u8; 64], key: &[u8]) -> bool {
        let normalized = || Self::normalized(signature);
        let signature = if Self::LOW_S_BY_DEFAULT {
            normalized()
        } else {
            Some(*signature)
        };
        signature.is_some_and(|signature| Self::accepts(digest, &signature, key))
    }

    fn is_low(signature: &[u8; 64]) -> bool {
        Self::normalized(signature).is_some_and(|normalized| normalized == *signature)
    }
}

macro_rules! ecdsa_references {
    ([] $($curve:ident $name:ident $module:tt [$($reference:tt)*];)*) => {
        $(
            impl EcdsaReference for gecc::$curve {
                fn accepts(digest: &[u8; 32], signature: &[u8; 64], key: &[u8]) -> bool {
                    let Some(key) = decode_key::<gecc::$curve>(key) else { return false };
                    let key = VerifyingKey::from_affine(key.to_affine()).expect("not the identity");
                    let signature = Signature::<$($reference)*>::from_slice(signature);
                    signature.is_ok_and(|signature| key.verify_prehash(digest, &signature).is_ok())
                }

                fn normalized(signature: &[u8; 64]) -> Option<[u8; 64]> {
                    let signature = Signature::<$($reference)*>::from_slice(signature).ok()?;
                    Some(signature.normalize_s().to_bytes().into())
                }

                fn sign(secret: &[u8; 32], digest: &[u8; 32]) -> Option<([u8; 64], u8)> {
                    let key = SigningKey::<$($reference)*>::from_slice(secret).ok()?;
                    let (signature, recovery_id) = key.sign_prehash_recoverable(digest);
                    Some((signature.to_bytes().into(), recovery_id.to_byte()))
                }

                fn recover(digest: &[u8; 32], signature: &[u8; 64], recovery_id: u8) -> Option<Point> {
                    let signature = Signature::<$($reference)*>::from_slice(signature).ok()?;
                    let id = RecoveryId::from_byte(recovery_id)?;
                    let key = VerifyingKey::recover_from_prehash(digest, &signature, id).ok()?;
                    Some(encode_affine::<gecc::$curve>(key.as_affine()))
                }
            }
        )*
    };
}
gecc::for_each_ecdsa_curve!(ecdsa_references!);

/// SM2 as the `sm2` crate computes it.
pub mod sm2_dsa {
    use super::*;
    use ::sm2::dsa::signature::hazmat::PrehashSigner;
    use ::sm2::dsa::signature::{Signer, Verifier};
    use ::sm2::dsa::{Signature, SigningKey, VerifyingKey};

    /// Any id: signing and verifying a digest does not use it.
    const UNUSED_ID: &str = "";

    pub fn verifies(digest: &[u8; 32], signature: &[u8; 64], key: &[u8]) -> bool {
        let (Some(key), Ok(signature)) = (
            verifying_key(UNUSED_ID, key),
            Signature::from_slice(signature),
        ) else {
            return false;
        };
        key.verify_prehash(digest, &signature).is_ok()
    }

    pub fn verifies_message(message: &[u8], id: &str, signature: &[u8; 64], key: &[u8]) -> bool {
        let (Some(key), Ok(signature)) = (verifying_key(id, key), Signature::from_slice(signature))
        else {
            return false;
        };
        key.verify(message, &signature).is_ok()
    }

    pub fn sign(secret: &[u8; 32], digest: &[u8; 32]) -> Option<[u8; 64]> {
        let signature: Signature = signing_key(UNUSED_ID, secret)?.sign_prehash(digest).ok()?;
        Some(signature.to_bytes().into())
    }

    pub fn sign_message(secret: &[u8; 32], id: &str, message: &[u8]) -> Option<[u8; 64]> {
        let signature: Signature = signing_key(id, secret)?.try_sign(message).ok()?;
        Some(signature.to_bytes().into())
    }

    fn verifying_key(id: &str, key: &[u8]) -> Option<VerifyingKey> {
        VerifyingKey::from_affine(id, decode_key::<Sm2>(key)?.to_affine()).ok()
    }

    fn signing_key(id: &str, secret: &[u8; 32]) -> Option<SigningKey> {
        SigningKey::from_slice(id, secret).ok()
    }
}
