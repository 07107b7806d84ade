//! X25519, Diffie-Hellman on curve25519 (RFC 7748, sections 5 and 6.1).
//!
//! Private keys are 32 bytes, of which X25519 clears the lowest three bits and the highest, and sets
//! the second highest: every value is a key. Public keys are the u-coordinates of points, 32 bytes,
//! little-endian. As the RFC requires, their highest bit is ignored, and numbers from p = 2^255 - 19
//! on are reduced modulo p: every value is a key here, too.

mod cpu;
mod gpu;
pub(crate) mod known_answers;

use super::keys::require_keys;
use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::types::{
    Error, PublicKeys, Rejection, ResultSink, ResultsMut, Rows, SecretKeys, SharedSecret,
    require_lengths,
};
use std::ops::Range;

/// The batch size above which a GPU is faster.
pub(crate) const GPU_THRESHOLD: GpuThreshold = GpuThreshold {
    portable: 20,
    simd: 55,
};

/// The u-coordinate of the base point.
const BASE: [u8; 32] = {
    let mut u = [0; 32];
    u[0] = 9;
    u
};

/// The treatment of shared secrets that are zero. The shared secret is zero exactly if the order of
/// the peer's public key divides the cofactor 8, whatever the private key is: the peer did not
/// contribute to the secret (RFC 7748, sections 6.1 and 7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AllZero {
    /// The item is rejected with [`Rejection::IdentityResult`].
    #[default]
    Reject,
    /// The shared secret is 32 zero bytes.
    Accept,
}

/// The operation that multiplies points by private keys.
#[derive(Clone, Copy)]
pub(crate) struct X25519<'a> {
    pub secret_keys: SecretKeys<'a>,
    pub peers: PublicKeys<'a>,
    pub all_zero: AllZero,
    /// True if results are secret, which public keys are not.
    pub are_results_secret: bool,
    pub items: usize,
}

impl Computation for X25519<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GPU_THRESHOLD
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        self.compute_in_chunks(engine, items.start, out);
    }

    fn is_secret(&self) -> bool {
        true
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (gpu::CURVE, vec!["x25519"])
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        vec![known_answers::X25519]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// Computes the shared secret of each private key with its peer's public key, 32 bytes: the
/// u-coordinate of the shared point, little-endian. **Constant-time** in private keys, and in the
/// peers' keys except for the verdict.
///
/// `secret_keys` is one key per item (`&[SecretKey]`) or one for all (`&SecretKey`), and `peers`
/// likewise: [`PublicKeys::x25519`] with a column, or with [`Rows::all`]. The batch has as many
/// items as there are peers; with one peer for all, as many as there are private keys. Keys of 32
/// bytes in mixed rows ([`PublicKeys::mixed_row_of_x`]) can be used.
///
/// Items are rejected with [`Rejection::IdentityResult`] if the shared secret is zero and `all_zero`
/// is [`AllZero::Reject`], and with [`Rejection::MalformedPoint`] if a key is not 32 bytes.
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::x25519::{self, AllZero};
/// use gecc::{Engine, PublicKeys, Rows, SecretKey};
/// let engine = Engine::new()?;
/// let alice = [SecretKey::from_bytes([1; 32]), SecretKey::from_bytes([2; 32])];
/// let bob = SecretKey::from_bytes([3; 32]);
/// let alice_public = x25519::public_keys(&engine, &alice)?;
/// let bob_public = x25519::public_keys(&engine, &bob)?[0];
/// let all_zero = AllZero::Reject;
/// let ours = PublicKeys::x25519(&alice_public);
/// let theirs = PublicKeys::x25519(Rows::all(&bob_public));
/// let by_bob = x25519::shared_secrets(&engine, &bob, ours, all_zero)?;
/// let by_alice = x25519::shared_secrets(&engine, &alice, theirs, all_zero)?;
/// for (ours, theirs) in by_bob.iter().zip(&by_alice) {
///     let [ours, theirs] = [ours, theirs].map(|secret| secret.as_ref().unwrap().expose_bytes());
///     assert_eq!(ours, theirs);
/// }
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn shared_secrets<'a, 'k>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    peers: impl Into<PublicKeys<'k>>,
    all_zero: AllZero,
) -> Result<Vec<Result<SharedSecret, Rejection>>, Error> {
    let secret_keys = secret_keys.into();
    let peers = peers.into();
    let items = peers.len_for(secret_keys.len_for(1));
    require_keys(items, &secret_keys)?;
    let agreement = X25519 {
        secret_keys,
        peers,
        all_zero,
        are_results_secret: true,
        items,
    };
    engine.collect(&agreement, |results, item| {
        results.get(item).map(SharedSecret::of)
    })
}

/// Computes shared secrets from columns into columns of the caller, who wipes them: 32 bytes per
/// item, and a one-byte code ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`], in which
/// case the row is meaningless). See [`shared_secrets`]. **Constant-time** in private keys.
///
/// # Errors
/// The errors of [`shared_secrets`].
pub fn shared_secrets_into<'a, 'k>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    peers: impl Into<PublicKeys<'k>>,
    all_zero: AllZero,
    secrets: &mut [[u8; 32]],
    codes: &mut [u8],
) -> Result<(), Error> {
    let secret_keys = secret_keys.into();
    let peers = peers.into();
    let items = codes.len();
    require_keys(items, &secret_keys)?;
    require_lengths(
        items,
        &[
            ("peers", peers.len_for(items)),
            ("shared secrets", secrets.len()),
        ],
    )?;
    engine.run(
        &X25519 {
            secret_keys,
            peers,
            all_zero,
            are_results_secret: true,
            items,
        },
        ResultsMut::rows(codes, secrets),
    )
}

/// Computes the public keys of private keys, 32 bytes each: the shared secrets with the base point,
/// whose u-coordinate is 9. None is zero. **Constant-time** in private keys.
///
/// # Errors
/// [`Error::Device`] if every GPU fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, SecretKey, x25519};
/// let engine = Engine::new()?;
/// // RFC 7748, section 6.1: Alice.
/// let key = b"\x77\x07\x6d\x0a\x73\x18\xa5\x7d\x3c\x16\xc1\x72\x51\xb2\x66\x45\
///     \xdf\x4c\x2f\x87\xeb\xc0\x99\x2a\xb1\x77\xfb\xa5\x1d\xb9\x2c\x2a";
/// let public = x25519::public_keys(&engine, &[SecretKey::from_bytes(*key)])?;
/// assert_eq!(public[0][..4], [0x85, 0x20, 0xf0, 0x09]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn public_keys<'a>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
) -> Result<Vec<[u8; 32]>, Error> {
    let secret_keys = secret_keys.into();
    let mut public = vec![[0; 32]; secret_keys.len_for(1)];
    public_keys_into(engine, secret_keys, &mut public)?;
    Ok(public)
}

/// Computes public keys into a column. See [`public_keys`]. **Constant-time** in private keys.
///
/// # Errors
/// [`Error::LengthMismatch`] if the numbers of private keys and rows differ; [`Error::Device`] if
/// every GPU fails and the engine may not fall back to the CPU.
pub fn public_keys_into<'a>(
    engine: &Engine,
    secret_keys: impl Into<SecretKeys<'a>>,
    public: &mut [[u8; 32]],
) -> Result<(), Error> {
    let secret_keys = secret_keys.into();
    let items = public.len();
    require_keys(items, &secret_keys)?;
    // No key gives zero: a key is 8 m with m from 2^251 to 2^252, which is not 0 modulo the order
    // of the base point, a prime above 2^252.
    let mut codes = vec![0; items];
    engine.run(
        &X25519 {
            secret_keys,
            peers: PublicKeys::x25519(Rows::all(&BASE)),
            all_zero: AllZero::Accept,
            are_results_secret: false,
            items,
        },
        ResultsMut::rows(&mut codes, public),
    )
}
