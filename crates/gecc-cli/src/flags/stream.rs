//! Where items come from and answers go.

use super::engine::EngineOptions;
use crate::input::binary::layout::Layout;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What the help of every command that reads items ends with.
macro_rules! input_help {
    () => {
        "\
Input is JSON Lines or CSV with a header, a JSON array of objects, or columns between tabs or semicolons, told apart by
content. Binary fields are hexadecimal, with or without 0x. A line that cannot be used gets its own answer and stops
nothing; blank lines are skipped; `tag` is passed through. The answer to an item that is rejected says its `line`.
An output file gets its name when all answers are in it.

Exit codes: 0 every item passed, 1 some were rejected, 2 the call could not run, 130 interrupted, 141 closed pipe."
    };
}
pub(super) use input_help;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// JSON Lines: one object a line.
    Jsonl,
    /// Values between commas, tabs or semicolons, with a header that tells which.
    Csv,
    /// Rows of bytes, as `--layout` says.
    Rows,
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
    /// The fields of each row and their bytes, such as digest:32,public_key:33,signature:64; `skip` for what is none.
    #[arg(long, value_name = "FIELD:BYTES,…", required_if_eq("format", "rows"))]
    pub layout: Option<Layout>,
    /// Say in every answer which line the item began in, not only where it is rejected.
    #[arg(long)]
    pub line: bool,
    /// Write the answers of rejected items only.
    #[arg(long)]
    pub only_rejected: bool,
    /// Stop at the first item that is rejected, with exit code 1.
    #[arg(long)]
    pub check: bool,
    /// Print no summary and no progress.
    #[arg(long)]
    pub quiet: bool,
    #[command(flatten)]
    pub engine: EngineOptions,
}

impl StreamOptions {
    /// Refuses options that do not go together.
    pub fn check_formats(&self) -> Result<(), String> {
        if self.layout.is_some() && self.format != Some(Format::Rows) {
            return Err("--layout goes with --format rows".to_owned());
        }
        Ok(())
    }
}
