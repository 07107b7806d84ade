//! Self-tests of operations with known answers, on each device before it is used.
//!
//! Kernels are compiled by whatever NVRTC is installed. The self-tests keep a miscompiled kernel
//! from producing a wrong verdict: if an answer differs from the known one, the operation is
//! disabled on that device. Each operation lists its tests (`Computation::self_tests`), which
//! together run every kernel that it launches.

use super::execution::{self, Chunk};
use super::operation::{Computation, Running, SelfTest, SelfTestRun};
use super::stream_slot::StreamSlot;
use crate::cpu::CpuEngine;
use crate::curve::CurveId;
use crate::gpu::runtime::{Bytes, Fault};
use crate::host::trace;
use crate::known_answers;
use crate::types::{Results, Values};

impl SelfTestRun<'_> {
    /// Returns the curve on which the operation is tested.
    pub fn curve(&self) -> CurveId {
        self.test.on.parse().expect("a test on a curve")
    }

    /// Computes all items as one chunk, with one block of threads, and returns the results.
    pub fn compute<T: Send>(
        &mut self,
        operation: &dyn Computation,
        value: impl Fn(&Results, usize) -> T + Sync,
    ) -> Result<Vec<T>, Fault> {
        let before = self.slot.use_one_block(true);
        let results = self.compute_expecting(operation, value, operation.items());
        self.slot.use_one_block(before);
        results
    }

    /// Computes all items on the CPU and returns the results.
    pub fn compute_on_cpu<T: Send>(
        &self,
        operation: &dyn Computation,
        value: impl Fn(&Results, usize) -> T + Sync,
    ) -> Vec<T> {
        let items = operation.items();
        let mut values = Values::new(items, value);
        operation.compute_on_cpu(self.cpu, 0..items, &mut values.sink());
        // SAFETY: an operation on the CPU has results of every item.
        unsafe { values.into_vec() }
    }

    /// Computes the items on the whole device, as part of a batch with `expected` items still to
    /// come.
    fn compute_expecting<T: Send>(
        &mut self,
        operation: &dyn Computation,
        value: impl Fn(&Results, usize) -> T + Sync,
        expected: usize,
    ) -> Result<Vec<T>, Fault> {
        let SelfTestRun {
            slot, cpu, most, ..
        } = self;
        let items = operation.items();
        let mut values = Values::new(items, value);
        // An unanswered item keeps a result that differs from the known answer.
        let chunk = Chunk {
            operation,
            items: 0..items,
            most: *most,
            results: &mut values.sink(),
            completes_on_cpu: false,
        };
        let running = Running {
            slot,
            cpu,
            expected,
        };
        execution::compute(running, chunk)?;
        // Kernel times of self-tests are not reported.
        slot.forget_times();
        slot.end()?;
        // SAFETY: all results of a computed chunk have been taken.
        Ok(unsafe { values.into_vec() })
    }

    /// Compares the results with the known answers.
    pub fn compare<T: PartialEq>(
        &self,
        given: impl IntoIterator<Item = T>,
        known: impl IntoIterator<Item = T>,
    ) -> Result<(), Fault> {
        known_answers::compare(self.test.operation, self.test.on, given, known)
            .map_err(Fault::answers)
    }

    pub fn check<T: PartialEq + Send>(
        &mut self,
        operation: &dyn Computation,
        value: impl Fn(&Results, usize) -> T + Sync,
        known: Vec<T>,
    ) -> Result<(), Fault> {
        let given = self.compute(operation, value)?;
        self.compare(given, known)
    }

    /// Checks the codes of all items. `expected` is the number of items still to come in the batch,
    /// if it affects the computation.
    pub fn check_codes(
        &mut self,
        operation: &dyn Computation,
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
pub fn pass(
    slot: &mut StreamSlot,
    cpu: &CpuEngine,
    most: Bytes,
    tests: &[SelfTest],
) -> Result<(), Fault> {
    let cache = slot.cache.clone();
    tests.iter().try_for_each(|test| {
        cache.self_tests.pass((test.operation, test.on), || {
            let _span = trace::span("test before use", 0);
            (test.run)(&mut SelfTestRun {
                test: *test,
                slot,
                cpu,
                most,
            })
        })
    })
}
