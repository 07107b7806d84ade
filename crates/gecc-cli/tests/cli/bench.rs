//! `gecc bench`.

use crate::support::{answers, code, refuses_without_gpu, run};
use gecc::CurveId;

#[test]
fn bench_measures_the_selected_operations() {
    let bench = run(
        &[
            "bench", "--engine", "cpu", "--items", "20", "--curve", "sm2", "--json",
        ],
        "",
    );
    let rows = answers(&bench);
    // All public operations but recovery and those of BIP 340, which SM2 has not.
    assert_eq!(rows.len(), 13, "{rows:?}");
    for row in &rows {
        let [seconds, rate] = ["seconds", "per_second"].map(|name| row[name].as_f64().unwrap());
        assert!(
            seconds > 0.0 && (rate * seconds - 20.0).abs() < 1e-6,
            "{row}"
        );
    }

    let arguments = [
        "bench",
        "--engine",
        "cpu",
        "--curve",
        "p256",
        "--sizes",
        "2..4",
        "--operations",
        "recover,add",
    ];
    let table = run(&arguments, "");
    let text = String::from_utf8(table.stdout).unwrap();
    let lines: Vec<Vec<&str>> = text
        .lines()
        .skip(3)
        .map(|line| line.split_whitespace().take(3).collect())
        .collect();
    let row = |operation, items| vec!["p256", operation, items];
    let expected: Vec<_> = ["recover", "add"]
        .into_iter()
        .flat_map(|o| ["4", "8", "16"].map(|n| row(o, n)))
        .collect();
    assert_eq!(lines, expected, "{text}");

    let wrong: [&[_]; 4] = [
        &["--sizes", "5..4"],
        &["--sizes", "5"],
        &["--items", "0"],
        &["--operations", "nothing"],
    ];
    for wrong in wrong {
        assert_eq!(
            code(&run(&[&["bench", "--engine", "cpu"], wrong].concat(), "")),
            2,
            "{wrong:?}"
        );
    }
    refuses_without_gpu(&["bench", "--engine", "gpu", "--items", "1"]);
}

/// Random numbers that are not below the order of a curve are drawn again.
#[test]
fn every_curve_is_measured() {
    let operations = "mul_base,public_keys,recover,recover_addresses,recover_addresses_candidates";
    let rows = answers(&run(
        &[
            "bench",
            "--engine",
            "cpu",
            "--items",
            "100",
            "--json",
            "--operations",
            operations,
        ],
        "",
    ));
    let curves = CurveId::ALL.len();
    let expected = [
        curves,
        curves,
        CurveId::ALL
            .iter()
            .filter(|curve| curve.has_ecdsa())
            .count(),
        1,
        1,
    ];
    let found: Vec<usize> = operations
        .split(',')
        .map(|name| rows.iter().filter(|row| row["operation"] == name).count())
        .collect();
    assert_eq!(found, expected, "{rows:?}");
}

/// Ed25519 is measured once, whatever curves are given.
#[test]
fn ed25519_is_measured() {
    let operations = [
        "ed25519_verify",
        "ed25519_verify_1000_keys",
        "ed25519_batch_verify",
        "ed25519_sign",
        "ed25519_sign_expanded",
    ];
    let arguments = [
        "bench",
        "--engine",
        "cpu",
        "--items",
        "1500",
        "--json",
        "--operations",
        &operations.join(","),
    ];
    let rows = answers(&run(&arguments, ""));
    let found: Vec<_> = rows
        .iter()
        .map(|row| (row["curve"].as_str(), row["operation"].as_str()))
        .collect();
    assert_eq!(
        found,
        operations.map(|operation| (Some("ed25519"), Some(operation)))
    );
}
