//! Whole chains.

use super::AnswerFormat;
use super::engine::EngineOptions;
use super::stream::format_by_name;
use clap::{Args, Subcommand};
use std::path::PathBuf;

// A paragraph is one line: clap breaks it where the terminal ends.

/// What the help of every command on chains ends with.
macro_rules! chain_help {
    () => {
        "\
What a file says that is not so is named with its place, and the rest is checked. With --state a later call leaves out what is done: \
its answers are in the output of the earlier call, also where that was interrupted, then beside the file that was named.

Exit codes: 0 every signature holds, 1 some were rejected or places of files could not be read, 2 the call could not run, 3 none was \
rejected and some were not checked, 130 interrupted, 141 closed pipe."
    };
}

pub const SENDERS_HELP: &str = concat!(
    "\
Paths are files, or folders of files: era1, blocks as JSON-RPC gives them (with full transactions; one value, or one a line), blocks in \
RLP, and Parquet with the columns of amp or cryo. Content tells which.

Examples:
  gecc ethereum senders era1/
  gecc ethereum senders -o senders.parquet ethereum__transactions__*.parquet
  gecc ethereum senders --only-rejected --state done.txt -o rejected.jsonl era1/

Output: {\"block\":1,\"hash\":\"0x…\",\"type\":\"EIP-1559\",\"from\":\"0x…\",\"valid\":true}, one line for each transaction and for each \
authorization of EIP-7702, which has its number as `authorization`. Where the signature does not hold, `valid` is false and `reason` says \
why. Where what was signed cannot be told, since the transaction's hash does not come out, `valid` is null.

",
    chain_help!()
);

#[derive(Subcommand)]
pub enum EthereumCommand {
    /// Recover who sent transactions, and compare with what the source says.
    #[command(after_help = SENDERS_HELP)]
    Senders(SendersOptions),
}

#[derive(Args)]
pub struct SendersOptions {
    /// The first block [default: all].
    #[arg(long, value_name = "NUMBER")]
    pub from: Option<u64>,
    /// The last block [default: all].
    #[arg(long, value_name = "NUMBER")]
    pub to: Option<u64>,
    /// The chain that transactions have to be for, such as 1, where they say one [default: any].
    #[arg(long, value_name = "NUMBER")]
    pub chain_id: Option<u64>,
    #[command(flatten)]
    pub chain: ChainOptions,
}

#[derive(Args)]
pub struct ChainOptions {
    /// Files and folders.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Output file [default: standard output].
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Wait until the output file and its name are on the disk, so that a loss of power loses neither.
    #[arg(long, requires = "output")]
    pub sync: bool,
    /// Format of the answers [default: by the end of the output's name, .parquet or .arrow, or else JSON Lines].
    #[arg(long, value_enum)]
    pub output_format: Option<AnswerFormat>,
    /// Write the answers only of what is rejected or was not checked.
    #[arg(long)]
    pub only_rejected: bool,
    /// A file that notes which input files are done. Those that it names are left out.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Print no summary and no progress.
    #[arg(long)]
    pub quiet: bool,
    #[command(flatten)]
    pub engine: EngineOptions,
}

impl ChainOptions {
    /// The format of the answers.
    pub fn answers(&self) -> AnswerFormat {
        format_by_name(self.output_format, self.output.as_deref())
    }
}
