//! Files: real signatures, and tables that come back as they were written.

use crate::items::{CURVES, engine, verify};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, TimestampMillisecondType};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, FixedSizeListArray,
    Int32Array, Int64Array, IntervalMonthDayNanoArray, ListArray, ListViewArray, RecordBatch,
    RunArray, StringArray, StringViewArray, StructArray, TimestampSecondArray, UnionArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field as Column, Schema, UnionFields};
use flate2::read::GzDecoder;
use gecc::CurveId;
use gecc_arrow::{
    Batches, Compression, Destination, Error, Format, Mapping, Pool, Projection, ReadOptions,
    Writer, column_of, complete, open, open_stream,
};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::compute_leaves;
use parquet::basic::{Compression as Codec, Encoding, ZstdLevel};
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::fs::File;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// Formats and compressions that are written.
pub const WRITTEN: [(Format, Compression); 6] = [
    (Format::Parquet, Compression::None),
    (Format::Parquet, Compression::Zstd),
    (Format::ArrowFile, Compression::None),
    (Format::ArrowFile, Compression::Zstd),
    (Format::ArrowStream, Compression::None),
    (Format::ArrowStream, Compression::Zstd),
];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

pub fn options(rows: usize) -> ReadOptions {
    ReadOptions {
        rows,
        threads: 3,
        ..ReadOptions::default()
    }
}

/// Writes a batch to a file in parts of `part` rows, which are row groups in Parquet.
pub fn write(
    path: &Path,
    batch: &RecordBatch,
    part: usize,
    format: Format,
    compression: Compression,
) {
    if format == Format::Parquet && part < batch.num_rows() {
        let codec = match compression {
            Compression::None => Codec::UNCOMPRESSED,
            Compression::Zstd => Codec::ZSTD(ZstdLevel::default()),
        };
        let properties = WriterProperties::builder().set_compression(codec);
        return parquet(
            path,
            batch,
            properties.set_max_row_group_row_count(Some(part)).build(),
        );
    }
    let mut writer = Writer::create(
        Destination::File(path.to_owned()),
        format,
        compression,
        &batch.schema(),
    )
    .unwrap();
    for start in (0..batch.num_rows()).step_by(part) {
        writer
            .write(
                &batch.slice(start, part.min(batch.num_rows() - start)),
                &Pool::default(),
            )
            .unwrap();
    }
    writer.finish().unwrap();
}

/// A batch as the writer of the crate `parquet` writes it.
pub fn parquet(path: &Path, batch: &RecordBatch, properties: WriterProperties) {
    let mut writer = ArrowWriter::try_new(
        File::create(path).unwrap(),
        batch.schema(),
        Some(properties),
    )
    .unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// Every batch of a file.
pub fn read(
    path: &Path,
    options: ReadOptions,
    columns: &Projection,
) -> Result<Vec<RecordBatch>, Error> {
    open(path, options)?.batches(columns)?.collect()
}

/// The framing that parquet-mr with Hadoop used for LZ4, and that of other writers before
/// `LZ4_RAW`.
#[test]
fn pages_of_old_writers_are_read() {
    for name in [
        "hadoop_lz4_compressed.parquet",
        "non_hadoop_lz4_compressed.parquet",
    ] {
        let batches = read(&data(name), options(100), &Projection::All).unwrap();
        let [batch] = &batches[..] else {
            panic!("{name}: {} batches", batches.len())
        };
        let numbers = batch
            .column(0)
            .as_primitive::<Int64Type>()
            .values()
            .to_vec();
        assert_eq!(
            numbers,
            [1593604800, 1593604800, 1593604801, 1593604801],
            "{name}"
        );
        let texts: Vec<_> = batch
            .column(1)
            .as_binary_view()
            .iter()
            .map(Option::unwrap)
            .collect();
        assert_eq!(texts, [b"abc", b"def", b"abc", b"def"], "{name}");
        assert_eq!(
            batch.column(2).as_primitive::<Float64Type>().values()[..],
            [42.0, 7.7, 42.125, 7.7],
            "{name}"
        );
    }
}

#[test]
fn real_signatures_have_their_verdicts() {
    let mut text = String::new();
    GzDecoder::new(File::open(data("signatures_verdicts.csv.gz")).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let expected: Vec<(String, bool)> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .map(|cells| (cells[1].to_owned(), cells[4] == "1"))
        .collect();
    assert_eq!(
        (
            expected.len(),
            expected.iter().filter(|(_, valid)| *valid).count()
        ),
        (1702, 1702 - 170 - 45)
    );
    let mut checked = 0;
    for rows in [100, 1 << 20] {
        let input = open(data("signatures.parquet"), options(rows)).unwrap();
        let mapping = complete(Mapping::new(), input.schema(), &verify(CurveId::P256)).unwrap();
        let tags = input.schema().index_of("tag").unwrap();
        let mut first = 0;
        for batch in input.batches(&Projection::All).unwrap() {
            let batch = batch.unwrap();
            let tags = batch.column(tags).as_string_view();
            for curve in CURVES {
                let answers = verify(curve)
                    .apply(engine(), &batch, &mapping, &Pool::default())
                    .unwrap();
                let name = format!("{curve:?}").to_lowercase();
                for row in (0..batch.num_rows()).filter(|row| tags.value(*row) == name) {
                    let (tag, valid) = &expected[first + row];
                    assert_eq!(
                        (tag, answers.reason(row).is_none()),
                        (&name, *valid),
                        "row {}",
                        first + row
                    );
                    checked += 1;
                }
            }
            first += batch.num_rows();
        }
        assert_eq!(first, 1702);
    }
    assert_eq!(checked, 2 * 1702);
}

/// A table with nulls in every column.
pub fn table(rows: usize) -> RecordBatch {
    let some = |row: usize| row % 5 != 3;
    let fixed = (0..rows).map(|row| some(row).then(rand::random::<[u8; 32]>));
    let numbers = (0..rows).map(|row| some(row + 1).then_some(row as i64));
    let bytes: Vec<_> = (0..rows)
        .map(|row| {
            some(row + 2).then(|| (0..row % 70).map(|_| rand::random()).collect::<Vec<u8>>())
        })
        .collect();
    let texts = (0..rows).map(|row| some(row + 3).then(|| format!("text {}", row % 11)));
    let columns: Vec<(&str, ArrayRef)> = vec![
        (
            "fixed",
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed, 32).unwrap()),
        ),
        ("number", Arc::new(Int64Array::from_iter(numbers))),
        (
            "bytes",
            Arc::new(BinaryArray::from_iter(bytes.iter().map(Option::as_deref))),
        ),
        ("text", Arc::new(StringArray::from_iter(texts))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// The cells of the columns as bytes, whatever the columns' types.
pub fn content(batches: &[RecordBatch]) -> Vec<Vec<Option<Vec<u8>>>> {
    let cells = |array: &ArrayRef| -> Vec<Option<Vec<u8>>> {
        let owned = |cell: Option<&[u8]>| cell.map(<[u8]>::to_vec);
        match array.data_type() {
            DataType::FixedSizeBinary(_) => {
                array.as_fixed_size_binary().iter().map(owned).collect()
            }
            DataType::Int64 => array
                .as_primitive::<Int64Type>()
                .iter()
                .map(|n| n.map(|n| n.to_le_bytes().to_vec()))
                .collect(),
            DataType::Binary => array.as_binary::<i32>().iter().map(owned).collect(),
            DataType::BinaryView => array.as_binary_view().iter().map(owned).collect(),
            DataType::Utf8 => array
                .as_string::<i32>()
                .iter()
                .map(|t| owned(t.map(str::as_bytes)))
                .collect(),
            DataType::Utf8View => array
                .as_string_view()
                .iter()
                .map(|t| owned(t.map(str::as_bytes)))
                .collect(),
            other => panic!("{other}"),
        }
    };
    let columns = batches.first().map_or(0, RecordBatch::num_columns);
    (0..columns)
        .map(|column| {
            batches
                .iter()
                .flat_map(|batch| cells(batch.column(column)))
                .collect()
        })
        .collect()
}

#[test]
fn tables_come_back_in_batches_of_any_size() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    let table = table(1000);
    let wanted = content(std::slice::from_ref(&table));
    for (format, compression) in WRITTEN {
        for part in [7, 333, 1000] {
            write(&path, &table, part, format, compression);
            assert_eq!(open(&path, options(10)).unwrap().format(), format);
            for rows in [1, 64, 300, 5000] {
                let batches = read(&path, options(rows), &Projection::All).unwrap();
                assert_eq!(
                    content(&batches),
                    wanted,
                    "{format:?} {compression:?} {part} {rows}"
                );
                assert!(
                    batches
                        .iter()
                        .all(|batch| batch.num_rows() <= rows.max(part))
                );
                if format == Format::Parquet {
                    let (last, others) = batches.split_last().unwrap();
                    assert!(
                        others.iter().all(|batch| batch.num_rows() == rows)
                            && last.num_rows() <= rows
                    );
                }
            }
            let two = read(&path, options(100), &Projection::Only(vec![3, 1, 3])).unwrap();
            assert_eq!(content(&two), [wanted[1].clone(), wanted[3].clone()]);
        }
    }
}

#[test]
fn streams_are_read_from_pipes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    let table = table(500);
    write(&path, &table, 100, Format::ArrowStream, Compression::Zstd);
    let batches = open_stream(File::open(&path).unwrap(), options(200))
        .unwrap()
        .batches(&Projection::All)
        .unwrap();
    let batches: Vec<RecordBatch> = batches.map(Result::unwrap).collect();
    assert_eq!(content(&batches), content(&[table]));
    for (bytes, text) in [
        (&b""[..], "it is empty"),
        (b"digest,r,s", "begins with text"),
        (b"PAR1....", "pipe"),
    ] {
        assert!(
            open_stream(bytes, options(1))
                .err()
                .unwrap()
                .to_string()
                .contains(text)
        );
    }
}

#[test]
fn nothing_is_a_table_too() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    let schema = table(1).schema();
    for (format, compression) in WRITTEN {
        // No batch, and batches without rows.
        for batches in [0, 3] {
            let mut writer = Writer::create(
                Destination::File(path.clone()),
                format,
                compression,
                &schema,
            )
            .unwrap();
            for _ in 0..batches {
                writer
                    .write(&RecordBatch::new_empty(schema.clone()), &Pool::default())
                    .unwrap();
            }
            writer.finish().unwrap();
            assert_eq!(read(&path, options(10), &Projection::All).unwrap().len(), 0);
        }
    }
}

#[test]
fn row_groups_without_rows_are_passed_over() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    let (table, none) = (table(30), RecordBatch::new_empty(table(1).schema()));
    let writer = ArrowWriter::try_new(File::create(&path).unwrap(), table.schema(), None).unwrap();
    let (mut file, writers) = writer.into_serialized_writer().unwrap();
    for batch in [
        &none,
        &none,
        &table.slice(0, 11),
        &none,
        &table.slice(11, 19),
        &none,
    ] {
        let mut group = file.next_row_group().unwrap();
        let columns = batch.schema().fields().clone();
        for (place, mut writer) in writers
            .create_column_writers(0)
            .unwrap()
            .into_iter()
            .enumerate()
        {
            writer
                .write(&compute_leaves(&columns[place], batch.column(place)).unwrap()[0])
                .unwrap();
            writer
                .close()
                .unwrap()
                .append_to_row_group(&mut group)
                .unwrap();
        }
        group.close().unwrap();
    }
    file.close().unwrap();
    for rows in [1, 4, 11, 30, 100] {
        let batches = read(&path, options(rows), &Projection::All).unwrap();
        assert_eq!(content(&batches), content(std::slice::from_ref(&table)));
    }
}

fn rows_of_groups(path: &Path) -> Vec<i64> {
    let metadata = ParquetMetaDataReader::new()
        .parse_and_finish(&File::open(path).unwrap())
        .unwrap();
    metadata
        .row_groups()
        .iter()
        .map(|group| group.num_rows())
        .collect()
}

/// A file has 32767 row groups at most.
#[test]
fn small_batches_become_a_row_group_together() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    let table = table(70_000);
    let output = Destination::File(path.clone());
    let mut writer =
        Writer::create(output, Format::Parquet, Compression::None, &table.schema()).unwrap();
    let mut start = 0;
    for rows in [vec![1; 100], vec![10_000], vec![40; 1400], vec![3900]].concat() {
        writer
            .write(&table.slice(start, rows), &Pool::default())
            .unwrap();
        start += rows;
    }
    writer.finish().unwrap();
    assert_eq!(
        (start, rows_of_groups(&path)),
        (70_000, vec![100, 10_000, 59_900])
    );
    assert_eq!(
        content(&read(&path, options(5000), &Projection::All).unwrap()),
        content(&[table])
    );
}

/// An invalid batch is reported before it is combined with others.
#[test]
fn small_batches_before_an_error_are_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    let batch = |seconds| {
        let column: ArrayRef = Arc::new(TimestampSecondArray::from(vec![seconds]));
        RecordBatch::try_from_iter_with_nullable([("time", column, true)]).unwrap()
    };
    let output = Destination::File(path.clone());
    let mut writer = Writer::create(
        output,
        Format::Parquet,
        Compression::None,
        &batch(0).schema(),
    )
    .unwrap();
    writer.write(&batch(7), &Pool::default()).unwrap();
    let problem = writer
        .write(&batch(i64::MAX), &Pool::default())
        .unwrap_err()
        .to_string();
    assert!(
        problem.contains("the column `time`: a date or a time is too far away"),
        "{problem}"
    );
    writer.finish().unwrap();
    let batches = read(&path, options(10), &Projection::All).unwrap();
    assert_eq!(
        batches[0]
            .column(0)
            .as_primitive::<TimestampMillisecondType>()
            .values()[..],
        [7000]
    );
    let intervals: ArrayRef = Arc::new(IntervalMonthDayNanoArray::new_null(3));
    let intervals = RecordBatch::try_from_iter([("interval", intervals)]).unwrap();
    let mut writer = Writer::create(
        Destination::File(path),
        Format::Parquet,
        Compression::None,
        &intervals.schema(),
    )
    .unwrap();
    assert!(
        writer
            .write(&intervals, &Pool::default())
            .unwrap_err()
            .to_string()
            .contains("interval")
    );
}

/// A slice has the buffers of all rows, and of some types all values.
#[test]
fn columns_are_written_with_the_values_of_their_rows() {
    let folder = TempDir::new().unwrap();
    let (path, of_all) = (folder.path().join("table"), folder.path().join("of_all"));
    let texts: Vec<_> = (0..4000)
        .map(|row| format!("a text of more than twelve bytes, {row}"))
        .collect();
    let views: ArrayRef = Arc::new(StringViewArray::from_iter_values(&texts));
    let bytes: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(&texts));
    let item = Arc::new(Column::new("item", DataType::Utf8View, true));
    let lists = ListArray::new(
        item.clone(),
        OffsetBuffer::from_lengths([2; 2000]),
        views.clone(),
        None,
    );
    let structs = StructArray::from(vec![(
        Arc::new(Column::new("a", DataType::BinaryView, true)),
        bytes.clone(),
    )]);
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..4000));
    let number = Arc::new(Column::new("item", DataType::Int64, true));
    // Every third has no values, at the place of the first.
    let sizes = || (0..2000).map(|row| i32::from(row % 3 != 1) * 2);
    let places: Vec<_> = (0..2000)
        .map(|row| i32::from(row % 3 != 1) * 2 * row)
        .collect();
    let list_views = |item: &Arc<Column>, values: &ArrayRef| {
        ListViewArray::new(
            item.clone(),
            places.clone().into(),
            sizes().collect(),
            values.clone(),
            None,
        )
    };
    let in_lists = |column: ArrayRef| {
        let part = Arc::new(Column::new("item", column.data_type().clone(), true));
        ListArray::new(part, OffsetBuffer::from_lengths([1; 2000]), column, None)
    };
    let union = |first: &Arc<Column>, places, values| {
        let fields = [(3, first.clone()), (5, number.clone())]
            .into_iter()
            .collect::<UnionFields>();
        let types = (0..2000).map(|row| [3, 5][row % 2]).collect();
        UnionArray::try_new(fields, types, places, values).unwrap()
    };
    let halves = (0..2000).map(|row| row / 2).collect();
    let dense = union(&item, Some(halves), vec![views.clone(), numbers.clone()]);
    let sparse = union(
        &number,
        None,
        vec![numbers.slice(0, 2000), numbers.slice(2000, 2000)],
    );
    let ends = Int32Array::from_iter_values((1..=1000).map(|run| run * 2));
    let runs = RunArray::<Int32Type>::try_new(&ends, &views.slice(0, 1000)).unwrap();
    let columns: [(&str, ArrayRef); 10] = [
        ("text", views.slice(0, 2000)),
        ("bytes", bytes.slice(2000, 2000)),
        ("list", Arc::new(lists)),
        ("struct", Arc::new(structs.slice(0, 2000))),
        ("list views", Arc::new(list_views(&item, &views))),
        (
            "list views of numbers",
            Arc::new(list_views(&number, &numbers)),
        ),
        (
            "list views in lists",
            Arc::new(in_lists(Arc::new(list_views(&number, &numbers)))),
        ),
        ("dense", Arc::new(dense)),
        ("unions in lists", Arc::new(in_lists(Arc::new(sparse)))),
        ("runs", Arc::new(runs)),
    ];
    let table = RecordBatch::try_from_iter(columns).unwrap();
    for format in [Format::ArrowFile, Format::ArrowStream] {
        write(&of_all, &table, 2000, format, Compression::None);
        write(&path, &table, 50, format, Compression::None);
        let length = |path: &Path| std::fs::metadata(path).unwrap().len();
        assert!(
            length(&path) < length(&of_all) * 3 / 2,
            "{} {}",
            length(&path),
            length(&of_all)
        );
        let back = read(&path, options(50), &Projection::All).unwrap();
        let back = arrow_select::concat::concat_batches(&table.schema(), &back).unwrap();
        assert_eq!(back, table);
    }
}

/// They have rows, and no values to count these by.
#[test]
fn lists_of_no_views_are_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    let none: ArrayRef = Arc::new(StringViewArray::new_null(0));
    let item = Arc::new(Column::new("item", DataType::Utf8View, true));
    let lists = FixedSizeListArray::try_new_with_length(item, 0, none, None, 30).unwrap();
    let texts: ArrayRef = Arc::new(StringViewArray::from_iter_values(
        ["a text of more than twelve bytes"; 30],
    ));
    let parts = [("none", lists.data_type()), ("text", &DataType::Utf8View)];
    let parts = parts.map(|(name, found)| Column::new(name, found.clone(), true));
    let structs = StructArray::new(
        parts.to_vec().into(),
        vec![Arc::new(lists.clone()), texts],
        None,
    );
    let columns: [(&str, ArrayRef); 2] = [("list", Arc::new(lists)), ("struct", Arc::new(structs))];
    let table = RecordBatch::try_from_iter(columns).unwrap();
    write(&path, &table, 20, Format::ArrowStream, Compression::None);
    let back = read(&path, options(20), &Projection::All).unwrap();
    assert_eq!(back, [table.slice(0, 20), table.slice(20, 10)]);
}

/// Rows that have a long list in common do not get it each.
#[test]
fn values_in_common_are_written_once() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10_000));
    let number = Arc::new(Column::new("item", DataType::Int64, true));
    let (places, sizes) = (vec![0; 4000].into(), vec![10_000; 4000].into());
    let views: ArrayRef = Arc::new(ListViewArray::new(number, places, sizes, numbers, None));
    let part = Arc::new(Column::new("item", views.data_type().clone(), true));
    let lists: ArrayRef = Arc::new(ListArray::new(
        part,
        OffsetBuffer::from_lengths([1; 4000]),
        views,
        None,
    ));
    let table = RecordBatch::try_from_iter([("lists", lists)]).unwrap();
    write(&path, &table, 4000, Format::ArrowStream, Compression::None);
    assert!(std::fs::metadata(&path).unwrap().len() < 200_000);
}

#[test]
fn arrow_is_compressed_at_the_first_level() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    let table = table(5000);
    write(&path, &table, 5000, Format::ArrowStream, Compression::Zstd);
    let first = IpcWriteOptions::default()
        .try_with_compression(Some(CompressionType::ZSTD))
        .unwrap();
    let first = first.try_with_compression_level(Some(1)).unwrap();
    let mut writer =
        StreamWriter::try_new_with_options(Vec::new(), &table.schema(), first).unwrap();
    writer.write(&table).unwrap();
    assert!(std::fs::read(&path).unwrap() == writer.into_inner().unwrap());
}

/// The memory of lists is counted for the batch as a whole: batches get fewer rows, and skipped
/// values do not count.
#[test]
fn lists_are_read_with_little_memory() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lists");
    let limited = |max_memory| ReadOptions {
        max_memory,
        ..options(1 << 18)
    };
    let check = |rows: usize, length: fn(usize) -> usize, max_memory| {
        let offsets = OffsetBuffer::from_lengths((0..rows).map(length));
        let values: Int64Array = (0..offsets[rows] as i64)
            .map(|value| (value % 7 != 3).then_some(value))
            .collect();
        let item = Arc::new(Column::new("element", DataType::Int64, true));
        let lists: ArrayRef = Arc::new(ListArray::new(item, offsets, Arc::new(values), None));
        let table = RecordBatch::try_from_iter([("list", lists)]).unwrap();
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_dictionary_enabled(false);
            let properties = properties.set_encoding(Encoding::PLAIN);
            parquet(
                &path,
                &table,
                properties
                    .set_data_page_size_limit(20_000)
                    .set_write_batch_size(64)
                    .build(),
            );
            let batches = read(&path, limited(max_memory), &Projection::All).unwrap();
            assert!(batches.len() > 1);
            assert_eq!(
                arrow_select::concat::concat_batches(&table.schema(), &batches).unwrap(),
                table
            );
        }
    };
    check(3000, |_| 500, 32 << 20);
    check(60_000, |row| row % 5, 2 << 20);
}

#[test]
fn lists_of_any_size_are_no_extension_of_lists_of_a_fixed_size() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lists");
    let item = Arc::new(Column::new("element", DataType::Int64, true));
    let lists =
        FixedSizeListArray::new(item, 2, Arc::new(Int64Array::from(vec![1, 2, 3, 4])), None);
    let metadata = [
        ("ARROW:extension:name", "arrow.fixed_shape_tensor"),
        ("ARROW:extension:metadata", "{}"),
        ("a", "b"),
    ];
    let metadata = metadata
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into();
    let column = Column::new("tensor", lists.data_type().clone(), true).with_metadata(metadata);
    let table =
        RecordBatch::try_new(Arc::new(Schema::new(vec![column])), vec![Arc::new(lists)]).unwrap();
    parquet(&path, &table, WriterProperties::default());
    let input = open(&path, options(10)).unwrap();
    assert_eq!(input.written_schema().field(0), table.schema().field(0));
    let keys: Vec<_> = input
        .schema()
        .field(0)
        .metadata()
        .keys()
        .filter(|key| !key.starts_with("PARQUET"))
        .collect();
    assert_eq!(keys, ["a"]);
}

#[test]
fn a_file_of_one_batch_is_read_once() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    write(
        &path,
        &table(20_000),
        20_000,
        Format::ArrowFile,
        Compression::None,
    );
    let read_so_far = || {
        let counts = std::fs::read_to_string("/proc/thread-self/io").unwrap();
        counts
            .strip_prefix("rchar: ")
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let before = read_so_far();
    read(
        &path,
        ReadOptions {
            threads: 0,
            ..options(1 << 18)
        },
        &Projection::All,
    )
    .unwrap();
    assert!(read_so_far() - before < std::fs::metadata(&path).unwrap().len() * 3 / 2);
}

#[test]
fn a_million_columns_are_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("wide");
    let columns =
        (0..1_000_000).map(|column| Column::new(format!("c{column}"), DataType::Int32, true));
    let schema = Arc::new(Schema::new(columns.collect::<Vec<_>>()));
    let output = Destination::File(path.clone());
    Writer::create(output, Format::Parquet, Compression::None, &schema)
        .unwrap()
        .finish()
        .unwrap();
    let input = open(&path, options(10)).unwrap();
    assert_eq!(input.schema().fields().len(), 1_000_000);
    assert!(
        complete(Mapping::new(), input.schema(), &verify(CurveId::P256))
            .unwrap()
            .is_empty()
    );
    let missing: Mapping = "digest=d".parse().unwrap();
    let problem = column_of(&missing, gecc_arrow::Field::Digest, input.schema())
        .unwrap_err()
        .to_string();
    assert!(
        problem.len() < 1000 && problem.contains("there are 1000000 columns"),
        "{problem}"
    );
    assert_eq!(input.batches(&Projection::All).unwrap().count(), 0);
}

#[test]
fn a_file_is_there_only_when_it_is_whole() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table.parquet");
    File::create(&path).unwrap().write_all(b"before").unwrap();
    let table = table(10);
    let create = || {
        Writer::create(
            Destination::File(path.clone()),
            Format::Parquet,
            Compression::None,
            &table.schema(),
        )
    };
    let mut writer = create().unwrap();
    writer.write(&table, &Pool::default()).unwrap();
    drop(writer);
    assert_eq!(std::fs::read(&path).unwrap(), b"before");
    let mut writer = create().unwrap();
    writer.write(&table, &Pool::default()).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"before");
    writer.finish().unwrap();
    assert_eq!(
        content(&read(&path, options(3), &Projection::All).unwrap()),
        content(&[table])
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn several_inputs_are_read_as_one() {
    let folder = TempDir::new().unwrap();
    let column = |name: &str, rows: Range<i64>| {
        RecordBatch::try_from_iter([(
            name,
            Arc::new(Int64Array::from_iter_values(rows)) as ArrayRef,
        )])
        .unwrap()
    };
    let file = |number: usize, batch: &RecordBatch, rows: usize| {
        let path = folder.path().join(number.to_string());
        write(&path, batch, 25, Format::Parquet, Compression::None);
        open(&path, options(rows)).unwrap()
    };
    let files = |rows: usize| -> Vec<_> {
        let parts = [0..30, 30..30, 30..31, 31..90].into_iter().enumerate();
        parts
            .map(|(number, part)| file(number, &column("n", part), rows))
            .collect()
    };
    for (rows, most) in [(1000, 1), (40, 3)] {
        let current = Arc::new(AtomicUsize::new(0));
        let inputs = files(rows);
        let progress = inputs[0].progress();
        let batches =
            Batches::concatenated(inputs, &Projection::All, Arc::clone(&current)).unwrap();
        let read: Vec<RecordBatch> = batches.map(Result::unwrap).collect();
        let values = read
            .iter()
            .flat_map(|batch| batch["n"].as_primitive::<Int64Type>().values().to_vec());
        assert_eq!(values.collect::<Vec<_>>(), Vec::from_iter(0..90));
        assert!(read.len() <= most, "{}", read.len());
        assert_eq!((current.load(Ordering::Relaxed), progress.rows()), (3, 0));
    }
    let with_other = vec![
        file(0, &column("n", 0..1), 10),
        file(1, &column("m", 0..1), 10),
    ];
    for (wrong, is_of_columns) in [(with_other, true), (Vec::new(), false)] {
        let problem = Batches::concatenated(wrong, &Projection::All, Arc::default())
            .err()
            .unwrap();
        assert!(
            matches!(problem, Error::Columns(_)) == is_of_columns,
            "{problem}"
        );
    }
}
