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
    let found: Vec<_> = rows.iter().map(|row| row["operation"].as_str()).collect();
    let on_sm2 = [
        "verify",
        "sign",
        "ecdh",
        "mask",
        "mask_points",
        "public_keys",
    ];
    assert_eq!(found, on_sm2.map(Some));
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
        "--items",
        "8",
        "--operations",
        "recover,sign",
    ];
    let table = run(&arguments, "");
    let text = String::from_utf8(table.stdout).unwrap();
    let lines: Vec<Vec<&str>> = text
        .lines()
        .skip(3)
        .map(|line| line.split_whitespace().take(3).collect())
        .collect();
    let row = |operation, items| vec!["p256", operation, items];
    assert_eq!(lines, [row("recover", "8"), row("sign", "8")], "{text}");

    let wrong: [&[_]; 3] = [
        &["--items", "0"],
        &["--operations", "nothing"],
        // On secp256k1 only.
        &["--curve", "p256", "--operations", "bip340_sign"],
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

#[test]
fn every_curve_is_measured() {
    let operations =
        "public_keys,ecdh,batch_verify,recover_addresses,bip340_batch_verify,mask,mask_points";
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
    let with_ecdsa = CurveId::ALL.iter().filter(|curve| curve.has_ecdsa());
    // There is no suite for brainpoolP256r1.
    let expected = [curves, curves, with_ecdsa.count(), 1, 1, curves - 1, curves];
    let found: Vec<usize> = operations
        .split(',')
        .map(|name| rows.iter().filter(|row| row["operation"] == name).count())
        .collect();
    assert_eq!(found, expected, "{rows:?}");
}

/// Ed25519 and X25519 are measured once, whatever curves are given.
#[test]
fn ed25519_and_x25519_are_measured() {
    let operations = [
        "ed25519_verify",
        "ed25519_batch_verify",
        "ed25519_sign",
        "x25519",
    ];
    let arguments = [
        "bench",
        "--engine",
        "cpu",
        "--items",
        "300",
        "--json",
        "--operations",
        &operations.join(","),
    ];
    let rows = answers(&run(&arguments, ""));
    let found: Vec<_> = rows
        .iter()
        .map(|row| (row["curve"].as_str(), row["operation"].as_str()))
        .collect();
    let expected = operations.map(|operation| {
        let curve = if operation == "x25519" {
            "x25519"
        } else {
            "ed25519"
        };
        (Some(curve), Some(operation))
    });
    assert_eq!(found, expected);
}
