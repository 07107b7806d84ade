//! Finds the members of a permissioned ledger that hold certificates whose SM2-with-SM3 signatures
//! fit the keys of their issuers.
//!
//! `cargo run --release --example sm2_certificates [-- PATH …]`
//!
//! Reads files and folders of PEM and DER as `gecc certificates` does. A certificate does not state
//! which user id its issuer signed with: the standard's and the empty one are tried. A certificate
//! whose issuer is not among the files is not checked: it is counted, and is not a failure.
//!
//! Only signatures are checked, because gecc does only that. A ledger also needs the rest of RFC
//! 5280, section 6: validity dates, CA flags, key usage, revocation. Several of the example
//! certificates were made to fail exactly those.

#[path = "common/args.rs"]
mod args;
mod common;
#[path = "common/summary.rs"]
mod summary;

use common::ExampleResult;
use gecc::Engine;
use gecc_chains::certificates::{Options, check};
use gecc_chains::{Settings, files_of};
use rayon::ThreadPoolBuilder;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use summary::Summary;

fn main() -> ExitCode {
    common::exit_code(run())
}

/// Returns whether every signature that is checked is valid.
fn run() -> ExampleResult<bool> {
    let paths = files_of(&args::paths_or("sm2"));
    let engine = Engine::new()?;
    let pool = ThreadPoolBuilder::new().build()?;
    let interrupted = AtomicBool::new(false);
    let settings = Settings::new(&engine, &pool, &interrupted);
    let options = Options::default();
    let mut summary = Summary::new();
    let found = check(&settings, &paths, &options)?;
    for answer in &found.answers {
        summary.count(answer.algorithm.name(), answer.reason.as_ref());
        if let (Some(false), Some(reason)) = (answer.valid(), answer.reason) {
            summary.fail(format_args!(
                "{}, at byte {}: {}: {reason}",
                answer.path.display(),
                answer.place,
                answer.subject
            ));
        }
    }
    found
        .problems
        .iter()
        .for_each(|problem| summary.fail(problem));
    Ok(summary.print("certificates", &engine))
}
