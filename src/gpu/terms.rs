//! Requests to the GPU engine and its reports. Independent of CUDA, so that a library without it
//! has the same types.

use crate::types::Error;
use std::path::PathBuf;

/// The limits and options that the caller sets.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Bytes on each device.
    pub max_memory: Option<usize>,
    /// Items of a chunk.
    pub largest_chunk: Option<usize>,
    /// True if each kernel is timed.
    pub time_kernels: bool,
    /// True if a part of the L2 cache is set aside for prefix products.
    pub l2_persistence: bool,
    /// The folder of packs of kernels.
    pub kernels: Option<PathBuf>,
}

/// The origin of a kernel's machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum KernelOrigin {
    /// A pack, which was compiled beforehand (`gecc kernels pack`).
    Pack,
    /// The folder where compiled kernels are kept.
    Cache,
    /// NVRTC compiled it for this engine.
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
    /// The curve; `none` where the file needs none.
    pub curve: &'static str,
    /// The origin of the machine code.
    pub origin: KernelOrigin,
    /// The architecture it was compiled for, such as `sm_90`: the GPU's own, or one whose code runs
    /// there too.
    pub architecture: String,
    /// Seconds to get the machine code, from a file or by compiling. Several may have been got at a time.
    pub seconds: f64,
    /// Seconds that the driver took to load it.
    pub load_seconds: f64,
}

/// The reason why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// No device works: the reasons.
    #[error("{0}")]
    Devices(String),
    /// The system refuses the threads.
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
    /// Not enough memory: a smaller chunk may do.
    Memory,
    /// Some kernels are not there and cannot be compiled or loaded for now. The device does whatever needs others.
    Kernels,
    /// Kernels gave a wrong answer to an item whose answer is known. The device does not use them again.
    Answers,
    /// The device or its driver failed; it is not used again.
    Device,
}

/// Something that the engine does without.
#[derive(Debug)]
pub struct Failure {
    pub device: String,
    pub kind: FaultKind,
    pub problem: String,
}
