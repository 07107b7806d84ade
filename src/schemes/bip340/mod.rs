//! Schnorr signatures on secp256k1 (BIP 340), as Taproot has them, and the tweaks of its keys (BIP 341).
//!
//! A signature is `R || s`, 64 bytes: x(R) and s, big-endian. A public key is the x-coordinate of a point with an even
//! y ([`PublicKeys::x_only`]). Keys in other encodings count for their x alone, whatever their y. Messages have 32
//! bytes, which is what most protocols sign and what is fastest, or any length in the calls for messages; those above
//! 16 KiB are computed on the CPU. Results are byte-identical to those of libsecp256k1.
//!
//! Calls that end in `_into` read columns ([`Rows`]) and write into columns of the caller's, among them a code a byte
//! ([`crate::Verdict::VALID_CODE`], or that of a [`Rejection`]: then the item's other results mean nothing). The batch
//! has as many items as there are codes.

pub(crate) mod known_answers;
mod messages;
mod messages_gpu;
mod sign;
mod sign_cpu;
mod sign_gpu;
mod signing;
#[cfg(test)]
mod together_gpu_tests;
mod verify;
pub(crate) mod verify_cpu;
mod verify_gpu;

#[cfg(doc)]
use crate::types::{PublicKeys, Rejection, Rows};
pub(crate) use messages::Messages;
pub(crate) use sign::Sign;
pub use sign::{sign, sign_into, sign_messages, sign_messages_into};
pub(crate) use sign_cpu::WORTH as SIGN_WORTH;
pub use signing::{Auxiliary, SigningKeys};
pub(crate) use verify::Verify;
pub use verify::{verify, verify_into, verify_messages, verify_messages_into};
pub(crate) use verify_cpu::WORTH as VERIFY_WORTH;
