//! Where items come from and answers go.

use crate::input::binary::layout::Layout;
use clap::{Args, ValueEnum};
use gecc_cli::engine::EngineOptions;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What the help of every command that reads items ends with.
macro_rules! input_help {
    () => {
        "\
Input is text: JSON Lines or CSV with a header, a JSON array of objects, or columns between tabs or semicolons, with binary \
fields in hexadecimal, with or without 0x. Or it is Parquet or Arrow IPC, whose columns are found by name or said by --columns, \
or rows of bytes as --layout says. Content tells the format; rows have to be named (--format rows), and Arrow that comes through \
a pipe (--format arrow). Text and rows may be compressed by gzip or zstd.

An item that cannot be used gets its own answer and stops nothing; blank lines are skipped; `tag` of text is passed through. The \
answer to an item that is rejected says its `line`, or its `row` where there are no lines, counted from 1. An output file gets \
its name when all answers are in it.

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
    /// Parquet.
    Parquet,
    /// Arrow IPC, a file or a stream.
    Arrow,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// JSON Lines: one object for each item.
    Jsonl,
    /// Parquet, compressed by zstd.
    Parquet,
    /// Arrow IPC, compressed by zstd.
    Arrow,
}

#[derive(Args)]
pub struct StreamOptions {
    /// Input file, or - for standard input.
    #[arg(default_value = "-")]
    pub input: PathBuf,
    /// Output file [default: standard output].
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Wait until the output file and its name are on the disk, so that a loss of power loses neither.
    #[arg(long, requires = "output")]
    pub sync: bool,
    /// Input format [default: told by content].
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// The fields of each row and their bytes, such as digest:32,public_key:33,signature:64; `skip` for what is none.
    #[arg(long, value_name = "FIELD:BYTES,…", required_if_eq("format", "rows"))]
    pub layout: Option<Layout>,
    /// The columns of a Parquet or Arrow input, such as digest=hash,r=r,s=s,public_key=pk [default: found by name].
    #[arg(long, value_name = "FIELD=COLUMN,…")]
    pub columns: Option<String>,
    /// Format of the answers [default: by the end of the output's name, .parquet or .arrow, or else JSON Lines].
    #[arg(long, value_enum)]
    pub output_format: Option<AnswerFormat>,
    /// Write Parquet or Arrow with the input's columns beside the answers; for Parquet or Arrow input.
    #[arg(long)]
    pub beside: bool,
    /// Say in every answer which line the item began in, or which row it is, not only where it is rejected.
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

/// The format that was asked for, or that the output's name tells.
pub fn format_by_name(format: Option<AnswerFormat>, output: Option<&Path>) -> AnswerFormat {
    format.unwrap_or(match output.and_then(Path::extension).and_then(OsStr::to_str) {
        Some("parquet") => AnswerFormat::Parquet,
        Some("arrow") => AnswerFormat::Arrow,
        _ => AnswerFormat::Jsonl,
    })
}

impl StreamOptions {
    /// The format of the answers.
    pub fn answers(&self) -> AnswerFormat {
        format_by_name(self.output_format, self.output.as_deref())
    }

    /// Refuses options that do not go together, and with what was found of the input.
    pub fn check_formats(&self, is_table: bool) -> Result<(), String> {
        let writes_lines = self.answers() == AnswerFormat::Jsonl;
        let refusals = [
            (self.layout.is_some() && self.format != Some(Format::Rows), "--layout goes with --format rows"),
            (self.columns.is_some() && !is_table, "--columns goes with Parquet or Arrow input"),
            (
                !writes_lines && cfg!(not(feature = "arrow")),
                "this gecc was built without Parquet and Arrow: answers are JSON Lines",
            ),
            (self.beside && writes_lines, "--beside goes with answers in Parquet or Arrow, such as -o FILE.parquet"),
            (self.beside && !is_table, "--beside goes with Parquet or Arrow input, whose columns it keeps"),
        ];
        refusals.iter().find(|(is_wrong, _)| *is_wrong).map_or(Ok(()), |(_, problem)| Err((*problem).to_owned()))
    }
}
