//! The requirements of the protocol for a group and a hash function (RFC 9497, section 2.1).

use crate::engine::Engine;
use crate::ops::hash_to_curve::{Dst, ExpandingHash, expand_message};
use crate::types::{Error, Rejection, SecretKey, SecretKeys};
use std::fmt::Debug;
use zeroize::{Zeroize, Zeroizing};

/// An array of bytes.
pub trait Bytes:
    Copy + Debug + Eq + Send + Sync + AsRef<[u8]> + AsMut<[u8]> + Zeroize + 'static
{
    const ZERO: Self;
}

impl<const W: usize> Bytes for [u8; W]
where
    [u8; W]: Zeroize,
{
    const ZERO: Self = [0; W];
}

/// The elements of a batch: encoded, and as points if they have been decoded already.
pub struct Operands<'a, G: Group> {
    pub encoded: &'a [G::Element],
    pub points: Option<&'a [G::Point]>,
}

impl<'a, G: Group> Operands<'a, G> {
    pub fn encoded(elements: &'a [G::Element]) -> Self {
        Operands {
            encoded: elements,
            points: None,
        }
    }
}

/// A sum, or the index of the first product that has none and the reason.
pub type Sum<P> = Result<P, (usize, Rejection)>;

/// A group of prime order with a hash function. Scalars are 32 bytes in the byte order of the suite.
pub trait Group: Sized + 'static {
    type Element: Bytes;
    type Output: Bytes;
    type Hash: ExpandingHash;
    type Scalar: Copy + Zeroize;
    /// A decoded element, or the identity.
    type Point: Copy + Send + Sync;

    /// The number of bytes that are reduced modulo the group order: at least 128 bits more than the
    /// order has, so that scalars are uniform up to 2^-128.
    const UNIFORM_BYTES: usize;

    /// Reduces [`Group::UNIFORM_BYTES`] bytes modulo the group order. **Constant-time.**
    fn reduce(uniform_bytes: &[u8]) -> Self::Scalar;

    fn is_zero(scalar: &Self::Scalar) -> bool;

    fn scalar_bytes(scalar: &Self::Scalar) -> [u8; 32];

    /// Writes nonce - challenge key. **Constant-time** in the key and in the nonce; copies on the
    /// stack are left to the caller.
    fn respond(
        key: &SecretKey,
        nonce: &SecretKey,
        challenge: &Self::Scalar,
        out: &mut [u8; 32],
    ) -> Result<(), Rejection>;

    /// Generates private keys.
    fn draw(engine: &Engine, count: usize) -> Result<Vec<SecretKey>, Error>;

    /// Returns the product of the generator and a key. **Constant-time** in the key.
    fn public_key(
        engine: &Engine,
        key: &SecretKey,
    ) -> Result<Result<Self::Element, Rejection>, Error>;

    /// Hashes inputs to elements and multiplies them by keys. **Constant-time** in keys and inputs,
    /// though not in their lengths. Copies of results are wiped if they are secret.
    fn mask<M: AsRef<[u8]> + Sync>(
        engine: &Engine,
        dst: &Dst,
        keys: SecretKeys,
        inputs: &[M],
        are_results_secret: bool,
        rows: &mut [Self::Element],
        codes: &mut [u8],
    ) -> Result<(), Error>;

    /// Multiplies elements by keys. **Constant-time** in keys.
    fn multiply(
        engine: &Engine,
        keys: SecretKeys,
        elements: Operands<Self>,
        rows: &mut [Self::Element],
        codes: &mut [u8],
    ) -> Result<(), Error>;

    /// Multiplies elements by the inverses of keys. **Constant-time** in keys; copies of results are
    /// wiped.
    fn unmask(
        engine: &Engine,
        keys: SecretKeys,
        elements: Operands<Self>,
        rows: &mut [Self::Element],
        codes: &mut [u8],
    ) -> Result<(), Error>;

    /// Decodes elements (`DeserializeElement`).
    fn decode(
        engine: &Engine,
        elements: &[Self::Element],
    ) -> Result<Vec<Result<Self::Point, Rejection>>, Error>;

    /// Encodes a point, or returns `None` for the identity.
    fn encode(point: &Self::Point) -> Option<Self::Element>;

    fn generator() -> Self::Point;

    /// Returns the sum of points times scalars. Scalars that are not below the group order are
    /// rejected. Variable-time.
    fn sum_of_products(
        engine: &Engine,
        scalars: &[[u8; 32]],
        points: &[Self::Point],
    ) -> Result<Sum<Self::Point>, Error>;
}

/// The largest number of bytes that are reduced.
const MOST_UNIFORM_BYTES: usize = 64;

/// Hashes a message to a scalar (`HashToScalar`). **Constant-time** in the message, but not in its
/// length; copies on the stack are left to the caller.
pub fn hash_to_scalar<G: Group>(message: &[u8], dst: &Dst) -> Zeroizing<G::Scalar> {
    let mut bytes = Zeroizing::new([0; MOST_UNIFORM_BYTES]);
    let bytes = &mut bytes[..G::UNIFORM_BYTES];
    expand_message::<G::Hash>(message, dst, bytes);
    Zeroizing::new(G::reduce(bytes))
}
