//! One call that is timed.

use super::operations::{Case, Outcome, ResultRows};
use super::timing::{median, timed};
use crate::failure::Failure;
use gecc::Engine;
use std::cell::RefCell;
use std::ops::Range;

/// A call whose results are compared, and freed, outside the measured time.
pub struct Checked<'a> {
    /// The operation.
    pub case: &'a Case<'a>,
    /// Where results are written, for operations that can be asked to.
    pub columns: Option<&'a RefCell<ResultRows>>,
    /// Of all items.
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
        let written =
            self.columns.map(|columns| self.written(engine, &mut columns.borrow_mut())).transpose()?.flatten();
        let (same, seconds) = match written {
            Some(checked) => checked,
            None => {
                let (outcome, seconds) = timed(|| self.case.values(engine, self.range.clone()));
                (self.expected.agrees(&self.range, &outcome?), seconds)
            }
        };
        if same {
            return Ok(seconds);
        }
        let (operation, curve, items) = (self.case.operation.name(), self.case.curve(), self.range.len());
        Err(Failure::Problem(format!("{operation} on {curve}: wrong results in a batch of {items}")))
    }

    /// The median of some runs.
    ///
    /// # Errors
    /// As for [`Checked::run`].
    pub fn seconds(&self, engine: &Engine) -> Result<f64, Failure> {
        Ok(median(|| Ok((self.run(engine)?, ())))?.seconds)
    }

    /// Whether what the call writes into columns is right, and its seconds; `None` where it writes into none.
    fn written(&self, engine: &Engine, columns: &mut ResultRows) -> Result<Option<(bool, f64)>, Failure> {
        columns.clear();
        let (written, seconds) = timed(|| self.case.write(engine, self.range.clone(), columns));
        Ok(written?.then(|| (columns.agree(&self.range, self.expected), seconds)))
    }
}
