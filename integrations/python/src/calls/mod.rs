//! Calls to the library, with arguments and results of Python.

#![allow(
    clippy::too_many_arguments,
    reason = "columns and options of a call are its parameters"
)]

pub mod batches;
pub mod der;
pub mod masking;
pub mod messages;
pub mod operations;
pub mod points;
pub mod silent_payments;
pub mod sums;
