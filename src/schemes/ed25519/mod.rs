//! Ed25519 signatures (RFC 8032), with its variants Ed25519ctx and Ed25519ph.
//!
//! A signature is `R || S`, 64 bytes: a point, and a number below the order n of the base point,
//! little-endian. A public key is a point: its y, little-endian, and in the highest bit the parity
//! of x. A private key is a *seed* of 32 bytes. Messages have any length. Programs differ in which
//! signatures they accept, so calls take a [`Rule`]. Results are byte-identical to those of
//! `ed25519-dalek`.
//!
//! GPUs verify signatures of every variant, sign, and compute public keys. Messages of Ed25519ph
//! are hashed on the CPU.

mod batch;
mod batch_verification_gpu;
#[cfg(test)]
mod batch_verification_gpu_tests;
mod keys;
pub(crate) mod known_answers;
mod rule;
mod sign;
mod sign_gpu;
#[cfg(test)]
mod small_groups;
mod variant;
mod verify;
mod verify_gpu;

use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::ops::hash::SizedTexts;
use crate::schemes::common::{Chunks, verdict_of};
use crate::types::{
    Error, PublicKeys, Rejection, ResultSink, ResultsMut, Rows, SecretKey, SecretKeys, Values,
    Verdicts, bytes_of, require_lengths,
};
pub(crate) use batch::{
    PublicKeysOfSeeds, SIGN_GPU_THRESHOLD, SignEd25519, VERIFY_GPU_THRESHOLD, VerifyEd25519,
};
pub use keys::{ExpandedKey, SigningKeys};
use keys::{Secrets, SigningKeyKind};
pub use rule::{Rule, UnknownRule};
pub use variant::{MAX_CONTEXT_LEN, Variant};

/// Verifies one signature per item, with keys of 32 bytes ([`PublicKeys::ed25519`]). Variable-time:
/// all inputs are public. A byte 2 before the 32 bytes is ignored, so that columns of mixed forms
/// ([`PublicKeys::mixed_row_of_x`]) can be used.
///
/// An item is rejected with the first of these that applies: [`Rejection::SOutOfRange`] (not below
/// n), [`Rejection::MalformedPoint`] (the key has another form, or the rule requires a canonical
/// one), [`Rejection::NotOnCurve`] (the key is not a point), [`Rejection::SmallOrderKey`] and
/// [`Rejection::SmallOrderR`] (the rule rejects these), and with cofactored rules
/// [`Rejection::ROutOfRange`] and [`Rejection::NoSuchR`] (not canonical, or not a point); then
/// [`Rejection::Mismatch`].
///
/// With [`crate::EngineBuilder::batch_verification`] and a cofactored rule
/// ([`Rule::is_cofactored`]) many items are verified with one equation. The option has no effect
/// with other rules, because they depend on components that cancel in sums.
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, PublicKeys, SecretKey, ed25519};
/// let engine = Engine::new()?;
/// let seeds = [SecretKey::from_bytes([1; 32]), SecretKey::from_bytes([2; 32])];
/// let public = ed25519::public_keys(&engine, &seeds)?;
/// let messages = ["one", "two"];
/// let signed = ed25519::sign(&engine, &messages, &seeds, ed25519::Variant::PURE)?;
/// let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
/// signatures[1][40] ^= 1;
/// let variant = ed25519::Variant::PURE;
/// let rule = ed25519::Rule::Strict;
/// let keys = PublicKeys::ed25519(&public);
/// let verdicts = ed25519::verify(&engine, &messages, &signatures, keys, variant, rule)?;
/// assert!(verdicts[0].is_valid() && !verdicts[1].is_valid());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify<'k, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    messages: &[M],
    signatures: &[[u8; 64]],
    keys: impl Into<PublicKeys<'k>>,
    variant: Variant,
    rule: Rule,
) -> Result<Verdicts, Error> {
    let mut verdicts = Values::new(messages.len(), verdict_of);
    run_verify(
        engine,
        messages,
        signatures.into(),
        keys.into(),
        variant,
        rule,
        verdicts.sink(),
    )?;
    // SAFETY: `run_verify` has results of every item unless it returns an error.
    Ok(Verdicts::new(unsafe { verdicts.into_vec() }))
}

/// Verifies signatures from columns and writes a one-byte code per item
/// ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`]). The batch has as many items as
/// there are codes. See [`verify`]. Variable-time: all inputs are public.
///
/// # Errors
/// The errors of [`verify`].
pub fn verify_into<'a, 'k, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    messages: &[M],
    signatures: impl Into<Rows<'a, 64>>,
    keys: impl Into<PublicKeys<'k>>,
    variant: Variant,
    rule: Rule,
    codes: &mut [u8],
) -> Result<(), Error> {
    run_verify(
        engine,
        messages,
        signatures.into(),
        keys.into(),
        variant,
        rule,
        ResultsMut::codes(codes).into(),
    )
}

fn run_verify<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    messages: &[M],
    signatures: Rows<64>,
    keys: PublicKeys,
    variant: Variant,
    rule: Rule,
    results: ResultSink,
) -> Result<(), Error> {
    let items = results.items();
    let lengths = [
        ("messages", messages.len()),
        ("signatures", signatures.len_for(items)),
        ("public keys", keys.len_for(items)),
    ];
    require_lengths(items, &lengths)?;
    let cpu = &engine.devices()?.cpu;
    let batch_verification = engine.info().batch_verification;
    let chunks = Chunks::new(items);
    let hashes = variant.hashes(cpu, messages);
    let messages = signed_texts(cpu, messages, hashes.as_deref());
    engine.run(
        &VerifyEd25519 {
            variant,
            messages,
            signatures,
            keys,
            rule,
            batch_verification,
            chunks,
            items,
        },
        results,
    )
}

/// Returns the byte strings that are hashed with the keys: messages, or their hashes for Ed25519ph.
fn signed_texts<'a, M: AsRef<[u8]> + Sync>(
    cpu: &CpuEngine,
    messages: &'a [M],
    hashes: Option<&'a [[u8; 64]]>,
) -> SizedTexts<'a> {
    match hashes {
        Some(hashes) => SizedTexts::new(cpu, hashes.len(), |item| &hashes[item]),
        None => SizedTexts::new(cpu, messages.len(), |item| messages[item].as_ref()),
    }
}

/// Signs one message per item. **Constant-time** in keys and nonces, not in the length of messages.
///
/// Every seed is a valid key. Items are only rejected, with [`Rejection::FaultySignature`], if
/// [`crate::EngineBuilder::check_signatures`] is on.
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, SecretKey, ed25519};
/// use ed25519::{SigningKeys, Variant};
/// let engine = Engine::new()?;
/// let seed = SecretKey::from_bytes([7; 32]);
/// let signed = ed25519::sign(&engine, &["one", "two"], &seed, Variant::PURE)?;
/// // A key that signs more than once is expanded once.
/// let keys = ed25519::expand(&engine, &[seed])?;
/// let again = ed25519::sign(&engine, &["one", "two"], SigningKeys::expanded_for_all(&keys[0]), Variant::PURE)?;
/// assert_eq!(signed, again);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sign<'a, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    messages: &[M],
    keys: impl Into<SigningKeys<'a>>,
    variant: Variant,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    let mut signatures = Values::new(messages.len(), bytes_of);
    run_sign(engine, messages, keys.into(), variant, signatures.sink())?;
    // SAFETY: `run_sign` has results of every item unless it returns an error.
    Ok(unsafe { signatures.into_vec() })
}

/// Signs messages into columns: 64 bytes per item, and a one-byte code
/// ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`], in which case the row is
/// meaningless). See [`sign`]. **Constant-time** in keys and nonces, not in the length of messages.
///
/// # Errors
/// The errors of [`sign`].
pub fn sign_into<'a, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    messages: &[M],
    keys: impl Into<SigningKeys<'a>>,
    variant: Variant,
    signatures: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    require_lengths(codes.len(), &[("signatures", signatures.len())])?;
    run_sign(
        engine,
        messages,
        keys.into(),
        variant,
        ResultsMut::rows(codes, signatures).into(),
    )
}

fn run_sign<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    messages: &[M],
    keys: SigningKeys,
    variant: Variant,
    results: ResultSink,
) -> Result<(), Error> {
    let items = results.items();
    let of_keys = if matches!(keys.0, SigningKeyKind::Seeds(_)) {
        "seeds"
    } else {
        "expanded keys"
    };
    require_lengths(
        items,
        &[("messages", messages.len()), (of_keys, keys.len_for(items))],
    )?;
    let is_checked = engine.info().check_signatures;
    let cpu = &engine.devices()?.cpu;
    // A seed that all items share is expanded once.
    let expanded = match keys.0 {
        SigningKeyKind::Seeds(seeds) if seeds.is_one_for_all() => {
            Secrets::Seeds(seeds).expand_all(cpu, 1)
        }
        _ => Vec::new(),
    };
    let keys = expanded.first().map_or(keys, SigningKeys::expanded_for_all);
    let hashes = variant.hashes(cpu, messages);
    let messages = signed_texts(cpu, messages, hashes.as_deref());
    engine.run(
        &SignEd25519 {
            variant,
            messages,
            keys,
            is_checked,
            items,
        },
        results,
    )
}

/// Computes the public keys of seeds, 32 bytes each. **Constant-time** in seeds.
///
/// # Errors
/// [`Error::Device`] if every GPU fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, SecretKey, ed25519};
/// let engine = Engine::new()?;
/// // RFC 8032, section 7.1, the first vector.
/// let seed = b"\x9d\x61\xb1\x9d\xef\xfd\x5a\x60\xba\x84\x4a\xf4\x92\xec\x2c\xc4\
///     \x44\x49\xc5\x69\x7b\x32\x69\x19\x70\x3b\xac\x03\x1c\xae\x7f\x60";
/// let public = ed25519::public_keys(&engine, &[SecretKey::from_bytes(*seed)])?;
/// assert_eq!(public[0][..4], [0xd7, 0x5a, 0x98, 0x01]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn public_keys(engine: &Engine, seeds: &[SecretKey]) -> Result<Vec<[u8; 32]>, Error> {
    let mut public = vec![[0; 32]; seeds.len()];
    public_keys_into(engine, seeds, &mut public)?;
    Ok(public)
}

/// Computes public keys into a column. See [`public_keys`]. **Constant-time** in seeds.
///
/// # Errors
/// [`Error::LengthMismatch`] if the numbers of seeds and rows differ; [`Error::Device`] if every
/// GPU fails and the engine may not fall back to the CPU.
pub fn public_keys_into<'a>(
    engine: &Engine,
    seeds: impl Into<SecretKeys<'a>>,
    public: &mut [[u8; 32]],
) -> Result<(), Error> {
    let seeds = seeds.into();
    require_lengths(public.len(), &[("seeds", seeds.len_for(public.len()))])?;
    let mut codes = vec![0; public.len()];
    let items = public.len();
    engine.run(
        &PublicKeysOfSeeds { seeds, items },
        ResultsMut::rows(&mut codes, public),
    )
}

/// Expands seeds for signing on the CPU. Signing with an expanded key takes at most half the time.
/// **Constant-time** in seeds.
///
/// # Errors
/// [`Error::Forked`] in a process other than the one that created the engine.
pub fn expand(engine: &Engine, seeds: &[SecretKey]) -> Result<Vec<ExpandedKey>, Error> {
    Ok(Secrets::Seeds(seeds.into()).expand_all(&engine.devices()?.cpu, seeds.len()))
}

/// Expands keys that are stored as 64 bytes: SHA-512 of a seed, or derived from other keys as in
/// BIP32-Ed25519. The bytes are a little-endian scalar, some bits of which are set and cleared here
/// (RFC 8032, section 5.1.5), and a prefix. **Constant-time.**
///
/// # Errors
/// The errors of [`expand`].
pub fn expand_hashed(engine: &Engine, hashes: &[[u8; 64]]) -> Result<Vec<ExpandedKey>, Error> {
    Ok(Secrets::Hashed(hashes.into()).expand_all(&engine.devices()?.cpu, hashes.len()))
}
