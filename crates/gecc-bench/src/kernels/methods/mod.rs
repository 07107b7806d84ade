//! A comparison of all multiplication methods of the device code, for benchmarks rather than for
//! programs that need results.
//!
//! [`measure`] runs each method alone on the first GPU, timed by CUDA events, and checks it against
//! the CPU. The methods and the papers that they are from are described in `cuda/methods/` of this
//! crate. In addition it measures the kernels of [`gecc::modular`]: modular exponentiation, and
//! multiplication and squaring modulo any odd number.

mod cpu;
mod gpu;
mod sass;

use gecc::{CurveId, Error};
use std::fmt;

/// The operation that is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MethodOperation {
    /// Multiplications in the method's own representation, each with the result of the previous
    /// one.
    Mul,
    /// Squarings, each of the result of the previous one.
    Square,
    /// [`gecc::modular::mul_mod`] on numbers that are on the GPU.
    MulMod,
    /// [`gecc::modular::square_mod`] on numbers that are on the GPU.
    SquareMod,
    /// [`gecc::modular::modexp`] on numbers that are on the GPU, with exponents as long as the
    /// modulus.
    Modexp,
}

impl MethodOperation {
    /// Returns a short name.
    pub fn name(self) -> &'static str {
        match self {
            MethodOperation::Mul => "mul",
            MethodOperation::Square => "square",
            MethodOperation::MulMod => "mul_mod",
            MethodOperation::SquareMod => "square_mod",
            MethodOperation::Modexp => "modexp",
        }
    }
}

/// Instructions of a thread by kind, as chosen by the assembler.
///
/// They are counted in the machine code, in the loop that does the work: per multiplication or
/// squaring of a chain; per item for `mul_mod` and `square_mod`, without loads and stores; per
/// modular multiplication for `modexp`, without the carry resolution at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Instructions {
    /// 32 x 32 bits to 64, or to the upper 32.
    pub wide: f64,
    /// Multiplication to 32 bits, and the moves and additions that the assembler assigns to the
    /// multiplier.
    pub imad: f64,
    /// Additions of integers.
    pub iadd3: f64,
    /// Shifts, logic, comparisons, selections, moves.
    pub logic: f64,
    /// Fused multiply-add in double precision.
    pub dfma: f64,
    /// Addition and multiplication in double precision.
    pub dadd: f64,
    /// Loads, stores, shuffles, branches, and instructions that a warp executes once for all its
    /// threads.
    pub other: f64,
}

impl Instructions {
    /// Returns all kinds with their names.
    pub fn by_kind(&self) -> [(&'static str, f64); 7] {
        let Instructions {
            wide,
            imad,
            iadd3,
            logic,
            dfma,
            dadd,
            other,
        } = *self;
        [
            ("wide", wide),
            ("imad", imad),
            ("iadd3", iadd3),
            ("logic", logic),
            ("dfma", dfma),
            ("dadd", dadd),
            ("other", other),
        ]
    }

    fn total(&self) -> f64 {
        self.by_kind().iter().map(|(_, count)| count).sum()
    }

    fn times(&self, factor: f64) -> Self {
        self.plus_times(self, factor - 1.0)
    }

    fn plus(&self, other: &Self) -> Self {
        self.plus_times(other, 1.0)
    }

    fn plus_times(&self, other: &Self, factor: f64) -> Self {
        Instructions {
            wide: self.wide + factor * other.wide,
            imad: self.imad + factor * other.imad,
            iadd3: self.iadd3 + factor * other.iadd3,
            logic: self.logic + factor * other.logic,
            dfma: self.dfma + factor * other.dfma,
            dadd: self.dadd + factor * other.dadd,
            other: self.other + factor * other.other,
        }
    }
}

/// A part of a multiprocessor, or another resource that bounds a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pipe {
    /// The integer multiplier: 4 clocks for a wide multiplication of a warp, 2 for the others.
    Multiplier,
    /// Addition and logic: 2 clocks each. A wide multiplication takes 2 here too.
    Adder,
    /// Double precision: from 2 clocks on data-centre GPUs to 64 on others.
    DoublePrecision,
    /// One instruction per clock, of whatever kind.
    Issue,
    /// The GPU's memory.
    Memory,
}

impl Pipe {
    /// Returns a short name.
    pub fn name(self) -> &'static str {
        match self {
            Pipe::Multiplier => "multiplier",
            Pipe::Adder => "adder",
            Pipe::DoublePrecision => "fp64",
            Pipe::Issue => "issue",
            Pipe::Memory => "memory",
        }
    }
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measurement {
    /// The method.
    pub method: &'static str,
    /// The curve, if the method is compiled for the prime of one.
    pub curve: Option<&'static str>,
    /// Bits of the modulus.
    pub bits: u32,
    /// The operation that was measured.
    pub operation: MethodOperation,
    /// Operations per second on the whole GPU: the median of five runs after a warm-up.
    pub per_second: f64,
    /// The number of registers per thread.
    pub registers: u32,
    /// Bytes of local memory per thread: tables and spilled registers.
    pub local_bytes: u32,
    /// The cost, counted in the machine code.
    pub instructions: Instructions,
    /// The resource that bounds the rate.
    pub bound: Pipe,
    /// The rate at which this resource would be busy all the time, at the GPU's highest clock.
    pub limit_per_second: f64,
    /// The number of random inputs whose results were compared with the CPU's.
    pub checked: usize,
    /// The number of these that differed.
    pub wrong: usize,
}

impl Measurement {
    /// Returns the rate as a fraction of the limit.
    pub fn fraction(&self) -> f64 {
        self.per_second / self.limit_per_second
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.method, self.bits, self.operation.name())?;
        self.curve.map_or(Ok(()), |curve| write!(f, " ({curve})"))
    }
}

/// Measures everything, and passes each row to `report` as soon as it is available. The production
/// methods are measured for `curves`. Each row is compared with the CPU on `check` random inputs.
/// Modular exponentiation is compared on `check` bases with one exponent, and on a few with
/// individual exponents.
///
/// # Errors
/// Returns [`Error::NoDevice`] if there is no GPU, [`Error::Device`] if it fails or its kernels
/// cannot be compiled, and [`Error::Randomness`] if the operating system provides no randomness.
/// Wrong results are not an error, but are counted in each row.
pub fn measure(
    curves: &[CurveId],
    check: usize,
    mut report: impl FnMut(&Measurement),
) -> Result<Vec<Measurement>, Error> {
    gpu::measure(curves, check, &mut report)
}
