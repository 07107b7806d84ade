//! Measurements.

use super::engine::EngineOptions;
use crate::curve::{any, or_all};
use clap::{Args, Subcommand, ValueEnum};
use gecc::CurveId;
use std::ops::RangeInclusive;
use std::path::PathBuf;

pub const BENCH_HELP: &str = "\
End to end is from the caller's memory to the caller's memory, by the clock. Kernels is the sum of the times of all GPU
kernels of a call, each alone on one GPU. Figures are medians after a warm-up on fresh random inputs; results are
checked outside the measured time.

Examples:
  gecc bench --curve p256 --engine cpu
  gecc bench --sizes 10..22 --plot throughput.svg
  gecc bench --operations verify,sign --items 4194304 --kernels --json";

const METHODS_HELP: &str = "\
Runs on the first GPU. The exit code is 1 where a result is wrong.

Examples:
  gecc bench methods
  gecc bench methods --curve p256 --check 0 --json
  gecc bench methods --plot methods.svg";

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchOptions {
    #[command(subcommand)]
    pub command: Option<BenchCommand>,
    #[command(flatten)]
    pub batches: BatchOptions,
    /// Only these, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub operations: Vec<Operation>,
    /// Also measure how long a call takes for 1, 64, 1024 and 16384 items, on the CPU and on a GPU.
    #[arg(long)]
    pub latency: bool,
    /// Also print the time of each kernel.
    #[arg(long)]
    pub kernels: bool,
    /// Take inputs from page-locked memory and have results written there: a GPU copies both without help of the host. Operations
    /// that write no columns (decompress, recover_addresses, ecdh) give fresh values as ever.
    #[arg(long)]
    pub page_locked: bool,
    /// Draw items per second against the size of the batch, as SVG.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub engine: EngineOptions,
}

#[derive(Subcommand)]
pub enum BenchCommand {
    /// What choices of the GPU kernels are worth: production against variants without them.
    Ablations(BatchOptions),
    /// Every method of modular multiplication on the GPU, side by side, each checked against the CPU.
    #[command(after_help = METHODS_HELP)]
    Methods(MethodsOptions),
}

#[derive(Args)]
pub struct BatchOptions {
    /// The curve [default: all].
    #[arg(long, value_parser = any())]
    pub curve: Option<CurveId>,
    /// Items in a batch [default: 16384 on the CPU, 1048576 on a GPU].
    #[arg(long, conflicts_with = "sizes", value_parser = clap::value_parser!(u32).range(1..=1 << 26))]
    pub items: Option<u32>,
    /// Batches of 2^FROM, twice that, and so on up to 2^TO items.
    #[arg(long, value_name = "FROM..TO", value_parser = parse_sizes)]
    pub sizes: Option<RangeInclusive<u32>>,
    /// Print JSON Lines instead of a table.
    #[arg(long)]
    pub json: bool,
}

impl BatchOptions {
    /// Sizes of batches, the largest last.
    pub fn sizes(&self, default: usize) -> Vec<usize> {
        match (&self.sizes, self.items) {
            (Some(powers), _) => powers.clone().map(|power| 1 << power).collect(),
            (None, items) => vec![items.map_or(default, |items| items as usize)],
        }
    }

    pub fn curves(&self) -> Vec<CurveId> {
        or_all(self.curve)
    }
}

fn parse_sizes(text: &str) -> Result<RangeInclusive<u32>, String> {
    let parse = |power: &str| power.parse().ok().filter(|power| *power <= 26);
    let range = text.split_once("..").and_then(|(from, to)| Some(parse(from)?..=parse(to)?));
    range.filter(|range| !range.is_empty()).ok_or_else(|| "two powers of two up to 26, such as 10..22".to_owned())
}

/// What can be measured. The last four are kernels alone, on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Operation {
    Add,
    Double,
    MulBase,
    Mul,
    PublicKeys,
    Decompress,
    Verify,
    #[value(name = "verify_1000_keys")]
    Verify1000Keys,
    #[value(name = "verify_100_keys")]
    Verify100Keys,
    Recover,
    RecoverAddresses,
    Sign,
    Ecdh,
    EcdhOneSecret,
    FieldMul,
    FieldSquare,
    ScalarMul,
    BatchInverse,
}

impl Operation {
    /// As the command line writes it.
    pub fn name(self) -> String {
        self.to_possible_value().expect("none is skipped").get_name().to_owned()
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
