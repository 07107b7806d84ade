//! Signature schemes: a folder each, over the frames that they share.

pub mod ecdsa;
pub(crate) mod frame;
pub mod sm2;

/// All schemes.
pub(crate) static SCHEMES: [&frame::Scheme; 2] = [&ecdsa::ECDSA, &sm2::SM2];
