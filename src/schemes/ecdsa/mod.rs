//! ECDSA on secp256k1, P-256 and brainpoolP256r1: verify, sign, recover (SEC 1, section 4.1; FIPS
//! 186-5, section 6).
//!
//! Digest-level calls take 32-byte digests; message-level calls hash with SHA-256. Large batches
//! are hashed on GPUs if there are any, except messages above 16 KiB, which are hashed on the CPU.
//! Signatures are `r || s`, 64 bytes, big-endian, as returned by
//! `k256::ecdsa::Signature::to_bytes()`. [`crate::signature_from_der`] decodes DER.
//!
//! Functions whose names end in `_into` read columns ([`Rows`]) and write to columns of the caller,
//! including a one-byte code per item ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`],
//! in which case the item's other results are meaningless). The batch has as many items as there
//! are codes.

#[cfg(test)]
mod batch_verification_gpu_tests;
mod candidates;
mod candidates_cpu;
mod candidates_gpu;
#[cfg(test)]
mod candidates_gpu_tests;
pub(crate) mod cpu;
mod gpu;
pub(crate) mod known_answers;
mod messages;
pub(crate) mod recover;
pub(crate) mod recover_cpu;
mod recover_gpu;

use super::common::{
    Scheme, SignDigests, Signing, SigningInputs, Verification, VerifyDigests, verdict_of,
};
use crate::curve::{CurveId, EcdsaChoice, per_curve};
use crate::engine::Engine;
pub use crate::fields::recovery_id::{
    recovery_id_of_header, recovery_id_of_last_byte, recovery_id_of_v,
};
use crate::operation::GpuThreshold;
pub use crate::types::{Address, Policy, RecoverableSignature, SForm};
use crate::types::{
    Check, Error, PublicKeys, Rejection, Results, ResultsMut, Rows, Signers, Verdicts, bytes_of,
    require_lengths,
};
pub use candidates::{
    recover_addresses_with_candidates, recover_addresses_with_candidates_into,
    recover_with_candidates, recover_with_candidates_into,
};
pub use messages::{sign_messages, sign_messages_into, verify_messages, verify_messages_into};
pub use recover::{recover, recover_addresses, recover_addresses_into, recover_into};

/// The definition of ECDSA.
pub(crate) static ECDSA: Scheme = Scheme {
    name: "ECDSA",
    verify_on_cpu: per_curve!(ecdsa cpu::verify),
    sign_on_cpu: per_curve!(ecdsa cpu::sign),
    has_recovery: true,
    on_gpu: gpu::STEPS,
    verify_gpu_threshold: GpuThreshold {
        portable: 35,
        simd: 50,
    },
    sign_gpu_threshold: GpuThreshold {
        portable: 24,
        simd: 30,
    },
};

/// Verifies one signature per item over 32-byte digests. Variable-time: all inputs are public.
///
/// An item is rejected with the first of these that applies: [`Rejection::ROutOfRange`],
/// [`Rejection::SOutOfRange`], [`Rejection::HighS`] (by policy), [`Rejection::MalformedPoint`],
/// [`Rejection::NotOnCurve`], [`Rejection::IdentityKey`], [`Rejection::IdentityResult`],
/// [`Rejection::Mismatch`].
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, PublicKeys, Secp256k1, ecdsa, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate(&engine, Secp256k1, 2)?;
/// let digests = [[1; 32], [2; 32]];
/// let signed = ecdsa::sign(&engine, Secp256k1, &digests, &secret, Default::default())?;
/// let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
/// signatures[1][40] ^= 1;
/// let keys = PublicKeys::points(&public);
/// let verdicts = ecdsa::verify(&engine, Secp256k1, &digests, &signatures, keys, Default::default())?;
/// assert!(verdicts[0].is_valid());
/// for (index, reason) in verdicts.rejected() {
///     println!("item {index}: {reason}");
/// }
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify<'k>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: impl Into<PublicKeys<'k>>,
    policy: Policy,
) -> Result<Verdicts, Error> {
    let curve = curve.id();
    let keys = keys.into();
    let inputs = Verification::new(digests.into(), signatures.into(), keys);
    let verify = VerifyDigests::new(&ECDSA, curve, inputs, policy, digests.len())?;
    engine.collect(&verify, verdict_of).map(Verdicts::new)
}

/// Verifies signatures stored in columns and writes one code per item. See [`verify`].
/// Variable-time: all inputs are public.
///
/// # Errors
/// The errors of [`verify`].
///
/// ```
/// use gecc::{Engine, PublicKeys, Rows, Secp256k1, ecdsa, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate(&engine, Secp256k1, 2)?;
/// let signed = ecdsa::sign(&engine, Secp256k1, &[[1; 32]; 2], &secret, Default::default())?;
/// // Records of key and signature, as they lie.
/// let record = |i: usize| [&public[i].to_compressed().unwrap()[..], &signed[i].unwrap()].concat();
/// let records = [record(0), record(1)].concat();
/// let keys = PublicKeys::compressed(Rows::strided(&records, 97, 2)?);
/// let signatures = Rows::strided(&records[33..], 97, 2)?;
/// let mut codes = [0; 2];
/// ecdsa::verify_into(&engine, Secp256k1, Rows::all(&[1; 32]), signatures, keys, Default::default(), &mut codes)?;
/// assert_eq!(codes, [gecc::Verdict::VALID_CODE; 2]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify_into<'a, 'k>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    digests: impl Into<Rows<'a, 32>>,
    signatures: impl Into<Rows<'a, 64>>,
    keys: impl Into<PublicKeys<'k>>,
    policy: Policy,
    codes: &mut [u8],
) -> Result<(), Error> {
    let curve = curve.id();
    let digests = digests.into();
    let signatures = signatures.into();
    let keys = keys.into();
    let verify = VerifyDigests::new(
        &ECDSA,
        curve,
        Verification::new(digests, signatures, keys),
        policy,
        codes.len(),
    )?;
    engine.run(&verify, ResultsMut::codes(codes))
}

/// Verifies ECDSA signatures that come with recovery ids. With
/// [`crate::EngineBuilder::batch_verification`] the ids allow many signatures to be checked with
/// one equation, which is faster; otherwise they are ignored. Variable-time: all inputs are public.
///
/// The verdicts are the same as those of [`verify`], regardless of the recovery ids: an id is only
/// a hint at R, and a wrong or out-of-range id costs time but never changes a verdict. A valid
/// verdict therefore does not prove that the id is right: compare the result of [`recover`] for
/// that.
///
/// # Errors
/// The errors of [`verify`].
///
/// ```
/// use gecc::{Engine, Secp256k1, ecdsa, keys};
/// let engine = Engine::builder().batch_verification(true).build()?;
/// let (secret, public) = keys::generate(&engine, Secp256k1, 3)?;
/// let signed = ecdsa::sign_recoverable(&engine, Secp256k1, &[[9; 32]; 3], &secret, Default::default())?;
/// let signed: Vec<_> = signed.into_iter().map(Result::unwrap).collect();
/// let signatures: Vec<_> = signed.iter().map(|signed| signed.signature).collect();
/// let mut ids: Vec<_> = signed.iter().map(|signed| signed.recovery_id).collect();
/// ids[1] ^= 1;
/// let verdicts = ecdsa::verify_recoverable(
///     &engine, Secp256k1, &[[9; 32]; 3], &signatures, &ids, &public, Default::default(),
/// )?;
/// assert!(verdicts.all_valid());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify_recoverable<'k>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    recovery_ids: &[u8],
    keys: impl Into<PublicKeys<'k>>,
    policy: Policy,
) -> Result<Verdicts, Error> {
    let curve = curve.id();
    let keys = keys.into();
    let recoverable =
        recover_cpu::RecoveryInputs::new(digests, signatures, recovery_ids.as_chunks::<1>().0);
    let verify = verification_with_ids(engine, curve, recoverable, keys, policy, digests.len())?;
    engine.collect(&verify, verdict_of).map(Verdicts::new)
}

/// Verifies signatures with recovery ids stored in columns and writes one code per item. See
/// [`verify_recoverable`]. Variable-time: all inputs are public.
///
/// # Errors
/// The errors of [`verify`].
#[allow(
    clippy::too_many_arguments,
    reason = "columns of a call are its parameters"
)]
pub fn verify_recoverable_into<'a, 'k>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    digests: impl Into<Rows<'a, 32>>,
    signatures: impl Into<Rows<'a, 64>>,
    recovery_ids: impl Into<Rows<'a, 1>>,
    keys: impl Into<PublicKeys<'k>>,
    policy: Policy,
    codes: &mut [u8],
) -> Result<(), Error> {
    let curve = curve.id();
    let keys = keys.into();
    let recoverable = recover_cpu::RecoveryInputs::new(digests, signatures, recovery_ids);
    let verify = verification_with_ids(engine, curve, recoverable, keys, policy, codes.len())?;
    engine.run(&verify, ResultsMut::codes(codes))
}

fn verification_with_ids<'a>(
    engine: &Engine,
    curve: CurveId,
    recover_cpu::RecoveryInputs {
        digests,
        signatures,
        recovery_ids,
    }: recover_cpu::RecoveryInputs<'a>,
    keys: PublicKeys<'a>,
    policy: Policy,
    items: usize,
) -> Result<VerifyDigests<'a>, Error> {
    require_lengths(items, &[("recovery ids", recovery_ids.len_for(items))])?;
    let recovery_ids = engine.info().batch_verification.then_some(recovery_ids);
    let inputs = Verification {
        recovery_ids,
        ..Verification::new(digests, signatures, keys)
    };
    VerifyDigests::new(&ECDSA, curve, inputs, policy, items)
}

/// Signs one 32-byte digest per item, with nonces of RFC 6979 (HMAC-SHA-256). **Constant-time** in
/// keys and nonces.
///
/// Signatures are bit-identical to those of `k256` and `p256`, unless `s_form` requests another
/// form. `signers` is one key per item or one for all, or keys with additional data. Items are
/// rejected with [`Rejection::SecretKeyOutOfRange`]. Signing with one key on several curves reveals
/// it: see [`Signers`].
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, P256, SecretKey, ecdsa};
/// let engine = Engine::new()?;
/// let key = SecretKey::generate(P256)?;
/// let signed = ecdsa::sign(&engine, P256, &[[5; 32], [6; 32]], &key, Default::default())?;
/// // The same bytes as RustCrypto's, and accepted as its type.
/// use p256::ecdsa::{Signature, SigningKey, signature::hazmat::PrehashSigner};
/// let theirs: Signature = SigningKey::from_slice(key.expose_bytes()).unwrap().sign_prehash(&[5; 32]).unwrap();
/// assert_eq!(Signature::from_slice(&signed[0].unwrap()).unwrap(), theirs);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sign<'a>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    digests: &[[u8; 32]],
    signers: impl Into<Signers<'a>>,
    s_form: SForm,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    let curve = curve.id();
    let signers = signers.into();
    let sign = signing(
        engine,
        curve,
        digests.into(),
        signers,
        s_form,
        false,
        digests.len(),
    )?;
    engine.collect(&sign, bytes_of)
}

/// Signs digests from columns into columns: 64 bytes `r || s` per item. See [`sign`].
/// **Constant-time** in keys and nonces.
///
/// # Errors
/// The errors of [`sign`].
pub fn sign_into<'a, 'b>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    digests: impl Into<Rows<'a, 32>>,
    signers: impl Into<Signers<'b>>,
    s_form: SForm,
    signatures: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let curve = curve.id();
    let digests = digests.into();
    let signers = signers.into();
    require_lengths(codes.len(), &[("signatures", signatures.len())])?;
    let sign = signing(engine, curve, digests, signers, s_form, false, codes.len())?;
    engine.run(&sign, ResultsMut::rows(codes, signatures))
}

fn signing<'a>(
    engine: &Engine,
    curve: CurveId,
    digests: Rows<'a, 32>,
    signers: Signers<'a>,
    s_form: SForm,
    recoverable: bool,
    items: usize,
) -> Result<SignDigests<'a>, Error> {
    let low_s = match s_form {
        SForm::CurveDefault => curve.has_low_s_by_default(),
        SForm::Low => true,
        SForm::AsComputed => false,
    };
    let check = match (engine.info().check_signatures, recoverable) {
        (false, _) => Check::Nothing,
        (true, false) => Check::Signatures,
        (true, true) => Check::RecoveryIds,
    };
    let signing = Signing {
        inputs: SigningInputs { digests, signers },
        low_s,
        check,
        widths: cpu::widths(recoverable),
    };
    SignDigests::new(&ECDSA, curve, signing, items)
}

/// Signs digests as [`sign`] does and also returns recovery ids. **Constant-time** in keys and
/// nonces.
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, Secp256k1, ecdsa, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate(&engine, Secp256k1, 1)?;
/// let signed = ecdsa::sign_recoverable(&engine, Secp256k1, &[[9; 32]], &secret, Default::default())?[0].unwrap();
/// let recovered = ecdsa::recover(&engine, Secp256k1, &[[9; 32]], &[signed.signature], &[signed.recovery_id])?;
/// assert_eq!(recovered[0], Ok(public[0]));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sign_recoverable<'a>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    digests: &[[u8; 32]],
    signers: impl Into<Signers<'a>>,
    s_form: SForm,
) -> Result<Vec<Result<RecoverableSignature, Rejection>>, Error> {
    let curve = curve.id();
    let signers = signers.into();
    let sign = signing(
        engine,
        curve,
        digests.into(),
        signers,
        s_form,
        true,
        digests.len(),
    )?;
    engine.collect(&sign, recoverable_of)
}

/// Signs digests from columns into columns: 64 bytes `r || s` and a recovery id per item. See
/// [`sign_recoverable`]. **Constant-time** in keys and nonces.
///
/// # Errors
/// The errors of [`sign_recoverable`].
///
/// ```
/// use gecc::{Engine, Rows, Secp256k1, ecdsa, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate(&engine, Secp256k1, 2)?;
/// let mut signatures = [[0; 64]; 2];
/// let mut ids = [0; 2];
/// let mut codes = [0; 2];
/// let digest = Rows::all(&[9; 32]);
/// ecdsa::sign_recoverable_into(
///     &engine, Secp256k1, digest, &secret, Default::default(), &mut signatures, &mut ids, &mut codes,
/// )?;
/// assert_eq!(codes, [gecc::Verdict::VALID_CODE; 2]);
/// let recovered = ecdsa::recover(&engine, Secp256k1, &[[9; 32]; 2], &signatures, &ids)?;
/// assert_eq!(recovered, [Ok(public[0]), Ok(public[1])]);
/// # Ok::<(), gecc::Error>(())
/// ```
#[allow(
    clippy::too_many_arguments,
    reason = "columns of a call are its parameters"
)]
pub fn sign_recoverable_into<'a, 'b>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    digests: impl Into<Rows<'a, 32>>,
    signers: impl Into<Signers<'b>>,
    s_form: SForm,
    signatures: &mut [[u8; 64]],
    recovery_ids: &mut [u8],
    codes: &mut [u8],
) -> Result<(), Error> {
    let curve = curve.id();
    let digests = digests.into();
    let signers = signers.into();
    require_lengths(
        codes.len(),
        &[
            ("signatures", signatures.len()),
            ("recovery ids", recovery_ids.len()),
        ],
    )?;
    let sign = signing(engine, curve, digests, signers, s_form, true, codes.len())?;
    let columns = [signatures.as_flattened_mut(), recovery_ids];
    engine.run(&sign, ResultsMut::new(codes, columns, cpu::widths(true)))
}

/// Returns a signature with its recovery id.
pub(crate) fn recoverable_of(
    results: &Results,
    item: usize,
) -> Result<RecoverableSignature, Rejection> {
    let signature = *results.get(item)?;
    Ok(RecoverableSignature {
        signature,
        recovery_id: results.row(1, item)[0],
    })
}
