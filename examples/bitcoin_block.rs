//! Verifies that the inputs of Bitcoin blocks were signed by those who could spend them.
//!
//! `cargo run --release --example bitcoin_block [-- PATH …]`
//!
//! Reads files and folders as `gecc bitcoin verify` does: a block as `NAME.raw` with the outputs
//! that its inputs spend in `NAME-undo.raw`, or the folder where Bitcoin Core keeps blocks. Inputs
//! whose script has no known form are not checked: they are counted, and are not failures.

#[path = "common/args.rs"]
mod args;
mod common;
#[path = "common/summary.rs"]
mod summary;

use common::ExampleResult;
use gecc::Engine;
use gecc_chains::bitcoin::verify;
use gecc_chains::{BlockRange, Settings, files_of};
use rayon::ThreadPoolBuilder;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use summary::Summary;

fn main() -> ExitCode {
    common::exit_code(run())
}

/// Returns whether every input of known form is properly signed.
fn run() -> ExampleResult<bool> {
    let paths = files_of(&args::paths_or("bitcoin"));
    let engine = Engine::new()?;
    let pool = ThreadPoolBuilder::new().build()?;
    let interrupted = AtomicBool::new(false);
    let settings = Settings::new(&engine, &pool, &interrupted);
    let mut summary = Summary::new();
    verify(&settings, &paths, BlockRange::default(), |batch| {
        for answer in &batch.answers {
            summary.count(answer.template.name(), answer.reason.as_ref());
            if let (Some(false), Some(reason)) = (answer.valid(), answer.reason) {
                summary.fail(format_args!("{}:{}: {reason}", answer.txid, answer.input));
            }
        }
        batch
            .progress
            .problems
            .iter()
            .for_each(|problem| summary.fail(problem));
        ControlFlow::<()>::Continue(())
    })?;
    Ok(summary.print("inputs", &engine))
}
