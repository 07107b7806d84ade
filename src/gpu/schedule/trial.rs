//! Operations are tested by known answers on each device before they are used there.
//!
//! Kernels come from whatever NVRTC is installed. These tests stand between one that it compiled wrongly and a wrong
//! verdict: where an answer is not the known one, the operation is out of use on the device. Each operation names its
//! tests (`OnGpu::tests`), which together run every kernel that it starts.

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
    /// The curve that it is tested on.
    pub fn curve(&self) -> CurveId {
        self.test.on.parse().expect("a test on a curve")
    }

    /// Computes a chunk of all items and returns its results.
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

    /// Computes the items on the whole device, as part of a batch of which this many items are
    /// still to come.
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
            // An item without an answer has no known one.
            let chunk = Chunk { operation, items: 0..items, most: *most, place, on_cpu: &|_, _| () };
            deliver::compute(running, chunk)?;
            // Nobody has asked for the times of a test's kernels.
            lane.forget_times();
            lane.end()
        };
        // SAFETY: a chunk that is computed has had all its items taken.
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

    /// Checks codes. `expected` is the number of items still to come, if that matters.
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

/// Runs tests on a lane, unless its device has passed them.
///
/// # Errors
/// As for `Tested::pass`. Then the lane is not to be used again.
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
