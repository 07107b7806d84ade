//! SM2 digital signatures (GB/T 32918.2, GM/T 0003.2) with SM3 (GB/T 32905).
//!
//! Message-level calls compute e = SM3(Z_A || M) for the caller, where Z_A binds the user id and the public key. Digest-level
//! calls take e, 32 bytes, big-endian. Signatures are `r || s`, 64 bytes; low-s normalisation does not exist for SM2.

use crate::curve::Sm2;
use crate::encoding::{Point, PublicKeys};
use crate::engine::Engine;
use crate::error::{Error, Rejection, Verdict, Verdicts, require_lengths};
use crate::keys::require_keys;
use crate::secret::SecretKeys;
use crate::{cpu, gpu};
use sm3::{Digest, Sm3};

/// The user id that GM/T 0009 prescribes where none is agreed on: `1234567812345678`.
pub const DEFAULT_USER_ID: &[u8] = b"1234567812345678";

/// Bytes of the longest user id: Z_A holds its length in bits as 16 bits.
pub const MAX_USER_ID_LEN: usize = 8191;

/// Items that one thread of the CPU computes before a GPU gives its first results (`Engine::dispatch`, PERFORMANCE.md).
mod worth {
    pub const VERIFY: usize = 30;
    pub const SIGN: usize = 5;
}

/// The user ids of a batch: one for all items, or one per item.
#[derive(Clone, Copy, Debug)]
pub struct UserIds<'a>(Ids<'a>);

#[derive(Clone, Copy, Debug)]
enum Ids<'a> {
    All(&'a [u8]),
    Each(&'a [&'a [u8]]),
}

impl<'a> UserIds<'a> {
    /// The same id for every item.
    pub fn all(id: &'a [u8]) -> Self {
        UserIds(Ids::All(id))
    }

    /// Item i uses `ids[i]`.
    pub fn each(ids: &'a [&'a [u8]]) -> Self {
        UserIds(Ids::Each(ids))
    }

    fn len_for(&self, items: usize) -> usize {
        match self.0 {
            Ids::All(_) => items,
            Ids::Each(ids) => ids.len(),
        }
    }

    fn get(&self, item: usize) -> &'a [u8] {
        match self.0 {
            Ids::All(id) => id,
            Ids::Each(ids) => ids[item],
        }
    }
}

impl Default for UserIds<'_> {
    /// [`DEFAULT_USER_ID`] for every item.
    fn default() -> Self {
        UserIds::all(DEFAULT_USER_ID)
    }
}

/// Verifies one signature per item over e, 32 bytes. Variable-time: everything here is public.
///
/// An item is rejected with the first of these that applies: [`Rejection::ROutOfRange`], [`Rejection::SOutOfRange`],
/// [`Rejection::ZeroT`], [`Rejection::MalformedPoint`], [`Rejection::NotOnCurve`], [`Rejection::IdentityKey`],
/// [`Rejection::IdentityResult`], [`Rejection::Mismatch`].
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, PublicKeys, Sm2, keys, sm2};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate::<Sm2>(&engine, 1)?;
/// let signed = sm2::sign(&engine, &[[3; 32]], &secret)?;
/// let verdicts = sm2::verify(&engine, &[[3; 32]], &[signed[0].unwrap()], PublicKeys::points(&public))?;
/// assert!(verdicts.all_valid());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify(
    engine: &Engine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: PublicKeys<'_>,
) -> Result<Verdicts, Error> {
    let items = digests.len();
    require_lengths(items, &[("signatures", signatures.len()), ("public keys", keys.len_for(items))])?;
    let on_gpu = |engines| gpu::verify::sm2(engines, digests, signatures, keys);
    let on_cpu = |engine: &_| cpu::verify::sm2::<Sm2>(engine, digests, signatures, keys);
    engine.dispatch(items, worth::VERIFY, on_gpu, on_cpu)
}

/// Verifies one signature per item over SM3(Z_A || M). Variable-time. See [`verify`].
///
/// A user id that is too long rejects its item with [`Rejection::UserIdTooLong`], after the checks of the signature's
/// ranges and of the key.
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, PublicKeys, Sm2, keys, sm2};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate::<Sm2>(&engine, 1)?;
/// let ids = sm2::UserIds::all(b"alice@example.com");
/// let signed = sm2::sign_messages(&engine, &["hello"], ids, &secret)?;
/// let keys = PublicKeys::points(&public);
/// assert!(sm2::verify_messages(&engine, &["hello"], ids, &[signed[0].unwrap()], keys)?.all_valid());
/// assert!(!sm2::verify_messages(&engine, &["hello"], Default::default(), &[signed[0].unwrap()], keys)?.all_valid());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify_messages<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    messages: &[M],
    user_ids: UserIds<'_>,
    signatures: &[[u8; 64]],
    keys: PublicKeys<'_>,
) -> Result<Verdicts, Error> {
    let items = messages.len();
    let lengths = [("signatures", signatures.len()), ("user ids", user_ids.len_for(items))];
    require_lengths(items, &lengths)?;
    require_lengths(items, &[("public keys", keys.len_for(items))])?;
    // Z_A needs the coordinates, so compressed keys are decoded first; the result serves the verification too.
    let points = engine.decode_keys::<Sm2>(items, keys)?;
    let digests = message_digests(engine, messages, user_ids, &points);
    let replaced: Vec<[u8; 32]> = digests.iter().map(|digest| digest.unwrap_or_default()).collect();
    let points: Vec<Point> = points.into_iter().map(|point| point.unwrap_or(Point::IDENTITY)).collect();
    let verdicts = verify(engine, &replaced, signatures, PublicKeys::points(&points))?;
    let merge = |(verdict, digest): (Verdict, &Result<_, Rejection>)| match digest {
        Err(reason) if !comes_before_key(verdict) => Verdict::Rejected(*reason),
        _ => verdict,
    };
    Ok(Verdicts::new(verdicts.into_iter().zip(&digests).map(merge).collect()))
}

/// Whether the verdict speaks of the signature's ranges, which are checked before the key.
fn comes_before_key(verdict: Verdict) -> bool {
    use Rejection::{ROutOfRange, SOutOfRange, ZeroT};
    matches!(verdict, Verdict::Rejected(ROutOfRange | SOutOfRange | ZeroT))
}

/// Signs one digest e per item, with nonces of RFC 6979 (HMAC-SM3). **Constant-time** in keys and nonces.
///
/// Bit for bit what the `sm2` crate gives. `secret_keys` is one key per item or one for all. Items are rejected with
/// [`Rejection::SecretKeyOutOfRange`] (the key must be in `1..n-1`: with n - 1, 1 + d has no inverse).
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, SecretKey, Sm2, sm2};
/// let engine = Engine::new()?;
/// let key = SecretKey::generate::<Sm2>()?;
/// assert!(sm2::sign(&engine, &[[1; 32], [2; 32]], &key)?.iter().all(Result::is_ok));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sign<'a>(
    engine: &Engine,
    digests: &[[u8; 32]],
    secret_keys: impl Into<SecretKeys<'a>>,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    let secret_keys = secret_keys.into();
    require_keys(digests.len(), &secret_keys)?;
    let on_gpu = |engines| gpu::sign::sm2(engines, digests, secret_keys);
    let on_cpu = |engine: &_| cpu::secret::sign_sm2::<Sm2>(engine, digests, secret_keys);
    engine.dispatch(digests.len(), worth::SIGN, on_gpu, on_cpu)
}

/// Signs SM3(Z_A || M) of one message per item; Z_A is computed from the private key's public key. **Constant-time** in keys
/// and nonces, not in the length of messages. See [`sign`].
///
/// A user id that is too long rejects its item with [`Rejection::UserIdTooLong`].
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, SecretKey, Sm2, sm2};
/// let engine = Engine::new()?;
/// let key = SecretKey::generate::<Sm2>()?;
/// let signed = sm2::sign_messages(&engine, &["one", "two"], Default::default(), &key)?;
/// assert!(signed.iter().all(Result::is_ok));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sign_messages<'a, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    messages: &[M],
    user_ids: UserIds<'_>,
    secret_keys: impl Into<SecretKeys<'a>>,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    let (items, secret_keys) = (messages.len(), secret_keys.into());
    require_lengths(items, &[("user ids", user_ids.len_for(items))])?;
    require_keys(items, &secret_keys)?;
    let public = cpu::secret::public_keys_of::<Sm2>(engine.cpu_engine(), items, secret_keys);
    let digests = message_digests(engine, messages, user_ids, &public);
    let replaced: Vec<[u8; 32]> = digests.iter().map(|digest| digest.unwrap_or_default()).collect();
    let signed = sign(engine, &replaced, secret_keys)?;
    Ok(digests.into_iter().zip(signed).map(|(digest, signature)| digest.and(signature)).collect())
}

/// Z_A = SM3(ENTL || id || a || b || x_G || y_G || x_A || y_A) (GB/T 32918.2, section 5.5).
///
/// # Errors
/// [`Rejection::UserIdTooLong`] above [`MAX_USER_ID_LEN`] bytes, [`Rejection::IdentityKey`] for the identity.
pub fn za(user_id: &[u8], public_key: &Point) -> Result<[u8; 32], Rejection> {
    if user_id.len() > MAX_USER_ID_LEN {
        return Err(Rejection::UserIdTooLong);
    }
    if public_key.is_identity() {
        return Err(Rejection::IdentityKey);
    }
    let bits = u16::try_from(8 * user_id.len()).expect("at most 8191 bytes");
    let mut hash = Sm3::new();
    hash.update(bits.to_be_bytes());
    hash.update(user_id);
    hash.update(cpu::domain_parameters::<Sm2>());
    hash.update(public_key.x());
    hash.update(public_key.y());
    Ok(hash.finalize().into())
}

/// e = SM3(Z_A || M) per item; an item without a usable key or id keeps its rejection.
fn message_digests<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    messages: &[M],
    user_ids: UserIds<'_>,
    keys: &[Result<Point, Rejection>],
) -> Vec<Result<[u8; 32], Rejection>> {
    engine.cpu_engine().map(messages.len(), |item| {
        let za = za(user_ids.get(item), &keys[item]?)?;
        let mut hash = Sm3::new_with_prefix(za);
        hash.update(messages[item].as_ref());
        Ok(hash.finalize().into())
    })
}
