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

use gecc::Engine;
use gecc_chains::certificates::{Options, check};
use gecc_chains::{Settings, files_of};
use rayon::ThreadPoolBuilder;
use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The certificates of the example data. Cargo builds this file as a part of `crates/gecc-chains`.
const CERTIFICATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/sm2");

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

/// Returns whether every signature that is checked is valid.
fn run() -> Result<bool, Box<dyn Error>> {
    let mut paths: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(CERTIFICATES.into());
    }
    let files = files_of(&paths);
    let engine = Engine::new()?;
    let pool = ThreadPoolBuilder::new().build()?;
    let interrupted = AtomicBool::new(false);
    let settings = Settings::new(&engine, &pool, &interrupted);

    let start = Instant::now();
    let found = check(&settings, &files, &Options::default())?;
    let time = start.elapsed();

    let mut counts = BTreeMap::new();
    let mut valid = 0;
    let mut failures = found.problems.len();
    for answer in &found.answers {
        let algorithm = answer.algorithm.name();
        let label = match answer.reason {
            None => {
                valid += 1;
                algorithm.to_owned()
            }
            Some(reason) => {
                // `None` means that the certificate was not checked.
                if answer.valid() == Some(false) {
                    failures += 1;
                    let path = answer.path.display();
                    let subject = &answer.subject;
                    eprintln!("{path}, at byte {}: {subject}: {reason}", answer.place);
                }
                format!("{algorithm}: {reason}")
            }
        };
        *counts.entry(label).or_insert(0) += 1;
    }
    for problem in &found.problems {
        eprintln!("{problem}");
    }

    for (label, count) in &counts {
        println!("{count:8} {label}");
    }
    let all = found.answers.len();
    println!("{valid} of {all} certificates valid");
    // The example data are a small batch: `gecc bench` is for comparing speeds.
    println!("{:.1} ms on {engine}", 1e3 * time.as_secs_f64());
    Ok(failures == 0)
}
