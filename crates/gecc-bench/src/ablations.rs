//! `gecc-bench ablations`: the effect of design choices in the GPU kernels.

use crate::ALL_PASSED;
use crate::measure::BatchOptions;
use gecc::CurveId;
use gecc_bench::kernels::ablations::{self, Ablation};
use gecc_cli::failure::Failure;
use gecc_cli::measure;
use serde_json::json;
use std::io::{self, Write};

const ITEMS: usize = 1 << 20;

pub fn run(options: &BatchOptions) -> Result<u8, Failure> {
    if !options.json {
        writeln!(
            io::stdout(),
            "Kernel time on one GPU, median of several runs; results compared with other kernels'.\n"
        )?;
    }
    for curve in options.curves() {
        for items in options.sizes(ITEMS) {
            print(curve, items, options.json)?;
        }
    }
    Ok(ALL_PASSED)
}

fn print(curve: CurveId, items: usize, json: bool) -> Result<(), Failure> {
    let all = ablations::run(curve, items)?;
    let curve = curve.name();
    for Ablation {
        operation,
        variant,
        seconds,
        ..
    } in &all
    {
        let rate = items as f64 / seconds;
        // The production variant comes first in each operation.
        let production = all
            .iter()
            .find(|other| other.operation == *operation)
            .map_or(*seconds, |first| first.seconds);
        let of_production = production / seconds;
        if json {
            let row = json!({
                "curve": curve, "operation": operation, "variant": variant, "items": items, "kernel_seconds": seconds,
                "kernel_per_second": rate, "of_production": of_production,
            });
            writeln!(io::stdout(), "{row}")?;
        } else {
            let rate = measure::rate(rate);
            writeln!(
                io::stdout(),
                "{curve:15} {operation:5} {items:>9} {rate:>10} {of_production:>6.3} × {variant}"
            )?;
        }
    }
    Ok(())
}
