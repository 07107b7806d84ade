//! Masks for private set intersection: hashed messages times a secret, and their removal.

use super::Map;
use super::inverses::Inverses;
use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::operation::{Computation, CpuComputation};
use crate::ops::keys::require_keys;
use crate::types::{
    Error, Rejection, ResultSink, ResultsMut, Rows, SecretKeys, bytes_of, require_lengths,
};
use std::ops::Range;

/// The operation that hashes messages to elements and multiplies these by private keys.
pub(crate) struct Mask<'a> {
    pub map: Map<'a>,
    pub secret_keys: SecretKeys<'a>,
}

impl<'a> Mask<'a> {
    pub fn new<M: AsRef<[u8]> + Sync>(
        engine: &Engine,
        dst: &[u8],
        secret_keys: SecretKeys<'a>,
        messages: &'a [M],
    ) -> Result<Self, Error> {
        require_keys(messages.len(), &secret_keys)?;
        let map = Map::of_messages(engine, dst, messages.len(), |item| messages[item].as_ref())?;
        Ok(Mask { map, secret_keys })
    }

    /// Computes the batch into the caller's columns.
    pub fn run(
        &self,
        engine: &Engine,
        masked: &mut [[u8; 32]],
        codes: &mut [u8],
    ) -> Result<(), Error> {
        engine.run(self, ResultsMut::rows(codes, masked))
    }
}

impl CpuComputation for Mask<'_> {
    fn items(&self) -> usize {
        self.map.items()
    }

    fn compute(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        self.compute_in_chunks(engine, items.start, out);
    }
}

/// Hashes messages of any length to elements, as [`hash`](super::hash()) does, and multiplies each by
/// the private key of its item. **Constant-time** in private keys and in the bytes of the messages,
/// though not in their lengths.
///
/// `secret_keys` is one key per item (`&[SecretKey]`) or one for all (`&SecretKey`), little-endian.
///
/// Items are rejected with [`Rejection::SecretKeyOutOfRange`] if the key is 0 or not below l, and
/// with [`Rejection::IdentityResult`] if the message is hashed to the identity. No such message is
/// known, and finding one takes about 2^126 steps.
///
/// # Errors
/// [`Error::DomainSeparation`] if there is no tag; [`Error::LengthMismatch`] if there are several
/// keys, but not one per item; [`Error::Forked`] in a process that was forked after the engine was
/// built.
///
/// ```
/// use gecc::{Engine, ristretto255};
/// let engine = Engine::new()?;
/// let (keys, _) = ristretto255::generate(&engine, 2)?;
/// let dst = b"myapp-V01-CS01-with-ristretto255_XMD:SHA-512_R255MAP_RO_";
/// let mask = |key| -> Result<Vec<[u8; 32]>, gecc::Error> {
///     let masked = ristretto255::mask(&engine, dst, key, &["alice", "bob"])?;
///     Ok(masked.into_iter().map(|item| item.unwrap()).collect())
/// };
/// // The parties find out that they have the same items, without showing them.
/// let [ours, theirs] = [&keys[0], &keys[1]];
/// let by_us = ristretto255::mul(&engine, ours, &mask(theirs)?)?;
/// let by_them = ristretto255::mul(&engine, theirs, &mask(ours)?)?;
/// assert_eq!(by_us, by_them);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn mask<'a, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    dst: &[u8],
    secret_keys: impl Into<SecretKeys<'a>>,
    messages: &[M],
) -> Result<Vec<Result<[u8; 32], Rejection>>, Error> {
    engine.collect(
        &Mask::new(engine, dst, secret_keys.into(), messages)?,
        bytes_of,
    )
}

/// Hashes and masks messages as [`mask`] does, into columns of the caller: 32 bytes per item, and a
/// one-byte code ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`], in which case the row
/// is meaningless). **Constant-time** as [`mask`].
///
/// # Errors
/// The errors of [`mask`], and [`Error::LengthMismatch`] if a column has another number of rows than
/// there are messages.
pub fn mask_into<'a, M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    dst: &[u8],
    secret_keys: impl Into<SecretKeys<'a>>,
    messages: &[M],
    masked: &mut [[u8; 32]],
    codes: &mut [u8],
) -> Result<(), Error> {
    require_lengths(
        messages.len(),
        &[("masked elements", masked.len()), ("codes", codes.len())],
    )?;
    Mask::new(engine, dst, secret_keys.into(), messages)?.run(engine, masked, codes)
}

/// Removes masks: multiplies each element by the inverse of the private key modulo l.
/// **Constant-time** in private keys.
///
/// Inputs and rejections are those of [`mul`](super::mul()).
///
/// # Errors
/// The errors of [`mul`](super::mul()).
///
/// ```
/// use gecc::{Engine, ristretto255};
/// let engine = Engine::new()?;
/// let (keys, elements) = ristretto255::generate(&engine, 2)?;
/// let masked = ristretto255::mul(&engine, &keys[0], &elements)?;
/// let masked: Vec<[u8; 32]> = masked.into_iter().map(|item| item.unwrap()).collect();
/// let unmasked = ristretto255::unmask(&engine, &keys[0], &masked)?;
/// assert_eq!(unmasked[1], Ok(elements[1]));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn unmask<'a, 'k>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    elements: impl Into<Rows<'k, 32>>,
) -> Result<Vec<Result<[u8; 32], Rejection>>, Error> {
    let inverses = Inverses::of(secret_keys.into());
    super::mul(engine, inverses.keys(), elements)
}

/// Removes masks as [`unmask`] does, into columns of the caller. See [`mul_into`](super::mul_into()).
/// **Constant-time** in private keys.
///
/// # Errors
/// The errors of [`unmask`].
pub fn unmask_into<'a, 'k>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    elements: impl Into<Rows<'k, 32>>,
    unmasked: &mut [[u8; 32]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let inverses = Inverses::of(secret_keys.into());
    super::mul_into(engine, inverses.keys(), elements, unmasked, codes)
}
