//! Signature schemes: one folder each, based on the common parts in `frame`.

pub mod bip340;
pub mod ecdsa;
pub mod ed25519;
pub(crate) mod frame;
pub mod sm2;

/// All schemes that sign digests and to which a curve may be added.
pub(crate) static SCHEMES: [&frame::Scheme; 2] = [&ecdsa::ECDSA, &sm2::SM2];
