//! Self-tests of operations with known answers, on each device before it is used.
//!
//! Kernels are compiled by whatever NVRTC is installed. The self-tests keep a miscompiled kernel
//! from producing a wrong verdict: if an answer differs from the known one, the operation is
//! disabled on that device. Each operation lists its tests (`OnGpu::tests`), which together run
//! every kernel that it launches.

use super::execution::{self, Chunk};
use super::operation::{OnGpu, Running, Test, Trial};
use super::stream_slot::StreamSlot;
use crate::cpu::CpuEngine;
use crate::curve::CurveId;
use crate::gpu::interface::FaultKind;
use crate::gpu::runtime::{Bytes, Fault};
use crate::host::{lock, trace};
use crate::known_answers;
use crate::types::{Results, collect};
use std::collections::HashMap;
use std::sync::Mutex;

impl Trial<'_> {
    /// Returns the curve on which the operation is tested.
    pub fn curve(&self) -> CurveId {
        self.test.on.parse().expect("a test on a curve")
    }

    /// Computes all items as one chunk, with one block of threads, and returns the results.
    pub fn compute<T: Send>(
        &mut self,
        operation: &dyn OnGpu,
        value: impl Fn(&Results, usize) -> T + Copy + Send,
    ) -> Result<Vec<T>, Fault> {
        let before = self.lane.use_one_block(true);
        let results = self.compute_expecting(operation, value, operation.items());
        self.lane.use_one_block(before);
        results
    }

    /// Computes the items on the whole device, as part of a batch with `expected` items still to
    /// come.
    fn compute_expecting<T: Send>(
        &mut self,
        operation: &dyn OnGpu,
        value: impl Fn(&Results, usize) -> T + Copy + Send,
        expected: usize,
    ) -> Result<Vec<T>, Fault> {
        let Trial { lane: slot, cpu, most, .. } = self;
        let items = operation.items();
        // SAFETY: when a chunk has been computed, all its items have been taken.
        unsafe {
            collect(items, value, |place| {
                // An unanswered item keeps a result that differs from the known answer.
                let chunk = Chunk { operation, items: 0..items, most: *most, place, on_cpu: &|_, _| () };
                execution::compute(Running { lane: slot, cpu, expected }, chunk)?;
                // Kernel times of self-tests are not reported.
                slot.forget_times();
                slot.end()
            })
        }
    }

    /// Compares the results with the known answers.
    pub fn compare<T: PartialEq>(
        &self,
        given: impl IntoIterator<Item = T>,
        known: impl IntoIterator<Item = T>,
    ) -> Result<(), Fault> {
        known_answers::compare(self.test.operation, self.test.on, given, known).map_err(Fault::answers)
    }

    pub fn check<T: PartialEq + Send>(
        &mut self,
        operation: &dyn OnGpu,
        value: impl Fn(&Results, usize) -> T + Copy + Send,
        known: Vec<T>,
    ) -> Result<(), Fault> {
        let given = self.compute(operation, value)?;
        self.compare(given, known)
    }

    /// Checks the codes of all items. `expected` is the number of items still to come in the batch,
    /// if it affects the computation.
    pub fn check_codes(
        &mut self,
        operation: &dyn OnGpu,
        expected: Option<usize>,
        known: impl IntoIterator<Item = u8>,
    ) -> Result<(), Fault> {
        let given = match expected {
            None => self.compute(operation, code_of)?,
            Some(expected) => self.compute_expecting(operation, code_of, expected)?,
        };
        self.compare(given, known)
    }
}

fn code_of(results: &Results, item: usize) -> u8 {
    results.codes[item]
}

/// Runs those of the tests that the device has not passed yet, on one of its stream slots.
///
/// # Errors
/// The errors of `SelfTestResults::pass`. The stream slot must not be used afterwards.
pub fn pass(slot: &mut StreamSlot, cpu: &CpuEngine, most: Bytes, tests: &[Test]) -> Result<(), Fault> {
    let cache = slot.kept.clone();
    tests.iter().try_for_each(|test| {
        cache.self_tests.pass((test.operation, test.on), || {
            let _span = trace::span("test before use", 0);
            (test.run)(&mut Trial { test: *test, lane: slot, cpu, most })
        })
    })
}

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
    pub fn pass(&self, test: TestKey, run: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
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
        let mut problems: Vec<String> =
            results.values().filter_map(|result| Some(result.as_ref().err()?.problem.clone())).collect();
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
