//! Products modulo an odd number.

use crate::compare::Bench;
use crate::support::random::Random;
use gecc::modular;

type Numbers = Vec<[u8; 32]>;

pub fn compare(bench: &mut Bench) {
    let mut random = Random::new();
    let mut modulus = random.bytes();
    modulus[0] = 0xff;
    modulus[31] |= 1;
    bench.compare(
        "256 bits: products modulo an odd number",
        |items| batches(&mut random, modulus, items),
        |engine, (a, b)| modular::mul_mod(engine, &modulus, a, b).expect("an odd modulus"),
    );
}

fn batches(
    random: &mut Random,
    modulus: [u8; 32],
    items: usize,
) -> Vec<(&'static str, (Numbers, Numbers))> {
    let mut last = modulus;
    last[31] -= 1;
    vec![
        (
            "baseline",
            (random_numbers(random, items), random_numbers(random, items)),
        ),
        ("0", (vec![[0; 32]; items], random_numbers(random, items))),
        ("-1", (vec![last; items], vec![last; items])),
        (
            "out of range",
            (vec![modulus; items], random_numbers(random, items)),
        ),
    ]
}

/// Random numbers below 2^255, and so below the modulus.
fn random_numbers(random: &mut Random, items: usize) -> Numbers {
    (0..items)
        .map(|_| {
            let mut bytes: [u8; 32] = random.bytes();
            bytes[0] &= 0x7f;
            bytes
        })
        .collect()
}
