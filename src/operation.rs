//! The interface between operations and the engine. An operation defines its input and output
//! columns, its CPU implementation, its GPU kernels with their memory, and the batch size above
//! which a GPU is faster ([`Computation`]).

use crate::cpu::CpuEngine;
pub(crate) use crate::gpu::{Computation, CpuComputation, GpuThreshold};

/// A batch with a single result. Its items are the parts of the batch, whose results are combined.
pub(crate) trait Reduction: Computation {
    type Output;

    /// Returns the result, computed from the codes and rows of all parts.
    fn combine(&self, cpu: &CpuEngine, codes: &[u8], rows: &[[u8; 64]]) -> Self::Output;
}
