//! Helpers shared by the tests: the reference, randomness, adversarial signatures and the placing
//! of bad items among good ones.

pub mod batch_sizes;
pub mod batch_verification;
pub mod bip340;
pub mod columns;
#[allow(
    unused_imports,
    unused_macros,
    reason = "each list of tests uses a part"
)]
pub mod each;
pub mod ed25519;
pub mod keys;
pub mod lengths;
pub mod messages;
pub mod mutation;
pub mod neighbours;
pub mod numbers;
pub mod random;
pub mod reference;
pub mod report;
pub mod scheme;
pub mod secret_keys;
pub mod shared;
pub mod silent_payments;
pub mod vectors;
