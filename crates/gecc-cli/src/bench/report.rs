//! What was measured, as a table, as JSON and as a plot.

use crate::draw::plot::{Line, Panel, svg};
use crate::flags::Operation;
use crate::output::Failure;
use gecc::KernelTime;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::Path;

/// An operation on a batch of one size.
pub struct Row {
    pub curve: &'static str,
    pub operation: Operation,
    pub items: usize,
    /// Operations in the batch: more than items in chains.
    pub count: u64,
    /// Seconds from memory to memory, and of the kernels alone.
    pub end_to_end: Option<f64>,
    pub kernels: Option<f64>,
}

/// One kernel of a call.
pub struct KernelRow {
    pub curve: &'static str,
    pub operation: Operation,
    pub items: usize,
    pub time: KernelTime,
}

/// A small batch.
pub struct LatencyRow {
    pub curve: &'static str,
    pub operation: Operation,
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
        let report = Report { json, kernels, engine, rows: Vec::new() };
        if !json {
            writeln!(io::stdout(), "{}\n", report.engine)?;
            let (curve, operation, items) = ("curve", "operation", "items");
            writeln!(io::stdout(), "{curve:15} {operation:28} {items:>9} {:>12} {:>12}", "end to end", "kernels")?;
        }
        Ok(report)
    }

    pub fn row(&mut self, row: Row) -> Result<(), Failure> {
        let Row { curve, operation, items, count, end_to_end, kernels } = row;
        let (name, per_second) = (operation.name(), |seconds: f64| count as f64 / seconds);
        if self.json {
            let mut object = Map::new();
            object.insert("curve".to_owned(), curve.into());
            object.insert("operation".to_owned(), name.into());
            object.insert("items".to_owned(), items.into());
            for (prefix, seconds) in [("", end_to_end), ("kernel_", kernels)] {
                if let Some(seconds) = seconds {
                    object.insert(format!("{prefix}seconds"), seconds.into());
                    object.insert(format!("{prefix}per_second"), per_second(seconds).into());
                }
            }
            writeln!(io::stdout(), "{}", Value::Object(object))?;
        } else {
            let [end_to_end, kernels] = [end_to_end, kernels]
                .map(|seconds| seconds.map_or("-".to_owned(), |seconds| rate(per_second(seconds))));
            writeln!(io::stdout(), "{curve:15} {name:28} {items:>9} {end_to_end:>12} {kernels:>12}")?;
        }
        self.rows.push(row);
        Ok(())
    }

    /// Prints nothing unless kernels are asked for.
    pub fn kernel(&self, row: &KernelRow) -> Result<(), Failure> {
        if !self.kernels {
            return Ok(());
        }
        let KernelRow { curve, operation, items, time: KernelTime { kernel, seconds, launches, .. } } = row;
        if self.json {
            let row = json!({
                "curve": curve, "operation": operation.name(), "items": items, "kernel": kernel,
                "kernel_seconds": seconds, "launches": launches,
            });
            writeln!(io::stdout(), "{row}")?;
        } else {
            writeln!(io::stdout(), "                {kernel:36} {:>10.3} ms  {launches:>3} launches", seconds * 1e3)?;
        }
        Ok(())
    }

    pub fn latency(&self, row: &LatencyRow) -> Result<(), Failure> {
        let LatencyRow { curve, operation, engine, items, seconds } = row;
        let (name, milliseconds) = (operation.name(), seconds * 1e3);
        if self.json {
            let row = json!({
                "curve": curve, "operation": name, "engine": engine, "items": items, "latency_ms": milliseconds,
            });
            writeln!(io::stdout(), "{row}")?;
        } else {
            writeln!(io::stdout(), "{curve:15} {name:28} {items:>9} {milliseconds:>9.3} ms a call on the {engine}")?;
        }
        Ok(())
    }

    /// One row of panels per group of operations, one column per curve.
    pub fn plot(&self, path: &Path) -> Result<(), Failure> {
        let mut curves: Vec<&str> = self.rows.iter().map(|row| row.curve).collect();
        curves.dedup();
        let panel = |operations: &[Operation], curve: &str| Panel {
            title: curve.to_owned(),
            lines: operations
                .iter()
                .enumerate()
                .flat_map(|(colour, operation)| self.lines(curve, *operation, colour))
                .collect(),
        };
        let rows: Vec<_> = GROUPS
            .iter()
            .map(|(title, operations)| {
                let panels: Vec<_> = curves.iter().map(|curve| panel(operations, curve)).collect();
                (*title, operations.iter().map(|operation| operation.name()).collect(), panels)
            })
            .filter(|(_, _, panels): &(_, Vec<String>, Vec<Panel>)| panels.iter().any(|panel| !panel.lines.is_empty()))
            .collect();
        let text = svg("Items per second against the size of the batch", &self.engine, &rows);
        std::fs::write(path, text).map_err(|problem| Failure::Problem(format!("{}: {problem}", path.display())))
    }

    /// The measurements of an operation: end to end, and kernels.
    fn lines(&self, curve: &str, operation: Operation, colour: usize) -> Vec<Line> {
        let rows = || self.rows.iter().filter(move |row| row.curve == curve && row.operation == operation);
        let line = |dashed: bool, seconds: fn(&Row) -> Option<f64>| Line {
            colour,
            dashed,
            points: rows().filter_map(|row| Some((row.items as f64, row.count as f64 / seconds(row)?))).collect(),
        };
        let lines = [line(false, |row| row.end_to_end), line(true, |row| row.kernels)];
        lines.into_iter().filter(|line| !line.points.is_empty()).collect()
    }
}

/// Operations that share a panel.
const GROUPS: &[(&str, &[Operation])] = &[
    ("Arithmetic", &[Operation::FieldMul, Operation::FieldSquare, Operation::ScalarMul, Operation::BatchInverse]),
    ("Additions and decoding", &[Operation::Add, Operation::Double, Operation::Decompress]),
    (
        "Multiplications",
        &[
            Operation::MulBase,
            Operation::PublicKeys,
            Operation::Mul,
            Operation::Msm,
            Operation::Ecdh,
            Operation::EcdhOneSecret,
        ],
    ),
    (
        "Signatures",
        &[
            Operation::Sign,
            Operation::Verify,
            Operation::Verify1000Keys,
            Operation::Verify100Keys,
            Operation::VerifyRecoverableTogether,
            Operation::Recover,
            Operation::RecoverAddresses,
            Operation::RecoverAddressesCandidates,
        ],
    ),
    (
        "Taproot",
        &[
            Operation::Bip340Verify,
            Operation::Bip340VerifyTogether,
            Operation::Bip340Sign,
            Operation::Bip340SignKnownKeys,
            Operation::TaprootTweak,
        ],
    ),
];

/// Such as `12.3 M/s`: three digits.
pub fn rate(per_second: f64) -> String {
    let (value, unit) = match per_second {
        value if value >= 1e9 => (value / 1e9, "G"),
        value if value >= 1e6 => (value / 1e6, "M"),
        value if value >= 1e3 => (value / 1e3, "k"),
        value => (value, " "),
    };
    let digits = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}/s")
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn rates_have_three_digits() {
        let rates = [1.0, 12.34, 999.0, 1e3, 54_321.0, 1e6, 45.678e6, 783.4e6, 100.84e9].map(rate);
        let expected =
            ["1.00  /s", "12.3  /s", "999  /s", "1.00 k/s", "54.3 k/s", "1.00 M/s", "45.7 M/s", "783 M/s", "101 G/s"];
        assert_eq!(rates, expected);
    }
}
