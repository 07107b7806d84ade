//! What is known of the answers of a device's kernels.

use super::lock;
use crate::gpu::runtime::{Fault, FaultKind};
use std::collections::HashMap;
use std::sync::Mutex;

/// An operation, and what it was tested on.
pub type Key = (&'static str, &'static str);

/// What came of tests.
type Outcomes = HashMap<Key, Result<(), Fault>>;

/// What is known of the operations on one device.
#[derive(Debug, Default)]
pub struct Tested(Mutex<Outcomes>);

impl Tested {
    /// Runs a test unless that was done. Lanes that come at the same time may all run it: none waits for another.
    ///
    /// # Errors
    /// The wrong answer, at once the next time; or why the test could not be run, and then the next one tries again.
    pub fn pass(&self, test: Key, run: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
        if let Some(result) = lock(&self.0).get(&test) {
            return result.clone();
        }
        let result = run();
        match &result {
            Err(fault) if fault.kind != FaultKind::Answers => {}
            // One wrong answer is enough, whatever others got.
            Err(_) => _ = lock(&self.0).insert(test, result.clone()),
            Ok(()) => _ = lock(&self.0).entry(test).or_insert(Ok(())),
        }
        result
    }

    /// Wrong answers.
    pub fn problems(&self) -> Vec<String> {
        let tested = lock(&self.0);
        let mut problems: Vec<String> =
            tested.values().filter_map(|result| Some(result.as_ref().err()?.problem.clone())).collect();
        problems.sort_unstable();
        problems
    }
}
