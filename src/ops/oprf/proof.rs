//! Proofs that all elements of a batch were evaluated with the key of a public key: discrete
//! logarithm equivalence (DLEQ) of RFC 9497, section 2.2.

use super::mode::{Mode, hash_to_scalar, length_bytes};
use super::{ELEMENT_BYTES, Element, Proof};
use crate::cpu::field::Field;
use crate::cpu::generator;
use crate::cpu::secret::scalar;
use crate::curve::types::P256;
use crate::engine::Engine;
use crate::host::stack;
use crate::ops::hash_to_curve::Dst;
use crate::ops::mask::{self, Form};
use crate::ops::{keys, point};
use crate::types::{Error, Point, PublicKeys, SecretKey, result_of};
use elliptic_curve::PrimeField;
use p256::Scalar;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// The maximum number of elements of a proof: the index of an element is hashed as two bytes.
pub const MOST_PROVED: usize = 1 << 16;

/// The mode that has proofs.
const MODE: Mode = Mode::Voprf;

/// Checks that a proof can have this number of elements.
pub fn require_provable(items: usize) -> Result<(), Error> {
    match items {
        0 => Err(unprovable(items, "there has to be one")),
        1..=MOST_PROVED => Ok(()),
        _ => Err(unprovable(items, "65536 are the most")),
    }
}

fn unprovable(items: usize, problem: &'static str) -> Error {
    Error::Unprovable { items, problem }
}

/// The elements of a batch, as they are encoded and as points.
pub struct Elements<'a> {
    /// The list's name in errors.
    what: &'static str,
    encoded: &'a [Element],
    /// `x || y`.
    points: Vec<[u8; 64]>,
}

impl<'a> Elements<'a> {
    /// Decodes all elements (`DeserializeElement`), or fails with the first that is malformed.
    pub fn decode(
        engine: &Engine,
        what: &'static str,
        encoded: &'a [Element],
    ) -> Result<Self, Error> {
        let mut points = vec![[0; 64]; encoded.len()];
        let mut codes = vec![0; encoded.len()];
        point::decode_keys_into(engine, P256, encoded, &mut points, &mut codes)?;
        for (item, code) in codes.into_iter().enumerate() {
            result_of(code).map_err(|reason| Error::InvalidElement { what, item, reason })?;
        }
        Ok(Elements {
            what,
            encoded,
            points,
        })
    }

    /// Returns the points of the elements.
    pub fn points(&self) -> PublicKeys<'_> {
        PublicKeys::raw(&self.points)
    }

    /// Returns the sum of the elements, each times its weight.
    fn composite(&self, engine: &Engine, weights: &[[u8; 32]]) -> Result<Point, Error> {
        let sum = point::msm_columns(engine, P256, weights.len(), weights, self.points())?;
        sum.map_err(|(item, reason)| Error::InvalidElement {
            what: self.what,
            item,
            reason,
        })
    }
}

/// Returns the public key of the server's key, or the product of the generator and a nonce.
/// **Constant-time** in the key.
pub fn public_key(engine: &Engine, key: &SecretKey) -> Result<Element, Error> {
    let public = keys::public_keys(engine, P256, key)?[0].map_err(Error::InvalidServerKey)?;
    Ok(public.to_compressed().expect("a key is not 0 modulo n"))
}

/// Proves that `evaluated` are the products of `blinded` and the key (`GenerateProof`). The nonce is
/// as secret as the key, and must be fresh. **Constant-time** in the key and in the nonce.
pub fn prove(
    engine: &Engine,
    key: &SecretKey,
    public_key: &Element,
    blinded: &Elements,
    evaluated: &[Element],
    nonce: &SecretKey,
) -> Result<Proof, Error> {
    let weights = weights(engine, public_key, blinded.encoded, evaluated)?;
    let m = blinded.composite(engine, &weights)?;
    // A client can choose elements for which this happens, though not by chance.
    let m_encoded = m.to_compressed().ok_or(unprovable(
        weights.len(),
        "their weighted sum is the identity",
    ))?;
    let z = product(engine, key, &m)?;
    let t2 = self::public_key(engine, nonce)?;
    let t3 = product(engine, nonce, &m)?;
    let c = challenge([public_key, &m_encoded, &z, &t2, &t3]);
    let mut proof = [0; 64];
    proof[..32].copy_from_slice(&c.to_repr());
    stack::wiped(|| respond(key, nonce, &c, &mut proof[32..]))?;
    Ok(proof)
}

/// Verifies a proof (`VerifyProof`). Variable-time: all inputs are public.
///
/// # Errors
/// [`Error::InvalidProof`] if it does not match.
pub fn verify(
    engine: &Engine,
    public_key: &Element,
    blinded: &Elements,
    evaluated: &Elements,
    proof: &Proof,
) -> Result<(), Error> {
    let server = point::decompress(engine, P256, &[*public_key])?[0];
    let server = server.map_err(Error::InvalidServerKey)?;
    let weights = weights(engine, public_key, blinded.encoded, evaluated.encoded)?;
    let m = blinded.composite(engine, &weights)?;
    let z = evaluated.composite(engine, &weights)?;
    let (c, s) = proof.split_at(32);
    let c: [u8; 32] = c.try_into().expect("32 bytes");
    let s: [u8; 32] = s.try_into().expect("32 bytes");
    // Scalars out of range are rejected here, and the identity has no encoding.
    let commitment = |base: Point, product: Point| {
        let sum = point::msm(engine, P256, &[s, c], &[base, product])?;
        encoded(&sum.map_err(|_| Error::InvalidProof)?)
    };
    let t2 = commitment(base_point(), server)?;
    let t3 = commitment(m, z)?;
    let expected = challenge([public_key, &encoded(&m)?, &encoded(&z)?, &t2, &t3]);
    if c[..] == expected.to_repr()[..] {
        Ok(())
    } else {
        Err(Error::InvalidProof)
    }
}

/// Encodes a point of a proof that is verified.
fn encoded(point: &Point) -> Result<Element, Error> {
    point.to_compressed().ok_or(Error::InvalidProof)
}

fn base_point() -> Point {
    let base = generator::<P256>();
    Point::from_coordinates(&base.x.to_be_bytes(), &base.y.to_be_bytes())
}

/// Returns the product of a point and a key or nonce. **Constant-time** in the latter.
fn product(engine: &Engine, key: &SecretKey, point: &Point) -> Result<Element, Error> {
    let masked = mask::points(engine, P256, key, point, Form::Compressed)?;
    let row = masked.get(0).map_err(Error::InvalidServerKey)?;
    Ok(row.try_into().expect("33 bytes"))
}

/// Writes s = r - c k. **Constant-time** in the key k and in the nonce r.
fn respond(key: &SecretKey, nonce: &SecretKey, c: &Scalar, out: &mut [u8]) -> Result<(), Error> {
    let k = scalar::<P256>(key.expose_bytes()).map_err(Error::InvalidServerKey)?;
    let r = scalar::<P256>(nonce.expose_bytes()).map_err(Error::InvalidServerKey)?;
    let s = *r - *c * *k;
    out.copy_from_slice(&s.to_repr());
    Ok(())
}

/// Returns the weights of the elements in the composites (`ComputeComposites`).
fn weights(
    engine: &Engine,
    public_key: &Element,
    blinded: &[Element],
    evaluated: &[Element],
) -> Result<Vec<[u8; 32]>, Error> {
    let dst = scalar_dst();
    let seed = Sha256::digest(prefixed(&[public_key, MODE.dst(b"Seed-").as_bytes()]));
    let seed = prefixed(&[&seed]);
    let weight = |item: usize| {
        let transcript = [
            &seed[..],
            &length_bytes(item),
            &prefixed(&[&blinded[item], &evaluated[item]]),
            b"Composite",
        ];
        hash_to_scalar(&transcript.concat(), &dst).to_repr().into()
    };
    Ok(engine.devices()?.cpu.map(blinded.len(), [0; 32], weight))
}

/// Returns the challenge of the public key, both composites and both commitments.
fn challenge(elements: [&Element; 5]) -> Zeroizing<Scalar> {
    let mut transcript = prefixed(&elements.map(|element| &element[..]));
    transcript.extend(b"Challenge");
    hash_to_scalar(&transcript, &scalar_dst())
}

fn scalar_dst() -> Dst {
    MODE.dst(b"HashToScalar-")
}

/// Concatenates byte strings, each after its length.
fn prefixed(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.len() * (2 + ELEMENT_BYTES));
    for part in parts {
        bytes.extend(length_bytes(part.len()));
        bytes.extend(*part);
    }
    bytes
}
