//! Tables of keys that a GPU keeps between chunks and calls: verdicts must not depend on earlier
//! keys, and repeated keys should find their tables.

#[path = "../harness/mod.rs"]
mod harness;
#[allow(dead_code, reason = "the suite needs more of it")]
#[path = "../support/mod.rs"]
mod support;

use gecc::ed25519::Rule;
use gecc::{Backend, Engine, EngineBuilder, P256, Secp256k1, Verdict};
use harness::needs::GPU;
use harness::{named, tests};
use std::process::ExitCode;
use std::thread;
use support::each::each_scheme;
use support::ed25519::{self, Case};
use support::random::Random;
use support::report::announce;
use support::scheme::{Ecdsa, Item, Scheme, Sm2Dsa, signed};

/// Items of a batch that a GPU searches for repeated keys and for which it builds tables.
const LARGE: usize = 1 << 18;

fn main() -> ExitCode {
    harness::run(tests(
        Some(&GPU),
        named![
            keys_that_come_again_find_their_tables,
            other_keys_replace_the_tables,
            verdicts_do_not_depend_on_tables,
            calls_at_once_share_the_tables,
            ed25519_by_every_rule,
        ],
    ))
}

/// An engine with these options.
fn gpu(options: fn(EngineBuilder) -> EngineBuilder) -> Engine {
    options(Engine::builder().backend(Backend::Gpu))
        .build()
        .expect("the GPUs can be used")
}

/// Different items with the CPU's verdicts; batches repeat them.
struct Pool {
    items: Vec<Item>,
    verdicts: Vec<Verdict>,
}

impl Pool {
    /// Items of `keys` keys in turn: some with wrong digests, some with keys that are invalid or
    /// the identity.
    fn new<S: Scheme>(random: &mut Random, keys: usize, items: usize) -> Self {
        let mut items: Vec<Item> = signed::<S>(random, items, keys)
            .into_iter()
            .map(|signed| signed.item)
            .collect();
        for (index, item) in items.iter_mut().enumerate() {
            match index % 40 {
                7 | 27 => random.flip_bit(&mut item.digest),
                12 => item.key[64] ^= 1,
                13 => item.key = vec![0],
                14 => item.signature = [0; 64],
                // The same key, and its negative.
                15 => item.key = [&[2 + (item.key[64] & 1)], &item.key[1..33]].concat(),
                16 => item.key = [&[3 - (item.key[64] & 1)], &item.key[1..33]].concat(),
                _ => {}
            }
        }
        let verdicts = S::verify(&Engine::cpu().unwrap(), &items);
        Pool { items, verdicts }
    }

    /// Verifies `n` items in random order.
    fn check<S: Scheme>(&self, engine: &Engine, random: &mut Random, n: usize) {
        let order: Vec<usize> = (0..n).map(|_| random.below(self.items.len())).collect();
        let batch: Vec<Item> = order
            .iter()
            .map(|index| self.items[*index].clone())
            .collect();
        let verdicts = S::verify(engine, &batch);
        let wrong = order
            .iter()
            .zip(&verdicts)
            .position(|(index, verdict)| *verdict != self.verdicts[*index]);
        assert!(
            verdicts.len() == n && wrong.is_none(),
            "{}: item {wrong:?} of {n}",
            S::CURVE
        );
        assert!(engine.failures().is_empty());
    }
}

/// Returns how often tables of keys have been built since the last call, on an engine that times
/// its kernels.
fn builds(engine: &Engine) -> u64 {
    let times = engine.take_kernel_times();
    times
        .iter()
        .filter(|time| time.kernel.ends_with("key_table_start"))
        .map(|time| time.launches)
        .sum()
}

/// Keys of any order and in any encoding, valid or not: with and without tables the items have the
/// verdicts of the CPU, with their reasons. Tables that are built for one rule are used for others.
fn ed25519_by_every_rule() {
    let mut random = Random::new();
    let cpu = Engine::cpu().unwrap();
    let cases = ed25519::random_cases(&cpu, &mut random, 3000, 200);
    let engines: [fn(EngineBuilder) -> EngineBuilder; 3] = [
        |builder| builder.time_kernels(true),
        |builder| builder.time_kernels(true).chunk_items(1 << 17),
        |builder| builder.time_kernels(true).chunk_items(1 << 13),
    ];
    for (which, engine) in engines.into_iter().map(gpu).enumerate() {
        let mut built = Vec::new();
        for &rule in Rule::ALL {
            let known = ed25519::verify(&cpu, &cases, rule);
            // Half of them of a few keys, and with keys that occur once or twice.
            let order: Vec<usize> = (0..LARGE)
                .map(|at| random.below(if at % 2 == 0 { cases.len() } else { 20 }))
                .collect();
            let mut batch: Vec<Case> = order.iter().map(|case| cases[*case].clone()).collect();
            let seldom = ed25519::random_cases(&cpu, &mut random, 2000, 1000);
            let of_seldom = ed25519::verify(&cpu, &seldom, rule);
            batch.extend(seldom);
            let expected = order.iter().map(|case| known[*case]).chain(of_seldom);
            let wrong = ed25519::verify(&engine, &batch, rule)
                .into_iter()
                .zip(expected)
                .position(|(a, b)| a != b);
            assert_eq!(wrong, None, "{rule}");
            assert!(engine.failures().is_empty());
            built.push(builds(&engine));
        }
        announce(&format!("tables of Ed25519 were built {built:?} times"));
        assert_eq!(built[0] > 0, which < 2);
        assert!(engine.info().devices.len() > 1 || built.iter().sum::<u64>() < 4);
    }
}

fn keys_that_come_again_find_their_tables() {
    for options in [
        |builder: EngineBuilder| builder.time_kernels(true),
        |builder: EngineBuilder| builder.time_kernels(true).chunk_items(1 << 17),
    ] {
        let engine = gpu(options);
        let mut random = Random::new();
        // With several devices each has tables of its own.
        let devices = engine.info().devices.len() as u64;
        let mut counts = Vec::new();
        each_scheme!(two_calls(&engine, &mut random, &mut counts));
        announce(&format!("tables were built {counts:?} times in two calls"));
        assert!(devices > 1 || counts.iter().all(|count| *count == [1, 0]));
    }
}

fn two_calls<S: Scheme>(engine: &Engine, random: &mut Random, counts: &mut Vec<[u64; 2]>) {
    let pool = Pool::new::<S>(random, 200, 2000);
    counts.push([LARGE, LARGE].map(|n| {
        pool.check::<S>(engine, random, n);
        builds(engine)
    }));
}

fn other_keys_replace_the_tables() {
    let engine = gpu(|builder| builder.time_kernels(true));
    let mut random = Random::new();
    let pools = [200, 300].map(|keys| Pool::new::<Ecdsa<P256>>(&mut random, keys, 2000));
    let counts = [0, 1, 0, 0, 1, 1].map(|which: usize| {
        pools[which].check::<Ecdsa<P256>>(&engine, &mut random, LARGE);
        builds(&engine)
    });
    announce(&format!(
        "tables were built {counts:?} times as keys changed"
    ));
    assert!(engine.info().devices.len() > 1 || counts == [1, 1, 1, 0, 1, 0]);
}

/// Keys of which some occur often and most seldom, in chunks of every size, and with little memory
/// for tables.
fn verdicts_do_not_depend_on_tables() {
    let engines: [fn(EngineBuilder) -> EngineBuilder; 6] = [
        |builder| builder,
        |builder| builder.chunk_items(1 << 17),
        |builder| builder.chunk_items(150_000),
        |builder| builder.chunk_items(1000),
        |builder| builder.max_memory(768 << 20),
        |builder| builder.max_memory(64 << 20),
    ];
    let engines = engines.map(gpu);
    each_scheme!(mixtures(&engines));
}

fn mixtures<S: Scheme>(engines: &[Engine]) {
    let mut random = Random::new();
    let often = Pool::new::<S>(&mut random, 50, 1500);
    let seldom = Pool::new::<S>(&mut random, 1000, 1000);
    let both = Pool {
        items: [&often.items[..], &seldom.items].concat(),
        verdicts: [&often.verdicts[..], &seldom.verdicts].concat(),
    };
    for engine in engines {
        for pool in [&both, &often, &seldom, &both] {
            pool.check::<S>(engine, &mut random, LARGE);
        }
    }
}

/// Concurrent calls with different keys replace each other's tables, on all lanes.
fn calls_at_once_share_the_tables() {
    let engine = gpu(|builder| builder.chunk_items(1 << 17));
    let mut random = Random::new();
    let pools = [30, 150, 400].map(|keys| Pool::new::<Ecdsa<Secp256k1>>(&mut random, keys, 1200));
    let of_sm2 = Pool::new::<Sm2Dsa>(&mut random, 100, 1200);
    thread::scope(|scope| {
        for caller in 0..6 {
            let engine = &engine;
            let pools = &pools;
            let of_sm2 = &of_sm2;
            let mut random = Random::from_seed(random.word());
            scope.spawn(move || {
                for round in 0..4 {
                    if caller == 5 {
                        of_sm2.check::<Sm2Dsa>(engine, &mut random, 3 * LARGE / 2);
                    } else {
                        pools[(caller + round / 2) % 3].check::<Ecdsa<Secp256k1>>(
                            engine,
                            &mut random,
                            3 * LARGE / 2,
                        );
                    }
                }
            });
        }
    });
}
