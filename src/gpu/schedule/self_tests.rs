//! Self-tests of operations with known answers, on each device before it is used.
//!
//! Kernels are compiled by whatever NVRTC is installed. The self-tests keep a miscompiled kernel
//! from producing a wrong verdict: if an answer differs from the known one, the operation is
//! disabled on that device. Each operation lists its tests (`OnGpu::tests`), which together run
//! every kernel that it launches.

use super::execution::{self, Chunk};
use super::operation::{OnGpu, Running, Test, Trial};
use super::stream_slot::Lane;
use crate::cpu::CpuEngine;
use crate::curve::CurveId;
use crate::gpu::interface::FaultKind;
use crate::gpu::runtime::{Bytes, Fault};
use crate::host::{lock, trace};
use crate::known_answers;
use crate::types::{Place, Results, collect};
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
        let Trial { lane, cpu, most, .. } = self;
        let items = operation.items();
        let fill = |place: &mut dyn Place| {
            let running = Running { lane, cpu, expected };
            // An unanswered item keeps a result that differs from the known answer.
            let chunk = Chunk { operation, items: 0..items, most: *most, place, on_cpu: &|_, _| () };
            execution::compute(running, chunk)?;
            // Kernel times of self-tests are not reported.
            lane.forget_times();
            lane.end()
        };
        // SAFETY: when a chunk has been computed, all its items have been taken.
        unsafe { collect(items, value, fill) }
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
        let code = |results: &Results, item: usize| results.codes[item];
        let given = match expected {
            None => self.compute(operation, code)?,
            Some(expected) => self.compute_expecting(operation, code, expected)?,
        };
        self.compare(given, known)
    }
}

/// Runs those of the tests that the device has not passed yet, on one of its stream slots.
///
/// # Errors
/// The errors of `Tested::pass`. The stream slot must not be used afterwards.
pub fn pass(lane: &mut Lane, cpu: &CpuEngine, most: Bytes, tests: &[Test]) -> Result<(), Fault> {
    let kept = lane.kept.clone();
    tests.iter().try_for_each(|test| {
        let run = || {
            let _span = trace::span("test before use", 0);
            (test.run)(&mut Trial { test: *test, lane, cpu, most })
        };
        kept.tested.pass((test.operation, test.on), run)
    })
}

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
