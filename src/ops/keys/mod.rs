//! Key pairs: generation, and public keys from private keys.

use crate::curve::SecretCurve;
use crate::encoding::Point;
use crate::engine::{Engine, Worth};
use crate::error::{Error, require_lengths};
use crate::point::Points;
use crate::secret::{SecretKey, SecretKeys};
use crate::{cpu, gpu};

/// Items that one thread of the CPU computes before a GPU gives its first results (`Engine::dispatch`, PERFORMANCE.md).
const WORTH_A_GPU: Worth = Worth { portable: 5, lanes: 50 };

/// The public keys of private keys: `d * G`. **Constant-time** in the keys.
///
/// Items are rejected with [`crate::Rejection::SecretKeyOutOfRange`].
///
/// # Errors
/// [`Error::Device`] when every GPU fails and the CPU may not take over.
///
/// ```
/// use gecc::{Engine, P256, SecretKey, keys};
/// let engine = Engine::new()?;
/// let secret = [SecretKey::generate::<P256>()?];
/// let public = keys::public_keys::<P256>(&engine, &secret)?[0].unwrap();
/// let theirs = p256::SecretKey::try_from(&secret[0]).unwrap().public_key();
/// assert_eq!(public, gecc::Point::from(&theirs));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn public_keys<C: SecretCurve>(engine: &Engine, secret_keys: &[SecretKey]) -> Result<Points, Error> {
    let on_gpu = |engines| gpu::secret::public_keys::<C>(engines, secret_keys);
    let on_cpu = |engine: &_| cpu::secret::public_keys::<C>(engine, secret_keys);
    engine.dispatch(secret_keys.len(), WORTH_A_GPU, on_gpu, on_cpu)
}

/// `count` fresh key pairs from the operating system's randomness. **Constant-time** in the keys.
///
/// # Errors
/// [`Error::Randomness`] when the operating system gives none.
///
/// ```
/// use gecc::{Engine, Sm2, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate::<Sm2>(&engine, 3)?;
/// assert_eq!((secret.len(), public.len()), (3, 3));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn generate<C: SecretCurve>(engine: &Engine, count: usize) -> Result<(Vec<SecretKey>, Vec<Point>), Error> {
    let secret = SecretKey::generate_all::<C>(count)?;
    let public = public_keys::<C>(engine, &secret)?;
    let public = public.into_iter().map(|point| point.expect("a generated key is in range")).collect();
    Ok((secret, public))
}

/// Checks that the keys fit a batch.
pub(crate) fn require_keys(items: usize, keys: &SecretKeys) -> Result<(), Error> {
    require_lengths(items, &[("secret keys", keys.len_for(items))])
}
