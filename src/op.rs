//! What an operation is to the engine. Each says everything of itself once: its columns in and out, its function on the
//! CPU, its launches on a GPU with the memory that these take, and from which size a GPU pays.

use crate::cpu::CpuEngine;
use crate::gpu::OnGpu;
use crate::types::Place;
use std::ops::Range;

/// A batch with one result per item.
pub(crate) trait Computation: OnGpu {
    /// From which size a GPU pays.
    fn worth(&self) -> Worth;

    /// Whether GPUs have no code for it: then the CPU computes it, whatever the engine was asked to use.
    fn is_for_cpu_alone(&self) -> bool {
        false
    }

    /// Has the results of some items put in their places, by the CPU.
    fn on_cpu(&self, cpu: &CpuEngine, items: Range<usize>, out: &mut dyn Place);
}

/// A batch with one result over all of it: the items are parts of the batch, whose results are combined.
pub(crate) trait Reduction: Computation {
    type Output;

    /// The result, from the codes and rows of all parts.
    fn combine(&self, cpu: &CpuEngine, codes: &[u8], rows: &[[u8; 64]]) -> Self::Output;
}

/// How many items one thread of the CPU computes before a GPU has computed as many for all threads: with the portable
/// code, and eight at a time. From that many items a thread on, a batch is worth a GPU (docs/performance.md).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Worth {
    pub portable: usize,
    pub lanes: usize,
}

impl Worth {
    /// Where the CPU has but one way.
    pub(crate) const fn of(items: usize) -> Self {
        Worth { portable: items, lanes: items }
    }
}
