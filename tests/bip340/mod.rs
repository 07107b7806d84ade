//! BIP 340 against its vectors and libsecp256k1.

pub mod batch_verification;
pub mod sign;
pub mod vectors;
pub mod verify;
