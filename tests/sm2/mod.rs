//! SM2 signatures.

pub mod additional_data;
pub mod batch_sizes;
pub mod columns;
pub mod malleability;
pub mod message_lengths;
pub mod messages;
pub mod shared_with_ecdsa;
pub mod sign;
pub mod vectors;
pub mod verify;
