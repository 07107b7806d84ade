//! Measurements of kernels alone, on numbers that stay on the GPU: for benchmarks, not for programs that want results.
//!
//! Everything runs on the first GPU, by itself, timed by CUDA events, on fresh random inputs; outputs are poisoned
//! before and checked after. The public operations are measured through [`crate::EngineBuilder::time_kernels`] instead.

mod ablations;
pub(super) mod gpu;

use crate::curve::CurveId;
use crate::types::Error;
use std::fmt;

/// Arithmetic that the other operations are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arithmetic {
    /// Multiplications modulo p, each with the result of the one before.
    FieldMul,
    /// Squarings modulo p, likewise.
    FieldSquare,
    /// Multiplications modulo n, in Montgomery form, likewise.
    ScalarMul,
    /// Inversions modulo p that share their work.
    BatchInverse,
}

impl Arithmetic {
    /// All of them.
    pub const ALL: [Arithmetic; 4] =
        [Arithmetic::FieldMul, Arithmetic::FieldSquare, Arithmetic::ScalarMul, Arithmetic::BatchInverse];

    /// A short name: `field_mul`, `field_square`, `scalar_mul` or `batch_inverse`.
    pub fn name(self) -> &'static str {
        match self {
            Arithmetic::FieldMul => "field_mul",
            Arithmetic::FieldSquare => "field_square",
            Arithmetic::ScalarMul => "scalar_mul",
            Arithmetic::BatchInverse => "batch_inverse",
        }
    }

    /// Operations that a run makes on each item: chains are long enough that reading and writing the items does not
    /// count.
    pub fn operations_per_item(self) -> u64 {
        match self {
            Arithmetic::BatchInverse => 1,
            _ => u64::from(gpu::ROUNDS),
        }
    }
}

/// One operation on one batch of random numbers, on the GPU.
pub struct Bench(gpu::Work);

impl fmt::Debug for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bench({})", self.0.curve())
    }
}

impl Bench {
    /// Draws the numbers and copies them to the GPU.
    ///
    /// # Errors
    /// [`Error::NoDevice`] where there is no GPU, [`Error::Device`] where it fails, [`Error::Randomness`] when the
    /// operating system gives none.
    pub fn new(operation: Arithmetic, curve: CurveId, items: usize) -> Result<Self, Error> {
        if items == 0 {
            return Err(Error::InvalidOption { option: "items", problem: "0 items are no batch".to_owned() });
        }
        gpu::Work::new(operation, curve, items).map(Bench)
    }

    /// Seconds of the kernel, on the same numbers every time. The first run warms up.
    ///
    /// # Errors
    /// [`Error::Device`] where the GPU fails.
    pub fn run(&mut self) -> Result<f64, Error> {
        Ok(self.0.run()?)
    }

    /// Compares the results of the last run with the CPU's: every inverse, and a thousand chains.
    ///
    /// # Errors
    /// [`Error::Device`] where they differ, or nothing has run.
    pub fn check(self) -> Result<(), Error> {
        self.0.check()
    }
}

/// A way to an operation's result, and what it takes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ablation {
    /// `PADD`, `PDBL` or `FPMUL`.
    pub operation: &'static str,
    /// What is done in another way than production does; production itself is among them.
    pub variant: &'static str,
    /// Items in the batch.
    pub items: usize,
    /// Seconds of all kernels of a run, the median of several.
    pub seconds: f64,
}

/// What choices of the production kernels are worth: each is measured against one that does without it, on one batch,
/// and the results are compared.
///
/// # Errors
/// As for [`Bench::new`] and [`Bench::check`].
pub fn ablations(curve: CurveId, items: usize) -> Result<Vec<Ablation>, Error> {
    if !(1..=u32::MAX as usize).contains(&items) {
        return Err(Error::InvalidOption { option: "items", problem: format!("{items} items are out of range") });
    }
    ablations::run(curve.name(), items)
}
