//! Schnorr signatures on secp256k1 (BIP 340), as used in Taproot. Tweaks of keys (BIP 341) are in
//! [`crate::tweak`].
//!
//! A signature is `R || s`, 64 bytes: x(R) and s, big-endian. A public key is the x-coordinate of a
//! point with an even y ([`PublicKeys::x_only`]). Of keys in other encodings only x is used,
//! regardless of their y. Messages have 32 bytes, which is what most protocols sign and is fastest,
//! or any length in the functions for messages; those above 16 KiB are processed on the CPU.
//! Results are byte-identical to those of libsecp256k1.
//!
//! Functions whose names end in `_into` read columns ([`Rows`]) and write to columns of the caller,
//! including a one-byte code per item ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`],
//! in which case the item's other results are meaningless). The batch has as many items as there
//! are codes.

#[cfg(test)]
mod batch_verification_gpu_tests;
pub(crate) mod known_answers;
mod messages;
mod messages_gpu;
mod sign;
mod sign_cpu;
mod sign_gpu;
mod signing;
mod verify;
pub(crate) mod verify_cpu;
mod verify_gpu;

#[cfg(doc)]
use crate::types::{PublicKeys, Rejection, Rows};
pub(crate) use messages::Messages;
pub(crate) use sign::GPU_THRESHOLD as SIGN_GPU_THRESHOLD;
pub(crate) use sign::SignBip340;
pub use sign::{sign, sign_into, sign_messages, sign_messages_into};
pub use signing::{Auxiliary, SigningKeys};
pub(crate) use verify::GPU_THRESHOLD as VERIFY_GPU_THRESHOLD;
pub(crate) use verify::VerifyBip340;
pub use verify::{verify, verify_into, verify_messages, verify_messages_into};
