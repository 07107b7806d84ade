//! Signature schemes: one folder each, based on the common parts in `common`.

pub mod bip340;
pub(crate) mod common;
pub mod ecdsa;
pub mod ed25519;
pub mod sm2;

/// All schemes that sign digests and to which a curve may be added.
pub(crate) static SCHEMES: [&common::Scheme; 2] = [&ecdsa::ECDSA, &sm2::SM2];
