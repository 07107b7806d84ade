//! Operations on private keys, except those of `agree`, by the constant-time arithmetic of the RustCrypto crates;
//! products of the base point in batches by the uniform code of the lanes, where the processor has them.
//!
//! What branches on a secret here is only whether a key is in range, which is the caller's result, and whether a nonce has
//! to be drawn again, which says nothing of the nonce that is used. It happens with a probability of about 1 - n / 2^256: below
//! 2^-30 for secp256k1, P-256 and SM2, one in three for brainpoolP256r1.

use super::field::Field as _;
use super::lanes::Lanes;
use super::multiply::FEWEST_IN_LANES;
use super::{CpuEngine, affine, be_bytes_to_limbs, decode, recover, verify};
use crate::curve::{EcdsaCurve, SecretCurve};
use crate::ecdsa::{Check, Policy, RecoverableSignature};
use crate::encoding::{Point, PublicKeys};
use crate::error::{Rejection, Verdict, Verdicts};
use crate::point::Points;
use crate::secret::{SecretKey, SecretKeys};
use crate::stack;
use elliptic_curve::ops::Reduce;
use elliptic_curve::point::AffineCoordinates;
use elliptic_curve::scalar::IsHigh;
use elliptic_curve::sec1::ToSec1Point;
use elliptic_curve::subtle::ConditionallySelectable;
use elliptic_curve::{AffinePoint, Curve, CurveGroup, Field, FieldBytes, Group, PrimeField, ProjectivePoint, Scalar};
use sha2::Sha256;
use sha2::digest::{Digest, block_api::BlockSizeUser};
use sm3::Sm3;
use zeroize::Zeroizing;

pub(super) type Affine<C> = AffinePoint<<C as SecretCurve>::Reference>;
type Bytes<C> = FieldBytes<<C as SecretCurve>::Reference>;
pub(super) type Number<C> = Scalar<<C as SecretCurve>::Reference>;

/// The scalar of a key, in `1..n`.
pub(crate) fn scalar<C: SecretCurve>(key: &SecretKey) -> Result<Zeroizing<Number<C>>, Rejection> {
    nonzero_scalar::<C>(key.expose_bytes()).ok_or(Rejection::SecretKeyOutOfRange)
}

fn nonzero_scalar<C: SecretCurve>(bytes: &[u8; 32]) -> Option<Zeroizing<Number<C>>> {
    let bytes = Zeroizing::new(Bytes::<C>::from(*bytes));
    let scalar = Zeroizing::new(Number::<C>::from_repr(*bytes).into_option()?);
    (!bool::from(scalar.is_zero())).then_some(scalar)
}

pub(crate) fn public_keys<C: SecretCurve>(engine: &CpuEngine, secret_keys: &[SecretKey]) -> Points {
    let items = secret_keys.len();
    let Some(lanes) = engine.lanes.filter(|_| items >= FEWEST_IN_LANES) else {
        let key = |item: usize| public_key::<C>(&secret_keys[item]);
        return engine.map_secrets(items, Err(Rejection::SecretKeyOutOfRange), key);
    };
    engine.map_secret_chunks(items, Err(Rejection::SecretKeyOutOfRange), |range, out| {
        let mut scalars = Zeroizing::new(Vec::with_capacity(range.len()));
        let mut accepted = Vec::with_capacity(range.len());
        for item in range.clone() {
            if let Ok(d) = scalar::<C>(&secret_keys[item]) {
                scalars.push(*d);
                accepted.push(item);
            }
        }
        for (item, point) in accepted.into_iter().zip(base_products::<C>(lanes, &scalars)) {
            out[item - range.start] = Ok(decode::encode(&point));
        }
    })
}

fn public_key<C: SecretCurve>(key: &SecretKey) -> Result<Point, Rejection> {
    let product = ProjectivePoint::<C::Reference>::mul_by_generator(&*scalar::<C>(key)?);
    Ok(encode::<C>(&product.to_affine()))
}

fn encode<C: SecretCurve>(point: &Affine<C>) -> Point {
    let encoded = point.to_sec1_point(false);
    // A non-zero scalar times a point of prime order is never the identity, the one point that encodes shorter.
    Point::from_uncompressed(encoded.as_bytes().try_into().expect("65 bytes")).expect("an uncompressed point")
}

pub(crate) fn sign_ecdsa<C: EcdsaCurve>(
    engine: &CpuEngine,
    digests: &[[u8; 32]],
    secret_keys: SecretKeys,
    low_s: bool,
    check: Check,
) -> Vec<Result<RecoverableSignature, Rejection>> {
    let sign = |items: &[usize]| sign_ecdsa_items::<C>(engine, items, digests, secret_keys, low_s);
    let verify = |items: &[usize], signed: &[RecoverableSignature]| {
        let public = public_keys_of::<C>(engine, items, secret_keys);
        verify_signed::<C>(engine, &select(items, digests), signed, &public, check)
    };
    match check {
        Check::Nothing => sign(&Vec::from_iter(0..digests.len())),
        Check::Signatures | Check::RecoveryIds => checked(digests.len(), sign, verify),
    }
}

/// Whether each signature is that of its key, with its recovery id where ids are checked.
fn verify_signed<C: EcdsaCurve>(
    engine: &CpuEngine,
    digests: &[[u8; 32]],
    signed: &[RecoverableSignature],
    public: &[Point],
    check: Check,
) -> Verdicts {
    let signatures: Vec<[u8; 64]> = signed.iter().map(|signed| signed.signature).collect();
    if check != Check::RecoveryIds {
        return verify::ecdsa::<C>(engine, digests, &signatures, PublicKeys::points(public), Policy::default());
    }
    // The key that is recovered is the one with which the signature verifies: that need not be done too.
    let ids: Vec<u8> = signed.iter().map(|signed| signed.recovery_id).collect();
    let verdict = |(recovered, key): (Result<Point, Rejection>, &Point)| match recovered {
        Ok(recovered) if recovered == *key => Verdict::Valid,
        _ => Verdict::Rejected(Rejection::Mismatch),
    };
    let recovered =
        recover::recover::<C>(engine, recover::Inputs { digests, signatures: &signatures, recovery_ids: &ids });
    Verdicts::new(recovered.into_iter().zip(public).map(verdict).collect())
}

/// The signatures of some items.
fn sign_ecdsa_items<C: EcdsaCurve>(
    engine: &CpuEngine,
    items: &[usize],
    digests: &[[u8; 32]],
    secret_keys: SecretKeys,
    low_s: bool,
) -> Vec<Result<RecoverableSignature, Rejection>> {
    let sign = |item: usize| {
        let d = scalar::<C>(secret_keys.get(item))?;
        let digest = &digests[item];
        Ok(with_nonces::<C, Sha256, _>(&d, digest, |next| ecdsa_with_nonces::<C>(&d, digest, low_s, next)))
    };
    let Some(lanes) = engine.lanes.filter(|_| items.len() >= FEWEST_IN_LANES) else {
        return engine.map_secrets(items.len(), Err(Rejection::SecretKeyOutOfRange), |index| sign(items[index]));
    };
    engine.map_secret_chunks(items.len(), Err(Rejection::SecretKeyOutOfRange), |range, out| {
        let mut batch = Batch::<C>::with_capacity(range.len());
        let items = &items[range];
        for (index, &item) in items.iter().enumerate() {
            let key = scalar::<C>(secret_keys.get(item));
            batch.push(index, key, |d| with_nonces::<C, Sha256, _>(d, &digests[item], draw::<C>));
        }
        let inverses = invert_all::<C>(&batch.k);
        let points = base_products::<C>(lanes, &batch.k);
        for (((&place, d), inverse), point) in batch.places.iter().zip(&*batch.d).zip(&*inverses).zip(points) {
            let (x, y_is_odd) = (point.x.to_be_bytes().into(), u8::from(point.y.is_odd()));
            let signature = ecdsa_with_point::<C>(d, &digests[items[place]], low_s, inverse, &x, y_is_odd);
            // What has to be drawn again is drawn from the start.
            out[place] = signature.map_or_else(|| sign(items[place]), Ok);
        }
    })
}

/// SEC 1, section 4.1.3, with the nonces that `next` fills in. Draws again when a nonce is out of range or gives r or s = 0.
fn ecdsa_with_nonces<C: EcdsaCurve>(
    d: &Number<C>,
    digest: &[u8; 32],
    low_s: bool,
    next: &mut dyn FnMut(&mut [u8; 32]),
) -> RecoverableSignature {
    loop {
        // 1: R = kG.
        let k = draw::<C>(next);
        let point = ProjectivePoint::<C::Reference>::mul_by_generator(&*k).to_affine();
        let inverse = Zeroizing::new(Field::invert(&*k).expect("k is not zero"));
        let y_is_odd = point.y_is_odd().unwrap_u8();
        if let Some(signature) = ecdsa_with_point::<C>(d, digest, low_s, &inverse, &point.x(), y_is_odd) {
            return signature;
        }
    }
}

/// The steps after R = kG; `None` when r or s is 0.
fn ecdsa_with_point<C: EcdsaCurve>(
    d: &Number<C>,
    digest: &[u8; 32],
    low_s: bool,
    inverse: &Number<C>,
    x: &Bytes<C>,
    y_is_odd: u8,
) -> Option<RecoverableSignature> {
    // 3: r = x(R) mod n, not 0.
    let r = Number::<C>::reduce(x);
    // 5: e from the digest, whose 256 bits are those of n.
    let e = Number::<C>::reduce(&Bytes::<C>::from(*digest));
    // 6: s = (e + r d) / k, not 0.
    let s = *inverse * (e + r * d);
    if bool::from(r.is_zero() | s.is_zero()) {
        return None;
    }
    // n - s signs too, by -R instead of R.
    let flip = s.is_high() & u8::from(low_s).into();
    let s = Number::<C>::conditional_select(&s, &-s, flip);
    let recovery_id = u8::from(r.to_repr() != *x) << 1 | (y_is_odd ^ flip.unwrap_u8());
    Some(RecoverableSignature { signature: concatenate::<C>(&r, &s), recovery_id })
}

pub(crate) fn sign_sm2<C: SecretCurve>(
    engine: &CpuEngine,
    digests: &[[u8; 32]],
    secret_keys: SecretKeys,
    check: bool,
) -> Vec<Result<[u8; 64], Rejection>> {
    let sign = |items: &[usize]| sign_sm2_items::<C>(engine, items, digests, secret_keys);
    if !check {
        return sign(&Vec::from_iter(0..digests.len()));
    }
    let verify = |items: &[usize], signatures: &[[u8; 64]]| {
        let public = public_keys_of::<C>(engine, items, secret_keys);
        verify::sm2::<C>(engine, &select(items, digests), signatures, PublicKeys::points(&public))
    };
    checked(digests.len(), sign, verify)
}

/// The signatures of some items.
fn sign_sm2_items<C: SecretCurve>(
    engine: &CpuEngine,
    items: &[usize],
    digests: &[[u8; 32]],
    secret_keys: SecretKeys,
) -> Vec<Result<[u8; 64], Rejection>> {
    let sign = |item: usize| {
        let d = scalar::<C>(secret_keys.get(item))?;
        let digest = &digests[item];
        with_nonces::<C, Sm3, _>(&d, digest, |next| sm2_with_nonces::<C>(&d, digest, next))
    };
    let Some(lanes) = engine.lanes.filter(|_| items.len() >= FEWEST_IN_LANES) else {
        return engine.map_secrets(items.len(), Err(Rejection::SecretKeyOutOfRange), |index| sign(items[index]));
    };
    engine.map_secret_chunks(items.len(), Err(Rejection::SecretKeyOutOfRange), |range, out| {
        let mut batch = Batch::<C>::with_capacity(range.len());
        let items = &items[range];
        for (index, &item) in items.iter().enumerate() {
            // 1 + d has an inverse unless d = n - 1, which is not a key.
            let key = scalar::<C>(secret_keys.get(item));
            let key = key.and_then(|d| if is_last::<C>(&d) { Err(Rejection::SecretKeyOutOfRange) } else { Ok(d) });
            batch.push(index, key, |d| with_nonces::<C, Sm3, _>(d, &digests[item], draw::<C>));
        }
        let mut sums = Zeroizing::new(Vec::with_capacity(batch.d.len()));
        sums.extend(batch.d.iter().map(|d| Number::<C>::ONE + d));
        let inverses = invert_all::<C>(&sums);
        let points = base_products::<C>(lanes, &batch.k);
        for (index, (&place, point)) in batch.places.iter().zip(points).enumerate() {
            let (d, k, inverse) = (&batch.d[index], &batch.k[index], &inverses[index]);
            let signature = sm2_with_point::<C>(d, &digests[items[place]], inverse, k, &point.x.to_be_bytes().into());
            // What has to be drawn again is drawn from the start.
            out[place] = signature.map_or_else(|| sign(items[place]), Ok);
        }
    })
}

fn is_last<C: SecretCurve>(d: &Number<C>) -> bool {
    (Number::<C>::ONE + d).is_zero().into()
}

/// GB/T 32918.2, section 6.1, with the nonces that `next` fills in. Draws again when a nonce is out of range or r = 0,
/// r + k = n or s = 0.
fn sm2_with_nonces<C: SecretCurve>(
    d: &Number<C>,
    digest: &[u8; 32],
    next: &mut dyn FnMut(&mut [u8; 32]),
) -> Result<[u8; 64], Rejection> {
    // 1 + d has an inverse unless d = n - 1, which is not a key.
    let inverse = Field::invert(&(Number::<C>::ONE + d)).into_option().ok_or(Rejection::SecretKeyOutOfRange)?;
    let inverse = Zeroizing::new(inverse);
    loop {
        // A3: k. A4: (x1, y1) = kG.
        let k = draw::<C>(next);
        let point = ProjectivePoint::<C::Reference>::mul_by_generator(&*k).to_affine();
        if let Some(signature) = sm2_with_point::<C>(d, digest, &inverse, &k, &point.x()) {
            return Ok(signature);
        }
    }
}

/// The steps after (x1, y1) = kG; `None` when r = 0, r + k = n or s = 0.
fn sm2_with_point<C: SecretCurve>(
    d: &Number<C>,
    digest: &[u8; 32],
    inverse: &Number<C>,
    k: &Number<C>,
    x: &Bytes<C>,
) -> Option<[u8; 64]> {
    // A5: r = e + x1, reject r = 0 and r + k = n.
    let e = Number::<C>::reduce(&Bytes::<C>::from(*digest));
    let r = e + Number::<C>::reduce(x);
    // A6: s = (k - r d) / (1 + d), reject s = 0.
    let s = *inverse * (*k - r * d);
    let again = bool::from(r.is_zero() | (r + k).is_zero() | s.is_zero());
    (!again).then(|| concatenate::<C>(&r, &s))
}

/// Passes `work` the nonces of RFC 6979 for a key and a digest.
fn with_nonces<C: SecretCurve, D: Digest + BlockSizeUser, R>(
    d: &Number<C>,
    digest: &[u8; 32],
    work: impl FnOnce(&mut dyn FnMut(&mut [u8; 32])) -> R,
) -> R {
    let order = C::Reference::ORDER;
    let bytes = Zeroizing::new(d.to_repr());
    let mut nonces = rfc6979::KGenerator::<D, _>::new(&bytes, digest, &[], order.as_ref());
    work(&mut |nonce| nonces.fill_next_k(nonce))
}

/// The next nonce in 1..n.
fn draw<C: SecretCurve>(next: &mut dyn FnMut(&mut [u8; 32])) -> Zeroizing<Number<C>> {
    loop {
        let mut bytes = Zeroizing::new([0; 32]);
        next(&mut bytes);
        if let Some(k) = nonzero_scalar::<C>(&bytes) {
            return k;
        }
    }
}

/// The places in a chunk whose keys are in range, with their keys and first nonces. Capacities are exact: a vector that grows
/// would leave its old contents behind.
struct Batch<C: SecretCurve> {
    places: Vec<usize>,
    d: Zeroizing<Vec<Number<C>>>,
    k: Zeroizing<Vec<Number<C>>>,
}

impl<C: SecretCurve> Batch<C> {
    fn with_capacity(items: usize) -> Self {
        Batch {
            places: Vec::with_capacity(items),
            d: Zeroizing::new(Vec::with_capacity(items)),
            k: Zeroizing::new(Vec::with_capacity(items)),
        }
    }

    /// Takes an item, unless its key is out of range.
    fn push(
        &mut self,
        place: usize,
        key: Result<Zeroizing<Number<C>>, Rejection>,
        nonce: impl FnOnce(&Number<C>) -> Zeroizing<Number<C>>,
    ) {
        let Ok(d) = key else { return };
        self.places.push(place);
        self.k.push(*nonce(&d));
        self.d.push(*d);
    }
}

/// The inverses of numbers other than 0, by Montgomery's trick.
fn invert_all<C: SecretCurve>(values: &[Number<C>]) -> Zeroizing<Vec<Number<C>>> {
    // The products of the values before each, and then the inverses.
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

/// kG for each k in 1..n, uniformly.
fn base_products<C: SecretCurve>(lanes: Lanes, k: &[Number<C>]) -> Vec<affine::Affine<C::Base>> {
    let (odd, negated) = odd_or_opposite::<C>(k);
    C::precomputed().uniform(lanes).mul_base(lanes, &odd, &negated)
}

/// Of each k in 1..n and its opposite the odd one, and 1 where that is the opposite.
pub(super) fn odd_or_opposite<C: SecretCurve>(k: &[Number<C>]) -> (Zeroizing<Vec<[u64; 4]>>, Zeroizing<Vec<u8>>) {
    // n is odd: one of k and n - k is.
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

/// How often a signature is computed before its item is given up.
const ATTEMPTS: usize = 4;

/// Signs each item and verifies the signatures together; what does not verify is signed again. A deterministic signature
/// that came out wrong would give the key away beside the right one, so no such signature is returned.
fn checked<T: Copy>(
    items: usize,
    sign: impl Fn(&[usize]) -> Vec<Result<T, Rejection>>,
    verify: impl Fn(&[usize], &[T]) -> Verdicts,
) -> Vec<Result<T, Rejection>> {
    let mut results = vec![Err(Rejection::FaultySignature); items];
    let mut open: Vec<usize> = (0..items).collect();
    for _ in 0..ATTEMPTS {
        let attempts = sign(&open);
        let (mut signed, mut signatures) = (Vec::with_capacity(open.len()), Vec::with_capacity(open.len()));
        for (&item, attempt) in open.iter().zip(attempts) {
            match attempt {
                Ok(signature) => {
                    signed.push(item);
                    signatures.push(signature);
                }
                Err(reason) => results[item] = Err(reason),
            }
        }
        let verdicts = verify(&signed, &signatures);
        open.clear();
        for ((item, signature), verdict) in signed.into_iter().zip(signatures).zip(verdicts) {
            if verdict.is_valid() { results[item] = Ok(signature) } else { open.push(item) }
        }
        if open.is_empty() {
            break;
        }
    }
    results
}

/// The public keys of some items, whose private keys are in range. Computed anew for every attempt: they too can come out
/// wrong.
fn public_keys_of<C: SecretCurve>(engine: &CpuEngine, items: &[usize], secret_keys: SecretKeys) -> Vec<Point> {
    let public = |key| public_key::<C>(key).unwrap_or(Point::IDENTITY);
    match secret_keys.single() {
        Some(key) if !items.is_empty() => vec![stack::wiped(|| public(key)); items.len()],
        _ => engine.map_secrets(items.len(), Point::IDENTITY, |i| public(secret_keys.get(items[i]))),
    }
}

fn select(items: &[usize], digests: &[[u8; 32]]) -> Vec<[u8; 32]> {
    items.iter().map(|&item| digests[item]).collect()
}

fn concatenate<C: SecretCurve>(r: &Number<C>, s: &Number<C>) -> [u8; 64] {
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&r.to_repr());
    signature[32..].copy_from_slice(&s.to_repr());
    signature
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{P256, Sm2, types};
    use std::sync::atomic::{AtomicUsize, Ordering};

    const NONCE: [u8; 32] = [0x37; 32];

    /// Plays `first`, then NONCE, and counts what was drawn.
    fn stream<'a>(first: &'a [[u8; 32]], drawn: &'a mut usize) -> impl FnMut(&mut [u8; 32]) + 'a {
        move |nonce| {
            *nonce = *first.get(*drawn).unwrap_or(&NONCE);
            *drawn += 1;
        }
    }

    fn number<C: SecretCurve>(byte: u8) -> Number<C> {
        Number::<C>::from_repr(Bytes::<C>::from([byte; 32])).into_option().expect("below n")
    }

    fn x_of<C: SecretCurve>(k: &Number<C>) -> Number<C> {
        Number::<C>::reduce(&ProjectivePoint::<C::Reference>::mul_by_generator(k).to_affine().x())
    }

    /// Signatures that come out wrong at first, or always, for keys of which one is out of range.
    #[test]
    fn checked_signatures_are_computed_again_or_given_up() {
        let engine = CpuEngine::new(Some(2), None).unwrap();
        let mut keys: Vec<SecretKey> = (1..=20).map(|byte| SecretKey::from_bytes([byte; 32])).collect();
        keys[5] = SecretKey::from_bytes([0; 32]);
        let digests: Vec<[u8; 32]> = (0..20).map(|byte| [byte; 32]).collect();
        let right = sign_sm2::<Sm2>(&engine, &digests, (&keys).into(), false);
        assert_eq!(sign_sm2::<Sm2>(&engine, &digests, (&keys).into(), true), right);
        // How many attempts at an item fail.
        let faults = |item: usize| match item {
            0 => 1,
            7 | 8 => 2,
            12 => ATTEMPTS - 1,
            19 => ATTEMPTS,
            _ => 0,
        };
        let attempts: Vec<AtomicUsize> = keys.iter().map(|_| AtomicUsize::new(0)).collect();
        let sign = |item: usize| {
            let mut signature = right[item]?;
            let attempt = attempts[item].fetch_add(1, Ordering::Relaxed);
            signature[63] ^= u8::from(attempt < faults(item));
            Ok(signature)
        };
        let verify = |items: &[usize], signatures: &[[u8; 64]]| {
            let public = public_keys_of::<Sm2>(&engine, items, (&keys).into());
            verify::sm2::<Sm2>(&engine, &select(items, &digests), signatures, PublicKeys::points(&public))
        };
        let mut expected = right.clone();
        expected[19] = Err(Rejection::FaultySignature);
        let sign_all = |items: &[usize]| items.iter().map(|&item| sign(item)).collect();
        assert_eq!(checked(20, sign_all, verify), expected);
        for (item, attempts) in attempts.iter().enumerate().filter(|(item, _)| *item != 5) {
            assert_eq!(attempts.load(Ordering::Relaxed), (faults(item) + 1).min(ATTEMPTS), "item {item}");
        }
    }

    /// Recovery ids that come out wrong in each way, at first or always.
    #[test]
    fn checked_recovery_ids_are_computed_again_or_given_up() {
        let engine = CpuEngine::new(Some(2), None).unwrap();
        let keys: Vec<SecretKey> = (1..=20).map(|byte| SecretKey::from_bytes([byte; 32])).collect();
        let digests: Vec<[u8; 32]> = (0..20).map(|byte| [byte; 32]).collect();
        let right = sign_ecdsa::<P256>(&engine, &digests, (&keys).into(), false, Check::Nothing);
        assert_eq!(sign_ecdsa::<P256>(&engine, &digests, (&keys).into(), false, Check::RecoveryIds), right);
        let (fault, always) = (|item: usize| [0, 1, 2, 3, 4, 0x81][item % 6], 13);
        let attempts: Vec<AtomicUsize> = keys.iter().map(|_| AtomicUsize::new(0)).collect();
        let sign = |item: usize| {
            let mut signed = right[item]?;
            let attempt = attempts[item].fetch_add(1, Ordering::Relaxed);
            signed.recovery_id ^= if attempt == 0 || item == always { fault(item) } else { 0 };
            Ok(signed)
        };
        let run = |check| {
            let verify = |items: &[usize], signed: &[RecoverableSignature]| {
                let public = public_keys_of::<P256>(&engine, items, (&keys).into());
                verify_signed::<P256>(&engine, &select(items, &digests), signed, &public, check)
            };
            checked(20, |items: &[usize]| items.iter().map(|&item| sign(item)).collect(), verify)
        };
        let mut expected = right.clone();
        expected[always] = Err(Rejection::FaultySignature);
        assert_eq!(run(Check::RecoveryIds), expected);
        for (item, attempts) in attempts.iter().enumerate().filter(|(item, _)| *item != always) {
            assert_eq!(attempts.load(Ordering::Relaxed), if fault(item) == 0 { 1 } else { 2 }, "item {item}");
        }
        // The signature alone is right all the time.
        assert!(run(Check::Signatures).iter().all(Result::is_ok));
    }

    fn ecdsa_draws_again<C: EcdsaCurve>() {
        let (d, k) = (number::<C>(0x21), number::<C>(0x42));
        // e = -r d makes s = 0 for the nonce k.
        let digest = <[u8; 32]>::from((-(x_of::<C>(&k) * d)).to_repr());
        let sign = |first: &[[u8; 32]]| {
            let mut drawn = 0;
            let signature = ecdsa_with_nonces::<C>(&d, &digest, false, &mut stream(first, &mut drawn));
            (signature, drawn)
        };
        let (expected, _) = sign(&[]);
        assert_eq!(sign(&[[0; 32], [0xff; 32], [0x42; 32]]), (expected, 4));
    }

    #[test]
    fn ecdsa_draws_again_for_zero_or_large_nonces_and_zero_s() {
        macro_rules! all_draw_again {
            ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
                $(ecdsa_draws_again::<types::$curve>();)*
            };
        }
        for_each_ecdsa_curve!(all_draw_again!);
    }

    #[test]
    fn sm2_draws_again_for_each_rejected_value() {
        let (d, k) = (number::<Sm2>(0x21), number::<Sm2>(0x42));
        let x = x_of::<Sm2>(&k);
        let cases = [
            ("r = 0", -x),
            ("r + k = n", -x - k),
            // k = r d.
            ("s = 0", k * Field::invert(&d).unwrap() - x),
        ];
        for (name, e) in cases {
            let digest = <[u8; 32]>::from(e.to_repr());
            let sign = |first: &[[u8; 32]]| {
                let mut drawn = 0;
                let signature = sm2_with_nonces::<Sm2>(&d, &digest, &mut stream(first, &mut drawn));
                (signature, drawn)
            };
            let (expected, _) = sign(&[]);
            assert!(expected.is_ok());
            assert_eq!(sign(&[[0; 32], [0xff; 32], [0x42; 32]]), (expected, 4), "{name}");
        }
    }
}
