//! Elliptic-curve Diffie-Hellman (SEC 1, section 3.3.1; NIST SP 800-56A, section 5.7.1.2).

use crate::curve::SecretCurve;
use crate::encoding::PublicKeys;
use crate::engine::{Engine, Worth};
use crate::error::{Error, Rejection};
use crate::keys::require_keys;
use crate::secret::{SecretKeys, SharedPoint, SharedSecret};
use crate::{cpu, gpu};

/// Items that one thread of the CPU computes before a GPU gives its first results (`Engine::dispatch`, PERFORMANCE.md).
const WORTH_A_GPU: Worth = Worth { portable: 15, lanes: 70 };

/// The shared secret of each private key with its peer: the x-coordinate of `d * Q`. **Constant-time** in the keys.
///
/// `secret_keys` is one key per item (`&[SecretKey]`) or one for all (`&SecretKey`). The batch has as many items as
/// there are peers; with [`PublicKeys::all`], as many as there are private keys.
///
/// Items are rejected with [`Rejection::SecretKeyOutOfRange`], [`Rejection::MalformedPoint`],
/// [`Rejection::NotOnCurve`] or [`Rejection::IdentityKey`].
///
/// # Errors
/// [`Error::LengthMismatch`] when the inputs differ in length; [`Error::Device`] when every GPU fails and the CPU
/// may not take over.
///
/// ```
/// use gecc::{Engine, P256, PublicKeys, ecdh, keys};
/// let engine = Engine::new()?;
/// let (alice, alice_public) = keys::generate::<P256>(&engine, 1)?;
/// let (bob, bob_public) = keys::generate::<P256>(&engine, 1)?;
/// let ours = ecdh::shared_secrets::<P256>(&engine, &alice, PublicKeys::points(&bob_public))?;
/// let theirs = ecdh::shared_secrets::<P256>(&engine, &bob, PublicKeys::points(&alice_public))?;
/// assert_eq!(ours[0].as_ref().unwrap().expose_bytes(), theirs[0].as_ref().unwrap().expose_bytes());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn shared_secrets<'a, C: SecretCurve>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    peers: PublicKeys<'_>,
) -> Result<Vec<Result<SharedSecret, Rejection>>, Error> {
    let (secret_keys, items) = batch(secret_keys.into(), &peers)?;
    let on_gpu = |engines| gpu::secret::shared_secrets::<C>(engines, items, secret_keys, peers);
    let on_cpu = |engine: &_| cpu::agree::shared_secrets::<C>(engine, items, secret_keys, peers);
    engine.dispatch(items, WORTH_A_GPU, on_gpu, on_cpu)
}

/// The whole shared point `d * Q` of each private key with its peer, for protocols that go on computing with it, such as
/// private set intersection. **Constant-time** in the keys. A shared point is a secret; where a protocol shows it to
/// others, [`SharedPoint::into_public`] makes a [`crate::Point`] of it.
///
/// Shapes, rejections and errors as for [`shared_secrets`].
///
/// ```
/// use gecc::{Engine, PublicKeys, Secp256k1, SecretKey, ecdh, keys};
/// let engine = Engine::new()?;
/// let (_, elements) = keys::generate::<Secp256k1>(&engine, 2)?;
/// let (ours, theirs) = (SecretKey::generate::<Secp256k1>()?, SecretKey::generate::<Secp256k1>()?);
/// let mask = |key, points: &[gecc::Point]| -> Result<Vec<gecc::Point>, gecc::Error> {
///     let masked = ecdh::shared_points::<Secp256k1>(&engine, key, PublicKeys::points(points))?;
///     // Masked points are what the parties show each other.
///     Ok(masked.into_iter().map(|point| point.unwrap().into_public()).collect())
/// };
/// // Masking commutes, which is what private set intersection rests on.
/// assert_eq!(mask(&ours, &mask(&theirs, &elements)?)?, mask(&theirs, &mask(&ours, &elements)?)?);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn shared_points<'a, C: SecretCurve>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    peers: PublicKeys<'_>,
) -> Result<Vec<Result<SharedPoint, Rejection>>, Error> {
    let (secret_keys, items) = batch(secret_keys.into(), &peers)?;
    let on_gpu = |engines| gpu::secret::shared_points::<C>(engines, items, secret_keys, peers);
    let on_cpu = |engine: &_| cpu::agree::shared_points::<C>(engine, items, secret_keys, peers);
    engine.dispatch(items, WORTH_A_GPU, on_gpu, on_cpu)
}

/// The number of items: that of the peers, or of the keys where one peer serves all.
fn batch<'a>(secret_keys: SecretKeys<'a>, peers: &PublicKeys<'_>) -> Result<(SecretKeys<'a>, usize), Error> {
    let items = peers.len_for(secret_keys.len_for(1));
    require_keys(items, &secret_keys)?;
    Ok((secret_keys, items))
}
