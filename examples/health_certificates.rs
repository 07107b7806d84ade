//! Verifies signatures of the EU's digital health certificates (ECDSA on P-256) and compares the
//! verdicts with the known ones.
//!
//! `cargo run --release --example health_certificates [-- CERTIFICATES.json …]`
//!
//! The file is a list of `{"src", "hash", "r", "s", "pub", "valid"}`, one per certificate: the
//! SHA-256 of the `Sig_structure` of RFC 9052, section 4.4, the signature and the state's key. Some
//! are wrong on purpose, so this file also shows a batch in which a few items fail.

#[path = "common/args.rs"]
mod args;
mod common;

use common::ExampleResult;
use gecc::{Engine, P256, PublicKeys, ecdsa};
use serde::Deserialize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Deserialize)]
struct Row {
    src: String,
    hash: String,
    r: String,
    s: String,
    #[serde(rename = "pub")]
    key: String,
    valid: bool,
}

fn main() -> ExitCode {
    common::exit_code(run())
}

/// Returns whether every verdict is the one that the file states.
fn run() -> ExampleResult<bool> {
    let mut rows = Vec::new();
    for path in args::paths_or("p256/dgc_es256.json") {
        rows.extend(read_rows(&path).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    check(&rows)
}

fn read_rows(path: &Path) -> ExampleResult<Vec<Row>> {
    Ok(serde_json::from_slice(&std::fs::read(path)?)?)
}

/// Verifies all rows, prints the summary, and returns whether every verdict is the known one.
fn check(rows: &[Row]) -> ExampleResult<bool> {
    let digests = rows
        .iter()
        .map(|row| fixed(&row.hash))
        .collect::<ExampleResult<Vec<[u8; 32]>>>()?;
    let signatures = rows
        .iter()
        .map(|row| fixed(&format!("{}{}", row.r, row.s)))
        .collect::<ExampleResult<Vec<[u8; 64]>>>()?;
    let keys = rows
        .iter()
        .map(|row| fixed(&row.key))
        .collect::<ExampleResult<Vec<[u8; 65]>>>()?;
    let engine = Engine::new()?;
    let start = Instant::now();
    let keys = PublicKeys::uncompressed(&keys);
    let verdicts = ecdsa::verify(
        &engine,
        P256,
        &digests,
        &signatures,
        keys,
        Default::default(),
    )?;
    let time = start.elapsed();

    let mismatches: Vec<_> = rows
        .iter()
        .zip(verdicts.iter())
        .filter(|(row, v)| row.valid != v.is_valid())
        .collect();
    mismatches
        .iter()
        .for_each(|(row, verdict)| eprintln!("{}: {verdict}, which the file denies", row.src));
    for (index, reason) in verdicts.rejected() {
        println!("{}: {reason}", rows[index].src);
    }
    let rejected = verdicts.rejected().count();
    println!(
        "{} certificates valid, {rejected} rejected",
        rows.len() - rejected
    );
    println!("{} differ from the known answer", mismatches.len());
    println!(
        "{}",
        common::throughput("signatures", rows.len(), time, &engine)
    );
    Ok(mismatches.is_empty())
}

fn fixed<const N: usize>(digits: &str) -> ExampleResult<[u8; N]> {
    let mut bytes = [0; N];
    hex::decode_to_slice(digits, &mut bytes).map_err(|error| format!("{digits}: {error}"))?;
    Ok(bytes)
}
