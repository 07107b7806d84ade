//! Parquet files: the command's answers next to their rows, compared with those of SQL.

use crate::items::{CURVES, Items, engine, some};
use crate::session::{query, row, runtime, session};
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int64Array, RecordBatch, StringArray};
use datafusion::datasource::MemTable;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use gecc::service::Coalescer;
use gecc::{CurveId, call};
use gecc_arrow::{
    BatchJob, Compression, Destination, Field, Format, Mapping, Pool, ReadOptions, TableOperation,
    TransformOptions, Writer, complete, open, transform,
};
use gecc_datafusion::Functions;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

const ROWS: usize = 4000;

/// Items of which some are corrupted and some null, in columns of several types.
fn table(curve: CurveId) -> RecordBatch {
    let mut items = Items::random(curve, ROWS);
    items.corrupt();
    let (mut signatures, mut keys) = (some(&items.signatures), some(&items.mixed_keys()));
    for row in (0..ROWS).step_by(11) {
        signatures[row] = None;
        keys[row / 2] = None;
        keys[row + 1] = Some(b"not hexadecimal".to_vec());
    }
    // A dictionary of few values, with one row in a hundred null.
    let digest = |row: usize| (row % 100 != 99).then_some(row as i32);
    let digests: StringArray = items
        .digests
        .iter()
        .map(|digest| Some(hex(digest)))
        .collect();
    let digests =
        DictionaryArray::<Int32Type>::new((0..ROWS).map(digest).collect(), Arc::new(digests));
    let signature: ArrayRef = crate::items::fixed(&signatures).expect("one width");
    let key = crate::items::columns(&keys).remove(0);
    let columns: [(&str, ArrayRef, bool); 4] = [
        (
            "row",
            Arc::new(Int64Array::from_iter_values(0..ROWS as i64)),
            false,
        ),
        ("digest", Arc::new(digests), true),
        ("signature", signature, true),
        ("public_key", key, true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write(path: &Path, rows: &RecordBatch) {
    let output = Destination::File(path.to_owned());
    let mut writer =
        Writer::create(output, Format::Parquet, Compression::None, &rows.schema()).unwrap();
    writer.write(rows, &Pool::default()).unwrap();
    writer.finish().unwrap();
}

/// Runs the equivalent of the command with `--beside`: all columns, followed by `valid` and
/// `reason`.
fn answer(curve: CurveId, from: &Path, to: &Path) {
    let input = open(from, ReadOptions::default()).unwrap();
    let (operation, pool) = (
        TableOperation::from(call::Operation::verify(curve, Default::default())),
        Pool::default(),
    );
    let mapping = complete(Mapping::new(), input.schema(), &operation).unwrap();
    assert_eq!(mapping.column(Field::PublicKey), Some("public_key"));
    let job = BatchJob {
        engine: engine(),
        operation: &operation,
        mapping: &mapping,
        pool: &pool,
    };
    let options = TransformOptions {
        beside: true,
        ..Default::default()
    };
    let outcome = transform(
        &job,
        input,
        Destination::File(to.to_owned()),
        &options,
        &AtomicBool::new(false),
    )
    .unwrap();
    assert!(outcome.problem.is_none());
}

fn with_file(context: &SessionContext, path: &Path) {
    let file = context.register_parquet(
        "t",
        path.to_str().expect("a name"),
        ParquetReadOptions::default(),
    );
    runtime().block_on(file).unwrap();
}

fn function(curve: CurveId, ending: &str) -> String {
    match curve {
        CurveId::Sm2 => format!("sm2_verify{ending}(digest, signature, public_key)"),
        curve => format!("ecdsa_verify{ending}('{curve}', digest, signature, public_key)"),
    }
}

/// A coalescer for this test, so that its statistics can be checked.
fn functions(largest: usize) -> Functions {
    let coalescer = Coalescer::builder()
        .largest_batch(largest)
        .build(engine())
        .unwrap();
    Functions::through(engine(), coalescer)
}

#[test]
fn sql_returns_the_answers_of_the_command() {
    for curve in CURVES {
        let folder = TempDir::new().unwrap();
        let (signed, answered) = (
            folder.path().join("signed.parquet"),
            folder.path().join("answered.parquet"),
        );
        write(&signed, &table(curve));
        answer(curve, &signed, &answered);
        let (verdict, reason) = (function(curve, ""), function(curve, "_reason"));
        let differs = format!(
            "SELECT count(*), count(*) FILTER (WHERE {verdict}) AS passed, count(*) FILTER (WHERE NOT {verdict} AND (digest IS NULL OR signature IS NULL OR public_key IS NULL)) AS nulls,
                count(*) FILTER (WHERE {verdict} <> valid OR {reason} IS DISTINCT FROM reason) AS other
            FROM t"
        );
        let by_nulls = "SELECT count(*) FROM t WHERE digest IS NULL OR signature IS NULL OR public_key IS NULL";
        let mut found = Vec::new();
        for (partitions, batch) in [(1, 8192), (7, 200), (16, 40)] {
            let functions = functions(1700);
            let context = session(&functions, partitions, batch);
            with_file(&context, &answered);
            found.push([row(&context, &differs), row(&context, by_nulls)].concat());
            assert!(functions.stats().items > 0 && functions.stats().failed_batches == 0);
        }
        let count = |which: usize| found[0][which].as_ref().unwrap().parse::<usize>().unwrap();
        assert_eq!((count(0), count(3)), (ROWS, 0), "{curve}");
        assert_eq!(count(2), count(4), "{curve}");
        // Two thirds are not corrupted, and most of those have no null cells.
        assert!(
            count(1) > ROWS / 3 && count(2) > ROWS / 10,
            "{curve}: {found:?}"
        );
        assert!(
            found.iter().all(|other| *other == found[0]),
            "{curve}: {found:?}"
        );
    }
}

#[test]
fn small_batches_of_many_partitions_are_computed_together() {
    let rows = table(CurveId::P256);
    let batches: Vec<_> = (0..ROWS)
        .step_by(80)
        .map(|start| rows.slice(start, 80))
        .collect();
    let parts = batches.chunks(4).map(<[_]>::to_vec).collect();
    let functions = functions(1300);
    let context = session(&functions, 16, 80);
    context
        .register_table(
            "t",
            Arc::new(MemTable::try_new(rows.schema(), parts).unwrap()),
        )
        .unwrap();
    let verdict = function(CurveId::P256, "");
    let found = row(
        &context,
        &format!("SELECT count(*) FROM t WHERE {verdict} IS NOT DISTINCT FROM true"),
    );
    assert!(found[0].as_ref().unwrap().parse::<usize>().unwrap() > ROWS / 3);
    let stats = functions.stats();
    // Keys have several encodings, so that each of these batches is two requests.
    let (batches, handed_in) = (stats.cpu_batches, 2 * ROWS.div_ceil(80) as u64);
    assert!(
        batches < handed_in / 2,
        "{batches} batches of {handed_in} requests"
    );
}

#[test]
fn batches_longer_than_the_largest_are_cut() {
    let rows = table(CurveId::Secp256k1).slice(0, 1000);
    let sql = "SELECT ecdsa_verify('secp256k1', digest, signature, public_key),
        ecdsa_verify_reason('secp256k1', digest, signature, public_key),
        ecdsa_recover('secp256k1', digest, signature, 0), eth_address(public_key) FROM t";
    let [cut, whole] = [64, 1000].map(|largest| {
        let context = session(&functions(largest), 1, 8192);
        context.register_batch("t", rows.clone()).unwrap();
        query(&context, sql)
    });
    assert_eq!(cut, whole);
    assert_eq!(whole.num_rows(), 1000);
    assert!(
        whole
            .columns()
            .iter()
            .all(|column| column.null_count() < 900)
    );
}

#[test]
fn real_signatures_have_their_verdicts() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../crates/gecc-arrow/tests/data/signatures.parquet");
    let context = session(crate::session::functions(), 3, 8192);
    with_file(&context, &path);
    let case = |ending: &str| {
        let when = |curve: &CurveId| format!("WHEN '{curve}' THEN {}", function(*curve, ending));
        format!(
            "CASE tag {} END",
            CURVES.iter().map(when).collect::<Vec<_>>().join(" ")
        )
    };
    let (verdict, reason) = (case(""), case("_reason"));
    let sql = format!("SELECT count(*), count(*) FILTER (WHERE {verdict}), count({reason}) FROM t");
    // The same numbers as in signatures_verdicts.csv.gz.
    assert_eq!(
        row(&context, &sql),
        ["1702", "1487", "215"].map(|count| Some(count.to_owned()))
    );
}
