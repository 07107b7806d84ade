//! gecc for Python: the extension `gecc._gecc`, which the package `gecc` (in `python/gecc`) calls.
//!
//! A call reads its arguments (`input/`) as columns borrowed from Python's memory, or as copies if
//! the engine cannot read them in place. It runs in pieces without the GIL (`pieces.rs`), and
//! returns arrays of numpy or Arrow (`output.rs`). Arguments are validated here; the Python package
//! has names, defaults and documentation.

mod arrow_output;
mod calls;
mod capsules;
mod choices;
mod engine;
mod errors;
mod input;
mod memory;
mod output;
mod page_locked;
mod pieces;
mod reasons;
mod shared_engine;

use pyo3::prelude::*;

#[pymodule]
mod _gecc {
    #[pymodule_export]
    use super::arrow_output::ArrowArray;
    #[pymodule_export]
    use super::calls::batches::BatchOperation;
    #[pymodule_export]
    use super::calls::der::{signatures_from_der, signatures_to_der};
    #[pymodule_export]
    use super::calls::masking::run_masking;
    #[pymodule_export]
    use super::calls::messages::message_digests;
    #[pymodule_export]
    use super::calls::operations::{generate_keys, run};
    #[pymodule_export]
    use super::calls::points::{run_on_points, taproot};
    #[pymodule_export]
    use super::calls::silent_payments::{Receiver, index_silent_payments, scan_silent_payments};
    #[pymodule_export]
    use super::calls::sums::total;
    #[pymodule_export]
    use super::engine::{Engine, nvrtc_version};
    #[pymodule_export]
    use super::errors::{DeviceError, ForkedError, GeccError, KernelsError, NoDeviceError};
    #[pymodule_export]
    use super::input::place_of;
    #[pymodule_export]
    use super::reasons::reason_texts;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
