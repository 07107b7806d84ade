//! A file for each command; `stream` is what those have in common that answer item by item.

pub mod doctor;
pub mod ecdh;
pub mod kernels;
pub mod pubkey;
pub mod recover;
pub mod sign;
mod stream;
pub mod verify;
