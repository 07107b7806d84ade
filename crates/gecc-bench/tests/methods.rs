//! The comparison of multiplication methods: its report, and the correctness of every method, on a
//! GPU.

#[path = "../../../tests/harness/mod.rs"]
mod harness;

use gecc::CurveId;
use gecc_bench::kernels::methods::{Measurement, MethodOperation, measure};
use harness::needs::GPU;
use harness::{named, tests};
use std::process::ExitCode;

/// Random inputs per row.
const CHECKED: usize = 20_000;

fn main() -> ExitCode {
    harness::run(tests(Some(&GPU), named![every_method_is_right]))
}

fn every_method_is_right() {
    let mut reported = Vec::new();
    let measured = measure(CurveId::ALL, CHECKED, |row| reported.push(row.clone()));
    let rows = measured.expect("a GPU measures");
    assert_eq!(rows, reported);
    // Six methods at four sizes and one at one, two for each curve, seven sizes of products: each
    // twice; three powers.
    assert_eq!(rows.len(), 2 * (6 * 4 + 1 + 2 * CurveId::ALL.len() + 7) + 3);
    rows.iter().for_each(check);
}

fn check(row: &Measurement) {
    assert_eq!((row.checked, row.wrong), (CHECKED, 0), "{row}");
    assert!(
        row.per_second > 0.0 && row.limit_per_second.is_finite() && row.registers > 0,
        "{row:?}"
    );
    let per_word = row.instructions.wide / f64::from(row.bits / 32).powi(2);
    match row.operation {
        // A product and its reduction by rows, or by a special prime.
        MethodOperation::Mul if !matches!(row.method, "doubles" | "half_words") => {
            assert!((0.9..=2.2).contains(&per_word), "{row}: {per_word}");
        }
        MethodOperation::Modexp => assert!(row.instructions.dfma > 100.0, "{row:?}"),
        _ => assert!(
            row.instructions
                .by_kind()
                .iter()
                .map(|(_, count)| count)
                .sum::<f64>()
                > 50.0,
            "{row:?}"
        ),
    }
}
