//! Results of the self-tests of a device's kernels.

use crate::gpu::interface::FaultKind;
use crate::gpu::runtime::Fault;
use crate::host::lock;
use std::collections::HashMap;
use std::sync::Mutex;

/// An operation, and the curve or size of modulus on which it was tested.
type TestKey = (&'static str, &'static str);

/// Outcomes of the self-tests of operations on one device.
#[derive(Debug, Default)]
pub struct SelfTestResults(Mutex<HashMap<TestKey, Result<(), Fault>>>);

impl SelfTestResults {
    /// Runs a self-test unless its outcome is known. Stream slots that arrive at the same time may
    /// all run it: none waits for another.
    ///
    /// # Errors
    /// A wrong answer, which is recorded and returned immediately from then on; or the reason why
    /// the test could not run, in which case the next caller tries again.
    pub fn pass(
        &self,
        test: TestKey,
        run: impl FnOnce() -> Result<(), Fault>,
    ) -> Result<(), Fault> {
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
        let results = lock(&self.0);
        let mut problems: Vec<String> = results
            .values()
            .filter_map(|result| Some(result.as_ref().err()?.problem.clone()))
            .collect();
        problems.sort_unstable();
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const TEST: TestKey = ("nothing", "numbers");

    #[test]
    fn self_test_that_has_passed_is_not_run_again() {
        let results = SelfTestResults::default();
        let runs = Cell::new(0);
        // A fault that prevents a test does not determine its outcome.
        for new_fault in [Fault::memory, Fault::kernels, Fault::device] {
            let fault = new_fault("none".to_owned());
            let result = results.pass(TEST, || {
                runs.set(runs.get() + 1);
                Err(fault.clone())
            });
            assert_eq!(result, Err(fault));
        }
        for _ in 0..2 {
            let result = results.pass(TEST, || {
                runs.set(runs.get() + 1);
                Ok(())
            });
            assert_eq!(result, Ok(()));
        }
        assert_eq!(runs.get(), 4);
        assert!(results.problems().is_empty());
    }

    #[test]
    fn wrong_answer_is_final() {
        let results = SelfTestResults::default();
        assert_eq!(results.pass(TEST, wrong_answer), wrong_answer());
        assert_eq!(results.pass(TEST, || Ok(())), wrong_answer());
        // Another curve is another test.
        assert_eq!(results.pass(("nothing", "p256"), || Ok(())), Ok(()));
        assert_eq!(results.problems(), ["item 3 is wrong"]);
    }

    /// Two stream slots run the test at the same time, and one gets a wrong answer.
    #[test]
    fn wrong_answer_on_one_slot_outweighs_success_on_another() {
        let results = SelfTestResults::default();
        let success = results.pass(TEST, || {
            assert_eq!(results.pass(TEST, wrong_answer), wrong_answer());
            Ok(())
        });
        assert_eq!(success, Ok(()));
        assert_eq!(results.pass(TEST, || Ok(())), wrong_answer());
    }

    fn wrong_answer() -> Result<(), Fault> {
        Err(Fault::answers("item 3 is wrong".to_owned()))
    }
}
