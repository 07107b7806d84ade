//! Replaces `tables` in builds without Parquet and Arrow.

use super::lines::LineSelection;
use super::state::{JobEnd, StartedJob};
use super::tally::Tally;
use crate::WITHOUT_TABLES;
use crate::flags::{Format, StreamOptions};
use crate::input::open::Input;
use crate::output::Output;
use std::path::Path;
use std::sync::Arc;

/// An uninhabited type, since tables cannot be opened.
pub enum TableInput {}

/// The result of opening an input that may be a table.
pub enum Opened {
    #[expect(dead_code, reason = "no table is ever opened")]
    Table(TableInput),
    Other(Input),
}

/// An uninhabited type, since tables cannot be opened.
pub enum ReadyTable {}

pub fn open(input: Input, _: &Path, options: &StreamOptions) -> Result<Opened, String> {
    match options.format {
        Some(Format::Parquet | Format::Arrow) => Err(WITHOUT_TABLES.to_owned()),
        _ => Ok(Opened::Other(input)),
    }
}

impl ReadyTable {
    pub fn takes(&self, table: &TableInput) -> bool {
        match *table {}
    }

    pub fn add(&mut self, _: Arc<str>, table: TableInput) {
        match table {}
    }
}

pub fn ready(_: &StartedJob, _: Arc<str>, table: TableInput) -> Result<ReadyTable, String> {
    match table {}
}

pub fn answer(
    _: &StartedJob,
    table: ReadyTable,
    _: &LineSelection,
    _: Output,
    _: &mut Tally,
) -> (JobEnd, Output) {
    match table {}
}
