//! `gecc-bench methods`: a comparison of all multiplication methods on the GPU.

use crate::draw::bars::{self, Bar, Group};
use crate::flags::MethodsOptions;
use crate::{ALL_PASSED, SOME_REJECTED};
use gecc_bench::kernels::methods::{Measurement, MethodOperation, measure};
use gecc_cli::curve::or_all;
use gecc_cli::failure::Failure;
use serde_json::{Map, Value, json};
use std::fs;
use std::io::{self, Write};

const LEGEND: &str = "\
Rates are operations a second on the whole GPU, on numbers that stay there; chains of dependent operations for mul and
square. Instructions are counted in the machine code, per thread: for mul and square per operation, for mul_mod and
square_mod per item, for modexp per modular multiplication. Bound is what is busiest by the model of Hopper: clocks of a
part of a multiprocessor per instruction of a warp, 4 for wide and 2 for imad on the multiplier, 2 for wide, iadd3 and
logic on the adder, 2 for dfma and dadd (fp64; more where there are few such units), 1 for any (issue), or the bytes of
memory. Of it: the rate as a part of what that allows at the GPU's highest clock. Wrong: results that differ from the
CPU's, of this number of random inputs.";

pub fn run(options: &MethodsOptions) -> Result<u8, Failure> {
    let mut written = Ok(());
    let mut lines = 0;
    let measurements = measure(&or_all(options.curve), options.check as usize, |row| {
        if written.is_ok() {
            written = if options.json {
                write_json(row)
            } else {
                write_row(row, lines == 0)
            };
            lines += 1;
        }
    })?;
    written?;
    if !options.json {
        writeln!(io::stdout(), "\n{LEGEND}")?;
    }
    if let Some(path) = &options.plot {
        let write = fs::write(path, chart(&measurements));
        write.map_err(|problem| Failure::Problem(format!("{}: {problem}", path.display())))?;
    }
    let all_right = measurements.iter().all(|row| row.wrong == 0);
    Ok(if all_right { ALL_PASSED } else { SOME_REJECTED })
}

fn write_row(row: &Measurement, is_first: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let kinds = row.instructions.by_kind();
    if is_first {
        write!(
            out,
            "{:32} {:>4} {:10} {:>10} {:>4} {:>5}",
            "method", "bits", "operation", "rate", "regs", "local"
        )?;
        kinds
            .iter()
            .try_for_each(|(kind, _)| write!(out, " {kind:>6}"))?;
        writeln!(
            out,
            "  {:10} {:>6} {:>9} {:>6}",
            "bound", "of it", "checked", "wrong"
        )?;
    }
    let Measurement {
        bits,
        registers,
        local_bytes,
        checked,
        wrong,
        ..
    } = row;
    let label = label(row);
    let rate = rate(row.per_second);
    let operation = row.operation.name();
    write!(
        out,
        "{label:32} {bits:4} {operation:10} {rate:>10} {registers:4} {local_bytes:5}"
    )?;
    kinds
        .iter()
        .try_for_each(|(_, count)| write!(out, " {count:6.0}"))?;
    writeln!(
        out,
        "  {:10} {:4.0} % {checked:9} {wrong:6}",
        row.bound.name(),
        100.0 * row.fraction()
    )
}

fn write_json(row: &Measurement) -> io::Result<()> {
    let kinds = row.instructions.by_kind();
    let instructions: Map<String, Value> = kinds
        .iter()
        .map(|(kind, count)| ((*kind).to_owned(), json!(rounded(*count, 100.0))))
        .collect();
    let object = json!({
        "method": row.method,
        "curve": row.curve,
        "bits": row.bits,
        "operation": row.operation.name(),
        "per_second": row.per_second.round(),
        "registers": row.registers,
        "local_bytes": row.local_bytes,
        "instructions": instructions,
        "bound": row.bound.name(),
        "limit_per_second": row.limit_per_second.round(),
        "fraction_of_limit": rounded(row.fraction(), 1000.0),
        "checked": row.checked,
        "wrong": row.wrong,
    });
    writeln!(io::stdout(), "{object}")
}

/// Rounds a value to a multiple of 1 / `scale`.
fn rounded(value: f64, scale: f64) -> f64 {
    (value * scale).round() / scale
}

fn label(row: &Measurement) -> String {
    row.curve.map_or_else(
        || row.method.to_owned(),
        |curve| format!("{} {curve}", row.method),
    )
}

/// Formats a rate with three digits and a unit.
fn rate(per_second: f64) -> String {
    let (value, unit) = match per_second {
        rate if rate >= 1e9 => (rate / 1e9, "G/s"),
        rate if rate >= 1e6 => (rate / 1e6, "M/s"),
        rate if rate >= 1e3 => (rate / 1e3, "k/s"),
        rate => (rate, "/s"),
    };
    let digits = if value >= 100.0 {
        0
    } else {
        1 + usize::from(value < 10.0)
    };
    format!("{value:.digits$} {unit}")
}

fn chart(rows: &[Measurement]) -> String {
    let chains: Vec<&Measurement> = rows
        .iter()
        .filter(|row| {
            matches!(
                row.operation,
                MethodOperation::Mul | MethodOperation::Square
            )
        })
        .collect();
    let mut sizes: Vec<u32> = chains.iter().map(|row| row.bits).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut groups: Vec<Group> = sizes
        .into_iter()
        .map(|bits| Group {
            title: format!("Chained multiplications and squarings, {bits} bits"),
            bars: chains
                .iter()
                .filter(|row| row.bits == bits)
                .map(|row| bar(row, label(row)))
                .collect(),
        })
        .collect();
    let others: [(&str, &[MethodOperation]); 2] = [
        (
            "mul_mod and square_mod, any odd modulus",
            &[MethodOperation::MulMod, MethodOperation::SquareMod],
        ),
        (
            "Modular exponentiation, exponents as long as the modulus",
            &[MethodOperation::Modexp],
        ),
    ];
    for (title, operations) in others {
        let rows = rows
            .iter()
            .filter(|row| operations.contains(&row.operation));
        let bars = rows
            .map(|row| bar(row, format!("{} bits", row.bits)))
            .collect();
        groups.push(Group {
            title: title.to_owned(),
            bars,
        });
    }
    let subtitle = "Operations per second on the whole GPU, and the fraction of the bound that its busiest part sets";
    bars::svg(
        "Modular multiplication on a GPU",
        subtitle,
        &["multiply", "square", "power"],
        &groups,
    )
}

fn bar(row: &Measurement, label: String) -> Bar {
    let colour = match row.operation {
        MethodOperation::Square | MethodOperation::SquareMod => 1,
        MethodOperation::Modexp => 2,
        _ => 0,
    };
    let wrong = if row.wrong > 0 { ", WRONG RESULTS" } else { "" };
    let note = format!(
        "{}, {:.0} % ({}){wrong}",
        rate(row.per_second),
        100.0 * row.fraction(),
        row.bound.name()
    );
    Bar {
        label,
        colour,
        value: row.per_second,
        note,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_three_digits() {
        let rates = [1.23456e11, 8.8e10, 9.876e9, 123_456.0, 999.0, 1.0].map(rate);
        assert_eq!(
            rates,
            [
                "123 G/s", "88.0 G/s", "9.88 G/s", "123 k/s", "999 /s", "1.00 /s"
            ]
        );
    }
}
