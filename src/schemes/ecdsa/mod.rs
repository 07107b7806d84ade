//! ECDSA on secp256k1 and P-256: verify, sign, recover (SEC 1, section 4.1; FIPS 186-5, section 6).
//!
//! Digest-level calls take 32-byte digests; message-level calls hash with SHA-256: large batches on the GPUs where there are
//! any, but messages above 16 KiB on the CPU. Signatures are `r || s`, 64 bytes,
//! big-endian: what `k256::ecdsa::Signature::to_bytes()` gives. [`crate::signature_from_der`] decodes DER.

use crate::cpu::CpuEngine;
use crate::cpu::recover::Inputs;
use crate::curve::{EcdsaCurve, Secp256k1};
use crate::encoding::PublicKeys;
use crate::engine::{Engine, Engines};
use crate::error::{Error, Rejection, Verdicts, require_lengths};
use crate::keys::require_keys;
use crate::point::Points;
use crate::secret::SecretKeys;
use crate::{cpu, gpu};
use sha2::{Digest, Sha256};
use std::ops::Range;

/// Items that one thread of the CPU computes before a GPU gives its first results (`Engine::dispatch`, PERFORMANCE.md).
mod worth {
    use crate::engine::Worth;

    pub const VERIFY: Worth = Worth { portable: 35, lanes: 50 };
    pub const RECOVER: Worth = Worth { portable: 35, lanes: 50 };
    pub const SIGN: Worth = Worth { portable: 5, lanes: 30 };
    /// Messages of any length, which is a block at least. CPUs are good at SHA-256: a GPU saves the time of the cores more
    /// than the caller's.
    pub const HASH: Worth = Worth::of(4000);
}

/// Verifies one signature per item over 32-byte digests. Variable-time: everything here is public.
///
/// An item is rejected with the first of these that applies: [`Rejection::ROutOfRange`], [`Rejection::SOutOfRange`],
/// [`Rejection::HighS`] (by policy), [`Rejection::MalformedPoint`], [`Rejection::NotOnCurve`],
/// [`Rejection::IdentityKey`], [`Rejection::IdentityResult`], [`Rejection::Mismatch`].
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, PublicKeys, Secp256k1, ecdsa, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate::<Secp256k1>(&engine, 2)?;
/// let digests = [[1; 32], [2; 32]];
/// let signed = ecdsa::sign::<Secp256k1>(&engine, &digests, &secret, Default::default())?;
/// let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
/// signatures[1][40] ^= 1;
/// let keys = PublicKeys::points(&public);
/// let verdicts = ecdsa::verify::<Secp256k1>(&engine, &digests, &signatures, keys, Default::default())?;
/// assert!(verdicts[0].is_valid());
/// for (index, reason) in verdicts.rejected() {
///     println!("item {index}: {reason}");
/// }
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify<C: EcdsaCurve>(
    engine: &Engine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: PublicKeys<'_>,
    policy: Policy,
) -> Result<Verdicts, Error> {
    let items = digests.len();
    require_lengths(items, &[("signatures", signatures.len()), ("public keys", keys.len_for(items))])?;
    let on_gpu = |engines| gpu::verify::ecdsa::<C>(engines, digests, signatures, keys, policy);
    let on_cpu = |engine: &_| cpu::verify::ecdsa::<C>(engine, digests, signatures, keys, policy);
    engine.dispatch(items, worth::VERIFY, on_gpu, on_cpu)
}

/// Verifies one signature per item over SHA-256 of the messages. Variable-time. See [`verify`].
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, P256, PublicKeys, ecdsa, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate::<P256>(&engine, 1)?;
/// let messages = ["a message"];
/// let signed = ecdsa::sign_messages::<P256, _>(&engine, &messages, &secret, Default::default())?;
/// let signatures = [signed[0].unwrap()];
/// let keys = PublicKeys::points(&public);
/// assert!(ecdsa::verify_messages::<P256, _>(&engine, &messages, &signatures, keys, Default::default())?.all_valid());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify_messages<C: EcdsaCurve, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    messages: &[M],
    signatures: &[[u8; 64]],
    keys: PublicKeys<'_>,
    policy: Policy,
) -> Result<Verdicts, Error> {
    let items = messages.len();
    require_lengths(items, &[("signatures", signatures.len()), ("public keys", keys.len_for(items))])?;
    verify::<C>(engine, &sha256(engine, messages)?, signatures, keys, policy)
}

/// Signs one 32-byte digest per item, with nonces of RFC 6979 (HMAC-SHA-256). **Constant-time** in keys and nonces.
///
/// Bit for bit what `k256` and `p256` give, unless `s_form` asks otherwise. `secret_keys` is one key per item or one for
/// all. Items are rejected with [`Rejection::SecretKeyOutOfRange`].
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, P256, SecretKey, ecdsa};
/// let engine = Engine::new()?;
/// let key = SecretKey::generate::<P256>()?;
/// let signed = ecdsa::sign::<P256>(&engine, &[[5; 32], [6; 32]], &key, Default::default())?;
/// // The same bytes as RustCrypto's, and accepted as its type.
/// use p256::ecdsa::{Signature, SigningKey, signature::hazmat::PrehashSigner};
/// let theirs: Signature = SigningKey::from_slice(key.expose_bytes()).unwrap().sign_prehash(&[5; 32]).unwrap();
/// assert_eq!(Signature::from_slice(&signed[0].unwrap()).unwrap(), theirs);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sign<'a, C: EcdsaCurve>(
    engine: &Engine,
    digests: &[[u8; 32]],
    secret_keys: impl Into<SecretKeys<'a>>,
    s_form: SForm,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    let check = if engine.info().check_signatures { Check::Signatures } else { Check::Nothing };
    sign_each::<C, _>(engine, digests, secret_keys.into(), s_form, check, |signed| signed.signature)
}

/// Signs SHA-256 of one message per item. **Constant-time** in keys and nonces, not in the length of messages. See [`sign`].
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, Secp256k1, SecretKey, ecdsa};
/// let engine = Engine::new()?;
/// let key = SecretKey::generate::<Secp256k1>()?;
/// let signed = ecdsa::sign_messages::<Secp256k1, _>(&engine, &["one", "two"], &key, Default::default())?;
/// assert!(signed.iter().all(Result::is_ok));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sign_messages<'a, C: EcdsaCurve, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    messages: &[M],
    secret_keys: impl Into<SecretKeys<'a>>,
    s_form: SForm,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    let secret_keys = secret_keys.into();
    require_keys(messages.len(), &secret_keys)?;
    sign::<C>(engine, &sha256(engine, messages)?, secret_keys, s_form)
}

/// Signs like [`sign`] and gives the recovery id besides. **Constant-time** in keys and nonces.
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, Secp256k1, ecdsa, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate::<Secp256k1>(&engine, 1)?;
/// let signed = ecdsa::sign_recoverable::<Secp256k1>(&engine, &[[9; 32]], &secret, Default::default())?[0].unwrap();
/// let recovered = ecdsa::recover::<Secp256k1>(&engine, &[[9; 32]], &[signed.signature], &[signed.recovery_id])?;
/// assert_eq!(recovered[0], Ok(public[0]));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sign_recoverable<'a, C: EcdsaCurve>(
    engine: &Engine,
    digests: &[[u8; 32]],
    secret_keys: impl Into<SecretKeys<'a>>,
    s_form: SForm,
) -> Result<Vec<Result<RecoverableSignature, Rejection>>, Error> {
    let check = if engine.info().check_signatures { Check::RecoveryIds } else { Check::Nothing };
    sign_each::<C, _>(engine, digests, secret_keys.into(), s_form, check, |signed| signed)
}

fn sign_each<C: EcdsaCurve, T: Send>(
    engine: &Engine,
    digests: &[[u8; 32]],
    secret_keys: SecretKeys,
    s_form: SForm,
    check: Check,
    result: impl Fn(RecoverableSignature) -> T + Sync,
) -> Result<Vec<Result<T, Rejection>>, Error> {
    require_keys(digests.len(), &secret_keys)?;
    let low_s = match s_form {
        SForm::CurveDefault => C::LOW_S_BY_DEFAULT,
        SForm::Low => true,
        SForm::AsComputed => false,
    };
    let on_gpu = |engines| gpu::sign::ecdsa::<C, _>(engines, digests, secret_keys, low_s, check, &result);
    let on_cpu = |engine: &_| {
        let signed = cpu::secret::sign_ecdsa::<C>(engine, digests, secret_keys, low_s, check);
        signed.into_iter().map(|item| item.map(&result)).collect()
    };
    engine.dispatch(digests.len(), worth::SIGN, on_gpu, on_cpu)
}

/// The public key that made each signature (SEC 1, section 4.1.6). Variable-time: everything here is public.
///
/// An item is rejected with the first of these that applies: [`Rejection::ROutOfRange`], [`Rejection::SOutOfRange`],
/// [`Rejection::RecoveryIdOutOfRange`], [`Rejection::NoSuchR`], [`Rejection::IdentityResult`]. High s is accepted; the
/// recovery id must be the one that belongs to it.
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, P256, Rejection, ecdsa};
/// let engine = Engine::new()?;
/// let keys = ecdsa::recover::<P256>(&engine, &[[1; 32]], &[[0; 64]], &[0])?;
/// assert_eq!(keys[0], Err(Rejection::ROutOfRange));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn recover<C: EcdsaCurve>(
    engine: &Engine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    recovery_ids: &[u8],
) -> Result<Points, Error> {
    let lengths = [("signatures", signatures.len()), ("recovery ids", recovery_ids.len())];
    require_lengths(digests.len(), &lengths)?;
    let inputs = Inputs { digests, signatures, recovery_ids };
    let on_gpu = |engines| gpu::recover::keys::<C>(engines, inputs);
    let on_cpu = |engine: &_| cpu::recover::recover::<C>(engine, inputs);
    engine.dispatch(digests.len(), worth::RECOVER, on_gpu, on_cpu)
}

/// The Ethereum address of the key that made each signature, on secp256k1: what [`recover`] gives, hashed where it was
/// computed. Variable-time: everything here is public.
///
/// Items are rejected as by [`recover`]. EIP-2 also asks transactions for low s, which is not checked here.
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, SecretKey, ecdsa};
/// let engine = Engine::new()?;
/// let mut one = [0; 32];
/// one[31] = 1;
/// let key = SecretKey::from_bytes(one);
/// let signed = ecdsa::sign_recoverable::<gecc::Secp256k1>(&engine, &[[9; 32]], &key, Default::default())?[0].unwrap();
/// let addresses = ecdsa::recover_addresses(&engine, &[[9; 32]], &[signed.signature], &[signed.recovery_id])?;
/// // The account of the private key 1.
/// assert_eq!(hex::encode(addresses[0].unwrap()), "7e5f4552091a69125d5dfcb7b8c2659029395bdf");
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn recover_addresses(
    engine: &Engine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    recovery_ids: &[u8],
) -> Result<Vec<Result<Address, Rejection>>, Error> {
    let lengths = [("signatures", signatures.len()), ("recovery ids", recovery_ids.len())];
    require_lengths(digests.len(), &lengths)?;
    let inputs = Inputs { digests, signatures, recovery_ids };
    let on_gpu = |engines| gpu::recover::addresses::<Secp256k1>(engines, inputs);
    let on_cpu = |engine: &_| cpu::recover::addresses::<Secp256k1>(engine, inputs);
    engine.dispatch(digests.len(), worth::RECOVER, on_gpu, on_cpu)
}

fn sha256<M: AsRef<[u8]> + Sync>(engine: &Engine, messages: &[M]) -> Result<Vec<[u8; 32]>, Error> {
    let message = |item: usize| messages[item].as_ref();
    let digests = |engine: &CpuEngine, items: Range<usize>| {
        engine.map(items.len(), [0; 32], |i| Sha256::digest(message(items.start + i)).into())
    };
    let on_gpu =
        |engines: Engines| gpu::hash::sha256(engines, messages.len(), &message, &|items| digests(engines.cpu, items));
    engine.dispatch(messages.len(), worth::HASH, on_gpu, |engine| digests(engine, 0..messages.len()))
}
