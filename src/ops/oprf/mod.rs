//! Oblivious pseudorandom functions (OPRF) by RFC 9497, with the suites P256-SHA256 and
//! ristretto255-SHA512.
//!
//! A client learns the output F(k, input) of a function with the server's key k. The server does not
//! learn the input, and the client does not learn the key.
//!
//! | | OPRF ([`Mode::Oprf`]) | VOPRF ([`Mode::Voprf`]) | result |
//! |---|---|---|---|
//! | client | [`blind`] | [`blind`] | secret blinds; blinded elements for the server |
//! | server | [`evaluate`] | [`evaluate_with_proof`] | evaluated elements; one proof for all |
//! | client | [`finalize`] | [`finalize_with_proof`] | outputs |
//! | server, for itself | [`evaluate_inputs`] | [`evaluate_inputs`] | outputs |
//!
//! The argument after the engine is the [`Suite`]: [`P256Sha256`] or [`Ristretto255Sha512`]. The mode
//! with public information (POPRF, 0x02) and the other suites of the RFC are not available.
//!
//! **Constant-time** in keys, inputs (except for their lengths) and blinds. Copies of them are wiped,
//! and so are unblinded elements and nonces of proofs. Blinded and evaluated elements and proofs are
//! public.
//!
//! A server's key is made by [`derive_key`], or by [`SecretKey::generate`] and
//! [`ristretto255::generate`](crate::ristretto255::generate). It must not be used for anything else,
//! and not in both modes. Inputs of different applications should begin with different labels.
//!
//! Inputs have at most 65535 bytes. In the mode OPRF, items are rejected one by one: with
//! [`Rejection::MalformedPoint`](crate::Rejection::MalformedPoint),
//! [`Rejection::NotOnCurve`](crate::Rejection::NotOnCurve) or, of ristretto255,
//! [`Rejection::IdentityKey`](crate::Rejection::IdentityKey) for an element, or with
//! [`Rejection::SecretKeyOutOfRange`](crate::Rejection::SecretKeyOutOfRange) for a key or blind. A
//! proof is of all elements or of none, so in the mode VOPRF a malformed element, a wrong key and a
//! wrong proof are errors of the call.
//!
//! ```
//! use gecc::Engine;
//! use gecc::oprf::{self, Mode, Ristretto255Sha512};
//! let engine = Engine::new()?;
//! let suite = Ristretto255Sha512;
//! let key = oprf::derive_key(suite, Mode::Voprf, &[7; 32], b"example")?;
//! let public_key = oprf::public_key(&engine, suite, &key)?;
//!
//! let inputs = ["alice", "bob"];
//! let (blinds, blinded) = oprf::blind(&engine, suite, Mode::Voprf, &inputs)?; // client
//! let blinded = blinded.rows();
//! let (evaluated, proof) = oprf::evaluate_with_proof(&engine, suite, &key, blinded)?; // server
//! let outputs = oprf::finalize_with_proof(
//!     &engine, suite, &inputs, &blinds, blinded, &evaluated, &public_key, &proof,
//! )?; // client
//!
//! let known = oprf::evaluate_inputs(&engine, suite, Mode::Voprf, &key, &inputs)?;
//! assert_eq!(outputs.rows(), known.rows());
//! # Ok::<(), gecc::Error>(())
//! ```

mod group;
mod mode;
mod p256;
mod proof;
mod results;
mod ristretto255;
mod suite;
#[cfg(test)]
mod tests;

use crate::engine::Engine;
use crate::host::stack;
use crate::types::{Error, SecretKey, require_lengths};
use group::{Group, Operands, hash_to_scalar};
pub use mode::Mode;
use mode::length_bytes;
use proof::Decoded;
pub use proof::MOST_PROVED;
pub use results::{Elements, Outputs};
pub use suite::{P256Sha256, Ristretto255Sha512, Suite};
use zeroize::Zeroizing;

/// A proof that elements were evaluated with the key of a public key: the scalars `c || s`, 32 bytes
/// each, in the byte order of the suite.
pub type Proof = [u8; 64];

/// Blinds inputs with fresh blinds from the operating system's generator (`Blind`): returns a blind
/// per input, which stays with the client, and the blinded elements, which are sent to the server.
/// **Constant-time** in inputs, though not in their lengths, and in blinds.
///
/// An item is rejected with [`Rejection::IdentityResult`](crate::Rejection::IdentityResult) if its
/// input is hashed to the identity. No such input is known.
///
/// # Errors
/// [`Error::InputTooLong`] if an input has more than 65535 bytes; [`Error::Randomness`] if the
/// generator fails; [`Error::Device`] if every GPU fails and the engine may not fall back to the
/// CPU.
pub fn blind<S: Suite, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    suite: S,
    mode: Mode,
    inputs: &[M],
) -> Result<(Vec<SecretKey>, Elements<S>), Error> {
    let blinds = S::Group::draw(engine, inputs.len())?;
    let blinded = blind_with(engine, suite, mode, inputs, &blinds)?;
    Ok((blinds, blinded))
}

/// Blinds inputs as [`blind`] does, with blinds of the caller, for test vectors and for protocols
/// that derive blinds. Blinds have to be uniformly random from 1 to the group order minus 1, secret,
/// and used once: with the same blind, equal inputs have equal elements. **Constant-time** in
/// inputs, though not in their lengths, and in blinds.
///
/// Items whose blind is out of range are rejected.
///
/// # Errors
/// The errors of [`blind`], and [`Error::LengthMismatch`] if there is not one blind per input.
pub fn blind_with<S: Suite, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    _suite: S,
    mode: Mode,
    inputs: &[M],
    blinds: &[SecretKey],
) -> Result<Elements<S>, Error> {
    require_lengths(inputs.len(), &[("blinds", blinds.len())])?;
    require_inputs(inputs)?;
    let dst = mode.group_dst::<S>();
    Elements::compute(inputs.len(), |rows, codes| {
        S::Group::mask(engine, &dst, blinds.into(), inputs, false, rows, codes)
    })
}

/// Evaluates blinded elements with the server's key in the mode OPRF (`BlindEvaluate`).
/// **Constant-time** in the key.
///
/// [`mask::points_into`](crate::mask::points_into) and
/// [`ristretto255::mul_into`](crate::ristretto255::mul_into) compute the same into columns of the
/// caller.
///
/// # Errors
/// [`Error::Device`] if every GPU fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::oprf::{self, Mode, P256Sha256};
/// use gecc::{Engine, Rejection};
/// let engine = Engine::new()?;
/// let key = oprf::derive_key(P256Sha256, Mode::Oprf, &[7; 32], b"example")?;
/// let (blinds, blinded) = oprf::blind(&engine, P256Sha256, Mode::Oprf, &["alice", "bob"])?;
/// let [alice, bob] = blinded.rows() else { panic!("two elements") };
/// let evaluated = oprf::evaluate(&engine, P256Sha256, &key, &[*alice, [7; 33], *bob])?;
/// assert_eq!(evaluated.get(1), Err(Rejection::MalformedPoint));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn evaluate<S: Suite>(
    engine: &Engine,
    _suite: S,
    key: &SecretKey,
    blinded: &[S::Element],
) -> Result<Elements<S>, Error> {
    Elements::compute(blinded.len(), |rows, codes| {
        let blinded = Operands::encoded(blinded);
        S::Group::multiply(engine, key.into(), blinded, rows, codes)
    })
}

/// Evaluates blinded elements with the server's key in the mode VOPRF (`BlindEvaluate`), and proves
/// for all of them that it is the key of the server's public key. A proof is of 1 to [`MOST_PROVED`]
/// elements; larger batches need several calls. **Constant-time** in the key and in the nonce of the
/// proof, which comes from the operating system's generator and is wiped.
///
/// # Errors
/// [`Error::Unprovable`] if there are no elements, too many, or elements chosen such that their sum
/// with the weights of the proof is the identity; [`Error::InvalidElement`] for the first element
/// that is malformed; [`Error::InvalidServerKey`] if the key is out of range;
/// [`Error::Randomness`] if the generator fails; [`Error::Device`] if every GPU fails and the engine
/// may not fall back to the CPU.
pub fn evaluate_with_proof<S: Suite>(
    engine: &Engine,
    _suite: S,
    key: &SecretKey,
    blinded: &[S::Element],
) -> Result<(Vec<S::Element>, Proof), Error> {
    let nonce = S::Group::draw(engine, 1)?;
    evaluate_with_nonce::<S>(engine, key, blinded, &nonce[0])
}

/// Evaluates and proves with a nonce, which vectors of the RFC state.
pub(crate) fn evaluate_with_nonce<S: Suite>(
    engine: &Engine,
    key: &SecretKey,
    blinded: &[S::Element],
    nonce: &SecretKey,
) -> Result<(Vec<S::Element>, Proof), Error> {
    proof::require_provable(blinded.len())?;
    let blinded = Decoded::<S>::new(engine, BLINDED, blinded)?;
    let public_key = proof::public_key::<S>(engine, key)?;
    let evaluated = Elements::<S>::compute(blinded.len(), |rows, codes| {
        S::Group::multiply(engine, key.into(), blinded.operands(), rows, codes)
    })?
    .into_rows();
    let proof = proof::prove(engine, key, &public_key, &blinded, &evaluated, nonce)?;
    Ok((evaluated, proof))
}

/// The lists of elements in errors.
const BLINDED: &str = "blinded elements";
const EVALUATED: &str = "evaluated elements";

/// Unblinds evaluated elements and returns the outputs in the mode OPRF (`Finalize`).
/// **Constant-time** in inputs, though not in their lengths, and in blinds.
///
/// Items whose blind or evaluated element is invalid are rejected.
///
/// # Errors
/// [`Error::LengthMismatch`] if there is not one blind and one element per input;
/// [`Error::InputTooLong`] if an input has more than 65535 bytes; [`Error::Device`] if every GPU
/// fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::Engine;
/// use gecc::oprf::{self, Mode, P256Sha256};
/// let engine = Engine::new()?;
/// let suite = P256Sha256;
/// let key = oprf::derive_key(suite, Mode::Oprf, &[7; 32], b"example")?;
/// let inputs = ["alice", "bob"];
/// let (blinds, blinded) = oprf::blind(&engine, suite, Mode::Oprf, &inputs)?; // client
/// let evaluated = oprf::evaluate(&engine, suite, &key, blinded.rows())?; // server
/// let outputs = oprf::finalize(&engine, suite, &inputs, &blinds, evaluated.rows())?; // client
/// let known = oprf::evaluate_inputs(&engine, suite, Mode::Oprf, &key, &["bob"])?;
/// assert_eq!(outputs.get(1), known.get(0));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn finalize<S: Suite, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    _suite: S,
    inputs: &[M],
    blinds: &[SecretKey],
    evaluated: &[S::Element],
) -> Result<Outputs<S>, Error> {
    require_items(inputs, blinds, evaluated)?;
    unblind(engine, inputs, blinds, Operands::encoded(evaluated))
}

/// Verifies the proof of all elements, unblinds the evaluated ones and returns the outputs in the
/// mode VOPRF (`Finalize`). **Constant-time** in inputs, though not in their lengths, and in blinds.
///
/// `public_key` is the server's public key, which the client knows from elsewhere. Items whose blind
/// is out of range are rejected.
///
/// # Errors
/// The errors of [`finalize`] and of [`verify_proof`].
#[allow(clippy::too_many_arguments, reason = "the messages of both parties")]
pub fn finalize_with_proof<S: Suite, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    _suite: S,
    inputs: &[M],
    blinds: &[SecretKey],
    blinded: &[S::Element],
    evaluated: &[S::Element],
    public_key: &S::Element,
    proof: &Proof,
) -> Result<Outputs<S>, Error> {
    require_items(inputs, blinds, evaluated)?;
    let evaluated = verified::<S>(engine, public_key, blinded, evaluated, proof)?;
    unblind(engine, inputs, blinds, evaluated.operands())
}

/// Verifies that elements were evaluated with the key of a public key (`VerifyProof`).
/// Variable-time: all inputs are public.
///
/// # Errors
/// [`Error::InvalidProof`] if the proof does not match; [`Error::LengthMismatch`] if there are not as
/// many blinded as evaluated elements; [`Error::Unprovable`] if there are no elements, or more than
/// [`MOST_PROVED`]; [`Error::InvalidElement`] for the first element that is malformed;
/// [`Error::InvalidServerKey`] if the public key is; [`Error::Device`] if every GPU fails and the
/// engine may not fall back to the CPU.
pub fn verify_proof<S: Suite>(
    engine: &Engine,
    _suite: S,
    public_key: &S::Element,
    blinded: &[S::Element],
    evaluated: &[S::Element],
    proof: &Proof,
) -> Result<(), Error> {
    verified::<S>(engine, public_key, blinded, evaluated, proof).map(drop)
}

/// Verifies a proof and returns the evaluated elements.
fn verified<'a, S: Suite>(
    engine: &Engine,
    public_key: &S::Element,
    blinded: &[S::Element],
    evaluated: &'a [S::Element],
    proof: &Proof,
) -> Result<Decoded<'a, S>, Error> {
    require_lengths(blinded.len(), &[(EVALUATED, evaluated.len())])?;
    proof::require_provable(blinded.len())?;
    let blinded = Decoded::new(engine, BLINDED, blinded)?;
    let evaluated = Decoded::new(engine, EVALUATED, evaluated)?;
    proof::verify(engine, public_key, &blinded, &evaluated, proof)?;
    Ok(evaluated)
}

/// Removes the blinds of evaluated elements and returns the outputs.
fn unblind<S: Suite, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    inputs: &[M],
    blinds: &[SecretKey],
    evaluated: Operands<S::Group>,
) -> Result<Outputs<S>, Error> {
    Outputs::compute(engine, inputs, |rows, codes| {
        S::Group::unmask(engine, blinds.into(), evaluated, rows, codes)
    })
}

/// Returns the outputs of inputs that the server knows (`Evaluate`), which are those of the protocol.
/// **Constant-time** in the key and in inputs, though not in their lengths.
///
/// An item is rejected with [`Rejection::IdentityResult`](crate::Rejection::IdentityResult) if its
/// input is hashed to the identity. No such input is known.
///
/// # Errors
/// [`Error::InputTooLong`] if an input has more than 65535 bytes; [`Error::Device`] if every GPU
/// fails and the engine may not fall back to the CPU.
pub fn evaluate_inputs<S: Suite, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    _suite: S,
    mode: Mode,
    key: &SecretKey,
    inputs: &[M],
) -> Result<Outputs<S>, Error> {
    require_inputs(inputs)?;
    let dst = mode.group_dst::<S>();
    Outputs::compute(engine, inputs, |rows, codes| {
        S::Group::mask(engine, &dst, key.into(), inputs, true, rows, codes)
    })
}

/// Derives the server's key from a uniformly random secret seed and public information
/// (`DeriveKeyPair`, RFC 9497, section 3.2.1); [`public_key`] returns its public key.
/// **Constant-time** in the seed.
///
/// # Errors
/// [`Error::InputTooLong`] if the information has more than 65535 bytes.
///
/// ```
/// use gecc::Engine;
/// use gecc::oprf::{self, Mode, P256Sha256};
/// // RFC 9497, appendix A.3.2.
/// let key = oprf::derive_key(P256Sha256, Mode::Voprf, &[0xa3; 32], b"test key")?;
/// let known = "03e17e70604bcabe198882c0a1f27a92441e774224ed9c702e51dd17038b102462";
/// assert_eq!(hex::encode(oprf::public_key(&Engine::new()?, P256Sha256, &key)?), known);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn derive_key<S: Suite>(
    _suite: S,
    mode: Mode,
    seed: &[u8; 32],
    info: &[u8],
) -> Result<SecretKey, Error> {
    require_length("information", info)?;
    let mut key = SecretKey::from_bytes([0; 32]);
    stack::wiped(|| write_derived_key::<S>(mode, seed, info, &mut key));
    // Moving a key leaves a copy behind, so a clone is returned and this one is wiped.
    Ok(key.clone())
}

/// Returns the public key of the server's key. **Constant-time** in the key.
///
/// # Errors
/// [`Error::InvalidServerKey`] if the key is out of range; [`Error::Device`] if every GPU fails and
/// the engine may not fall back to the CPU.
pub fn public_key<S: Suite>(
    engine: &Engine,
    _suite: S,
    key: &SecretKey,
) -> Result<S::Element, Error> {
    proof::public_key::<S>(engine, key)
}

/// Writes the first derived scalar that is not zero. The branch on it is taken with a probability of
/// 2^-252 or less.
fn write_derived_key<S: Suite>(mode: Mode, seed: &[u8; 32], info: &[u8], key: &mut SecretKey) {
    let dst = mode.dst::<S>(b"DeriveKeyPair");
    let length = length_bytes(info.len());
    let mut message = Zeroizing::new([&seed[..], &length, info, &[0]].concat());
    let counter = message.len() - 1;
    for count in 0..=u8::MAX {
        message[counter] = count;
        let derived = hash_to_scalar::<S::Group>(&message, &dst);
        if !S::Group::is_zero(&derived) {
            key.0 = S::Group::scalar_bytes(&derived);
            return;
        }
    }
    // A key of zero, which every call rejects: `DeriveKeyPairError` of the RFC.
}

fn require_inputs<M: AsRef<[u8]>>(inputs: &[M]) -> Result<(), Error> {
    inputs
        .iter()
        .try_for_each(|input| require_length("input", input.as_ref()))
}

/// Checks that the length of a byte string can be hashed as two bytes.
fn require_length(what: &'static str, string: &[u8]) -> Result<(), Error> {
    let bytes = string.len();
    if bytes > u16::MAX.into() {
        return Err(Error::InputTooLong { what, bytes });
    }
    Ok(())
}

fn require_items<M: AsRef<[u8]>, E>(
    inputs: &[M],
    blinds: &[SecretKey],
    evaluated: &[E],
) -> Result<(), Error> {
    let items = inputs.len();
    require_lengths(
        items,
        &[("blinds", blinds.len()), (EVALUATED, evaluated.len())],
    )?;
    require_inputs(inputs)
}
