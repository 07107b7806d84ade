//! ECDSA on its curves.

pub mod additional_data;
pub mod batch_sizes;
pub mod batch_verification;
pub mod candidates;
pub mod columns;
pub mod der;
pub mod edge_cases;
pub mod isolated_recovery;
pub mod isolated_signing;
pub mod isolated_verification;
pub mod large_x;
pub mod malleability;
pub mod message_lengths;
pub mod nist;
pub mod recover;
pub mod repeated_keys;
pub mod rfc6979;
pub mod sign;
pub mod verdicts;
pub mod verify;
pub mod wycheproof;
