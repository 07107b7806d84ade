//! Start-up, warm-up and self-tests of an engine, which need both the devices and all operations.

mod cpu_answers;
mod gpu_tests;
#[cfg(test)]
mod oprf_tests;
#[cfg(test)]
mod planned;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod wiping_gpu_tests;

use crate::cpu::CpuEngine;
use crate::cpu::tables::warm_up;
use crate::curve::{CurveChoice, PerCurve, per_curve};
use crate::engine::{Backend, Devices, Engine, EngineBuilder, EngineInfo, Failure};
use crate::gpu::{GpuEngine, Limits, SelfTest, Unavailable};
use crate::types::Error;

impl Engine {
    /// Creates an engine on all GPUs, or on the CPU if there is none.
    ///
    /// # Errors
    /// [`Error::Threads`] when the worker threads cannot be started.
    pub fn new() -> Result<Self, Error> {
        Self::builder().build()
    }

    /// Creates an engine on the CPU, with one worker thread per core.
    ///
    /// # Errors
    /// [`Error::Threads`] when the worker threads cannot be started.
    pub fn cpu() -> Result<Self, Error> {
        Self::builder().backend(Backend::Cpu).build()
    }

    /// Tests every operation on every GPU with items whose answers are known, valid and corrupted
    /// ones, and returns all [`Engine::failures`] afterwards. Calls run the same tests before they
    /// first use an operation on a GPU, and the CPU's vector instructions are tested when the first
    /// engine starts, so this function is only needed to know the result in advance. It takes some
    /// seconds, and a minute or two if kernels are not in the cache.
    ///
    /// # Errors
    /// [`Error::Device`] when a GPU has too little memory for a test, [`Error::Forked`] in a child
    /// of the process that created the engine.
    ///
    /// ```
    /// use gecc::Engine;
    /// let engine = Engine::new()?;
    /// assert!(engine.self_test()?.is_empty());
    /// # Ok::<(), gecc::Error>(())
    /// ```
    pub fn self_test(&self) -> Result<Vec<Failure>, Error> {
        let Devices { cpu, gpu } = self.devices()?;
        gpu.as_ref()
            .map_or(Ok(()), |gpu| gpu.self_test(cpu, &gpu_tests::all()))?;
        Ok(self.failures())
    }

    /// Prepares everything that calls on a curve need, and that the first of them would otherwise
    /// have to wait for or do without: tables of the base point for the CPU, and for GPUs their
    /// kernels, which may have to be compiled, tables, and self-tests. It takes some tens of
    /// milliseconds without a GPU, and some seconds if kernels are not in the cache.
    ///
    /// # Errors
    /// [`Error::Kernels`] and [`Error::Device`] when a GPU cannot be prepared; calls may work
    /// nevertheless, see [`Engine::failures`]. [`Error::Forked`] in a child of the process that
    /// created the engine.
    ///
    /// ```
    /// use gecc::{CurveId, Engine};
    /// let engine = Engine::new()?;
    /// engine.warm_up(CurveId::Secp256k1)?;
    /// # Ok::<(), gecc::Error>(())
    /// ```
    pub fn warm_up(&self, curve: impl CurveChoice) -> Result<(), Error> {
        let curve = curve.id();
        let Devices { cpu, gpu } = self.devices()?;
        WARM_UP.of(curve)(cpu);
        let tests: Vec<SelfTest> = gpu_tests::all()
            .into_iter()
            .filter(|test| test.on == curve.name())
            .collect();
        gpu.as_ref().map_or(Ok(()), |gpu| {
            gpu.warm_up(cpu, curve.name(), &tests).map_err(Error::from)
        })
    }
}

static WARM_UP: PerCurve<fn(&CpuEngine)> = per_curve!(warm_up);

/// Items per thread that the cores compute before a GPU's driver has started: those that the
/// slowest curve computes in a sixth of a second.
const FEW: usize = 2048;

impl EngineBuilder {
    /// Starts the engine.
    ///
    /// # Errors
    /// [`Error::NoDevice`] when a GPU is requested and none can be used, [`Error::InvalidOption`]
    /// for a number of threads or items out of range, [`Error::Threads`] when the worker threads
    /// cannot be started.
    pub fn build(self) -> Result<Engine, Error> {
        if self.chunk_items == Some(0) {
            return Err(Error::InvalidOption {
                option: "chunk_items",
                problem: "a chunk has at least one item".to_owned(),
            });
        }
        let limits = Limits {
            max_memory: self.max_memory,
            largest_chunk: self.chunk_items,
            time_kernels: self.time_kernels,
            l2_persistence: self.l2_persistence,
            kernels: self.kernels,
        };
        let cpu = CpuEngine::new(self.threads, self.max_memory)?;
        let is_little = self
            .expected_items
            .is_some_and(|items| items <= FEW * cpu.threads());
        let (gpu, reason) = match self.backend {
            Backend::Cpu => (None, "asked for".to_owned()),
            Backend::Auto if is_little => (None, "chosen automatically for few items".to_owned()),
            Backend::Auto => match GpuEngine::new(limits) {
                Ok(gpu) => (Some(gpu), "chosen automatically".to_owned()),
                Err(Unavailable::Devices(problem)) => {
                    (None, format!("chosen automatically: {problem}"))
                }
                Err(threads) => return Err(threads.into()),
            },
            Backend::Gpu => (Some(GpuEngine::new(limits)?), "asked for".to_owned()),
        };
        let cpu = if self.portable {
            cpu.portable()
        } else {
            with_tested_lanes(cpu)
        };
        let info = EngineInfo {
            backend: if gpu.is_some() {
                Backend::Gpu
            } else {
                Backend::Cpu
            },
            threads: cpu.threads(),
            devices: gpu.as_ref().map_or_else(Vec::new, GpuEngine::labels),
            max_memory: self.max_memory,
            check_signatures: self.check_signatures,
            batch_verification: self.batch_verification,
            reason,
        };
        Ok(Engine::of(cpu, gpu, info, self.backend))
    }
}

/// Enables vector instructions if they give the known answers, and disables them otherwise.
fn with_tested_lanes(mut cpu: CpuEngine) -> CpuEngine {
    if cpu.lanes.is_some() {
        cpu.problem_of_lanes = cpu_answers::problem(&cpu);
        cpu.lanes = cpu.lanes.filter(|_| cpu.problem_of_lanes.is_none());
    }
    cpu
}
