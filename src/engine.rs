//! Which devices work on a batch.

use crate::cpu::CpuEngine;
use crate::error::Error;
use std::fmt;

/// Where batches are computed. Cheap to share: every call takes `&Engine`, from any number of threads at once.
///
/// ```
/// use gecc::Engine;
/// let engine = Engine::new()?;
/// println!("{engine}");          // says what was chosen, and why
/// # Ok::<(), gecc::Error>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    cpu: CpuEngine,
    info: EngineInfo,
}

/// Which kind of device a caller asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// All GPUs, or the CPU where there is none; [`Engine::info`] reports the choice.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// GPUs only: [`EngineBuilder::build`] fails where there is none.
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
    /// Upper limit for working memory in bytes, if the caller set one.
    pub max_memory: Option<usize>,
    /// Why this backend was chosen.
    pub reason: String,
}

/// Chooses devices and limits. Made by [`Engine::builder`].
#[derive(Clone, Debug, Default)]
pub struct EngineBuilder {
    backend: Backend,
    threads: Option<usize>,
    max_memory: Option<usize>,
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

    pub(crate) fn cpu_engine(&self) -> &CpuEngine {
        &self.cpu
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info.fmt(f)
    }
}

impl fmt::Display for EngineInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.threads == 1 { "" } else { "s" };
        write!(f, "CPU, {} thread{plural} ({})", self.threads, self.reason)
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

    /// Upper limit for working memory in bytes, beside the caller's inputs and the results. Default: none.
    ///
    /// The limit decides the size of tables and how many repeated keys get one. What a batch cannot do without (about
    /// 1 MiB per thread) is used in any case.
    pub fn max_memory(mut self, bytes: usize) -> Self {
        self.max_memory = Some(bytes);
        self
    }

    /// Starts the engine.
    ///
    /// # Errors
    /// [`Error::NoDevice`] when a GPU is asked for and none can be used, [`Error::InvalidOption`] for a
    /// number of threads out of range,
    /// [`Error::Threads`] when the worker threads cannot be started.
    pub fn build(self) -> Result<Engine, Error> {
        const NO_GPU: &str = "this version of gecc has no GPU engine";
        let reason = match self.backend {
            Backend::Cpu => "asked for".to_owned(),
            Backend::Auto => format!("chosen automatically: {NO_GPU}"),
            Backend::Gpu => return Err(Error::NoDevice(NO_GPU.to_owned())),
        };
        let cpu = CpuEngine::new(self.threads, self.max_memory)?;
        let threads = cpu.threads();
        Ok(Engine { cpu, info: EngineInfo { backend: Backend::Cpu, threads, max_memory: self.max_memory, reason } })
    }
}
