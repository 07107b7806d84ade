//! Measurements of the public operations: random inputs, and calls with checked results.

mod checked;
mod flags;
pub mod inputs;
pub mod operations;

pub use checked::CheckedCall;
pub use flags::BatchOptions;
pub use operations::PublicCall;

use gecc::Error;
use gecc_cli::failure::Failure;
use std::ops::Range;

/// Fails with `problem` unless `same` holds for every range.
pub fn check_all(
    ranges: Vec<Range<usize>>,
    same: impl Fn(Range<usize>) -> Result<bool, Error>,
    problem: impl Fn() -> String,
) -> Result<(), Failure> {
    for range in ranges {
        if !same(range)? {
            return Err(Failure::Problem(problem()));
        }
    }
    Ok(())
}
