//! The kernels as structs, one for each signature in `cuda/kernels/`, with a field per argument and
//! a method `launch`.
//!
//! The fields of a kernel's struct have the names of its parameters and the types of their
//! contents, so that swapped, missing or unrelated arguments do not compile. After a change of a
//! signature `cargo run -p gecc-codegen` writes them again.

use super::columns::{Column, EdwardsMultiples, NextTile, ThreadTables};
use super::runtime::{Fault, NO_CURVE, Plan, Stream, Unit};

/// Defines the struct of a kernel, with a field per parameter, and how it is launched. Types are
/// those in scope where the macro is called.
///
/// - `grid`: fields of the launch that are not parameters of the kernel.
/// - `on_a_curve`, `without_curve` or `one_of`: the kernel and its file, or several kernels with the
///   same parameters.
/// - `threads`: threads per block.
/// - `blocks`: blocks per multiprocessor, or `blocks_of`: the field with their number. Without these
///   there is one thread per item.
/// - `items`: the number of items, computed from the struct.
#[doc(hidden)]
#[cfg_attr(feature = "lab", macro_export)]
macro_rules! device_kernel {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident {
            $(pub $parameter:ident: $type:ty,)*
        }
        $(grid {
            $(pub $field:ident: $field_type:ty,)*
        })?
        $(on_a_curve: $curve_kernel:literal in $curve_file:literal,)?
        $(without_curve: $kernel:literal in $file:literal,)?
        $(one_of: [$($each_kernel:literal in $each_file:literal,)*],)?
        threads: $threads:literal,
        $(blocks: $blocks:literal,)?
        $(blocks_of: $blocks_field:ident,)?
        items: |$it:pat_param| $items:expr,
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            $(pub $parameter: $type,)*
            $($(pub $field: $field_type,)*)?
        }

        impl $name {
            /// Threads per block.
            pub const BLOCK: u32 = $threads;
            $(
                /// Blocks per multiprocessor.
                pub const BLOCKS: u32 = $blocks;
            )?
            $(
                /// Files and names of the kernels.
                pub const KERNELS: &[(&str, &str)] = &[$(($each_file, $each_kernel)),*];

                /// Starts one of the kernels.
                pub fn launch(
                    self,
                    stream: &mut Stream,
                    (unit, name): (Unit, &'static str),
                ) -> Result<(), Fault> {
                    assert!(
                        Self::KERNELS.contains(&(unit.file, name)),
                        "{name} has other parameters"
                    );
                    // SAFETY: it is one of the kernels.
                    unsafe { self.start(stream, unit, name) }
                }
            )?
            $(
                /// Starts the kernel.
                pub fn launch(self, stream: &mut Stream, curve: &'static str) -> Result<(), Fault> {
                    // SAFETY: it is the kernel.
                    unsafe { self.start(stream, Unit::of($curve_file, curve), $curve_kernel) }
                }
            )?
            $(
                /// Starts the kernel.
                pub fn launch(self, stream: &mut Stream) -> Result<(), Fault> {
                    // SAFETY: it is the kernel.
                    unsafe { self.start(stream, Unit::of($file, NO_CURVE), $kernel) }
                }
            )?

            /// Starts a kernel.
            ///
            /// # Safety
            /// The kernel's parameters are those of the struct, in this order and of these types.
            unsafe fn start(
                self,
                stream: &mut Stream,
                unit: Unit,
                name: &'static str,
            ) -> Result<(), Fault> {
                let blocks: &[u32] = &[$($blocks)? $(self.$blocks_field)?];
                let grid = match blocks {
                    [] => Grid::PerItem { block: Self::BLOCK },
                    [blocks, ..] => Grid::Resident {
                        block: Self::BLOCK,
                        blocks: *blocks,
                    },
                };
                let $it = &self;
                let items: u64 = $items;
                let arguments = [$(Argument::from(self.$parameter)),*];
                // SAFETY: promised by the caller.
                unsafe { stream.launch(unit, name, grid, items, &arguments) }
            }
        }
    };
}

pub use launchers::*;

#[allow(
    dead_code,
    reason = "some block sizes and lists are for tests and measurements alone"
)]
mod launchers;

/// Bytes of table that each thread of a windowed multiplication needs.
const WINDOW_TABLE: usize = 384 * 4;

/// The additional arguments of a windowed multiplication: scratch memory for its tables, and the
/// counter from which blocks claim tiles.
#[derive(Clone, Copy, Debug)]
pub struct WindowScratch {
    pub tables: Column<ThreadTables>,
    pub next_tile: Column<NextTile>,
}

impl WindowScratch {
    pub fn new(plan: &mut Plan) -> Self {
        // All of these kernels have the same number of threads.
        let threads = (UpmulVar::BLOCKS * UpmulVar::BLOCK) as usize * plan.multiprocessors();
        WindowScratch {
            tables: plan.buffer(threads * WINDOW_TABLE),
            next_tile: plan.buffer(4),
        }
    }

    /// Resets the tile counter.
    pub fn reset(&self, stream: &mut Stream) -> Result<(), Fault> {
        stream.fill(self.next_tile, 0, 4)
    }
}

/// Bytes of the multiples that each thread of a product of an Edwards point needs.
const EDWARDS_MULTIPLES: usize = 256 * 4;

/// The additional arguments of products of Edwards points by secrets: scratch memory for the
/// multiples of points, and the counter from which blocks claim tiles.
#[derive(Clone, Copy, Debug)]
pub struct EdwardsScratch {
    pub multiples: Column<EdwardsMultiples>,
    pub next_tile: Column<NextTile>,
}

impl EdwardsScratch {
    pub fn new(plan: &mut Plan) -> Self {
        let threads = (EdwardsMultiply::BLOCKS * EdwardsMultiply::BLOCK) as usize;
        EdwardsScratch {
            multiples: plan.buffer(threads * plan.multiprocessors() * EDWARDS_MULTIPLES),
            next_tile: plan.buffer(4),
        }
    }

    /// Resets the tile counter.
    pub fn reset(&self, stream: &mut Stream) -> Result<(), Fault> {
        stream.fill(self.next_tile, 0, 4)
    }
}

/// Entries of the table for secret scalars (`cuda/kernels/uniform_table.cuh`).
pub const UNIFORM_ENTRIES: usize = 29 * 256;

/// Returns the kernel of a macro-generated family for moduli of `bits` bits.
pub fn of_size(kernels: &[(&'static str, &'static str)], bits: usize) -> (Unit, &'static str) {
    let suffix = bits.to_string();
    let of_size = kernels
        .iter()
        .find(|(_, name)| name.rsplit('_').next() == Some(&suffix));
    let (file, name) = of_size.expect("the public calls take no other size");
    (Unit::of(file, NO_CURVE), name)
}

/// Returns the number of threads that share an item of a modular exponentiation.
pub fn modexp_lanes(bits: usize) -> u64 {
    if bits == 1024 { 4 } else { 8 }
}
