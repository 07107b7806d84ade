//! Which devices work on a batch.

mod builder;
mod info;
mod page_locked;
mod pieces;

use crate::cpu::CpuEngine;
use crate::gpu::{self, FaultKind, GpuEngine, PageLock};
use crate::host::fork::Process;
use crate::op::{Computation, Reduction, Worth};
use crate::types::{Error, Place, Results, ResultsMut, collect};
pub use builder::{Backend, EngineBuilder};
pub use info::{EngineInfo, Failure, FailureKind, KernelOrigin, KernelTime, LoadedKernels};
pub use page_locked::PageLocked;
pub use pieces::Pieces;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::Arc;

/// Where batches are computed. Cheap to share and to clone: every call takes `&Engine`, from any number of threads at
/// once, and clones are the same engine.
///
/// ```
/// use gecc::Engine;
/// let engine = Engine::new()?;
/// println!("{engine}");          // says what was chosen, and why
/// # Ok::<(), gecc::Error>(())
/// ```
///
/// # Threads
/// An engine has threads of its own, for as long as it or a clone lives, and computes on no others, but that a call of
/// few items is computed by the thread that makes it. Any other thread that calls sleeps meanwhile; it may be one of
/// rayon's or of an asynchronous runtime's, which then has one thread less for so long.
///
/// # Processes
/// After a `fork` the child cannot use an engine that it has inherited: its calls give [`Error::Forked`]. It may make
/// one of its own; there the CUDA driver does not work if the parent has used it.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
    /// What computes batches of this clone where the engine may choose, in place of its own choice.
    preferred: Option<Device>,
}

/// What computes a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    Cpu,
    Gpu,
}

struct Shared {
    /// Not dropped in a child of the process that made it: its threads are not there to be ended.
    devices: ManuallyDrop<Devices>,
    info: EngineInfo,
    /// What the caller asked for: with [`Backend::Auto`] the CPU takes small batches, and what no GPU could compute.
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
    pub(crate) fn of(cpu: CpuEngine, gpu: Option<GpuEngine>, info: EngineInfo, asked: Backend) -> Self {
        let devices = ManuallyDrop::new(Devices { cpu, gpu });
        let shared = Arc::new(Shared { devices, info, asked, process: Process::this() });
        Engine { shared, preferred: None }
    }

    /// Whether both the CPU and a GPU may compute a batch.
    pub(crate) fn has_choice(&self) -> bool {
        self.shared.asked == Backend::Auto && self.gpu().is_some()
    }

    /// The same engine, which has batches computed by this where it has the choice.
    pub(crate) fn preferring(&self, device: Device) -> Self {
        Engine { shared: self.shared.clone(), preferred: Some(device) }
    }

    /// Options: backend, threads, memory.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// What this engine is, and why.
    pub fn info(&self) -> &EngineInfo {
        &self.shared.info
    }

    /// This many items in pieces that take about half a second each.
    pub fn pieces(&self, items: usize) -> Pieces {
        Pieces::of(self, items)
    }

    /// GPUs that have failed since the engine started, kernels that it cannot use for now, and what gave wrong answers
    /// to items whose answers are known, each with what happened. Their work went to other GPUs, or with
    /// [`Backend::Auto`] to the CPU.
    pub fn failures(&self) -> Vec<Failure> {
        let of_gpus = self.gpu().map_or_else(Vec::new, GpuEngine::failures);
        let failure = |gpu::Failure { device, kind, problem }| {
            let kind = match kind {
                FaultKind::Kernels => FailureKind::Kernels,
                FaultKind::Answers => FailureKind::KnownAnswers,
                FaultKind::Memory | FaultKind::Device => FailureKind::Device,
            };
            Failure { device, kind, problem }
        };
        let of_cpu = self.shared.devices.cpu.problem_of_lanes.map(|problem| Failure {
            device: "the CPU with AVX-512 IFMA".to_owned(),
            kind: FailureKind::KnownAnswers,
            problem: problem.to_owned(),
        });
        of_gpus.into_iter().map(failure).chain(of_cpu).collect()
    }

    pub(crate) fn devices(&self) -> Result<&Devices, Error> {
        if self.shared.process.is_this() { Ok(&self.shared.devices) } else { Err(Error::Forked) }
    }

    /// Not those of another process.
    fn gpu(&self) -> Option<&GpuEngine> {
        self.devices().ok()?.gpu.as_ref()
    }

    /// How long each kernel ran since the last call of this function, by CUDA events around it; empty without
    /// [`EngineBuilder::time_kernels`].
    pub fn take_kernel_times(&self) -> Vec<KernelTime> {
        let times = self.gpu().map(GpuEngine::take_kernel_times).unwrap_or_default();
        let entry = |(kernel, (seconds, launches))| KernelTime { kernel, seconds, launches };
        times.into_iter().map(entry).collect()
    }

    /// The kernel files that are loaded on GPUs by now, with where their machine code came from. Kernels are loaded
    /// when they are first needed.
    pub fn loaded_kernels(&self) -> Vec<LoadedKernels> {
        self.gpu().map(GpuEngine::loaded_kernels).unwrap_or_default()
    }

    /// Locks memory for the GPUs, where there are any that can.
    ///
    /// # Safety
    /// The memory belongs to the caller, and is neither moved nor freed before the lock is dropped.
    pub(crate) unsafe fn lock_pages(&self, memory: Range<*const u8>) -> Option<PageLock> {
        let gpu = self.gpu().filter(|_| !memory.is_empty())?;
        // SAFETY: the caller's promise.
        unsafe { gpu.lock_pages(memory) }
    }

    /// Has the results of a batch put in their places: by the GPUs where there are any and the batch is worth it, else
    /// by the CPU.
    pub(crate) fn run(&self, operation: &dyn Computation, place: &mut dyn Place) -> Result<(), Error> {
        let (Devices { cpu, gpu }, items) = (self.devices()?, operation.items());
        assert_eq!(place.items(), items, "a place for each item");
        let on_cpu = |items: Range<usize>, place: &mut dyn Place| operation.on_cpu(cpu, items, place);
        match gpu {
            Some(gpu) if !operation.is_for_cpu_alone() && self.is_worth_a_gpu(items, operation.worth())? => {
                Ok(gpu.run(cpu, operation, place, &on_cpu, self.shared.asked == Backend::Auto)?)
            }
            _ => {
                on_cpu(0..items, place);
                Ok(())
            }
        }
    }

    /// Whether a GPU computes a batch of this many items.
    pub(crate) fn is_worth_a_gpu(&self, items: usize, worth: Worth) -> Result<bool, Error> {
        let Devices { cpu, gpu } = self.devices()?;
        let worth = if cpu.lanes.is_some() { worth.lanes } else { worth.portable };
        let by_size = || self.preferred.map_or(items >= worth * cpu.threads(), |device| device == Device::Gpu);
        let pays = self.shared.asked != Backend::Auto || by_size();
        Ok(gpu.is_some() && items > 0 && pays)
    }

    /// A batch's results as values.
    pub(crate) fn collect<T: Send>(
        &self,
        operation: &dyn Computation,
        value: impl Fn(&Results, usize) -> T + Copy + Send,
    ) -> Result<Vec<T>, Error> {
        // SAFETY: `run` has every item taken, or tells why not.
        unsafe { collect(operation.items(), value, |place| self.run(operation, place)) }
    }

    /// A result over a whole batch.
    pub(crate) fn reduce<R: Reduction>(&self, reduction: &R) -> Result<R::Output, Error> {
        let (mut codes, mut rows) = (vec![0; reduction.items()], vec![[0; 64]; reduction.items()]);
        self.run(reduction, &mut ResultsMut::rows(&mut codes, &mut rows))?;
        Ok(reduction.combine(&self.devices()?.cpu, &codes, &rows))
    }
}

impl fmt::Debug for Engine {
    /// What `Display` says, in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Engine({self})")
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shared.info.fmt(f)
    }
}
