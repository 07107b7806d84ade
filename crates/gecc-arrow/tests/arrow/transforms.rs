//! From files to files.

use crate::files::{WRITTEN, options, read, write};
use crate::items::{Items, columns, engine, fixed, some, verdicts, verify};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_select::concat::concat_batches;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD as STANDARD, BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD};
use gecc::fields::Encoding;
use gecc::{CurveId, call};
use gecc_arrow::{
    AnswerSelection, BatchJob, CellProblem, Compression, Destination, Error, Field, Format,
    Mapping, Pool, Projection, Reason, TableOperation, TransformOptions, TransformOutcome,
    complete, open, transform,
};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

pub const CURVE: CurveId = CurveId::Secp256k1;

/// Items, corrupted in part, as a table with a column that is called as an answer.
pub fn items(count: usize) -> (RecordBatch, Vec<u8>) {
    let mut items = Items::random(CURVE, count);
    items.corrupt();
    let keys = items.mixed_keys();
    let table: Vec<(&str, ArrayRef)> = vec![
        ("digest", fixed(&some(&items.digests)).unwrap()),
        (
            "valid",
            Arc::new(Int64Array::from_iter_values(0..count as i64)),
        ),
        ("sig", fixed(&some(&items.signatures)).unwrap()),
        ("pubkey", columns(&some(&keys)).remove(0)),
    ];
    (
        RecordBatch::try_from_iter(table).unwrap(),
        verdicts(CURVE, &items.digests, &items.signatures, &keys),
    )
}

fn run(
    from: &Path,
    to: Destination,
    rows: usize,
    with: &TransformOptions,
    stop: bool,
) -> Result<TransformOutcome, Error> {
    let input = open(from, options(rows))?;
    let (operation, pool) = (verify(CURVE), Pool::default());
    let mapping = complete(Mapping::new(), input.schema(), &operation).unwrap();
    let job = BatchJob {
        engine: engine(),
        operation: &operation,
        mapping: &mapping,
        pool: &pool,
    };
    transform(&job, input, to, with, &AtomicBool::new(stop))
}

/// The codes that the columns of a file say.
fn codes(path: &Path, valid: &str) -> Vec<u8> {
    let batches = read(path, options(1000), &Projection::All).unwrap();
    let of_batch = |batch: &RecordBatch| -> Vec<u8> {
        let valid = batch.column_by_name(valid).unwrap().as_boolean().clone();
        let reasons = batch.column_by_name("reason").unwrap().clone();
        (0..batch.num_rows())
            .map(|row| {
                assert_eq!(valid.value(row), reasons.is_null(row));
                if valid.value(row) {
                    1
                } else {
                    code_of(&text(&reasons, row))
                }
            })
            .collect()
    };
    batches.iter().flat_map(of_batch).collect()
}

fn text(column: &ArrayRef, row: usize) -> String {
    match column.as_any_dictionary_opt() {
        Some(reasons) => reasons
            .values()
            .as_string::<i32>()
            .value(reasons.normalized_keys()[row])
            .to_owned(),
        None => column.as_string_view().value(row).to_owned(),
    }
}

fn code_of(text: &str) -> u8 {
    (0..=u8::MAX)
        .find(|code| Reason::from_code(*code).is_some_and(|reason| reason.to_string() == text))
        .unwrap()
}

#[test]
fn answers_are_written_alone_or_with_the_input() {
    let folder = TempDir::new().unwrap();
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    let (table, wanted) = items(3000);
    for (format, compression) in WRITTEN {
        write(&from, &table, 700, format, compression);
        for (beside, rows) in [(false, 256), (true, 256), (true, 10_000)] {
            let with = TransformOptions {
                beside,
                format,
                compression,
                ..TransformOptions::default()
            };
            let outcome = run(&from, Destination::File(to.clone()), rows, &with, false).unwrap();
            assert!(outcome.problem.is_none());
            let valid = wanted.iter().filter(|code| **code == 1).count() as u64;
            assert_eq!((outcome.counts.rows, outcome.counts.passed), (3000, valid));
            for (reason, count) in outcome.counts.rejected() {
                assert_eq!(
                    count,
                    wanted.iter().filter(|code| **code == reason.code()).count() as u64
                );
            }
            assert_eq!(
                codes(&to, if beside { "gecc_valid" } else { "valid" }),
                wanted
            );
            let written = open(&to, options(10)).unwrap();
            let names: Vec<_> = written
                .schema()
                .fields()
                .iter()
                .map(|field| field.name().clone())
                .collect();
            match beside {
                false => assert_eq!(names, ["valid", "reason"]),
                true => {
                    assert_eq!(
                        names,
                        ["digest", "valid", "sig", "pubkey", "gecc_valid", "reason"]
                    );
                    let back =
                        read(&to, options(10_000), &Projection::Only(vec![0, 1, 2])).unwrap();
                    let back: Vec<_> = (0..3).map(|column| joined(&back, column)).collect();
                    assert_eq!(
                        back,
                        (0..3)
                            .map(|column| table.column(column).clone())
                            .collect::<Vec<_>>()
                    );
                }
            }
        }
    }
}

fn joined(batches: &[RecordBatch], column: usize) -> ArrayRef {
    let columns: Vec<&dyn Array> = batches
        .iter()
        .map(|batch| batch.column(column).as_ref())
        .collect();
    arrow_select::concat::concat(&columns).unwrap()
}

#[test]
fn columns_keep_the_types_that_the_file_gives_them() {
    let folder = TempDir::new().unwrap();
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    let (table, _) = items(10);
    write(&from, &table, 10, Format::Parquet, Compression::None);
    let with = TransformOptions {
        beside: true,
        ..TransformOptions::default()
    };
    run(&from, Destination::File(to.clone()), 10, &with, false).unwrap();
    let written = open(&to, options(10)).unwrap().written_schema().clone();
    assert_eq!(written.fields()[..4], table.schema().fields()[..]);
}

/// A table with texts, of which this writes the bytes.
fn texts(items: &Items, written: impl Fn(&[u8]) -> String) -> RecordBatch {
    let column = |rows: Vec<&[u8]>| {
        Arc::new(
            rows.iter()
                .map(|row| Some(written(row)))
                .collect::<StringArray>(),
        )
    };
    let table: [(&str, ArrayRef); 3] = [
        (
            "digest",
            column(items.digests.iter().map(|row| &row[..]).collect()),
        ),
        (
            "sig",
            column(items.signatures.iter().map(|row| &row[..]).collect()),
        ),
        (
            "pubkey",
            column(items.points.iter().map(|point| point.as_sec1()).collect()),
        ),
    ];
    RecordBatch::try_from_iter(table).unwrap()
}

#[test]
fn texts_are_in_the_encoding_of_the_first_rows() {
    let folder = TempDir::new().unwrap();
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    let mut items = Items::random(CURVE, 2500);
    items.corrupt();
    let keys: Vec<_> = items
        .points
        .iter()
        .map(|point| point.as_sec1().to_vec())
        .collect();
    let codes_of_items = verdicts(CURVE, &items.digests, &items.signatures, &keys);
    let with = TransformOptions {
        beside: true,
        ..TransformOptions::default()
    };
    let hex = texts(&items, |row| const_hex::encode(row));
    let base64 = [
        texts(&items, |row| STANDARD.encode(row)),
        texts(&items, |row| URL_SAFE_NO_PAD.encode(row)),
    ];
    for table in [&hex, &base64[0], &base64[1]] {
        for (format, compression) in WRITTEN {
            write(&from, table, 700, format, compression);
            let outcome = run(&from, Destination::File(to.clone()), 1024, &with, false).unwrap();
            assert!(outcome.problem.is_none(), "{:?}", outcome.problem);
            assert_eq!(codes(&to, "valid"), codes_of_items, "{format:?}");
        }
    }
    // Each column has an encoding of its own.
    let signatures_in_base64: Vec<ArrayRef> = vec![
        hex.column(0).clone(),
        base64[0].column(1).clone(),
        hex.column(2).clone(),
    ];
    let signatures_in_base64 = RecordBatch::try_new(hex.schema(), signatures_in_base64).unwrap();
    write(
        &from,
        &signatures_in_base64,
        700,
        Format::Parquet,
        Compression::None,
    );
    let outcome = run(&from, Destination::File(to.clone()), 1024, &with, false).unwrap();
    assert!(outcome.problem.is_none(), "{:?}", outcome.problem);
    assert_eq!(codes(&to, "valid"), codes_of_items);
    // Within one neither wins, and nothing is written.
    let rows_of_both = concat_batches(
        &hex.schema(),
        &[hex.slice(0, 600), base64[0].slice(600, 600)],
    )
    .unwrap();
    std::fs::remove_file(&to).unwrap();
    write(
        &from,
        &rows_of_both,
        1200,
        Format::Parquet,
        Compression::None,
    );
    let outcome = run(&from, Destination::File(to.clone()), 1024, &with, false).unwrap();
    let problem = outcome.problem.unwrap().to_string();
    assert!(
        problem.contains("of the first 1000 rows 1800 values are hexadecimal and 1200 base64"),
        "{problem}"
    );
    assert!(!to.exists());
    // A given encoding takes precedence: only the rows in the other encoding are rejected.
    write(
        &from,
        &signatures_in_base64.slice(0, 1200),
        1200,
        Format::Parquet,
        Compression::None,
    );
    let input = open(&from, options(1024)).unwrap();
    let (operation, pool) = (verify(CURVE), Pool::default());
    let mut as_hex = Mapping::new();
    as_hex.encodings = Encoding::Hex.into();
    let mapping = complete(as_hex, input.schema(), &operation).unwrap();
    let job = BatchJob {
        engine: engine(),
        operation: &operation,
        mapping: &mapping,
        pool: &pool,
    };
    let outcome = transform(
        &job,
        input,
        Destination::File(to.clone()),
        &with,
        &AtomicBool::new(false),
    )
    .unwrap();
    let wrong = Reason::Cell(Field::Signature, CellProblem::NotHexadecimal);
    assert_eq!(
        outcome.counts.rejected().collect::<Vec<_>>(),
        [(wrong, 1200)]
    );
}

#[test]
fn secret_keys_are_not_written() {
    let folder = TempDir::new().unwrap();
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    let items = Items::random(CURVE, 20);
    let secrets: Vec<_> = items
        .secrets
        .iter()
        .map(|key| *key.expose_bytes())
        .collect();
    let table: Vec<(&str, ArrayRef)> = vec![
        ("sk", fixed(&some(&secrets)).unwrap()),
        ("digest", fixed(&some(&items.digests)).unwrap()),
        ("number", Arc::new(Int64Array::from_iter_values(0..20))),
    ];
    write(
        &from,
        &RecordBatch::try_from_iter(table).unwrap(),
        20,
        Format::Parquet,
        Compression::None,
    );
    let input = open(&from, options(7)).unwrap();
    let (operation, pool) = (
        TableOperation::from(call::Operation::sign(CURVE, Default::default())),
        Pool::default(),
    );
    let mapping = complete(Mapping::new(), input.schema(), &operation).unwrap();
    let job = BatchJob {
        engine: engine(),
        operation: &operation,
        mapping: &mapping,
        pool: &pool,
    };
    let with = TransformOptions {
        beside: true,
        compression: Compression::None,
        ..TransformOptions::default()
    };
    let outcome = transform(
        &job,
        input,
        Destination::File(to.clone()),
        &with,
        &AtomicBool::new(false),
    )
    .unwrap();
    assert!(outcome.problem.is_none() && outcome.counts.passed == 20);
    let written = open(&to, options(10)).unwrap();
    let names: Vec<_> = written
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    assert_eq!(names, ["digest", "number", "signature", "reason"]);
    let signatures = joined(&read(&to, options(100), &Projection::All).unwrap(), 2);
    assert!(
        signatures
            .as_fixed_size_binary()
            .iter()
            .eq(items.signatures.iter().map(|row| Some(&row[..])))
    );
    let bytes = std::fs::read(&to).unwrap();
    assert!(
        secrets
            .iter()
            .all(|secret| !bytes.windows(32).any(|window| window == secret))
    );
}

#[test]
fn answers_before_an_error_are_kept() {
    let folder = TempDir::new().unwrap();
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    let (table, wanted) = items(2000);
    for format in [Format::Parquet, Format::ArrowFile, Format::ArrowStream] {
        write(&from, &table, 500, format, Compression::Zstd);
        let mut bytes = std::fs::read(&from).unwrap();
        // Among the last rows, before the footer: enough that the header of a page or message is
        // hit.
        let place = bytes.len() * 5 / 6;
        bytes[place..place + 30_000].fill(0xff);
        std::fs::write(&from, &bytes).unwrap();
        let with = TransformOptions {
            format,
            ..TransformOptions::default()
        };
        let outcome = run(&from, Destination::File(to.clone()), 100, &with, false).unwrap();
        assert!(outcome.problem.is_some(), "{format:?}");
        let rows = outcome.counts.rows as usize;
        assert!((500..2000).contains(&rows), "{format:?} {rows}");
        assert_eq!(codes(&to, "valid"), wanted[..rows]);
    }
}

#[test]
fn a_stream_is_whole_though_its_first_batch_is_an_error() {
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let folder = TempDir::new().unwrap();
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    write(
        &from,
        &items(500).0,
        500,
        Format::ArrowStream,
        Compression::None,
    );
    let bytes = std::fs::read(&from).unwrap();
    std::fs::write(&from, &bytes[..bytes.len() / 2]).unwrap();
    for format in [Format::Parquet, Format::ArrowFile, Format::ArrowStream] {
        let (written, with) = (
            Kept::default(),
            TransformOptions {
                format,
                ..TransformOptions::default()
            },
        );
        let outcome = run(
            &from,
            Destination::Stream(Box::new(written.clone())),
            100,
            &with,
            false,
        )
        .unwrap();
        assert!(outcome.problem.is_some() && outcome.counts.rows == 0);
        let written = written.0.lock().unwrap();
        assert!(
            format != Format::ArrowStream
                || written.ends_with(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])
        );
        std::fs::write(&to, &written[..]).unwrap();
        assert_eq!(codes(&to, "valid"), [0_u8; 0], "{format:?}");
        // An existing file is not changed.
        std::fs::write(&to, b"before").unwrap();
        assert!(
            run(&from, Destination::File(to.clone()), 100, &with, false)
                .unwrap()
                .problem
                .is_some()
        );
        assert_eq!(std::fs::read(&to).unwrap(), b"before");
    }
}

#[test]
fn a_stop_leaves_a_whole_file() {
    let folder = TempDir::new().unwrap();
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    write(&from, &items(50).0, 50, Format::Parquet, Compression::None);
    let outcome = run(
        &from,
        Destination::File(to.clone()),
        10,
        &TransformOptions::default(),
        true,
    )
    .unwrap();
    assert!(outcome.problem.is_none() && outcome.counts.rows == 0);
    assert_eq!(codes(&to, "valid"), [0_u8; 0]);
}

#[test]
fn nothing_is_written_when_columns_are_missing() {
    let folder = TempDir::new().unwrap();
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    let table = items(5).0.project(&[0, 1, 2]).unwrap();
    write(&from, &table, 5, Format::Parquet, Compression::None);
    let problem = run(
        &from,
        Destination::File(to.clone()),
        10,
        &TransformOptions::default(),
        false,
    )
    .unwrap_err();
    assert!(
        problem
            .to_string()
            .contains("no column has the name of `public_key`")
    );
    assert!(!to.exists());
}

#[test]
fn a_full_disk_is_an_error() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self
                .0
                .checked_sub(bytes.len())
                .ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let folder = TempDir::new().unwrap();
    let from = folder.path().join("in");
    write(
        &from,
        &items(1000).0,
        100,
        Format::Parquet,
        Compression::None,
    );
    for format in [Format::Parquet, Format::ArrowFile, Format::ArrowStream] {
        let with = TransformOptions {
            format,
            beside: true,
            ..TransformOptions::default()
        };
        let outcome = run(
            &from,
            Destination::Stream(Box::new(Full(5000))),
            10,
            &with,
            false,
        )
        .unwrap();
        assert!(
            outcome
                .problem
                .is_some_and(|problem| problem.to_string().contains("storage")),
            "{format:?}"
        );
    }
    let counts = run(
        &from,
        Destination::Nowhere,
        10,
        &TransformOptions::default(),
        false,
    )
    .unwrap()
    .counts;
    assert_eq!(counts.rows, 1000);
}

/// Row numbers, only rejected rows, and an end at the first of them.
#[test]
fn selected_answers_are_written() {
    let folder = TempDir::new().unwrap();
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    let (table, codes) = items(3000);
    write(&from, &table, 700, Format::Parquet, Compression::None);
    let first = codes.iter().position(|code| *code != 1).unwrap();
    for (only_rejected, check) in [(false, false), (true, false), (false, true), (true, true)] {
        for format in [Format::Parquet, Format::ArrowFile] {
            // A name that the table has.
            let wanted = AnswerSelection {
                place: Some("digest".to_owned()),
                only_rejected,
                check,
                plain_reasons: false,
            };
            let with = TransformOptions {
                beside: true,
                format,
                wanted,
                ..TransformOptions::default()
            };
            let outcome = run(&from, Destination::File(to.clone()), 256, &with, false).unwrap();
            assert!(outcome.problem.is_none());
            let rows = if check { first + 1 } else { 3000 };
            let passed = codes[..rows].iter().filter(|code| **code == 1).count() as u64;
            assert_eq!(
                (outcome.counts.rows, outcome.counts.passed),
                (rows as u64, passed)
            );
            let places: Vec<u64> = read(&to, options(1000), &Projection::All)
                .unwrap()
                .iter()
                .flat_map(|batch| {
                    batch["gecc_digest"]
                        .as_primitive::<UInt64Type>()
                        .values()
                        .to_vec()
                })
                .collect();
            let expected: Vec<u64> = (0..rows)
                .filter(|row| !only_rejected || codes[*row] != 1)
                .map(|row| row as u64 + 1)
                .collect();
            assert_eq!(places, expected, "{only_rejected} {check}");
        }
    }
}
