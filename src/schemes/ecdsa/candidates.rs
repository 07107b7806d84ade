//! Recovery with candidates for the keys.

use super::recover::{Candidates, Recover, RecoveredForm};
use super::recover_cpu::RecoveryInputs;
use crate::curve::{Curve, CurveId, EcdsaChoice, Secp256k1};
use crate::engine::Engine;
use crate::ops::point::point_of;
use crate::schemes::common::Chunks;
use crate::types::{
    Address, Error, Points, PublicKeys, Rejection, ResultsMut, Rows, bytes_of, require_lengths,
};

/// Recovers public keys for which the caller has candidates, for some or all items: the key of the
/// expected signer, known from an earlier signature. With
/// [`crate::EngineBuilder::batch_verification`], right candidates are confirmed with fewer
/// operations than [`super::recover`] needs; otherwise candidates are ignored. Variable-time: all
/// inputs are public.
///
/// Results are those of [`super::recover`], with the same reasons, regardless of the candidates: a
/// wrong or malformed candidate only costs time. The probability that one is mistaken for the key
/// is that of batch verification, at most 2^-128 per group. [`crate::Point::IDENTITY`], a raw row
/// of zeros or an empty octet string means that an item has no candidate.
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, Point, Secp256k1, ecdsa, keys};
/// let engine = Engine::builder().batch_verification(true).build()?;
/// let (secret, public) = keys::generate(&engine, Secp256k1, 3)?;
/// let signed = ecdsa::sign_recoverable(&engine, Secp256k1, &[[9; 32]; 3], &secret, Default::default())?;
/// let signed: Vec<_> = signed.into_iter().map(Result::unwrap).collect();
/// let signatures: Vec<_> = signed.iter().map(|signed| signed.signature).collect();
/// let ids: Vec<_> = signed.iter().map(|signed| signed.recovery_id).collect();
/// // The key, none, and another's key.
/// let candidates = [public[0], Point::IDENTITY, public[0]];
/// let keys = ecdsa::recover_with_candidates(&engine, Secp256k1, &[[9; 32]; 3], &signatures, &ids, &candidates)?;
/// assert_eq!(keys, [Ok(public[0]), Ok(public[1]), Ok(public[2])]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn recover_with_candidates<'k>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    recovery_ids: &[u8],
    candidates: impl Into<PublicKeys<'k>>,
) -> Result<Points, Error> {
    let curve = curve.id();
    let candidates = candidates.into();
    let inputs = RecoveryInputs::new(digests, signatures, recovery_ids.as_chunks::<1>().0);
    engine.collect(
        &recovery(
            engine,
            curve,
            inputs,
            candidates,
            RecoveredForm::Keys,
            digests.len(),
        )?,
        point_of,
    )
}

/// Recovers public keys with candidates from columns into columns: 64 bytes `x || y` per item. See
/// [`recover_with_candidates`]. Variable-time: all inputs are public.
///
/// # Errors
/// The errors of [`recover_with_candidates`].
#[allow(
    clippy::too_many_arguments,
    reason = "columns of a call are its parameters"
)]
pub fn recover_with_candidates_into<'a, 'k>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    digests: impl Into<Rows<'a, 32>>,
    signatures: impl Into<Rows<'a, 64>>,
    recovery_ids: impl Into<Rows<'a, 1>>,
    candidates: impl Into<PublicKeys<'k>>,
    keys: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let curve = curve.id();
    let candidates = candidates.into();
    require_lengths(codes.len(), &[("keys", keys.len())])?;
    let inputs = RecoveryInputs::new(digests, signatures, recovery_ids);
    let recover = recovery(
        engine,
        curve,
        inputs,
        candidates,
        RecoveredForm::Keys,
        codes.len(),
    )?;
    engine.run(&recover, ResultsMut::rows(codes, keys))
}

/// Recovers Ethereum addresses with candidates for some or all of the senders' public keys, as in
/// [`recover_with_candidates`]. A node that stores the keys of senders by address has a candidate
/// for each transaction whose sender it expects and has seen before. Results are those of
/// [`super::recover_addresses`]. Variable-time: all inputs are public.
///
/// # Errors
/// The errors of [`recover_with_candidates`].
///
/// ```
/// use gecc::{Engine, Secp256k1, ecdsa, keys};
/// let engine = Engine::builder().batch_verification(true).build()?;
/// let (secret, public) = keys::generate(&engine, Secp256k1, 1)?;
/// let signed = ecdsa::sign_recoverable(&engine, Secp256k1, &[[9; 32]], &secret, Default::default())?[0].unwrap();
/// let signatures = [signed.signature];
/// let ids = [signed.recovery_id];
/// // `x || y` as `recover_into` writes it, or zeros where no key is known.
/// let candidates: [[u8; 64]; 1] = [public[0].as_bytes()[1..].try_into().unwrap()];
/// let senders = ecdsa::recover_addresses_with_candidates(&engine, &[[9; 32]], &signatures, &ids, &candidates)?;
/// assert_eq!(senders, ecdsa::recover_addresses(&engine, &[[9; 32]], &signatures, &ids)?);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn recover_addresses_with_candidates<'k>(
    engine: &Engine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    recovery_ids: &[u8],
    candidates: impl Into<PublicKeys<'k>>,
) -> Result<Vec<Result<Address, Rejection>>, Error> {
    let inputs = RecoveryInputs::new(digests, signatures, recovery_ids.as_chunks::<1>().0);
    let recover = recovery(
        engine,
        Secp256k1::ID,
        inputs,
        candidates.into(),
        RecoveredForm::Addresses,
        digests.len(),
    )?;
    engine.collect(&recover, bytes_of)
}

/// Recovers Ethereum addresses with candidates from columns into columns: 20 bytes per item. See
/// [`recover_addresses_with_candidates`]. Variable-time: all inputs are public.
///
/// # Errors
/// The errors of [`recover_with_candidates`].
pub fn recover_addresses_with_candidates_into<'a, 'k>(
    engine: &Engine,
    digests: impl Into<Rows<'a, 32>>,
    signatures: impl Into<Rows<'a, 64>>,
    recovery_ids: impl Into<Rows<'a, 1>>,
    candidates: impl Into<PublicKeys<'k>>,
    addresses: &mut [Address],
    codes: &mut [u8],
) -> Result<(), Error> {
    require_lengths(codes.len(), &[("addresses", addresses.len())])?;
    let inputs = RecoveryInputs::new(digests, signatures, recovery_ids);
    let recover = recovery(
        engine,
        Secp256k1::ID,
        inputs,
        candidates.into(),
        RecoveredForm::Addresses,
        codes.len(),
    )?;
    engine.run(&recover, ResultsMut::rows(codes, addresses))
}

/// Makes a recovery with the candidates, if the engine may use them.
fn recovery<'a>(
    engine: &Engine,
    curve: CurveId,
    inputs: RecoveryInputs<'a>,
    candidates: PublicKeys<'a>,
    form: RecoveredForm,
    items: usize,
) -> Result<Recover<'a>, Error> {
    require_lengths(items, &[("candidates", candidates.len_for(items))])?;
    let are_used = engine.info().batch_verification;
    let candidates = are_used.then(|| Candidates {
        keys: candidates,
        chunks: Chunks::new(items),
    });
    Ok(Recover {
        candidates,
        ..Recover::new(curve, inputs, form, items)?
    })
}
