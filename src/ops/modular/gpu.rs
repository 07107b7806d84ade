//! Arithmetic modulo any odd number on a GPU, with kernels whose branches and addresses depend on
//! no value, and memory that is wiped.

use super::parameters::Limbs;
use super::{Modexp, MulMod};
use crate::gpu::columns::{
    AnyNumbers, AnyRows, Column, ModexpModulus, ModexpParameters, MulModModulus, ValueStatuses,
};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, InputSource, Plan, Stream};
use crate::gpu::{Launch, Running};
use crate::host::stack;
use crate::types::ByteRows;
use std::ops::Range;

impl Modexp<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let bytes = self.modulus.len();
        let exponent_words = words(self.exponents.width());
        // The powers overwrite the bases.
        let powers = NumberColumns::new(plan, self.bases.slice(items.clone()));
        let exponents = NumberColumns::new(plan, self.exponents.slice(items.clone()));
        let modulus: Column<ModexpModulus> = limbs_input(plan, &self.limbs);
        let parameters: Column<ModexpParameters> = limbs_input(plan, &self.parameters);
        let results = NumberResults::new(plan, bytes);
        let n = items.len() as u64;
        Box::new(move |Running { slot, .. }: &mut Running| {
            powers.import(slot, n)?;
            exponents.import(slot, n)?;
            let bases = powers.columns;
            let exponents = exponents.columns;
            let status = results.status;
            let bits = 8 * bytes;
            let lanes = kernels::modexp_lanes(bits);
            kernels::Modexp {
                results: bases,
                status,
                bases,
                exponents,
                exponent_words,
                modulus,
                parameters,
                lanes,
                n,
            }
            .launch(slot, kernels::of_size(kernels::Modexp::KERNELS, bits))?;
            results.export(slot, bases, n)
        })
    }
}

impl MulMod<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let bytes = self.modulus.len();
        // The products overwrite the first factors.
        let products = NumberColumns::new(plan, self.a.slice(items.clone()));
        let other = self
            .b
            .map(|b| NumberColumns::new(plan, b.slice(items.clone())));
        let source = InputSource::Written(
            self.parameters.len(),
            Box::new(|_: usize, to: &mut [u8]| to.copy_from_slice(&self.parameters)),
        );
        let modulus: Column<MulModModulus> = plan.secret_input_of(self.parameters.len(), source);
        let results = NumberResults::new(plan, bytes);
        let n = items.len() as u64;
        Box::new(move |Running { slot, .. }: &mut Running| {
            products.import(slot, n)?;
            let a = products.columns;
            let status = results.status;
            let bits = 8 * bytes;
            match other {
                Some(other) => {
                    other.import(slot, n)?;
                    kernels::MulMod {
                        results: a,
                        status,
                        a,
                        b: other.columns,
                        modulus,
                        n,
                    }
                    .launch(slot, kernels::of_size(kernels::MulMod::KERNELS, bits))?;
                }
                None => kernels::SquareMod {
                    results: a,
                    status,
                    a,
                    modulus,
                    n,
                }
                .launch(slot, kernels::of_size(kernels::SquareMod::KERNELS, bits))?,
            }
            results.export(slot, a, n)
        })
    }
}

fn words(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(4)).expect("numbers are short")
}

/// Big-endian numbers from the caller, and their conversion to columns of words.
#[derive(Clone, Copy)]
struct NumberColumns {
    rows: Column<AnyRows>,
    row_bytes: u32,
    columns: Column<AnyNumbers>,
}

impl NumberColumns {
    fn new<'a>(plan: &mut Plan<'a>, rows: ByteRows<'a>) -> Self {
        let bytes = rows.width();
        NumberColumns {
            rows: plan.secret_input_of(bytes * plan.items(), InputSource::Rows(rows)),
            row_bytes: u32::try_from(bytes).expect("numbers are short"),
            columns: plan.each(bytes.next_multiple_of(4)),
        }
    }

    fn import(self, stream: &mut Stream, n: u64) -> Result<(), Fault> {
        let NumberColumns {
            rows,
            row_bytes,
            columns,
        } = self;
        kernels::RowsToColumns {
            rows,
            row_bytes,
            columns,
            words: words(row_bytes as usize),
            n,
        }
        .launch(stream)
    }
}

/// Plans a number as an input of a chunk.
fn limbs_input<'a, T>(plan: &mut Plan<'a>, limbs: &'a Limbs) -> Column<T> {
    let bytes = 8 * limbs.len();
    let source = InputSource::Written(
        bytes,
        Box::new(move |_: usize, to: &mut [u8]| {
            stack::wiped(|| {
                for (to, limb) in to.chunks_exact_mut(8).zip(limbs.iter()) {
                    to.copy_from_slice(&limb.to_le_bytes());
                }
            });
        }),
    );
    plan.secret_input_of(bytes, source)
}

/// Result numbers for the host, and the status of each item with the numbering of the codes.
#[derive(Clone, Copy)]
struct NumberResults {
    rows: Column<AnyRows>,
    words: u32,
    status: Column<ValueStatuses>,
}

impl NumberResults {
    fn new(plan: &mut Plan, bytes: usize) -> Self {
        let rows = plan.each(bytes);
        let status = plan.column();
        plan.codes(status);
        plan.secret_result(0, rows, bytes);
        NumberResults {
            rows,
            words: words(bytes),
            status,
        }
    }

    fn export(self, stream: &mut Stream, columns: Column<AnyNumbers>, n: u64) -> Result<(), Fault> {
        let NumberResults { rows, words, .. } = self;
        kernels::ColumnsToRows {
            columns,
            words,
            rows,
            n,
        }
        .launch(stream)
    }
}
