//! The arithmetic on which the operations are built.

use super::device::{POISON, begin, open, random_rows, seconds};
use super::generated::columns::{
    AnyNumbers, ByteRows, Column, Content, FieldElements, NumberKinds, Prefixes, Scalars,
};
use super::generated::launchers::{BatchInverse, Chain, ExportField, ImportField};
use super::primes::{Primes, number_of};
use super::sources::prepare;
use gecc::lab::{Fault, Plan, StreamSlot, Unit, kernels};
use gecc::{CurveId, Error};
use num_bigint::BigUint;
use std::fmt;

/// The number of operations in a chain: loading and storing its item then takes less than a
/// hundredth of the time.
const ROUNDS: u32 = 512;
/// The number of chains that the CPU repeats.
const CHECKED_CHAINS: usize = 1024;

/// A kind of arithmetic on which the other operations are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arithmetic {
    /// Multiplications modulo p, each with the result of the previous one.
    FieldMul,
    /// Squarings modulo p, each of the result of the previous one.
    FieldSquare,
    /// Multiplications modulo n in Montgomery form, each with the result of the previous one.
    ScalarMul,
    /// Inversions modulo p that share their work.
    BatchInverse,
}

impl Arithmetic {
    /// All kinds of arithmetic.
    pub const ALL: [Arithmetic; 4] = [
        Arithmetic::FieldMul,
        Arithmetic::FieldSquare,
        Arithmetic::ScalarMul,
        Arithmetic::BatchInverse,
    ];

    /// Returns a short name: `field_mul`, `field_square`, `scalar_mul` or `batch_inverse`.
    pub fn name(self) -> &'static str {
        match self {
            Arithmetic::FieldMul => "field_mul",
            Arithmetic::FieldSquare => "field_square",
            Arithmetic::ScalarMul => "scalar_mul",
            Arithmetic::BatchInverse => "batch_inverse",
        }
    }

    /// Returns the number of operations per item in a run. Chains are long enough for the time of
    /// reading and writing the items to be negligible.
    pub fn operations_per_item(self) -> u64 {
        match self {
            Arithmetic::BatchInverse => 1,
            _ => u64::from(ROUNDS),
        }
    }
}

/// An operation on a batch of random numbers on the GPU, ready to run any number of times.
pub struct Bench {
    operation: Arithmetic,
    curve: CurveId,
    slot: StreamSlot,
    inputs: Vec<[u8; 32]>,
    buffers: Buffers,
}

impl fmt::Debug for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bench({})", self.curve)
    }
}

#[derive(Clone, Copy)]
struct Buffers {
    rows: Column<ByteRows<32>>,
    kinds: Column<NumberKinds>,
    scalars: Column<Scalars>,
    elements: Column<FieldElements>,
    out: Column<FieldElements>,
    prefixes: Column<Prefixes>,
    results: Column<ByteRows<32>>,
}

impl Buffers {
    fn new(plan: &mut Plan) -> Self {
        let rows = plan.column();
        let kinds = plan.column();
        let scalars = plan.column();
        let elements = plan.column();
        let out = plan.column();
        let prefixes = plan.column();
        let results = plan.column();
        Buffers {
            rows,
            kinds,
            scalars,
            elements,
            out,
            prefixes,
            results,
        }
    }
}

impl Bench {
    /// Generates the numbers and copies them to the GPU.
    ///
    /// # Errors
    /// Returns [`Error::NoDevice`] if there is no GPU, [`Error::Device`] if it fails,
    /// [`Error::Kernels`] if kernels cannot be compiled, and [`Error::Randomness`] if the operating
    /// system provides no randomness.
    pub fn new(operation: Arithmetic, curve: CurveId, items: usize) -> Result<Self, Error> {
        if items == 0 {
            return Err(Error::InvalidOption {
                option: "items",
                problem: "a batch needs at least one item".to_owned(),
            });
        }
        let inputs = random_rows(items)?;
        let mut slot = open(false)?;
        let device = slot.device.clone();
        device.prepare(curve.name(), &["layout", "rows"])?;
        prepare(&device, curve.name(), &["chain", "batch_inverse", "fields"])?;
        let buffers = begin(&mut slot, items, Buffers::new)?;
        slot.write(buffers.rows, inputs.as_flattened())?;
        Ok(Bench {
            operation,
            curve,
            slot,
            inputs,
            buffers,
        })
    }

    /// Runs the kernel and returns its seconds. The numbers are the same every time, and the output
    /// is filled with a fixed byte before. The first run warms up.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails.
    pub fn run(&mut self) -> Result<f64, Error> {
        let n = self.inputs.len() as u64;
        let curve = self.curve.name();
        let operation = self.operation;
        self.import()?;
        let slot = &mut self.slot;
        let Buffers {
            scalars,
            elements,
            out,
            prefixes,
            ..
        } = self.buffers;
        slot.fill(out, POISON, FieldElements::BYTES * self.inputs.len())?;
        let unit = Unit {
            file: "chain",
            curve,
        };
        let numbers: Column<AnyNumbers> = Column::at(elements.address());
        let of_field = Chain {
            items: numbers,
            n,
            rounds: ROUNDS,
        };
        let of_scalars = Chain {
            items: scalars.into(),
            n,
            rounds: ROUNDS,
        };
        Ok(seconds(slot, |slot| match operation {
            Arithmetic::FieldMul => of_field.launch(slot, (unit, "gecc_chain_field_mul")),
            Arithmetic::FieldSquare => of_field.launch(slot, (unit, "gecc_chain_field_sqr")),
            Arithmetic::ScalarMul => of_scalars.launch(slot, (unit, "gecc_chain_scalar_mul")),
            Arithmetic::BatchInverse => BatchInverse {
                values: elements,
                out,
                prefixes,
                n,
            }
            .launch(slot, curve),
        })?)
    }

    /// Compares the results of the last run with big integers: every inverse, and a thousand
    /// chains.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if they differ, or if nothing has run.
    pub fn check(mut self) -> Result<(), Error> {
        let results = self.results()?;
        let n = self.inputs.len();
        let expected = Expected::of(self.operation, self.curve);
        // The step is a prime, so that the samples include every thread of a block.
        let (checked, step) = match self.operation {
            Arithmetic::BatchInverse => (n, 1),
            _ => (CHECKED_CHAINS.min(n), 7919),
        };
        let all_agree = (0..checked)
            .map(|k| k * step % n)
            .all(|i| expected.agrees(&self.inputs[i], &results[i]));
        if !all_agree {
            return Err(Error::Device(format!(
                "wrong results of {} on {}",
                self.operation.name(),
                self.curve
            )));
        }
        Ok(())
    }

    /// Writes the inputs to where the operation reads them. A chain computes in place, so its
    /// input, which differs from its result, replaces the filling of the output.
    fn import(&mut self) -> Result<(), Fault> {
        let n = self.inputs.len() as u64;
        let curve = self.curve.name();
        let slot = &mut self.slot;
        let Buffers {
            rows,
            kinds,
            scalars,
            elements,
            ..
        } = self.buffers;
        match self.operation {
            Arithmetic::ScalarMul => kernels::ImportScalars {
                rows,
                scalars,
                kinds,
                n,
            }
            .launch(slot, curve),
            _ => ImportField { rows, elements, n }.launch(slot, curve),
        }
    }

    fn results(&mut self) -> Result<Vec<[u8; 32]>, Fault> {
        let n = self.inputs.len() as u64;
        let curve = self.curve.name();
        let slot = &mut self.slot;
        let Buffers {
            scalars,
            elements,
            out,
            results: rows,
            ..
        } = self.buffers;
        match self.operation {
            Arithmetic::ScalarMul => {
                kernels::ColumnsToRows {
                    columns: scalars.into(),
                    words: 8,
                    rows: rows.into(),
                    n,
                }
                .launch(slot)?;
            }
            Arithmetic::BatchInverse => ExportField {
                elements: out,
                rows,
                n,
            }
            .launch(slot, curve)?,
            _ => ExportField { elements, rows, n }.launch(slot, curve)?,
        }
        Ok(slot
            .copy_of(rows, 32 * self.inputs.len())?
            .as_chunks()
            .0
            .to_vec())
    }
}

/// The expected results of an operation, computed with big integers.
struct Expected {
    operation: Arithmetic,
    modulus: BigUint,
    /// The factor of a product in addition to its operands: the device multiplies scalars in
    /// Montgomery form, a b / 2^256, without conversion before or after.
    factor: BigUint,
}

impl Expected {
    fn of(operation: Arithmetic, curve: CurveId) -> Self {
        let primes = Primes::of(curve);
        match operation {
            Arithmetic::ScalarMul => {
                let modulus = number_of(primes.n);
                let factor = (BigUint::from(1u8) << 256u32)
                    .modinv(&modulus)
                    .expect("the modulus is odd");
                Expected {
                    operation,
                    modulus,
                    factor,
                }
            }
            _ => Expected {
                operation,
                modulus: number_of(primes.p),
                factor: BigUint::from(1u8),
            },
        }
    }

    /// Returns whether this is the result of an input.
    fn agrees(&self, input: &[u8; 32], result: &[u8; 32]) -> bool {
        let Expected {
            operation,
            modulus,
            factor,
        } = self;
        let a = BigUint::from_bytes_be(input) % modulus;
        let result = BigUint::from_bytes_be(result);
        match operation {
            Arithmetic::FieldMul | Arithmetic::ScalarMul => {
                let multiplier = &a * factor % modulus;
                (0..ROUNDS).fold(a, |power, _| power * &multiplier % modulus) == result
            }
            Arithmetic::FieldSquare => {
                (0..ROUNDS).fold(a, |power, _| &power * &power % modulus) == result
            }
            Arithmetic::BatchInverse => {
                let product = &a * &result % modulus;
                result < *modulus
                    && if a == BigUint::ZERO {
                        result == a
                    } else {
                        product == BigUint::from(1u8)
                    }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: &BigUint) -> [u8; 32] {
        let bytes = number.to_bytes_be();
        std::array::from_fn(|i| {
            if i < 32 - bytes.len() {
                0
            } else {
                bytes[i + bytes.len() - 32]
            }
        })
    }

    /// Computes the expected results by powers, whereas the chains take one step after the other.
    #[test]
    fn only_right_results_agree() {
        for curve in CurveId::ALL {
            for operation in Arithmetic::ALL {
                let expected = Expected::of(operation, curve.to_owned());
                let m = &expected.modulus;
                for a in [
                    BigUint::ZERO,
                    BigUint::from(1u8),
                    BigUint::from(0xfff1_u32).pow(15),
                ] {
                    let exponent = match operation {
                        Arithmetic::FieldMul | Arithmetic::ScalarMul => BigUint::from(ROUNDS + 1),
                        Arithmetic::FieldSquare => BigUint::from(1u8) << ROUNDS,
                        Arithmetic::BatchInverse => m - 2u8,
                    };
                    let mut result = a.modpow(&exponent, m);
                    if operation == Arithmetic::ScalarMul {
                        result = result * expected.factor.pow(ROUNDS) % m;
                    }
                    assert!(
                        expected.agrees(&row(&a), &row(&result)),
                        "{} on {curve}: {a}",
                        operation.name()
                    );
                    assert!(
                        !expected.agrees(&row(&a), &row(&((result + 1u8) % m))),
                        "{} on {curve}",
                        operation.name()
                    );
                }
            }
        }
    }
}
