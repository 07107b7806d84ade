//! One call that is timed.

use super::operations::{Case, Outcome};
use super::timing::{median, timed};
use crate::failure::Failure;
use gecc::Engine;
use std::ops::Range;

/// A call whose results are compared, and freed, outside the measured time.
pub struct Checked<'a> {
    /// The operation.
    pub case: &'a Case<'a>,
    /// The expected results of all items.
    pub expected: &'a Outcome,
    /// The items of the call.
    pub range: Range<usize>,
}

impl Checked<'_> {
    /// Seconds by the clock.
    ///
    /// # Errors
    /// Where the call fails, or gives other results.
    pub fn run(&self, engine: &Engine) -> Result<f64, Failure> {
        let (outcome, seconds) = timed(|| self.case.values(engine, self.range.clone()));
        self.require(self.expected.agrees(&self.range, &outcome?), seconds)
    }

    /// The median of some runs.
    ///
    /// # Errors
    /// As for [`Checked::run`].
    pub fn seconds(&self, engine: &Engine) -> Result<f64, Failure> {
        Ok(median(|| Ok((self.run(engine)?, ())))?.seconds)
    }

    /// The seconds of a call, whose results have to be the expected ones.
    ///
    /// # Errors
    /// Where they are not the same.
    pub fn require(&self, same: bool, seconds: f64) -> Result<f64, Failure> {
        if same {
            return Ok(seconds);
        }
        let (operation, curve, items) = (self.case.operation.name(), self.case.curve(), self.range.len());
        Err(Failure::Problem(format!("{operation} on {curve}: wrong results in a batch of {items}")))
    }
}
