//! Requests to the GPU engine and its reports. Independent of CUDA, so that a library without it
//! has the same types.

use crate::types::Error;
use std::path::PathBuf;

/// The limits and options that the caller sets.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Maximum memory on each device, in bytes.
    pub max_memory: Option<usize>,
    /// Maximum number of items per chunk.
    pub largest_chunk: Option<usize>,
    /// True if each kernel is timed.
    pub time_kernels: bool,
    /// True if a part of the L2 cache is set aside for prefix products.
    pub l2_persistence: bool,
    /// The folder that contains kernel packs.
    pub kernels: Option<PathBuf>,
}

/// The origin of a kernel's machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum KernelOrigin {
    /// A pack of precompiled kernels (`gecc kernels pack`).
    Pack,
    /// The folder in which compiled kernels are cached.
    Cache,
    /// Compiled by NVRTC for this engine.
    Compiled,
}

/// A kernel file whose machine code is loaded on a GPU, see [`crate::Engine::loaded_kernels`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoadedKernels {
    /// The GPU's number and name.
    pub device: String,
    /// The kernel file, without its extension.
    pub file: &'static str,
    /// The curve, or `none` if the file does not depend on one.
    pub curve: &'static str,
    /// The origin of the machine code.
    pub origin: KernelOrigin,
    /// The architecture it was compiled for, such as `sm_90`: the GPU's own, or one whose code runs
    /// there too.
    pub architecture: String,
    /// Seconds to obtain the machine code, from a file or by compiling. Several files may have been
    /// obtained at the same time.
    pub seconds: f64,
    /// Seconds that the driver took to load it.
    pub load_seconds: f64,
}

/// The reason why no engine is available.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// No device works, with the reasons.
    #[error("{0}")]
    Devices(String),
    /// The system refused to start threads.
    #[error("threads cannot be started: {0}")]
    Threads(std::io::Error),
}

impl From<Unavailable> for Error {
    fn from(reason: Unavailable) -> Self {
        match reason {
            Unavailable::Devices(problem) => Error::NoDevice(problem),
            Unavailable::Threads(problem) => Error::Threads(problem.to_string()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Memory was insufficient; a smaller chunk may succeed.
    Memory,
    /// Some kernels are not available and cannot be compiled or loaded for now. The device computes
    /// operations that do not need them.
    Kernels,
    /// Kernels gave a wrong answer to an item whose answer is known. The device does not use them
    /// again.
    Answers,
    /// The device or its driver failed; the device is not used again.
    Device,
}

/// A device or a group of kernels that the engine cannot use.
#[derive(Debug)]
pub struct Failure {
    pub device: String,
    pub kind: FaultKind,
    pub problem: String,
}
