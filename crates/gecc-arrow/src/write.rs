//! Writing record batches to files and streams.

use crate::compaction;
use crate::error::{Error, caught};
use crate::parquet_types;
use crate::pool::Pool;
use crate::read::Format;
use crate::size::{held, newly_held, stands_for};
use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowLeafColumn, ArrowRowGroupWriterFactory, ArrowWriter, ArrowWriterOptions,
    compute_leaves,
};
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use std::collections::HashSet;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tempfile::NamedTempFile;

/// The compression of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    None,
    /// Zstandard, level 1.
    #[default]
    Zstd,
}

/// The destination of output.
pub enum Destination {
    /// A file, which appears only when it is complete: it is written under a temporary name in the
    /// same folder, and then renamed.
    File(PathBuf),
    /// Standard output, or anything else that is written sequentially. It is flushed after each row
    /// group or batch. If writing fails, a stream that can retract bytes drops those since the last
    /// flush, and the end is written after that.
    Stream(Box<dyn Write + Send>),
    /// No output, if only the counts are wanted.
    Nowhere,
}

/// Writes batches of one schema. [`Writer::finish`] keeps the data written before an error.
pub struct Writer {
    content: WriterContent,
    encoder: Encoder,
    few: SmallBatches,
    /// `None` for [`Output::Nowhere`].
    target: Option<Target>,
    /// The number of row groups or batches that were completely written.
    written: usize,
}

/// The outcome of ending an output.
pub(crate) struct WriterEnd {
    /// True if the output was ended properly, after all data written before an error.
    pub has_end: bool,
    pub outcome: Result<(), Error>,
}

/// Small batches that are combined into a row group.
#[derive(Default)]
struct SmallBatches {
    leaves: Vec<Vec<ArrowLeafColumn>>,
    batches: Vec<RecordBatch>,
    rows: usize,
    /// The memory of the batches and the size of their values, in bytes.
    bytes: u64,
    /// The allocations counted so far.
    allocations: HashSet<usize>,
    pool: Pool,
}

enum WriterContent {
    Parquet(SerializedFileWriter<Target>),
    File(FileWriter<Target>),
    Stream(StreamWriter<Target>),
    Nowhere,
}

impl Writer {
    /// Creates a file or stream.
    ///
    /// # Errors
    /// [`Error::File`] or [`Error::Stream`] if it cannot be written, [`Error::Malformed`] if the
    /// format does not support a type of the schema.
    pub fn create(
        output: Destination,
        format: Format,
        compression: Compression,
        schema: &SchemaRef,
    ) -> Result<Self, Error> {
        Self::create_as(output, format, compression, schema, None)
    }

    /// Creates a file or stream for which little more than `max_memory` bytes wait to be written
    /// together. In Parquet, columns of strings have neither dictionaries nor statistics, because
    /// these copy long values.
    ///
    /// # Errors
    /// The same as for [`Writer::create`].
    pub fn create_within(
        max_memory: u64,
        output: Destination,
        format: Format,
        compression: Compression,
        schema: &SchemaRef,
    ) -> Result<Self, Error> {
        Self::create_as(output, format, compression, schema, Some(max_memory))
    }

    fn create_as(
        output: Destination,
        format: Format,
        compression: Compression,
        schema: &SchemaRef,
        max_memory: Option<u64>,
    ) -> Result<Self, Error> {
        let at_once = max_memory
            .map_or(AT_ONCE, |bytes| bytes / 2)
            .clamp(1, AT_ONCE);
        let mut encoder = Encoder {
            schema: schema.clone(),
            row_groups: None,
            tried: Arc::default(),
            at_once,
        };
        let target = Target::create(output, format)?;
        let content = match (target.clone(), format) {
            (None, _) => WriterContent::Nowhere,
            (Some(target), Format::Parquet) => {
                if let Some(field) = parquet_types::without_place(schema) {
                    let name = field.name();
                    let found = field.data_type();
                    return Err(Error::Malformed(format!(
                        "the column `{name}` is {found}, which Parquet has not"
                    )));
                }
                let schema = parquet_types::schema(schema);
                let has_long_texts = max_memory.is_some();
                let properties = properties(&schema, compression, has_long_texts);
                let options = ArrowWriterOptions::new().with_properties(properties);
                let (file, row_groups) = caught(|| {
                    Ok(
                        ArrowWriter::try_new_with_options(target, schema.clone(), options)?
                            .into_serialized_writer()?,
                    )
                })?;
                encoder = Encoder {
                    schema,
                    row_groups: Some(Arc::new(row_groups)),
                    ..encoder
                };
                WriterContent::Parquet(file)
            }
            (Some(target), Format::ArrowFile) => WriterContent::File(
                FileWriter::try_new_with_options(target, schema, ipc_options(compression)?)?,
            ),
            (Some(target), Format::ArrowStream) => WriterContent::Stream(
                StreamWriter::try_new_with_options(target, schema, ipc_options(compression)?)?,
            ),
        };
        Ok(Writer {
            content,
            encoder,
            few: SmallBatches::default(),
            target,
            written: 0,
        })
    }

    /// Returns an encoder of batches for this writer, usable on any thread.
    pub fn encoder(&self) -> Encoder {
        self.encoder.clone()
    }

    /// Appends a batch. In Parquet, it becomes a row group, or a part of one if it is small.
    ///
    /// # Errors
    /// The same as for [`Writer::create`].
    pub fn append(&mut self, batch: EncodedBatch) -> Result<(), Error> {
        if !matches!(batch.0, EncodedAs::Few(..)) {
            self.append_few()?;
        }
        match (&mut self.content, batch.0) {
            // Empty batches are dropped, because any number of them would accumulate.
            (WriterContent::Parquet(_), EncodedAs::Few(_, batch, _)) if batch.num_rows() == 0 => {
                return Ok(());
            }
            (WriterContent::Parquet(_), EncodedAs::Few(leaves, batch, pool)) => {
                let few = &mut self.few;
                few.rows += batch.num_rows();
                let bytes =
                    newly_held(&batch, &mut few.allocations).saturating_add(stands_for(&batch));
                few.bytes = few.bytes.saturating_add(bytes);
                few.leaves.push(leaves);
                few.batches.push(batch);
                few.pool = pool;
                if few.rows >= TOGETHER || few.bytes >= 2 * self.encoder.at_once {
                    self.append_few()?;
                }
                return Ok(());
            }
            (WriterContent::Parquet(file), EncodedAs::RowGroup(columns)) => {
                append_row_group(file, columns)?
            }
            (WriterContent::Parquet(file), EncodedAs::Later(batch, pool)) => {
                append_parts(file, &self.encoder, &batch, &pool)?
            }
            (WriterContent::File(file), EncodedAs::Batch(batch)) => file.write(&batch)?,
            (WriterContent::Stream(stream), EncodedAs::Batch(batch)) => stream.write(&batch)?,
            (WriterContent::Nowhere, _) => {}
            _ => {
                return Err(Error::Options(
                    "a batch was encoded for another writer".to_owned(),
                ));
            }
        }
        self.commit()
    }

    /// Passes all written data to the system. It is then kept, whatever happens later.
    fn commit(&mut self) -> Result<(), Error> {
        if let WriterContent::Parquet(file) = &mut self.content {
            file.flush()?;
        }
        if let Some(target) = &self.target {
            target.commit()?;
        }
        self.written = match &self.content {
            WriterContent::Parquet(file) => file.flushed_row_groups().len(),
            _ => self.written + 1,
        };
        Ok(())
    }

    /// Appends the small batches gathered so far.
    fn append_few(&mut self) -> Result<(), Error> {
        let few = std::mem::take(&mut self.few);
        match &mut self.content {
            WriterContent::Parquet(file) if few.rows > 0 => {
                append_row_group(file, self.encoder.row_group(few.leaves, &few.pool)?)?;
                self.commit()
            }
            _ => Ok(()),
        }
    }

    /// Encodes and appends a batch.
    ///
    /// # Errors
    /// The same as for [`Writer::create`].
    pub fn write(&mut self, batch: &RecordBatch, pool: &Pool) -> Result<(), Error> {
        let encoded = self.encoder.encode(batch, pool)?;
        self.append(encoded)
    }

    /// Ends the output: only now does a file get its footer and its name. Without this call, a file
    /// is removed. After a write error, the output ends after the last complete row group or batch.
    ///
    /// # Errors
    /// The same as for [`Writer::create`].
    pub fn finish(self) -> Result<(), Error> {
        let WriterEnd { outcome, .. } = self.end();
        outcome
    }

    /// Ends the output like [`Writer::finish`]. Also returns whether the output can be read, which
    /// is possible after an error.
    pub fn finish_readable(self) -> (bool, Result<(), Error>) {
        let WriterEnd { has_end, outcome } = self.end();
        (has_end, outcome)
    }

    pub(crate) fn end(mut self) -> WriterEnd {
        // A failed write is not retried.
        let few = if self.has_failed() {
            Ok(())
        } else {
            self.append_few()
        };
        let has_failed = self.has_failed();
        let Some(target) = self.target else {
            return WriterEnd {
                has_end: true,
                outcome: few,
            };
        };
        // Nothing was written completely, so there is nothing to read.
        if has_failed && self.written == 0 {
            return WriterEnd {
                has_end: false,
                outcome: few.and_then(|()| Err(Error::Stream(failed_before()))),
            };
        }
        let ended = match self.content {
            WriterContent::Parquet(file) if has_failed => end_after(file, self.written, &target),
            WriterContent::Parquet(mut file) => file.finish().map(drop).map_err(Error::from),
            WriterContent::File(mut file) => {
                target.recover();
                file.finish().map_err(Error::from)
            }
            WriterContent::Stream(mut stream) => {
                target.recover();
                stream.finish().map_err(Error::from)
            }
            WriterContent::Nowhere => Ok(()),
        };
        let ended = ended.and_then(|()| target.finish());
        WriterEnd {
            has_end: ended.is_ok(),
            outcome: few.and(ended),
        }
    }

    fn has_failed(&self) -> bool {
        self.target.as_ref().is_some_and(Target::has_failed)
    }
}

/// Ends a file after its first `row_groups` row groups. Everything after them is dropped.
fn end_after(
    file: SerializedFileWriter<Target>,
    row_groups: usize,
    target: &Target,
) -> Result<(), Error> {
    let groups = file.flushed_row_groups()[..row_groups].to_vec();
    let properties = Arc::clone(file.properties());
    // Unwritten data is discarded.
    drop(file);
    let rows = groups.iter().map(RowGroupMetaData::num_rows).sum();
    let schema = groups[0].schema_descr_ptr();
    let version = properties.writer_version().as_num();
    let by = properties.created_by().to_owned();
    let metadata = FileMetaData::new(
        version,
        rows,
        Some(by),
        properties.key_value_metadata().cloned(),
        schema,
        None,
    );
    let metadata = ParquetMetaData::new(metadata, groups);
    let mut footer = Vec::new();
    ParquetMetaDataWriter::new(&mut footer, &metadata).finish()?;
    target.recover();
    Ok(target.clone().write_all(&footer)?)
}

fn append_row_group(
    file: &mut SerializedFileWriter<Target>,
    columns: Vec<ArrowColumnChunk>,
) -> Result<(), Error> {
    let mut group = file.next_row_group()?;
    for column in columns {
        column.append_to_row_group(&mut group)?;
    }
    group.close()?;
    Ok(())
}

/// Encodes and appends parts of a batch, each of which is small enough to be encoded at once.
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
    /// Set once encoding a row has been tried.
    tried: Arc<OnceLock<()>>,
    /// Maximum size in bytes of a batch's values, in addition to its memory, for encoding all rows
    /// at once: a value that a dictionary or views contain once is written as often as it occurs.
    at_once: u64,
}

/// The value of [`Encoder::at_once`] without a memory limit.
const AT_ONCE: u64 = 16 << 20;

/// Number of rows below which a batch is small, and number of rows of small batches that become a
/// row group: a Parquet file has at most 32767 row groups, and a slow input may have one batch per
/// row.
const SMALL: usize = 1 << 13;
const TOGETHER: usize = 1 << 16;

/// A batch that is ready to be written.
pub struct EncodedBatch(EncodedAs);

enum EncodedAs {
    RowGroup(Vec<ArrowColumnChunk>),
    /// A batch that is encoded together with others.
    Few(Vec<ArrowLeafColumn>, RecordBatch, Pool),
    /// A batch that is encoded in parts when it is appended.
    Later(RecordBatch, Pool),
    Batch(RecordBatch),
}

impl Encoder {
    /// Encodes a batch with the same number of columns as the schema.
    ///
    /// # Errors
    /// [`Error::Malformed`] if a column does not match its type.
    pub fn encode(&self, batch: &RecordBatch, pool: &Pool) -> Result<EncodedBatch, Error> {
        if batch.num_columns() != self.schema.fields().len() {
            return Err(Error::Columns(
                "a batch has other columns than its file".to_owned(),
            ));
        }
        Ok(EncodedBatch(if self.row_groups.is_none() {
            EncodedAs::Batch(compaction::batch(batch)?)
        } else if stands_for(batch) > held(batch) + self.at_once {
            EncodedAs::Later(batch.clone(), pool.clone())
        } else if batch.num_rows() < SMALL {
            let batch = compaction::batch(batch)?;
            // An unsupported type is detected here, before its rows count as written.
            if self.tried.get().is_none() {
                self.row_group(
                    vec![self.leaves(&batch.slice(0, batch.num_rows().min(1)))?],
                    pool,
                )?;
                self.tried.get_or_init(|| ());
            }
            EncodedAs::Few(self.leaves(&batch)?, batch, pool.clone())
        } else {
            EncodedAs::RowGroup(self.row_group(vec![self.leaves(batch)?], pool)?)
        }))
    }

    /// Returns the leaf columns of a batch in Parquet's layout.
    fn leaves(&self, batch: &RecordBatch) -> Result<Vec<ArrowLeafColumn>, Error> {
        let mut leaves = Vec::new();
        for (field, column) in self.schema.fields().iter().zip(batch.columns()) {
            let column =
                parquet_types::check_decimals(column).and_then(|()| parquet_types::column(column));
            let column = &column.map_err(|problem| {
                Error::Malformed(format!("the column `{}`: {problem}", field.name()))
            })?;
            // Parts of lists and structs may be views, although the file's type has none.
            let is_nested = column.data_type().is_nested();
            let of_column = is_nested
                .then(|| Arc::new(Field::clone(field).with_data_type(column.data_type().clone())));
            leaves.extend(compute_leaves(of_column.as_ref().unwrap_or(field), column)?);
        }
        Ok(leaves)
    }

    /// Encodes batches, each given as its leaves, as a row group of Parquet.
    fn row_group(
        &self,
        batches: Vec<Vec<ArrowLeafColumn>>,
        pool: &Pool,
    ) -> Result<Vec<ArrowColumnChunk>, Error> {
        let Some(factory) = &self.row_groups else {
            return Ok(Vec::new());
        };
        let writers = factory.create_column_writers(0)?;
        let mut columns: Vec<_> = writers
            .into_iter()
            .map(|writer| (writer, Vec::new()))
            .collect();
        for leaves in batches {
            if leaves.len() != columns.len() {
                return Err(Error::Columns(
                    "a column has other parts than its type".to_owned(),
                ));
            }
            columns
                .iter_mut()
                .zip(leaves)
                .for_each(|((_, column), leaf)| column.push(leaf));
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

fn ipc_options(compression: Compression) -> Result<IpcWriteOptions, ArrowError> {
    let codec = (compression == Compression::Zstd).then_some(CompressionType::ZSTD);
    IpcWriteOptions::default()
        .try_with_compression(codec)?
        .try_with_compression_level(codec.map(|_| 1))
}

fn properties(
    schema: &SchemaRef,
    compression: Compression,
    has_long_texts: bool,
) -> WriterProperties {
    let codec = match compression {
        Compression::None => Codec::UNCOMPRESSED,
        Compression::Zstd => Codec::ZSTD(ZstdLevel::default()),
    };
    let mut properties = WriterProperties::builder()
        .set_compression(codec)
        .set_statistics_enabled(EnabledStatistics::Chunk);
    for field in schema.fields() {
        let found = field.data_type();
        let is_long_text = has_long_texts
            && matches!(
                found,
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
            );
        // Digests, keys and signatures hardly ever repeat, so a dictionary would cost time and
        // space.
        if !found.is_binary() && !is_long_text {
            continue;
        }
        let column = ColumnPath::from(field.name().as_str());
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_statistics_enabled(column, EnabledStatistics::None);
    }
    properties.build()
}

/// The byte stream of a file or stream, shared by the format's writer and the code that decides
/// which part is kept.
#[derive(Clone)]
struct Target(Arc<Mutex<OutputBuffer>>);

struct OutputBuffer {
    sink: Sink,
    /// Data that was not passed to the system yet.
    buffer: Vec<u8>,
    /// Capacity of the buffer in bytes.
    capacity: usize,
    /// True after an error. From then on, nothing is written.
    has_failed: bool,
}

enum Sink {
    File {
        temporary: NamedTempFile,
        path: PathBuf,
        /// Number of bytes that are kept, whatever happens later.
        kept: u64,
    },
    Stream(Box<dyn Write + Send>),
}

/// Buffer size in bytes.
const BUFFER: usize = 1 << 20;

fn failed_before() -> std::io::Error {
    std::io::Error::other("writing the output failed before")
}

impl Target {
    fn create(output: Destination, format: Format) -> Result<Option<Self>, Error> {
        let sink = match output {
            Destination::Nowhere => return Ok(None),
            Destination::Stream(stream) => Sink::Stream(stream),
            Destination::File(path) => {
                let temporary = temporary_file(&path).map_err(Error::file(&path))?;
                Sink::File {
                    temporary,
                    path,
                    kept: 0,
                }
            }
        };
        // The writer of Arrow files records positions as it writes: buffered data could be recorded
        // and then lost.
        let capacity = if format == Format::ArrowFile {
            0
        } else {
            BUFFER
        };
        Ok(Some(Target(Arc::new(Mutex::new(OutputBuffer {
            sink,
            buffer: Vec::new(),
            capacity,
            has_failed: false,
        })))))
    }

    fn bytes(&self) -> MutexGuard<'_, OutputBuffer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_failed(&self) -> bool {
        self.bytes().has_failed
    }

    /// Allows an end to be written after the kept data.
    fn recover(&self) {
        self.bytes().has_failed = false;
    }

    /// Keeps all written data.
    fn commit(&self) -> std::io::Result<()> {
        self.bytes().commit()
    }

    /// Keeps all written data, and gives a file its name.
    fn finish(self) -> Result<(), Error> {
        self.commit()?;
        let bytes = Arc::into_inner(self.0).expect("who wrote to it has ended");
        let bytes = bytes.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Sink::File {
            temporary, path, ..
        } = bytes.sink
        {
            temporary.persist(&path).map_err(|problem| Error::File {
                path,
                source: problem.error,
            })?;
        }
        Ok(())
    }
}

impl OutputBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if self.has_failed {
            return Err(failed_before());
        }
        if self.buffer.len() + bytes.len() > self.capacity {
            self.empty()?;
        }
        if bytes.len() < self.capacity {
            self.buffer.extend_from_slice(bytes);
            return Ok(());
        }
        let written = self.sink.write(bytes);
        self.checked(written)
    }

    /// Writes the buffer to the sink.
    fn empty(&mut self) -> std::io::Result<()> {
        let written = self.sink.write(&self.buffer);
        self.buffer.clear();
        self.checked(written)
    }

    fn commit(&mut self) -> std::io::Result<()> {
        if self.has_failed {
            return Err(failed_before());
        }
        self.empty()?;
        let kept = self.sink.commit();
        self.checked(kept)
    }

    fn checked(&mut self, outcome: std::io::Result<()>) -> std::io::Result<()> {
        if outcome.is_err() {
            self.has_failed = true;
            self.buffer.clear();
            self.sink.roll_back();
        }
        outcome
    }
}

impl Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Sink::File { temporary, .. } => temporary.write_all(bytes),
            Sink::Stream(stream) => stream.write_all(bytes),
        }
    }

    fn commit(&mut self) -> std::io::Result<()> {
        match self {
            Sink::File {
                temporary, kept, ..
            } => {
                *kept = temporary.as_file_mut().stream_position()?;
                Ok(())
            }
            Sink::Stream(stream) => stream.flush(),
        }
    }

    /// Removes the data that is not kept. Streams do so themselves if they can.
    fn roll_back(&mut self) {
        if let Sink::File {
            temporary, kept, ..
        } = self
        {
            // If that fails too, the first error is the relevant one.
            let _ = temporary.as_file().set_len(*kept);
            let _ = temporary.as_file_mut().seek(SeekFrom::Start(*kept));
        }
    }
}

/// Creates a file in the same folder, with the permissions of any new file.
fn temporary_file(path: &Path) -> std::io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder
        .prefix(".gecc-")
        .permissions(std::fs::Permissions::from_mode(0o666));
    builder.tempfile_in(folder)
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes().write(bytes).map(|()| bytes.len())
    }

    /// Does nothing: complete parts are committed instead.
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
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
        let output = Destination::Stream(Box::new(std::io::sink()));
        let mut writer =
            Writer::create(output, Format::Parquet, Compression::None, &batch.schema()).unwrap();
        for rows in [0, 2, 0, 0] {
            writer
                .write(&batch.slice(0, rows), &Pool::default())
                .unwrap();
        }
        assert_eq!((writer.few.batches.len(), writer.few.leaves.len()), (1, 1));
        writer.finish().unwrap();
    }
}
