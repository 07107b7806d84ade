//! Replacement for tables in builds without Parquet.

use super::Piece;
use crate::flow::PieceSink;
use crate::limits::Limits;
use crate::problem::{FilePosition, Problem};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Returns whether a file that begins like this is a table.
pub fn begins(first: &[u8]) -> bool {
    first.starts_with(b"PAR1")
}

/// Returns an error: tables are not supported in this build.
pub fn read(
    path: &Arc<Path>,
    _length: u64,
    _limits: &Limits,
    _hand_on: &mut PieceSink<Piece>,
) -> Result<ControlFlow<()>, Problem> {
    let problem =
        "this gecc was built without Parquet, which archives, wheels and `--features arrow` have";
    Err(Problem::new(path, FilePosition::Whole, problem))
}
