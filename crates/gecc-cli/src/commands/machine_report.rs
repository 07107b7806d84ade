//! A row for the table of machines in docs/platforms.md, measured on this machine.

use crate::flags::BenchOperation;
use crate::installation;
use crate::measure::calls::{Case, Inputs};
use crate::measure::{default_items, rate};
use crate::output::Failure;
use chrono::Utc;
use gecc::{Backend, CurveId, Engine};
use serde_json::{Value, json};
use std::fmt;
use std::fs;

const CURVE: CurveId = CurveId::Secp256k1;

/// The measured operations, with distinct keys, and their columns.
const OPERATIONS: [(&str, BenchOperation); 5] = [
    ("verify", BenchOperation::Verify),
    ("batch_verification", BenchOperation::BatchVerify),
    ("recover", BenchOperation::Recover),
    ("sign", BenchOperation::Sign),
    ("ECDH", BenchOperation::Ecdh),
];

/// The names of columns with their values.
pub struct MachineRow(Vec<(&'static str, String)>);

impl MachineRow {
    pub fn json(&self) -> Value {
        self.0
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

/// Formats the head of the table and the row in Markdown.
impl fmt::Display for MachineRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, values): (Vec<&str>, Vec<&str>) =
            self.0.iter().map(|(name, value)| (*name, &**value)).unzip();
        writeln!(
            f,
            "| {} |\n|{}\n| {} |",
            names.join(" | "),
            "---|".repeat(names.len()),
            values.join(" | ")
        )
    }
}

/// Measures each operation from and to the caller's memory, and compares the results with those of
/// the CPU.
///
/// # Errors
/// Returns an error if a call fails or its results differ from the CPU's.
pub fn row(engine: &Engine) -> Result<MachineRow, Failure> {
    let batch_verification = installation::engine()?.batch_verification(true).build()?;
    let reference = Engine::cpu()?;
    let items = items(engine);
    let inputs = Inputs::random(engine, CURVE, items)?;
    let mut columns = vec![
        ("machine", machine(engine)),
        ("seen", Utc::now().format("%Y-%m-%d").to_string()),
        ("gecc", env!("CARGO_PKG_VERSION").to_owned()),
        ("driver", driver().unwrap_or_else(|| "–".to_owned())),
        ("known answers", "all".to_owned()),
    ];
    for (name, operation) in OPERATIONS {
        let on_curve = operation.on(CURVE).expect("secp256k1 has every operation");
        let case = Case::new(engine, &inputs, on_curve)?;
        let engine = if operation.is_batch_verification() {
            &batch_verification
        } else {
            engine
        };
        columns.push((name, rate(items as f64 / case.seconds(engine, &reference)?)));
    }
    Ok(MachineRow(columns))
}

/// Returns a number of items that takes long enough to measure: larger for engines with more
/// parallelism.
fn items(engine: &Engine) -> usize {
    let most = 4 * default_items(engine);
    let info = engine.info();
    if info.backend == Backend::Gpu {
        most
    } else {
        most.min(4096 * info.threads)
    }
}

/// Returns the names of the GPUs, or the processor with its number of threads.
fn machine(engine: &Engine) -> String {
    let info = engine.info();
    if !info.devices.is_empty() {
        return info.devices.join(", ");
    }
    let processor =
        line_of("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{processor}, {} threads", info.threads)
}

/// Returns the version of the kernel driver: the first word of its description that is numbers
/// separated by dots.
fn driver() -> Option<String> {
    let description = fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    description
        .split_whitespace()
        .find(|word| is_version(word))
        .map(str::to_owned)
}

fn is_version(word: &str) -> bool {
    word.contains('.') && word.split('.').all(|part| part.parse::<u32>().is_ok())
}

/// Returns the value on the first line of a file that begins with `name`.
fn line_of(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let (_, value) = text
        .lines()
        .find(|line| line.starts_with(name))?
        .split_once(':')?;
    Some(value.trim().to_owned())
}
