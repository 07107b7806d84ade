//! Modular exponentiation, multiplication and squaring against big integers, on the CPU, on all
//! GPUs, and where the engine chooses between them by the size of a batch.

use crate::harness::needs::{GPU, Need};
use crate::harness::{Named, Test, named, test};
use crate::random::Random;
use gecc::{Backend, Engine, Error, Rejection, modular};
use num_bigint::BigUint;
use rand::{Rng, RngExt};
use std::sync::LazyLock;

/// Engines, and their requirements.
static ENGINES: [Named<(Option<&Need>, LazyLock<Engine>)>; 3] = [
    (
        "cpu",
        (
            None,
            LazyLock::new(|| Engine::cpu().expect("threads start")),
        ),
    ),
    (
        "default",
        (
            None,
            LazyLock::new(|| Engine::new().expect("the default engine starts")),
        ),
    ),
    (
        "gpu",
        (
            Some(&GPU),
            LazyLock::new(|| {
                Engine::builder()
                    .backend(Backend::Gpu)
                    .build()
                    .expect("a GPU starts")
            }),
        ),
    ),
];

const TESTS: [Named<fn(&Engine)>; 5] = named![
    products_of_every_size,
    powers_of_every_size,
    rsa_round_trip,
    invalid_calls,
    batches_of_many_sizes,
];

pub fn tests() -> Vec<Test> {
    let on_engines = ENGINES.iter().flat_map(|(name, (need, engine))| {
        TESTS.map(move |(of, run)| {
            test(format!("{name}::modular::{of}"), *need, move || run(engine))
        })
    });
    on_engines.collect()
}

fn number(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_be(bytes)
}

fn bytes<const BYTES: usize>(number: &BigUint) -> [u8; BYTES] {
    let digits = number.to_bytes_be();
    let mut bytes = [0; BYTES];
    bytes[BYTES - digits.len()..].copy_from_slice(&digits);
    bytes
}

/// Random bytes, some words of them all ones or zeros.
fn patterned<const BYTES: usize>(random: &mut Random) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    random.fill_bytes(&mut bytes);
    for word in bytes.chunks_mut(4) {
        match random.random_range(0..6) {
            0 => word.fill(0),
            1 => word.fill(0xff),
            _ => {}
        }
    }
    bytes
}

/// Odd moduli: the largest, the smallest with the top bit, small ones, random ones.
fn moduli<const BYTES: usize>(random: &mut Random) -> Vec<[u8; BYTES]> {
    let top = BigUint::from(1u32) << (8 * BYTES);
    let half = &top >> 1;
    let mut moduli: Vec<[u8; BYTES]> = [
        &top - 1u32,
        &half + 1u32,
        3u32.into(),
        0xffff_ffff_u32.into(),
    ]
    .iter()
    .chain([&(&half - 1u32)])
    .map(bytes)
    .collect();
    for _ in 0..3 {
        let mut modulus = patterned::<BYTES>(random);
        modulus[BYTES - 1] |= 1;
        modulus[0] |= 2;
        moduli.push(modulus);
    }
    moduli
}

/// Values around the modulus: those below it, and those that are not.
fn values<const BYTES: usize>(random: &mut Random, modulus: &BigUint) -> Vec<[u8; BYTES]> {
    let mut values = vec![
        [0; BYTES],
        [0xff; BYTES],
        bytes(&1u32.into()),
        bytes(modulus),
        bytes(&(modulus - 1u32)),
    ];
    values.push(bytes(&(modulus >> 1)));
    for _ in 0..20 {
        let value = patterned::<BYTES>(random);
        values.extend([value, bytes(&(number(&value) % modulus))]);
    }
    values
}

fn expected<const BYTES: usize>(
    in_range: bool,
    value: impl Fn() -> BigUint,
) -> Result<[u8; BYTES], Rejection> {
    if in_range {
        Ok(bytes(&value()))
    } else {
        Err(Rejection::ValueOutOfRange)
    }
}

fn products<const BYTES: usize>(engine: &Engine) {
    let mut random = Random::new();
    for modulus in moduli::<BYTES>(&mut random) {
        let m = number(&modulus);
        let a = values::<BYTES>(&mut random, &m);
        let mut b = a.clone();
        b.rotate_left(random.random_range(0..a.len()));
        let products = modular::mul_mod(engine, &modulus, &a, &b).expect("a valid call");
        let squares = modular::square_mod(engine, &modulus, &a).expect("a valid call");
        assert_eq!((products.len(), squares.len()), (a.len(), a.len()));
        for (i, (a, b)) in a
            .iter()
            .zip(&b)
            .map(|(a, b)| (number(a), number(b)))
            .enumerate()
        {
            assert_eq!(
                products[i],
                expected(a < m && b < m, || &a * &b % &m),
                "{a:x} * {b:x} mod {m:x}"
            );
            assert_eq!(
                squares[i],
                expected(a < m, || &a * &a % &m),
                "{a:x}^2 mod {m:x}"
            );
        }
    }
}

fn products_of_every_size(engine: &Engine) {
    products::<16>(engine);
    products::<24>(engine);
    products::<32>(engine);
    products::<40>(engine);
    products::<48>(engine);
    products::<56>(engine);
    products::<64>(engine);
}

fn powers<const BYTES: usize, const EXPONENT: usize>(
    engine: &Engine,
    special: [[u8; EXPONENT]; 2],
) {
    let mut random = Random::new();
    for modulus in moduli::<BYTES>(&mut random) {
        let m = number(&modulus);
        let mut bases = values::<BYTES>(&mut random, &m);
        bases.truncate(12);
        let mut exponents: Vec<[u8; EXPONENT]> =
            bases.iter().map(|_| patterned(&mut random)).collect();
        exponents[..4].copy_from_slice(&[special[0], special[1], [0; EXPONENT], [0xff; EXPONENT]]);
        let shift = random.random_range(0..bases.len());
        exponents.rotate_left(shift);
        let results = modular::modexp(engine, &modulus, &bases, &exponents).expect("a valid call");
        assert_eq!(results.len(), bases.len());
        for ((base, exponent), result) in bases.iter().zip(&exponents).zip(results) {
            let base = number(base);
            let exponent = number(exponent);
            let power = expected(base < m, || base.modpow(&exponent, &m));
            assert_eq!(result, power, "{base:x} to {exponent:x} mod {m:x}");
        }
    }
}

fn powers_of_every_size(engine: &Engine) {
    powers::<128, 128>(engine, [bytes(&1u32.into()), bytes(&65537u32.into())]);
    powers::<192, 3>(engine, [[1, 0, 1], [0, 0, 1]]);
    powers::<256, 32>(engine, [bytes(&2u32.into()), bytes(&31u32.into())]);
    powers::<256, 1>(engine, [[1], [2]]);
}

/// The round trip of RSA with the primes 2^521 - 1 and 2^607 - 1, which together have 1128 bits: in
/// 1536.
fn rsa_round_trip(engine: &Engine) {
    let one = BigUint::from(1u32);
    let p = (&one << 521) - 1u32;
    let q = (&one << 607) - 1u32;
    let modulus: [u8; 192] = bytes(&(&p * &q));
    let d = BigUint::from(65537u32)
        .modinv(&((p - 1u32) * (q - 1u32)))
        .expect("65537 is prime to both");
    let messages: Vec<[u8; 192]> = (0..10u32)
        .map(|i| bytes(&(BigUint::from(i) << 1000)))
        .collect();
    let sealed =
        modular::modexp(engine, &modulus, &messages, &[[1, 0, 1]; 10]).expect("a valid call");
    let sealed: Vec<[u8; 192]> = sealed
        .into_iter()
        .map(|item| item.expect("below the modulus"))
        .collect();
    let opened =
        modular::modexp(engine, &modulus, &sealed, &[bytes::<192>(&d); 10]).expect("a valid call");
    assert_eq!(opened, messages.into_iter().map(Ok).collect::<Vec<_>>());
}

fn invalid_calls(engine: &Engine) {
    let three = 3u128.to_be_bytes();
    let four = 4u128.to_be_bytes();
    let one = 1u128.to_be_bytes();
    for modulus in [four, one, [0; 16]] {
        assert!(matches!(
            modular::mul_mod(engine, &modulus, &[one], &[one]),
            Err(Error::InvalidModulus)
        ));
        assert!(matches!(
            modular::square_mod(engine, &modulus, &[one]),
            Err(Error::InvalidModulus)
        ));
    }
    let mismatch = modular::mul_mod(engine, &three, &[one, one], &[one]);
    assert!(matches!(
        mismatch,
        Err(Error::LengthMismatch {
            what: "second factors",
            expected: 2,
            found: 1
        })
    ));
    let mut wide = [0; 128];
    wide[127] = 2;
    assert!(matches!(
        modular::modexp(engine, &wide, &[[0; 128]], &[[1]]),
        Err(Error::InvalidModulus)
    ));
    wide[127] = 3;
    let mismatch = modular::modexp::<128, 1>(engine, &wide, &[[0; 128]], &[]);
    assert!(matches!(
        mismatch,
        Err(Error::LengthMismatch {
            what: "exponents",
            expected: 1,
            found: 0
        })
    ));
}

fn batches_of_many_sizes(engine: &Engine) {
    let modulus = (u128::MAX - 158).to_be_bytes();
    for size in [0, 1, 63, 64, 65, 511, 512, 513, 5000] {
        let a: Vec<[u8; 16]> = (0..size as u128)
            .map(|i| (i << 100 | i).to_be_bytes())
            .collect();
        let squares = modular::square_mod(engine, &modulus, &a).expect("a valid call");
        let m = number(&modulus);
        let expected: Vec<_> = a
            .iter()
            .map(|a| Ok(bytes(&(number(a).pow(2) % &m))))
            .collect();
        assert_eq!(squares, expected);
    }
}
