//! Digests, and arithmetic modulo any number: answers by RustCrypto's hash functions and by `crypto-bigint`.

use super::{ITEMS, Trial};
use crate::curve::{Curve, Sm2};
use crate::types::PublicKeys;
use crate::gpu::Fault;
use crate::gpu::hash::{self, SizedIds, SizedTexts};
use crate::gpu::modular::{Modexp, MulMod};
use crate::gpu::pipeline::Operation;
use crate::known_answers::{self, repeat};
use crate::sm2::za;
use sha2::{Digest, Sha256};
use sm3::Sm3;

/// Messages of all lengths around that of a block.
fn message(item: usize) -> Vec<u8> {
    (0..item).map(|byte| (7 * item + byte) as u8).collect()
}

pub fn sha256(trial: &mut Trial) -> Result<(), Fault> {
    let texts: Vec<_> = (0..ITEMS).map(message).collect();
    let messages = SizedTexts::new(trial.cpu, ITEMS, |item| &texts[item]);
    let known = texts.iter().map(|text| Sha256::digest(text).into()).collect();
    trial.check(&hash::Sha256 { messages, on_cpu: &|_| Vec::new() }, known)
}

/// SM3(Z_A || M), with ids of several lengths.
pub fn sm3(trial: &mut Trial) -> Result<(), Fault> {
    let texts: Vec<_> = (0..ITEMS).map(message).collect();
    let ids: Vec<_> = (0..ITEMS).map(|item| message(item / 2)).collect();
    let keys: Vec<_> = known_answers::of(Sm2::NAME).private_keys.public.iter().flatten().copied().collect();
    let keys = repeat(&keys, ITEMS);
    let digest = |item: usize| {
        let za = za(&ids[item], &keys[item]).expect("a short id and a point");
        Sm3::new_with_prefix(za).chain_update(&texts[item]).finalize().into()
    };
    let operation = hash::Sm3 {
        messages: SizedTexts::new(trial.cpu, ITEMS, |item| &texts[item]),
        ids: SizedIds::Each(SizedTexts::new(trial.cpu, ITEMS, |item| &ids[item])),
        keys: PublicKeys::points(&keys),
        on_cpu: &|_| Vec::new(),
    };
    trial.check(&operation, (0..ITEMS).map(digest).collect())
}

/// So many numbers below `2^(8 BYTES)` that look random.
fn numbers<const BYTES: usize>(seed: u8, count: usize) -> Vec<[u8; BYTES]> {
    let mut numbers = vec![[0; BYTES]; count];
    for (number, bytes) in numbers.iter_mut().enumerate() {
        for (block, bytes) in bytes.chunks_mut(32).enumerate() {
            bytes.copy_from_slice(&Sha256::digest([seed, number as u8, block as u8])[..bytes.len()]);
        }
    }
    numbers
}

/// An odd modulus, and numbers of which most are below it.
fn modulus_and_numbers<const BYTES: usize>(seed: u8) -> ([u8; BYTES], Vec<[u8; BYTES]>) {
    let mut modulus = numbers::<BYTES>(seed, 1)[0];
    (modulus[0], modulus[BYTES - 1]) = (modulus[0] | 0xc0, modulus[BYTES - 1] | 1);
    let mut below = modulus;
    below[BYTES - 1] -= 1;
    (modulus, [vec![modulus, below], numbers(seed + 1, DISTINCT)].concat())
}

/// Different numbers of a test: what the CPU computes of these in a millisecond.
const DISTINCT: usize = 4;
/// Bytes of exponents, likewise.
const EXPONENT: usize = 16;

pub fn powers<const BYTES: usize>(trial: &mut Trial) -> Result<(), Fault> {
    let (modulus, bases) = modulus_and_numbers::<BYTES>(1);
    let exponents = numbers::<EXPONENT>(3, bases.len());
    let known = Modexp::new(&modulus, &bases, &exponents).on_cpu(trial.cpu, 0..bases.len());
    let (bases, exponents) = (repeat(&bases, ITEMS), repeat(&exponents, ITEMS));
    trial.check(&Modexp::new(&modulus, &bases, &exponents), repeat(&known, ITEMS))
}

/// Products, and squares.
pub fn products<const BYTES: usize>(trial: &mut Trial) -> Result<(), Fault> {
    let (modulus, a) = modulus_and_numbers::<BYTES>(4);
    let b: Vec<_> = a.iter().rev().copied().collect();
    for b in [Some(&b), None] {
        let known = MulMod::new(&modulus, &a, b.map(Vec::as_slice)).on_cpu(trial.cpu, 0..a.len());
        let (a, b) = (repeat(&a, ITEMS), b.map(|b| repeat(b, ITEMS)));
        trial.check(&MulMod::new(&modulus, &a, b.as_deref()), repeat(&known, ITEMS))?;
    }
    Ok(())
}
