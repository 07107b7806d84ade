//! Operations that do not belong to a signature scheme.

pub mod ecdh;
pub mod hash;
pub mod keys;
pub mod modular;
pub mod point;
pub mod silent_payments;
pub mod tweak;
