//! Record batches as files and streams.

use crate::compact;
use crate::error::{Error, caught};
use crate::pool::Pool;
use crate::read::Format;
use crate::size::{held, held_beside, stands_for};
use crate::unpacked;
use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, SchemaRef};
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowLeafColumn, ArrowRowGroupWriterFactory, ArrowWriter, ArrowWriterOptions, compute_leaves,
};
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use std::collections::HashSet;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tempfile::NamedTempFile;

/// How output is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// Zstandard, level 1.
    #[default]
    Zstd,
}

/// Where output goes.
pub enum Output {
    /// A file, which is there only once it is whole: it is written beside and then given its name.
    File(PathBuf),
    /// Standard output, or anything else that is written from beginning to end.
    Stream(Box<dyn Write + Send>),
    /// Nowhere, where only the counts are wanted.
    Nowhere,
}

/// Writes batches of one schema. What was written before an error is kept by [`Writer::finish`].
pub struct Writer {
    content: Content,
    encoder: Encoder,
    few: Few,
}

/// Small batches that become a row group together.
#[derive(Default)]
struct Few {
    leaves: Vec<Vec<ArrowLeafColumn>>,
    batches: Vec<RecordBatch>,
    rows: usize,
    /// Bytes that they hold, and those that they stand for.
    bytes: u64,
    /// Those that are counted.
    allocations: HashSet<usize>,
    pool: Pool,
}

enum Content {
    Parquet(SerializedFileWriter<Target>),
    File(FileWriter<Target>),
    Stream(StreamWriter<Target>),
    Nowhere,
}

impl Writer {
    /// Begins a file or stream.
    ///
    /// # Errors
    /// [`Error::File`] or [`Error::Stream`] when it cannot be written, [`Error::Malformed`] when the format has no
    /// place for a type of the schema.
    pub fn create(output: Output, format: Format, compression: Compression, schema: &SchemaRef) -> Result<Self, Error> {
        Self::create_as(output, format, compression, schema, None)
    }

    /// Begins a file or stream of which not many more than `max_memory` bytes wait to be written together. Columns of
    /// text have neither dictionaries nor statistics in Parquet, as these copy long values.
    ///
    /// # Errors
    /// As for [`Writer::create`].
    pub fn create_within(
        max_memory: u64,
        output: Output,
        format: Format,
        compression: Compression,
        schema: &SchemaRef,
    ) -> Result<Self, Error> {
        Self::create_as(output, format, compression, schema, Some(max_memory))
    }

    fn create_as(
        output: Output,
        format: Format,
        compression: Compression,
        schema: &SchemaRef,
        max_memory: Option<u64>,
    ) -> Result<Self, Error> {
        let at_once = max_memory.map_or(AT_ONCE, |bytes| bytes / 2).clamp(1, AT_ONCE);
        let ipc = || {
            let codec = (compression == Compression::Zstd).then_some(CompressionType::ZSTD);
            IpcWriteOptions::default().try_with_compression(codec)?.try_with_compression_level(codec.map(|_| 1))
        };
        let mut encoder = Encoder { schema: schema.clone(), row_groups: None, tried: Arc::default(), at_once };
        let content = match (Target::create(output)?, format) {
            (None, _) => Content::Nowhere,
            (Some(target), Format::Parquet) => {
                if let Some(field) = unpacked::without_place(schema) {
                    let (name, found) = (field.name(), field.data_type());
                    return Err(Error::Malformed(format!("the column `{name}` is {found}, which Parquet has not")));
                }
                let schema = unpacked::schema(schema);
                let has_long_texts = max_memory.is_some();
                let properties = properties(&schema, compression, has_long_texts);
                let options = ArrowWriterOptions::new().with_properties(properties);
                let (file, row_groups) = caught(|| {
                    Ok(ArrowWriter::try_new_with_options(target, schema.clone(), options)?.into_serialized_writer()?)
                })?;
                encoder = Encoder { schema, row_groups: Some(Arc::new(row_groups)), ..encoder };
                Content::Parquet(file)
            }
            (Some(target), Format::ArrowFile) => {
                Content::File(FileWriter::try_new_with_options(target, schema, ipc()?)?)
            }
            (Some(target), Format::ArrowStream) => {
                Content::Stream(StreamWriter::try_new_with_options(target, schema, ipc()?)?)
            }
        };
        Ok(Writer { content, encoder, few: Few::default() })
    }

    /// What encodes batches for this writer, on any thread.
    pub fn encoder(&self) -> Encoder {
        self.encoder.clone()
    }

    /// Appends a batch, which in Parquet is a row group, or with others where it is small.
    ///
    /// # Errors
    /// As for [`Writer::create`].
    pub fn append(&mut self, batch: Encoded) -> Result<(), Error> {
        if !matches!(batch.0, EncodedAs::Few(..)) {
            self.append_few()?;
        }
        match (&mut self.content, batch.0) {
            // Any number of them would be kept.
            (Content::Parquet(_), EncodedAs::Few(_, batch, _)) if batch.num_rows() == 0 => {}
            (Content::Parquet(_), EncodedAs::Few(leaves, batch, pool)) => {
                let few = &mut self.few;
                few.rows += batch.num_rows();
                let bytes = held_beside(&batch, &mut few.allocations).saturating_add(stands_for(&batch));
                few.bytes = few.bytes.saturating_add(bytes);
                few.leaves.push(leaves);
                few.batches.push(batch);
                few.pool = pool;
                if few.rows >= TOGETHER || few.bytes >= 2 * self.encoder.at_once {
                    self.append_few()?;
                }
            }
            (Content::Parquet(file), EncodedAs::RowGroup(columns)) => append_row_group(file, columns)?,
            (Content::Parquet(file), EncodedAs::Later(batch, pool)) => {
                append_parts(file, &self.encoder, &batch, &pool)?
            }
            (Content::File(file), EncodedAs::Batch(batch)) => file.write(&batch)?,
            (Content::Stream(stream), EncodedAs::Batch(batch)) => {
                stream.write(&batch)?;
                stream.flush()?;
            }
            (Content::Nowhere, _) => {}
            _ => return Err(Error::Options("a batch was encoded for another writer".to_owned())),
        }
        Ok(())
    }

    /// Appends the small batches so far.
    fn append_few(&mut self) -> Result<(), Error> {
        let few = std::mem::take(&mut self.few);
        match &mut self.content {
            Content::Parquet(file) if few.rows > 0 => {
                append_row_group(file, self.encoder.row_group(few.leaves, &few.pool)?)
            }
            _ => Ok(()),
        }
    }

    /// Encodes and appends a batch.
    ///
    /// # Errors
    /// As for [`Writer::create`].
    pub fn write(&mut self, batch: &RecordBatch, pool: &Pool) -> Result<(), Error> {
        let encoded = self.encoder.encode(batch, pool)?;
        self.append(encoded)
    }

    /// Ends the output: a file has its footer and its name only now. Without this call a file is removed.
    ///
    /// # Errors
    /// As for [`Writer::create`].
    pub fn finish(mut self) -> Result<(), Error> {
        let few = self.append_few();
        match self.content {
            Content::Parquet(file) => file.into_inner()?.finish(),
            Content::File(file) => file.into_inner()?.finish(),
            Content::Stream(stream) => stream.into_inner()?.finish(),
            Content::Nowhere => Ok(()),
        }
        .and(few)
    }
}

fn append_row_group(file: &mut SerializedFileWriter<Target>, columns: Vec<ArrowColumnChunk>) -> Result<(), Error> {
    let mut group = file.next_row_group()?;
    for column in columns {
        column.append_to_row_group(&mut group)?;
    }
    group.close()?;
    Ok(())
}

/// Encodes and appends parts of a batch, each of which stands for so much that it may be encoded at once.
fn append_parts(
    file: &mut SerializedFileWriter<Target>,
    encoder: &Encoder,
    batch: &RecordBatch,
    pool: &Pool,
) -> Result<(), Error> {
    let rows = batch.num_rows();
    if rows < 2 || stands_for(batch) <= encoder.at_once {
        return append_row_group(file, encoder.row_group(vec![encoder.leaves(batch)?], pool)?);
    }
    append_parts(file, encoder, &batch.slice(0, rows / 2), pool)?;
    append_parts(file, encoder, &batch.slice(rows / 2, rows - rows / 2), pool)
}

/// Encodes batches for a [`Writer`]. Columns of Parquet are encoded in parallel.
#[derive(Clone)]
pub struct Encoder {
    schema: SchemaRef,
    row_groups: Option<Arc<ArrowRowGroupWriterFactory>>,
    /// Whether a row was encoded.
    tried: Arc<OnceLock<()>>,
    /// Bytes that the rows of a batch may stand for, beyond what they hold in memory, where all are encoded at once: a
    /// value that a dictionary or views have once is written as often as it occurs.
    at_once: u64,
}

/// [`Encoder::at_once`] where memory is not limited.
const AT_ONCE: u64 = 16 << 20;

/// Rows below which a batch is a small one, and rows of small batches that become a row group: a file of Parquet has
/// 32767 of these at most, and a slow input may have a batch for each row.
const SMALL: usize = 1 << 13;
const TOGETHER: usize = 1 << 16;

/// A batch that is ready to be written.
pub struct Encoded(EncodedAs);

enum EncodedAs {
    RowGroup(Vec<ArrowColumnChunk>),
    /// What is encoded with others.
    Few(Vec<ArrowLeafColumn>, RecordBatch, Pool),
    /// What is encoded in parts, when it is appended.
    Later(RecordBatch, Pool),
    Batch(RecordBatch),
}

impl Encoder {
    /// Encodes a batch with as many columns as the schema has.
    ///
    /// # Errors
    /// [`Error::Malformed`] when a column does not fit its type.
    pub fn encode(&self, batch: &RecordBatch, pool: &Pool) -> Result<Encoded, Error> {
        if batch.num_columns() != self.schema.fields().len() {
            return Err(Error::Columns("a batch has other columns than its file".to_owned()));
        }
        Ok(Encoded(if self.row_groups.is_none() {
            EncodedAs::Batch(compact::batch(batch)?)
        } else if stands_for(batch) > held(batch) + self.at_once {
            EncodedAs::Later(batch.clone(), pool.clone())
        } else if batch.num_rows() < SMALL {
            let batch = compact::batch(batch)?;
            // A type that the writer cannot write is an error here, before its rows count as written.
            if self.tried.get().is_none() {
                self.row_group(vec![self.leaves(&batch.slice(0, batch.num_rows().min(1)))?], pool)?;
                self.tried.get_or_init(|| ());
            }
            EncodedAs::Few(self.leaves(&batch)?, batch, pool.clone())
        } else {
            EncodedAs::RowGroup(self.row_group(vec![self.leaves(batch)?], pool)?)
        }))
    }

    /// The parts of a batch's columns, as Parquet has them.
    fn leaves(&self, batch: &RecordBatch) -> Result<Vec<ArrowLeafColumn>, Error> {
        let mut leaves = Vec::new();
        for (field, column) in self.schema.fields().iter().zip(batch.columns()) {
            let named = |problem| Error::Malformed(format!("the column `{}`: {problem}", field.name()));
            unpacked::check_decimals(column).map_err(named)?;
            let column = &unpacked::column(column).map_err(named)?;
            // Parts of lists and structs may be views, of which the file's type says nothing.
            let is_nested = column.data_type().is_nested();
            let of_column = is_nested.then(|| Arc::new(Field::clone(field).with_data_type(column.data_type().clone())));
            leaves.extend(compute_leaves(of_column.as_ref().unwrap_or(field), column)?);
        }
        Ok(leaves)
    }

    /// Batches, each of which is its leaves, as a row group of Parquet.
    fn row_group(&self, batches: Vec<Vec<ArrowLeafColumn>>, pool: &Pool) -> Result<Vec<ArrowColumnChunk>, Error> {
        let Some(factory) = &self.row_groups else { return Ok(Vec::new()) };
        let writers = factory.create_column_writers(0)?;
        let mut columns: Vec<_> = writers.into_iter().map(|writer| (writer, Vec::new())).collect();
        for leaves in batches {
            if leaves.len() != columns.len() {
                return Err(Error::Columns("a column has other parts than its type".to_owned()));
            }
            columns.iter_mut().zip(leaves).for_each(|((_, column), leaf)| column.push(leaf));
        }
        let chunks = pool.each(columns, |(mut writer, leaves)| {
            caught(|| {
                leaves.iter().try_for_each(|leaf| writer.write(leaf))?;
                Ok(writer.close()?)
            })
        })?;
        chunks.into_iter().collect()
    }
}

fn properties(schema: &SchemaRef, compression: Compression, has_long_texts: bool) -> WriterProperties {
    let codec = match compression {
        Compression::None => Codec::UNCOMPRESSED,
        Compression::Zstd => Codec::ZSTD(ZstdLevel::default()),
    };
    let mut properties =
        WriterProperties::builder().set_compression(codec).set_statistics_enabled(EnabledStatistics::Chunk);
    let is_text = |found: &DataType| matches!(found, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    // Digests, keys and signatures hardly repeat, so that a dictionary would cost time and room.
    let is_plain = |found: &DataType| found.is_binary() || has_long_texts && is_text(found);
    for field in schema.fields().iter().filter(|field| is_plain(field.data_type())) {
        let column = ColumnPath::from(field.name().as_str());
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_statistics_enabled(column, EnabledStatistics::None);
    }
    properties.build()
}

/// Bytes on their way to a file or stream.
enum Target {
    File { beside: BufWriter<NamedTempFile>, path: PathBuf },
    Stream(BufWriter<Box<dyn Write + Send>>),
}

/// Bytes that are written at once.
const BUFFER: usize = 1 << 20;

impl Target {
    fn create(output: Output) -> Result<Option<Self>, Error> {
        Ok(match output {
            Output::Nowhere => None,
            Output::Stream(stream) => Some(Target::Stream(BufWriter::with_capacity(BUFFER, stream))),
            Output::File(path) => {
                let beside = BufWriter::with_capacity(BUFFER, beside(&path).map_err(Error::file(&path))?);
                Some(Target::File { beside, path })
            }
        })
    }

    fn finish(mut self) -> Result<(), Error> {
        self.flush()?;
        if let Target::File { beside, path } = self {
            let beside = beside.into_inner().map_err(|problem| Error::Stream(problem.into_error()))?;
            beside.persist(&path).map_err(|problem| Error::File { path, source: problem.error })?;
        }
        Ok(())
    }
}

/// A file in the same folder, with the rights that any new file has.
fn beside(path: &Path) -> std::io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gecc-").permissions(std::fs::Permissions::from_mode(0o666));
    builder.tempfile_in(folder)
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Target::File { beside, .. } => beside.write(bytes),
            Target::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Target::File { beside, .. } => beside.flush(),
            Target::Stream(stream) => stream.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, Int64Array};

    #[test]
    fn batches_without_rows_are_not_kept() {
        let column: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        let batch = RecordBatch::try_from_iter([("number", column)]).unwrap();
        let output = Output::Stream(Box::new(std::io::sink()));
        let mut writer = Writer::create(output, Format::Parquet, Compression::None, &batch.schema()).unwrap();
        for rows in [0, 2, 0, 0] {
            writer.write(&batch.slice(0, rows), &Pool::default()).unwrap();
        }
        assert_eq!((writer.few.batches.len(), writer.few.leaves.len()), (1, 1));
        writer.finish().unwrap();
    }
}
