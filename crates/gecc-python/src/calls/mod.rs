//! Calls of the library, with arguments and results of Python.

#![allow(clippy::too_many_arguments, reason = "columns and options of a call are its parameters")]

pub mod batches;
pub mod bip340;
pub mod der;
pub mod ed25519;
pub mod keys;
pub mod messages;
pub mod points;
mod results;
pub mod signatures;
pub mod silent_payments;
pub mod sums;
