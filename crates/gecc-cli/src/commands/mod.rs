//! One file per command. Commands that answer item by item are operations of a `job`.

pub mod bench;
#[cfg(feature = "chains")]
pub mod bitcoin;
#[cfg(feature = "chains")]
pub mod certificates;
pub mod doctor;
pub mod ecdh;
#[cfg(feature = "chains")]
pub mod ethereum;
pub mod kernels;
pub mod pubkey;
pub mod recover;
mod report;
pub mod sign;
pub mod verify;
