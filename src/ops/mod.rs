//! Operations that do not belong to a signature scheme.

pub mod ecdh;
pub mod edwards25519;
pub mod hash;
pub mod hash_to_curve;
pub mod keys;
pub mod mask;
pub mod modular;
pub mod oprf;
pub mod point;
pub mod ristretto255;
pub mod silent_payments;
pub mod tweak;
pub mod x25519;
