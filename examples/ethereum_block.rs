//! Recovers the senders of the transactions of Ethereum blocks and compares them with those that
//! the blocks state.
//!
//! `cargo run --release --example ethereum_block [-- PATH …]`
//!
//! Reads files and folders as `gecc ethereum senders` does: blocks of `eth_getBlockByNumber` with
//! full transactions, era1, RLP, Parquet. If the source states a transaction's hash it is computed
//! again, so that every part of the input is checked. Authorizations inside EIP-7702 transactions
//! are checked like transactions.

#[path = "common/args.rs"]
mod args;
mod common;
#[path = "common/summary.rs"]
mod summary;

use common::ExampleResult;
use gecc::Engine;
use gecc_chains::ethereum::{Options, senders};
use gecc_chains::{Settings, files_of};
use rayon::ThreadPoolBuilder;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use summary::Summary;

fn main() -> ExitCode {
    common::exit_code(run())
}

/// Returns whether every signer is the one that the block states.
fn run() -> ExampleResult<bool> {
    let paths = files_of(&args::paths_or("ethereum"));
    let engine = Engine::new()?;
    let pool = ThreadPoolBuilder::new().build()?;
    let interrupted = AtomicBool::new(false);
    let settings = Settings::new(&engine, &pool, &interrupted);
    let mut summary = Summary::new();
    senders(&settings, &paths, &Options::default(), |batch| {
        for answer in &batch.answers {
            summary.count(answer.kind.name(), answer.reason.as_ref());
            if let Some(reason) = &answer.reason {
                let hash = const_hex::encode_prefixed(answer.hash);
                summary.fail(format_args!("{} {hash}: {reason}", answer.kind.name()));
            }
        }
        batch
            .progress
            .problems
            .iter()
            .for_each(|problem| summary.fail(problem));
        ControlFlow::<()>::Continue(())
    })?;
    Ok(summary.print("signatures", &engine))
}
