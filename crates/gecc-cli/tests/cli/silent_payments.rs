//! `gecc bitcoin scan` on the example tables, whose payments are known.

use crate::support::{answers, code, run, stderr};
use crate::tables::with_a_row_less;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, FixedSizeBinaryArray, ListArray, RecordBatch};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const LABELS: [&str; 6] = ["--label", "0", "--label", "1", "--label", "7"];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn known() -> Value {
    serde_json::from_slice(&fs::read(data("silent_answers.json")).unwrap()).unwrap()
}

/// The fields of a payment that both tables and answers have.
fn payment(txid: &Value, of: &Value) -> [Value; 5] {
    [
        txid.clone(),
        of["output"].clone(),
        of["k"].clone(),
        of["label"].clone(),
        of["tweak"].clone(),
    ]
}

/// All payments of a table, in its order.
fn expected(known: &Value) -> Vec<[Value; 5]> {
    let rows = known["rows"].as_array().unwrap().iter();
    rows.flat_map(|row| {
        row["found"]
            .as_array()
            .unwrap()
            .iter()
            .map(|of| payment(&row["txid"], of))
    })
    .collect()
}

fn found(lines: &[Value]) -> Vec<[Value; 5]> {
    lines
        .iter()
        .map(|line| payment(&line["txid"], line))
        .collect()
}

/// A folder with a key file, and the path of the file.
fn keys(known: &Value) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scan.txt");
    fs::write(
        &path,
        format!(
            "{}\n{}\n",
            known["scan_secret"].as_str().unwrap(),
            known["address"].as_str().unwrap()
        ),
    )
    .unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn payments_are_found_in_tables_and_folders() {
    let known = known();
    let (folder, keys) = keys(&known);
    let scan = |tables: &[&Path]| {
        let named = tables.iter().map(|table| table.to_str().unwrap());
        let arguments = ["bitcoin", "scan", "--quiet", "--key-file", &keys]
            .into_iter()
            .chain(LABELS)
            .chain(named);
        let output = run(&arguments.collect::<Vec<_>>(), "");
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        answers(&output)
    };
    let whole = data("silent_keys.parquet");
    let prefixes = data("silent_prefixes.parquet");
    let lines = scan(&[&whole]);
    assert_eq!(found(&lines), expected(&known));
    assert!(lines.len() > 20 && lines.iter().all(|line| line["candidate"] == false));
    let candidates = scan(&[&prefixes]);
    assert!(
        expected(&known)
            .iter()
            .all(|payment| found(&candidates).contains(payment))
    );
    assert!(
        candidates.len() > lines.len() && candidates.iter().all(|line| line["candidate"] == true)
    );

    // Several tables as arguments, and all tables of a folder.
    let both = [lines, candidates].concat();
    assert_eq!(scan(&[&whole, &prefixes]), both);
    let inside = folder.path().join("tables");
    fs::create_dir(&inside).unwrap();
    fs::copy(&whole, inside.join("1.parquet")).unwrap();
    fs::copy(&prefixes, inside.join("2.parquet")).unwrap();
    assert_eq!(scan(&[&inside]), both);
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_an_error() {
    let known = known();
    let (_folder, keys) = keys(&known);
    let table = data("silent_keys.parquet");
    let arguments = [
        &["bitcoin", "scan", "--key-file", &keys],
        &LABELS[..],
        &[table.to_str().unwrap()],
    ]
    .concat();
    crate::support::some_threads_cannot_be_started(&arguments, expected(&known).len());
}

#[test]
fn an_index_is_arrow_by_the_end_of_its_name_in_any_case() {
    let folder = tempfile::tempdir().unwrap();
    let block =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data/bitcoin/block1087400.raw");
    for (name, start) in [
        ("a.ARROW", b"ARRO"),
        ("a.arrow", b"ARRO"),
        ("a.Parquet", b"PAR1"),
    ] {
        let table = folder.path().join(name);
        let output = run(
            &[
                "bitcoin",
                "index",
                "-o",
                table.to_str().unwrap(),
                block.to_str().unwrap(),
            ],
            "",
        );
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(fs::read(table).unwrap().starts_with(start), "{name}");
    }
}

#[test]
fn a_table_that_cannot_be_read_is_named() {
    let (folder, keys) = keys(&known());
    let broken = folder.path().join("broken.parquet");
    fs::write(&broken, b"PAR1 and nothing of a table PAR1").unwrap();
    let whole = data("silent_keys.parquet");
    let tables = [whole.to_str().unwrap(), broken.to_str().unwrap()];
    let output = run(
        &["bitcoin", "scan", "--key-file", &keys, tables[0], tables[1]],
        "",
    );
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("broken.parquet: "),
        "{}",
        stderr(&output)
    );
}

/// Neither data after the rows of a row group nor its rows are scanned.
#[test]
fn tables_with_wrong_row_counts_are_errors() {
    let (folder, keys) = keys(&known());
    for name in ["silent_keys.parquet", "silent_prefixes.parquet"] {
        let changed = folder.path().join(name);
        fs::write(&changed, with_a_row_less(&data(name))).unwrap();
        let arguments = [
            "bitcoin",
            "scan",
            "--key-file",
            &keys,
            changed.to_str().unwrap(),
        ];
        let output = run(&[&arguments[..], &LABELS].concat(), "");
        assert_eq!(
            (code(&output), answers(&output).len()),
            (2, 0),
            "{}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains("row group 1, column `"),
            "{}",
            stderr(&output)
        );
    }
}

/// A table of rows with a tweak point each, and these outputs.
fn table(path: &Path, columns: &[(&str, ArrayRef)]) {
    let table = RecordBatch::try_from_iter(columns.iter().cloned()).unwrap();
    let output = gecc_arrow::Destination::File(path.to_owned());
    let mut writer = gecc_arrow::Writer::create(
        output,
        gecc_arrow::Format::Parquet,
        Default::default(),
        &table.schema(),
    )
    .unwrap();
    writer.write(&table, &gecc_arrow::Pool::default()).unwrap();
    writer.finish().unwrap();
}

/// The generator of secp256k1.
fn points(rows: usize) -> ArrayRef {
    let point =
        hex::decode("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798").unwrap();
    std::sync::Arc::new(
        FixedSizeBinaryArray::try_from_iter(std::iter::repeat_n(point, rows)).unwrap(),
    )
}

/// A transaction without outputs has an empty list.
#[test]
fn rows_whose_outputs_are_null_are_counted() {
    let (folder, keys) = keys(&known());
    let path = folder.path().join("nulls.parquet");
    let scan = |lists: Vec<Option<Vec<Option<i64>>>>| {
        let rows = lists.len();
        let lists: ArrayRef =
            std::sync::Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists));
        table(&path, &[("tweak_key", points(rows)), ("outputs", lists)]);
        let output = run(
            &[
                "bitcoin",
                "scan",
                "--key-file",
                &keys,
                path.to_str().unwrap(),
            ],
            "",
        );
        (code(&output), stderr(&output))
    };
    let (code, message) = scan(vec![Some(vec![Some(7)]), None, Some(Vec::new()), None]);
    assert_eq!(code, 1, "{message}");
    let counts = "0 outputs found in 4 rows, 0 without a tweak point, 2 whose `outputs` is null";
    assert!(message.contains(counts), "{message}");
    let (code, message) = scan(vec![Some(vec![Some(7)]), Some(Vec::new())]);
    assert!(code == 0 && !message.contains("null"), "{message}");
}

/// Neither of two columns of one name is used.
#[test]
fn two_columns_of_one_name_are_not_scanned() {
    let (folder, keys) = keys(&known());
    let path = folder.path().join("two.parquet");
    let lists = || -> ArrayRef {
        std::sync::Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(vec![
            Some(vec![Some(7)]),
        ]))
    };
    let txids: ArrayRef =
        std::sync::Arc::new(FixedSizeBinaryArray::try_from_iter([[7_u8; 32]].iter()).unwrap());
    let one = vec![
        ("tweak_key", points(1)),
        ("outputs", lists()),
        ("txid", txids),
    ];
    for place in 0..3 {
        let mut columns = one.clone();
        columns.push(one[place].clone());
        table(&path, &columns);
        let output = run(
            &[
                "bitcoin",
                "scan",
                "--key-file",
                &keys,
                path.to_str().unwrap(),
            ],
            "",
        );
        let expected = format!("two columns `{}`", one[place].0);
        assert!(
            code(&output) == 2 && stderr(&output).contains(&expected),
            "{}",
            stderr(&output)
        );
    }
}

/// The key of BIP 352's first case, as wallets export it.
#[test]
fn scan_keys_of_bip_392() {
    const SPSCAN: &str = "spscan1qpa55up5q9zn30790dw2pr7dpx0wn2ef9su2vcgn9jje5mwgvrukqyhxfs4kklqm4x58pywtcm2kzqrpxpj6mtt5rzpk2hyzgfhxclnekj2vrpm";
    let folder = tempfile::tempdir().unwrap();
    let table = data("silent_keys.parquet");
    let scan = |text: &str| {
        let keys = folder.path().join("keys.txt");
        fs::write(&keys, text).unwrap();
        run(
            &[
                "bitcoin",
                "scan",
                "--key-file",
                keys.to_str().unwrap(),
                table.to_str().unwrap(),
            ],
            "",
        )
    };
    for text in [
        SPSCAN.to_owned(),
        format!("sp([deadbeef/352h/0h/0h]{SPSCAN})\n"),
    ] {
        let output = scan(&text);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    let mistyped = scan(&SPSCAN.replace("kj2vrpm", "kj2vrpq"));
    assert!(
        code(&mistyped) == 2
            && stderr(&mistyped).contains("keys.txt: spscan1… does not have its checksum")
    );
    assert!(
        !stderr(&mistyped).contains("qpa55"),
        "{}",
        stderr(&mistyped)
    );
}
