//! The interface through which batches are computed: an engine, on the requested device.

use super::kind::{COLUMNS, RequestKind};
use crate::engine::{Backend, Device, Engine, PageLocked};
use crate::types::Error;

/// Computes batches. Tests substitute a fake for the engine.
pub trait Compute: Send + Sync {
    /// Returns the device that computes all batches, or `None` if there is a choice.
    fn only(&self) -> Option<Device>;

    /// Returns the device for a batch of which no measurements exist yet, if there is a choice.
    fn first_choice(&self, kind: RequestKind, items: usize) -> Device;

    /// Computes a batch of columns into codes and rows.
    ///
    /// # Errors
    /// The error of the engine.
    fn compute(
        &self,
        device: Device,
        kind: RequestKind,
        columns: [&[u8]; COLUMNS],
        codes: &mut [u8],
        rows: &mut [u8],
    ) -> Result<(), Error>;

    /// Allocates memory for a column.
    fn memory(&self, bytes: usize) -> PageLocked<u8>;
}

/// Computes batches on an engine.
pub struct OnEngine {
    engine: Engine,
    only: Option<Device>,
}

impl OnEngine {
    pub fn new(engine: &Engine) -> Self {
        let of_backend = match engine.info().backend {
            Backend::Gpu => Device::Gpu,
            Backend::Auto | Backend::Cpu => Device::Cpu,
        };
        let only = (!engine.has_choice()).then_some(of_backend);
        OnEngine {
            engine: engine.clone(),
            only,
        }
    }
}

impl Compute for OnEngine {
    fn only(&self) -> Option<Device> {
        self.only
    }

    fn first_choice(&self, kind: RequestKind, items: usize) -> Device {
        let pays = self.engine.uses_gpu(items, kind.operation.gpu_threshold());
        if let Ok(true) = pays {
            Device::Gpu
        } else {
            Device::Cpu
        }
    }

    fn compute(
        &self,
        device: Device,
        kind: RequestKind,
        columns: [&[u8]; COLUMNS],
        codes: &mut [u8],
        rows: &mut [u8],
    ) -> Result<(), Error> {
        kind.compute(&self.engine.preferring(device), columns, codes, rows)
    }

    fn memory(&self, bytes: usize) -> PageLocked<u8> {
        match self.engine.info().backend {
            // Zeroed by this thread of the service alone: the threads of the pool have batches to
            // compute.
            Backend::Gpu => self.engine.page_locked_zeros_here(bytes),
            Backend::Auto | Backend::Cpu => vec![0; bytes].into(),
        }
    }
}
