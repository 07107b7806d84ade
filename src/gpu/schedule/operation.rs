//! The interface between operations and the engine.

use super::stream_slot::StreamSlot;
use crate::cpu::CpuEngine;
use crate::gpu::runtime::{Bytes, Fault, Plan};
use crate::types::ResultSink;
use std::ops::Range;

/// A batch with one result per item: its computation on the CPU, its chunks on a GPU, and the batch
/// size above which a GPU is faster.
pub trait Computation: Sync {
    /// Returns the number of items of the batch.
    fn items(&self) -> usize;

    /// Returns the batch size above which a GPU is faster.
    fn gpu_threshold(&self) -> GpuThreshold;

    /// Returns `true` if there are no kernels for the operation. It is then computed on the CPU,
    /// whichever backend the engine was configured to use.
    fn is_for_cpu_alone(&self) -> bool {
        false
    }

    /// Computes a range of items on the CPU and writes every result to its position.
    fn compute_on_cpu(&self, cpu: &CpuEngine, items: Range<usize>, out: &mut ResultSink);

    /// Returns whether the memory of a chunk is wiped after use.
    fn is_secret(&self) -> bool {
        false
    }

    /// Returns the number of waves of the largest chunk. More waves reduce the share of a chunk's
    /// fixed costs; fewer overlap better with copies. Signing was equally fast with 2 to 6, and
    /// slower with more (docs/design/host.md).
    fn most_waves(&self) -> usize {
        6
    }

    /// Returns the maximum number of items per chunk, for operations that `most_waves` does not
    /// limit enough.
    fn most_items(&self) -> usize {
        usize::MAX
    }

    /// Returns the bytes of the variable-size data of some items. Batches are split evenly by these
    /// bytes as well.
    fn data_bytes(&self, _items: &Range<usize>) -> usize {
        0
    }

    /// Returns the curve and the kernel files, compiled for it, that the operation launches.
    fn kernels(&self) -> (&'static str, Vec<&'static str>);

    /// Returns the self-tests that the operation must pass on a device before the device computes a
    /// chunk of `items` items.
    fn self_tests(&self, items: usize) -> Vec<SelfTest>;

    /// Plans the buffers, inputs and outputs of a chunk and returns the function that launches its
    /// kernels. An item whose code is 0 afterwards is computed on the CPU.
    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a>;
}

/// An operation without kernels: a [`Computation`] that is for the CPU alone.
pub trait CpuComputation: Sync {
    /// Returns the number of items of the batch.
    fn items(&self) -> usize;

    /// Computes a range of items, as [`Computation::compute_on_cpu`] does.
    fn compute(&self, cpu: &CpuEngine, items: Range<usize>, out: &mut ResultSink);
}

impl<T: CpuComputation> Computation for T {
    fn items(&self) -> usize {
        CpuComputation::items(self)
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GpuThreshold::of(usize::MAX)
    }

    fn is_for_cpu_alone(&self) -> bool {
        true
    }

    fn compute_on_cpu(&self, cpu: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        self.compute(cpu, items, out);
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        unreachable!("{NO_KERNELS}")
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        unreachable!("{NO_KERNELS}")
    }

    fn plan_chunk<'a>(&'a self, _: &mut Plan<'a>, _: Range<usize>) -> Launch<'a> {
        unreachable!("{NO_KERNELS}")
    }
}

/// The reason why nothing about kernels is asked of a [`CpuComputation`].
const NO_KERNELS: &str = "the operation has no kernels: is_for_cpu_alone";

/// The batch size, in items per CPU thread, above which a GPU finishes sooner
/// (docs/performance.md). It differs between the portable CPU code and the vector code, which
/// computes eight items at a time.
#[derive(Clone, Copy, Debug)]
pub struct GpuThreshold {
    pub portable: usize,
    pub simd: usize,
}

impl GpuThreshold {
    /// Returns the threshold of an operation with a single CPU implementation.
    pub const fn of(items: usize) -> Self {
        GpuThreshold {
            portable: items,
            simd: items,
        }
    }
}

/// Launches the kernels of a chunk whose upload has been started.
pub type Launch<'a> = Box<dyn FnOnce(&mut Running) -> Result<(), Fault> + 'a>;

/// A chunk that is being computed.
pub struct Running<'a> {
    pub slot: &'a mut StreamSlot,
    pub cpu: &'a CpuEngine,
    /// Items that the device can still expect in this call, including those of this chunk.
    pub expected: usize,
}

/// Items of a self-test. A single block computes them, so that each thread has several, as in a
/// large batch.
pub const ITEMS: usize = 300;

/// A self-test of an operation.
#[derive(Clone, Copy)]
pub struct SelfTest {
    pub operation: &'static str,
    /// The curve, or the size of the modulus.
    pub on: &'static str,
    pub run: RunSelfTest,
}

/// Runs a self-test. Returns a fault if an answer is wrong.
pub type RunSelfTest = fn(&mut SelfTestRun) -> Result<(), Fault>;

impl SelfTest {
    pub const fn new(operation: &'static str, on: &'static str, run: RunSelfTest) -> Self {
        SelfTest { operation, on, run }
    }
}

/// A stream slot on which an operation is tested.
pub struct SelfTestRun<'a> {
    pub test: SelfTest,
    pub slot: &'a mut StreamSlot,
    pub cpu: &'a CpuEngine,
    /// The memory that the stream slot will need for the actual work.
    pub most: Bytes,
}
