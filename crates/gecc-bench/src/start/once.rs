//! A process that verifies one signature and reports its duration.

use crate::ALL_PASSED;
use crate::flags::StartOptions;
use crate::schemes;
use gecc::{Engine, Point};
use gecc_cli::failure::Failure;
use gecc_cli::measure::timing::timed;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// A signature in hexadecimal.
#[derive(Serialize, Deserialize)]
pub struct Item {
    digest: String,
    signature: String,
    /// 4, x and y.
    public_key: String,
}

impl Item {
    pub fn new(digest: [u8; 32], signature: [u8; 64], key: &Point) -> Self {
        let [digest, signature] = [&digest[..], &signature].map(const_hex::encode);
        Item {
            digest,
            signature,
            public_key: const_hex::encode(key.as_bytes()),
        }
    }
}

/// The durations of the phases of a process in seconds.
#[derive(Serialize, Deserialize)]
pub struct Phases {
    /// The start of the engine, and two calls.
    pub engine: f64,
    pub first: f64,
    pub next: f64,
    pub kernels: Vec<Kernels>,
}

/// A kernel file that was loaded.
#[derive(Serialize, Deserialize)]
pub struct Kernels {
    pub file: String,
    pub curve: String,
    pub origin: String,
    pub architecture: String,
    pub got: f64,
    pub loaded: f64,
}

/// Writes an empty line at the first verdict, followed by the phases.
pub fn run(options: &StartOptions) -> Result<u8, Failure> {
    let item = read_item()?;
    let (engine, engine_seconds) = timed(|| options.engine.start());
    let engine = engine?;
    let (verdict, first) = timed(|| verify(&engine, options, &item));
    verdict?;
    writeln!(io::stdout())?;
    io::stdout().flush()?;
    let (verdict, next) = timed(|| verify(&engine, options, &item));
    verdict?;
    let phases = Phases {
        engine: engine_seconds,
        first,
        next,
        kernels: kernels(&engine),
    };
    writeln!(
        io::stdout(),
        "{}",
        serde_json::to_string(&phases).expect("numbers and texts")
    )?;
    Ok(ALL_PASSED)
}

type Decoded = ([u8; 32], [u8; 64], Point);

fn read_item() -> Result<Decoded, Failure> {
    let item = serde_json::from_reader(io::stdin()).ok().and_then(decode);
    item.ok_or_else(|| "standard input holds no signature".to_owned().into())
}

fn decode(item: Item) -> Option<Decoded> {
    let digest = const_hex::decode_to_array(item.digest).ok()?;
    let signature = const_hex::decode_to_array(item.signature).ok()?;
    let key = Point::from_uncompressed(const_hex::decode_to_array(item.public_key).ok()?);
    Some((digest, signature, key.ok()?))
}

fn verify(
    engine: &Engine,
    options: &StartOptions,
    (digest, signature, key): &Decoded,
) -> Result<(), Failure> {
    let verdicts = schemes::verify(engine, options.curve, &[*digest], &[*signature], &[*key])?;
    match verdicts.all_valid() {
        true => Ok(()),
        false => Err("a valid signature was rejected".to_owned().into()),
    }
}

fn kernels(engine: &Engine) -> Vec<Kernels> {
    let loaded = engine.loaded_kernels().into_iter();
    loaded
        .map(|kernels| Kernels {
            file: kernels.file.to_owned(),
            curve: kernels.curve.to_owned(),
            origin: kernels.origin.to_string(),
            architecture: kernels.architecture,
            got: kernels.seconds,
            loaded: kernels.load_seconds,
        })
        .collect()
}
