//! Computes batches: an engine, on the requested device.

use super::kind::{COLUMNS, RequestKind};
use crate::engine::{Backend, Device, Engine, PageLocked};
use crate::types::Error;

/// Computes batches. Tests substitute it for the engine.
pub trait Compute: Send + Sync {
    /// The device that computes all batches; `None` where either may.
    fn only(&self) -> Option<Device>;

    /// Returns the device that computes batches before anything was measured, where either may.
    fn first_choice(&self, kind: RequestKind, items: usize) -> Device;

    /// # Errors
    /// That of the engine.
    fn compute(
        &self,
        device: Device,
        kind: RequestKind,
        columns: [&[u8]; COLUMNS],
        codes: &mut [u8],
        rows: &mut [u8],
    ) -> Result<(), Error>;

    /// Memory for a column.
    fn memory(&self, bytes: usize) -> PageLocked<u8>;
}

/// An engine.
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
        OnEngine { engine: engine.clone(), only }
    }
}

impl Compute for OnEngine {
    fn only(&self) -> Option<Device> {
        self.only
    }

    fn first_choice(&self, kind: RequestKind, items: usize) -> Device {
        let pays = self.engine.is_worth_a_gpu(items, kind.operation.worth());
        if let Ok(true) = pays { Device::Gpu } else { Device::Cpu }
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
            // By a thread of the service alone: the pool's have batches to compute.
            Backend::Gpu => self.engine.page_locked_zeros_here(bytes),
            Backend::Auto | Backend::Cpu => vec![0; bytes].into(),
        }
    }
}
