//! Headers of Parquet files: those with two readings, those that claim much, and pages of every
//! kind.

use crate::files::{content, options, read};
use crate::synthetic::{
    self, BINARY, Beside, Column, DICTIONARY, FIXED, Field, I32, I64, LIST, PLAIN, STRUCT, TRUE,
};
use arrow_array::builder::{BinaryBuilder, FixedSizeListBuilder, Int32Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_select::concat::concat_batches;
use flate2::write::GzEncoder;
use gecc_arrow::{Destination, Error, Format, Pool, Projection, ReadOptions, Writer, open};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression as Codec;
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Changed headers.
const CHANGES: usize = 1500;

fn bounded(rows: usize) -> ReadOptions {
    ReadOptions {
        max_memory: 64 << 20,
        max_page: 16 << 20,
        ..options(rows)
    }
}

fn attempt(path: &Path, bytes: &[u8], options: ReadOptions) -> Result<Vec<RecordBatch>, Error> {
    std::fs::write(path, bytes).unwrap();
    read(path, options, &Projection::All)
}

#[test]
fn no_hostile_file_is_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hostile");
    for (name, bytes) in synthetic::hostile() {
        let begin = Instant::now();
        let problem = attempt(&path, &bytes, bounded(1000))
            .map(|_| name.clone())
            .unwrap_err();
        assert!(
            matches!(problem, Error::Malformed(_) | Error::Limit { .. }),
            "{name}: {problem}"
        );
        assert!(
            begin.elapsed() < Duration::from_secs(10),
            "{name}: {:?}",
            begin.elapsed()
        );
    }
}

#[test]
fn crafted_files_are_files() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("synthetic");
    let rows = |bytes: &[u8]| {
        let batches = attempt(&path, bytes, bounded(7)).unwrap();
        concat_batches(&batches[0].schema(), &batches).unwrap()
    };
    let plain = rows(&synthetic::file(&synthetic::rejected(20), 20));
    assert_eq!((plain.num_rows(), plain.num_columns()), (20, 3));
    for part in [Beside::Bytes, Beside::Struct, Beside::List] {
        let batch = rows(&synthetic::file_beside(part, 20, 30));
        let x = batch.column_by_name("x").unwrap();
        let cells = match part {
            Beside::Struct => x.as_struct().column(0).clone(),
            Beside::List => x.as_list::<i32>().values().clone(),
            _ => x.clone(),
        };
        assert!(
            cells.len() == 20
                && cells
                    .as_binary_view()
                    .iter()
                    .all(|cell| cell == Some(&[7; 30])),
            "{part:?}"
        );
    }
    let lists = rows(&synthetic::long_list(1000));
    assert_eq!(
        lists
            .column_by_name("x")
            .unwrap()
            .as_list::<i32>()
            .value(0)
            .len(),
        1000
    );
    assert_eq!(rows(&synthetic::small_pages(20)), plain);
    assert_eq!(open_columns(&path, &synthetic::wide(300)), 300);
}

fn open_columns(path: &Path, bytes: &[u8]) -> usize {
    std::fs::write(path, bytes).unwrap();
    open(path, bounded(1)).unwrap().schema().fields().len()
}

#[test]
fn memory_outside_of_pages_is_bounded() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("wide");
    // Columns, values of a list, and long numbers in a dictionary.
    let problem = |bytes: &[u8]| {
        attempt(&path, bytes, bounded(1000))
            .unwrap_err()
            .to_string()
    };
    assert!(problem(&synthetic::wide(100_000)).contains("bytes of columns and row groups"));
    assert!(problem(&synthetic::long_list(100_000_000)).contains("is above the limit"));
    assert!(
        problem(&synthetic::file_beside(Beside::Decimal, 100, 1 << 20))
            .contains("numbers that are too long")
    );
}

/// Pages of one row each are found again by every batch. From the beginning of the file on, these
/// would be 75 million headers.
#[test]
fn small_pages_are_read_in_linear_time() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("small");
    let begin = Instant::now();
    let batches = attempt(&path, &synthetic::small_pages(50_000), options(50)).unwrap();
    assert_eq!(batches.len(), 1000);
    assert!(
        begin.elapsed() < Duration::from_secs(20),
        "{:?}",
        begin.elapsed()
    );
}

/// A table of every shape, with nulls.
fn shapes(rows: usize) -> RecordBatch {
    let mut lists = ListBuilder::new(BinaryBuilder::new());
    let mut pairs = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    for row in 0..rows {
        (0..row % 4).for_each(|item| {
            lists
                .values()
                .append_option((item != 2).then_some([row as u8; 9]))
        });
        lists.append(row % 7 != 3);
        pairs.values().append_slice(&[row as i32, -(row as i32)]);
        pairs.append(row % 5 != 1);
    }
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter(
        (0..rows).map(|row| (row % 3 != 0).then_some(row as i64)),
    ));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..rows).map(|row| format!("text {}", row / 10)),
    ));
    let parts =
        StructArray::try_from(vec![("number", numbers.clone()), ("text", texts.clone())]).unwrap();
    let columns: [(&str, ArrayRef); 5] = [
        ("number", numbers),
        ("text", texts),
        ("list", Arc::new(lists.finish())),
        ("pair", Arc::new(pairs.finish())),
        ("parts", Arc::new(parts)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn batches_of_any_size_are_parts_of_the_table() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shapes");
    let table = shapes(1000);
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for codec in [
            Codec::UNCOMPRESSED,
            Codec::SNAPPY,
            Codec::ZSTD(Default::default()),
        ] {
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_compression(codec)
                .set_max_row_group_row_count(Some(430))
                .set_data_page_row_count_limit(13)
                .set_write_batch_size(13)
                // Version 2 has encodings that are not read.
                .set_column_encoding("text".into(), parquet::basic::Encoding::PLAIN)
                .set_column_encoding("parts.text".into(), parquet::basic::Encoding::PLAIN)
                .set_column_encoding("list.list.item".into(), parquet::basic::Encoding::PLAIN);
            let mut writer = ArrowWriter::try_new(
                File::create(&path).unwrap(),
                table.schema(),
                Some(properties.build()),
            )
            .unwrap();
            writer.write(&table).unwrap();
            writer.close().unwrap();
            let whole = read(&path, options(1000), &Projection::All).unwrap();
            let [whole] = &whole[..] else {
                panic!("one batch")
            };
            assert_eq!(
                content(&[whole.project(&[0, 1]).unwrap()]),
                content(&[table.project(&[0, 1]).unwrap()])
            );
            let list = |batch: &RecordBatch, row: usize| {
                let list = batch.column(2).as_list::<i32>();
                list.is_valid(row)
                    .then(|| format!("{:?}", arrow_cells(&list.value(row))))
            };
            assert!((0..1000).all(|row| list(whole, row) == list(&table, row)));
            for rows in [1, 7, 13, 64, 430, 431, 999] {
                let batches = read(&path, options(rows), &Projection::All).unwrap();
                assert_eq!(batches.len(), 1000usize.div_ceil(rows));
                assert_eq!(
                    concat_batches(&whole.schema(), &batches).unwrap(),
                    *whole,
                    "{version:?} {codec:?} {rows}"
                );
            }
        }
    }
}

/// Cells of bytes, whatever their type is called.
fn arrow_cells(array: &ArrayRef) -> Vec<Option<Vec<u8>>> {
    match array.as_binary_view_opt() {
        Some(cells) => cells.iter().map(|cell| cell.map(<[u8]>::to_vec)).collect(),
        None => array
            .as_binary::<i32>()
            .iter()
            .map(|cell| cell.map(<[u8]>::to_vec))
            .collect(),
    }
}

#[test]
fn large_dictionary_columns_are_written_in_parts() {
    let folder = TempDir::new().unwrap();
    let (path, copy) = (folder.path().join("columns"), folder.path().join("copy"));
    for part in [Beside::Bytes, Beside::Struct, Beside::List] {
        std::fs::write(&path, synthetic::file_beside(part, 100, 1 << 20)).unwrap();
        let input = open(&path, options(1000)).unwrap();
        let written = input.written_schema().clone();
        let batches: Vec<_> = input
            .batches(&Projection::All)
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        let output = Destination::File(copy.clone());
        let mut writer =
            Writer::create(output, Format::Parquet, Default::default(), &written).unwrap();
        batches
            .iter()
            .for_each(|batch| writer.write(batch, &Pool::default()).unwrap());
        writer.finish().unwrap();
        let again = read(&copy, options(1000), &Projection::All).unwrap();
        assert_eq!(
            concat_batches(&again[0].schema(), &again).unwrap(),
            concat_batches(&batches[0].schema(), &batches).unwrap()
        );
    }
}

/// Pages whose headers state a larger or smaller size than decompression yields, in codecs that our
/// writer does not support.
#[test]
fn wrong_uncompressed_sizes_are_rejected() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("compressed");
    let gzip = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    // One literal, and copies of it up to the last bytes, which are literals too.
    let lz4 = |bytes: &[u8]| {
        let copied = bytes.len() - 1 - 12 - 4 - 15;
        let long = [vec![0xff; copied / 255], vec![(copied % 255) as u8]].concat();
        [
            &[0x1f, bytes[0], 1, 0][..],
            &long,
            &[0xc0],
            &bytes[bytes.len() - 12..],
        ]
        .concat()
    };
    let hadoop = |bytes: &[u8]| {
        let block = lz4(bytes);
        let [all, chunk] = [bytes.len(), block.len()].map(|number| (number as u32).to_be_bytes());
        [&all[..], &chunk, &block].concat()
    };
    let expected = attempt(
        &path,
        &synthetic::file(&synthetic::rejected(100), 100),
        bounded(100),
    )
    .unwrap();
    let codecs: [(i64, &dyn Fn(&[u8]) -> Vec<u8>); 4] =
        [(2, &gzip), (7, &lz4), (5, &lz4), (5, &hadoop)];
    for (codec, compressed) in codecs {
        let file = |claimed: usize| {
            let columns = synthetic::verification(FIXED, codec, 100, |width| {
                let bytes = compressed(&vec![3; width * 100]);
                let header = synthetic::header(
                    0,
                    (width * claimed) as i64,
                    bytes.len() as i64,
                    synthetic::data(100, PLAIN),
                );
                vec![[synthetic::structure(&header), bytes].concat()]
            });
            synthetic::file(&columns, 100)
        };
        assert_eq!(attempt(&path, &file(100), bounded(100)).unwrap(), expected);
        for claimed in [1, 99, 101, 1000] {
            let problem = attempt(&path, &file(claimed), bounded(100))
                .unwrap_err()
                .to_string();
            assert!(problem.contains("does not become"), "{problem}");
        }
    }
}

#[test]
fn codecs_that_are_not_read_are_named_before_anything_is_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lzo");
    let columns = synthetic::verification(FIXED, 3, 100, |width| {
        vec![synthetic::page(100, PLAIN, &vec![3; width * 100])]
    });
    std::fs::write(&path, synthetic::file(&columns, 100)).unwrap();
    let input = open(&path, bounded(100)).unwrap();
    let problem = input.batches(&Projection::All).err().unwrap().to_string();
    assert!(
        problem.contains("compressed by LZO are not read"),
        "{problem}"
    );
}

/// Another number, type or value, a field twice, or one less.
fn change(fields: &mut Vec<Field>) {
    if fields.is_empty() {
        return;
    }
    let place = rand::random_range(0..fields.len());
    let kinds = [
        TRUE, 2, 3, 4, I32, I64, 7, BINARY, LIST, 10, 11, STRUCT, 13, 14, 0,
    ];
    let numbers = [
        -1,
        0,
        1,
        2,
        100,
        1 << 20,
        i32::MAX.into(),
        i64::from(i32::MAX) + 1,
        i64::MAX,
        i64::MIN,
    ];
    let any = |choices: &[i64]| choices[rand::random_range(0..choices.len())];
    match rand::random_range(0..7) {
        0 => {
            fields[place] =
                fields[place]
                    .clone()
                    .written(any(&[0, -1, 1, 5, 20, 65537, 65540, 1 << 40]))
        }
        1 => {
            fields[place] = fields[place]
                .clone()
                .called(kinds[rand::random_range(0..kinds.len())])
        }
        2 => fields[place] = synthetic::int(rand::random_range(1..9), any(&numbers)),
        3 => {
            fields[place] = synthetic::claimed(
                rand::random_range(1..9),
                kinds[rand::random_range(0..13)],
                any(&numbers) as u64,
                &[],
            )
        }
        4 => fields.insert(place, fields[place].clone()),
        5 => fields.swap(place, 0),
        _ => drop(fields.remove(place)),
    }
}

/// The same fields, or changed ones.
fn changed(fields: &[Field], now: bool) -> Vec<Field> {
    let mut fields = fields.to_vec();
    (0..if now { rand::random_range(1..3) } else { 0 }).for_each(|_| change(&mut fields));
    fields
}

#[test]
fn changed_headers_are_errors_or_tables() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("changed");
    let (rows, width) = (20, 32);
    let data = vec![3; width * rows];
    let length = data.len() as i64;
    let mut tables = 0;
    for round in 0..CHANGES {
        // Changes the header of a page, the counts in it, or the header of a dictionary.
        let values = [
            synthetic::int(1, rows as i64),
            synthetic::int(2, PLAIN),
            synthetic::int(3, 3),
            synthetic::int(4, 3),
        ];
        let inner = synthetic::inner(5, &changed(&values, round % 4 == 0));
        let header = changed(&synthetic::header(0, length, length, inner), round % 4 == 1);
        let plain = [synthetic::structure(&header), data.clone()].concat();
        let values = [synthetic::int(1, 2), synthetic::int(2, PLAIN)];
        let header = synthetic::header(
            2,
            64,
            64,
            synthetic::inner(7, &changed(&values, round % 4 == 2)),
        );
        let dictionary = [
            synthetic::structure(&changed(&header, round % 4 == 3)),
            vec![7; 64],
        ]
        .concat();
        let keys = synthetic::page(rows as i64, DICTIONARY, &synthetic::first_keys(rows as u64));
        let coded = Column::new("b", FIXED, Some(width), rows as i64, vec![dictionary, keys]);
        let columns = [
            Column::new("a", FIXED, Some(width), rows as i64, vec![plain]),
            Column {
                has_dictionary: true,
                ..coded
            },
        ];
        tables += usize::from(
            attempt(&path, &synthetic::file(&columns, rows as i64), bounded(9)).is_ok(),
        );
    }
    assert!(tables > CHANGES / 100 && tables < CHANGES, "{tables}");
}

#[test]
fn changed_footers_are_errors_or_tables() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("changed");
    let mut tables = 0;
    for round in 0..CHANGES {
        let element = [
            synthetic::int(1, 7),
            synthetic::int(2, 4),
            synthetic::int(3, 0),
            synthetic::text(4, "a"),
            synthetic::inner(10, &changed(&[synthetic::inner(14, &[])], round % 8 == 5)),
        ];
        let element = synthetic::structure(&changed(&element, round % 8 == 0));
        let root = [synthetic::text(4, "schema"), synthetic::int(5, 1)];
        let root = synthetic::structure(&changed(&root, round % 8 == 1));
        let column = [
            synthetic::int(1, 7),
            synthetic::list(2, I32, &[synthetic::zigzag(0)]),
            synthetic::int(4, 0),
            synthetic::long(5, 0),
            synthetic::long(6, 4),
            synthetic::long(7, 4),
            synthetic::long(9, 4),
        ];
        let chunk = [
            synthetic::long(2, 4),
            synthetic::inner(3, &changed(&column, round % 8 == 2)),
        ];
        let chunk = synthetic::structure(&changed(&chunk, round % 8 == 3));
        let group = [
            synthetic::list(1, STRUCT, &[chunk]),
            synthetic::long(2, 4),
            synthetic::long(3, 0),
        ];
        let group = synthetic::structure(&changed(&group, round % 8 == 4));
        let footer = changed(
            &synthetic::footer(&[root, element], 0, &[group]),
            round % 8 > 5,
        );
        tables += usize::from(attempt(&path, &synthetic::only_footer(&footer), bounded(9)).is_ok());
    }
    assert!(tables > CHANGES / 100 && tables < CHANGES, "{tables}");
}
