//! Verifies that the inputs of Bitcoin blocks were signed by those who could spend them.
//!
//! `cargo run --release --example bitcoin_block [-- PATH …]`
//!
//! Reads files and folders as `gecc bitcoin verify` does: a block as `NAME.raw` with the outputs
//! that its inputs spend in `NAME-undo.raw`, or the folder where Bitcoin Core keeps blocks. Inputs
//! whose script has no known form are not checked: they are counted, and are not failures.

use gecc::Engine;
use gecc_chains::bitcoin::verify;
use gecc_chains::{BlockRange, Settings, files_of};
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
const BLOCKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/bitcoin");

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

/// Returns whether every input of known form is properly signed.
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
    verify(&settings, &files, BlockRange::default(), |batch| {
        for answer in &batch.answers {
            let template = answer.template.name();
            let label = match answer.reason {
                None => {
                    valid += 1;
                    template.to_owned()
                }
                Some(reason) => {
                    // `None` means that the input was not checked.
                    if answer.valid() == Some(false) {
                        failures += 1;
                        eprintln!("{}:{}: {reason}", answer.txid, answer.input);
                    }
                    format!("{template}: {reason}")
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
    println!("{valid} of {all} inputs valid");
    // The example data are a small batch: `gecc bench` is for comparing speeds.
    println!("{:.1} ms on {engine}", 1e3 * time.as_secs_f64());
    Ok(failures == 0)
}
