//! Engines, which compute batches.

use crate::choices;
use crate::errors::exception;
use crate::page_locked;
use crate::shared_engine;
use numpy::PyArray2;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// An engine that computes on GPUs or on threads of the CPU. Any number of threads can use one
/// engine concurrently.
///
/// Creating one takes some tens of milliseconds, or some seconds if GPUs have to be started. It
/// works in the process that created it, and cannot be pickled.
///
/// Args:
///     backend: "auto" for all GPUs, and the CPU for batches that are too small for them or that they could not finish;
///         "cpu"; "gpu" for GPUs only.
///     threads: threads for work on the CPU, 1 to 4096. One per core by default.
///     max_memory: upper limit in bytes for working memory, in addition to inputs and results, on the host and on each
///         GPU.
///     chunk_items: upper limit for the number of items that a GPU computes at a time.
///     check_signatures: verify every signature before it is returned, because a wrongly computed one can reveal its
///         private key. Signing then costs as much as signing and verifying.
///     batch_verification: verify signatures in groups if that is faster: those of BIP 340, of Ed25519 with "zip215"
///         and "rfc8032-cofactored", of `verify_recoverable`, and the candidates of `recover`. An invalid item is then
///         accepted as valid with a probability of at most 2^-128 per group, whoever chose the items; otherwise results
///         are the same.
///     portable: do not use instructions that some processors lack.
///     l2_persistence: reserve a part of each GPU's L2 cache for intermediate products.
///     time_kernels: record the run time of each kernel (`take_kernel_times`). Chunks are then computed one after
///         another.
///
/// Raises:
///     NoDeviceError: if only GPUs are requested, and none can be used.
///     ValueError: for an option out of range.
///     OverflowError: for a number below 0.
#[pyclass(frozen, module = "gecc")]
pub struct Engine(gecc::Engine);

/// Returns the engine of a call: the given one, or that of the process.
pub fn of(py: Python<'_>, engine: Option<&Engine>) -> PyResult<gecc::Engine> {
    engine.map_or_else(|| shared_engine::get(py), |engine| Ok(engine.0.clone()))
}

/// Returns the version of NVRTC, which compiles kernels for GPUs, if it is found.
#[pyfunction]
pub fn nvrtc_version(py: Python<'_>) -> PyResult<(i32, i32)> {
    py.detach(gecc::kernels::nvrtc_version).map_err(exception)
}

fn texts(failures: &[gecc::Failure]) -> Vec<String> {
    failures.iter().map(ToString::to_string).collect()
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (*, backend="auto", threads=None, max_memory=None, chunk_items=None, check_signatures=false,
                        batch_verification=false, portable=false, l2_persistence=false, time_kernels=false))]
    #[allow(
        clippy::too_many_arguments,
        reason = "options of Python are parameters"
    )]
    fn new(
        py: Python<'_>,
        backend: &str,
        threads: Option<usize>,
        max_memory: Option<usize>,
        chunk_items: Option<usize>,
        check_signatures: bool,
        batch_verification: bool,
        portable: bool,
        l2_persistence: bool,
        time_kernels: bool,
    ) -> PyResult<Self> {
        let mut builder = gecc::Engine::builder()
            .backend(choices::backend(backend)?)
            .check_signatures(check_signatures)
            .batch_verification(batch_verification)
            .portable(portable)
            .l2_persistence(l2_persistence)
            .time_kernels(time_kernels);
        if let Some(threads) = threads {
            builder = builder.threads(threads);
        }
        if let Some(bytes) = max_memory {
            builder = builder.max_memory(bytes);
        }
        if let Some(items) = chunk_items {
            builder = builder.chunk_items(items);
        }
        py.detach(|| builder.build()).map(Engine).map_err(exception)
    }

    /// Returns the engine of calls without an engine argument, created when first needed.
    #[staticmethod]
    fn default(py: Python<'_>) -> PyResult<Self> {
        shared_engine::get(py).map(Engine)
    }

    /// The kind of device that computes: "cpu" or "gpu".
    #[getter]
    fn backend(&self) -> &'static str {
        if self.0.info().devices.is_empty() {
            "cpu"
        } else {
            "gpu"
        }
    }

    /// Threads for work on the CPU.
    #[getter]
    fn threads(&self) -> usize {
        self.0.info().threads
    }

    /// Names of the GPUs; empty on the CPU.
    #[getter]
    fn devices(&self) -> Vec<String> {
        self.0.info().devices.clone()
    }

    /// Upper limit for working memory in bytes, if one was set.
    #[getter]
    fn max_memory(&self) -> Option<usize> {
        self.0.info().max_memory
    }

    /// True if every signature is verified before it is returned.
    #[getter]
    fn check_signatures(&self) -> bool {
        self.0.info().check_signatures
    }

    /// True if signatures are verified in groups where that is faster.
    #[getter]
    fn batch_verification(&self) -> bool {
        self.0.info().batch_verification
    }

    /// Descriptions of failed GPUs, of kernels that cannot be used at present, and of failed
    /// self-tests; empty if all is well.
    fn failures(&self) -> Vec<String> {
        texts(&self.0.failures())
    }

    /// Tests every operation on every GPU with known-answer items, and returns all failures()
    /// afterwards.
    fn self_test(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.detach(|| self.0.self_test())
            .map(|failures| texts(&failures))
            .map_err(exception)
    }

    /// Prepares everything that calls on a curve need: tables, and for GPUs kernels, which may have
    /// to be compiled.
    fn warm_up(&self, py: Python<'_>, curve: &str) -> PyResult<()> {
        let curve = choices::curve(curve)?;
        py.detach(|| self.0.warm_up(curve)).map_err(exception)
    }

    /// Returns an array of zeros in page-locked memory, which GPUs copy from and to without help of
    /// the host: `uint8`, of the given shape (rows, width).
    ///
    /// Any call may read its arguments from it, or use it as its `out`; without a GPU, it is an
    /// ordinary array. It is faster for arrays of megabytes that are used many times. The memory is
    /// wiped when the last array that refers to it is dropped.
    ///
    /// Raises:
    ///     ForkedError: in a process that has forked from the engine's.
    ///     MemoryError: when there is not enough memory.
    fn page_locked<'py>(
        &self,
        py: Python<'py>,
        shape: (usize, usize),
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        page_locked::zeros(py, &self.0, shape)
    }

    /// Returns the run time of each kernel since the last call: name, seconds and launches. Empty
    /// without time_kernels.
    fn take_kernel_times(&self) -> Vec<(&'static str, f64, u64)> {
        self.0
            .take_kernel_times()
            .into_iter()
            .map(|time| (time.kernel, time.seconds, time.launches))
            .collect()
    }

    fn __repr__(&self) -> String {
        format!("<gecc.Engine: {}>", self.0)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "an Engine cannot be pickled: make one in each process",
        ))
    }
}
