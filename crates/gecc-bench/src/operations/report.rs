//! Reports measurements as a table, as JSON and as a plot.

use crate::draw::plot::{Line, Panel, svg};
use crate::measure::PublicCall;
use gecc::KernelTime;
use gecc_bench::kernels::arithmetic::Arithmetic;
use gecc_cli::failure::Failure;
use gecc_cli::measure::rate;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::Path;

/// The measurement of an operation on a batch of one size.
pub struct Row {
    pub curve: &'static str,
    pub operation: String,
    pub items: usize,
    /// The number of operations in the batch: more than items for chains.
    pub count: u64,
    /// The seconds from memory to memory, and of the kernels alone.
    pub end_to_end: Option<f64>,
    pub kernels: Option<f64>,
}

/// The measurement of one kernel in a call.
pub struct KernelRow<'a> {
    pub curve: &'static str,
    pub operation: &'a str,
    pub items: usize,
    pub time: KernelTime,
}

/// The latency of a small batch.
pub struct LatencyRow<'a> {
    pub curve: &'static str,
    pub operation: &'a str,
    pub engine: &'static str,
    pub items: usize,
    pub seconds: f64,
}

pub struct Report {
    json: bool,
    kernels: bool,
    engine: String,
    rows: Vec<Row>,
}

impl Report {
    pub fn new(json: bool, kernels: bool, engine: String) -> Result<Self, Failure> {
        let report = Report {
            json,
            kernels,
            engine,
            rows: Vec::new(),
        };
        if !json {
            writeln!(io::stdout(), "{}\n", report.engine)?;
            let curve = "curve";
            let operation = "operation";
            let items = "items";
            writeln!(
                io::stdout(),
                "{curve:15} {operation:28} {items:>9} {:>12} {:>12}",
                "end to end",
                "kernels"
            )?;
        }
        Ok(report)
    }

    pub fn row(&mut self, row: Row) -> Result<(), Failure> {
        let Row {
            curve,
            operation,
            items,
            count,
            end_to_end,
            kernels,
        } = &row;
        let count = *count as f64;
        if self.json {
            let mut object = Map::new();
            object.insert("curve".to_owned(), (*curve).into());
            object.insert("operation".to_owned(), operation.as_str().into());
            object.insert("items".to_owned(), (*items).into());
            for (prefix, seconds) in [("", *end_to_end), ("kernel_", *kernels)] {
                if let Some(seconds) = seconds {
                    object.insert(format!("{prefix}seconds"), seconds.into());
                    object.insert(format!("{prefix}per_second"), (count / seconds).into());
                }
            }
            writeln!(io::stdout(), "{}", Value::Object(object))?;
        } else {
            let [end_to_end, kernels] = [*end_to_end, *kernels]
                .map(|seconds| seconds.map_or("-".to_owned(), |seconds| rate(count / seconds)));
            writeln!(
                io::stdout(),
                "{curve:15} {operation:28} {items:>9} {end_to_end:>12} {kernels:>12}"
            )?;
        }
        self.rows.push(row);
        Ok(())
    }

    /// Prints the row if kernels are requested.
    pub fn kernel(&self, row: &KernelRow) -> Result<(), Failure> {
        if !self.kernels {
            return Ok(());
        }
        let KernelRow {
            curve,
            operation,
            items,
            time:
                KernelTime {
                    kernel,
                    seconds,
                    launches,
                    ..
                },
        } = row;
        if self.json {
            let row = json!({
                "curve": curve, "operation": operation, "items": items, "kernel": kernel,
                "kernel_seconds": seconds, "launches": launches,
            });
            writeln!(io::stdout(), "{row}")?;
        } else {
            writeln!(
                io::stdout(),
                "                {kernel:36} {:>10.3} ms  {launches:>3} launches",
                seconds * 1e3
            )?;
        }
        Ok(())
    }

    pub fn latency(&self, row: &LatencyRow) -> Result<(), Failure> {
        let LatencyRow {
            curve,
            operation,
            engine,
            items,
            seconds,
        } = row;
        let milliseconds = seconds * 1e3;
        if self.json {
            let row = json!({
                "curve": curve, "operation": operation, "engine": engine, "items": items, "latency_ms": milliseconds,
            });
            writeln!(io::stdout(), "{row}")?;
        } else {
            writeln!(
                io::stdout(),
                "{curve:15} {operation:28} {items:>9} {milliseconds:>9.3} ms a call on the {engine}"
            )?;
        }
        Ok(())
    }

    /// Draws one row of panels per group of operations, with one column per curve.
    pub fn plot(&self, path: &Path) -> Result<(), Failure> {
        let mut curves: Vec<&str> = self.rows.iter().map(|row| row.curve).collect();
        curves.dedup();
        let rows: Vec<_> = groups()
            .into_iter()
            .map(|(title, operations)| {
                let panels: Vec<_> = curves
                    .iter()
                    .map(|curve| self.panel(&operations, curve))
                    .collect();
                (title, operations, panels)
            })
            .filter(|(_, _, panels): &(_, Vec<String>, Vec<Panel>)| {
                panels.iter().any(|panel| !panel.lines.is_empty())
            })
            .collect();
        let text = svg(
            "Items per second against the size of the batch",
            &self.engine,
            &rows,
        );
        std::fs::write(path, text)
            .map_err(|problem| Failure::Problem(format!("{}: {problem}", path.display())))
    }

    fn panel(&self, operations: &[String], curve: &str) -> Panel {
        let operations = operations.iter().enumerate();
        Panel {
            title: curve.to_owned(),
            lines: operations
                .flat_map(|(colour, operation)| self.lines(curve, operation, colour))
                .collect(),
        }
    }

    /// Returns the measurements of an operation: end to end, and kernels.
    fn lines(&self, curve: &str, operation: &str, colour: usize) -> Vec<Line> {
        let mut end_to_end = Line {
            colour,
            dashed: false,
            points: Vec::new(),
        };
        let mut kernels = Line {
            colour,
            dashed: true,
            points: Vec::new(),
        };
        for row in self
            .rows
            .iter()
            .filter(|row| row.curve == curve && row.operation == operation)
        {
            for (line, seconds) in [
                (&mut end_to_end, row.end_to_end),
                (&mut kernels, row.kernels),
            ] {
                line.points
                    .extend(seconds.map(|seconds| (row.items as f64, row.count as f64 / seconds)));
            }
        }
        [end_to_end, kernels]
            .into_iter()
            .filter(|line| !line.points.is_empty())
            .collect()
    }
}

/// Returns the groups of operations that share a panel.
fn groups() -> Vec<(&'static str, Vec<String>)> {
    let arithmetic = Arithmetic::ALL
        .iter()
        .map(|arithmetic| arithmetic.name().to_owned())
        .collect();
    let mut groups = vec![("Arithmetic", arithmetic)];
    for (title, operations) in GROUPS {
        groups.push((
            *title,
            operations
                .iter()
                .map(|operation| operation.name())
                .collect(),
        ));
    }
    groups
}

const GROUPS: &[(&str, &[PublicCall])] = &[
    (
        "Additions and decoding",
        &[PublicCall::Add, PublicCall::Double, PublicCall::Decompress],
    ),
    (
        "Multiplications",
        &[
            PublicCall::MulBase,
            PublicCall::PublicKeys,
            PublicCall::Mul,
            PublicCall::Msm,
            PublicCall::Ecdh,
            PublicCall::EcdhOneSecret,
        ],
    ),
    (
        "Private set intersection",
        &[
            PublicCall::HashToCurve,
            PublicCall::Mask,
            PublicCall::Remask,
        ],
    ),
    (
        "Signatures",
        &[
            PublicCall::Sign,
            PublicCall::Verify,
            PublicCall::Verify1000Keys,
            PublicCall::Verify100Keys,
            PublicCall::BatchVerify,
            PublicCall::Recover,
            PublicCall::RecoverAddresses,
            PublicCall::RecoverAddressesCandidates,
        ],
    ),
    (
        "Taproot",
        &[
            PublicCall::Bip340Verify,
            PublicCall::Bip340BatchVerify,
            PublicCall::Bip340Sign,
            PublicCall::Bip340SignKnownKeys,
            PublicCall::TaprootTweak,
        ],
    ),
    (
        "Ed25519",
        &[
            PublicCall::Ed25519Sign,
            PublicCall::Ed25519SignExpanded,
            PublicCall::Ed25519Verify,
            PublicCall::Ed25519Verify1000Keys,
            PublicCall::Ed25519BatchVerify,
        ],
    ),
    ("X25519", &[PublicCall::X25519, PublicCall::X25519OneSecret]),
    (
        "ristretto255",
        &[
            PublicCall::Ristretto255Mul,
            PublicCall::Ristretto255MulOneSecret,
            PublicCall::Ristretto255Hash,
        ],
    ),
];
