//! The kernels as structs, one for each signature in `cuda/kernels/`: a field for every argument, `launch` to start it.
//!
//! The fields of a kernel's struct have the names of its parameters and the types of what they hold, so that what is
//! swapped, left out or something else does not compile. `build.rs` writes them (`cuda/emit_launchers.rs`).

use super::columns::{self, Column, NextTile, ThreadTables};
use super::runtime::{Fault, NO_CURVE, Plan, Stream, Unit};

pub use launchers::*;

/// What `build.rs` wrote.
mod launchers {
    #![allow(dead_code, reason = "some block sizes and lists are for tests and measurements alone")]
    use super::columns::{self, Column};
    use crate::gpu::runtime::{Argument, Fault, Grid, NO_CURVE, Stream, Unit};
    include!(concat!(env!("OUT_DIR"), "/launchers.rs"));
}

/// Bytes of table that each thread of a multiplication by windows needs.
const WINDOW_TABLE: usize = 384 * 4;

/// What a multiplication by windows takes beside its items: the scratch of its tables, and the word by which blocks
/// take their tiles.
#[derive(Clone, Copy, Debug)]
pub struct WindowScratch {
    pub tables: Column<ThreadTables>,
    pub next_tile: Column<NextTile>,
}

impl WindowScratch {
    pub fn new(plan: &mut Plan) -> Self {
        // All of these kernels have as many threads.
        let threads = (UpmulVar::BLOCKS * UpmulVar::BLOCK) as usize * plan.multiprocessors();
        WindowScratch { tables: plan.buffer(threads * WINDOW_TABLE), next_tile: plan.buffer(4) }
    }

    /// No tile is taken yet.
    pub fn reset(&self, stream: &mut Stream) -> Result<(), Fault> {
        stream.fill(self.next_tile, 0, 4)
    }
}

/// Entries of the table for secret scalars (`cuda/kernels/uniform_table.cuh`).
pub const UNIFORM_ENTRIES: usize = 29 * 256;

/// The kernel for numbers of this many bits, of those that a macro makes.
pub fn of_size(kernels: &[(&'static str, &'static str)], bits: usize) -> (Unit, &'static str) {
    let of_size = |(_, name): &&(&str, &'static str)| name.rsplit('_').next() == Some(&bits.to_string());
    let (file, name) = kernels.iter().find(of_size).expect("the public calls take no other size");
    (Unit::of(file, NO_CURVE), name)
}

/// Threads that share an item of a modular exponentiation.
pub fn modexp_lanes(bits: usize) -> u64 {
    if bits == 1024 { 4 } else { 8 }
}

#[cfg(test)]
#[path = "../../cuda/emit_launchers.rs"]
mod emit_launchers;
