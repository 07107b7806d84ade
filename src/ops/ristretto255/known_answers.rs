//! Known answers of ristretto255: those of RFC 9496, appendices A.1 and A.3, and hashes of messages
//! computed by the CPU. The private keys are for tests only.

use super::gpu::CURVE;
use super::{Bases, Map, Multiply, Source};
use crate::cpu::CpuEngine;
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::{bytes, compare, repeat};
use crate::operation::Computation;
use crate::ops::hash::SizedTexts;
use crate::ops::hash_to_curve::Dst;
use crate::types::{Rejection, Rows, SecretKeys, Values, bytes_of};
use sha2::Sha512;

/// The self-tests of devices.
pub(crate) const PRODUCTS: SelfTest = SelfTest::new("ristretto255 products", CURVE, products);
pub(crate) const PUBLIC_KEYS: SelfTest = SelfTest::new("ristretto255 keys", CURVE, public_keys);
pub(crate) const MAP: SelfTest = SelfTest::new("ristretto255 map", CURVE, map);
pub(crate) const HASHES: SelfTest = SelfTest::new("ristretto255 hashes", CURVE, hashes);

/// Returns all self-tests.
pub(crate) fn all() -> [SelfTest; 4] {
    [PRODUCTS, PUBLIC_KEYS, MAP, HASHES]
}

/// The number of different messages in a test.
const MESSAGES: usize = 63;

/// The multiples 1 to 15 of the generator.
const MULTIPLES: [[u8; 32]; 15] = [
    bytes("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76"),
    bytes("6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919"),
    bytes("94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259"),
    bytes("da80862773358b466ffadfe0b3293ab3d9fd53c5ea6c955358f568322daf6a57"),
    bytes("e882b131016b52c1d3337080187cf768423efccbb517bb495ab812c4160ff44e"),
    bytes("f64746d3c92b13050ed8d80236a7f0007c3b3f962f5ba793d19a601ebb1df403"),
    bytes("44f53520926ec81fbd5a387845beb7df85a96a24ece18738bdcfa6a7822a176d"),
    bytes("903293d8f2287ebe10e2374dc1a53e0bc887e592699f02d077d5263cdd55601c"),
    bytes("02622ace8f7303a31cafc63f8fc48fdc16e1c8c8d234b2f0d6685282a9076031"),
    bytes("20706fd788b2720a1ed2a5dad4952b01f413bcf0e7564de8cdc816689e2db95f"),
    bytes("bce83f8ba5dd2fa572864c24ba1810f9522bc6004afe95877ac73241cafdab42"),
    bytes("e4549ee16b9aa03099ca208c67adafcafa4c3f3e4e5303de6026e3ca8ff84460"),
    bytes("aa52e000df2e16f55fb1032fc33bc42742dad6bd5a8fc0be0167436c5948501f"),
    bytes("46376b80f409b29dc2b5f6f0c52591990896e5716f41477cd30085ab7f10301e"),
    bytes("e0c418f7c8d9c4cdd7395b93ea124f3ad99021bb681dfc3302a9d99a2e53e64e"),
];

/// Inputs of the map, each of two halves, and the elements.
const MAPPED: [([[u8; 32]; 2], [u8; 32]); 8] = [
    (
        [
            bytes("5d1be09e3d0c82fc538112490e35701979d99e06ca3e2b5b54bffe8b4dc772c1"),
            bytes("4d98b696a1bbfb5ca32c436cc61c16563790306c79eaca7705668b47dffe5bb6"),
        ],
        bytes("3066f82a1a747d45120d1740f14358531a8f04bbffe6a819f86dfe50f44a0a46"),
    ),
    (
        [
            bytes("f116b34b8f17ceb56e8732a60d913dd10cce47a6d53bee9204be8b44f6678b27"),
            bytes("0102a56902e2488c46120e9276cfe54638286b9e4b3cdb470b542d46c2068d38"),
        ],
        bytes("f26e5b6f7d362d2d2a94c5d0e7602cb4773c95a2e5c31a64f133189fa76ed61b"),
    ),
    (
        [
            bytes("8422e1bbdaab52938b81fd602effb6f89110e1e57208ad12d9ad767e2e25510c"),
            bytes("27140775f9337088b982d83d7fcf0b2fa1edffe51952cbe7365e95c86eaf325c"),
        ],
        bytes("006ccd2a9e6867e6a2c5cea83d3302cc9de128dd2a9a57dd8ee7b9d7ffe02826"),
    ),
    (
        [
            bytes("ac22415129b61427bf464e17baee8db65940c233b98afce8d17c57beeb7876c2"),
            bytes("150d15af1cb1fb824bbd14955f2b57d08d388aab431a391cfc33d5bafb5dbbaf"),
        ],
        bytes("f8f0c87cf237953c5890aec3998169005dae3eca1fbb04548c635953c817f92a"),
    ),
    (
        [
            bytes("165d697a1ef3d5cf3c38565beefcf88c0f282b8e7dbd28544c483432f1cec767"),
            bytes("5debea8ebb4e5fe7d6f6e5db15f15587ac4d4d4a1de7191e0c1ca6664abcc413"),
        ],
        bytes("ae81e7dedf20a497e10c304a765c1767a42d6e06029758d2d7e8ef7cc4c41179"),
    ),
    (
        [
            bytes("a836e6c9a9ca9f1e8d486273ad56a78c70cf18f0ce10abb1c7172ddd605d7fd2"),
            bytes("979854f47ae1ccf204a33102095b4200e5befc0465accc263175485f0e17ea5c"),
        ],
        bytes("e2705652ff9f5e44d3e841bf1c251cf7dddb77d140870d1ab2ed64f1a9ce8628"),
    ),
    (
        [
            bytes("2cdc11eaeb95daf01189417cdddbf95952993aa9cb9c640eb5058d09702c7462"),
            bytes("2c9965a697a3b345ec24ee56335b556e677b30e6f90ac77d781064f866a3c982"),
        ],
        bytes("80bd07262511cdde4863f8a7434cef696750681cb9510eea557088f76d9e5065"),
    ),
    (
        [
            bytes("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
            bytes("1200000000000000000000000000000000000000000000000000000000000000"),
        ],
        bytes("304282791023b73128d277bdcb5c7746ef2eac08dde9f2983379cb8e5ef0517f"),
    ),
];

/// Small numbers and their inverses modulo the order.
const INVERSES: [(usize, [u8; 32]); 4] = [
    (
        2,
        bytes("f7e97a2e8d31092c6bce7b51ef7c6f0a00000000000000000000000000000008"),
    ),
    (
        3,
        bytes("498d4e9311420c903913a56c94a694b8aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa0a"),
    ),
    (
        5,
        bytes("965d64df9ee036abf7b864ed92cb5f3733333333333333333333333333333303"),
    ),
    (
        7,
        bytes("22d5909fba32273143cdfe848dda1f4c92244992244992244992244992244902"),
    ),
];

/// The order.
const ORDER: [u8; 32] = bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");

/// An even number below p that is not an encoding (appendix A.2).
const NO_ELEMENT: [u8; 32] =
    bytes("26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371");

/// Returns the scalar of a small number.
fn scalar(number: u8) -> [u8; 32] {
    let mut scalar = [0; 32];
    scalar[0] = number;
    scalar
}

/// Private keys and elements with their products, or the rejections.
struct Products {
    keys: Vec<[u8; 32]>,
    elements: Vec<[u8; 32]>,
    known: Vec<Result<[u8; 32], Rejection>>,
}

impl Products {
    fn new() -> Self {
        let mut products = Products {
            keys: Vec::new(),
            elements: Vec::new(),
            known: Vec::new(),
        };
        for (item, multiple) in MULTIPLES.into_iter().enumerate() {
            products.push(scalar(item as u8 + 1), MULTIPLES[0], Ok(multiple));
        }
        for multiple in 1..=5 {
            let known = MULTIPLES[3 * multiple - 1];
            products.push(scalar(3), MULTIPLES[multiple - 1], Ok(known));
        }
        for (number, inverse) in INVERSES {
            for multiple in 1..=MULTIPLES.len() / number {
                let known = MULTIPLES[multiple - 1];
                products.push(inverse, MULTIPLES[number * multiple - 1], Ok(known));
            }
        }
        products.push(scalar(0), MULTIPLES[0], Err(Rejection::SecretKeyOutOfRange));
        products.push(ORDER, MULTIPLES[0], Err(Rejection::SecretKeyOutOfRange));
        products.push(scalar(1), scalar(0), Err(Rejection::IdentityKey));
        // Odd, and even without an element (appendix A.2).
        products.push(scalar(1), scalar(1), Err(Rejection::MalformedPoint));
        products.push(scalar(1), NO_ELEMENT, Err(Rejection::NotOnCurve));
        products
    }

    fn push(&mut self, key: [u8; 32], element: [u8; 32], known: Result<[u8; 32], Rejection>) {
        self.keys.push(key);
        self.elements.push(element);
        self.known.push(known);
    }

    /// Repeats the items.
    fn repeated(&self, items: usize) -> Self {
        Products {
            keys: repeat(&self.keys, items),
            elements: repeat(&self.elements, items),
            known: repeat(&self.known, items),
        }
    }

    fn operation(&self) -> Multiply<'_> {
        Multiply {
            secret_keys: SecretKeys::rows(Rows::new(&self.keys)),
            bases: Bases::Elements(Rows::new(&self.elements)),
            items: self.keys.len(),
        }
    }
}
/// Returns the uniform bytes of the answers of the map.
fn uniform_bytes() -> Vec<[u8; 64]> {
    MAPPED
        .iter()
        .map(|(halves, _)| *halves.as_flattened().first_chunk().expect("64 bytes"))
        .collect()
}

fn map_of(inputs: &[[u8; 64]]) -> Map<'_> {
    Map {
        source: Source::UniformBytes {
            rows: Rows::new(inputs),
            items: inputs.len(),
        },
    }
}

/// Tests products with a key for each element, and with one for all.
fn products(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let products = Products::new().repeated(ITEMS);
    trial.check(&products.operation(), bytes_of, products.known.clone())?;
    let (_, key) = INVERSES[0];
    let doubles = [2, 4, 6, 8, 10, 12, 14].map(|multiple| MULTIPLES[multiple - 1]);
    let elements = repeat(&doubles, ITEMS);
    let of_one_key = Multiply {
        secret_keys: SecretKeys::rows(Rows::all(&key)),
        bases: Bases::Elements(Rows::new(&elements)),
        items: ITEMS,
    };
    let known: Vec<_> = MULTIPLES[..doubles.len()].iter().copied().map(Ok).collect();
    trial.check(&of_one_key, bytes_of, repeat(&known, ITEMS))
}

fn public_keys(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let mut keys: Vec<_> = (1..=15).map(scalar).collect();
    let mut known: Vec<_> = MULTIPLES.map(Ok).into();
    for key in [scalar(0), ORDER] {
        keys.push(key);
        known.push(Err(Rejection::SecretKeyOutOfRange));
    }
    let keys = repeat(&keys, ITEMS);
    let of_generator = Multiply {
        secret_keys: SecretKeys::rows(Rows::new(&keys)),
        bases: Bases::Generator,
        items: ITEMS,
    };
    trial.check(&of_generator, bytes_of, repeat(&known, ITEMS))
}

fn map(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let inputs = repeat(&uniform_bytes(), ITEMS);
    let known: Vec<_> = MAPPED.iter().map(|(_, element)| Ok(*element)).collect();
    trial.check(&map_of(&inputs), bytes_of::<32>, repeat(&known, ITEMS))
}

/// Tests messages of all lengths around that of a block, and tags whose hashes have one block and
/// two.
fn hashes(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let texts: Vec<Vec<u8>> = (0..MESSAGES)
        .map(|item| (0..4 * item).map(|byte| (5 * item + byte) as u8).collect())
        .collect();
    for dst in [[0x51; 10].as_slice(), &[0x51; 50]].map(Dst::of::<Sha512>) {
        let [few, many] = [MESSAGES, ITEMS].map(|items| Map {
            source: Source::Messages {
                messages: SizedTexts::new(trial.cpu, items, |item| &texts[item % MESSAGES]),
                dst,
            },
        });
        let known = trial.compute_on_cpu(&few, bytes_of::<32>);
        trial.check(&many, bytes_of::<32>, repeat(&known, ITEMS))?;
    }
    Ok(())
}

/// # Errors
/// A description of the first wrong answer of an engine with vector code.
pub(crate) fn of_lanes(engine: &CpuEngine) -> Result<(), String> {
    let products = Products::new();
    check(
        engine,
        "multiplication",
        &products.operation(),
        products.known.clone(),
    )?;
    let keys: Vec<_> = (1..=15).map(scalar).collect();
    let of_generator = Multiply {
        secret_keys: SecretKeys::rows(Rows::new(&keys)),
        bases: Bases::Generator,
        items: keys.len(),
    };
    check(
        engine,
        "public keys",
        &of_generator,
        MULTIPLES.map(Ok).into(),
    )?;
    let inputs = uniform_bytes();
    let known = MAPPED.map(|(_, element)| Ok(element)).into();
    check(engine, "the map of uniform bytes", &map_of(&inputs), known)
}

fn check(
    engine: &CpuEngine,
    operation: &str,
    computation: &dyn Computation,
    known: Vec<Result<[u8; 32], Rejection>>,
) -> Result<(), String> {
    let items = computation.items();
    let mut values = Values::new(items, bytes_of);
    computation.compute_on_cpu(engine, 0..items, &mut values.sink());
    // SAFETY: an operation on the CPU has results of every item.
    let computed = unsafe { values.into_vec() };
    compare(operation, "ristretto255", computed, known)
}
