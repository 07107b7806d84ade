//! Ed25519: points of small order and invalid encodings, keys that repeat, items that are rejected.

use crate::compare::Bench;
use crate::equations::fractions;
use crate::support::random::Random;
use gecc::ed25519::{self, Rule, SigningKeys, Variant};
use gecc::{Engine, PublicKeys, SecretKey, Verdicts};

#[derive(Clone)]
struct Batch {
    messages: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    keys: Vec<[u8; 32]>,
}

/// Encodings of points whose order is 8, 4, 2 and 1.
const SMALL_ORDERS: [&str; 4] = [
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0100000000000000000000000000000000000000000000000000000000000000",
];
/// y = 2, which no point has; y = 1, and x = 0 odd; y = p + 1.
const NO_POINT: &str = "0200000000000000000000000000000000000000000000000000000000000000";
const NOT_CANONICAL: [&str; 2] = [
    "0100000000000000000000000000000000000000000000000000000000000080",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];
/// n - 1, 4 n - 4 and n.
const ORDER_LESS_1: &str = "ecd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
const FOUR_TIMES_ORDER_LESS_4: &str =
    "b04fd773698c49605973de8b7ae77b5300000000000000000000000000000040";
const ORDER: &str = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";

pub fn compare(bench: &mut Bench) {
    // Batch verification are measured by a comparison of their own.
    let alone = bench.alone.clone();
    for rule in [Rule::Strict, Rule::Zip215] {
        let sets: [(&str, fn(usize) -> Vec<(&'static str, Batch)>); 3] = [
            ("", different_keys),
            (", keys that repeat", repeated_keys),
            (", one key", one_key),
        ];
        for (name, batches) in sets {
            bench.compare(
                &format!("Ed25519: verify, {rule}{name}"),
                batches,
                |engine, batch: &Batch| {
                    let engine = if engine.info().batch_verification {
                        &alone
                    } else {
                        engine
                    };
                    batch.verify(engine, rule)
                },
            );
        }
    }
    let items = bench.items_together;
    bench.compare_of(
        items,
        "Ed25519: verify together",
        || together(items),
        |engine, (batch, one_by_one)| {
            // The engine that results are compared with verifies one by one anyway.
            let engine = if *one_by_one && engine.info().batch_verification {
                &alone
            } else {
                engine
            };
            batch.verify(engine, Rule::Zip215)
        },
    );
    bench.compare(
        "Ed25519: expand and sign",
        secrets,
        |engine, (messages, hashes)| {
            let keys = ed25519::expand_hashed(engine, hashes).expect("the CPU computes it");
            ed25519::sign(
                engine,
                messages,
                SigningKeys::expanded(&keys),
                Variant::PURE,
            )
            .expect("as many")
        },
    );
}

/// Valid items of `keys` keys, each of which occurs equally often.
fn signed(items: usize, keys: usize) -> Batch {
    let mut random = Random::new();
    let engine = Engine::cpu().expect("threads can be started");
    let seeds: Vec<[u8; 32]> = (0..keys).map(|_| random.bytes()).collect();
    let seeds: Vec<SecretKey> = (0..items)
        .map(|item| SecretKey::from_bytes(seeds[item % keys]))
        .collect();
    let messages: Vec<[u8; 32]> = (0..items).map(|_| random.bytes()).collect();
    let signatures = ed25519::sign(&engine, &messages, &seeds, Variant::PURE).expect("as many");
    let signatures = signatures
        .into_iter()
        .map(|signature| signature.expect("seeds are keys"))
        .collect();
    Batch {
        messages,
        signatures,
        keys: ed25519::public_keys(&engine, &seeds).expect("the CPU computes it"),
    }
}

fn bytes(digits: &str) -> [u8; 32] {
    hex::decode(digits)
        .expect("digits")
        .try_into()
        .expect("32 bytes")
}

impl Batch {
    fn verify(&self, engine: &Engine, rule: Rule) -> Verdicts {
        let Batch {
            messages,
            signatures,
            keys,
        } = self;
        let keys = PublicKeys::ed25519(keys);
        ed25519::verify(engine, messages, signatures, keys, Variant::PURE, rule).expect("as many")
    }

    /// Replaces the keys, and keeps messages and signatures.
    fn with_keys(&self, keys: &[&str]) -> Self {
        let keys = keys
            .iter()
            .cycle()
            .take(self.keys.len())
            .map(|digits| bytes(digits))
            .collect();
        Batch {
            keys,
            ..self.clone()
        }
    }

    /// Replaces R (half 0) or S (half 1) of the signatures.
    fn with_halves(&self, half: usize, values: &[&str]) -> Self {
        let mut batch = self.clone();
        for (signature, digits) in batch.signatures.iter_mut().zip(values.iter().cycle()) {
            signature[32 * half..][..32].copy_from_slice(&bytes(digits));
        }
        batch
    }

    /// Restores every 16th signature of `baseline`.
    fn with_every_16th_of(mut self, baseline: &Batch) -> Self {
        for (signature, valid) in self
            .signatures
            .iter_mut()
            .zip(&baseline.signatures)
            .step_by(16)
        {
            *signature = *valid;
        }
        self
    }
}

fn changed(baseline: &Batch) -> Vec<(&'static str, Batch)> {
    vec![
        ("baseline", baseline.clone()),
        ("R of small order", baseline.with_halves(0, &SMALL_ORDERS)),
        ("R is not a point", baseline.with_halves(0, &[NO_POINT])),
        (
            "R is not a point except every 16th",
            baseline
                .with_halves(0, &[NO_POINT])
                .with_every_16th_of(baseline),
        ),
        ("R not canonical", baseline.with_halves(0, &NOT_CANONICAL)),
        ("S = 0", baseline.with_halves(1, &[SMALL_ORDERS[1]])),
        ("S = n - 1", baseline.with_halves(1, &[ORDER_LESS_1])),
        ("S = n", baseline.with_halves(1, &[ORDER])),
        (
            "S = n except every 16th",
            baseline
                .with_halves(1, &[ORDER])
                .with_every_16th_of(baseline),
        ),
    ]
}

/// Invalid items at every fraction, compared with verification one by one, which comes first.
fn together(items: usize) -> Vec<(&'static str, (Batch, bool))> {
    let baseline = signed(items, items);
    let mut batches = vec![("one by one", (baseline.clone(), true))];
    for (name, is_invalid) in fractions(items) {
        let mut batch = baseline.clone();
        batch
            .messages
            .iter_mut()
            .enumerate()
            .filter(|(item, _)| is_invalid(*item))
            .for_each(|(_, it)| it[3] ^= 1);
        batches.push((name, (batch, false)));
    }
    batches
}

fn different_keys(items: usize) -> Vec<(&'static str, Batch)> {
    let baseline = signed(items, items);
    let mut batches = changed(&baseline);
    let mut middles = baseline.clone();
    // About half of all y belong to no point.
    middles.keys.iter_mut().for_each(|key| key[1..31].fill(2));
    let mut alike = baseline.clone();
    alike.keys.iter_mut().zip(0u16..).for_each(|(key, number)| {
        *key = [7; 32];
        key[30..].copy_from_slice(&number.to_le_bytes());
    });
    batches.extend([
        ("keys of small order", baseline.with_keys(&SMALL_ORDERS)),
        ("keys not canonical", baseline.with_keys(&NOT_CANONICAL)),
        (
            "one key that is not a point",
            baseline.with_keys(&[NO_POINT]),
        ),
        ("keys equal except two bytes", middles),
        ("keys equal except the last bytes", alike),
    ]);
    batches
}

/// Compares keys that occur about as often as a table requires, with lanes and without, with keys
/// that are all different.
fn repeated_keys(items: usize) -> Vec<(&'static str, Batch)> {
    let uses = [
        ("baseline", 1),
        ("each key twice", 2),
        ("each key 4 times", 4),
        ("each key 5 times", 5),
        ("each key 6 times", 6),
        ("each key 8 times", 8),
        ("each key 16 times", 16),
        ("each key 22 times", 22),
        ("each key 23 times", 23),
        ("each key 24 times", 24),
        ("each key 26 times", 26),
        ("each key 32 times", 32),
        ("each key 64 times", 64),
    ];
    uses.map(|(name, uses)| (name, signed(items, items / uses)))
        .into()
}

fn one_key(items: usize) -> Vec<(&'static str, Batch)> {
    let baseline = signed(items, 1);
    let mut batches = changed(&baseline);
    batches.extend([
        ("a key of order 8", baseline.with_keys(&SMALL_ORDERS[..1])),
        (
            "the identity as key",
            baseline.with_keys(&SMALL_ORDERS[3..]),
        ),
        ("a key that is not a point", baseline.with_keys(&[NO_POINT])),
    ]);
    batches
}

/// Messages, and keys kept as 64 bytes.
type Secrets = (Vec<[u8; 32]>, Vec<[u8; 64]>);

/// Hashed keys with special scalars. Such keys may be an attacker's own.
fn secrets(items: usize) -> Vec<(&'static str, Secrets)> {
    let mut random = Random::new();
    let messages: Vec<[u8; 32]> = (0..items).map(|_| random.bytes()).collect();
    let baseline = (0..items)
        .map(|_| random.vector(64).try_into().expect("64 bytes"))
        .collect();
    vec![
        ("baseline", (messages.clone(), baseline)),
        (
            "scalar 2^254",
            (
                messages.clone(),
                vec![hash_of_scalar(SMALL_ORDERS[1]); items],
            ),
        ),
        (
            "scalar 2^255 - 8",
            (messages.clone(), vec![[0xff; 64]; items]),
        ),
        (
            "scalar 4 n - 4",
            (
                messages,
                vec![hash_of_scalar(FOUR_TIMES_ORDER_LESS_4); items],
            ),
        ),
    ]
}

/// A hashed key whose scalar has these digits before clamping, and whose prefix is zero.
fn hash_of_scalar(digits: &str) -> [u8; 64] {
    let mut hash = [0; 64];
    hash[..32].copy_from_slice(&bytes(digits));
    hash
}
