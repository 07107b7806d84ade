//! SM2 digital signatures (GB/T 32918.2, GM/T 0003.2) with SM3 (GB/T 32905).
//!
//! Message-level calls compute e = SM3(Z_A || M) for the caller, where Z_A binds the user id and the public key: large batches
//! on the GPUs where there are any, but messages above 16 KiB on the CPU. Digest-level calls take e, 32 bytes, big-endian. Signatures are `r || s`, 64 bytes; low-s normalisation does not exist for SM2.

use crate::cpu::CpuEngine;
use crate::curve::Sm2;
use crate::encoding::{Point, PublicKeys};
use crate::engine::{Engine, Engines};
use crate::error::{Error, Rejection, Verdict, Verdicts, require_lengths};
use crate::keys::{public_keys, require_keys};
use crate::secret::SecretKeys;
use crate::{cpu, gpu};
use sm3::{Digest, Sm3};
use std::ops::Range;

/// The user id that GM/T 0009 prescribes where none is agreed on: `1234567812345678`.
pub const DEFAULT_USER_ID: &[u8] = b"1234567812345678";

/// Bytes of the longest user id: Z_A holds its length in bits as 16 bits.
pub const MAX_USER_ID_LEN: usize = 8191;

/// Items that one thread of the CPU computes before a GPU gives its first results (`Engine::dispatch`, PERFORMANCE.md).
mod worth {
    use crate::engine::Worth;

    pub const VERIFY: Worth = Worth { portable: 30, lanes: 50 };
    pub const SIGN: Worth = Worth { portable: 3, lanes: 10 };
    /// Messages: each takes half a dozen blocks of SM3, Z_A being four of them.
    pub const HASH: Worth = Worth::of(200);
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

    fn is_too_long(&self, item: usize) -> bool {
        self.get(item).len() > MAX_USER_ID_LEN
    }

    /// Whether any id is too long.
    fn any_too_long(&self) -> bool {
        match self.0 {
            Ids::All(id) => id.len() > MAX_USER_ID_LEN,
            Ids::Each(ids) => ids.iter().any(|id| id.len() > MAX_USER_ID_LEN),
        }
    }

    /// The id as far as it can be hashed; an item with a longer one is rejected, whatever its digest.
    fn get_hashable(&self, item: usize) -> &'a [u8] {
        let id = self.get(item);
        &id[..id.len().min(MAX_USER_ID_LEN)]
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
    let Hashed { digests, points } = hash(engine, messages, user_ids, keys)?;
    let keys = points.as_deref().map_or(keys, PublicKeys::points);
    let verdicts = verify(engine, &digests, signatures, keys)?;
    if !user_ids.any_too_long() {
        return Ok(verdicts);
    }
    let merge = |(item, verdict): (usize, Verdict)| match verdict {
        verdict if user_ids.is_too_long(item) && !comes_before_id(verdict) => {
            Verdict::Rejected(Rejection::UserIdTooLong)
        }
        verdict => verdict,
    };
    Ok(Verdicts::new(verdicts.into_iter().enumerate().map(merge).collect()))
}

/// Whether the verdict speaks of the signature's ranges or of the key, which are checked before the user id.
fn comes_before_id(verdict: Verdict) -> bool {
    use Rejection::{IdentityKey, MalformedPoint, NotOnCurve, ROutOfRange, SOutOfRange, ZeroT};
    let Verdict::Rejected(reason) = verdict else { return false };
    matches!(reason, ROutOfRange | SOutOfRange | ZeroT | MalformedPoint | NotOnCurve | IdentityKey)
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
    let check = engine.info().check_signatures;
    let on_cpu = |engine: &_| cpu::secret::sign_sm2::<Sm2>(engine, digests, secret_keys, check);
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
    let public = public_keys::<Sm2>(engine, secret_keys.as_slice())?;
    let public: Vec<Point> = public.into_iter().map(|point| point.unwrap_or(Point::IDENTITY)).collect();
    let keys = match secret_keys.single() {
        Some(_) => PublicKeys::all(public[0].as_sec1()),
        None => PublicKeys::points(&public),
    };
    let digests = hash(engine, messages, user_ids, keys)?.digests;
    let mut signed = sign(engine, &digests, secret_keys)?;
    if user_ids.any_too_long() {
        for (item, signed) in signed.iter_mut().enumerate().filter(|(item, _)| user_ids.is_too_long(*item)) {
            // A key out of range comes first. n - 1 is one to `sign` alone: it has a public key.
            let key = if secret_keys.single().is_some() { public[0] } else { public[item] };
            *signed = Err(if key.is_identity() { Rejection::SecretKeyOutOfRange } else { Rejection::UserIdTooLong });
        }
    }
    Ok(signed)
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

/// Digests of messages, and the public keys where they were decoded for them and are all good.
struct Hashed {
    digests: Vec<[u8; 32]>,
    points: Option<Vec<Point>>,
}

/// e = SM3(Z_A || M) per item. What an item gets whose key or id cannot be used means nothing.
fn hash<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    messages: &[M],
    user_ids: UserIds<'_>,
    keys: PublicKeys<'_>,
) -> Result<Hashed, Error> {
    let message = |item: usize| messages[item].as_ref();
    let id = |item| user_ids.get_hashable(item);
    let on_cpu = |engine: &CpuEngine, items: Range<usize>| {
        let points = cpu::point::decode_keys::<Sm2>(engine, items.len(), keys.slice(items.clone()));
        let digests = engine.map(items.len(), [0; 32], |i| {
            let item = items.start + i;
            let digest = |key: &Point| Some(message_digest(&za(id(item), key).ok()?, message(item)));
            points[i].as_ref().ok().and_then(digest).unwrap_or_default()
        });
        Hashed { digests, points: points.into_iter().collect::<Result<_, _>>().ok() }
    };
    let on_gpu = |engines: Engines| {
        let ids = match user_ids.0 {
            Ids::All(_) => gpu::hash::Ids::All(user_ids.get_hashable(0)),
            Ids::Each(_) => gpu::hash::Ids::Each(&id),
        };
        let on_cpu = |items| on_cpu(engines.cpu, items).digests;
        let digests = gpu::hash::sm3(engines, messages.len(), &message, ids, keys, &on_cpu)?;
        Ok(Hashed { digests, points: None })
    };
    engine.dispatch(messages.len(), worth::HASH, on_gpu, |engine| on_cpu(engine, 0..messages.len()))
}

fn message_digest(za: &[u8; 32], message: &[u8]) -> [u8; 32] {
    Sm3::new_with_prefix(za).chain_update(message).finalize().into()
}
