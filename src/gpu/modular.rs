//! Arithmetic modulo any odd number: kernels whose branches and addresses depend on no value, and memory that is wiped.

use super::Fault;
use super::codes::ValueStatus;
use super::columns::{AnyNumbers, AnyRows, Column, ModexpModulus, ModexpParameters, MulModModulus, ValueStatuses};
use super::kernels;
use super::known_answers::{OfNumbers, Test};
use super::lane::Lane;
use super::pipeline::{Chunk, Operation};
use super::plan::{Download, Plan, Upload};
use super::rows::{self, Rows, convert_secret};
use super::sources::NO_CURVE;
use crate::cpu::{self, CpuEngine};
use crate::engine::Engines;
use crate::error::Rejection;
use crate::modular::Numbers;
use crate::stack;
use std::mem::MaybeUninit;
use std::ops::Range;
use zeroize::Zeroizing;

/// Bits of a sample of the double-precision multiplication.
const SAMPLE_BITS: usize = 52;

/// A number as limbs of 64 bits, least significant first.
pub type Limbs = Zeroizing<Vec<u64>>;

pub fn modexp<const BYTES: usize, const EXPONENT: usize>(
    engines: Engines,
    modulus: &[u8; BYTES],
    bases: &[[u8; BYTES]],
    exponents: &[[u8; EXPONENT]],
) -> Result<Numbers<BYTES>, Fault> {
    engines.run(&Modexp::new(modulus, bases, exponents))
}

/// `a[i] * b[i]`, or `a[i]^2` where there is no b.
pub fn mul_mod<const BYTES: usize>(
    engines: Engines,
    modulus: &[u8; BYTES],
    a: &[[u8; BYTES]],
    b: Option<&[[u8; BYTES]]>,
) -> Result<Numbers<BYTES>, Fault> {
    engines.run(&MulMod::new(modulus, a, b))
}

type Output<const BYTES: usize> = Result<[u8; BYTES], Rejection>;

/// Powers modulo one number.
pub struct Modexp<'a, const BYTES: usize, const EXPONENT: usize> {
    modulus: &'a [u8; BYTES],
    bases: &'a [[u8; BYTES]],
    exponents: &'a [[u8; EXPONENT]],
    limbs: Limbs,
    parameters: Limbs,
}

impl<'a, const BYTES: usize, const EXPONENT: usize> Modexp<'a, BYTES, EXPONENT> {
    pub fn new(modulus: &'a [u8; BYTES], bases: &'a [[u8; BYTES]], exponents: &'a [[u8; EXPONENT]]) -> Self {
        let (limbs, parameters) = stack::wiped(|| {
            let limbs = limbs(modulus);
            let parameters = modexp_parameters(&limbs, samples(BYTES));
            (limbs, parameters)
        });
        Modexp { modulus, bases, exponents, limbs, parameters }
    }
}

pub struct ModexpBuffers {
    /// The powers take the place of the bases.
    powers: NumberColumns,
    exponents: NumberColumns,
    modulus: Upload<ModexpModulus>,
    parameters: Upload<ModexpParameters>,
    result: NumberRows,
}

impl<const BYTES: usize, const EXPONENT: usize> Operation for Modexp<'_, BYTES, EXPONENT> {
    type Output = Output<BYTES>;
    type Buffers = ModexpBuffers;
    const SECRET: bool = true;
    const MOST_WAVES: usize = 8;

    fn items(&self) -> usize {
        self.bases.len()
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> ModexpBuffers {
        ModexpBuffers {
            powers: NumberColumns::new(plan, BYTES),
            exponents: NumberColumns::new(plan, EXPONENT),
            modulus: plan.upload_secret(8 * self.limbs.len()),
            parameters: plan.upload_secret(8 * self.parameters.len()),
            result: NumberRows::new(plan, BYTES),
        }
    }

    fn tests(&self, _: usize) -> &'static [Test] {
        OfNumbers::<BYTES>::POWERS
    }

    fn compute(
        &self,
        chunk: Chunk,
        buffers: &ModexpBuffers,
        out: &mut [MaybeUninit<Self::Output>],
    ) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, .. }, n) = (chunk, out.len());
        let ModexpBuffers { powers, exponents, modulus, parameters, result } = buffers;
        lane.device.clone().prepare(NO_CURVE, &["rows", "modexp"])?;
        powers.upload(lane, cpu, &self.bases[items.clone()])?;
        exponents.upload(lane, cpu, &self.exponents[items])?;
        upload_limbs(lane, modulus, &self.limbs)?;
        upload_limbs(lane, parameters, &self.parameters)?;
        kernels::Modexp {
            results: powers.columns,
            status: result.status.column,
            bases: powers.columns,
            exponents: exponents.columns,
            exponent_words: u32::try_from(EXPONENT.div_ceil(4)).expect("an exponent is no longer than a modulus"),
            modulus: modulus.column,
            parameters: parameters.column,
            n: n as u64,
            lanes: kernels::modexp_lanes(8 * BYTES),
        }
        .launch(lane, kernels::of_size(kernels::Modexp::KERNELS, 8 * BYTES))?;
        result.download(lane, powers.columns, BYTES, n)?;
        lane.finish()?;
        convert_secret(lane, cpu, out, |i| result.get(lane, i));
        Ok(())
    }

    fn on_cpu(&self, cpu: &CpuEngine, items: Range<usize>) -> Vec<Self::Output> {
        cpu::modular::modexp(cpu, self.modulus, &self.bases[items.clone()], &self.exponents[items])
    }
}

/// Products modulo one number, or squares where there is no other factor.
pub struct MulMod<'a, const BYTES: usize> {
    modulus: &'a [u8; BYTES],
    a: &'a [[u8; BYTES]],
    b: Option<&'a [[u8; BYTES]]>,
    parameters: Zeroizing<Vec<u8>>,
}

impl<'a, const BYTES: usize> MulMod<'a, BYTES> {
    pub fn new(modulus: &'a [u8; BYTES], a: &'a [[u8; BYTES]], b: Option<&'a [[u8; BYTES]]>) -> Self {
        MulMod { modulus, a, b, parameters: stack::wiped(|| mul_mod_parameters(&limbs(modulus))) }
    }
}

pub struct MulModBuffers {
    /// The products take the place of the first factors.
    products: NumberColumns,
    other: Option<NumberColumns>,
    modulus: Upload<MulModModulus>,
    result: NumberRows,
}

impl<const BYTES: usize> Operation for MulMod<'_, BYTES> {
    type Output = Output<BYTES>;
    type Buffers = MulModBuffers;
    const SECRET: bool = true;
    const MOST_WAVES: usize = 8;

    fn items(&self) -> usize {
        self.a.len()
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> MulModBuffers {
        MulModBuffers {
            products: NumberColumns::new(plan, BYTES),
            other: self.b.map(|_| NumberColumns::new(plan, BYTES)),
            modulus: plan.upload_secret(self.parameters.len()),
            result: NumberRows::new(plan, BYTES),
        }
    }

    fn tests(&self, _: usize) -> &'static [Test] {
        OfNumbers::<BYTES>::PRODUCTS
    }

    fn compute(
        &self,
        chunk: Chunk,
        buffers: &MulModBuffers,
        out: &mut [MaybeUninit<Self::Output>],
    ) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, .. }, n) = (chunk, out.len());
        let MulModBuffers { products, other, modulus, result } = buffers;
        lane.device.clone().prepare(NO_CURVE, &["rows", "mul_mod"])?;
        products.upload(lane, cpu, &self.a[items.clone()])?;
        lane.upload(modulus, |to| to.copy_from_slice(&self.parameters))?;
        if let (Some(other), Some(b)) = (other, self.b) {
            other.upload(lane, cpu, &b[items])?;
        }
        let other = other.as_ref().map(|other| other.columns);
        multiply_in_place(lane, 8 * BYTES, products.columns, other, modulus.column, result.status.column, n)?;
        result.download(lane, products.columns, BYTES, n)?;
        lane.finish()?;
        convert_secret(lane, cpu, out, |i| result.get(lane, i));
        Ok(())
    }

    fn on_cpu(&self, cpu: &CpuEngine, items: Range<usize>) -> Vec<Self::Output> {
        cpu::modular::mul_mod(cpu, self.modulus, &self.a[items.clone()], &self.b.unwrap_or(self.a)[items])
    }
}

/// Products modulo a number of so many bits in place of the factors; squares where there is no other factor.
pub fn multiply_in_place(
    lane: &mut Lane,
    bits: usize,
    a: Column<AnyNumbers>,
    b: Option<Column<AnyNumbers>>,
    modulus: Column<MulModModulus>,
    status: Column<ValueStatuses>,
    n: usize,
) -> Result<(), Fault> {
    let (results, n) = (a, n as u64);
    match b {
        Some(b) => kernels::MulMod { results, status, a, b, modulus, n }
            .launch(lane, kernels::of_size(kernels::MulMod::KERNELS, bits)),
        None => kernels::SquareMod { results, status, a, modulus, n }
            .launch(lane, kernels::of_size(kernels::SquareMod::KERNELS, bits)),
    }
}

/// Big-endian numbers from the caller, and the same as columns of words.
struct NumberColumns {
    rows: Upload<AnyRows>,
    columns: Column<AnyNumbers>,
}

impl NumberColumns {
    fn new(plan: &mut Plan, bytes: usize) -> Self {
        NumberColumns { rows: plan.upload_secret(bytes * plan.items()), columns: plan.each(bytes.next_multiple_of(4)) }
    }

    fn upload<const N: usize>(&self, lane: &mut Lane, cpu: &CpuEngine, rows: &[[u8; N]]) -> Result<(), Fault> {
        rows::upload(lane, cpu, [(Rows::of(rows), &self.rows.staging)])?;
        let [row_bytes, words] = [N, N.div_ceil(4)].map(|size| u32::try_from(size).expect("numbers are short"));
        let (from, columns, n) = (self.rows.column, self.columns, rows.len() as u64);
        kernels::RowsToColumns { rows: from, row_bytes, columns, words, n }.launch(lane)
    }
}

pub fn upload_limbs<T>(lane: &mut Lane, to: &Upload<T>, limbs: &Limbs) -> Result<(), Fault> {
    let write = |(to, limb): (&mut [u8], &u64)| to.copy_from_slice(&limb.to_le_bytes());
    lane.upload(to, |to| {
        stack::wiped(|| to.chunks_exact_mut(8).zip(limbs.iter()).for_each(write));
    })
}

/// Numbers on their way to the host, and what became of each item.
struct NumberRows {
    rows: Download<AnyRows>,
    status: Download<ValueStatuses>,
}

impl NumberRows {
    fn new(plan: &mut Plan, bytes: usize) -> Self {
        let (rows, status) = (plan.each(bytes), plan.column());
        NumberRows { rows: plan.download(rows, bytes * plan.items()), status: plan.download_column(status) }
    }

    fn download(&self, lane: &mut Lane, columns: Column<AnyNumbers>, bytes: usize, n: usize) -> Result<(), Fault> {
        let words = u32::try_from(bytes / 4).expect("numbers are short");
        kernels::ColumnsToRows { columns, words, rows: self.rows.column, n: n as u64 }.launch(lane)?;
        lane.download_secret(&self.rows);
        lane.download(&self.status);
        Ok(())
    }

    /// Number i of a lane that has finished.
    fn get<const BYTES: usize>(&self, lane: &Lane, i: usize) -> Output<BYTES> {
        let Some(ValueStatus::ValueInRange) = ValueStatus::from_code(lane.read(&self.status)[i]) else {
            return Err(Rejection::ValueOutOfRange);
        };
        Ok(lane.read(&self.rows)[BYTES * i..][..BYTES].try_into().expect("rows of this length"))
    }
}

/// Samples of the numbers in `cuda/methods/modexp.cuh`.
pub fn samples(modulus_bytes: usize) -> usize {
    match modulus_bytes {
        128 => 20,
        192 => 32,
        256 => 40,
        _ => unreachable!("the public calls take no other size"),
    }
}

/// The parameters of `cuda/kernels/modexp.cu`.
pub fn modexp_parameters(modulus: &Limbs, samples: usize) -> Limbs {
    let r2 = power_of_two(modulus, 2 * SAMPLE_BITS * samples);
    let mask = (1 << SAMPLE_BITS) - 1;
    let sample = |number: &Limbs, k: usize| {
        let (limb, shift) = (SAMPLE_BITS * k / 64, SAMPLE_BITS * k % 64);
        let at = |limb: usize| u128::from(number.get(limb).copied().unwrap_or(0));
        ((at(limb) | at(limb + 1) << 64) >> shift) as u64 & mask
    };
    let mut parameters = Zeroizing::new(Vec::with_capacity(2 * samples + 1));
    parameters.extend((0..samples).map(|k| sample(modulus, k)));
    parameters.extend((0..samples).map(|k| sample(&r2, k)));
    parameters.push(negated_inverse(modulus[0]) & mask);
    parameters
}

/// The modulus of `cuda/kernels/mul_mod.cu`, as it lies in memory.
pub fn mul_mod_parameters(modulus: &Limbs) -> Zeroizing<Vec<u8>> {
    let r2 = power_of_two(modulus, 2 * 64 * modulus.len());
    let mut bytes = Zeroizing::new(Vec::with_capacity(16 * modulus.len() + 4));
    bytes.extend(modulus.iter().flat_map(|limb| limb.to_le_bytes()));
    bytes.extend(&negated_inverse(modulus[0]).to_le_bytes()[..4]);
    bytes.extend(r2.iter().flat_map(|limb| limb.to_le_bytes()));
    bytes
}

pub fn limbs(number: &[u8]) -> Limbs {
    let limb = |bytes: &[u8]| u64::from_be_bytes(bytes.try_into().expect("chunks of 8 bytes"));
    Zeroizing::new(number.rchunks_exact(8).map(limb).collect())
}

/// `2^exponent` modulo a modulus above 1, by doublings: a fixed sequence, as the modulus may be a prime of a private key.
fn power_of_two(modulus: &Limbs, exponent: usize) -> Limbs {
    let mut power = Zeroizing::new(vec![0; modulus.len()]);
    let mut reduced = power.clone();
    power[0] = 1;
    for _ in 0..exponent {
        let (mut carry, mut borrow) = (0, 0);
        for ((limb, reduced), modulus) in power.iter_mut().zip(reduced.iter_mut()).zip(modulus.iter()) {
            let doubled = *limb << 1 | carry;
            carry = *limb >> 63;
            *limb = doubled;
            let difference = u128::from(doubled).wrapping_sub(u128::from(*modulus)).wrapping_sub(borrow);
            *reduced = difference as u64;
            borrow = difference >> 127;
        }
        // The double is below the modulus where subtracting borrows more than the top bit that left.
        let keep = std::hint::black_box(0u64.wrapping_sub(borrow as u64 & !carry));
        for (limb, reduced) in power.iter_mut().zip(reduced.iter()) {
            *limb = *limb & keep | reduced & !keep;
        }
    }
    power
}

/// `-m^-1` modulo 2^64 for an odd m, by Newton's iteration; m is its own inverse modulo 8.
pub fn negated_inverse(m: u64) -> u64 {
    let mut inverse = m;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(m.wrapping_mul(inverse)));
    }
    inverse.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    fn number(limbs: &[u64]) -> BigUint {
        limbs.iter().rev().fold(BigUint::ZERO, |sum, limb| (sum << 64) + limb)
    }

    fn moduli() -> Vec<Vec<u8>> {
        let mut moduli = vec![vec![0xff; 16], vec![0x80; 64], vec![0; 128], vec![0xa7; 192], vec![0xff; 256]];
        moduli[1][63] = 1;
        moduli[2][127] = 3;
        moduli[4][0] = 0x12;
        moduli
    }

    #[test]
    fn powers_of_two_and_inverses() {
        for modulus in moduli() {
            let limbs = limbs(&modulus);
            let m = BigUint::from_bytes_be(&modulus);
            assert_eq!(number(&limbs), m);
            for exponent in [0, 1, 63, 64, 127, 128, 129, 2080, 4160] {
                assert_eq!(number(&power_of_two(&limbs, exponent)), (BigUint::from(1u32) << exponent) % &m);
            }
            assert_eq!(limbs[0].wrapping_mul(negated_inverse(limbs[0])), u64::MAX);
        }
    }

    #[test]
    fn parameters_as_the_kernels_want_them() {
        for modulus in moduli() {
            let (m, limbs) = (BigUint::from_bytes_be(&modulus), limbs(&modulus));
            let bytes = mul_mod_parameters(&limbs);
            let (head, r2) = bytes.split_at(modulus.len() + 4);
            assert_eq!(BigUint::from_bytes_le(&head[..modulus.len()]), m);
            assert_eq!(BigUint::from_bytes_le(r2), (BigUint::from(1u32) << (16 * modulus.len())) % &m);
            if modulus.len() < 128 {
                continue;
            }
            let count = samples(modulus.len());
            assert!(SAMPLE_BITS * count >= 8 * modulus.len() + 2, "R >= 4M");
            let parameters = modexp_parameters(&limbs, count);
            let value = |samples: &[u64]| samples.iter().rev().fold(BigUint::ZERO, |sum, s| (sum << SAMPLE_BITS) + s);
            assert_eq!(value(&parameters[..count]), m);
            let r2 = (BigUint::from(1u32) << (2 * SAMPLE_BITS * count)) % &m;
            assert_eq!(value(&parameters[count..2 * count]), r2);
            assert_eq!(limbs[0].wrapping_mul(parameters[2 * count]) << 12, u64::MAX << 12);
        }
    }
}
