//! Diffie-Hellman on the curves in short Weierstrass form.

pub mod agreement;
pub mod isolation;
pub mod nist;
pub mod wycheproof;
