//! `gecc bench`: a table of the rates of the command's operations on this machine.

use crate::ALL_PASSED;
use crate::flags::{BenchOperation, BenchOptions};
use crate::measure::calls::{Case, Inputs};
use crate::measure::{default_items, rate};
use crate::output::Failure;
use clap::ValueEnum;
use gecc::{CurveId, Engine};
use serde_json::json;
use std::io::{self, Write};

pub fn run(options: &BenchOptions) -> Result<u8, Failure> {
    let engine = options.engine.start()?;
    let operations = match &options.operations[..] {
        [] => BenchOperation::value_variants(),
        some => some,
    };
    let curves = options.curves();
    for operation in &options.operations {
        if !curves.iter().any(|curve| operation.on(*curve).is_some()) {
            let name = operation.name();
            return Err(
                format!("--operations: {name} does not exist on the curve of --curve").into(),
            );
        }
    }
    let batch_verification = match operations
        .iter()
        .any(|operation| operation.is_batch_verification())
    {
        true => Some(options.engine.builder()?.batch_verification(true).build()?),
        false => None,
    };
    let bench = Bench {
        items: options.items(default_items(&engine)),
        engine,
        batch_verification,
        reference: Engine::cpu()?,
        json: options.json,
    };
    if !bench.json {
        writeln!(io::stdout(), "{}\n", bench.engine)?;
        writeln!(
            io::stdout(),
            "{:15} {:28} {:>9} {:>12}",
            "curve",
            "operation",
            "items",
            "rate"
        )?;
    }
    for curve in curves {
        bench.curve(curve, operations)?;
    }
    Ok(ALL_PASSED)
}

struct Bench {
    engine: Engine,
    /// The engine with batch verification, if any measured operation uses it.
    batch_verification: Option<Engine>,
    /// The engine that checks samples.
    reference: Engine,
    items: usize,
    json: bool,
}

impl Bench {
    fn curve(&self, curve: CurveId, operations: &[BenchOperation]) -> Result<(), Failure> {
        let inputs = Inputs::random(&self.engine, curve, self.items)?;
        for &chosen in operations {
            let Some(operation) = chosen.on(curve) else {
                continue;
            };
            let case = Case::new(&self.engine, &inputs, operation)?;
            let engine = match &self.batch_verification {
                Some(batch_verification) if chosen.is_batch_verification() => batch_verification,
                _ => &self.engine,
            };
            self.print(chosen, &case, case.seconds(engine, &self.reference)?)?;
        }
        Ok(())
    }

    fn print(&self, chosen: BenchOperation, case: &Case, seconds: f64) -> io::Result<()> {
        let curve = case.curve();
        let operation = chosen.name();
        let items = self.items;
        let per_second = items as f64 / seconds;
        if self.json {
            let row = json!({
                "curve": curve, "operation": operation, "items": items, "seconds": seconds, "per_second": per_second,
            });
            return writeln!(io::stdout(), "{row}");
        }
        writeln!(
            io::stdout(),
            "{curve:15} {operation:28} {items:>9} {:>12}",
            rate(per_second)
        )
    }
}
