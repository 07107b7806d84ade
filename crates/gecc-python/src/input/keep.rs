//! Owners of arguments' memory while a call reads it.

use arrow_array::ArrayRef;
use pyo3::prelude::*;
use zeroize::Zeroizing;

/// An owner of memory, which does not move as long as this lives.
#[allow(dead_code, reason = "an owner is there to be dropped")]
pub enum Keep {
    /// A numpy array or `bytes`. The caller guarantees that no one writes to it while a call runs.
    Python(Py<PyAny>),
    Arrow(ArrayRef),
    /// A copy, which is wiped because it may contain secrets.
    Copy(Zeroizing<Vec<u8>>),
}
