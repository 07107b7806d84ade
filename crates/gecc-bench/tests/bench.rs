//! The measurements, run as a developer runs them. Those on files need the command `gecc` in this
//! program's folder (`cargo build --release`).

#[path = "../../gecc-cli/tests/cli/program.rs"]
mod program;

use gecc::CurveId;
use program::{TemporaryFile, answers, code, program, refuses_without_gpu, run, stderr};
use serde_json::Value;
use std::fs;

const PROGRAM: &str = env!("CARGO_BIN_EXE_gecc-bench");

fn number(row: &Value, name: &str) -> f64 {
    row[name]
        .as_f64()
        .unwrap_or_else(|| panic!("{name}: {row}"))
}

#[test]
fn operations_are_measured_and_drawn() {
    let plot = TemporaryFile::new("plot.svg", "");
    let arguments = [
        "--engine",
        "cpu",
        "--curve",
        "p256",
        "--sizes",
        "2..4",
        "--operations",
        "recover,add",
    ];
    let table = run(
        &[&["operations"], &arguments[..], &["--plot", plot.path()]].concat(),
        "",
    );
    let text = String::from_utf8(table.stdout).unwrap();
    let lines: Vec<Vec<&str>> = text
        .lines()
        .skip(3)
        .map(|line| line.split_whitespace().take(3).collect())
        .collect();
    let expected: Vec<_> = ["recover", "add"]
        .into_iter()
        .flat_map(|operation| ["4", "8", "16"].map(|items| vec!["p256", operation, items]))
        .collect();
    assert_eq!(lines, expected, "{text}");
    let drawing = fs::read_to_string(plot.path()).unwrap();
    assert!(
        drawing.starts_with("<svg")
            && drawing.contains("recover")
            && drawing.contains("end to end"),
        "{drawing}"
    );

    let all = run(
        &[
            "operations",
            "--engine",
            "cpu",
            "--items",
            "20",
            "--curve",
            "sm2",
            "--json",
        ],
        "",
    );
    // All public operations except recovery and those of BIP 340, which SM2 does not have.
    assert_eq!(
        (code(&all), answers(&all).len()),
        (0, 16),
        "{}",
        stderr(&all)
    );
    let latency = [
        "operations",
        "--engine",
        "cpu",
        "--items",
        "20",
        "--curve",
        "p256",
        "--json",
        "--latency",
    ];
    let rows = answers(&run(
        &[&latency[..], &["--operations", "double"]].concat(),
        "",
    ));
    assert_eq!(
        rows.iter()
            .filter(|row| row["latency_ms"].as_f64().is_some_and(|ms| ms > 0.0))
            .count(),
        4,
        "{rows:?}"
    );
    for wrong in ["nothing", "add,field_mul"] {
        assert_eq!(
            code(&run(
                &["operations", "--engine", "cpu", "--operations", wrong],
                ""
            )),
            2,
            "{wrong}"
        );
    }
    refuses_without_gpu(&["ablations", "--items", "64"]);
    refuses_without_gpu(&["methods", "--check", "9"]);
}

const FILES: [&str; 8] = [
    "files", "--engine", "cpu", "--items", "1010", "--runs", "1", "--json",
];

const FORMATS: [&str; 6] = [
    "jsonl",
    "csv",
    "jsonl.zst",
    "parquet",
    "parquet.zst",
    "arrow",
];

/// All commands answer as expected on files of a curve with recovery and of one without, and every
/// file is removed.
#[test]
fn the_commands_are_measured_on_files() {
    let folder = tempfile::tempdir().unwrap();
    let plot = TemporaryFile::new("files.svg", "");
    for curve in [CurveId::Secp256k1, CurveId::Sm2] {
        let mut command = program();
        command.args(FILES).args([
            "--formats",
            &FORMATS.join(","),
            "--curve",
            curve.name(),
            "--plot",
            plot.path(),
        ]);
        let output = command.env("TMPDIR", folder.path()).output().unwrap();
        assert_eq!(
            code(&output),
            0,
            "{curve}: {} {:?}",
            stderr(&output),
            answers(&output)
        );
        let rows = answers(&output);
        let recover: &[&str] = if curve.has_ecdsa() { &["recover"] } else { &[] };
        let operations = [&["verify"], recover, &["sign", "ecdh", "pubkey"]].concat();
        let expected: Vec<_> = operations
            .iter()
            .flat_map(|name| FORMATS.map(|format| (*name, format)))
            .collect();
        let found = rows.iter().map(|row| {
            (
                row["operation"].as_str().unwrap(),
                row["format"].as_str().unwrap(),
            )
        });
        assert!(found.eq(expected), "{rows:?}");
        for row in &rows {
            assert_eq!(
                (row["curve"].as_str(), number(row, "items")),
                (Some(curve.name()), 1010.0)
            );
            assert!(
                (number(row, "items_per_second") * number(row, "seconds") - 1010.0).abs() < 1e-6,
                "{row}"
            );
            let share = number(row, "items_per_second") / number(row, "engine_items_per_second");
            assert!(
                (number(row, "share_of_engine") - share).abs() < 1e-9,
                "{row}"
            );
            assert!(
                number(row, "one_line_seconds") > 0.0
                    && number(row, "cache_bytes_per_second") > 0.0,
                "{row}"
            );
        }
        let drawing = fs::read_to_string(plot.path()).unwrap();
        assert!(
            operations
                .iter()
                .all(|name| drawing.contains(&format!(">{name}<"))),
            "{drawing}"
        );
        assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
    }
}

#[test]
fn failing_file_does_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    // A folder where the answers would go.
    fs::create_dir(folder.path().join("answers-gecc-bench-pubkey.jsonl.jsonl")).unwrap();
    let arguments = [
        &FILES[..],
        &[
            "--dir",
            path,
            "--operations",
            "pubkey",
            "--formats",
            "jsonl,csv",
        ],
    ]
    .concat();
    let output = run(&arguments, "");
    let rows = answers(&output);
    assert_eq!((code(&output), rows.len()), (1, 2), "{}", stderr(&output));
    assert!(
        rows[0]["error"]
            .as_str()
            .unwrap()
            .contains("answers-gecc-bench-pubkey.jsonl"),
        "{}",
        rows[0]
    );
    assert!(rows[1]["seconds"].as_f64().unwrap() > 0.0);
    // The folder was given, and keeps the files.
    assert_eq!(
        fs::read_to_string(folder.path().join("gecc-bench-pubkey.csv"))
            .unwrap()
            .lines()
            .count(),
        1011
    );
    let wrong: [&[_]; 4] = [
        &["--items", "0"],
        &["--runs", "0"],
        &["--formats", "doc"],
        &["--curve", "sm2", "--operations", "recover"],
    ];
    for wrong in wrong {
        assert_eq!(
            code(&run(&[&["files", "--engine", "cpu"], wrong].concat(), "")),
            2,
            "{wrong:?}"
        );
    }
    let elsewhere = run(&[&FILES[..], &["--command", path]].concat(), "");
    assert!(
        code(&elsewhere) == 1
            && answers(&elsewhere)
                .iter()
                .all(|row| row["error"].is_string())
    );
    refuses_without_gpu(&["files", "--engine", "gpu", "--items", "1"]);
}

/// On the CPU, which has no kernels: a row with the times that new processes report.
#[test]
fn the_start_is_measured() {
    let arguments = ["start", "--engine", "cpu", "--runs", "3", "--json"];
    for curve in CurveId::ALL {
        let output = run(&[&arguments[..], &["--curve", curve.name()]].concat(), "");
        let rows = answers(&output);
        assert_eq!((code(&output), rows.len()), (0, 1), "{}", stderr(&output));
        let row = &rows[0];
        assert_eq!(
            (row["curve"].as_str(), row["kernels_from"].as_str()),
            (Some(curve.name()), Some("none"))
        );
        let inside = number(row, "engine_seconds") + number(row, "first_call_seconds");
        assert!(
            0.0 < number(row, "next_call_seconds") && inside < number(row, "verdict_seconds"),
            "{row}"
        );
        assert!(
            number(row, "verdict_seconds") < number(row, "process_seconds"),
            "{row}"
        );
    }
    let once = ["start", "--once", "--engine", "cpu"];
    for wrong in [
        "",
        "{}",
        r#"{"digest": "00", "signature": "", "public_key": ""}"#,
    ] {
        let output = run(&once, wrong);
        assert_eq!(code(&output), 2);
        assert!(
            stderr(&output).contains("standard input holds no signature"),
            "{}",
            stderr(&output)
        );
    }
    assert_eq!(
        code(&run(&["start", "--engine", "cpu", "--runs", "0"], "")),
        2
    );
    refuses_without_gpu(&["start", "--engine", "gpu"]);
}

const SERVICE: [&str; 4] = ["service", "--engine", "cpu", "--json"];

/// Every load is measured, and every verdict is as expected.
#[test]
fn the_coalescer_is_measured() {
    let plot = TemporaryFile::new("service.svg", "");
    for curve in ["secp256k1", "sm2"] {
        let output = run(
            &[
                &SERVICE[..],
                &["--seconds", "0.5", "--curve", curve, "--plot", plot.path()],
            ]
            .concat(),
            "",
        );
        let rows = answers(&output);
        assert_eq!(code(&output), 0, "{} {rows:?}", stderr(&output));
        let modes: Vec<&str> = rows
            .iter()
            .map(|row| row["mode"].as_str().unwrap())
            .collect();
        let requests = ["requests"; 4];
        let expected = [
            &["direct"],
            &requests[..],
            &["bursts", "single", "lone", "lone", "overload"],
        ]
        .concat();
        assert_eq!(modes, expected);
        for row in &rows[1..] {
            assert_eq!(
                (row["curve"].as_str(), number(row, "wrong")),
                (Some(curve), 0.0),
                "{row}"
            );
        }
        for row in rows.iter().filter(|row| row["mode"] == "lone") {
            assert_eq!(
                (number(row, "calls"), number(row, "ratio") > 0.0),
                (50.0, true),
                "{row}"
            );
        }
        for row in rows.iter().filter(|row| row["sent"].is_u64()) {
            let times = ["p50_ms", "p99_ms", "p999_ms"].map(|name| number(row, name));
            assert!(times[0] > 0.0 && times.is_sorted(), "{row}");
            let answered = (number(row, "sent") - number(row, "refused")) * number(row, "items");
            let achieved = number(row, "achieved_per_second") * number(row, "seconds");
            assert!(
                answered > 0.0 && (achieved - answered).abs() < 1e-3 * answered,
                "{row}"
            );
            assert!(
                (number(row, "mean_batch") * number(row, "batches") - answered).abs() < 1.0,
                "{row}"
            );
        }
        let drawing = fs::read_to_string(plot.path()).unwrap();
        assert!(
            drawing.contains("overload") && drawing.contains(">p99.9<"),
            "{drawing}"
        );
    }
    // More than any processor can do.
    let too_much = [
        "--modes",
        "requests",
        "--rate",
        "1e8",
        "--seconds",
        "0.1",
        "--queue",
        "1000",
    ];
    let rows = answers(&run(&[&SERVICE[..], &too_much].concat(), ""));
    assert!(rows[1]["refused"].as_u64().unwrap() > 0, "{}", rows[1]);
    let table = run(
        &[
            "service",
            "--engine",
            "cpu",
            "--seconds",
            "0.1",
            "--modes",
            "single",
            "--rate",
            "1e3",
        ],
        "",
    );
    let text = String::from_utf8(table.stdout).unwrap();
    assert_eq!(
        (table.status.code(), text.lines().count()),
        (Some(0), 6),
        "{text}"
    );
    let wrong: [&[_]; 5] = [
        &["--items", "0"],
        &["--rate", "-1"],
        &["--seconds", "nan"],
        &["--modes", "nothing"],
        &["--queue", "100", "--largest-batch", "51"],
    ];
    for wrong in wrong {
        assert_eq!(
            code(&run(&[&SERVICE[..], wrong].concat(), "")),
            2,
            "{wrong:?}"
        );
    }
}
