//! Conversions from and to the types of the RustCrypto crates `k256`, `p256`, `bp256` and `sm2`.
//!
//! Keys convert with `From` and `TryFrom`. Signatures are plain rows in this crate:
//! [`signature_rows`] converts to rows, and the `Signature::from_slice(&row)` of each RustCrypto
//! type converts back.

use super::{Point, RecoverableSignature, Rejection, SecretKey};
use ::ecdsa::signature::SignatureEncoding;
use ::ecdsa::{EcdsaCurve, RecoveryId, Signature, SignatureSize, SigningKey, VerifyingKey};
use elliptic_curve::array::ArraySize;
use elliptic_curve::consts::{U32, U65};
use elliptic_curve::ops::Invert;
use elliptic_curve::sec1::{FromSec1Point, ModulusSize, ToSec1Point};
use elliptic_curve::subtle::CtOption;
use elliptic_curve::{AffinePoint, Curve, CurveArithmetic, FieldBytesSize, PublicKey, Scalar};
use zeroize::Zeroizing;

impl<C> From<&PublicKey<C>> for Point
where
    C: CurveArithmetic,
    AffinePoint<C>: ToSec1Point<C>,
    FieldBytesSize<C>: ModulusSize<UncompressedPointSize = U65>,
{
    fn from(key: &PublicKey<C>) -> Self {
        let encoded = key.as_affine().to_sec1_point(false);
        Point(
            encoded
                .as_bytes()
                .try_into()
                .expect("an uncompressed point has 65 bytes"),
        )
    }
}

impl<C> TryFrom<&Point> for PublicKey<C>
where
    C: CurveArithmetic,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
    FieldBytesSize<C>: ModulusSize,
{
    type Error = Rejection;
    fn try_from(point: &Point) -> Result<Self, Rejection> {
        if point.is_identity() {
            return Err(Rejection::IdentityKey);
        }
        PublicKey::from_sec1_bytes(point.as_bytes()).map_err(|_| Rejection::NotOnCurve)
    }
}

impl<C> From<&VerifyingKey<C>> for Point
where
    C: EcdsaCurve + CurveArithmetic,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
    FieldBytesSize<C>: ModulusSize<UncompressedPointSize = U65>,
{
    fn from(key: &VerifyingKey<C>) -> Self {
        Point::from(&PublicKey::from(key))
    }
}

impl<C> TryFrom<&Point> for VerifyingKey<C>
where
    C: EcdsaCurve + CurveArithmetic,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
    FieldBytesSize<C>: ModulusSize,
{
    type Error = Rejection;
    fn try_from(point: &Point) -> Result<Self, Rejection> {
        PublicKey::try_from(point).map(VerifyingKey::from)
    }
}

/// Converts a key for SM2 signatures. Its id is dropped: calls that hash messages take the id.
impl From<&::sm2::dsa::VerifyingKey> for Point {
    fn from(key: &::sm2::dsa::VerifyingKey) -> Self {
        Point::from(&::sm2::PublicKey::from(key))
    }
}

impl<C: Curve<FieldBytesSize = U32>> From<&elliptic_curve::SecretKey<C>> for SecretKey {
    fn from(key: &elliptic_curve::SecretKey<C>) -> Self {
        let bytes = Zeroizing::new(<[u8; 32]>::from(key.to_bytes()));
        SecretKey::from_bytes(*bytes)
    }
}

impl<C: Curve<FieldBytesSize = U32>> TryFrom<&SecretKey> for elliptic_curve::SecretKey<C> {
    type Error = Rejection;
    fn try_from(key: &SecretKey) -> Result<Self, Rejection> {
        elliptic_curve::SecretKey::from_slice(key.expose_bytes())
            .map_err(|_| Rejection::SecretKeyOutOfRange)
    }
}

impl<C> From<&SigningKey<C>> for SecretKey
where
    C: EcdsaCurve + CurveArithmetic + Curve<FieldBytesSize = U32>,
    Scalar<C>: Invert<Output = CtOption<Scalar<C>>>,
    SignatureSize<C>: ArraySize,
{
    fn from(key: &SigningKey<C>) -> Self {
        let bytes = Zeroizing::new(<[u8; 32]>::from(key.to_bytes()));
        SecretKey::from_bytes(*bytes)
    }
}

impl<C> TryFrom<&SecretKey> for SigningKey<C>
where
    C: EcdsaCurve + CurveArithmetic + Curve<FieldBytesSize = U32>,
    Scalar<C>: Invert<Output = CtOption<Scalar<C>>>,
    SignatureSize<C>: ArraySize,
{
    type Error = Rejection;
    fn try_from(key: &SecretKey) -> Result<Self, Rejection> {
        SigningKey::from_slice(key.expose_bytes()).map_err(|_| Rejection::SecretKeyOutOfRange)
    }
}

/// Converts a key for SM2 signatures. Its id is dropped: calls that hash messages take the id.
impl From<&::sm2::dsa::SigningKey> for SecretKey {
    fn from(key: &::sm2::dsa::SigningKey) -> Self {
        let bytes = Zeroizing::new(<[u8; 32]>::from(key.to_bytes()));
        SecretKey::from_bytes(*bytes)
    }
}

/// Returns the 64 bytes `r || s` of each signature, which is an `ecdsa::Signature<C>` on a 256-bit
/// curve or an `sm2::dsa::Signature`.
///
/// ```
/// use gecc::{Engine, P256, Point, SecretKey, ecdsa, signature_rows};
/// use p256::ecdsa::{Signature, SigningKey, VerifyingKey, signature::hazmat::PrehashSigner};
/// let engine = Engine::new()?;
/// let signer = SigningKey::try_from(&SecretKey::generate(P256)?).unwrap();
/// let theirs: Signature = signer.sign_prehash(&[7; 32]).unwrap();
/// let key = Point::from(signer.verifying_key());
/// let verdicts = ecdsa::verify(&engine, P256, &[[7; 32]], &signature_rows(&[theirs]), &[key], Default::default())?;
/// assert!(verdicts.all_valid());
/// assert_eq!(VerifyingKey::try_from(&key).as_ref(), Ok(signer.verifying_key()));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn signature_rows<S: SignatureEncoding<Repr: Into<[u8; 64]>>>(
    signatures: &[S],
) -> Vec<[u8; 64]> {
    signatures
        .iter()
        .map(|signature| signature.to_bytes().into())
        .collect()
}

impl<C> From<(Signature<C>, RecoveryId)> for RecoverableSignature
where
    C: EcdsaCurve,
    ::ecdsa::SignatureBytes<C>: Into<[u8; 64]>,
{
    fn from((signature, recovery_id): (Signature<C>, RecoveryId)) -> Self {
        RecoverableSignature {
            signature: signature.to_bytes().into(),
            recovery_id: recovery_id.to_byte(),
        }
    }
}

/// Fails with [`Rejection::RecoveryIdOutOfRange`], [`Rejection::ROutOfRange`] or
/// [`Rejection::SOutOfRange`].
impl<C: EcdsaCurve<FieldBytesSize = U32>> TryFrom<&RecoverableSignature>
    for (Signature<C>, RecoveryId)
{
    type Error = Rejection;
    fn try_from(signed: &RecoverableSignature) -> Result<Self, Rejection> {
        let recovery_id =
            RecoveryId::from_byte(signed.recovery_id).ok_or(Rejection::RecoveryIdOutOfRange)?;
        let (r, s) = signed.signature.split_at(32);
        let r: [u8; 32] = r.try_into().expect("half of 64 bytes");
        let s: [u8; 32] = s.try_into().expect("half of 64 bytes");
        let mut one = [0; 32];
        one[31] = 1;
        // With s = 1, which is in range, only r can be out of range.
        Signature::<C>::from_scalars(r, one).map_err(|_| Rejection::ROutOfRange)?;
        let signature = Signature::from_scalars(r, s).map_err(|_| Rejection::SOutOfRange)?;
        Ok((signature, recovery_id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p256::ecdsa::signature::hazmat::PrehashSigner;

    const KEY: [u8; 32] = [0x17; 32];

    #[test]
    fn keys_round_trip_through_every_type() {
        let key = SecretKey::from_bytes(KEY);
        let secret = p256::SecretKey::try_from(&key).unwrap();
        let signing = p256::ecdsa::SigningKey::try_from(&key).unwrap();
        let of_sm2 = ::sm2::dsa::SigningKey::from_slice("a@b", &KEY).unwrap();
        for back in [
            SecretKey::from(&secret),
            SecretKey::from(&signing),
            SecretKey::from(&of_sm2),
        ] {
            assert_eq!(back.expose_bytes(), &KEY);
        }
        let point = Point::from(&secret.public_key());
        assert_eq!(point, Point::from(signing.verifying_key()));
        assert_eq!(
            point.as_sec1(),
            secret.public_key().to_sec1_bytes().as_ref()
        );
        assert_eq!(PublicKey::try_from(&point), Ok(secret.public_key()));
        assert_eq!(
            VerifyingKey::try_from(&point).as_ref(),
            Ok(signing.verifying_key())
        );
        assert_eq!(
            Point::from(of_sm2.verifying_key()).as_sec1(),
            of_sm2.verifying_key().to_sec1_bytes().as_ref()
        );
    }

    #[test]
    fn invalid_keys_are_rejected() {
        let zero = SecretKey::from_bytes([0; 32]);
        assert_eq!(
            p256::ecdsa::SigningKey::try_from(&zero).unwrap_err(),
            Rejection::SecretKeyOutOfRange
        );
        let refused = p256::ecdsa::VerifyingKey::try_from(&Point::IDENTITY);
        assert_eq!(refused.unwrap_err(), Rejection::IdentityKey);
        let refused = p256::ecdsa::VerifyingKey::try_from(&Point::from_raw(&[1; 64]));
        assert_eq!(refused.unwrap_err(), Rejection::NotOnCurve);
    }

    #[test]
    fn signatures_round_trip_with_recovery_ids() {
        let signing = k256::ecdsa::SigningKey::try_from(&SecretKey::from_bytes(KEY)).unwrap();
        let theirs = signing.sign_prehash_recoverable(&[5; 32]);
        let signed = RecoverableSignature::from(theirs);
        assert_eq!(signature_rows(&[theirs.0]), [signed.signature]);
        assert_eq!(
            <(k256::ecdsa::Signature, RecoveryId)>::try_from(&signed),
            Ok(theirs)
        );
        let plain: k256::ecdsa::Signature = signing.sign_prehash(&[5; 32]).unwrap();
        assert_eq!(plain, theirs.0);

        let mut signature_without_r = signed.signature;
        signature_without_r[..32].fill(0);
        let mut signature_with_large_s = signed.signature;
        signature_with_large_s[32..].fill(0xff);
        for (corrupted, rejection) in [
            (
                RecoverableSignature {
                    recovery_id: 4,
                    ..signed
                },
                Rejection::RecoveryIdOutOfRange,
            ),
            (
                RecoverableSignature {
                    signature: signature_without_r,
                    ..signed
                },
                Rejection::ROutOfRange,
            ),
            (
                RecoverableSignature {
                    signature: signature_with_large_s,
                    ..signed
                },
                Rejection::SOutOfRange,
            ),
        ] {
            let converted = <(k256::ecdsa::Signature, RecoveryId)>::try_from(&corrupted);
            assert_eq!(converted, Err(rejection));
        }
    }
}
