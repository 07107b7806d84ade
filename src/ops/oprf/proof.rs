//! Proofs that all elements of a batch were evaluated with the key of a public key: discrete
//! logarithm equivalence (DLEQ) of RFC 9497, section 2.2.

use super::Proof;
use super::group::{Bytes, Group, Operands, hash_to_scalar};
use super::mode::{Mode, length_bytes};
use super::suite::Suite;
use crate::engine::Engine;
use crate::host::stack;
use crate::types::{Error, SecretKey, result_of};
use sha2::Digest;
use std::slice;
use zeroize::Zeroizing;

/// The maximum number of elements of a proof: the index of an element is hashed as two bytes.
pub const MOST_PROVED: usize = 1 << 16;

/// The mode that has proofs.
const MODE: Mode = Mode::Voprf;

/// A point of a suite.
type PointOf<S> = <<S as Suite>::Group as Group>::Point;
/// A scalar of a suite.
type ScalarOf<S> = <<S as Suite>::Group as Group>::Scalar;

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
pub struct Decoded<'a, S: Suite> {
    /// The list's name in errors.
    what: &'static str,
    encoded: &'a [S::Element],
    points: Vec<PointOf<S>>,
}

impl<'a, S: Suite> Decoded<'a, S> {
    /// Decodes all elements (`DeserializeElement`), or fails with the first that is malformed.
    pub fn new(
        engine: &Engine,
        what: &'static str,
        encoded: &'a [S::Element],
    ) -> Result<Self, Error> {
        let decoded = S::Group::decode(engine, encoded)?.into_iter();
        let points = decoded.enumerate().map(|(item, point)| {
            point.map_err(|reason| Error::InvalidElement { what, item, reason })
        });
        Ok(Decoded {
            what,
            encoded,
            points: points.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.encoded.len()
    }

    /// Returns the elements as factors.
    pub fn operands(&self) -> Operands<'_, S::Group> {
        Operands {
            encoded: self.encoded,
            points: Some(&self.points),
        }
    }

    /// Returns the sum of the elements, each times its weight.
    fn composite(&self, engine: &Engine, weights: &[[u8; 32]]) -> Result<PointOf<S>, Error> {
        let sum = S::Group::sum_of_products(engine, weights, &self.points)?;
        sum.map_err(|(item, reason)| Error::InvalidElement {
            what: self.what,
            item,
            reason,
        })
    }
}

/// Returns the public key of the server's key, or the product of the generator and a nonce.
/// **Constant-time** in the key.
pub fn public_key<S: Suite>(engine: &Engine, key: &SecretKey) -> Result<S::Element, Error> {
    S::Group::public_key(engine, key)?.map_err(Error::InvalidServerKey)
}

/// Proves that `evaluated` are the products of `blinded` and the key (`GenerateProof`). The nonce is
/// as secret as the key, and must be fresh. **Constant-time** in the key and in the nonce.
pub fn prove<S: Suite>(
    engine: &Engine,
    key: &SecretKey,
    public_key: &S::Element,
    blinded: &Decoded<S>,
    evaluated: &[S::Element],
    nonce: &SecretKey,
) -> Result<Proof, Error> {
    let weights = weights::<S>(engine, public_key, blinded.encoded, evaluated)?;
    let m = blinded.composite(engine, &weights)?;
    // A client can choose elements for which this happens, though not by chance.
    let m_encoded = S::Group::encode(&m).ok_or(unprovable(
        weights.len(),
        "their weighted sum is the identity",
    ))?;
    let z = product::<S>(engine, key, &m_encoded, &m)?;
    let t2 = self::public_key::<S>(engine, nonce)?;
    let t3 = product::<S>(engine, nonce, &m_encoded, &m)?;
    let c = challenge::<S>([public_key, &m_encoded, &z, &t2, &t3]);
    let mut proof = [[0; 32]; 2];
    let [first, second] = &mut proof;
    *first = S::Group::scalar_bytes(&c);
    stack::wiped(|| S::Group::respond(key, nonce, &c, second)).map_err(Error::InvalidServerKey)?;
    Ok(*proof.as_flattened().first_chunk().expect("64 bytes"))
}

/// Verifies a proof (`VerifyProof`). Variable-time: all inputs are public.
///
/// # Errors
/// [`Error::InvalidProof`] if it does not match.
pub fn verify<S: Suite>(
    engine: &Engine,
    public_key: &S::Element,
    blinded: &Decoded<S>,
    evaluated: &Decoded<S>,
    proof: &Proof,
) -> Result<(), Error> {
    let server = S::Group::decode(engine, &[*public_key])?[0];
    let server = server.map_err(Error::InvalidServerKey)?;
    let weights = weights::<S>(engine, public_key, blinded.encoded, evaluated.encoded)?;
    let m = blinded.composite(engine, &weights)?;
    let z = evaluated.composite(engine, &weights)?;
    let (c, s) = proof.split_at(32);
    let c: [u8; 32] = c.try_into().expect("32 bytes");
    let s: [u8; 32] = s.try_into().expect("32 bytes");
    // Scalars out of range are rejected here, and the identity has no encoding.
    let commitment = |base: PointOf<S>, product: PointOf<S>| {
        let sum = S::Group::sum_of_products(engine, &[s, c], &[base, product])?;
        encoded::<S>(&sum.map_err(|_| Error::InvalidProof)?)
    };
    let t2 = commitment(S::Group::generator(), server)?;
    let t3 = commitment(m, z)?;
    let expected = challenge::<S>([public_key, &encoded::<S>(&m)?, &encoded::<S>(&z)?, &t2, &t3]);
    if c == S::Group::scalar_bytes(&expected) {
        Ok(())
    } else {
        Err(Error::InvalidProof)
    }
}

/// Encodes a point of a proof that is verified.
fn encoded<S: Suite>(point: &PointOf<S>) -> Result<S::Element, Error> {
    S::Group::encode(point).ok_or(Error::InvalidProof)
}

/// Returns the product of an element and a key or nonce. **Constant-time** in the latter.
fn product<S: Suite>(
    engine: &Engine,
    key: &SecretKey,
    encoded: &S::Element,
    point: &PointOf<S>,
) -> Result<S::Element, Error> {
    let operands = Operands {
        encoded: slice::from_ref(encoded),
        points: Some(slice::from_ref(point)),
    };
    let mut product = [S::Element::ZERO];
    let mut code = [0];
    S::Group::multiply(engine, key.into(), operands, &mut product, &mut code)?;
    result_of(code[0]).map_err(Error::InvalidServerKey)?;
    Ok(product[0])
}

/// Returns the weights of the elements in the composites (`ComputeComposites`).
fn weights<S: Suite>(
    engine: &Engine,
    public_key: &S::Element,
    blinded: &[S::Element],
    evaluated: &[S::Element],
) -> Result<Vec<[u8; 32]>, Error> {
    let dst = MODE.scalar_dst::<S>();
    let seed = prefixed(&[public_key.as_ref(), MODE.dst::<S>(b"Seed-").as_bytes()]);
    let seed = <S::Group as Group>::Hash::digest(seed);
    let seed = prefixed(&[&seed]);
    let weight = |item: usize| {
        let transcript = [
            &seed[..],
            &length_bytes(item),
            &prefixed(&[blinded[item].as_ref(), evaluated[item].as_ref()]),
            b"Composite",
        ];
        let weight = hash_to_scalar::<S::Group>(&transcript.concat(), &dst);
        S::Group::scalar_bytes(&weight)
    };
    Ok(engine.devices()?.cpu.map(blinded.len(), [0; 32], weight))
}

/// Returns the challenge of the public key, both composites and both commitments.
fn challenge<S: Suite>(elements: [&S::Element; 5]) -> Zeroizing<ScalarOf<S>> {
    let mut transcript = prefixed(&elements.map(AsRef::as_ref));
    transcript.extend(b"Challenge");
    hash_to_scalar::<S::Group>(&transcript, &MODE.scalar_dst::<S>())
}

/// Concatenates byte strings, each after its length.
fn prefixed(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend(length_bytes(part.len()));
        bytes.extend(*part);
    }
    bytes
}
