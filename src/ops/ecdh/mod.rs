//! Elliptic-curve Diffie-Hellman (SEC 1, section 3.3.1; NIST SP 800-56A, section 5.7.1.2).

pub(crate) mod cpu;
mod gpu;
pub(crate) mod known_answers;

use super::keys::require_keys;
use super::point;
use crate::cpu::CpuEngine;
use crate::curve::{CurveChoice, CurveId, PerCurve, per_curve};
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::types::{
    Error, PublicKeys, Rejection, ResultSink, ResultsMut, SecretKeys, SharedPoint, SharedSecret,
    require_lengths,
};
use std::ops::Range;

/// The batch size above which a GPU is faster.
pub(crate) const GPU_THRESHOLD: GpuThreshold = GpuThreshold {
    portable: 33,
    simd: 85,
};

/// The operation that computes the shared points of a batch.
pub(crate) struct Agreement<'a> {
    pub curve: CurveId,
    pub secret_keys: SecretKeys<'a>,
    pub peers: PublicKeys<'a>,
    /// Bytes per row: 64 for `x || y`, 32 for x alone.
    pub width: usize,
    pub items: usize,
}

impl<'a> Agreement<'a> {
    /// Creates the operation with one item per peer, or one per private key if all items share a
    /// peer.
    fn new(
        curve: CurveId,
        secret_keys: SecretKeys<'a>,
        peers: PublicKeys<'a>,
        width: usize,
    ) -> Result<Self, Error> {
        let items = peers.len_for(secret_keys.len_for(1));
        require_keys(items, &secret_keys)?;
        Ok(Agreement {
            curve,
            secret_keys,
            peers,
            width,
            items,
        })
    }
}

impl Computation for Agreement<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GPU_THRESHOLD
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        static ON_CPU: PerCurve<fn(&CpuEngine, SecretKeys, PublicKeys, usize, &mut ResultSink)> =
            per_curve!(cpu::shared_points);
        let keys = self.secret_keys.slice(items.clone());
        let peers = self.peers.slice(items);
        ON_CPU.of(self.curve)(engine, keys, peers, self.width, out);
    }

    fn is_secret(&self) -> bool {
        true
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (
            self.curve.name(),
            vec!["layout", "nonces", "upmul", "normalize", "results"],
        )
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        vec![
            point::known_answers::keys(self.curve),
            known_answers::agreement(self.curve),
        ]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// Computes the shared secret of each private key with its peer: the x-coordinate of `d * Q`.
/// **Constant-time** in the keys.
///
/// `secret_keys` is one key per item (`&[SecretKey]`) or one for all (`&SecretKey`). The batch has
/// as many items as there are peers; with [`PublicKeys::all`], as many as there are private keys.
///
/// Items are rejected with [`Rejection::SecretKeyOutOfRange`], [`Rejection::MalformedPoint`],
/// [`Rejection::NotOnCurve`] or [`Rejection::IdentityKey`].
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, P256, PublicKeys, ecdh, keys};
/// let engine = Engine::new()?;
/// let (alice, alice_public) = keys::generate(&engine, P256, 1)?;
/// let (bob, bob_public) = keys::generate(&engine, P256, 1)?;
/// let ours = ecdh::shared_secrets(&engine, P256, &alice, PublicKeys::points(&bob_public))?;
/// let theirs = ecdh::shared_secrets(&engine, P256, &bob, PublicKeys::points(&alice_public))?;
/// assert_eq!(ours[0].as_ref().unwrap().expose_bytes(), theirs[0].as_ref().unwrap().expose_bytes());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn shared_secrets<'a, 'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    secret_keys: impl Into<SecretKeys<'a>>,
    peers: impl Into<PublicKeys<'k>>,
) -> Result<Vec<Result<SharedSecret, Rejection>>, Error> {
    let agreement = Agreement::new(curve.id(), secret_keys.into(), peers.into(), 32)?;
    engine.collect(&agreement, |results, item| {
        results.get(item).map(SharedSecret::of)
    })
}

/// Computes shared secrets from columns into columns of the caller, who wipes them: 32 bytes per
/// item, and a one-byte code ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`], in which
/// case the row is meaningless). See [`shared_secrets`]. **Constant-time** in the keys.
///
/// # Errors
/// The errors of [`shared_secrets`].
pub fn shared_secrets_into<'a, 'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    secret_keys: impl Into<SecretKeys<'a>>,
    peers: impl Into<PublicKeys<'k>>,
    secrets: &mut [[u8; 32]],
    codes: &mut [u8],
) -> Result<(), Error> {
    shared_into(
        engine,
        curve.id(),
        secret_keys.into(),
        peers.into(),
        secrets,
        codes,
    )
}

/// Computes rows of 32 or 64 bytes.
fn shared_into<const W: usize>(
    engine: &Engine,
    curve: CurveId,
    secret_keys: SecretKeys,
    peers: PublicKeys<'_>,
    shared: &mut [[u8; W]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let items = codes.len();
    require_keys(items, &secret_keys)?;
    require_lengths(
        items,
        &[
            ("peers", peers.len_for(items)),
            ("shared secrets", shared.len()),
        ],
    )?;
    engine.run(
        &Agreement {
            curve,
            secret_keys,
            peers,
            width: W,
            items,
        },
        ResultsMut::rows(codes, shared),
    )
}

/// Computes the shared point `d * Q` of each private key with its peer, for protocols that continue
/// to compute with it, such as private set intersection. **Constant-time** in the keys. A shared
/// point is secret; if a protocol reveals it, [`SharedPoint::into_public`] converts it to a
/// [`crate::Point`].
///
/// Input shapes, rejections and errors are those of [`shared_secrets`].
///
/// ```
/// use gecc::{Engine, PublicKeys, Secp256k1, SecretKey, ecdh, keys};
/// let engine = Engine::new()?;
/// let (_, elements) = keys::generate(&engine, Secp256k1, 2)?;
/// let ours = SecretKey::generate(Secp256k1)?;
/// let theirs = SecretKey::generate(Secp256k1)?;
/// let mask = |key, points: &[gecc::Point]| -> Result<Vec<gecc::Point>, gecc::Error> {
///     let masked = ecdh::shared_points(&engine, Secp256k1, key, PublicKeys::points(points))?;
///     // Masked points are what the parties show each other.
///     Ok(masked.into_iter().map(|point| point.unwrap().into_public()).collect())
/// };
/// // Masking commutes, which is what private set intersection rests on.
/// assert_eq!(mask(&ours, &mask(&theirs, &elements)?)?, mask(&theirs, &mask(&ours, &elements)?)?);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn shared_points<'a, 'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    secret_keys: impl Into<SecretKeys<'a>>,
    peers: impl Into<PublicKeys<'k>>,
) -> Result<Vec<Result<SharedPoint, Rejection>>, Error> {
    let agreement = Agreement::new(curve.id(), secret_keys.into(), peers.into(), 64)?;
    engine.collect(&agreement, |results, item| {
        results.get(item).map(SharedPoint::of)
    })
}

/// Computes shared points from columns into columns of the caller, who wipes them: 64 bytes `x ||
/// y` and a one-byte code per item, as [`shared_secrets_into`] does. See [`shared_points`].
/// **Constant-time** in the keys.
///
/// # Errors
/// The errors of [`shared_points`].
pub fn shared_points_into<'a, 'k>(
    engine: &Engine,
    curve: impl CurveChoice,
    secret_keys: impl Into<SecretKeys<'a>>,
    peers: impl Into<PublicKeys<'k>>,
    points: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    shared_into(
        engine,
        curve.id(),
        secret_keys.into(),
        peers.into(),
        points,
        codes,
    )
}
