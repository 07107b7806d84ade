//! The GPU engine: batches in chunks over the lanes of every device.
//!
//! Layers, each using only those above it: `sources`, `nvrtc` and `cache` (from the embedded device code to machine code),
//! `device`, `memory` and `lane` (one GPU), `kernels` (launch contracts), `tables`, `pipeline` (chunks over lanes and
//! devices), and the operations. Beside them `measure`, `ablations` and `methods`, for benchmarks, with `sass`.

pub(crate) mod ablations;
pub(crate) mod cache;
mod device;
mod fault;
pub(crate) mod hash;
mod kernels;
mod key_tables;
mod lane;
pub(crate) mod measure;
mod memory;
pub(crate) mod methods;
pub(crate) mod modular;
pub(crate) mod nvrtc;
mod pipeline;
pub(crate) mod point;
pub(crate) mod recover;
mod rows;
mod sass;
pub(crate) mod secret;
pub(crate) mod sign;
pub(crate) mod sources;
mod tables;
pub(crate) mod verify;

use device::Device;
pub use fault::Fault;
use lane::Lane;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the caller asks of the engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Bytes on each device.
    pub max_memory: Option<usize>,
    /// Items of a chunk.
    pub largest_chunk: Option<usize>,
    /// Whether each kernel is timed.
    pub time_kernels: bool,
    /// Whether prefix products get a part of the L2 cache.
    pub l2_persistence: bool,
}

/// Every GPU of the machine.
#[derive(Debug)]
pub struct GpuEngine {
    devices: Vec<Slot>,
    largest_chunk: Option<usize>,
    /// Lanes of a device that work at a time: one where kernels are timed, so that no two share the device.
    lanes: usize,
}

/// A device, its idle lanes, and what made it fail.
#[derive(Debug)]
struct Slot {
    device: Arc<Device>,
    idle: Mutex<Vec<Lane>>,
    failure: Mutex<Option<Fault>>,
}

impl GpuEngine {
    /// Opens every device that works.
    ///
    /// # Errors
    /// Why there is none.
    pub fn new(limits: Limits) -> Result<Self, String> {
        let Limits { largest_chunk, time_kernels, .. } = limits;
        let count = device::count()?;
        let (mut devices, mut problems) = (Vec::new(), Vec::new());
        for ordinal in 0..count {
            match Device::open(ordinal, limits) {
                Ok(device) => {
                    devices.push(Slot { device: Arc::new(device), idle: Mutex::default(), failure: Mutex::default() })
                }
                Err(fault) => problems.push(format!("GPU {ordinal}: {}", fault.problem)),
            }
        }
        if devices.is_empty() {
            return Err(problems.join("; "));
        }
        Ok(GpuEngine { devices, largest_chunk, lanes: if time_kernels { 1 } else { pipeline::LANES } })
    }

    /// Seconds and launches of each kernel since the last call, over all devices.
    pub fn take_kernel_times(&self) -> BTreeMap<&'static str, (f64, u64)> {
        let mut all = BTreeMap::<_, (f64, u64)>::new();
        for (kernel, (seconds, launches)) in self.devices.iter().flat_map(|slot| slot.device.take_kernel_times()) {
            let sum = all.entry(kernel).or_default();
            *sum = (sum.0 + seconds, sum.1 + launches);
        }
        all
    }

    /// The names of the devices.
    pub fn labels(&self) -> Vec<String> {
        self.devices.iter().map(|slot| slot.device.label.clone()).collect()
    }

    /// Devices that failed and are not used any more, with what happened.
    pub fn failures(&self) -> Vec<String> {
        let describe = |slot: &Slot| Some(format!("{}: {}", slot.device.label, lock(&slot.failure).as_ref()?.problem));
        self.devices.iter().filter_map(describe).collect()
    }

    fn device(&self, index: usize) -> &Arc<Device> {
        &self.devices[index].device
    }

    /// The devices that have not failed.
    fn working(&self) -> Vec<usize> {
        (0..self.devices.len()).filter(|&device| self.failure(device).is_none()).collect()
    }

    fn failure(&self, device: usize) -> Option<Fault> {
        lock(&self.devices[device].failure).clone()
    }

    fn fail(&self, device: usize, fault: Fault) {
        lock(&self.devices[device].failure).get_or_insert(fault);
        lock(&self.devices[device].idle).clear();
    }

    fn take_lane(&self, device: usize) -> Result<Lane, Fault> {
        let idle = lock(&self.devices[device].idle).pop();
        idle.map_or_else(|| Lane::new(self.device(device).clone()), Ok)
    }

    fn return_lane(&self, device: usize, lane: Lane) {
        let mut idle = lock(&self.devices[device].idle);
        // More are there only while several calls run at once.
        if idle.len() < pipeline::LANES {
            idle.push(lane);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
