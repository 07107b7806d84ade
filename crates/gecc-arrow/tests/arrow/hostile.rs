//! Files that are cut off, changed, or made to harm: an error or a result, and neither a panic nor
//! a large allocation.

use crate::files::{WRITTEN, options, read, table, write};
use crate::items::{engine, verify};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, DictionaryArray, FixedSizeBinaryArray, Int32Array, NullArray,
    RecordBatch,
};
use arrow_ipc as ipc;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flatbuffers::{FlatBufferBuilder, ForwardsUOffset, Vector, WIPOffset};
use gecc::{CurveId, Rejection};
use gecc_arrow::{
    Compression, Destination, Error, Field, Format, Mapping, Pool, Projection, ReadOptions, Writer,
    complete, open, open_stream,
};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Encoding;
use parquet::file::metadata::{KeyValue, ParquetMetaDataReader};
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Changed files of each format.
const CHANGES: usize = 400;

/// Less than a machine has, and more than the files need.
fn bounded(rows: usize) -> ReadOptions {
    ReadOptions {
        max_memory: 64 << 20,
        max_page: 16 << 20,
        ..options(rows)
    }
}

fn written(format: Format, compression: Compression, folder: &Path) -> Vec<u8> {
    let path = folder.join("whole");
    write(&path, &table(200), 60, format, compression);
    std::fs::read(&path).unwrap()
}

/// Reads bytes as a file and verifies its batches. Returns the number of rows.
fn attempt(path: &Path, bytes: &[u8]) -> Result<usize, Error> {
    std::fs::write(path, bytes).unwrap();
    let mapping = Mapping::new()
        .with(Field::Digest, "fixed")
        .with(Field::Der, "text")
        .with(Field::PublicKey, "bytes");
    let mut rows = 0;
    for batch in read(path, bounded(50), &Projection::All)? {
        rows += batch.num_rows();
        // Changed schemas may lack the columns.
        let _ = verify(CurveId::P256).apply(engine(), &batch, &mapping, &Pool::default());
    }
    Ok(rows)
}

#[test]
fn files_that_are_cut_off_are_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("cut");
    for (format, compression) in WRITTEN {
        let bytes = written(format, compression, folder.path());
        assert_eq!(attempt(&path, &bytes).unwrap(), 200);
        let step = (bytes.len() / 300).max(1);
        let ends = (0..bytes.len())
            .step_by(step)
            .chain(bytes.len() - 40..bytes.len());
        for end in ends {
            assert!(attempt(&path, &bytes[..end]).is_err(), "{format:?} {end}");
        }
    }
}

/// The rows up to the end or an error.
fn rows_of(input: Result<gecc_arrow::Input, Error>) -> (usize, Option<String>) {
    let (mut rows, mut problem) = (0, None);
    for batch in input.unwrap().batches(&Projection::All).unwrap() {
        match batch {
            Ok(batch) => rows += batch.num_rows(),
            Err(found) => problem = Some(found.to_string()),
        }
    }
    (rows, problem)
}

/// Rows that were read before the error are returned.
#[test]
fn streams_and_inputs_end_with_the_end_of_stream_marker() {
    const MARKER: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("stream");
    for compression in [Compression::None, Compression::Zstd] {
        let whole = written(Format::ArrowStream, compression, folder.path());
        let (batches, end) = whole.split_at(whole.len() - MARKER.len());
        assert_eq!(end, MARKER);
        let both = [&whole[..], &whole].concat();
        let with_trailing_bytes = [&[0][..], &[0; 8], &[0; 64], &MARKER, b"junk", &both]
            .map(|more| [&whole[..], more].concat());
        let check = |bytes: &[u8], wanted: Option<&str>| {
            std::fs::write(&path, bytes).unwrap();
            let owned = bytes.to_vec();
            for input in [
                open(&path, bounded(50)),
                open_stream(Cursor::new(owned), bounded(50)),
            ] {
                let (rows, problem) = rows_of(input);
                assert_eq!(rows, 200);
                match (wanted, problem) {
                    (None, None) => {}
                    (Some(wanted), Some(problem)) if problem.contains(wanted) => {}
                    (_, problem) => panic!("{wanted:?}: {problem:?}"),
                }
            }
        };
        check(batches, Some("ends without its end-of-stream marker"));
        with_trailing_bytes
            .iter()
            .for_each(|bytes| check(bytes, Some("goes on after the end-of-stream marker")));
        // The marker that the error message requires, and the one that old writers use.
        check(&[batches, &MARKER].concat(), None);
        check(&[batches, &[0; 4]].concat(), None);
    }
}

/// A file whose footer leaves out one of its batches.
#[test]
fn files_list_all_their_batches() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("listed");
    for compression in [Compression::None, Compression::Zstd] {
        let whole = written(Format::ArrowFile, compression, folder.path());
        let end = whole.len() - 10;
        let length = u32::from_le_bytes(*whole[end..].first_chunk().unwrap()) as usize;
        let (messages, footer) = (&whole[..end - length], &whole[end - length..end]);
        let parsed = ipc::root_as_footer(footer).unwrap();
        let blocks: Vec<ipc::Block> = parsed.recordBatches().unwrap().iter().copied().collect();
        let schema = ipc::convert::fb_to_schema(parsed.schema().unwrap());
        assert_eq!(blocks.len(), 4);
        let with = |blocks: &[ipc::Block]| {
            let mut builder = FlatBufferBuilder::new();
            let schema =
                ipc::convert::IpcSchemaEncoder::new().schema_to_fb_offset(&mut builder, &schema);
            let (batches, dictionaries) = (
                builder.create_vector(blocks),
                builder.create_vector::<ipc::Block>(&[]),
            );
            let fields = ipc::FooterArgs {
                version: parsed.version(),
                schema: Some(schema),
                recordBatches: Some(batches),
                dictionaries: Some(dictionaries),
                custom_metadata: None,
            };
            let footer = ipc::Footer::create(&mut builder, &fields);
            builder.finish(footer, None);
            let footer = builder.finished_data();
            [
                messages,
                footer,
                &(footer.len() as u32).to_le_bytes(),
                b"ARROW1",
            ]
            .concat()
        };
        assert_eq!(attempt(&path, &with(&blocks)).unwrap(), 200);
        // Their order is that of the footer.
        let turned: Vec<_> = blocks.iter().rev().copied().collect();
        assert_eq!(attempt(&path, &with(&turned)).unwrap(), 200);
        for left_out in 0..4 {
            let mut some = blocks.clone();
            let block = some.remove(left_out);
            let problem = attempt(&path, &with(&some)).unwrap_err().to_string();
            let expected = format!(
                "the footer does not list the message at byte {}",
                block.offset()
            );
            assert!(problem.contains(&expected), "{problem}");
        }
    }
}

/// Changes the number of rows of a batch, and of one of its columns.
#[test]
fn different_row_counts_of_batches_and_columns_are_rejected() {
    const ROWS: usize = 54_321;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rows");
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..ROWS as i32));
    let batch = RecordBatch::try_from_iter([("a", numbers.clone()), ("b", numbers)]).unwrap();
    for format in [Format::ArrowFile, Format::ArrowStream] {
        write(&path, &batch, ROWS, format, Compression::None);
        let bytes = std::fs::read(&path).unwrap();
        let row_count = (ROWS as i64).to_le_bytes();
        let places: Vec<_> = (0..bytes.len() - 8)
            .filter(|at| bytes[*at..].starts_with(&row_count))
            .collect();
        assert_eq!(places.len(), 3, "{format:?}");
        for at in places {
            for other in [ROWS - 1, ROWS + 1, 0] {
                let mut changed = bytes.clone();
                changed[at..at + 8].copy_from_slice(&(other as i64).to_le_bytes());
                assert!(attempt(&path, &changed).is_err(), "{format:?} {at} {other}");
            }
        }
    }
}

#[test]
fn changed_files_are_errors_or_tables() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("changed");
    for (format, compression) in WRITTEN {
        let bytes = written(format, compression, folder.path());
        let mut errors = 0;
        for change in 0..CHANGES {
            let mut changed = bytes.clone();
            // Headers and footers are at the ends, where half of the changes go.
            let near = changed.len().min(700);
            let place = match change % 4 {
                0 => rand::random_range(0..near),
                1 => changed.len() - 1 - rand::random_range(0..near),
                _ => rand::random_range(0..changed.len()),
            };
            match change % 3 {
                0 => changed[place] ^= 1 << rand::random_range(0..8),
                1 => changed[place] = rand::random(),
                _ => {
                    let end = (place + rand::random_range(1..9)).min(bytes.len());
                    changed[place..end].fill(0xff);
                }
            }
            errors += usize::from(attempt(&path, &changed).is_err());
        }
        assert!(
            errors > CHANGES / 20,
            "{format:?} {compression:?}: {errors} errors"
        );
    }
}

#[test]
fn bytes_of_any_kind_are_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("any");
    for first in [&b"PAR1"[..], b"ARROW1\0\0", &[0xff; 4], b""] {
        for length in [0, 1, 8, 12, 100, 5000] {
            let mut bytes = first.to_vec();
            bytes.extend((0..length).map(|_| rand::random::<u8>()));
            bytes.extend_from_slice(&first[..first.len().min(6)]);
            assert!(attempt(&path, &bytes).is_err(), "{first:?} {length}");
        }
    }
}

/// A Parquet file that is nothing but a footer.
fn footer(content: &[u8]) -> Vec<u8> {
    [
        b"PAR1",
        content,
        &(content.len() as u32).to_le_bytes(),
        b"PAR1",
    ]
    .concat()
}

#[test]
fn footers_that_claim_much_are_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("footer");
    let message = |bytes: &[u8]| attempt(&path, bytes).unwrap_err().to_string();
    // Field 4, a list of 2^31 - 1 row groups.
    assert!(
        message(&footer(&[0x49, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00]))
            .contains("the footer cannot be read")
    );
    // 40,000 row groups without a field.
    let many = [&[0x49, 0xfc, 0xc0, 0xb8, 0x02][..], &[0; 40_000], &[0]].concat();
    assert!(message(&footer(&many)).contains("row groups of 40000 is above the limit"));
    // Groups in groups, 1000 deep: field 2, a list of structs with the name `g` and one child each,
    // and a column.
    let group = [0x48, 0x01, b'g', 0x15, 0x02, 0x00];
    let column = [0x15, 0x02, 0x25, 0x00, 0x18, 0x01, b'c', 0x00];
    let deep = [
        &[0x29, 0xfc, 0xe9, 0x07][..],
        &group.repeat(1000),
        &column,
        &[0],
    ]
    .concat();
    assert!(message(&footer(&deep)).contains("nested too deep"));
    // A footer of 4 GiB.
    let long = [&b"PAR1"[..], &[0xff; 4], b"PAR1"].concat();
    assert!(message(&long).contains("bytes of a footer of 4294967295 is above the limit"));
}

fn one_column(path: &Path, column: ArrayRef, format: Format) {
    let batch = RecordBatch::try_from_iter([("digest", column)]).unwrap();
    write(path, &batch, batch.num_rows(), format, Compression::Zstd);
}

#[test]
fn pages_that_grow_too_large_are_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("bomb");
    let zeros: ArrayRef = Arc::new(BinaryArray::from_iter_values([vec![0; 64 << 20]]));
    one_column(&path, zeros.clone(), Format::Parquet);
    assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20);
    let problem = |options: ReadOptions| read(&path, options, &Projection::All).unwrap_err();
    let page = ReadOptions {
        max_page: 32 << 20,
        ..options(10)
    };
    assert!(matches!(problem(page), Error::Limit { limit, .. } if limit == 32 << 20));
    let memory = ReadOptions {
        max_memory: 32 << 20,
        ..options(10)
    };
    assert!(matches!(problem(memory), Error::Limit { .. }));
    assert_eq!(
        read(&path, options(10), &Projection::All).unwrap()[0].num_rows(),
        1
    );
    for format in [Format::ArrowFile, Format::ArrowStream] {
        one_column(&path, zeros.clone(), format);
        assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20);
        let memory = ReadOptions {
            max_memory: 32 << 20,
            ..options(10)
        };
        let problem = problem(memory).to_string();
        assert!(
            problem.contains("decompressed") && problem.contains("above the limit"),
            "{problem}"
        );
    }
}

#[test]
fn dictionaries_that_grow_too_large_are_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("bomb");
    let values = |byte| Arc::new(BinaryArray::from_iter_values([vec![byte; 20 << 20]]));
    let column = |byte| -> ArrayRef {
        Arc::new(DictionaryArray::<Int32Type>::new(
            Int32Array::from(vec![0; 3]),
            values(byte),
        ))
    };
    // Two dictionaries, each of which is within the limit.
    let batch = RecordBatch::try_from_iter([("a", column(1)), ("b", column(2))]).unwrap();
    for format in [Format::ArrowFile, Format::ArrowStream] {
        write(&path, &batch, 3, format, Compression::Zstd);
        let read = |max_memory| {
            read(
                &path,
                ReadOptions {
                    max_memory,
                    ..options(10)
                },
                &Projection::All,
            )
        };
        assert!(
            matches!(read(32 << 20), Err(Error::Limit { .. })),
            "{format:?}"
        );
        assert_eq!(read(256 << 20).unwrap()[0].num_rows(), 3);
    }
}

/// Encodes a number as Thrift's compact protocol does, in at least `bytes` bytes.
fn varint(number: i64, bytes: usize) -> Vec<u8> {
    let (mut rest, mut written) = ((number as u64) << 1, Vec::new());
    while rest >= 0x80 || written.len() + 1 < bytes {
        written.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    written.push(rest as u8);
    written
}

#[test]
fn many_pages_together_are_bounded() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("bomb");
    // A batch of 64 pages of 1 MiB of zeros, for which the footer states a size of one byte.
    let zeros: ArrayRef = Arc::new(BinaryArray::from_iter_values(
        (0..64).map(|_| vec![0; 1 << 20]),
    ));
    one_column(&path, zeros, Format::Parquet);
    let mut bytes = std::fs::read(&path).unwrap();
    let metadata = ParquetMetaDataReader::new()
        .parse_and_finish(&File::open(&path).unwrap())
        .unwrap();
    let true_size = varint(metadata.row_group(0).column(0).uncompressed_size(), 1);
    let places: Vec<_> = (0..bytes.len() - 8)
        .filter(|at| bytes[*at..].starts_with(&true_size))
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + true_size.len()].copy_from_slice(&varint(1, true_size.len()));
    }
    std::fs::write(&path, bytes).unwrap();
    let memory = |max_memory| ReadOptions {
        max_memory,
        ..options(64)
    };
    let problem = read(&path, memory(16 << 20), &Projection::All)
        .unwrap_err()
        .to_string();
    assert!(
        problem.contains("bytes of the pages of a batch"),
        "{problem}"
    );
    assert_eq!(
        read(&path, memory(256 << 20), &Projection::All).unwrap()[0].num_rows(),
        64
    );
}

#[test]
fn encodings_that_hide_their_sizes_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("delta");
    let table = table(20);
    for encoding in [
        Encoding::DELTA_BYTE_ARRAY,
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
    ] {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_column_encoding("bytes".into(), encoding);
        let file = File::create(&path).unwrap();
        let mut writer =
            ArrowWriter::try_new(file, table.schema(), Some(properties.build())).unwrap();
        writer.write(&table).unwrap();
        writer.close().unwrap();
        let problem = read(&path, options(10), &Projection::All)
            .unwrap_err()
            .to_string();
        assert!(
            problem.contains("DELTA_BYTE_ARRAY are not read"),
            "{problem}"
        );
        // Other columns are read.
        assert_eq!(
            read(&path, options(20), &Projection::Only(vec![0, 1, 3])).unwrap()[0].num_rows(),
            20
        );
    }
}

#[test]
fn few_large_values_may_stand_for_many_rows() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("dictionary");
    // 20,000 rows of 64 KiB each would be more than the memory that is allowed, and than offsets
    // can tell.
    let values: ArrayRef = Arc::new(BinaryArray::from_iter_values([vec![0; 64 << 10]]));
    let rows = 20_000;
    let keys = Int32Array::from(vec![0; rows]);
    let column: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::new(keys, values));
    let wrong =
        gecc_arrow::Reason::Cell(Field::Digest, gecc_arrow::CellProblem::WrongLength).code();
    for format in [Format::Parquet, Format::ArrowFile, Format::ArrowStream] {
        let key: ArrayRef =
            Arc::new(FixedSizeBinaryArray::try_from_iter((0..rows).map(|_| [2; 33])).unwrap());
        let signature: ArrayRef =
            Arc::new(FixedSizeBinaryArray::try_from_iter((0..rows).map(|_| [0; 64])).unwrap());
        let columns = [
            ("digest", column.clone()),
            ("public_key", key),
            ("signature", signature),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        write(&path, &batch, rows, format, Compression::Zstd);
        let mut seen = 0;
        for batch in read(&path, bounded(1 << 20), &Projection::All).unwrap() {
            let verify = verify(CurveId::Secp256k1);
            let mapping = complete(Mapping::new(), &batch.schema(), &verify).unwrap();
            let answers = verify
                .apply(engine(), &batch, &mapping, &Pool::default())
                .unwrap();
            assert!(answers.codes().iter().all(|code| *code == wrong));
            seen += answers.len();
        }
        assert_eq!(seen, rows);
    }
}

#[test]
fn columns_without_bytes_may_not_claim_any_number_of_rows() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("null");
    let batch =
        RecordBatch::try_from_iter([("nothing", Arc::new(NullArray::new(1 << 40)) as ArrayRef)])
            .unwrap();
    for format in [Format::ArrowFile, Format::ArrowStream] {
        let output = Destination::File(path.clone());
        let mut writer =
            Writer::create(output, format, Compression::None, &batch.schema()).unwrap();
        writer.write(&batch, &Pool::default()).unwrap();
        writer.finish().unwrap();
        let problem = read(&path, options(10), &Projection::All)
            .unwrap_err()
            .to_string();
        assert!(problem.contains("rows of a message"), "{problem}");
    }
}

/// A message with a schema whose fields have one name in common, or children in common to a depth.
fn shared_schema(fields: usize, name: usize, depth: usize) -> Vec<u8> {
    let mut builder = FlatBufferBuilder::new();
    let name = builder.create_string(&"n".repeat(name));
    let mut children = None;
    for _ in 0..depth {
        let shared = ipc::Struct_Builder::new(&mut builder)
            .finish()
            .as_union_value();
        let arguments = ipc::FieldArgs {
            name: Some(name),
            type_type: ipc::Type::Struct_,
            type_: Some(shared),
            children,
            ..Default::default()
        };
        let field = ipc::Field::create(&mut builder, &arguments);
        children = Some(builder.create_vector(&vec![field; fields]));
    }
    message_of(builder, children)
}

/// A message with a schema of these fields.
fn message_of<'a>(
    mut builder: FlatBufferBuilder<'a>,
    fields: Option<WIPOffset<Vector<'a, ForwardsUOffset<ipc::Field<'a>>>>>,
) -> Vec<u8> {
    let schema = ipc::Schema::create(
        &mut builder,
        &ipc::SchemaArgs {
            fields,
            ..Default::default()
        },
    );
    let arguments = ipc::MessageArgs {
        version: ipc::MetadataVersion::V5,
        header_type: ipc::MessageHeader::Schema,
        header: Some(schema.as_union_value()),
        ..Default::default()
    };
    let message = ipc::Message::create(&mut builder, &arguments);
    builder.finish(message, None);
    builder.finished_data().to_vec()
}

/// Writers store Arrow's schema in addition to that of Parquet. Its types may be unknown to the
/// decoder, which panics on them.
#[test]
fn unknown_types_of_arrow_are_read_as_types_of_parquet() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("wide");
    let mut builder = FlatBufferBuilder::new();
    let wide = ipc::Int::create(
        &mut builder,
        &ipc::IntArgs {
            bitWidth: 128,
            is_signed: true,
        },
    )
    .as_union_value();
    let name = builder.create_string("wide");
    let field = ipc::FieldArgs {
        name: Some(name),
        type_type: ipc::Type::Int,
        type_: Some(wide),
        ..Default::default()
    };
    let field = ipc::Field::create(&mut builder, &field);
    let fields = builder.create_vector(&[field]);
    let message = message_of(builder, Some(fields));
    let schema = [
        &[0xff; 4][..],
        &(message.len() as u32).to_le_bytes(),
        &message,
    ]
    .concat();
    let schema = KeyValue::new("ARROW:schema".to_owned(), BASE64_STANDARD.encode(schema));
    let column: ArrayRef =
        Arc::new(FixedSizeBinaryArray::try_from_iter([[1; 16], [2; 16]].into_iter()).unwrap());
    let table = RecordBatch::try_from_iter([("wide", column)]).unwrap();
    let properties = WriterProperties::builder()
        .set_key_value_metadata(Some(vec![schema]))
        .build();
    let with = ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(true);
    let file = File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new_with_options(file, table.schema(), with).unwrap();
    writer.write(&table).unwrap();
    writer.close().unwrap();
    assert_eq!(
        read(&path, options(10), &Projection::All).unwrap()[0].column(0),
        table.column(0)
    );
}

#[test]
fn schemas_that_stand_for_much_are_errors() {
    let stream = |message: &[u8]| {
        let length = (message.len() as u32).to_le_bytes();
        [&[0xff; 4][..], &length, message, &[0xff; 4], &[0; 4]].concat()
    };
    let columns = |message: &[u8]| {
        let input = open_stream(Cursor::new(stream(message)), bounded(10));
        input
            .map(|input| input.schema().fields().len())
            .map_err(|problem| problem.to_string())
    };
    assert_eq!(columns(&shared_schema(3, 10, 2)), Ok(3));
    // 1 GB of names, and a million fields.
    for message in [shared_schema(1000, 1 << 20, 1), shared_schema(90, 1, 3)] {
        assert!(message.len() < 2 << 20);
        let problem = columns(&message).unwrap_err();
        assert!(problem.contains("more than the memory allows"), "{problem}");
    }
}

#[test]
fn rows_that_are_too_long_are_an_error() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("wide");
    let wide = FixedSizeBinaryArray::try_from_iter((0..2000).map(|_| vec![7; 4096])).unwrap();
    one_column(&path, Arc::new(wide), Format::Parquet);
    let memory = ReadOptions {
        max_memory: 1 << 20,
        ..options(2000)
    };
    assert!(matches!(
        read(&path, memory, &Projection::All),
        Err(Error::Limit {
            what: "bytes of a row",
            ..
        })
    ));
    // Batches become shorter before that.
    let memory = ReadOptions {
        max_memory: 20 << 20,
        ..options(2000)
    };
    let batches = read(&path, memory, &Projection::All).unwrap();
    assert!(batches.len() > 1 && batches.iter().map(RecordBatch::num_rows).sum::<usize>() == 2000);
}

#[test]
fn items_that_are_nothing_get_their_verdicts() {
    let rows = 9;
    let zeros = |width: usize| -> ArrayRef {
        Arc::new(FixedSizeBinaryArray::try_from_iter((0..rows).map(|_| vec![0; width])).unwrap())
    };
    let columns = [
        ("digest", zeros(32)),
        ("signature", zeros(64)),
        ("public_key", zeros(64)),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let verify = verify(CurveId::P256);
    let mapping = complete(Mapping::new(), &batch.schema(), &verify).unwrap();
    let answers = verify
        .apply(engine(), &batch, &mapping, &Pool::default())
        .unwrap();
    assert_eq!(answers.codes(), [Rejection::ROutOfRange.code(); 9]);
    let empty = verify
        .apply(engine(), &batch.slice(4, 0), &mapping, &Pool::default())
        .unwrap();
    assert!(empty.is_empty() && empty.to_columns().unwrap().num_rows() == 0);
}

#[test]
fn files_that_are_not_there_are_named() {
    let problem = open("no/such/file", options(1)).err().unwrap().to_string();
    assert!(problem.contains("no/such/file"));
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("text");
    std::fs::write(&path, "digest,signature\n").unwrap();
    assert!(
        open(&path, options(1))
            .err()
            .unwrap()
            .to_string()
            .contains("begins with text")
    );
    assert!(open_stream(&b"\xff\xff\xff\xff\x00\x00\x00\x00"[..], options(1)).is_err());
}

#[test]
fn small_batches_of_long_rows_are_not_gathered_beyond_the_limit() {
    const LONG: usize = 100_000;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("long");
    let cell = vec![rand::random::<u8>(); LONG];
    let column: ArrayRef = Arc::new(BinaryArray::from_iter_values(std::iter::repeat_n(
        &cell, 420,
    )));
    let table = RecordBatch::try_from_iter([("message", column)]).unwrap();
    let limited = ReadOptions {
        threads: 16,
        max_memory: 8 << 20,
        ..options(1 << 18)
    };
    for format in [Format::ArrowFile, Format::ArrowStream] {
        // Each row compresses to almost nothing.
        write(&path, &table, 3, format, Compression::Zstd);
        let batches = read(&path, limited.clone(), &Projection::All).unwrap();
        assert_eq!(
            batches.iter().map(RecordBatch::num_rows).sum::<usize>(),
            420
        );
        let longest = batches.iter().map(RecordBatch::num_rows).max().unwrap();
        // Threads that wait for room end too.
        let mut some = open(&path, limited.clone())
            .unwrap()
            .batches(&Projection::All)
            .unwrap();
        assert!(some.next().unwrap().unwrap().num_rows() <= longest);
        drop(some);
        // A quarter of the limit, for rows that are there twice while they are combined. A stream
        // may have fewer.
        assert!(longest * LONG <= 1 << 20, "{format:?} {longest}");
        assert!(format == Format::ArrowStream || longest > 3);
    }
}
