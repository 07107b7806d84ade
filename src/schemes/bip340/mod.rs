//! Schnorr signatures on secp256k1 (BIP 340), as Taproot has them, and the tweaks of its keys (BIP 341).
//!
//! A signature is `R || s`, 64 bytes: x(R) and s, big-endian. A public key is the x-coordinate of a point with an even y
//! ([`PublicKeys::x_only`]). Keys in other encodings count for their x alone, whatever their y. Messages have 32 bytes, which is
//! what most protocols sign and what is fastest, or any length in the calls for messages; those above 16 KiB are computed on the
//! CPU. Results are byte-identical to those of libsecp256k1.
//!
//! Calls that end in `_into` read columns ([`Rows`]) and write into columns of the caller's, among them a code a byte
//! ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`]: then the item's other results mean nothing). The batch has as many
//! items as there are codes.

pub(crate) mod known_answers;
mod messages;
mod messages_gpu;
mod sign;
mod sign_gpu;
mod signing;
#[cfg(test)]
mod together_gpu_tests;
pub(crate) mod verify;
mod verify_gpu;

use crate::curve::{Curve, Secp256k1};
use crate::engine::Engine;
use crate::ops::hash::SizedTexts;
use crate::ops::keys::public_keys_on;
use crate::ops::point::decode_keys;
use crate::schemes::frame::verdict_of;
use crate::types::{
    Error, KeyForm, Point, PublicKeys, Rejection, ResultsMut, Rows, SecretKeys, Verdict, Verdicts, require_lengths,
};
pub(crate) use messages::Messages;
pub(crate) use sign::Sign;
pub use signing::{Auxiliary, SigningKeys};
pub(crate) use verify::{Verify, WORTH as VERIFY_WORTH};

/// Verifies one signature per item over a message of 32 bytes. Variable-time: everything here is public.
///
/// An item is rejected with the first of these that applies: [`Rejection::ROutOfRange`] (not below p),
/// [`Rejection::SOutOfRange`] (not below n), [`Rejection::MalformedPoint`], [`Rejection::NotOnCurve`],
/// [`Rejection::IdentityKey`], [`Rejection::IdentityResult`], [`Rejection::Mismatch`] (x(R) is not r, or y(R) is odd).
/// With [`crate::EngineBuilder::batch_equations`] many items are verified together, as in the standard's "Batch Verification".
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, PublicKeys, Secp256k1, bip340, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate::<Secp256k1>(&engine, 2)?;
/// let messages = [[1; 32], [2; 32]];
/// let signed = bip340::sign(&engine, &messages, &secret, Default::default())?;
/// let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
/// signatures[1][40] ^= 1;
/// let x_only: Vec<[u8; 32]> = public.iter().map(|point| *point.x()).collect();
/// let verdicts = bip340::verify(&engine, &messages, &signatures, PublicKeys::x_only(&x_only))?;
/// assert!(verdicts[0].is_valid() && !verdicts[1].is_valid());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify<'k>(
    engine: &Engine,
    messages: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: impl Into<PublicKeys<'k>>,
) -> Result<Verdicts, Error> {
    let verify = verification(engine, Messages::Rows(messages.into()), signatures.into(), keys.into(), messages.len())?;
    engine.collect(&verify, verdict_of).map(Verdicts::new)
}

/// What [`verify`] finds, from columns into codes. Variable-time: everything here is public.
///
/// # Errors
/// As for [`verify`].
pub fn verify_into<'a, 'k>(
    engine: &Engine,
    messages: impl Into<Rows<'a, 32>>,
    signatures: impl Into<Rows<'a, 64>>,
    keys: impl Into<PublicKeys<'k>>,
    codes: &mut [u8],
) -> Result<(), Error> {
    let verify = verification(engine, Messages::Rows(messages.into()), signatures.into(), keys.into(), codes.len())?;
    engine.run(&verify, &mut ResultsMut::codes(codes))
}

/// Verifies one signature per item over a message of any length. Variable-time. See [`verify`].
///
/// # Errors
/// As for [`verify`].
///
/// ```
/// use gecc::{Engine, PublicKeys, Secp256k1, bip340, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate::<Secp256k1>(&engine, 1)?;
/// let signed = bip340::sign_messages(&engine, &["hello"], &secret, Default::default())?;
/// assert!(bip340::verify_messages(&engine, &["hello"], &[signed[0].unwrap()], &public)?.all_valid());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify_messages<'k>(
    engine: &Engine,
    messages: &[impl AsRef<[u8]> + Sync],
    signatures: &[[u8; 64]],
    keys: impl Into<PublicKeys<'k>>,
) -> Result<Verdicts, Error> {
    let verify = verification(engine, texts(engine, messages)?, signatures.into(), keys.into(), messages.len())?;
    engine.collect(&verify, verdict_of).map(Verdicts::new)
}

/// What [`verify_messages`] finds, from columns into codes. Variable-time: everything here is public.
///
/// # Errors
/// As for [`verify`].
pub fn verify_messages_into<'a, 'k>(
    engine: &Engine,
    messages: &'a [impl AsRef<[u8]> + Sync],
    signatures: impl Into<Rows<'a, 64>>,
    keys: impl Into<PublicKeys<'k>>,
    codes: &mut [u8],
) -> Result<(), Error> {
    let verify = verification(engine, texts(engine, messages)?, signatures.into(), keys.into(), codes.len())?;
    engine.run(&verify, &mut ResultsMut::codes(codes))
}

/// Signs one message of 32 bytes per item. **Constant-time** in keys, auxiliary data and nonces.
///
/// Bit for bit what libsecp256k1 gives for the same auxiliary data. Items are rejected with
/// [`Rejection::SecretKeyOutOfRange`]; where public keys are given ([`SigningKeys::with_public`]) next with what is wrong with
/// them; with [`Rejection::IdentityResult`] where the nonce is 0, which nobody will ever see. Where
/// [`crate::EngineBuilder::check_signatures`] is on, a given public key that is not that of its private key is a
/// [`Rejection::Mismatch`].
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Randomness`] when the operating system gives no
/// auxiliary data; [`Error::Device`] when every GPU fails and the CPU may not take over.
///
/// ```
/// use gecc::{Engine, Secp256k1, bip340, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate::<Secp256k1>(&engine, 2)?;
/// let messages = [[1; 32], [2; 32]];
/// let signed = bip340::sign(&engine, &messages, &secret, bip340::Auxiliary::zeros())?;
/// // The public keys, where they are there, need not be computed.
/// let keys = bip340::SigningKeys::with_public(&secret, &public);
/// assert_eq!(bip340::sign(&engine, &messages, keys, bip340::Auxiliary::zeros())?, signed);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sign<'a>(
    engine: &Engine,
    messages: &[[u8; 32]],
    keys: impl Into<SigningKeys<'a>>,
    auxiliary: Auxiliary<'_>,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    sign_each(engine, Messages::Rows(messages.into()), keys.into(), auxiliary, messages.len())
}

/// What [`sign`] gives, from columns into columns: 64 bytes an item. **Constant-time** in keys, auxiliary data and nonces.
///
/// # Errors
/// As for [`sign`].
pub fn sign_into<'a, 'b>(
    engine: &Engine,
    messages: impl Into<Rows<'a, 32>>,
    keys: impl Into<SigningKeys<'b>>,
    auxiliary: Auxiliary<'_>,
    signatures: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    write_signatures(engine, Messages::Rows(messages.into()), keys.into(), auxiliary, signatures, codes)
}

/// Signs one message of any length per item. **Constant-time** in keys, auxiliary data and nonces, not in the length of
/// messages. See [`sign`].
///
/// # Errors
/// As for [`sign`].
pub fn sign_messages<'a>(
    engine: &Engine,
    messages: &[impl AsRef<[u8]> + Sync],
    keys: impl Into<SigningKeys<'a>>,
    auxiliary: Auxiliary<'_>,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    sign_each(engine, texts(engine, messages)?, keys.into(), auxiliary, messages.len())
}

/// What [`sign_messages`] gives, into columns: 64 bytes an item. **Constant-time** in keys, auxiliary data and nonces, not in
/// the length of messages.
///
/// # Errors
/// As for [`sign`].
pub fn sign_messages_into<'a>(
    engine: &Engine,
    messages: &[impl AsRef<[u8]> + Sync],
    keys: impl Into<SigningKeys<'a>>,
    auxiliary: Auxiliary<'_>,
    signatures: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    write_signatures(engine, texts(engine, messages)?, keys.into(), auxiliary, signatures, codes)
}

fn verification<'a>(
    engine: &Engine,
    messages: Messages<'a>,
    signatures: Rows<'a, 64>,
    keys: PublicKeys<'a>,
    items: usize,
) -> Result<Verify<'a>, Error> {
    Verify::new(messages, signatures, keys, engine.info().batch_equations, items)
}

fn texts<'a>(engine: &Engine, messages: &'a [impl AsRef<[u8]> + Sync]) -> Result<Messages<'a>, Error> {
    let cpu = &engine.devices()?.cpu;
    Ok(Messages::Texts(SizedTexts::new(cpu, messages.len(), |item| messages[item].as_ref())))
}

fn sign_each(
    engine: &Engine,
    messages: Messages<'_>,
    keys: SigningKeys<'_>,
    auxiliary: Auxiliary<'_>,
    items: usize,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    let auxiliary = auxiliary.rows(&engine.devices()?.cpu, items)?;
    let sign = signing(engine, messages, keys, auxiliary.column(), items)?;
    let mut signed = engine.collect(&sign, |results, item| results.get(item).copied())?;
    for item in mismatches(engine, keys, items)? {
        signed[item] = signed[item].and(Err(Rejection::Mismatch));
    }
    Ok(signed)
}

fn write_signatures(
    engine: &Engine,
    messages: Messages<'_>,
    keys: SigningKeys<'_>,
    auxiliary: Auxiliary<'_>,
    signatures: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let items = codes.len();
    require_lengths(items, &[("signatures", signatures.len())])?;
    let auxiliary = auxiliary.rows(&engine.devices()?.cpu, items)?;
    let sign = signing(engine, messages, keys, auxiliary.column(), items)?;
    engine.run(&sign, &mut ResultsMut::rows(codes, signatures))?;
    for item in mismatches(engine, keys, items)? {
        if codes[item] == Verdict::VALID_CODE {
            (signatures[item], codes[item]) = ([0; 64], Rejection::Mismatch.code());
        }
    }
    Ok(())
}

fn signing<'a, 'm>(
    engine: &Engine,
    messages: Messages<'m>,
    keys: SigningKeys<'a>,
    auxiliary: SecretKeys<'a>,
    items: usize,
) -> Result<Sign<'a, 'm>, Error> {
    let is_checked = engine.info().check_signatures;
    let sign = Sign { messages, keys: keys.secret, public: keys.public, auxiliary, is_checked, items };
    sign.require()?;
    // What is checked is checked with public keys that are computed: those that are given may be wrong. X-only keys do not say
    // what signing needs of them.
    let public = keys.public.filter(|keys| !is_checked && keys.form() != KeyForm::XOnly);
    Ok(Sign { public, ..sign })
}

/// The items whose given public keys are good ones of other private keys, or none, where signatures are checked.
fn mismatches(engine: &Engine, keys: SigningKeys<'_>, items: usize) -> Result<Vec<usize>, Error> {
    let Some(given) = keys.public.filter(|_| engine.info().check_signatures) else { return Ok(Vec::new()) };
    let is_x_only = given.form() == KeyForm::XOnly;
    let computed = public_keys_on(engine, Secp256k1::ID, keys.secret, items)?;
    let given = decode_keys(engine, Secp256k1::ID, items, given)?;
    let differ = |(_, (given, computed)): &(usize, (Result<Point, Rejection>, Result<Point, Rejection>))| match (
        given, computed,
    ) {
        (Ok(given), Ok(computed)) if is_x_only => given.x() != computed.x(),
        (given, computed) => given != computed,
    };
    Ok(given.into_iter().zip(computed).enumerate().filter(differ).map(|(item, _)| item).collect())
}
