//! Measures how fast files are decoded and answers are encoded, without an engine: rows of digests,
//! signatures and keys per second.
//!
//! `cargo bench -p gecc-arrow --bench decode`. Files are in the folder for temporary files, and are
//! read once before they are measured. The command keeps the memory that it frees; with glibc, this
//! environment has the same effect: `MALLOC_MMAP_MAX_=0
//! MALLOC_TRIM_THRESHOLD_=18446744073709551615`.

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, Int8Array, RecordBatch,
};
use arrow_buffer::Buffer;
use gecc_arrow::{Compression, Destination, Format, Pool, Projection, ReadOptions, Writer, open};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const ROWS: usize = 1 << 20;
const GROUPS: usize = 4;
const RUNS: usize = 5;

fn main() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("rows");
    for (name, table) in [
        ("keys FixedSizeBinary", table(false)),
        ("keys Binary", table(true)),
    ] {
        for (format, compression) in [
            (Format::Parquet, Compression::None),
            (Format::Parquet, Compression::Zstd),
            (Format::ArrowFile, Compression::None),
            (Format::ArrowStream, Compression::None),
        ] {
            write(&path, &table, format, compression);
            for (threads, rows) in [(1, 1 << 18), (2, 1 << 18), (1, ROWS)] {
                let rate = best(|| read(&path, threads, rows));
                println!(
                    "{name}, {format:?} {compression:?}, {threads} threads, batches of {rows}: {rate:.1} M rows/s"
                );
            }
        }
    }
    let answers = answers();
    for compression in [Compression::None, Compression::Zstd] {
        let rate = best(|| write(&path, &answers, Format::Parquet, compression));
        println!("answers as Parquet {compression:?}: {rate:.1} M rows/s");
    }
}

/// Returns the best of several runs, in millions of rows per second.
fn best(mut run: impl FnMut()) -> f64 {
    run();
    let seconds = (0..RUNS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    });
    (ROWS * GROUPS) as f64 / seconds.fold(f64::INFINITY, f64::min) / 1e6
}

fn random(bytes: usize) -> Vec<u8> {
    rand::random_iter::<u64>()
        .take(bytes.div_ceil(8))
        .flat_map(u64::to_le_bytes)
        .take(bytes)
        .collect()
}

fn fixed(width: usize) -> ArrayRef {
    Arc::new(FixedSizeBinaryArray::new(
        width as i32,
        Buffer::from_vec(random(ROWS * width)),
        None,
    ))
}

fn table(variable_keys: bool) -> RecordBatch {
    let keys: ArrayRef = match variable_keys {
        false => fixed(33),
        true => Arc::new(BinaryArray::from_iter_values(random(ROWS * 33).chunks(33))),
    };
    RecordBatch::try_from_iter([
        ("digest", fixed(32)),
        ("signature", fixed(64)),
        ("public_key", keys),
    ])
    .expect("a table")
}

/// All rows valid, as most are.
fn answers() -> RecordBatch {
    let valid: ArrayRef = Arc::new(BooleanArray::from(vec![true; ROWS]));
    let texts = Arc::new(arrow_array::StringArray::from(vec![
        "the signature does not match",
    ]));
    let reasons = arrow_array::DictionaryArray::new(Int8Array::new_null(ROWS), texts);
    RecordBatch::try_from_iter([("valid", valid), ("reason", Arc::new(reasons) as ArrayRef)])
        .expect("a table")
}

fn write(path: &Path, table: &RecordBatch, format: Format, compression: Compression) {
    let output = Destination::File(path.to_owned());
    let mut writer = Writer::create(output, format, compression, &table.schema()).expect("a file");
    for _ in 0..GROUPS {
        writer.write(table, &Pool::default()).expect("a row group");
    }
    writer.finish().expect("a file");
}

fn read(path: &Path, threads: usize, rows: usize) {
    let options = ReadOptions {
        rows,
        threads,
        ..ReadOptions::default()
    };
    let batches = open(path, options)
        .and_then(|input| input.batches(&Projection::All))
        .expect("a file");
    let rows: usize = batches
        .map(|batch| batch.expect("a batch").num_rows())
        .sum();
    assert_eq!(rows, ROWS * GROUPS);
}
