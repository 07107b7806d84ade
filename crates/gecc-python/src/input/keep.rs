//! Owners of the memory of arguments while a call reads it.

use arrow_array::ArrayRef;
use pyo3::prelude::*;
use zeroize::Zeroizing;

/// An owner of memory, which stays where it is as long as this lives.
#[allow(dead_code, reason = "an owner is there to be dropped")]
pub enum Keep {
    /// An array of numpy or `bytes`. That nobody writes to it while a call runs is the caller's promise.
    Python(Py<PyAny>),
    Arrow(ArrayRef),
    /// A copy, wiped as it may be of secrets.
    Copy(Zeroizing<Vec<u8>>),
}
