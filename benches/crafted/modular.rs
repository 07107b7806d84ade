//! Products modulo an odd number.

use crate::compare::Bench;
use crate::support::random::Random;
use gecc::modular;

type Numbers = Vec<[u8; 32]>;

pub fn compare(bench: &mut Bench) {
    let mut random = Random::new();
    let mut modulus = random.bytes();
    (modulus[0], modulus[31]) = (0xff, modulus[31] | 1);
    let batches = |items: usize| {
        let mut below = || -> Numbers {
            let number = |mut bytes: [u8; 32]| {
                bytes[0] &= 0x7f;
                bytes
            };
            (0..items).map(|_| number(random.bytes())).collect()
        };
        let mut last = modulus;
        last[31] -= 1;
        vec![
            ("honest", (below(), below())),
            ("0", (vec![[0; 32]; items], below())),
            ("-1", (vec![last; items], vec![last; items])),
            ("out of range", (vec![modulus; items], below())),
        ]
    };
    let run =
        |engine: &_, (a, b): &(Numbers, Numbers)| modular::mul_mod(engine, &modulus, a, b).expect("an odd modulus");
    bench.compare("256 bits: products modulo an odd number", batches, run);
}
