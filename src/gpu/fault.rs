//! What can go wrong on a GPU.

use super::device::describe;
use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

/// Why a chunk was not computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub problem: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Not enough memory: a smaller chunk may do.
    Memory,
    /// The kernels are not there and cannot be compiled.
    Kernels,
    /// The device or its driver failed; it is not used again.
    Device,
}

impl Fault {
    pub fn kernels(problem: String) -> Self {
        Fault { kind: FaultKind::Kernels, problem }
    }

    pub fn device(problem: String) -> Self {
        Fault { kind: FaultKind::Device, problem }
    }

    pub fn memory(problem: String) -> Self {
        Fault { kind: FaultKind::Memory, problem }
    }

    /// A thread of the engine panicked, which is a defect: the device counts as failed.
    pub fn panicked() -> Self {
        Fault::device("a worker thread panicked".to_owned())
    }

    /// The same, told of a device or of what was being done.
    pub fn of(self, subject: &str) -> Self {
        Fault { problem: format!("{subject}: {}", self.problem), ..self }
    }

    pub fn is_memory(&self) -> bool {
        self.kind == FaultKind::Memory
    }
}

impl From<DriverError> for Fault {
    fn from(problem: DriverError) -> Self {
        let kind = match problem.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => FaultKind::Memory,
            _ => FaultKind::Device,
        };
        Fault { kind, problem: describe(&problem) }
    }
}
