//! Measurements of the public operations: random inputs, calls whose results are checked, and medians.

mod checked;
mod flags;
pub mod inputs;
pub mod operations;
mod rate;
pub mod samples;
pub mod schemes;
pub mod timing;

pub use checked::Checked;
pub use flags::BatchOptions;
pub use operations::PublicCall;
pub use rate::rate;

use crate::failure::Failure;
use gecc::{Backend, Engine};
use operations::{Case, Outcome, check_sample};

/// Items in a batch where nothing else is asked for.
const CPU_ITEMS: usize = 1 << 14;
const GPU_ITEMS: usize = 1 << 20;

/// Items in a batch of an engine where nothing else is asked for.
pub fn default_items(engine: &Engine) -> usize {
    if engine.info().backend == Backend::Gpu { GPU_ITEMS } else { CPU_ITEMS }
}

/// A case whose results for all items are there, and agree in samples with those of another engine.
pub struct Measured<'a> {
    case: &'a Case<'a>,
    engine: &'a Engine,
    expected: Outcome,
}

impl<'a> Measured<'a> {
    /// This call warms up too: it allocates what the largest batch needs.
    pub fn new(case: &'a Case, engine: &'a Engine, reference: &Engine) -> Result<Self, Failure> {
        let expected = case.expected(engine, reference)?;
        check_sample(case, reference, &expected)?;
        Ok(Measured { case, engine, expected })
    }

    /// The median time of calls on the first items, whose results are values.
    pub fn seconds(&self, items: usize) -> Result<f64, Failure> {
        let call = Checked { case: self.case, columns: None, expected: &self.expected, range: 0..items };
        Ok(timing::median(|| Ok((call.run(self.engine)?, ())))?.seconds)
    }
}
