//! Options that select and configure the engine.

use crate::installation;
use clap::{Args, ValueEnum};
use gecc::{Backend, Engine, EngineBuilder};
use std::thread;

/// The minimum size of an item in bytes, even in compressed input: a scalar or a point.
const LEAST_ITEM: u64 = 32;

#[derive(Clone, Copy, ValueEnum)]
pub enum EngineName {
    Auto,
    Cpu,
    Gpu,
}

#[derive(Args)]
pub struct EngineOptions {
    /// The device to compute on. auto selects GPUs if there are any, except for files of up to 64
    /// KiB per thread, which the CPU finishes before a driver has started.
    #[arg(long, value_enum, default_value = "auto")]
    engine: EngineName,
    /// Worker threads of the CPU engine, 1 to 4096 [default: one per core].
    #[arg(long)]
    pub threads: Option<usize>,
    /// Upper limit of working memory: bytes, or with K, M or G.
    #[arg(long, value_parser = parse_bytes)]
    pub max_memory: Option<usize>,
    /// Set by commands that verify: see [`EquationOptions`].
    #[arg(skip)]
    pub batch_verification: bool,
    /// Set by the command that signs.
    #[arg(skip)]
    pub check_signatures: bool,
}

/// Options of commands that can verify signatures in groups.
#[derive(Args, Clone, Copy)]
pub struct EquationOptions {
    /// Verify signatures in groups if that is faster: those of BIP 340, of ECDSA with recovery ids,
    /// and of Ed25519 by a rule with the cofactor. An invalid signature is then accepted with a
    /// probability of at most 2^-128 per group; otherwise answers are the same.
    #[arg(long)]
    pub batch_verification: bool,
}

impl EngineOptions {
    pub fn start(&self) -> Result<Engine, String> {
        self.start_for(None, None)
    }

    /// Starts an engine for inputs of `bytes` bytes, if that is known. `max_memory` replaces the
    /// configured memory limit.
    pub fn start_for(
        &self,
        bytes: Option<u64>,
        max_memory: Option<usize>,
    ) -> Result<Engine, String> {
        let mut builder = self.builder()?;
        if let Some(items) = bytes.and_then(|bytes| usize::try_from(bytes / LEAST_ITEM).ok()) {
            builder = builder.expected_items(items);
        }
        if let Some(bytes) = max_memory {
            builder = builder.max_memory(bytes);
        }
        builder.build().map_err(|problem| problem.to_string())
    }

    /// Returns a builder for an engine with these options.
    ///
    /// # Errors
    /// Returns an error if the environment names kernels that do not exist.
    pub fn builder(&self) -> Result<EngineBuilder, String> {
        let backend = match self.engine {
            EngineName::Auto => Backend::Auto,
            EngineName::Cpu => Backend::Cpu,
            EngineName::Gpu => Backend::Gpu,
        };
        let mut builder = installation::engine()?
            .backend(backend)
            .check_signatures(self.check_signatures)
            .batch_verification(self.batch_verification);
        if let Some(threads) = self.threads {
            builder = builder.threads(threads);
        }
        if let Some(bytes) = self.max_memory {
            builder = builder.max_memory(bytes);
        }
        Ok(builder)
    }

    /// Returns these options as arguments for another command.
    pub fn arguments(&self) -> Vec<String> {
        let name = self
            .engine
            .to_possible_value()
            .expect("none is skipped")
            .get_name()
            .to_owned();
        let mut arguments = vec!["--engine".to_owned(), name];
        if let Some(threads) = self.threads {
            arguments.extend(["--threads".to_owned(), threads.to_string()]);
        }
        if let Some(bytes) = self.max_memory {
            arguments.extend(["--max-memory".to_owned(), bytes.to_string()]);
        }
        arguments
    }

    /// Returns the number of threads of the CPU engine: the configured number, or one per core.
    pub fn thread_count(&self) -> usize {
        self.threads
            .unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
    }
}

fn parse_bytes(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.char_indices().last() {
        Some((end, 'k' | 'K')) => (&text[..end], 10),
        Some((end, 'm' | 'M')) => (&text[..end], 20),
        Some((end, 'g' | 'G')) => (&text[..end], 30),
        _ => (text, 0),
    };
    let number: usize = digits
        .parse()
        .map_err(|_| "a number of bytes, such as 500000000 or 512M".to_owned())?;
    match number.checked_mul(1 << shift) {
        Some(0) => Err("0 leaves no memory to work in".to_owned()),
        Some(bytes) => Ok(bytes),
        None => Err("too large".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        engine: EngineOptions,
    }

    #[test]
    fn options_reach_the_engine_and_other_commands() {
        let given = [
            "gecc",
            "--engine",
            "cpu",
            "--threads",
            "3",
            "--max-memory",
            "64M",
        ];
        let given = Program::parse_from(given).engine;
        let passed_on =
            Program::parse_from(["gecc".to_owned()].into_iter().chain(given.arguments())).engine;
        for options in [given, passed_on] {
            let engine = options.start().unwrap();
            let info = engine.info();
            assert_eq!(
                (info.backend, info.threads, info.max_memory),
                (Backend::Cpu, 3, Some(64 << 20))
            );
            assert!(!info.batch_verification);
        }
    }

    #[test]
    fn few_items_are_computed_on_the_cpu() {
        let options = Program::parse_from(["gecc", "--threads", "2"]).engine;
        let few = "chosen automatically for few items";
        assert_eq!(reason_for(&options, Some(128 << 10)), few);
        for more in [Some((128 << 10) + LEAST_ITEM), None] {
            assert_ne!(reason_for(&options, more), few);
        }
        let requested = Program::parse_from(["gecc", "--engine", "cpu"]).engine;
        assert_eq!(reason_for(&requested, Some(0)), "asked for");
    }

    /// Returns the reason for the choice of the device for inputs of `bytes` bytes.
    fn reason_for(options: &EngineOptions, bytes: Option<u64>) -> String {
        options
            .start_for(bytes, None)
            .unwrap()
            .info()
            .reason
            .clone()
    }

    #[test]
    fn equations_reach_the_engine() {
        let batch_verification = EngineOptions {
            batch_verification: true,
            ..Program::parse_from(["gecc", "--engine", "cpu"]).engine
        };
        assert!(
            batch_verification
                .start()
                .unwrap()
                .info()
                .batch_verification
        );
    }
}
