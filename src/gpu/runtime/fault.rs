//! Errors of a GPU.

use crate::gpu::interface::FaultKind;
use crate::types::Error;
use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

/// The reason why a chunk was not computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub problem: String,
    /// The device on which it happened, once known.
    pub device: Option<String>,
}

impl Fault {
    fn new(kind: FaultKind, problem: String) -> Self {
        Fault {
            kind,
            problem,
            device: None,
        }
    }

    pub fn kernels(problem: String) -> Self {
        Fault::new(FaultKind::Kernels, problem)
    }

    pub fn answers(problem: String) -> Self {
        Fault::new(FaultKind::Answers, problem)
    }

    pub fn device(problem: String) -> Self {
        Fault::new(FaultKind::Device, problem)
    }

    pub fn memory(problem: String) -> Self {
        Fault::new(FaultKind::Memory, problem)
    }

    /// Creates the fault of a kernel that the driver refuses to load. Usually the kernel is not for
    /// this device, so the device itself has not failed.
    pub fn of_loading(problem: &DriverError) -> Self {
        use CUresult::*;
        let of_kernels = matches!(
            problem.0,
            CUDA_ERROR_INVALID_IMAGE
                | CUDA_ERROR_NO_BINARY_FOR_GPU
                | CUDA_ERROR_INVALID_PTX
                | CUDA_ERROR_UNSUPPORTED_PTX_VERSION
                | CUDA_ERROR_JIT_COMPILER_NOT_FOUND
                | CUDA_ERROR_INVALID_SOURCE
                | CUDA_ERROR_INVALID_VALUE
                | CUDA_ERROR_NOT_FOUND
        );
        if of_kernels {
            Fault::kernels(describe(problem))
        } else {
            Fault::from(*problem)
        }
    }

    /// Returns the fault with its message prefixed by the action that failed.
    pub fn of(self, subject: &str) -> Self {
        Fault {
            problem: format!("{subject}: {}", self.problem),
            ..self
        }
    }

    /// Returns the fault with the label of its device.
    pub fn of_device(self, label: &str) -> Self {
        Fault {
            device: Some(label.to_owned()),
            ..self
        }
    }

    /// Returns the problem, and the device if it is known.
    pub fn message(&self) -> String {
        match &self.device {
            Some(device) => format!("{device}: {}", self.problem),
            None => self.problem.clone(),
        }
    }

    pub fn is_memory(&self) -> bool {
        self.kind == FaultKind::Memory
    }
}

/// Returns the driver's description of an error.
pub fn describe(problem: &DriverError) -> String {
    let text = problem
        .error_string()
        .map(|text| text.to_string_lossy().into_owned());
    text.unwrap_or_else(|_| format!("{problem:?}"))
}

impl From<DriverError> for Fault {
    fn from(problem: DriverError) -> Self {
        let kind = match problem.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => FaultKind::Memory,
            _ => FaultKind::Device,
        };
        Fault::new(kind, describe(&problem))
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault.kind {
            FaultKind::Kernels | FaultKind::Answers => Error::Kernels(fault.message()),
            FaultKind::Memory | FaultKind::Device => Error::Device(fault.message()),
        }
    }
}
