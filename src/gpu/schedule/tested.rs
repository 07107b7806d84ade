//! Results of the self-tests of a device's kernels.

use crate::gpu::runtime::Fault;
use crate::gpu::terms::FaultKind;
use crate::host::lock;
use std::collections::HashMap;
use std::sync::Mutex;

/// An operation, and the curve or size of modulus on which it was tested.
pub type Key = (&'static str, &'static str);

/// Outcomes of the self-tests of operations on one device.
#[derive(Debug, Default)]
pub struct Tested(Mutex<HashMap<Key, Result<(), Fault>>>);

impl Tested {
    /// Runs a self-test unless its outcome is known. Stream slots that arrive at the same time may
    /// all run it: none waits for another.
    ///
    /// # Errors
    /// A wrong answer, which is recorded and returned immediately from then on; or the reason why
    /// the test could not run, in which case the next caller tries again.
    pub fn pass(&self, test: Key, run: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
        if let Some(result) = lock(&self.0).get(&test) {
            return result.clone();
        }
        let result = run();
        match &result {
            Err(fault) if fault.kind != FaultKind::Answers => {}
            // One wrong answer is enough, whatever the outcome on other stream slots.
            Err(_) => _ = lock(&self.0).insert(test, result.clone()),
            Ok(()) => _ = lock(&self.0).entry(test).or_insert(Ok(())),
        }
        result
    }

    /// Returns a description of every wrong answer.
    pub fn problems(&self) -> Vec<String> {
        let tested = lock(&self.0);
        let mut problems: Vec<String> =
            tested.values().filter_map(|result| Some(result.as_ref().err()?.problem.clone())).collect();
        problems.sort_unstable();
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const TEST: Key = ("nothing", "numbers");

    #[test]
    fn tests_are_run_once() {
        let tested = Tested::default();
        let runs = Cell::new(0);
        let run = |result: Result<(), Fault>| {
            tested.pass(TEST, || {
                runs.set(runs.get() + 1);
                result
            })
        };
        // A fault that prevents a test does not determine its outcome.
        let none = || "none".to_owned();
        for fault in [Fault::memory(none()), Fault::kernels(none()), Fault::device(none())] {
            assert_eq!(run(Err(fault.clone())), Err(fault));
        }
        assert_eq!((run(Ok(())), run(Ok(())), runs.get()), (Ok(()), Ok(()), 4));
        assert!(tested.problems().is_empty());
    }

    #[test]
    fn wrong_answers_are_not_forgotten() {
        let tested = Tested::default();
        let wrong = || Err(Fault::answers("item 3 is wrong".to_owned()));
        assert_eq!(tested.pass(TEST, wrong), wrong());
        assert_eq!(tested.pass(TEST, || Ok(())), wrong());
        // Another curve is another test.
        assert_eq!(tested.pass(("nothing", "p256"), || Ok(())), Ok(()));
        assert_eq!(tested.problems(), ["item 3 is wrong"]);
        // Two stream slots run the test at the same time, and one gets a wrong answer.
        let tested = Tested::default();
        let both = tested.pass(TEST, || {
            assert_eq!(tested.pass(TEST, wrong), wrong());
            Ok(())
        });
        assert_eq!((both, tested.pass(TEST, || Ok(()))), (Ok(()), wrong()));
    }
}
