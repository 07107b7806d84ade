//! Verifies signatures of the EU's digital health certificates (ECDSA on P-256) and compares the
//! verdicts with the known ones.
//!
//! `cargo run --release --example health_certificates [-- CERTIFICATES.json …]`
//!
//! The file is a list of `{"src", "hash", "r", "s", "pub", "valid"}`, one per certificate: the
//! SHA-256 of the `Sig_structure` of RFC 9052, section 4.4, the signature and the state's key. Some
//! are wrong on purpose, so this file also shows a batch in which a few items fail.

use gecc::{Engine, P256, PublicKeys, ecdsa};
use serde::Deserialize;
use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// The certificates of the example data.
const CERTIFICATES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/examples/data/p256/dgc_es256.json"
);

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
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether every verdict is the one that the file states.
fn run() -> Result<bool, Box<dyn Error>> {
    let mut paths: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(CERTIFICATES.into());
    }
    let mut rows = Vec::new();
    for path in &paths {
        rows.extend(read_rows(path).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    check(&rows)
}

fn read_rows(path: &Path) -> Result<Vec<Row>, Box<dyn Error>> {
    Ok(serde_json::from_slice(&std::fs::read(path)?)?)
}

/// Verifies all rows, prints the summary, and returns whether every verdict is the known one.
fn check(rows: &[Row]) -> Result<bool, Box<dyn Error>> {
    let mut digests: Vec<[u8; 32]> = Vec::new();
    let mut signatures: Vec<[u8; 64]> = Vec::new();
    let mut keys: Vec<[u8; 65]> = Vec::new();
    for row in rows {
        digests.push(fixed(&row.hash)?);
        signatures.push(fixed(&format!("{}{}", row.r, row.s))?);
        keys.push(fixed(&row.key)?);
    }
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

    let mut rejected = 0;
    let mut mismatches = 0;
    for (row, verdict) in rows.iter().zip(verdicts.iter()) {
        if !verdict.is_valid() {
            rejected += 1;
            println!("{}: {verdict}", row.src);
        }
        if verdict.is_valid() != row.valid {
            mismatches += 1;
            eprintln!("{}: {verdict}, which the file denies", row.src);
        }
    }
    let valid = rows.len() - rejected;
    println!("{valid} certificates valid, {rejected} rejected");
    println!("{mismatches} differ from the known answer");
    // The example data are a small batch: `gecc bench` is for comparing speeds.
    println!("{:.1} ms on {engine}", 1e3 * time.as_secs_f64());
    Ok(mismatches == 0)
}

/// Decodes hexadecimal digits.
fn fixed<const N: usize>(digits: &str) -> Result<[u8; N], Box<dyn Error>> {
    let mut bytes = [0; N];
    hex::decode_to_slice(digits, &mut bytes).map_err(|error| format!("{digits}: {error}"))?;
    Ok(bytes)
}
