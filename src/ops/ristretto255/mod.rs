//! ristretto255 (RFC 9496), a group of prime order l = 2^252 +
//! 27742317777372353535851937790883648493 on curve25519.
//!
//! Elements are 32 bytes, each with one encoding: two elements are equal exactly if their bytes are.
//! The identity is 32 zero bytes. Scalars are [`SecretKey`](crate::SecretKey)s of 32 bytes,
//! **little-endian** (RFC 9496, section 4.4, and RFC 9497, section 4.1), from 1 to l - 1.
//!
//! [`mask()`] and [`mul`] compute masks for private set intersection, and [`unmask`] removes them. They
//! are functions of their own and not suites of [`mask`](crate::mask), because all that differs
//! there, curves as [`CurveId`](crate::CurveId) and points in several SEC 1 encodings, does not
//! exist here: an element has one encoding. [`oprf`](crate::oprf) has OPRFs with this group.
//!
//! So far, [`mask()`] computes on the CPU alone.

mod cpu;
mod generate;
mod gpu;
mod inverses;
pub(crate) mod known_answers;
mod mask;

use super::hash::SizedTexts;
use super::hash_to_curve::Dst;
use super::keys::require_keys;
use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::types::{
    Error, Rejection, ResultSink, ResultsMut, Rows, SecretKeys, bytes_of, require_lengths,
};
pub(crate) use cpu::{IDENTITY, rejection_of};
pub use generate::generate;
pub(crate) use generate::{draw, key_pairs};
pub(crate) use mask::Mask;
pub use mask::{mask, mask_into, unmask, unmask_into};
use sha2::Sha512;
use std::ops::Range;

/// The batch sizes above which a GPU is faster, estimated from the rates of the CPU and the
/// thresholds of X25519 and Ed25519.
const ELEMENTS_GPU_THRESHOLD: GpuThreshold = GpuThreshold {
    portable: 28,
    simd: 55,
};
const GENERATOR_GPU_THRESHOLD: GpuThreshold = GpuThreshold {
    portable: 32,
    simd: 80,
};
const MAP_GPU_THRESHOLD: GpuThreshold = GpuThreshold {
    portable: 80,
    simd: 150,
};

/// The elements that are multiplied.
#[derive(Clone, Copy)]
pub(crate) enum Bases<'a> {
    Elements(Rows<'a, 32>),
    Generator,
}

/// The operation that multiplies elements by private keys.
#[derive(Clone, Copy)]
pub(crate) struct Multiply<'a> {
    pub secret_keys: SecretKeys<'a>,
    pub bases: Bases<'a>,
    pub items: usize,
}

impl Computation for Multiply<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        match self.bases {
            Bases::Elements(_) => ELEMENTS_GPU_THRESHOLD,
            Bases::Generator => GENERATOR_GPU_THRESHOLD,
        }
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        self.compute_in_chunks(engine, items.start, out);
    }

    fn is_secret(&self) -> bool {
        true
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (gpu::CURVE, self.bases.kernel_files())
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        match self.bases {
            Bases::Elements(_) => vec![known_answers::PRODUCTS],
            Bases::Generator => vec![known_answers::PUBLIC_KEYS],
        }
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// The origin of the bytes that are mapped to elements.
#[allow(clippy::large_enum_variant, reason = "there is one per call")]
pub(crate) enum Source<'a> {
    UniformBytes { rows: Rows<'a, 64>, items: usize },
    Messages { messages: SizedTexts<'a>, dst: Dst },
}

/// The operation that maps bytes to elements.
pub(crate) struct Map<'a> {
    pub source: Source<'a>,
}

impl<'a> Map<'a> {
    fn of_messages(
        engine: &Engine,
        dst: &[u8],
        items: usize,
        messages: impl Fn(usize) -> &'a [u8] + Sync + 'a,
    ) -> Result<Self, Error> {
        let dst = Dst::required::<Sha512>(SUITE, dst)?;
        let messages = SizedTexts::new(&engine.devices()?.cpu, items, messages);
        Ok(Map {
            source: Source::Messages { messages, dst },
        })
    }
}

impl Computation for Map<'_> {
    fn items(&self) -> usize {
        match &self.source {
            Source::UniformBytes { items, .. } => *items,
            Source::Messages { messages, .. } => messages.items(),
        }
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        MAP_GPU_THRESHOLD
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        self.compute_in_chunks(engine, items.start, out);
    }

    /// Messages may be passwords.
    fn is_secret(&self) -> bool {
        true
    }

    fn data_bytes(&self, items: &Range<usize>) -> usize {
        match &self.source {
            Source::UniformBytes { .. } => 0,
            Source::Messages { messages, .. } => messages.bytes(items),
        }
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (gpu::CURVE, vec!["ristretto255"])
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        match &self.source {
            Source::UniformBytes { .. } => vec![known_answers::MAP],
            Source::Messages { .. } => vec![known_answers::HASHES],
        }
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// The name of the hash function with its map (RFC 9380, appendix B).
const SUITE: &str = "ristretto255_XMD:SHA-512_R255MAP_RO_";

/// Multiplies each element by the private key of its item. **Constant-time** in private keys.
///
/// `secret_keys` is one key per item (`&[SecretKey]`) or one for all (`&SecretKey`), little-endian;
/// `elements` is a column of 32 bytes each, or one element for all ([`Rows::all`]). The batch has as
/// many items as there are elements; with one element for all, as many as there are private keys.
///
/// Items are rejected with the first of these that applies: [`Rejection::SecretKeyOutOfRange`] if
/// the key is 0 or not below l; [`Rejection::MalformedPoint`] if the element as a number is odd or
/// not below 2^255 - 19; [`Rejection::NotOnCurve`] if no element has this encoding;
/// [`Rejection::IdentityKey`] if it is the identity. No result is the identity.
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, SecretKey, ristretto255};
/// let engine = Engine::new()?;
/// let dst = b"myapp-V01-CS01-with-ristretto255_XMD:SHA-512_R255MAP_RO_";
/// let items = ristretto255::hash(&engine, dst, &["alice", "bob"])?;
/// let [a, b] = [3, 5].map(|key| {
///     let mut bytes = [0; 32];
///     bytes[0] = key;
///     SecretKey::from_bytes(bytes)
/// });
/// let mask = |key: &SecretKey, elements: &[[u8; 32]]| -> Result<Vec<[u8; 32]>, gecc::Error> {
///     let masked = ristretto255::mul(&engine, key, elements)?;
///     Ok(masked.into_iter().map(|item| item.unwrap()).collect())
/// };
/// // Masks commute.
/// assert_eq!(mask(&a, &mask(&b, &items)?)?, mask(&b, &mask(&a, &items)?)?);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn mul<'a, 'k>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    elements: impl Into<Rows<'k, 32>>,
) -> Result<Vec<Result<[u8; 32], Rejection>>, Error> {
    let secret_keys = secret_keys.into();
    let elements = elements.into();
    let items = elements.len_for(secret_keys.len_for(1));
    require_keys(items, &secret_keys)?;
    let multiply = Multiply {
        secret_keys,
        bases: Bases::Elements(elements),
        items,
    };
    engine.collect(&multiply, bytes_of)
}

/// Multiplies elements by private keys from columns into columns: 32 bytes per item, and a one-byte
/// code ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`], in which case the row is
/// meaningless). See [`mul`]. **Constant-time** in private keys.
///
/// # Errors
/// The errors of [`mul`].
pub fn mul_into<'a, 'k>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    elements: impl Into<Rows<'k, 32>>,
    products: &mut [[u8; 32]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let secret_keys = secret_keys.into();
    let elements = elements.into();
    let items = codes.len();
    require_keys(items, &secret_keys)?;
    require_lengths(
        items,
        &[
            ("elements", elements.len_for(items)),
            ("products", products.len()),
        ],
    )?;
    let multiply = Multiply {
        secret_keys,
        bases: Bases::Elements(elements),
        items,
    };
    engine.run(&multiply, ResultsMut::rows(codes, products))
}

/// Multiplies the generator (RFC 9496, section 4) by private keys, little-endian: the public keys of
/// RFC 9497. **Constant-time** in private keys.
///
/// An item is rejected with [`Rejection::SecretKeyOutOfRange`] if its key is 0 or not below l.
///
/// # Errors
/// [`Error::Device`] if every GPU fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, SecretKey, ristretto255};
/// let mut one = [0; 32];
/// one[0] = 1;
/// let key = [SecretKey::from_bytes(one)];
/// let public = ristretto255::public_keys(&Engine::new()?, &key)?;
/// // RFC 9496, appendix A.1: the generator.
/// assert_eq!(public[0].unwrap()[..4], [0xe2, 0xf2, 0xae, 0x0a]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn public_keys<'a>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
) -> Result<Vec<Result<[u8; 32], Rejection>>, Error> {
    let secret_keys = secret_keys.into();
    let multiply = Multiply {
        secret_keys,
        bases: Bases::Generator,
        items: secret_keys.len_for(1),
    };
    engine.collect(&multiply, bytes_of)
}

/// Computes public keys into columns of the caller: 32 bytes per item, and a one-byte code. See
/// [`public_keys`] and [`mul_into`]. **Constant-time** in private keys.
///
/// # Errors
/// The errors of [`public_keys`], and [`Error::LengthMismatch`] if the inputs and columns differ in
/// length.
pub fn public_keys_into<'a>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    public: &mut [[u8; 32]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let secret_keys = secret_keys.into();
    let items = codes.len();
    require_keys(items, &secret_keys)?;
    require_lengths(items, &[("public keys", public.len())])?;
    let multiply = Multiply {
        secret_keys,
        bases: Bases::Generator,
        items,
    };
    engine.run(&multiply, ResultsMut::rows(codes, public))
}

/// Maps 64 uniform bytes to an element each (RFC 9496, section 4.3.4). **Constant-time.**
///
/// If the bytes are uniformly random, or the output of a hash function, nobody knows the discrete
/// logarithm of an element. Other bytes can be chosen so that the element is the identity.
///
/// # Errors
/// [`Error::Device`] if every GPU fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, ristretto255};
/// let element = ristretto255::from_uniform_bytes(&Engine::new()?, &[[7; 64]])?[0];
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn from_uniform_bytes<'a>(
    engine: &Engine,
    uniform_bytes: impl Into<Rows<'a, 64>>,
) -> Result<Vec<[u8; 32]>, Error> {
    let uniform_bytes = uniform_bytes.into();
    let mut elements = vec![[0; 32]; uniform_bytes.len_for(1)];
    from_uniform_bytes_into(engine, uniform_bytes, &mut elements)?;
    Ok(elements)
}

/// Maps uniform bytes to elements in a column of the caller. See [`from_uniform_bytes`].
/// **Constant-time.**
///
/// # Errors
/// The errors of [`from_uniform_bytes`], and [`Error::LengthMismatch`] if the columns differ in
/// length.
pub fn from_uniform_bytes_into<'a>(
    engine: &Engine,
    uniform_bytes: impl Into<Rows<'a, 64>>,
    elements: &mut [[u8; 32]],
) -> Result<(), Error> {
    let rows = uniform_bytes.into();
    let items = elements.len();
    require_lengths(items, &[("uniform bytes", rows.len_for(items))])?;
    let map = Map {
        source: Source::UniformBytes { rows, items },
    };
    run(engine, &map, elements)
}

/// Hashes messages of any length to elements: `hash_to_ristretto255` of RFC 9380, appendix B, with
/// `expand_message_xmd` and SHA-512, which is also `HashToGroup` of RFC 9497, section 4.1.
/// **Constant-time** in the bytes of the messages, though not in their lengths.
///
/// `dst` is the domain separation tag of the protocol, for example
/// `b"myapp-V01-CS02-with-ristretto255_XMD:SHA-512_R255MAP_RO_"`. Tags above 255 bytes are hashed, as
/// RFC 9380, section 5.3.3, specifies. No message whose element is the identity is known, and finding
/// one takes about 2^126 steps.
///
/// # Errors
/// [`Error::DomainSeparation`] if there is no tag; [`Error::Device`] if every GPU fails and the
/// engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, ristretto255};
/// let dst = b"myapp-V01-CS02-with-ristretto255_XMD:SHA-512_R255MAP_RO_";
/// let elements = ristretto255::hash(&Engine::new()?, dst, &["alice", "bob"])?;
/// assert_ne!(elements[0], elements[1]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn hash<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    dst: &[u8],
    messages: &[M],
) -> Result<Vec<[u8; 32]>, Error> {
    let mut elements = vec![[0; 32]; messages.len()];
    hash_into(engine, dst, messages, &mut elements)?;
    Ok(elements)
}

/// Hashes messages to elements in a column of the caller. See [`hash`], also for constant time.
///
/// # Errors
/// The errors of [`hash`], and [`Error::LengthMismatch`] if the column has another number of rows
/// than there are messages.
pub fn hash_into<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    dst: &[u8],
    messages: &[M],
    elements: &mut [[u8; 32]],
) -> Result<(), Error> {
    require_lengths(messages.len(), &[("elements", elements.len())])?;
    let map = Map::of_messages(engine, dst, messages.len(), |item| messages[item].as_ref())?;
    run(engine, &map, elements)
}

/// Computes elements, of which none is rejected.
fn run(engine: &Engine, map: &Map, elements: &mut [[u8; 32]]) -> Result<(), Error> {
    let mut codes = vec![0; elements.len()];
    engine.run(map, ResultsMut::rows(&mut codes, elements))
}
