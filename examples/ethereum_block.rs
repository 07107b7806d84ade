//! Recovers the senders of the transactions of Ethereum blocks and compares them with those that
//! the blocks state.
//!
//! `cargo run --release --example ethereum_block [-- PATH …]`
//!
//! Reads files and folders as `gecc ethereum senders` does: blocks of `eth_getBlockByNumber` with
//! full transactions, era1, RLP, Parquet. If the source states a transaction's hash it is computed
//! again, so that every part of the input is checked. Authorizations inside EIP-7702 transactions
//! are checked like transactions.

use gecc::Engine;
use gecc_chains::ethereum::{Options, senders};
use gecc_chains::{Settings, files_of};
use rayon::ThreadPoolBuilder;
use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The blocks of the example data. Cargo builds this file as a part of `crates/gecc-chains`.
const BLOCKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/ethereum");

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether every signer is the one that the block states.
fn run() -> Result<bool, Box<dyn Error>> {
    let mut paths: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(BLOCKS.into());
    }
    let files = files_of(&paths);
    let engine = Engine::new()?;
    let pool = ThreadPoolBuilder::new().build()?;
    let interrupted = AtomicBool::new(false);
    let settings = Settings::new(&engine, &pool, &interrupted);

    let start = Instant::now();
    let mut counts = BTreeMap::new();
    let mut valid = 0;
    let mut failures = 0;
    senders(&settings, &files, &Options::default(), |batch| {
        for answer in &batch.answers {
            let kind = answer.kind.name();
            let label = match &answer.reason {
                None => {
                    valid += 1;
                    kind.to_owned()
                }
                Some(reason) => {
                    failures += 1;
                    let hash = const_hex::encode_prefixed(answer.hash);
                    eprintln!("{kind} {hash}: {reason}");
                    format!("{kind}: {reason}")
                }
            };
            *counts.entry(label).or_insert(0) += 1;
        }
        for problem in &batch.progress.problems {
            failures += 1;
            eprintln!("{problem}");
        }
        ControlFlow::<()>::Continue(())
    })?;
    let time = start.elapsed();

    for (label, count) in &counts {
        println!("{count:8} {label}");
    }
    let all: usize = counts.values().sum();
    println!("{valid} of {all} signatures valid");
    // The example data are a small batch: `gecc bench` is for comparing speeds.
    println!("{:.1} ms on {engine}", 1e3 * time.as_secs_f64());
    Ok(failures == 0)
}
