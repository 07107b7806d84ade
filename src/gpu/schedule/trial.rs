//! Self-tests of operations with known answers, on each device before it is used.
//!
//! Kernels are compiled by whatever NVRTC is installed. The self-tests keep a miscompiled kernel
//! from producing a wrong verdict: if an answer differs from the known one, the operation is
//! disabled on that device. Each operation lists its tests (`OnGpu::tests`), which together run
//! every kernel that it launches.

use super::deliver::{self, Chunk};
use super::lane::Lane;
use super::operation::{OnGpu, Running, Test, Trial};
use crate::cpu::CpuEngine;
use crate::curve::CurveId;
use crate::gpu::runtime::{Bytes, Fault};
use crate::host::notes;
use crate::known_answers;
use crate::types::{Place, Results, collect};

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
            deliver::compute(running, chunk)?;
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
            let _noted = notes::span("test before use", 0);
            (test.run)(&mut Trial { test: *test, lane, cpu, most })
        };
        kept.tested.pass((test.operation, test.on), run)
    })
}
