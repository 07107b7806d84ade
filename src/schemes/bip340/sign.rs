//! Signing: the public functions and the operation.

use super::messages::{Messages, texts};
use super::signing::{Auxiliary, SigningKeys};
use crate::cpu::CpuEngine;
use crate::curve::{Curve, Secp256k1};
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::ops::keys::public_keys_of;
use crate::ops::point::decode_keys;
use crate::types::{
    Error, KeyRowForm, Point, PublicKeys, Rejection, ResultSink, ResultsMut, Rows, SecretKeys,
    Verdict, bytes_of, require_lengths,
};
use std::ops::Range;

/// The batch size above which a GPU is faster.
pub(crate) const GPU_THRESHOLD: GpuThreshold = GpuThreshold {
    portable: 15,
    simd: 20,
};

/// Signs one message of 32 bytes per item. **Constant-time** in keys, auxiliary data and nonces.
///
/// Signatures are bit-identical to those of libsecp256k1 with the same auxiliary data. Items are
/// rejected with [`Rejection::SecretKeyOutOfRange`]; if public keys are given
/// ([`SigningKeys::with_public`]), next with the rejections of public keys; and with
/// [`Rejection::IdentityResult`] if the nonce is 0, which has negligible probability. With
/// [`crate::EngineBuilder::check_signatures`], a given public key that does not belong to its
/// private key is rejected with [`Rejection::Mismatch`].
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Randomness`] if the operating
/// system provides no auxiliary data; [`Error::Device`] if every GPU fails and the engine may not
/// fall back to the CPU.
///
/// ```
/// use gecc::{Engine, Secp256k1, bip340, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate(&engine, Secp256k1, 2)?;
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
    sign_each(
        engine,
        Messages::Rows(messages.into()),
        keys.into(),
        auxiliary,
        messages.len(),
    )
}

/// Signs 32-byte messages from columns into columns: 64 bytes per item. See [`sign`].
/// **Constant-time** in keys, auxiliary data and nonces.
///
/// # Errors
/// The errors of [`sign`].
pub fn sign_into<'a, 'b>(
    engine: &Engine,
    messages: impl Into<Rows<'a, 32>>,
    keys: impl Into<SigningKeys<'b>>,
    auxiliary: Auxiliary<'_>,
    signatures: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    write_signatures(
        engine,
        Messages::Rows(messages.into()),
        keys.into(),
        auxiliary,
        signatures,
        codes,
    )
}

/// Signs one message of any length per item. **Constant-time** in keys, auxiliary data and nonces,
/// not in the length of messages. See [`sign`].
///
/// # Errors
/// The errors of [`sign`].
pub fn sign_messages<'a>(
    engine: &Engine,
    messages: &[impl AsRef<[u8]> + Sync],
    keys: impl Into<SigningKeys<'a>>,
    auxiliary: Auxiliary<'_>,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    sign_each(
        engine,
        texts(engine, messages)?,
        keys.into(),
        auxiliary,
        messages.len(),
    )
}

/// Signs messages of any length into columns: 64 bytes per item. See [`sign_messages`].
/// **Constant-time** in keys, auxiliary data and nonces, not in the length of messages.
///
/// # Errors
/// The errors of [`sign`].
pub fn sign_messages_into<'a>(
    engine: &Engine,
    messages: &[impl AsRef<[u8]> + Sync],
    keys: impl Into<SigningKeys<'a>>,
    auxiliary: Auxiliary<'_>,
    signatures: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    write_signatures(
        engine,
        texts(engine, messages)?,
        keys.into(),
        auxiliary,
        signatures,
        codes,
    )
}

fn sign_each(
    engine: &Engine,
    messages: Messages<'_>,
    keys: SigningKeys<'_>,
    auxiliary: Auxiliary<'_>,
    items: usize,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    let auxiliary = auxiliary.rows(&engine.devices()?.cpu, items)?;
    let one = one_for_all(engine, keys, items)?;
    let sign = signing(
        engine,
        messages,
        keys,
        one.as_ref(),
        auxiliary.column(),
        items,
    )?;
    let mut signed = engine.collect(&sign, bytes_of)?;
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
    let one = one_for_all(engine, keys, items)?;
    let sign = signing(
        engine,
        messages,
        keys,
        one.as_ref(),
        auxiliary.column(),
        items,
    )?;
    engine.run(&sign, ResultsMut::rows(codes, signatures))?;
    for item in mismatches(engine, keys, items)? {
        if codes[item] == Verdict::VALID_CODE {
            signatures[item] = [0; 64];
            codes[item] = Rejection::Mismatch.code();
        }
    }
    Ok(())
}

/// Returns the public key of a private key that all items share, if it is in range and has to be
/// computed.
fn one_for_all(
    engine: &Engine,
    keys: SigningKeys<'_>,
    items: usize,
) -> Result<Option<Point>, Error> {
    // Signatures are checked with public keys that are computed again for each check.
    if keys.public.is_some()
        || !keys.secret.is_one_for_all()
        || items < 2
        || engine.info().check_signatures
    {
        return Ok(None);
    }
    Ok(public_keys_of(engine, Secp256k1::ID, keys.secret, 1)?[0].ok())
}

fn signing<'a, 'm>(
    engine: &Engine,
    messages: Messages<'m>,
    keys: SigningKeys<'a>,
    one_for_all: Option<&'a Point>,
    auxiliary: SecretKeys<'a>,
    items: usize,
) -> Result<SignBip340<'a, 'm>, Error> {
    let lengths = [
        ("messages", messages.len_for(items)),
        ("secret keys", keys.secret.len_for(items)),
        (
            "public keys",
            keys.public.map_or(items, |keys| keys.len_for(items)),
        ),
        ("auxiliary random data", auxiliary.len_for(items)),
    ];
    require_lengths(items, &lengths)?;
    let is_checked = engine.info().check_signatures;
    // Signatures are checked with computed public keys: given ones may be wrong. X-only keys lack
    // the parity that signing needs.
    let given = keys
        .public
        .filter(|keys| !is_checked && keys.form() != KeyRowForm::XOnly);
    let public = one_for_all.map(PublicKeys::from).or(given);
    Ok(SignBip340 {
        messages,
        keys: keys.secret,
        public,
        auxiliary,
        is_checked,
        items,
    })
}

/// Returns the items whose given public keys are valid but belong to other private keys. Empty
/// unless signatures are checked.
fn mismatches(engine: &Engine, keys: SigningKeys<'_>, items: usize) -> Result<Vec<usize>, Error> {
    let Some(given) = keys.public.filter(|_| engine.info().check_signatures) else {
        return Ok(Vec::new());
    };
    let is_x_only = given.form() == KeyRowForm::XOnly;
    let computed = public_keys_of(engine, Secp256k1::ID, keys.secret, items)?;
    let given = decode_keys(engine, Secp256k1::ID, items, given)?;
    let differing = (0..items).filter(|item| match (&given[*item], &computed[*item]) {
        (Ok(given), Ok(computed)) if is_x_only => given.x() != computed.x(),
        (given, computed) => given != computed,
    });
    Ok(differing.collect())
}

/// The operation that signs a batch.
pub(crate) struct SignBip340<'a, 'm> {
    pub messages: Messages<'m>,
    pub keys: SecretKeys<'a>,
    pub public: Option<PublicKeys<'a>>,
    pub auxiliary: SecretKeys<'a>,
    /// True if signatures are verified, with computed public keys, before they are returned.
    pub is_checked: bool,
    pub items: usize,
}

impl Computation for SignBip340<'_, '_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GPU_THRESHOLD
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        self.sign_range(engine, items, out);
    }

    fn is_secret(&self) -> bool {
        true
    }

    fn data_bytes(&self, items: &Range<usize>) -> usize {
        self.messages.data_bytes(items)
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        self.kernel_files()
    }

    fn self_tests(&self, items: usize) -> Vec<SelfTest> {
        self.gpu_self_tests(items)
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}
