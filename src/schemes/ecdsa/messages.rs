//! ECDSA over messages, which are hashed with SHA-256.

use super::{ECDSA, sign, sign_into, verify, verify_into};
use crate::curve::EcdsaChoice;
use crate::engine::Engine;
use crate::ops::hash::sha256;
use crate::types::{
    Error, Policy, PublicKeys, Rejection, Rows, SForm, Signers, Verdicts, require_lengths,
};

/// Verifies one signature per item over SHA-256 of the messages. Variable-time. See
/// [`super::verify`].
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, P256, PublicKeys, ecdsa, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate(&engine, P256, 1)?;
/// let messages = ["a message"];
/// let signed = ecdsa::sign_messages(&engine, P256, &messages, &secret, Default::default())?;
/// let signatures = [signed[0].unwrap()];
/// let keys = PublicKeys::points(&public);
/// assert!(ecdsa::verify_messages(&engine, P256, &messages, &signatures, keys, Default::default())?.all_valid());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify_messages<'k>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    messages: &[impl AsRef<[u8]> + Sync],
    signatures: &[[u8; 64]],
    keys: impl Into<PublicKeys<'k>>,
    policy: Policy,
) -> Result<Verdicts, Error> {
    let curve = curve.id();
    let keys = keys.into();
    let items = messages.len();
    require_lengths(
        items,
        &[
            ("signatures", signatures.len()),
            ("public keys", keys.len_for(items)),
        ],
    )?;
    let digests = sha256(engine, items, &|item| messages[item].as_ref())?;
    verify(engine, curve, &digests, signatures, keys, policy)
}

/// Verifies signatures over messages from columns and writes one code per item. See
/// [`verify_messages`]. Variable-time: all inputs are public.
///
/// # Errors
/// The errors of [`verify_messages`].
pub fn verify_messages_into<'a, 'k>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    messages: &[impl AsRef<[u8]> + Sync],
    signatures: impl Into<Rows<'a, 64>>,
    keys: impl Into<PublicKeys<'k>>,
    policy: Policy,
    codes: &mut [u8],
) -> Result<(), Error> {
    let curve = curve.id();
    let signatures = signatures.into();
    let keys = keys.into();
    ECDSA.require(curve)?;
    let items = codes.len();
    let lengths = [
        ("messages", messages.len()),
        ("signatures", signatures.len_for(items)),
        ("public keys", keys.len_for(items)),
    ];
    require_lengths(items, &lengths)?;
    let digests = sha256(engine, items, &|item| messages[item].as_ref())?;
    verify_into(
        engine,
        curve,
        Rows::new(&digests),
        signatures,
        keys,
        policy,
        codes,
    )
}

/// Signs SHA-256 of one message per item. **Constant-time** in keys and nonces, not in the length
/// of messages. See [`super::sign`].
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, Secp256k1, SecretKey, ecdsa};
/// let engine = Engine::new()?;
/// let key = SecretKey::generate(Secp256k1)?;
/// let signed = ecdsa::sign_messages(&engine, Secp256k1, &["one", "two"], &key, Default::default())?;
/// assert!(signed.iter().all(Result::is_ok));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sign_messages<'a>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    messages: &[impl AsRef<[u8]> + Sync],
    signers: impl Into<Signers<'a>>,
    s_form: SForm,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    let curve = curve.id();
    let signers = signers.into();
    signers.require(messages.len())?;
    let digests = sha256(engine, messages.len(), &|item| messages[item].as_ref())?;
    sign(engine, curve, &digests, signers, s_form)
}

/// Signs messages into columns: 64 bytes `r || s` per item. See [`sign_messages`].
/// **Constant-time** in keys and nonces, not in the length of messages.
///
/// # Errors
/// The errors of [`sign_messages`].
pub fn sign_messages_into<'a>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    messages: &[impl AsRef<[u8]> + Sync],
    signers: impl Into<Signers<'a>>,
    s_form: SForm,
    signatures: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let curve = curve.id();
    let signers = signers.into();
    ECDSA.require(curve)?;
    let items = codes.len();
    require_lengths(
        items,
        &[
            ("messages", messages.len()),
            ("signatures", signatures.len()),
        ],
    )?;
    signers.require(items)?;
    let digests = sha256(engine, items, &|item| messages[item].as_ref())?;
    sign_into(
        engine,
        curve,
        Rows::new(&digests),
        signers,
        s_form,
        signatures,
        codes,
    )
}
