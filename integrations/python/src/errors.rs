//! Conversion of the library's errors to Python exceptions.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};

create_exception!(
    gecc,
    GeccError,
    PyException,
    "A call could not run. No item has a result."
);
create_exception!(
    gecc,
    NoDeviceError,
    GeccError,
    "GPUs were requested, and none can be used."
);
create_exception!(
    gecc,
    DeviceError,
    GeccError,
    "All GPUs failed, and the engine may not use the CPU instead."
);
create_exception!(
    gecc,
    KernelsError,
    GeccError,
    "Kernels could not be compiled, stored or loaded."
);
create_exception!(
    gecc,
    ForkedError,
    GeccError,
    "The engine was created before this process was forked."
);

/// Converts an error of work on record batches. Problems of columns or options become a
/// `ValueError`.
pub fn batch_exception(error: impl Into<gecc_arrow::Error>) -> PyErr {
    match error.into() {
        gecc_arrow::Error::Engine(error) => exception(error),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// Converts an error of the library. Problems of arguments become a `ValueError`.
pub fn exception(error: gecc::Error) -> PyErr {
    use gecc::Error;
    let text = error.to_string();
    match error {
        Error::LengthMismatch { .. }
        | Error::InvalidColumn(_)
        | Error::InvalidOption { .. }
        | Error::InvalidModulus
        | Error::DomainSeparation { .. }
        | Error::InvalidForm { .. }
        | Error::NoScheme { .. } => PyValueError::new_err(text),
        Error::NoDevice(_) => NoDeviceError::new_err(text),
        Error::Device(_) => DeviceError::new_err(text),
        Error::Kernels(_) => KernelsError::new_err(text),
        Error::Forked => ForkedError::new_err(text),
        _ => GeccError::new_err(text),
    }
}
