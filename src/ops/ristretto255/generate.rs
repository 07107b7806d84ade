//! Generation of private keys.

use super::public_keys;
use crate::cpu::edwards::curves::Ed25519N;
use crate::cpu::edwards::scalar::Scalar;
use crate::engine::Engine;
use crate::host::stack;
use crate::ops::keys::{draw_rows, random};
use crate::types::{Error, Rejection, SecretKey};
use zeroize::Zeroizing;

/// The number of keys per request to the operating system.
const DRAWN_AT_ONCE: usize = 32;

/// Uniformly random bytes that are reduced modulo l, so that keys are uniform up to 2^-256.
type Wide = [u8; 64];

/// Generates `count` private keys from the operating system's random number generator, and computes
/// their public keys ([`public_keys`]). **Constant-time** in the keys.
///
/// # Errors
/// [`Error::Randomness`] if the generator fails; [`Error::Forked`] in a process that was forked
/// after the engine was built.
///
/// ```
/// use gecc::{Engine, ristretto255};
/// let (secret, public) = ristretto255::generate(&Engine::new()?, 3)?;
/// assert_eq!((secret.len(), public.len()), (3, 3));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn generate(engine: &Engine, count: usize) -> Result<(Vec<SecretKey>, Vec<[u8; 32]>), Error> {
    key_pairs(engine, count, |secret| public_keys(engine, secret))
}

/// Generates `count` private keys, and returns them with their public keys, which `public_keys`
/// computes. **Constant-time** in the keys.
pub(crate) fn key_pairs(
    engine: &Engine,
    count: usize,
    public_keys: impl FnOnce(&[SecretKey]) -> Result<Vec<Result<[u8; 32], Rejection>>, Error>,
) -> Result<(Vec<SecretKey>, Vec<[u8; 32]>), Error> {
    let secret = draw(engine, count)?;
    let public = public_keys(&secret)?;
    let public = public
        .into_iter()
        .map(|key| key.expect("a generated key is in range"))
        .collect();
    Ok((secret, public))
}

/// Generates `count` private keys. **Constant-time** in the keys.
///
/// # Errors
/// [`Error::Randomness`] if the generator fails.
pub(crate) fn draw(engine: &Engine, count: usize) -> Result<Vec<SecretKey>, Error> {
    let mut secret = vec![SecretKey::from_bytes([0; 32]); count];
    // Generated at their final address: moving keys leaves copies behind.
    draw_rows(&engine.devices()?.cpu, &mut secret, |keys| {
        stack::wiped(|| keys.chunks_mut(DRAWN_AT_ONCE).try_for_each(draw_all))
    })?;
    Ok(secret)
}

/// Generates at most [`DRAWN_AT_ONCE`] keys.
fn draw_all(keys: &mut [SecretKey]) -> Result<(), Error> {
    let mut drawn: Zeroizing<[Wide; DRAWN_AT_ONCE]> = Zeroizing::new([[0; 64]; DRAWN_AT_ONCE]);
    let drawn = &mut drawn[..keys.len()];
    random(drawn.as_flattened_mut())?;
    for (key, drawn) in keys.iter_mut().zip(drawn) {
        key.0 = number(drawn).to_le_bytes();
        while number(drawn).is_zero() {
            random(drawn)?;
            key.0 = number(drawn).to_le_bytes();
        }
    }
    Ok(())
}

fn number(drawn: &Wide) -> Scalar<Ed25519N> {
    Scalar::from_le_bytes_wide(drawn)
}
