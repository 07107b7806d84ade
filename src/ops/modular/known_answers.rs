//! Known answers of modular arithmetic, computed by `crypto-bigint` on the CPU.

use super::{Modexp, MulMod};
use crate::cpu::CpuEngine;
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::repeat;
use crate::operation::Computation;
use crate::types::{ByteRows, Rejection, Results, ResultsMut};
use sha2::{Digest, Sha256};

/// Sizes of numbers in bytes, with their names.
const SIZES: [(usize, &str); 10] = [
    (16, "128 bits"),
    (24, "192 bits"),
    (32, "256 bits"),
    (40, "320 bits"),
    (48, "384 bits"),
    (56, "448 bits"),
    (64, "512 bits"),
    (128, "1024 bits"),
    (192, "1536 bits"),
    (256, "2048 bits"),
];

fn name(bytes: usize) -> &'static str {
    SIZES
        .iter()
        .find(|(size, _)| *size == bytes)
        .expect("no operation has another size")
        .1
}

pub fn powers(bytes: usize) -> SelfTest {
    SelfTest::new("modular exponentiation", name(bytes), run_powers)
}

pub fn products(bytes: usize) -> SelfTest {
    SelfTest::new("modular multiplication", name(bytes), run_products)
}

/// Returns the self-tests of all sizes.
pub fn all() -> Vec<SelfTest> {
    SIZES
        .iter()
        .map(|(bytes, _)| {
            if *bytes > 64 {
                powers(*bytes)
            } else {
                products(*bytes)
            }
        })
        .collect()
}

fn size(trial: &SelfTestRun) -> usize {
    SIZES
        .iter()
        .find(|(_, name)| *name == trial.test.on)
        .expect("the test was made for a size")
        .0
}

/// Returns pseudorandom numbers of `bytes` bytes.
fn numbers(seed: u8, bytes: usize, count: usize) -> Vec<Vec<u8>> {
    let mut numbers = vec![vec![0; bytes]; count];
    for (number, digits) in numbers.iter_mut().enumerate() {
        for (block, digits) in digits.chunks_mut(32).enumerate() {
            digits.copy_from_slice(
                &Sha256::digest([seed, number as u8, block as u8])[..digits.len()],
            );
        }
    }
    numbers
}

/// Returns an odd modulus and numbers, most of them below it.
fn modulus_and_numbers(seed: u8, bytes: usize) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut modulus = numbers(seed, bytes, 1).remove(0);
    modulus[0] |= 0xc0;
    modulus[bytes - 1] |= 1;
    let mut below = modulus.clone();
    below[bytes - 1] -= 1;
    (
        modulus.clone(),
        [vec![modulus, below], numbers(seed + 1, bytes, DISTINCT)].concat(),
    )
}

/// The number of different numbers in a test: the CPU computes their results in a millisecond.
const DISTINCT: usize = 4;
/// The length of exponents in bytes, chosen for the same reason.
const EXPONENT: usize = 16;

type Answer = Result<Vec<u8>, Rejection>;

fn answer(results: &Results, item: usize) -> Answer {
    crate::types::result_of(results.codes[item]).map(|()| results.row(0, item).to_vec())
}

fn on_cpu(cpu: &CpuEngine, operation: &dyn Computation, bytes: usize) -> Vec<Answer> {
    let items = operation.items();
    let mut codes = vec![0; items];
    let mut rows = vec![0; bytes * items];
    let mut results = ResultsMut::new(&mut codes, [&mut rows, &mut []], [bytes, 0]);
    operation.compute_on_cpu(cpu, 0..items, &mut results.reborrow().into());
    (0..items)
        .map(|item| answer(&results.as_results(), item))
        .collect()
}

fn run_powers(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let bytes = size(trial);
    let (modulus, bases) = modulus_and_numbers(1, bytes);
    let exponents = numbers(3, EXPONENT, bases.len());
    let few = [bases.concat(), exponents.concat()];
    let many = [repeat(&bases, ITEMS), repeat(&exponents, ITEMS)];
    let many = many.map(|numbers| numbers.concat());
    let known = on_cpu(trial.cpu, &modexp(&modulus, &few), bytes);
    trial.check(&modexp(&modulus, &many), answer, repeat(&known, ITEMS))
}

fn modexp<'a>(modulus: &'a [u8], [bases, exponents]: &'a [Vec<u8>; 2]) -> Modexp<'a> {
    let bases = ByteRows::new(bases, modulus.len());
    let exponents = ByteRows::new(exponents, EXPONENT);
    Modexp::new(modulus, bases, exponents).expect("an odd modulus")
}

/// Tests products and squares.
fn run_products(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let bytes = size(trial);
    let (modulus, a) = modulus_and_numbers(4, bytes);
    let b: Vec<_> = a.iter().rev().cloned().collect();
    let few = [a.concat(), b.concat()];
    let many = [&a, &b].map(|numbers| repeat(numbers, ITEMS).concat());
    for squares in [false, true] {
        let known = on_cpu(trial.cpu, &mul_mod(&modulus, &few, squares), bytes);
        trial.check(
            &mul_mod(&modulus, &many, squares),
            answer,
            repeat(&known, ITEMS),
        )?;
    }
    Ok(())
}

fn mul_mod<'a>(modulus: &'a [u8], [a, b]: &'a [Vec<u8>; 2], squares: bool) -> MulMod<'a> {
    let b = (!squares).then(|| ByteRows::new(b, modulus.len()));
    MulMod::new(modulus, ByteRows::new(a, modulus.len()), b).expect("an odd modulus")
}
