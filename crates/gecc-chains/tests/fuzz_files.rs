//! Mutated files through every reader: no panic, and nothing holds that was not in the file before.
//!
//! Runs for some seconds of one core, spread over the kinds of files; `GECC_FUZZ_SECONDS` sets
//! another time.

#[path = "../../../tests/harness/random.rs"]
mod random;

use gecc::Engine;
use gecc_chains::{BlockRange, Paths, Settings, bitcoin, certificates, ethereum, files_of};
use rand::{Rng, RngExt};
use random::Random;
use rayon::ThreadPoolBuilder;
use serde_json::Value;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The default running time.
const SECONDS: f64 = 6.0;
/// The byte values at which decoders branch.
const BRANCHING: [u8; 14] = [
    0, 1, 2, 3, 0x30, 0x7f, 0x80, 0x81, 0xb8, 0xc0, 0xf7, 0xf8, 0xfe, 0xff,
];

fn at(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.random_range(1..5) {
        if bytes.is_empty() {
            return;
        }
        let place = random.random_range(0..bytes.len());
        let end = (place + random.random_range(1..200)).min(bytes.len());
        match random.random_range(0..7) {
            0 => bytes[place] ^= 1 << random.random_range(0..8),
            1 => bytes[place] = BRANCHING[random.random_range(0..BRANCHING.len())],
            2 => bytes.truncate(place),
            3 => drop(bytes.drain(place..end)),
            4 => {
                let again = bytes[place..end].to_vec();
                let to = random.random_range(0..bytes.len());
                bytes.splice(to..to, again);
            }
            5 => bytes[place..end].fill(BRANCHING[random.random_range(0..BRANCHING.len())]),
            _ => random.fill_bytes(&mut bytes[place..end.min(place + 8)]),
        }
    }
}

/// Checks files of one kind: returns a text for each valid signature, and the number of problems.
type Check = fn(&Settings, &Paths) -> (Vec<String>, usize);

fn senders(settings: &Settings, paths: &Paths) -> (Vec<String>, usize) {
    let mut found = Vec::new();
    let mut problems = 0;
    let ended = ethereum::senders(settings, paths, &ethereum::Options::default(), |batch| {
        let holding = batch
            .answers
            .iter()
            .filter(|answer| answer.valid() == Some(true));
        found.extend(holding.map(|answer| {
            format!(
                "{:?} {:?} {:?}",
                answer.hash, answer.authorization, answer.from
            )
        }));
        problems += batch.progress.problems.len();
        ControlFlow::<()>::Continue(())
    });
    ended.expect("the CPU computes");
    (found, problems)
}

fn inputs(settings: &Settings, paths: &Paths) -> (Vec<String>, usize) {
    let mut found = Vec::new();
    let mut problems = 0;
    let ended = bitcoin::verify(settings, paths, BlockRange::default(), |batch| {
        let holding = batch
            .answers
            .iter()
            .filter(|answer| answer.valid() == Some(true));
        found.extend(holding.map(|answer| format!("{:?} {}", answer.txid, answer.input)));
        problems += batch.progress.problems.len();
        ControlFlow::<()>::Continue(())
    });
    ended.expect("the CPU computes");
    (found, problems)
}

fn signed(settings: &Settings, paths: &Paths) -> (Vec<String>, usize) {
    let found = certificates::check(settings, paths, &certificates::Options::default())
        .expect("the CPU computes");
    let holding = found
        .answers
        .iter()
        .filter(|answer| answer.valid() == Some(true));
    (
        holding
            .map(|answer| format!("{} {}", answer.subject, answer.issuer))
            .collect(),
        found.problems.len(),
    )
}

/// Returns whether a transaction in JSON has neither a hash nor a sender, so that its signature
/// cannot be compared with anything.
fn states_nothing(text: &[u8]) -> bool {
    // Like the reader, which does not look at the bytes of strings that it skips.
    serde_json::from_str(&String::from_utf8_lossy(text))
        .is_ok_and(|value| has_bare_transaction(&value))
}

fn has_bare_transaction(value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            members.contains_key("gas")
                && ["hash", "from"]
                    .iter()
                    .all(|name| members.get(*name).is_none_or(Value::is_null))
                || members.values().any(has_bare_transaction)
        }
        Value::Array(values) => values.iter().any(has_bare_transaction),
        _ => false,
    }
}

#[test]
fn mutated_files() {
    let seconds = std::env::var("GECC_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(SECONDS);
    let kinds: [(Check, &[&str]); 11] = [
        (senders, &["tests/data/sepolia-00021-txblocks.era1"]),
        (senders, &["tests/data/made-postmerge.e2s"]),
        (senders, &["tests/data/mainnet-00000-first16.era1"]),
        (
            senders,
            &["tests/data/ethereum__transactions__polars.parquet"],
        ),
        (senders, &["tests/data/amp_evm_transactions.parquet"]),
        (
            senders,
            &["../../examples/data/ethereum/block_1920000.json"],
        ),
        (
            senders,
            &["../../examples/data/ethereum/block_22431082.json"],
        ),
        (
            inputs,
            &[
                "tests/data/blkrev/blk00000.dat",
                "tests/data/blkrev/rev00000.dat",
                "tests/data/blkrev/xor.dat",
            ],
        ),
        (
            inputs,
            &[
                "../../examples/data/bitcoin/block1087400.raw",
                "../../examples/data/bitcoin/block1087400-undo.raw",
            ],
        ),
        (
            inputs,
            &["tests/data/taproot.raw", "tests/data/taproot-undo.raw"],
        ),
        (signed, &["../../examples/data/sm2/sm2_certs.pem"]),
    ];
    let engine = Engine::cpu().unwrap();
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let interrupted = AtomicBool::new(false);
    let settings = Settings {
        batch: Some(500),
        ..Settings::new(&engine, &pool, &interrupted)
    };
    let mut random = Random::new();
    for (check, names) in kinds {
        let mut rounds = 0;
        let until = Instant::now() + Duration::from_secs_f64(seconds / kinds.len() as f64);
        let files: Vec<PathBuf> = names.iter().map(|name| at(name)).collect();
        let (known, problems) = check(&settings, &files_of(&files));
        assert_eq!(problems, 0, "{names:?}");
        let known: HashSet<String> = known.into_iter().collect();
        while Instant::now() < until {
            let folder = tempfile::tempdir().unwrap();
            let changed = random.random_range(0..files.len());
            let mut compared = true;
            for (index, path) in files.iter().enumerate() {
                let mut bytes = std::fs::read(path).unwrap();
                if index == changed {
                    mutate(&mut bytes, &mut random);
                    compared = !states_nothing(&bytes);
                }
                std::fs::write(folder.path().join(path.file_name().unwrap()), bytes).unwrap();
            }
            let (found, _) = check(&settings, &files_of(&[folder.path().to_owned()]));
            let is_new = found.iter().find(|found| !known.contains(*found));
            assert!(!compared || is_new.is_none(), "{names:?}: {is_new:?}");
            rounds += 1;
        }
        println!("{rounds} times {}", names[0]);
    }
}
