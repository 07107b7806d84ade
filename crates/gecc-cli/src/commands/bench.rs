//! `gecc bench`: a table of the rates of every operation on this machine.

use crate::ALL_PASSED;
use crate::flags::BenchOptions;
use crate::measure::inputs::{BenchInputs, Memory};
use crate::measure::operations::Case;
use crate::measure::{CheckedCall, PublicCall, default_items, rate};
use crate::output::Failure;
use clap::ValueEnum;
use gecc::{CurveId, Engine};
use serde_json::json;
use std::io::{self, Write};

pub fn run(options: &BenchOptions) -> Result<u8, Failure> {
    let engine = options.engine.start()?;
    let operations = match &options.operations[..] {
        [] => PublicCall::value_variants().to_vec(),
        some => some.to_vec(),
    };
    let curves = options.batches.curves();
    for operation in &options.operations {
        if !curves.iter().any(|curve| operation.is_on(*curve)) {
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
        batch_verification,
        reference: Engine::cpu()?,
        sizes: options.batches.sizes(default_items(&engine)),
        json: options.batches.json,
        operations,
        engine,
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
        bench.curve(curve)?;
    }
    Ok(ALL_PASSED)
}

struct Bench {
    engine: Engine,
    /// The engine with batch verification, if any measured operation uses it.
    batch_verification: Option<Engine>,
    /// The engine that checks samples.
    reference: Engine,
    operations: Vec<PublicCall>,
    /// The sizes of batches, the largest last.
    sizes: Vec<usize>,
    json: bool,
}

impl Bench {
    fn curve(&self, curve: CurveId) -> Result<(), Failure> {
        let largest = *self.sizes.last().expect("there is a size");
        let inputs = BenchInputs::new(&self.engine, curve, largest, Memory::Pageable)?;
        inputs.check(&self.engine, &self.reference)?;
        for &operation in &self.operations {
            if let Some(case) = Case::new(&inputs, &self.engine, operation)? {
                self.operation(&case)?;
            }
        }
        Ok(())
    }

    fn operation(&self, case: &Case) -> Result<(), Failure> {
        let engine = match &self.batch_verification {
            Some(batch_verification) if case.operation.is_batch_verification() => {
                batch_verification
            }
            _ => &self.engine,
        };
        // This call also warms up: it allocates the memory of the largest batch.
        let expected = &case.expected(engine, &self.reference)?;
        for &items in &self.sizes {
            let call = CheckedCall {
                case,
                expected,
                range: 0..items,
            };
            self.print(case, items, call.seconds(engine)?)?;
        }
        Ok(())
    }

    fn print(&self, case: &Case, items: usize, seconds: f64) -> io::Result<()> {
        let curve = case.curve();
        let operation = case.operation.name();
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
