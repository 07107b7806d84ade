//! SM2 signatures.

pub mod scheme;
pub mod vectors;
