//! Oblivious pseudorandom functions (OPRF) by RFC 9497, with the suite P256-SHA256.
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
//! The mode with public information (POPRF, 0x02) and the other suites of the RFC are not available.
//!
//! **Constant-time** in keys, inputs (except for their lengths) and blinds. Copies of them are wiped,
//! and so are unblinded elements and nonces of proofs. Blinded and evaluated elements and proofs are
//! public.
//!
//! A server's key is made by [`derive_key`] or [`SecretKey::generate`]. It must not be used for
//! anything else, and not in both modes. Inputs of different applications
//! should begin with different labels.
//!
//! Inputs have at most 65535 bytes. Elements are compressed points, 33 bytes each. In the mode OPRF,
//! items are rejected one by one: with
//! [`Rejection::MalformedPoint`](crate::Rejection::MalformedPoint) or
//! [`Rejection::NotOnCurve`](crate::Rejection::NotOnCurve) for an element, or with
//! [`Rejection::SecretKeyOutOfRange`](crate::Rejection::SecretKeyOutOfRange) for a key or blind. A
//! proof is of all elements or of none, so in the mode VOPRF a malformed element, a wrong key and a
//! wrong proof are errors of the call.
//!
//! ```
//! use gecc::Engine;
//! use gecc::oprf::{self, Mode};
//! let engine = Engine::new()?;
//! let key = oprf::derive_key(Mode::Voprf, &[7; 32], b"example")?;
//! let public_key = oprf::public_key(&engine, &key)?;
//!
//! let inputs = ["alice", "bob"];
//! let (blinds, blinded) = oprf::blind(&engine, Mode::Voprf, &inputs)?; // client
//! let blinded = blinded.rows().as_chunks().0;
//! let (evaluated, proof) = oprf::evaluate_with_proof(&engine, &key, blinded)?; // server
//! let outputs = oprf::finalize_with_proof(
//!     &engine, &inputs, &blinds, blinded, &evaluated, &public_key, &proof,
//! )?; // client
//!
//! let known = oprf::evaluate_inputs(&engine, Mode::Voprf, &key, &inputs)?;
//! assert_eq!(outputs.rows(), known.rows());
//! # Ok::<(), gecc::Error>(())
//! ```

mod mode;
mod outputs;
mod proof;
#[cfg(test)]
mod tests;

use super::hash_to_curve::Suite;
use super::keys;
use super::mask::{self, Form, Masked};
use crate::curve::CurveId;
use crate::curve::types::P256;
use crate::engine::Engine;
use crate::host::stack;
use crate::types::{Error, PublicKeys, SecretKey, require_lengths};
use elliptic_curve::{Field, PrimeField};
pub use mode::Mode;
use mode::{hash_to_scalar, length_bytes};
pub use outputs::Outputs;
use proof::Elements;
pub use proof::MOST_PROVED;
use zeroize::Zeroizing;

/// The bytes of an [`Element`].
pub const ELEMENT_BYTES: usize = 33;

/// An encoded element of the group: a point of P-256 other than the identity, `02 || x` or `03 || x`.
pub type Element = [u8; ELEMENT_BYTES];

/// A proof that elements were evaluated with the key of a public key: the scalars `c || s`, 32 bytes
/// each, big-endian.
pub type Proof = [u8; 64];

/// The suite of `HashToGroup`.
const SUITE: Suite = Suite::P256SswuRo;

/// Blinds inputs with fresh blinds from the operating system's generator (`Blind`): returns a blind
/// per input, which stays with the client, and the blinded elements in the form
/// [`Form::Compressed`], which are sent to the server. **Constant-time** in inputs, though not in
/// their lengths, and in blinds.
///
/// An item is rejected with [`Rejection::IdentityResult`](crate::Rejection::IdentityResult) if its
/// input is hashed to the identity. No such input is known.
///
/// # Errors
/// [`Error::InputTooLong`] if an input has more than 65535 bytes; [`Error::Randomness`] if the
/// generator fails; [`Error::Device`] if every GPU fails and the engine may not fall back to the
/// CPU.
pub fn blind<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    mode: Mode,
    inputs: &[M],
) -> Result<(Vec<SecretKey>, Masked), Error> {
    let blinds = keys::draw(engine, CurveId::P256, inputs.len())?;
    let blinded = blind_with(engine, mode, inputs, &blinds)?;
    Ok((blinds, blinded))
}

/// Blinds inputs as [`blind`] does, with blinds of the caller, for test vectors and for protocols
/// that derive blinds. Blinds have to be uniformly random in `1..n`, secret, and used once: with the
/// same blind, equal inputs have equal elements. **Constant-time** in inputs, though not in their
/// lengths, and in blinds.
///
/// Items whose blind is out of range are rejected.
///
/// # Errors
/// The errors of [`blind`], and [`Error::LengthMismatch`] if there is not one blind per input.
pub fn blind_with<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    mode: Mode,
    inputs: &[M],
    blinds: &[SecretKey],
) -> Result<Masked, Error> {
    require_lengths(inputs.len(), &[("blinds", blinds.len())])?;
    require_inputs(inputs)?;
    let dst = mode.group_dst();
    mask::items(
        engine,
        SUITE,
        dst.as_bytes(),
        blinds,
        inputs,
        Form::Compressed,
    )
}

/// Evaluates blinded elements with the server's key in the mode OPRF (`BlindEvaluate`), in the form
/// [`Form::Compressed`]. **Constant-time** in the key.
///
/// [`mask::points_into`] computes the same into columns of the caller.
///
/// # Errors
/// [`Error::Device`] if every GPU fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::oprf::{self, Mode};
/// use gecc::{Engine, Rejection};
/// let engine = Engine::new()?;
/// let key = oprf::derive_key(Mode::Oprf, &[7; 32], b"example")?;
/// let (blinds, blinded) = oprf::blind(&engine, Mode::Oprf, &["alice", "bob"])?;
/// let [alice, bob] = blinded.rows().as_chunks().0 else { panic!("two elements") };
/// let evaluated = oprf::evaluate(&engine, &key, &[*alice, [7; 33], *bob])?;
/// assert_eq!(evaluated.get(1), Err(Rejection::MalformedPoint));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn evaluate(engine: &Engine, key: &SecretKey, blinded: &[Element]) -> Result<Masked, Error> {
    let points = PublicKeys::compressed(blinded);
    mask::points(engine, P256, key, points, Form::Compressed)
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
pub fn evaluate_with_proof(
    engine: &Engine,
    key: &SecretKey,
    blinded: &[Element],
) -> Result<(Vec<Element>, Proof), Error> {
    let nonce = keys::draw(engine, CurveId::P256, 1)?;
    evaluate_with_nonce(engine, key, blinded, &nonce[0])
}

/// Evaluates and proves with a nonce, which vectors of the RFC state.
fn evaluate_with_nonce(
    engine: &Engine,
    key: &SecretKey,
    blinded: &[Element],
    nonce: &SecretKey,
) -> Result<(Vec<Element>, Proof), Error> {
    proof::require_provable(blinded.len())?;
    let blinded = Elements::decode(engine, BLINDED, blinded)?;
    let public_key = proof::public_key(engine, key)?;
    let masked = mask::points(engine, P256, key, blinded.points(), Form::Compressed)?;
    let evaluated = masked.rows().as_chunks().0.to_vec();
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
/// use gecc::oprf::{self, Mode};
/// let engine = Engine::new()?;
/// let key = oprf::derive_key(Mode::Oprf, &[7; 32], b"example")?;
/// let (blinds, blinded) = oprf::blind(&engine, Mode::Oprf, &["alice", "bob"])?; // client
/// let evaluated = oprf::evaluate(&engine, &key, blinded.rows().as_chunks().0)?; // server
/// let evaluated = evaluated.rows().as_chunks().0;
/// let outputs = oprf::finalize(&engine, &["alice", "bob"], &blinds, evaluated)?; // client
/// let known = oprf::evaluate_inputs(&engine, Mode::Oprf, &key, &["bob"])?;
/// assert_eq!(outputs.get(1), known.get(0));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn finalize<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    inputs: &[M],
    blinds: &[SecretKey],
    evaluated: &[Element],
) -> Result<Outputs, Error> {
    require_items(inputs, blinds, evaluated)?;
    unblind(engine, inputs, blinds, PublicKeys::compressed(evaluated))
}

/// Verifies the proof of all elements, unblinds the evaluated ones and returns the outputs in the
/// mode VOPRF (`Finalize`). **Constant-time** in inputs, though not in their lengths, and in blinds.
///
/// `public_key` is the server's public key, which the client knows from elsewhere. Items whose blind
/// is out of range are rejected.
///
/// # Errors
/// The errors of [`finalize`] and of [`verify_proof`].
pub fn finalize_with_proof<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    inputs: &[M],
    blinds: &[SecretKey],
    blinded: &[Element],
    evaluated: &[Element],
    public_key: &Element,
    proof: &Proof,
) -> Result<Outputs, Error> {
    require_items(inputs, blinds, evaluated)?;
    let evaluated = verified(engine, public_key, blinded, evaluated, proof)?;
    unblind(engine, inputs, blinds, evaluated.points())
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
pub fn verify_proof(
    engine: &Engine,
    public_key: &Element,
    blinded: &[Element],
    evaluated: &[Element],
    proof: &Proof,
) -> Result<(), Error> {
    verified(engine, public_key, blinded, evaluated, proof).map(drop)
}

/// Verifies a proof and returns the evaluated elements.
fn verified<'a>(
    engine: &Engine,
    public_key: &Element,
    blinded: &[Element],
    evaluated: &'a [Element],
    proof: &Proof,
) -> Result<Elements<'a>, Error> {
    require_lengths(blinded.len(), &[(EVALUATED, evaluated.len())])?;
    proof::require_provable(blinded.len())?;
    let blinded = Elements::decode(engine, BLINDED, blinded)?;
    let evaluated = Elements::decode(engine, EVALUATED, evaluated)?;
    proof::verify(engine, public_key, &blinded, &evaluated, proof)?;
    Ok(evaluated)
}

/// Removes the blinds of evaluated elements and returns the outputs.
fn unblind<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    inputs: &[M],
    blinds: &[SecretKey],
    evaluated: PublicKeys,
) -> Result<Outputs, Error> {
    Outputs::compute(engine, inputs, |rows, codes| {
        mask::unmask_into(
            engine,
            P256,
            blinds,
            evaluated,
            Form::Compressed,
            rows,
            codes,
        )
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
pub fn evaluate_inputs<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    mode: Mode,
    key: &SecretKey,
    inputs: &[M],
) -> Result<Outputs, Error> {
    require_inputs(inputs)?;
    let dst = mode.group_dst();
    let dst = dst.as_bytes();
    Outputs::compute(engine, inputs, |rows, codes| {
        mask::masking_of_items(engine, SUITE, dst, key.into(), inputs, Form::Compressed)?
            .with_secret_results()
            .run(engine, rows, codes)
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
/// use gecc::oprf::{self, Mode};
/// // RFC 9497, appendix A.3.2.
/// let key = oprf::derive_key(Mode::Voprf, &[0xa3; 32], b"test key")?;
/// let known = "03e17e70604bcabe198882c0a1f27a92441e774224ed9c702e51dd17038b102462";
/// assert_eq!(hex::encode(oprf::public_key(&Engine::new()?, &key)?), known);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn derive_key(mode: Mode, seed: &[u8; 32], info: &[u8]) -> Result<SecretKey, Error> {
    require_length("information", info)?;
    let mut key = SecretKey::from_bytes([0; 32]);
    stack::wiped(|| write_derived_key(mode, seed, info, &mut key));
    // Moving a key leaves a copy behind, so a clone is returned and this one is wiped.
    Ok(key.clone())
}

/// Returns the public key of the server's key. **Constant-time** in the key.
///
/// # Errors
/// [`Error::InvalidServerKey`] if the key is out of range; [`Error::Device`] if every GPU fails and
/// the engine may not fall back to the CPU.
pub fn public_key(engine: &Engine, key: &SecretKey) -> Result<Element, Error> {
    proof::public_key(engine, key)
}

/// Writes the first derived scalar that is not zero. The branch on it is taken with a probability of
/// 2^-256.
fn write_derived_key(mode: Mode, seed: &[u8; 32], info: &[u8], key: &mut SecretKey) {
    let dst = mode.dst(b"DeriveKeyPair");
    let length = length_bytes(info.len());
    let mut message = Zeroizing::new([&seed[..], &length, info, &[0]].concat());
    let counter = message.len() - 1;
    for count in 0..=u8::MAX {
        message[counter] = count;
        let derived = hash_to_scalar(&message, &dst);
        if !bool::from(derived.is_zero()) {
            let bytes = Zeroizing::new(derived.to_repr());
            key.0.copy_from_slice(&bytes[..]);
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

fn require_items<M: AsRef<[u8]>>(
    inputs: &[M],
    blinds: &[SecretKey],
    evaluated: &[Element],
) -> Result<(), Error> {
    let items = inputs.len();
    require_lengths(
        items,
        &[("blinds", blinds.len()), (EVALUATED, evaluated.len())],
    )?;
    require_inputs(inputs)
}
