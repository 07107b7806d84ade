//! Hashing to points of edwards25519 and curve25519 (RFC 9380, section 8.5).

use crate::cpu::CpuEngine;
use crate::cpu::edwards::elligator::{ELEMENT_BYTES, ElementBytes, Model, map_all};
use crate::cpu::edwards::simd::Lanes;
use crate::cpu::field::limbs::to_le_bytes;
use crate::engine::Engine;
use crate::operation::CpuComputation;
use crate::ops::hash::SizedTexts;
use crate::ops::hash_to_curve::{Dst, expand_message};
use crate::types::{
    Error, Rejection, ResultSink, ResultsMut, bytes_of, is_same_name, require_lengths,
};
use sha2::Sha512;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use zeroize::Zeroizing;

/// A suite of RFC 9380, section 8.5: SHA-512, and Elligator 2. All are constant-time and require a
/// domain separation tag.
///
/// Suites with `RO` are indifferentiable from a random oracle. Those with `NU` are twice as fast, but
/// their points are not uniformly distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Suite {
    /// `edwards25519_XMD:SHA-512_ELL2_RO_`. Points are x and y.
    Edwards25519Ro,
    /// `edwards25519_XMD:SHA-512_ELL2_NU_`. Points are x and y.
    Edwards25519Nu,
    /// `curve25519_XMD:SHA-512_ELL2_RO_`. Points are u and v.
    Curve25519Ro,
    /// `curve25519_XMD:SHA-512_ELL2_NU_`. Points are u and v.
    Curve25519Nu,
}

impl Suite {
    /// All suites.
    pub const ALL: &'static [Suite] = &[
        Suite::Edwards25519Ro,
        Suite::Edwards25519Nu,
        Suite::Curve25519Ro,
        Suite::Curve25519Nu,
    ];

    /// Returns the identifier of the suite in RFC 9380, section 8.10.
    pub const fn name(self) -> &'static str {
        match self {
            Suite::Edwards25519Ro => "edwards25519_XMD:SHA-512_ELL2_RO_",
            Suite::Edwards25519Nu => "edwards25519_XMD:SHA-512_ELL2_NU_",
            Suite::Curve25519Ro => "curve25519_XMD:SHA-512_ELL2_RO_",
            Suite::Curve25519Nu => "curve25519_XMD:SHA-512_ELL2_NU_",
        }
    }

    /// Returns the number of field elements to which a message is hashed.
    fn field_elements(self) -> usize {
        match self {
            Suite::Edwards25519Ro | Suite::Curve25519Ro => 2,
            Suite::Edwards25519Nu | Suite::Curve25519Nu => 1,
        }
    }

    fn model(self) -> Model {
        match self {
            Suite::Edwards25519Ro | Suite::Edwards25519Nu => Model::Edwards,
            Suite::Curve25519Ro | Suite::Curve25519Nu => Model::Montgomery,
        }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An unknown name of a suite. The message lists all suites.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no suite of edwards25519 is called `{}`; the suites are {}",
    crate::fields::shown(name),
    Suite::ALL.iter().map(|suite| suite.name()).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownSuite {
    name: String,
}

/// Parses [`Suite::name`]. Case, spaces, hyphens, underscores and dots are ignored.
impl FromStr for Suite {
    type Err = UnknownSuite;

    fn from_str(name: &str) -> Result<Self, UnknownSuite> {
        let found = Suite::ALL
            .iter()
            .find(|suite| is_same_name(suite.name(), name));
        found.copied().ok_or_else(|| UnknownSuite {
            name: name.to_owned(),
        })
    }
}

/// The operation that hashes messages to points.
pub(crate) struct HashToCurve<'a> {
    suite: Suite,
    dst: Dst,
    messages: SizedTexts<'a>,
}

impl<'a> HashToCurve<'a> {
    pub fn new<M: AsRef<[u8]> + Sync>(
        cpu: &CpuEngine,
        suite: Suite,
        dst: &[u8],
        messages: &'a [M],
    ) -> Result<Self, Error> {
        Ok(HashToCurve {
            suite,
            dst: Dst::required::<Sha512>(suite.name(), dst)?,
            messages: SizedTexts::new(cpu, messages.len(), |item| messages[item].as_ref()),
        })
    }

    /// Computes the results of a destination, for the items from `first` on.
    fn compute_in_chunks(&self, engine: &CpuEngine, first: usize, out: &mut ResultSink) {
        let lanes = engine.lanes_for(out.items());
        engine.fill_secret_of_texts(self.messages.average(), out, [64, 0], |range, out| {
            self.compute_chunk(lanes, first + range.start..first + range.end, out);
        });
    }

    fn compute_chunk(&self, lanes: Option<Lanes>, items: Range<usize>, out: &mut ResultsMut) {
        let count = self.suite.field_elements();
        let mut elements: Zeroizing<Vec<ElementBytes>> =
            Zeroizing::new(vec![[0; ELEMENT_BYTES]; count * items.len()]);
        for (item, elements) in items.zip(elements.chunks_mut(count)) {
            let bytes = elements.as_flattened_mut();
            expand_message::<Sha512>(self.messages.get(item), &self.dst, bytes);
        }
        let model = self.suite.model();
        let images = match count {
            1 => map_all::<1>(lanes, model, &elements),
            _ => map_all::<2>(lanes, model, &elements),
        };
        for (place, ([x, y], is_identity)) in images.iter().enumerate() {
            let (to_x, to_y) = out.row(0, place).split_at_mut(32);
            to_x.copy_from_slice(&to_le_bytes(x));
            to_y.copy_from_slice(&to_le_bytes(y));
            // The branch on the identity is never taken: see `hash_to_curve`.
            if *is_identity != 0 {
                out.reject(place, Rejection::IdentityResult);
            } else {
                out.accept(place);
            }
        }
    }
}

impl CpuComputation for HashToCurve<'_> {
    fn items(&self) -> usize {
        self.messages.items()
    }

    fn compute(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        self.compute_in_chunks(engine, items.start, out);
    }
}

/// Hashes messages of any length to points of edwards25519 or curve25519, as coordinates of 32 bytes
/// each, little-endian: `x || y` or `u || v`. **Constant-time** in the bytes of the messages, though
/// not in their lengths.
///
/// Points of edwards25519 are inputs of other calls as [`Points::affine`](super::Points::affine);
/// u-coordinates are public keys of [`x25519`](crate::x25519). All points have order l.
///
/// `dst` is the domain separation tag of the protocol, for example
/// `b"myapp-V01-CS02-with-edwards25519_XMD:SHA-512_ELL2_RO_"`. Tags above 255 bytes are hashed, as
/// RFC 9380, section 5.3.3, specifies.
///
/// An item is rejected with [`Rejection::IdentityResult`] if its point is the identity. No such
/// message is known, and finding one takes about 2^126 steps.
///
/// # Errors
/// [`Error::DomainSeparation`] if there is no tag; [`Error::Forked`] in a process that was forked
/// after the engine was built.
///
/// ```
/// use gecc::Engine;
/// use gecc::edwards25519::{self, Points, Suite};
/// let engine = Engine::new()?;
/// let dst = b"myapp-V01-CS02-with-edwards25519_XMD:SHA-512_ELL2_RO_";
/// let suite = Suite::Edwards25519Ro;
/// let hashed = edwards25519::hash_to_curve(&engine, suite, dst, &["alice", "bob"])?;
/// let points: Vec<[u8; 64]> = hashed.into_iter().collect::<Result<_, _>>().unwrap();
/// let (keys, _) = edwards25519::generate(&engine, 1)?;
/// let masked = edwards25519::mul(&engine, &keys[0], Points::affine(&points))?;
/// assert_ne!(masked[0], masked[1]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn hash_to_curve<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    suite: Suite,
    dst: &[u8],
    messages: &[M],
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    let cpu = &engine.devices()?.cpu;
    engine.collect(&HashToCurve::new(cpu, suite, dst, messages)?, bytes_of)
}

/// Hashes messages to points in columns of the caller: 64 bytes and a one-byte code per item
/// ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`], in which case the row is
/// meaningless). See [`hash_to_curve`], also for constant time.
///
/// # Errors
/// The errors of [`hash_to_curve`], and [`Error::LengthMismatch`] if a column has another number of
/// rows than there are messages.
pub fn hash_to_curve_into<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    suite: Suite,
    dst: &[u8],
    messages: &[M],
    points: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    require_lengths(
        messages.len(),
        &[("points", points.len()), ("codes", codes.len())],
    )?;
    let cpu = &engine.devices()?.cpu;
    let operation = HashToCurve::new(cpu, suite, dst, messages)?;
    engine.run(&operation, ResultsMut::rows(codes, points))
}
