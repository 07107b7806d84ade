//! SM2 digital signatures (GB/T 32918.2, GM/T 0003.2) with SM3 (GB/T 32905).
//!
//! Message-level calls compute e = SM3(Z_A || M), where Z_A binds the user id and the public key.
//! Large batches are hashed on GPUs if there are any, except messages above 16 KiB, which are
//! hashed on the CPU. Digest-level calls take e, 32 bytes, big-endian. Signatures are `r || s`, 64
//! bytes; low-s normalisation does not exist for SM2.

pub(crate) mod cpu;
pub(crate) mod digest;
mod digest_gpu;
mod gpu;
pub(crate) mod known_answers;

use super::common::{
    Scheme, SignDigests, Signing, SigningInputs, Verification, VerifyDigests, verdict_of,
};
use crate::curve::{Curve, Sm2, per_curve};
use crate::engine::Engine;
use crate::operation::GpuThreshold;
use crate::ops::hash::{SizedTexts, Texts, digests_by};
use crate::ops::keys::public_keys_of;
use crate::ops::point::decode_keys;
use crate::types::{
    Check, Error, Point, Policy, PublicKeys, Rejection, ResultsMut, Rows, Signers, Verdicts,
    bytes_of, require_lengths, result_of,
};
use digest::MessageDigests;
use std::ops::Range;

/// The user id that GM/T 0009 prescribes if none is agreed on: `1234567812345678`.
pub const DEFAULT_USER_ID: &[u8] = b"1234567812345678";

/// The maximum length of a user id in bytes: Z_A contains its length in bits as a 16-bit number.
pub const MAX_USER_ID_LEN: usize = 8191;

/// The scheme SM2.
pub(crate) static SM2: Scheme = Scheme {
    name: "SM2",
    verify_on_cpu: per_curve!(sm2 cpu::verify),
    sign_on_cpu: per_curve!(sm2 cpu::sign),
    has_recovery: false,
    on_gpu: gpu::STEPS,
    verify_gpu_threshold: GpuThreshold {
        portable: 30,
        simd: 50,
    },
    sign_gpu_threshold: GpuThreshold {
        portable: 16,
        simd: 10,
    },
};

/// The user ids of a batch: one for all items, or one per item.
#[derive(Clone, Copy, Debug)]
pub struct UserIds<'a>(Ids<'a>);

#[derive(Clone, Copy, Debug)]
enum Ids<'a> {
    All(&'a [u8]),
    Each(&'a [&'a [u8]]),
}

impl<'a> UserIds<'a> {
    /// Uses one id for every item.
    pub fn all(id: &'a [u8]) -> Self {
        UserIds(Ids::All(id))
    }

    /// Uses `ids[i]` for item i.
    pub fn each(ids: &'a [&'a [u8]]) -> Self {
        UserIds(Ids::Each(ids))
    }

    /// Returns the ids of some items. A single id for all items is returned as such.
    ///
    /// # Panics
    /// If the range is out of bounds.
    pub fn slice(&self, items: Range<usize>) -> Self {
        match self.0 {
            Ids::All(id) => UserIds::all(id),
            Ids::Each(ids) => UserIds::each(&ids[items]),
        }
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

    /// Returns the items whose ids are too long.
    fn too_long(self, items: usize) -> impl Iterator<Item = usize> {
        let may_be = match self.0 {
            Ids::All(id) => id.len() > MAX_USER_ID_LEN,
            Ids::Each(_) => true,
        };
        (0..if may_be { items } else { 0 })
            .filter(move |item| self.get(*item).len() > MAX_USER_ID_LEN)
    }

    /// Returns the id, truncated to the maximum length. An item with a longer id is rejected
    /// regardless of its digest.
    fn get_hashable(&self, item: usize) -> &'a [u8] {
        let id = self.get(item);
        &id[..id.len().min(MAX_USER_ID_LEN)]
    }
}

impl Default for UserIds<'_> {
    /// Uses [`DEFAULT_USER_ID`] for every item.
    fn default() -> Self {
        UserIds::all(DEFAULT_USER_ID)
    }
}

/// Verifies one signature per item over e, 32 bytes. Variable-time: all inputs are public.
///
/// An item is rejected with the first of these that applies: [`Rejection::ROutOfRange`],
/// [`Rejection::SOutOfRange`], [`Rejection::ZeroT`], [`Rejection::MalformedPoint`],
/// [`Rejection::NotOnCurve`], [`Rejection::IdentityKey`], [`Rejection::IdentityResult`],
/// [`Rejection::Mismatch`].
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, PublicKeys, Sm2, keys, sm2};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate(&engine, Sm2, 1)?;
/// let signed = sm2::sign(&engine, &[[3; 32]], &secret)?;
/// let verdicts = sm2::verify(&engine, &[[3; 32]], &[signed[0].unwrap()], PublicKeys::points(&public))?;
/// assert!(verdicts.all_valid());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify<'k>(
    engine: &Engine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: impl Into<PublicKeys<'k>>,
) -> Result<Verdicts, Error> {
    let inputs = Verification::new(digests.into(), signatures.into(), keys.into());
    let verify = VerifyDigests::new(&SM2, Sm2::ID, inputs, Policy::default(), digests.len())?;
    engine.collect(&verify, verdict_of).map(Verdicts::new)
}

/// Verifies signatures over digests from columns and writes a one-byte code per item
/// ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`]). See [`verify`]. Variable-time: all
/// inputs are public.
///
/// # Errors
/// The errors of [`verify`].
pub fn verify_into<'a, 'k>(
    engine: &Engine,
    digests: impl Into<Rows<'a, 32>>,
    signatures: impl Into<Rows<'a, 64>>,
    keys: impl Into<PublicKeys<'k>>,
    codes: &mut [u8],
) -> Result<(), Error> {
    let inputs = Verification::new(digests.into(), signatures.into(), keys.into());
    let verify = VerifyDigests::new(&SM2, Sm2::ID, inputs, Policy::default(), codes.len())?;
    engine.run(&verify, ResultsMut::codes(codes))
}

/// Verifies one signature per item over SM3(Z_A || M). Variable-time. See [`verify`].
///
/// An item whose user id is too long is rejected with [`Rejection::UserIdTooLong`], after the
/// checks of the signature's ranges and of the key.
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, PublicKeys, Sm2, keys, sm2};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate(&engine, Sm2, 1)?;
/// let ids = sm2::UserIds::all(b"alice@example.com");
/// let signed = sm2::sign_messages(&engine, &["hello"], ids, &secret)?;
/// let keys = PublicKeys::points(&public);
/// assert!(sm2::verify_messages(&engine, &["hello"], ids, &[signed[0].unwrap()], keys)?.all_valid());
/// assert!(!sm2::verify_messages(&engine, &["hello"], Default::default(), &[signed[0].unwrap()], keys)?.all_valid());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify_messages<'k>(
    engine: &Engine,
    messages: &[impl AsRef<[u8]> + Sync],
    user_ids: UserIds<'_>,
    signatures: &[[u8; 64]],
    keys: impl Into<PublicKeys<'k>>,
) -> Result<Verdicts, Error> {
    let mut codes = vec![0; messages.len()];
    verify_messages_into(engine, messages, user_ids, signatures, keys, &mut codes)?;
    Ok(Verdicts::new(
        codes
            .into_iter()
            .map(|code| result_of(code).into())
            .collect(),
    ))
}

/// Verifies signatures over messages from columns and writes a one-byte code per item
/// ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`]). See [`verify_messages`].
/// Variable-time: all inputs are public.
///
/// # Errors
/// The errors of [`verify_messages`].
pub fn verify_messages_into<'a, 'k>(
    engine: &Engine,
    messages: &[impl AsRef<[u8]> + Sync],
    user_ids: UserIds<'_>,
    signatures: impl Into<Rows<'a, 64>>,
    keys: impl Into<PublicKeys<'k>>,
    codes: &mut [u8],
) -> Result<(), Error> {
    let signatures = signatures.into();
    let keys = keys.into();
    let items = codes.len();
    require_messages(items, messages, &user_ids)?;
    require_lengths(
        items,
        &[
            ("signatures", signatures.len_for(items)),
            ("public keys", keys.len_for(items)),
        ],
    )?;
    let points = decode_once(engine, items, keys)?;
    let keys = points.as_deref().map_or(keys, PublicKeys::points);
    let digests = hash(
        engine,
        items,
        &|item| messages[item].as_ref(),
        user_ids,
        keys,
    )?;
    verify_into(engine, &digests, signatures, keys, codes)?;
    for item in user_ids.too_long(items) {
        if !comes_before_id(codes[item]) {
            codes[item] = Rejection::UserIdTooLong.code();
        }
    }
    Ok(())
}

/// Returns `true` if the code concerns the signature's ranges or the key, which are checked before
/// the user id.
fn comes_before_id(code: u8) -> bool {
    use Rejection::{IdentityKey, MalformedPoint, NotOnCurve, ROutOfRange, SOutOfRange, ZeroT};
    let Err(reason) = result_of(code) else {
        return false;
    };
    matches!(
        reason,
        ROutOfRange | SOutOfRange | ZeroT | MalformedPoint | NotOnCurve | IdentityKey
    )
}

fn require_messages<M>(items: usize, messages: &[M], user_ids: &UserIds) -> Result<(), Error> {
    require_lengths(
        items,
        &[
            ("messages", messages.len()),
            ("user ids", user_ids.len_for(items)),
        ],
    )
}

/// Signs one digest e per item, with nonces of RFC 6979 (HMAC-SM3). **Constant-time** in keys and
/// nonces.
///
/// Signatures are bit-identical to those of the `sm2` crate. `signers` is one key per item or one
/// for all, or keys with additional data ([`Signers`]). Items are rejected with
/// [`Rejection::SecretKeyOutOfRange`] (the key must be in `1..n-1`: for n - 1, 1 + d has no
/// inverse).
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, SecretKey, Sm2, sm2};
/// let engine = Engine::new()?;
/// let key = SecretKey::generate(Sm2)?;
/// assert!(sm2::sign(&engine, &[[1; 32], [2; 32]], &key)?.iter().all(Result::is_ok));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sign<'a>(
    engine: &Engine,
    digests: &[[u8; 32]],
    signers: impl Into<Signers<'a>>,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    let sign = signing(engine, digests.into(), signers.into(), digests.len())?;
    engine.collect(&sign, bytes_of)
}

fn signing<'a>(
    engine: &Engine,
    digests: Rows<'a, 32>,
    signers: Signers<'a>,
    items: usize,
) -> Result<SignDigests<'a>, Error> {
    let check = if engine.info().check_signatures {
        Check::Signatures
    } else {
        Check::Nothing
    };
    let signing = Signing {
        inputs: SigningInputs { digests, signers },
        low_s: false,
        check,
        widths: [64, 0],
    };
    SignDigests::new(&SM2, Sm2::ID, signing, items)
}

/// Signs digests from columns into columns: 64 bytes `r || s` per item, and a one-byte code
/// ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`], in which case the row is
/// meaningless). See [`sign`]. **Constant-time** in keys and nonces.
///
/// # Errors
/// The errors of [`sign`].
pub fn sign_into<'a, 'b>(
    engine: &Engine,
    digests: impl Into<Rows<'a, 32>>,
    signers: impl Into<Signers<'b>>,
    signatures: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    require_lengths(codes.len(), &[("signatures", signatures.len())])?;
    let sign = signing(engine, digests.into(), signers.into(), codes.len())?;
    engine.run(&sign, ResultsMut::rows(codes, signatures))
}

/// Signs SM3(Z_A || M) of one message per item; Z_A is computed from the private key's public key.
/// **Constant-time** in keys and nonces, not in the length of messages. See [`sign`].
///
/// An item whose user id is too long is rejected with [`Rejection::UserIdTooLong`].
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, SecretKey, Sm2, sm2};
/// let engine = Engine::new()?;
/// let key = SecretKey::generate(Sm2)?;
/// let signed = sm2::sign_messages(&engine, &["one", "two"], Default::default(), &key)?;
/// assert!(signed.iter().all(Result::is_ok));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn sign_messages<'a>(
    engine: &Engine,
    messages: &[impl AsRef<[u8]> + Sync],
    user_ids: UserIds<'_>,
    signers: impl Into<Signers<'a>>,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    let items = messages.len();
    let signers = signers.into();
    let ToSign { digests, too_long } = to_sign(engine, items, messages, user_ids, signers)?;
    let mut signed = sign(engine, &digests, signers)?;
    for (item, reason) in too_long {
        signed[item] = Err(reason);
    }
    Ok(signed)
}

/// Signs messages from columns into columns: 64 bytes `r || s` per item, and a one-byte code
/// ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`], in which case the row is
/// meaningless). See [`sign_messages`]. **Constant-time** in keys and nonces, not in the length of
/// messages.
///
/// # Errors
/// The errors of [`sign_messages`].
pub fn sign_messages_into<'a>(
    engine: &Engine,
    messages: &[impl AsRef<[u8]> + Sync],
    user_ids: UserIds<'_>,
    signers: impl Into<Signers<'a>>,
    signatures: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let items = codes.len();
    let signers = signers.into();
    require_lengths(items, &[("signatures", signatures.len())])?;
    let ToSign { digests, too_long } = to_sign(engine, items, messages, user_ids, signers)?;
    sign_into(engine, &digests, signers, signatures, codes)?;
    for (item, reason) in too_long {
        signatures[item] = [0; 64];
        codes[item] = reason.code();
    }
    Ok(())
}

/// The digests of messages, and the items whose user ids are too long, with their rejections.
struct ToSign {
    digests: Vec<[u8; 32]>,
    too_long: Vec<(usize, Rejection)>,
}

fn to_sign(
    engine: &Engine,
    items: usize,
    messages: &[impl AsRef<[u8]> + Sync],
    user_ids: UserIds<'_>,
    signers: Signers,
) -> Result<ToSign, Error> {
    require_messages(items, messages, &user_ids)?;
    signers.require(items)?;
    let secret_keys = signers.keys;
    let one_for_all = secret_keys.is_one_for_all();
    let public = public_keys_of(
        engine,
        Sm2::ID,
        secret_keys,
        if one_for_all { 1 } else { items },
    )?;
    let public: Vec<Point> = public
        .into_iter()
        .map(|point| point.unwrap_or(Point::IDENTITY))
        .collect();
    let keys = if one_for_all {
        PublicKeys::all(public[0].as_sec1())
    } else {
        PublicKeys::points(&public)
    };
    let digests = hash(
        engine,
        items,
        &|item| messages[item].as_ref(),
        user_ids,
        keys,
    )?;
    // A key out of range takes precedence. Only `sign` rejects n - 1: it has a public key.
    let too_long = user_ids.too_long(items).map(|item| {
        let key = public[if one_for_all { 0 } else { item }];
        (
            item,
            if key.is_identity() {
                Rejection::SecretKeyOutOfRange
            } else {
                Rejection::UserIdTooLong
            },
        )
    });
    let too_long = too_long.collect();
    Ok(ToSign { digests, too_long })
}

/// Computes Z_A = SM3(ENTL || id || a || b || x_G || y_G || x_A || y_A) (GB/T 32918.2, section
/// 5.5).
///
/// # Errors
/// [`Rejection::UserIdTooLong`] above [`MAX_USER_ID_LEN`] bytes, [`Rejection::IdentityKey`] for the
/// identity.
pub fn za(user_id: &[u8], public_key: &Point) -> Result<[u8; 32], Rejection> {
    if user_id.len() > MAX_USER_ID_LEN {
        return Err(Rejection::UserIdTooLong);
    }
    if public_key.is_identity() {
        return Err(Rejection::IdentityKey);
    }
    Ok(digest::za_of_point(user_id, public_key))
}

/// Decodes keys if the CPU would otherwise decode them twice. Returns `None` if any key is invalid.
fn decode_once(
    engine: &Engine,
    items: usize,
    keys: PublicKeys<'_>,
) -> Result<Option<Vec<Point>>, Error> {
    if engine.uses_gpu(items, digest::GPU_THRESHOLD)? {
        return Ok(None);
    }
    Ok(decode_keys(engine, Sm2::ID, items, keys)?
        .into_iter()
        .collect::<Result<_, _>>()
        .ok())
}

/// Computes e = SM3(Z_A || M) per item. The digest of an item with an unusable key or id is
/// meaningless.
fn hash(
    engine: &Engine,
    items: usize,
    messages: &Texts,
    user_ids: UserIds<'_>,
    keys: PublicKeys<'_>,
) -> Result<Vec<[u8; 32]>, Error> {
    let cpu = &engine.devices()?.cpu;
    // A single string if all items share one id.
    let ids = SizedTexts::new(cpu, user_ids.len_for(1), |item| user_ids.get_hashable(item));
    let messages = SizedTexts::new(cpu, items, |item| messages(item));
    digests_by(
        engine,
        &MessageDigests {
            messages,
            ids,
            keys,
        },
    )
}
