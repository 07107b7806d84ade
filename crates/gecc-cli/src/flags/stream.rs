//! Where items come from and answers go.

use super::engine::EngineOptions;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What the help of every command that reads items ends with.
macro_rules! input_help {
    () => {
        "\
Input is JSON Lines or CSV with a header, told apart by content. Binary fields are hexadecimal, with or without 0x.
A line that cannot be used gets its own answer and stops nothing; blank lines are skipped; `tag` is passed through.

Exit codes: 0 every item passed, 1 some were rejected, 2 the call could not run."
    };
}
pub(super) use input_help;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// JSON Lines: one object a line.
    Jsonl,
    /// Comma-separated values with a header.
    Csv,
}

#[derive(Args)]
pub struct StreamOptions {
    /// Input file, or - for standard input.
    #[arg(default_value = "-")]
    pub input: PathBuf,
    /// Output file [default: standard output].
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Input format [default: told by content].
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    #[command(flatten)]
    pub engine: EngineOptions,
}
