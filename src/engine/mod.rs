//! The engine: selects the devices that compute a batch.

mod builder;
mod info;
mod page_locked;
mod pieces;

use crate::cpu::CpuEngine;
use crate::gpu::{GpuEngine, PageLock};
use crate::host::process::Process;
use crate::operation::{Computation, GpuThreshold, Reduction};
use crate::types::{Error, ResultSink, Results, ResultsMut, Values};
pub use builder::{Backend, EngineBuilder};
pub use info::{EngineInfo, Failure, FailureKind, KernelOrigin, KernelTime, LoadedKernels};
pub use page_locked::PageLocked;
pub use pieces::Pieces;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::Arc;

/// The devices that compute batches. Cheap to share and to clone: every call takes `&Engine`, from
/// any number of threads at once, and clones are the same engine.
///
/// ```
/// use gecc::Engine;
/// let engine = Engine::new()?;
/// println!("{engine}");          // the choice, and the reason
/// # Ok::<(), gecc::Error>(())
/// ```
///
/// # Threads
/// An engine has its own threads, which exist as long as it or a clone does. It computes on no
/// other threads, except that a call with few items is computed by the calling thread. Otherwise
/// the calling thread sleeps until the call is done. It may belong to rayon or to an asynchronous
/// runtime, which then has one thread less meanwhile.
///
/// # Processes
/// After a `fork`, the child cannot use an inherited engine: calls return [`Error::Forked`]. It may
/// create its own engine, but the CUDA driver does not work in the child if the parent has used it.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
    /// The device that computes batches of this clone if the engine may choose.
    preferred: Option<Device>,
}

/// The device that computes a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    Cpu,
    Gpu,
}

struct Shared {
    /// Not dropped in a forked child, where its threads do not exist and cannot be ended.
    devices: ManuallyDrop<Devices>,
    info: EngineInfo,
    /// The requested backend. With [`Backend::Auto`] the CPU computes small batches, and items that
    /// no GPU could compute.
    asked: Backend,
    process: Process,
}

#[derive(Debug)]
pub(crate) struct Devices {
    pub cpu: CpuEngine,
    pub gpu: Option<GpuEngine>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.process.is_this() {
            // SAFETY: nothing uses the devices after this.
            unsafe { ManuallyDrop::drop(&mut self.devices) };
        }
    }
}

impl Engine {
    pub(crate) fn of(
        cpu: CpuEngine,
        gpu: Option<GpuEngine>,
        info: EngineInfo,
        asked: Backend,
    ) -> Self {
        let devices = ManuallyDrop::new(Devices { cpu, gpu });
        let shared = Arc::new(Shared {
            devices,
            info,
            asked,
            process: Process::this(),
        });
        Engine {
            shared,
            preferred: None,
        }
    }

    /// Returns whether both the CPU and a GPU may compute a batch.
    pub(crate) fn has_choice(&self) -> bool {
        self.shared.asked == Backend::Auto && self.gpu().is_some()
    }

    /// Returns a clone of the engine that prefers a device if it has the choice.
    pub(crate) fn preferring(&self, device: Device) -> Self {
        Engine {
            shared: self.shared.clone(),
            preferred: Some(device),
        }
    }

    /// Returns a builder for the options of an engine: backend, threads, memory.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Describes the engine and why it was chosen.
    pub fn info(&self) -> &EngineInfo {
        &self.shared.info
    }

    /// Splits `items` items into pieces that take about half a second each.
    pub fn pieces(&self, items: usize) -> Pieces {
        Pieces::of(self, items)
    }

    /// Returns GPUs that have failed since the engine started, kernels that cannot be used for now,
    /// and kernels or instructions that gave wrong answers to items with known answers, each with a
    /// description. Their work was done by other GPUs or, with [`Backend::Auto`], by the CPU.
    pub fn failures(&self) -> Vec<Failure> {
        let of_gpus = self.gpu().map_or_else(Vec::new, GpuEngine::failures);
        let of_cpu = self
            .shared
            .devices
            .cpu
            .problem_of_lanes
            .map(|problem| Failure {
                device: "the CPU with AVX-512 IFMA".to_owned(),
                kind: FailureKind::KnownAnswers,
                problem: problem.to_owned(),
            });
        of_gpus
            .into_iter()
            .map(Failure::of_gpu)
            .chain(of_cpu)
            .collect()
    }

    pub(crate) fn devices(&self) -> Result<&Devices, Error> {
        if self.shared.process.is_this() {
            Ok(&self.shared.devices)
        } else {
            Err(Error::Forked)
        }
    }

    /// Returns the GPUs, unless the engine belongs to another process.
    fn gpu(&self) -> Option<&GpuEngine> {
        self.devices().ok()?.gpu.as_ref()
    }

    /// Returns how long each kernel ran since the last call of this function, measured by CUDA
    /// events. The list is empty without [`EngineBuilder::time_kernels`].
    pub fn take_kernel_times(&self) -> Vec<KernelTime> {
        let times = self
            .gpu()
            .map(GpuEngine::take_kernel_times)
            .unwrap_or_default();
        times
            .into_iter()
            .map(|(kernel, (seconds, launches))| KernelTime {
                kernel,
                seconds,
                launches,
            })
            .collect()
    }

    /// Returns the kernel files that are currently loaded on GPUs, with the origin of their machine
    /// code. Kernels are loaded on first use.
    pub fn loaded_kernels(&self) -> Vec<LoadedKernels> {
        self.gpu()
            .map(GpuEngine::loaded_kernels)
            .unwrap_or_default()
    }

    /// Page-locks memory for the GPUs, if there are any and they support it.
    ///
    /// # Safety
    /// The memory must belong to the caller, and must be neither moved nor freed before the lock is
    /// dropped.
    pub(crate) unsafe fn lock_pages(&self, memory: Range<*const u8>) -> Option<PageLock> {
        let gpu = self.gpu().filter(|_| !memory.is_empty())?;
        // SAFETY: guaranteed by the caller.
        unsafe { gpu.lock_pages(memory) }
    }

    /// Computes a batch and writes its results to their positions: on the GPUs if there are any and
    /// the batch is large enough, and otherwise on the CPU.
    pub(crate) fn run<'a>(
        &self,
        operation: &dyn Computation,
        results: impl Into<ResultSink<'a>>,
    ) -> Result<(), Error> {
        let Devices { cpu, gpu } = self.devices()?;
        let items = operation.items();
        let mut results = results.into();
        assert_eq!(results.items(), items, "a result for each item");
        match gpu {
            Some(gpu)
                if !operation.is_for_cpu_alone()
                    && self.uses_gpu(items, operation.gpu_threshold())? =>
            {
                let may_fall_back = self.shared.asked == Backend::Auto;
                gpu.run(cpu, operation, &mut results, may_fall_back)?;
                Ok(())
            }
            _ => {
                operation.compute_on_cpu(cpu, 0..items, &mut results);
                Ok(())
            }
        }
    }

    /// Returns whether a GPU computes a batch of `items` items.
    pub(crate) fn uses_gpu(&self, items: usize, threshold: GpuThreshold) -> Result<bool, Error> {
        let Devices { cpu, gpu } = self.devices()?;
        let threshold = if cpu.lanes.is_some() {
            threshold.simd
        } else {
            threshold.portable
        };
        let prefers_gpu = match (self.shared.asked, self.preferred) {
            (Backend::Auto, None) => items >= threshold * cpu.threads(),
            (Backend::Auto, Some(device)) => device == Device::Gpu,
            _ => true,
        };
        Ok(gpu.is_some() && items > 0 && prefers_gpu)
    }

    /// Returns the results of a batch as values.
    pub(crate) fn collect<T: Send>(
        &self,
        operation: &dyn Computation,
        value: impl Fn(&Results, usize) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        let mut values = Values::new(operation.items(), value);
        self.run(operation, values.sink())?;
        // SAFETY: `run` has results of every item unless it returns an error.
        Ok(unsafe { values.into_vec() })
    }

    /// Computes a result over a whole batch.
    pub(crate) fn reduce<R: Reduction>(&self, reduction: &R) -> Result<R::Output, Error> {
        let mut codes = vec![0; reduction.items()];
        let mut rows = vec![[0; 64]; reduction.items()];
        self.run(reduction, ResultsMut::rows(&mut codes, &mut rows))?;
        Ok(reduction.combine(&self.devices()?.cpu, &codes, &rows))
    }
}

impl fmt::Debug for Engine {
    /// Formats the output of `Display` on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Engine({self})")
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shared.info.fmt(f)
    }
}
