//! The interface between an operation and a GPU.

use super::lane::Lane;
use crate::cpu::CpuEngine;
use crate::gpu::runtime::{Bytes, Fault, Plan};
use std::ops::Range;

/// A batch that devices compute chunk by chunk.
pub trait OnGpu: Sync {
    /// Items of the batch.
    fn items(&self) -> usize;

    /// Returns whether a chunk's memory is wiped.
    fn is_secret(&self) -> bool {
        false
    }

    /// Waves of the largest chunk. More of them make less of what a chunk costs besides its items, fewer overlap better
    /// with copies: signing was as fast with 2 to 6, and slower with more (docs/design/host.md).
    fn most_waves(&self) -> usize {
        6
    }

    /// Items of the largest chunk, where that is not for waves to say.
    fn most_items(&self) -> usize {
        usize::MAX
    }

    /// The files of kernels that it starts, and the curve that they are compiled for.
    fn kernels(&self) -> (&'static str, Vec<&'static str>);

    /// Bytes of items that differ in size: by these, too, batches are cut evenly.
    fn data_bytes(&self, _items: &Range<usize>) -> usize {
        0
    }

    /// Returns the self-tests that the operation must pass on a device before it computes a chunk
    /// of this many items there.
    fn tests(&self, items: usize) -> Vec<Test>;

    /// Plans the buffers of the chunk of these items, what goes up and what comes down, and gives what happens between.
    /// An item whose code is 0 then is computed by the CPU.
    fn chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a>;
}

/// Starts the kernels of a chunk whose inputs are on their way.
pub type Launch<'a> = Box<dyn FnOnce(&mut Running) -> Result<(), Fault> + 'a>;

/// A chunk that is being computed.
pub struct Running<'a> {
    pub lane: &'a mut Lane,
    pub cpu: &'a CpuEngine,
    /// Items still to come to the device in this call, this chunk's included.
    pub expected: usize,
}

/// Items of a test. One block of threads computes them, so that its threads have several each, as in a large batch.
pub const ITEMS: usize = 300;

/// A test of an operation.
#[derive(Clone, Copy)]
pub struct Test {
    pub operation: &'static str,
    /// The curve, or the size of numbers.
    pub on: &'static str,
    pub run: fn(&mut Trial) -> Result<(), Fault>,
}

/// A lane on which an operation is tried.
pub struct Trial<'a> {
    pub test: Test,
    pub lane: &'a mut Lane,
    pub cpu: &'a CpuEngine,
    /// The memory that the stream slot will need for the work itself.
    pub most: Bytes,
}
