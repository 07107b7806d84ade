//! Signature schemes: a folder each, over the frames that they share.

pub mod ecdsa;
pub(crate) mod frame;
pub mod sm2;
