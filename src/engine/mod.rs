//! Which devices work on a batch.

use crate::cpu::{self, CpuEngine};
use crate::curve::Curve;
use crate::encoding::PublicKeys;
use crate::error::Error;
use crate::fork::Process;
use crate::gpu::{self, Fault, FaultKind, GpuEngine, Limits, PageLock, Unavailable};
use crate::point::Points;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Range;

/// Where batches are computed. Cheap to share: every call takes `&Engine`, from any number of threads at once.
///
/// ```
/// use gecc::Engine;
/// let engine = Engine::new()?;
/// println!("{engine}");          // says what was chosen, and why
/// # Ok::<(), gecc::Error>(())
/// ```
///
/// # Threads
/// An engine has threads of its own, for as long as it lives, and computes on no others, but that a call of few items is computed
/// by the thread that makes it. Any other thread that calls sleeps meanwhile; it may be one of rayon's or of an asynchronous
/// runtime's, which then has one thread less for so long.
///
/// # Processes
/// After a `fork` the child cannot use an engine that it has inherited: its calls give [`Error::Forked`]. It may make one of its
/// own; there the CUDA driver does not work if the parent has used it.
#[derive(Debug)]
pub struct Engine {
    /// Not dropped in a child of the process that made it: its threads are not there to be ended.
    devices: ManuallyDrop<Devices>,
    info: EngineInfo,
    /// What the caller asked for: with [`Backend::Auto`] the CPU takes small batches, and what no GPU could compute.
    asked: Backend,
    process: Process,
}

#[derive(Debug)]
struct Devices {
    cpu: CpuEngine,
    gpu: Option<GpuEngine>,
}

impl Drop for Engine {
    fn drop(&mut self) {
        if self.process.is_this() {
            // SAFETY: nothing uses the devices after this.
            unsafe { ManuallyDrop::drop(&mut self.devices) };
        }
    }
}

/// Something that an engine does without, see [`Engine::failures`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The device's number and name.
    pub device: String,
    /// What the engine does without.
    pub kind: FailureKind,
    /// What happened.
    pub problem: String,
}

/// What an engine does without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// The device failed and is not used any more.
    Device,
    /// Some of the device's kernels, or the vector instructions of the CPU, gave a wrong answer to an item whose answer is
    /// known. They are not used any more; the device does what needs others.
    KnownAnswers,
    /// Some of the device's kernels cannot be compiled or loaded. They are tried again from time to time; the device does what
    /// needs others.
    Kernels,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { device, kind, problem } = self;
        match kind {
            FailureKind::Device => write!(f, "{device} is out of use: {problem}"),
            FailureKind::KnownAnswers => write!(f, "{device} errs, and does without what erred: {problem}"),
            FailureKind::Kernels => write!(f, "{device} cannot use some kernels for now: {problem}"),
        }
    }
}

/// Which kind of device a caller asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// All GPUs, or the CPU where there is none; [`Engine::info`] reports the choice. Batches too small to be worth a GPU, and
    /// whatever GPUs that fail leave undone, are computed on the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// GPUs only: [`EngineBuilder::build`] fails where there is none, and a call fails where every GPU has failed.
    Gpu,
}

/// What an engine is, and why it was chosen.
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
    /// Whether every signature is verified before it is returned.
    pub check_signatures: bool,
    /// Why this backend was chosen.
    pub reason: String,
}

/// Chooses devices and limits. Made by [`Engine::builder`].
#[derive(Clone, Debug, Default)]
pub struct EngineBuilder {
    backend: Backend,
    threads: Option<usize>,
    max_memory: Option<usize>,
    portable: bool,
    chunk_items: Option<usize>,
    check_signatures: bool,
    time_kernels: bool,
    l2_persistence: bool,
}

/// How long a kernel ran.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KernelTime {
    /// Its name in the device code.
    pub kernel: &'static str,
    /// Seconds, over all launches.
    pub seconds: f64,
    /// Launches.
    pub launches: u64,
}

impl Engine {
    /// All GPUs, or the CPU when there is none.
    ///
    /// # Errors
    /// [`Error::Threads`] when the worker threads cannot be started.
    pub fn new() -> Result<Self, Error> {
        Self::builder().build()
    }

    /// An engine on the CPU, with one worker per core.
    ///
    /// # Errors
    /// [`Error::Threads`] when the worker threads cannot be started.
    pub fn cpu() -> Result<Self, Error> {
        Self::builder().backend(Backend::Cpu).build()
    }

    /// Options: backend, threads, memory.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// What this engine is, and why.
    pub fn info(&self) -> &EngineInfo {
        &self.info
    }

    /// GPUs that have failed since the engine started, kernels that it cannot use for now, and what gave wrong answers to items
    /// whose answers are known, each with what happened. Their work went to other GPUs, or with [`Backend::Auto`] to the CPU.
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
        let of_cpu = self.devices.cpu.problem_of_lanes.map(|problem| Failure {
            device: "the CPU with AVX-512 IFMA".to_owned(),
            kind: FailureKind::KnownAnswers,
            problem: problem.to_owned(),
        });
        of_gpus.into_iter().map(failure).chain(of_cpu).collect()
    }

    /// Tests every operation on every GPU by items whose answers are known, valid and spoiled ones, and gives all
    /// [`Engine::failures`] after that. Calls do the same before they first use an operation on a GPU, and the CPU's vector
    /// instructions are tested when the first engine starts: this is for a program that wants to know beforehand. Takes
    /// some seconds, and a minute or two where kernels are not in the cache.
    ///
    /// # Errors
    /// [`Error::Device`] when a GPU has too little memory for a test, [`Error::Forked`] in a child of the process that made the
    /// engine.
    ///
    /// ```
    /// use gecc::Engine;
    /// let engine = Engine::new()?;
    /// assert!(engine.self_test()?.is_empty());
    /// # Ok::<(), gecc::Error>(())
    /// ```
    pub fn self_test(&self) -> Result<Vec<Failure>, Error> {
        let Devices { cpu, gpu } = self.devices()?;
        gpu.as_ref().map_or(Ok(()), |gpu| gpu.self_test(cpu))?;
        Ok(self.failures())
    }

    /// Makes ready what calls on a curve need, which the first of them would otherwise have to wait for or do without: tables of
    /// the base point for the CPU, and for GPUs their kernels, which may have to be compiled, tables, and tests by known answers.
    /// Takes some tens of milliseconds without a GPU, and some seconds where kernels are not in the cache.
    ///
    /// # Errors
    /// [`Error::Kernels`] and [`Error::Device`] when a GPU cannot be made ready: calls may work all the same, see
    /// [`Engine::failures`]. [`Error::Forked`] in a child of the process that made the engine.
    ///
    /// ```
    /// use gecc::{Engine, Secp256k1};
    /// let engine = Engine::new()?;
    /// engine.warm_up::<Secp256k1>()?;
    /// # Ok::<(), gecc::Error>(())
    /// ```
    pub fn warm_up<C: Curve>(&self) -> Result<(), Error> {
        let Devices { cpu, gpu } = self.devices()?;
        C::precomputed().warm_up(cpu);
        gpu.as_ref().map_or(Ok(()), |gpu| gpu.warm_up(cpu, C::NAME).map_err(Error::from))
    }

    fn devices(&self) -> Result<&Devices, Error> {
        if self.process.is_this() { Ok(&self.devices) } else { Err(Error::Forked) }
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

    /// Locks memory for the GPUs, where there are any that can.
    ///
    /// # Safety
    /// The memory belongs to the caller, and is neither moved nor freed before the lock is dropped.
    pub(crate) unsafe fn lock_pages(&self, memory: Range<*const u8>) -> Option<PageLock> {
        let gpu = self.gpu().filter(|_| !memory.is_empty())?;
        // SAFETY: the caller's promise.
        unsafe { gpu.lock_pages(memory) }
    }

    /// The points of public keys in any encoding.
    pub(crate) fn decode_keys<C: Curve>(&self, items: usize, keys: PublicKeys) -> Result<Points, Error> {
        /// See `dispatch`; decompression costs the most, and a GPU answers after 0.1 ms.
        const WORTH: Worth = Worth { portable: 20, lanes: 120 };
        let on_gpu = |engines| gpu::point::decode_keys::<C>(engines, items, keys);
        self.dispatch(items, WORTH, on_gpu, |engine| cpu::point::decode_keys::<C>(engine, items, keys))
    }

    /// Computes a batch on the GPUs where there are any and the batch is worth it, else on the CPU.
    pub(crate) fn dispatch<'e, T>(
        &'e self,
        items: usize,
        worth: Worth,
        gpu: impl FnOnce(Engines<'e>) -> Result<T, Fault>,
        cpu: impl FnOnce(&CpuEngine) -> T,
    ) -> Result<T, Error> {
        let automatic = self.asked == Backend::Auto;
        let devices = self.devices()?;
        let worth = if devices.cpu.lanes.is_some() { worth.lanes } else { worth.portable };
        match &devices.gpu {
            Some(engine) if items > 0 && (items >= worth * self.info.threads || !automatic) => {
                let check_signatures = self.info.check_signatures;
                let engines = Engines { gpu: engine, cpu: &devices.cpu, rescue: automatic, check_signatures };
                Ok(gpu(engines)?)
            }
            _ => Ok(cpu(&devices.cpu)),
        }
    }
}

/// How many items one thread of the CPU computes before a GPU has computed as many for all threads: with the portable code,
/// and eight at a time. From that many items a thread on, a batch is worth a GPU (PERFORMANCE.md).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Worth {
    pub portable: usize,
    pub lanes: usize,
}

impl Worth {
    /// Where the CPU has but one way.
    pub(crate) const fn of(items: usize) -> Self {
        Worth { portable: items, lanes: items }
    }
}

/// Both engines, and whether the CPU may compute what no GPU could.
#[derive(Clone, Copy)]
pub(crate) struct Engines<'a> {
    pub gpu: &'a GpuEngine,
    pub cpu: &'a CpuEngine,
    pub rescue: bool,
    /// Whether signatures are verified before they leave the device.
    pub check_signatures: bool,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info.fmt(f)
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

impl EngineBuilder {
    /// The kind of device. Default: [`Backend::Auto`].
    pub fn backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// Worker threads of the CPU engine, 1 to 4096. Default: one per core.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Upper limit for working memory in bytes, beside the caller's inputs and the results: of the host, with its pinned memory,
    /// and of each GPU. Default: none.
    ///
    /// The limit decides the size of tables, how many repeated keys get one, and how many items are planned or copied at a time.
    /// What a batch cannot do without (6 MiB, and one for each thread) is used in any case, as are the digests of calls that take
    /// messages, 32 bytes an item. Tables of the base point are the process's, whichever engine built them.
    pub fn max_memory(mut self, bytes: usize) -> Self {
        self.max_memory = Some(bytes);
        self
    }

    /// Upper limit for the items that a GPU computes at a time. Default: from its size and memory. Smaller chunks answer
    /// sooner and need less memory; larger ones have a higher throughput.
    pub fn chunk_items(mut self, items: usize) -> Self {
        self.chunk_items = Some(items);
        self
    }

    /// Verifies every signature with its key before it is returned. A device or processor that errs while it computes a
    /// deterministic signature gives the private key away to whoever sees the result and the right one: turn this on where
    /// that matters more than speed (signing then costs as much as signing and verifying). Of signatures with a recovery id
    /// ([`crate::ecdsa::sign_recoverable`]) the id is checked too: the key that it recovers must be the signer's. Default: off.
    ///
    /// A GPU whose signature does not verify counts as failed, see [`Engine::failures`]. On the CPU such a signature is
    /// computed again; an item at which that fails every time is rejected with [`crate::Rejection::FaultySignature`].
    pub fn check_signatures(mut self, check: bool) -> Self {
        self.check_signatures = check;
        self
    }

    /// Records how long each kernel runs, for [`Engine::take_kernel_times`]. Chunks are then computed one after the other
    /// instead of overlapping, so that no two kernels share a GPU, and are as large as the memory and
    /// [`EngineBuilder::chunk_items`] allow. Default: off.
    pub fn time_kernels(mut self, time: bool) -> Self {
        self.time_kernels = time;
        self
    }

    /// Keeps the intermediate products of batched inversions in a part of each GPU's L2 cache that is set aside for them,
    /// for every engine of the process, where the GPU can do that. Results are the same. Default: off.
    pub fn l2_persistence(mut self, persist: bool) -> Self {
        self.l2_persistence = persist;
        self
    }

    /// Leaves out the instructions that not every processor has, which the CPU engine otherwise uses where it finds them.
    /// Results are the same; they take longer. Default: `false`.
    pub fn portable(mut self, portable: bool) -> Self {
        self.portable = portable;
        self
    }

    /// Starts the engine.
    ///
    /// # Errors
    /// [`Error::NoDevice`] when a GPU is asked for and none can be used, [`Error::InvalidOption`] for a
    /// number of threads or items out of range,
    /// [`Error::Threads`] when the worker threads cannot be started.
    pub fn build(self) -> Result<Engine, Error> {
        if self.chunk_items == Some(0) {
            return Err(Error::InvalidOption { option: "chunk_items", problem: "0 items are no chunk".to_owned() });
        }
        let limits = Limits {
            max_memory: self.max_memory,
            largest_chunk: self.chunk_items,
            time_kernels: self.time_kernels,
            l2_persistence: self.l2_persistence,
        };
        let (gpu, reason) = match self.backend {
            Backend::Cpu => (None, "asked for".to_owned()),
            Backend::Auto => match GpuEngine::new(limits) {
                Ok(gpu) => (Some(gpu), "chosen automatically".to_owned()),
                Err(Unavailable::Devices(problem)) => (None, format!("chosen automatically: {problem}")),
                Err(threads) => return Err(threads.into()),
            },
            Backend::Gpu => (Some(GpuEngine::new(limits)?), "asked for".to_owned()),
        };
        let cpu = CpuEngine::new(self.threads, self.max_memory)?;
        let cpu = if self.portable { cpu.portable() } else { cpu };
        let info = EngineInfo {
            backend: if gpu.is_some() { Backend::Gpu } else { Backend::Cpu },
            threads: cpu.threads(),
            devices: gpu.as_ref().map_or_else(Vec::new, GpuEngine::labels),
            max_memory: self.max_memory,
            check_signatures: self.check_signatures,
            reason,
        };
        let devices = ManuallyDrop::new(Devices { cpu, gpu });
        Ok(Engine { devices, info, asked: self.backend, process: Process::this() })
    }
}
