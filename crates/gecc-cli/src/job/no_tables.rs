//! In place of `tables`, where the command is built without Parquet and Arrow.

use super::Operation;
use super::run::Started;
use crate::flags::{Format, StreamOptions};
use crate::input::open::Input;
use crate::output::Failure;

/// No table is ever opened.
pub enum TableInput {}

/// Whether the input is a table.
pub enum Opened {
    #[expect(dead_code, reason = "no table is ever opened")]
    Table(TableInput),
    Other(Input),
}

pub fn open(input: Input, options: &StreamOptions) -> Result<Opened, String> {
    match options.format {
        Some(Format::Parquet | Format::Arrow) => Err("this gecc was built without Parquet and Arrow".to_owned()),
        _ => Ok(Opened::Other(input)),
    }
}

pub fn run<O: Operation>(_: &O, table: TableInput, _: &StreamOptions, _: Started) -> Result<u8, Failure> {
    match table {}
}
