//! A timed call whose results are checked.

use super::operations::{Case, OperationResults};
use gecc::Engine;
use gecc_cli::failure::Failure;
use gecc_cli::measure::timing::timed;
use std::ops::Range;

/// A call whose results are compared and freed outside the measured time.
pub struct CheckedCall<'a> {
    /// The operation.
    pub case: &'a Case<'a>,
    /// The expected results of all items.
    pub expected: &'a OperationResults,
    /// The items of the call.
    pub range: Range<usize>,
}

impl CheckedCall<'_> {
    /// Runs the call and returns its wall-clock time in seconds.
    ///
    /// # Errors
    /// Returns an error if the call fails or its results differ from the expected ones.
    pub fn run(&self, engine: &Engine) -> Result<f64, Failure> {
        let (outcome, seconds) = timed(|| self.case.values(engine, self.range.clone()));
        self.require(self.expected.agrees(&self.range, &outcome?), seconds)
    }

    /// Returns `seconds` if the results of the call were the expected ones.
    ///
    /// # Errors
    /// Returns an error if `same` is false.
    pub fn require(&self, same: bool, seconds: f64) -> Result<f64, Failure> {
        if same {
            return Ok(seconds);
        }
        let operation = self.case.operation.name();
        let curve = self.case.curve();
        let items = self.range.len();
        Err(Failure::Problem(format!(
            "{operation} on {curve}: wrong results in a batch of {items}"
        )))
    }
}
