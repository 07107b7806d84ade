//! Ed25519: the vectors of RFC 8032 and of others with a verdict for each rule, real signatures,
//! and `ed25519-dalek`.

pub mod batch_verification;
pub mod columns;
pub mod contexts;
pub mod sign;
pub mod vectors;
pub mod verify;
