//! Information about an engine.

use super::Backend;
use crate::gpu::{self, FaultKind};
pub use crate::gpu::{KernelOrigin, LoadedKernels};
use std::fmt;

/// Describes an engine and why it was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineInfo {
    /// The kind of device that computes: never [`Backend::Auto`].
    pub backend: Backend,
    /// Worker threads of the CPU engine.
    pub threads: usize,
    /// Names of the GPUs; empty on the CPU.
    pub devices: Vec<String>,
    /// Upper limit for working memory in bytes, if the caller set one.
    pub max_memory: Option<usize>,
    /// True if every signature is verified before it is returned.
    pub check_signatures: bool,
    /// True if signatures may be verified in groups by one equation each.
    pub batch_verification: bool,
    /// The reason why this backend was chosen.
    pub reason: String,
}

/// A part of the engine that is unavailable, see [`crate::Engine::failures`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The device's number and name.
    pub device: String,
    /// The part of the engine that is unavailable.
    pub kind: FailureKind,
    /// A description of the problem.
    pub problem: String,
}

/// The parts of an engine that can be unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// The device failed and is not used any more.
    Device,
    /// Some of the device's kernels, or the vector instructions of the CPU, gave a wrong answer to
    /// an item whose answer is known. They are not used any more; the device computes operations
    /// that do not need them.
    KnownAnswers,
    /// Some of the device's kernels cannot be compiled or loaded. This is retried from time to
    /// time; the device computes operations that do not need them.
    Kernels,
}

impl Failure {
    pub(super) fn of_gpu(
        gpu::Failure {
            device,
            kind,
            problem,
        }: gpu::Failure,
    ) -> Self {
        let kind = match kind {
            FaultKind::Kernels => FailureKind::Kernels,
            FaultKind::Answers => FailureKind::KnownAnswers,
            FaultKind::Memory | FaultKind::Device => FailureKind::Device,
        };
        Failure {
            device,
            kind,
            problem,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure {
            device,
            kind,
            problem,
        } = self;
        match kind {
            FailureKind::Device => write!(f, "{device} is out of use: {problem}"),
            FailureKind::KnownAnswers => {
                write!(f, "{device} errs, and does without what erred: {problem}")
            }
            FailureKind::Kernels => {
                write!(f, "{device} cannot use some kernels for now: {problem}")
            }
        }
    }
}

/// The accumulated run time of a kernel.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KernelTime {
    /// The kernel's name in the device code.
    pub kernel: &'static str,
    /// Seconds, over all launches.
    pub seconds: f64,
    /// Number of launches.
    pub launches: u64,
}

impl fmt::Display for KernelOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KernelOrigin::Pack => "pack",
            KernelOrigin::Cache => "cache",
            KernelOrigin::Compiled => "compiled",
        })
    }
}

impl fmt::Display for EngineInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.threads == 1 { "" } else { "s" };
        match self.devices.as_slice() {
            [] => write!(f, "CPU, {} thread{plural} ({})", self.threads, self.reason),
            devices => write!(f, "{} ({})", devices.join(", "), self.reason),
        }
    }
}
