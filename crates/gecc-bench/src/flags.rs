//! The command line arguments and their help.

use crate::measure::{BatchOptions, PublicCall};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use gecc::CurveId;
use gecc_bench::kernels::arithmetic::Arithmetic;
use gecc_cli::curve::any;
use gecc_cli::engine::EngineOptions;
use std::env;
use std::path::PathBuf;

// A paragraph is one line: clap breaks it where the terminal ends.

const OPERATIONS_HELP: &str = "\
End to end is from the caller's memory to the caller's memory, by the clock. Kernels is the sum of the times of all GPU \
kernels of a call, each alone on one GPU. Figures are medians after a warm-up on fresh random inputs; results are checked \
outside the measured time.

Examples:
  gecc-bench operations --curve p256 --engine cpu
  gecc-bench operations --sizes 10..22 --plot throughput.svg
  gecc-bench operations --operations verify,sign --items 4194304 --kernels --json";

const METHODS_HELP: &str = "\
Runs on the first GPU. The exit code is 1 where a result is wrong.

Examples:
  gecc-bench methods
  gecc-bench methods --curve p256 --check 0 --json
  gecc-bench methods --plot methods.svg";

const FILES_HELP: &str = "\
Makes a file of fresh random items for each operation and format, of the signatures to verify one in a thousand corrupted, and \
runs the command `gecc` on it, which `cargo build --release` has put beside this program. The file is in the page cache, and \
answers go to a file in the same folder. All answers are compared with what is expected. `sign` and `ecdh` use one key for all \
items.

Seconds are those of a whole run, the median of several, and every rate is of these: they include the start of the process, \
which on a GPU takes longer than some files. `one line` is a run on a file of one item, to be subtracted. `of engine` is the \
share of the rate of the engine alone, called in this process with columns, on a GPU in page-locked memory; `of cache` is the \
share of the rate at which as many threads read the same file and do nothing with it.

The exit code is 1 where answers are wrong or a run failed.

Examples:
  gecc-bench files --curve p256 --engine cpu --operations verify,pubkey
  gecc-bench files --items 4194304 --formats jsonl,parquet --json
  gecc-bench files --dir /var/tmp/gecc --plot files.svg";

const SERVICE_HELP: &str = "\
Verifies signatures that were made beforehand, with distinct keys and one in 97 corrupted, by way of the coalescer, and checks \
every verdict. Requests are sent when they are due, whatever became of those before. What one takes is counted from then to \
when its answer is taken. The coalescer refuses requests that it has no room for.

Modes: `requests` of --items at four rates up to nine tenths of what direct calls of large batches do; `bursts` of 16 such \
requests at half of that rate; `single` items at half of it, at most 1 M/s; a `lone` caller at 100 requests a second, each \
beside a direct call of as many items; `overload`, requests at twice that rate. With --rate all but the lone caller have that one.

The exit code is 1 where verdicts are wrong.

Examples:
  gecc-bench service
  gecc-bench service --modes requests --rate 20e6 --seconds 10 --json
  gecc-bench service --modes single,overload --engine cpu --plot service.svg";

const START_HELP: &str = "\
Each row is about new processes of this program that verify one signature, and is the run with the median time to the first \
verdict. On a GPU there is a row for each place where kernels may come from, and the others are out of reach there: `pack` with an \
empty cache and without NVRTC, `cache` with a full one, `compiled` by NVRTC with an empty one.

`verdict` is from the start of the process to the first verdict, `process` to its end. `engine` is the start of the engine, `first` \
and `next` are the first and the second call. Within the first call kernels are got, loaded by the driver and tested by known \
answers, and tables are built: `got` and `loaded` are the sums over all kernel files, of which several are in work at a time.

The exit code is 1 where a row could not be measured.

Examples:
  gecc-bench start --kernels /opt/gecc/kernels
  gecc-bench start --curve sm2 --runs 20 --json
  gecc-bench start --engine cpu";

/// Measures gecc: more than `gecc bench`, and not only on items in memory.
#[derive(Parser)]
#[command(name = "gecc-bench", version)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// The gain of each choice in the GPU kernels: production against variants without it.
    Ablations(BatchOptions),
    /// The command `gecc` on files: items and bytes per second in every format, compared with the
    /// engine alone and the page cache.
    #[command(after_help = FILES_HELP)]
    Files(FilesOptions),
    /// Every method of modular multiplication on the GPU, side by side, each checked against the
    /// CPU.
    #[command(after_help = METHODS_HELP)]
    Methods(MethodsOptions),
    /// Every operation, end to end and by kernel, at any sizes.
    #[command(after_help = OPERATIONS_HELP)]
    Operations(OperationsOptions),
    /// The coalescer under load: rates, and what share of the answers came within which time.
    #[command(after_help = SERVICE_HELP)]
    Service(ServiceOptions),
    /// The time from the start of a process to its first verdict, with kernels from packs, from the
    /// cache and compiled.
    #[command(after_help = START_HELP)]
    Start(StartOptions),
}

#[derive(Args)]
pub struct OperationsOptions {
    #[command(flatten)]
    pub batches: BatchOptions,
    /// Only these, separated by commas. The last four are kernels alone, on a GPU.
    #[arg(long, value_delimiter = ',', value_parser = measured())]
    pub operations: Vec<Measured>,
    /// Also measure how long a call takes for 1, 64, 1024 and 16384 items, on the CPU and on a GPU.
    #[arg(long)]
    pub latency: bool,
    /// Also print the time of each kernel.
    #[arg(long)]
    pub kernels: bool,
    /// Measure no kernels: for batches that one GPU has no memory for in one piece.
    #[arg(long, conflicts_with = "kernels")]
    pub end_to_end: bool,
    /// Take inputs from page-locked memory and have results written there: a GPU copies both
    /// without help of the host. Operations that write no columns (decompress, recover_addresses,
    /// ecdh) return fresh values as ever.
    #[arg(long)]
    pub page_locked: bool,
    /// Draw items per second against the size of the batch, as SVG.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub engine: EngineOptions,
}

/// An operation that can be measured.
#[derive(Clone, Copy)]
pub enum Measured {
    Public(PublicCall),
    Arithmetic(Arithmetic),
}

impl Measured {
    fn all() -> impl Iterator<Item = Measured> {
        let public = PublicCall::value_variants()
            .iter()
            .copied()
            .map(Measured::Public);
        public.chain(Arithmetic::ALL.into_iter().map(Measured::Arithmetic))
    }

    fn possible_value(self) -> PossibleValue {
        match self {
            Measured::Public(operation) => operation.to_possible_value().expect("none is skipped"),
            Measured::Arithmetic(arithmetic) => PossibleValue::new(arithmetic.name()),
        }
    }
}

fn measured() -> impl TypedValueParser<Value = Measured> {
    let parser = PossibleValuesParser::new(Measured::all().map(Measured::possible_value));
    parser.map(|name| {
        Measured::all()
            .find(|one| one.possible_value().get_name() == name)
            .expect("one of these")
    })
}

impl OperationsOptions {
    /// Returns the requested operations, or all of them.
    pub fn chosen(&self) -> (Vec<PublicCall>, Vec<Arithmetic>) {
        let all = if self.operations.is_empty() {
            Measured::all().collect()
        } else {
            self.operations.clone()
        };
        let mut public = Vec::new();
        let mut arithmetic = Vec::new();
        for measured in all {
            match measured {
                Measured::Public(operation) => public.push(operation),
                Measured::Arithmetic(one) => arithmetic.push(one),
            }
        }
        (public, arithmetic)
    }
}

#[derive(Args)]
pub struct MethodsOptions {
    /// The curve whose production multiplication is measured [default: all].
    #[arg(long, value_parser = any())]
    pub curve: Option<CurveId>,
    /// Random inputs on which each row is compared with the CPU.
    #[arg(long, value_name = "ITEMS", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(..=1 << 24))]
    pub check: u32,
    /// Print JSON Lines instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Draw the rates as bars, as SVG.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

#[derive(Args)]
pub struct FilesOptions {
    /// The curve.
    #[arg(long, value_parser = any(), default_value = CurveId::Secp256k1.name())]
    pub curve: CurveId,
    /// Items in a file.
    #[arg(long, default_value_t = 1 << 20, value_parser = clap::value_parser!(u32).range(1..=1 << 26))]
    pub items: u32,
    /// Only these, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub formats: Vec<FileFormat>,
    /// Only these, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub operations: Vec<FileOperation>,
    /// Runs of the command on each file.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// The command to run [default: `gecc` in this program's folder].
    #[arg(long, value_name = "FILE")]
    pub command: Option<PathBuf>,
    /// The folder for the files, which stay there [default: a temporary folder, which is removed].
    #[arg(long)]
    pub dir: Option<PathBuf>,
    /// Print JSON Lines instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Draw the rates as bars, as SVG.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub engine: EngineOptions,
}

#[derive(Args)]
pub struct StartOptions {
    /// The curve.
    #[arg(long, value_parser = any(), default_value = CurveId::Secp256k1.name())]
    pub curve: CurveId,
    /// Processes for each row.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// The folder of packs [default: where this command finds them].
    #[arg(long, value_name = "DIR")]
    pub kernels: Option<PathBuf>,
    /// Print JSON Lines instead of a table, with every kernel file.
    #[arg(long)]
    pub json: bool,
    /// Act as such a process: read a signature from standard input, and print how long its verdicts
    /// took.
    #[arg(long, hide = true)]
    pub once: bool,
    #[command(flatten)]
    pub engine: EngineOptions,
}

impl FilesOptions {
    /// Returns the command to run.
    pub fn program(&self) -> Result<PathBuf, String> {
        let program = match &self.command {
            Some(command) => command.clone(),
            None => {
                let own = env::current_exe()
                    .map_err(|problem| format!("this program's file: {problem}"))?;
                own.with_file_name(format!("gecc{}", env::consts::EXE_SUFFIX))
            }
        };
        match program.is_file() {
            true => Ok(program),
            false => Err(format!(
                "{} does not exist: build it with `cargo build --release`",
                program.display()
            )),
        }
    }

    /// Returns the requested operations, or all that the curve supports.
    pub fn operations(&self) -> Vec<FileOperation> {
        match &self.operations[..] {
            [] => FileOperation::value_variants()
                .iter()
                .copied()
                .filter(|one| one.is_on(self.curve))
                .collect(),
            some => some.to_vec(),
        }
    }

    /// Returns the requested formats, or all of them.
    pub fn formats(&self) -> &[FileFormat] {
        if self.formats.is_empty() {
            FileFormat::value_variants()
        } else {
            &self.formats
        }
    }
}

/// Commands that read files of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileOperation {
    Verify,
    Recover,
    Sign,
    Ecdh,
    Pubkey,
}

impl FileOperation {
    /// Returns the command's name.
    pub fn name(self) -> String {
        self.to_possible_value()
            .expect("none is skipped")
            .get_name()
            .to_owned()
    }

    pub fn is_on(self, curve: CurveId) -> bool {
        self != FileOperation::Recover || curve.has_ecdsa()
    }

    /// Returns whether the command needs a file with a private key.
    pub fn uses_a_key(self) -> bool {
        matches!(self, FileOperation::Sign | FileOperation::Ecdh)
    }
}

/// Forms of a file that the commands read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileFormat {
    /// One object a line.
    Jsonl,
    /// Separated by commas, with a header.
    Csv,
    /// Separated by tabs, with a header.
    Tsv,
    /// An array of objects.
    Json,
    /// JSON Lines, compressed.
    #[value(name = "jsonl.gz")]
    JsonlGz,
    /// JSON Lines, compressed.
    #[value(name = "jsonl.zst")]
    JsonlZst,
    /// Parquet, not compressed.
    Parquet,
    /// Parquet with compressed pages.
    #[value(name = "parquet.zst")]
    ParquetZst,
    /// Arrow IPC, not compressed.
    Arrow,
    /// Arrow IPC with bytes as hexadecimal text.
    #[value(name = "hex.arrow")]
    ArrowHex,
}

impl FileFormat {
    /// Returns the name on the command line, which is also the extension of the file.
    pub fn name(self) -> String {
        self.to_possible_value()
            .expect("none is skipped")
            .get_name()
            .to_owned()
    }
}

#[derive(Args)]
pub struct ServiceOptions {
    /// The curve.
    #[arg(long, value_parser = any(), default_value = CurveId::Secp256k1.name())]
    pub curve: CurveId,
    /// Only these, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub modes: Vec<ServiceMode>,
    /// Items of a request.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub items: u32,
    /// Items that are sent in a second [default: shares of what direct calls do].
    #[arg(long, value_parser = parse_positive)]
    pub rate: Option<f64>,
    /// Seconds of each measurement; a fifth of that goes before it.
    #[arg(long, default_value = "5", value_parser = parse_positive)]
    pub seconds: f64,
    /// The arrival process of requests.
    #[arg(long, value_enum, default_value = "poisson")]
    pub arrivals: Arrivals,
    /// Threads that send, with as many that take the answers [default: one for two cores].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub senders: Option<u32>,
    /// Report what the ten slowest batches waited for, with a watch that takes a part of a core.
    #[arg(long)]
    pub worst: bool,
    /// Items of the largest batch of the coalescer.
    #[arg(long)]
    pub largest_batch: Option<u32>,
    /// The longest wait of the coalescer, in microseconds.
    #[arg(long)]
    pub longest_wait: Option<u64>,
    /// Items in the coalescer's queue.
    #[arg(long)]
    pub queue: Option<u32>,
    /// Batches that the coalescer has computed at a time.
    #[arg(long)]
    pub in_flight: Option<u32>,
    /// Print JSON Lines instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Draw the times by rate, as SVG.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub engine: EngineOptions,
}

impl ServiceOptions {
    /// Returns the requested modes, or all of them.
    pub fn modes(&self) -> &[ServiceMode] {
        if self.modes.is_empty() {
            ServiceMode::value_variants()
        } else {
            &self.modes
        }
    }

    /// Returns the number of threads that send.
    pub fn senders(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.senders
            .map_or(cores.div_ceil(2), |senders| senders as usize)
    }
}

/// Loads of the coalescer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ServiceMode {
    Requests,
    Bursts,
    Single,
    Lone,
    Overload,
}

impl ServiceMode {
    /// Returns the name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value()
            .expect("none is skipped")
            .get_name()
            .to_owned()
    }
}

/// The arrival process of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Arrivals {
    /// One by one, at random.
    Poisson,
    /// Sixteen at once, at random.
    Bursts,
}

impl Arrivals {
    /// Returns the name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value()
            .expect("none is skipped")
            .get_name()
            .to_owned()
    }
}

fn parse_positive(text: &str) -> Result<f64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number: &f64| *number > 0.0 && *number <= 1e12);
    number.ok_or_else(|| "a number above 0, such as 2.5 or 20e6".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{FILES_HELP, METHODS_HELP, OPERATIONS_HELP, SERVICE_HELP, START_HELP};

    #[test]
    fn paragraphs_of_the_help_are_not_broken() {
        let texts = [
            FILES_HELP,
            METHODS_HELP,
            OPERATIONS_HELP,
            SERVICE_HELP,
            START_HELP,
        ];
        for line in texts.into_iter().flat_map(str::lines) {
            let is_example = line.starts_with("  gecc-bench ");
            assert!(
                line.is_empty() || is_example || line.ends_with(['.', ':']),
                "{line}"
            );
        }
    }
}
