//! From and to the types of the RustCrypto crates `k256`, `p256`, `bp256` and `sm2`.
//!
//! Keys convert with `From` and `TryFrom`. Signatures are plain rows here: [`signature_rows`] makes them, and their types' own
//! `Signature::from_slice(&row)` reads them.

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
        Point(encoded.as_bytes().try_into().expect("an uncompressed point has 65 bytes"))
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

/// A key for SM2's signatures; its id is given to the call that hashes messages.
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
        elliptic_curve::SecretKey::from_slice(key.expose_bytes()).map_err(|_| Rejection::SecretKeyOutOfRange)
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

/// A key for SM2's signatures; its id is given to the call that hashes messages.
impl From<&::sm2::dsa::SigningKey> for SecretKey {
    fn from(key: &::sm2::dsa::SigningKey) -> Self {
        let bytes = Zeroizing::new(<[u8; 32]>::from(key.to_bytes()));
        SecretKey::from_bytes(*bytes)
    }
}

/// The 64 bytes `r || s` of each signature: of `ecdsa::Signature<C>` on a curve of 256 bits, or of `sm2::dsa::Signature`.
///
/// ```
/// use gecc::{Engine, P256, Point, SecretKey, ecdsa, signature_rows};
/// use p256::ecdsa::{Signature, SigningKey, VerifyingKey, signature::hazmat::PrehashSigner};
/// let engine = Engine::new()?;
/// let signer = SigningKey::try_from(&SecretKey::generate::<P256>()?).unwrap();
/// let theirs: Signature = signer.sign_prehash(&[7; 32]).unwrap();
/// let key = Point::from(signer.verifying_key());
/// let verdicts = ecdsa::verify::<P256>(&engine, &[[7; 32]], &signature_rows(&[theirs]), &[key], Default::default())?;
/// assert!(verdicts.all_valid());
/// assert_eq!(VerifyingKey::try_from(&key).as_ref(), Ok(signer.verifying_key()));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn signature_rows<S: SignatureEncoding<Repr: Into<[u8; 64]>>>(signatures: &[S]) -> Vec<[u8; 64]> {
    signatures.iter().map(|signature| signature.to_bytes().into()).collect()
}

impl<C> From<(Signature<C>, RecoveryId)> for RecoverableSignature
where
    C: EcdsaCurve,
    ::ecdsa::SignatureBytes<C>: Into<[u8; 64]>,
{
    fn from((signature, recovery_id): (Signature<C>, RecoveryId)) -> Self {
        RecoverableSignature { signature: signature.to_bytes().into(), recovery_id: recovery_id.to_byte() }
    }
}

/// Rejected with [`Rejection::RecoveryIdOutOfRange`], [`Rejection::ROutOfRange`] or [`Rejection::SOutOfRange`].
impl<C: EcdsaCurve<FieldBytesSize = U32>> TryFrom<&RecoverableSignature> for (Signature<C>, RecoveryId) {
    type Error = Rejection;
    fn try_from(signed: &RecoverableSignature) -> Result<Self, Rejection> {
        let recovery_id = RecoveryId::from_byte(signed.recovery_id).ok_or(Rejection::RecoveryIdOutOfRange)?;
        let (r, s) = signed.signature.split_at(32);
        let array = |half: &[u8]| <[u8; 32]>::try_from(half).expect("half of 64 bytes");
        let one = array(&[&[0; 31][..], &[1]].concat());
        // With s = 1, which is in range, only r can be wrong.
        Signature::<C>::from_scalars(array(r), one).map_err(|_| Rejection::ROutOfRange)?;
        let signature = Signature::from_scalars(array(r), array(s)).map_err(|_| Rejection::SOutOfRange)?;
        Ok((signature, recovery_id))
    }
}
