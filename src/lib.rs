//! Batch elliptic-curve cryptography: ECDSA, BIP 340, SM2 and ECDH on secp256k1, P-256,
//! brainpoolP256r1 and SM2, and Ed25519.
//!
//! For programs that need millions of operations: every call takes slices, runs on all GPUs, or on
//! all cores if there is no GPU, and returns one answer per item, in order. An invalid item gets
//! its own [`Rejection`] and does not affect other items. Results are byte-identical to those of
//! the RustCrypto crates `k256`, `p256`, `bp256` and `sm2`.
//!
//! ```
//! use gecc::{Engine, P256, PublicKeys, ecdsa, keys};
//!
//! let engine = Engine::new()?;                                   // all GPUs, or all cores
//! let (secret, public) = keys::generate(&engine, P256, 100)?;
//! let digests = vec![[0x5a; 32]; 100];
//!
//! let signed = ecdsa::sign(&engine, P256, &digests, &secret, ecdsa::SForm::default())?;
//! let signatures: Vec<[u8; 64]> = signed.into_iter().map(|item| item.expect("the keys are in range")).collect();
//!
//! let keys = PublicKeys::points(&public);
//! let verdicts = ecdsa::verify(&engine, P256, &digests, &signatures, keys, ecdsa::Policy::default())?;
//! assert!(verdicts.all_valid());
//! # Ok::<(), gecc::Error>(())
//! ```
//!
//! | operation | module | constant-time |
//! |---|---|---|
//! | ECDSA verify, recover | [`ecdsa`] | no: public data |
//! | ECDSA sign | [`ecdsa`] | in keys and nonces |
//! | BIP 340 verify | [`bip340`] | no: public data |
//! | BIP 340 sign | [`bip340`] | in keys and nonces |
//! | Ed25519 verify | [`ed25519`] | no: public data |
//! | Ed25519 sign, public keys | [`ed25519`] | in seeds and nonces |
//! | SM2 verify | [`sm2`] | no: public data |
//! | SM2 sign | [`sm2`] | in keys and nonces |
//! | ECDH | [`ecdh`] | in private keys |
//! | X25519 (RFC 7748) | [`x25519`] | in private keys |
//! | points of edwards25519 | [`edwards25519`] | in private keys and hashed messages |
//! | ristretto255 (RFC 9496) | [`ristretto255`] | in private keys, uniform bytes and messages |
//! | hashing to points (RFC 9380 and others) | [`hash_to_curve`] | in messages, with suites of RFC 9380 |
//! | masks for private set intersection | [`mask`], [`ristretto255`] | in keys; in items with suites of RFC 9380 |
//! | oblivious pseudorandom functions (RFC 9497) | [`oprf`] | in keys, inputs and blinds |
//! | key generation, public keys | [`keys`] | in private keys |
//! | tweaks of public keys (BIP 341, BIP 32) | [`tweak`] | no: public data |
//! | silent payments: scan, index (BIP 352) | [`silent_payments`] | in scan keys, see there of GPUs |
//! | point addition, doubling, multiplication, decompression | [`point`] | no: public data |
//! | digests of messages | [`hash`] | no: public data |
//! | modular exponentiation, multiplication, squaring | [`modular`] | in bases, exponents and factors |
//!
//! The argument after the engine is the curve: its type (`verify(&engine, P256, …)`), or a
//! [`CurveId`] that is chosen at run time. [`service`] is for many callers with few items each: it
//! combines their requests into batches.
//!
//! # Versions
//! Rust 1.95 or later; no CUDA is needed to build. Keys and signatures convert from and to the
//! types of `k256`, `p256`, `bp256` and `sm2` 0.14, which are re-exported in [`rust_crypto`]. Types
//! of version 0.13 are converted as bytes, with [`SecretKey::from_bytes`] and any encoding of
//! [`PublicKeys`].
//!
//! # Features
//! No feature is enabled by default, and none is needed: curves, GPU support and vector
//! instructions are always compiled in and detected at run time. `lab` exposes internals for
//! benchmarks of the library itself, without a promise of stability.
//!
//! # Examples
//! Every function's page has one. The repository's `examples/` has programs that process real data:
//! senders of Ethereum's transactions, Bitcoin's blocks, certificates, private set intersection,
//! scans of Monero's outputs.
//! `docs/using.md` has more on columns, GPUs, threads and memory, `docs/masking.md` on private set
//! intersection.

// The feature makes undocumented internals reachable.
#![cfg_attr(feature = "lab", allow(missing_docs))]

pub mod call;
pub mod fields;
pub mod kernels;
#[cfg(feature = "lab")]
#[doc(hidden)]
pub mod lab;
pub mod pipeline;
pub mod service;

mod cpu;
mod curve;
mod engine;
mod gpu;
mod host;
mod known_answers;
mod operation;
mod ops;
mod schemes;
mod start;
mod types;

pub use curve::types::*;
pub use curve::{Curve, CurveChoice, CurveId, EcdsaChoice, EcdsaCurve, UnknownCurve};
pub use engine::{
    Backend, Engine, EngineBuilder, EngineInfo, Failure, FailureKind, KernelOrigin, KernelTime,
    LoadedKernels, PageLocked, Pieces,
};
pub use host::stack;
pub use ops::{
    ecdh, edwards25519, hash, hash_to_curve, keys, mask, modular, oprf, point, ristretto255,
    silent_payments, tweak, x25519,
};
pub use schemes::{bip340, ecdsa, ed25519, sm2};
/// The RustCrypto crates whose key and signature types convert from and to types of this crate, in
/// the supported versions.
///
/// ```
/// use gecc::rust_crypto::k256;
/// use gecc::{Engine, Secp256k1, SecretKey, ecdsa};
/// let key = k256::ecdsa::SigningKey::from(&k256::SecretKey::from_slice(&[7; 32]).unwrap());
/// let signed = ecdsa::sign(&Engine::new()?, Secp256k1, &[[5; 32]], &SecretKey::from(&key), Default::default())?;
/// let signature = k256::ecdsa::Signature::from_slice(&signed[0].unwrap()).unwrap();
/// use k256::ecdsa::signature::hazmat::PrehashVerifier;
/// assert!(key.verifying_key().verify_prehash(&[5; 32], &signature).is_ok());
/// # Ok::<(), gecc::Error>(())
/// ```
pub mod rust_crypto {
    pub use ::{bp256, k256, p256, sm2};
}
// Tests the programs in documents outside of the crate.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
#[cfg(doctest)]
#[doc = include_str!("../docs/using.md")]
struct Using;
#[cfg(doctest)]
#[doc = include_str!("../docs/masking.md")]
struct Masking;

pub use types::{
    Error, Point, PublicKeys, Rejection, Rows, SecretKey, SecretKeys, SharedPoint, SharedSecret,
    Signers, Verdict, Verdicts, signature_from_der, signature_rows, signature_to_der,
};
