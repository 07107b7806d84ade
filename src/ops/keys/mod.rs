//! Key pairs: generation, and public keys from private keys.

pub(crate) mod cpu;
pub(crate) mod gpu;
pub(crate) mod known_answers;

use super::point::point_of;
use crate::cpu::CpuEngine;
use crate::cpu::secret::is_key;
use crate::curve::{CurveChoice, CurveId, PerCurve, per_curve};
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::host::{lock, stack};
use crate::operation::{Computation, GpuThreshold};
use crate::types::{
    Error, Point, Points, ResultSink, ResultsMut, SecretKey, SecretKeys, require_lengths,
};
use std::ops::Range;
use std::slice;
use std::sync::{Mutex, PoisonError};
use zeroize::Zeroizing;

/// The batch size above which a GPU is faster.
pub(crate) const GPU_THRESHOLD: GpuThreshold = GpuThreshold {
    portable: 24,
    simd: 50,
};

/// The operation that computes the public keys of a batch of private keys.
pub(crate) struct PublicKeysOf<'a> {
    pub curve: CurveId,
    pub keys: SecretKeys<'a>,
    pub items: usize,
}

impl Computation for PublicKeysOf<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GPU_THRESHOLD
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        static ON_CPU: PerCurve<fn(&CpuEngine, SecretKeys, &mut ResultSink)> =
            per_curve!(cpu::public_keys);
        ON_CPU.of(self.curve)(engine, self.keys.slice(items), out);
    }

    fn is_secret(&self) -> bool {
        true
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (
            self.curve.name(),
            vec!["layout", "nonces", "table", "fpmul", "normalize", "results"],
        )
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        vec![known_answers::public_keys(self.curve)]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// Computes the public keys `d * G` of private keys. **Constant-time** in the keys.
///
/// Items are rejected with [`crate::Rejection::SecretKeyOutOfRange`].
///
/// # Errors
/// [`Error::Device`] if every GPU fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, P256, SecretKey, keys};
/// let engine = Engine::new()?;
/// let secret = [SecretKey::generate(P256)?];
/// let public = keys::public_keys(&engine, P256, &secret)?[0].unwrap();
/// let theirs = p256::SecretKey::try_from(&secret[0]).unwrap().public_key();
/// assert_eq!(public, gecc::Point::from(&theirs));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn public_keys<'a>(
    engine: &Engine,
    curve: impl CurveChoice,
    secret_keys: impl Into<SecretKeys<'a>>,
) -> Result<Points, Error> {
    let keys = secret_keys.into();
    public_keys_of(engine, curve.id(), keys, keys.len_for(1))
}

/// Computes the public keys of `items` items, which may share one key.
pub(crate) fn public_keys_of(
    engine: &Engine,
    curve: CurveId,
    keys: SecretKeys,
    items: usize,
) -> Result<Points, Error> {
    require_keys(items, &keys)?;
    engine.collect(&PublicKeysOf { curve, keys, items }, point_of)
}

/// Computes public keys into columns of the caller: 64 bytes `x || y` per item, and a one-byte code
/// ([`crate::Verdict::VALID_CODE`], or that of a [`crate::Rejection`], in which case the row is
/// meaningless). See [`public_keys`]. **Constant-time** in the keys.
///
/// # Errors
/// [`Error::LengthMismatch`] if the columns differ in length, and the errors of [`public_keys`].
pub fn public_keys_into<'a>(
    engine: &Engine,
    curve: impl CurveChoice,
    secret_keys: impl Into<SecretKeys<'a>>,
    public_keys: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let keys = secret_keys.into();
    let items = codes.len();
    require_lengths(
        items,
        &[
            ("secret keys", keys.len_for(items)),
            ("public keys", public_keys.len()),
        ],
    )?;
    engine.run(
        &PublicKeysOf {
            curve: curve.id(),
            keys,
            items,
        },
        ResultsMut::rows(codes, public_keys),
    )
}

/// Generates `count` key pairs from the operating system's random number generator.
/// **Constant-time** in the keys.
///
/// # Errors
/// [`Error::Randomness`] if the generator fails.
///
/// ```
/// use gecc::{Engine, Sm2, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate(&engine, Sm2, 3)?;
/// assert_eq!((secret.len(), public.len()), (3, 3));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn generate(
    engine: &Engine,
    curve: impl CurveChoice,
    count: usize,
) -> Result<(Vec<SecretKey>, Vec<Point>), Error> {
    let curve = curve.id();
    let secret = draw(engine, curve, count)?;
    let public = public_keys(engine, curve, &secret)?;
    let public = public
        .into_iter()
        .map(|point| point.expect("a generated key is in range"))
        .collect();
    Ok((secret, public))
}

/// Generates `count` private keys from the operating system's random number generator.
/// **Constant-time** in the keys.
///
/// # Errors
/// [`Error::Randomness`] if the generator fails.
pub(crate) fn draw(engine: &Engine, curve: CurveId, count: usize) -> Result<Vec<SecretKey>, Error> {
    let mut secret = vec![SecretKey::from_bytes([0; 32]); count];
    // Generated at their final address: moving keys leaves copies behind.
    draw_rows(&engine.devices()?.cpu, &mut secret, |keys| {
        stack::wiped(|| {
            keys.chunks_mut(DRAWN_AT_ONCE)
                .try_for_each(|keys| draw_all(curve, keys))
        })
    })?;
    Ok(secret)
}

/// The number of keys per request to the operating system.
const DRAWN_AT_ONCE: usize = 32;
/// The number of rows that one task fills.
const DRAWN_BY_A_TASK: usize = 1 << 10;

/// Fills all rows with random bytes, on several threads if there are many.
pub(crate) fn draw_rows<T: Send>(
    cpu: &CpuEngine,
    rows: &mut [T],
    draw: impl Fn(&mut [T]) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let problem = Mutex::new(None);
    cpu.pool.for_each(
        rows.chunks_mut(DRAWN_BY_A_TASK).collect(),
        |rows: &mut [T]| {
            if let Err(error) = draw(rows) {
                *lock(&problem) = Some(error);
            }
        },
    );
    problem
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .map_or(Ok(()), Err)
}

/// Generates at most [`DRAWN_AT_ONCE`] keys.
fn draw_all(curve: CurveId, keys: &mut [SecretKey]) -> Result<(), Error> {
    let mut drawn = Zeroizing::new([[0; 32]; DRAWN_AT_ONCE]);
    let drawn = &mut drawn[..keys.len()];
    random(drawn.as_flattened_mut())?;
    for (key, drawn) in keys.iter_mut().zip(drawn) {
        key.0 = *drawn;
        while !is_key_of(curve, key) {
            random(&mut key.0)?;
        }
    }
    Ok(())
}

/// Fills `bytes` from the operating system's random number generator.
pub(crate) fn random(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|error| Error::Randomness(error.to_string()))
}

fn is_key_of(curve: CurveId, key: &SecretKey) -> bool {
    static IS_KEY: PerCurve<fn(&[u8; 32]) -> bool> = per_curve!(is_key);
    IS_KEY.of(curve)(&key.0)
}

impl SecretKey {
    /// Generates a uniformly random key of a curve, from the operating system's generator with
    /// rejection sampling (FIPS 186-5, appendix A.2.2).
    ///
    /// # Errors
    /// [`Error::Randomness`] if the generator fails.
    pub fn generate(curve: impl CurveChoice) -> Result<Self, Error> {
        let mut key = SecretKey::from_bytes([0; 32]);
        stack::wiped(|| draw_all(curve.id(), slice::from_mut(&mut key)))?;
        // Moving a key leaves a copy behind, so a clone is returned and this one is wiped.
        Ok(key.clone())
    }
}

/// Checks that the number of keys fits a batch.
pub(crate) fn require_keys(items: usize, keys: &SecretKeys) -> Result<(), Error> {
    require_lengths(items, &[("secret keys", keys.len_for(items))])
}
