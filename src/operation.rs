//! The interface between operations and the engine. An operation defines its input and output
//! columns, its CPU implementation, its GPU kernels with their memory, and the batch size above
//! which a GPU is faster.

use crate::cpu::CpuEngine;
use crate::gpu::OnGpu;
use crate::types::ResultSink;
use std::ops::Range;

/// A batch with one result per item.
pub(crate) trait Computation: OnGpu {
    /// Returns the batch size above which a GPU is faster.
    fn gpu_threshold(&self) -> GpuThreshold;

    /// Returns `true` if there are no kernels for the operation. It is then computed on the CPU,
    /// whichever backend the engine was configured to use.
    fn is_for_cpu_alone(&self) -> bool {
        false
    }

    /// Computes a range of items on the CPU and writes every result to its position.
    fn compute_on_cpu(&self, cpu: &CpuEngine, items: Range<usize>, out: &mut ResultSink);
}

/// A batch with a single result. Its items are the parts of the batch, whose results are combined.
pub(crate) trait Reduction: Computation {
    type Output;

    /// Returns the result, computed from the codes and rows of all parts.
    fn combine(&self, cpu: &CpuEngine, codes: &[u8], rows: &[[u8; 64]]) -> Self::Output;
}

/// The batch size, in items per CPU thread, above which a GPU finishes sooner
/// (docs/performance.md). It differs between the portable CPU code and the vector code, which
/// computes eight items at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GpuThreshold {
    pub portable: usize,
    pub simd: usize,
}

impl GpuThreshold {
    /// Returns the threshold of an operation with a single CPU implementation.
    pub(crate) const fn of(items: usize) -> Self {
        GpuThreshold {
            portable: items,
            simd: items,
        }
    }
}
