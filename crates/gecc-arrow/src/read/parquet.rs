//! Parquet: batches of equal size, decoded on several threads by rows and by columns.

use super::ReadOptions;
use super::ahead::Ahead;
use super::pages::{PageLimits, Pages, Refusal, check_footer};
use super::source::Source;
use crate::error::{Error, caught};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use std::ops::Range;
use std::sync::Arc;

/// The letters at both ends of a file.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// Bytes of the longest footer.
const LONGEST_FOOTER: u64 = 512 << 20;

/// Rows of the smallest batch that memory is bounded with.
const FEWEST_ROWS: u64 = 1024;

/// A file whose footer was read.
pub(crate) struct ParquetFile {
    source: Arc<Source>,
    metadata: ArrowReaderMetadata,
    /// Row number of the first row of each row group, and of the end.
    starts: Vec<u64>,
    /// The schema that the file says.
    pub written: SchemaRef,
}

impl ParquetFile {
    pub fn open(source: Source) -> Result<Self, Error> {
        let footer = footer(&source)?;
        check_footer(&footer)?;
        caught(|| {
            let metadata = Arc::new(ParquetMetaDataReader::decode_metadata(&footer)?);
            let starts = row_starts(&metadata)?;
            // What the file says of Arrow's types is of use, but not needed.
            let written = ArrowReaderMetadata::try_new(metadata.clone(), ArrowReaderOptions::new()).or_else(|_| {
                let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
                ArrowReaderMetadata::try_new(metadata.clone(), options)
            })?;
            let written = written.schema().clone();
            let options = ArrowReaderOptions::new().with_schema(with_views(&written));
            let metadata = ArrowReaderMetadata::try_new(metadata, options)?;
            Ok(ParquetFile { source: Arc::new(source), metadata, starts, written })
        })
    }

    /// The schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    pub fn rows(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    pub fn batches(self, columns: &[usize], options: &ReadOptions) -> Result<ParquetBatches, Error> {
        let schema = Arc::new(self.schema().project(columns)?);
        let plan = Plan::of(&self, columns, options)?;
        let groups = grouped(columns, options.threads);
        let limits = PageLimits { page: options.max_page, task: options.max_memory };
        let (rows, per_batch, tasks) = (self.rows(), plan.rows, groups.len());
        let batches = usize::try_from(rows.div_ceil(per_batch)).unwrap_or(usize::MAX);
        let work = move |task: usize| {
            let first = (task / tasks) as u64 * per_batch;
            let part = first..rows.min(first + per_batch);
            let refusal = Refusal::default();
            caught(|| self.decode(part, &groups[task % tasks], limits, &refusal)).map_err(|problem| refusal.or(problem))
        };
        let all = batches.saturating_mul(tasks);
        let decoded = Ahead::start(all, options.threads, plan.batches_ahead * tasks, work)?;
        Ok(ParquetBatches { decoded, tasks, schema, rows, per_batch, next: 0 })
    }

    /// The columns of some rows of the file.
    fn decode(
        &self,
        rows: Range<u64>,
        columns: &[usize],
        limits: PageLimits,
        refusal: &Refusal,
    ) -> Result<Vec<ArrayRef>, Error> {
        let first = self.starts.partition_point(|start| *start <= rows.start) - 1;
        let end = self.starts.partition_point(|start| *start < rows.end);
        let count = (rows.end - rows.start) as usize;
        let pages = Pages::new(self.source.clone(), limits, refusal.clone());
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), columns.iter().copied());
        let mut reader = ParquetRecordBatchReaderBuilder::new_with_metadata(pages, self.metadata.clone())
            .with_row_groups((first..end).collect())
            .with_projection(mask)
            .with_batch_size(count)
            .with_offset((rows.start - self.starts[first]) as usize)
            .with_limit(count)
            .build()?;
        match reader.next().transpose()? {
            Some(batch) if batch.num_rows() == count => Ok(batch.columns().to_vec()),
            found => {
                let found = found.map_or(0, |batch| batch.num_rows());
                Err(Error::Malformed(format!("Parquet: of {count} rows from row {} on there are {found}", rows.start)))
            }
        }
    }
}

/// The batches of a file in order.
pub(crate) struct ParquetBatches {
    decoded: Ahead<Result<Vec<ArrayRef>, Error>>,
    /// Tasks for a batch, each of which decodes some of its columns.
    tasks: usize,
    pub schema: SchemaRef,
    rows: u64,
    per_batch: u64,
    /// The first row of the next batch.
    next: u64,
}

impl Iterator for ParquetBatches {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let count = self.per_batch.min(self.rows - self.next);
        if count == 0 {
            return None;
        }
        self.next += count;
        let columns: Result<Vec<_>, Error> = self.decoded.by_ref().take(self.tasks).collect();
        Some(columns.and_then(|columns| {
            let columns = columns.into_iter().flatten().collect();
            let options = RecordBatchOptions::new().with_row_count(Some(count as usize));
            Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?)
        }))
    }
}

/// The footer's bytes: before the last eight, which are its length and the magic letters.
fn footer(source: &Source) -> Result<Vec<u8>, Error> {
    const END: u64 = 8;
    let short = || Error::Malformed("Parquet: the file is too short for its footer".to_owned());
    let start = source.length().checked_sub(END).ok_or_else(short)?;
    let end = source.bytes(start, END as usize)?;
    if &end[4..] != MAGIC {
        return Err(Error::Malformed("Parquet: the file ends without PAR1, so that a part is missing".to_owned()));
    }
    let length = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
    if length > LONGEST_FOOTER {
        return Err(Error::Limit { what: "bytes of a footer", found: length, limit: LONGEST_FOOTER });
    }
    source.bytes(start.checked_sub(length).ok_or_else(short)?, length as usize)
}

fn row_starts(metadata: &ParquetMetaData) -> Result<Vec<u64>, Error> {
    let mut starts = vec![0u64];
    for group in metadata.row_groups() {
        let rows = u64::try_from(group.num_rows()).ok();
        // Readers count rows as signed numbers.
        let end =
            rows.and_then(|rows| starts[starts.len() - 1].checked_add(rows)).filter(|end| *end <= i64::MAX as u64);
        starts.push(
            end.ok_or_else(|| Error::Malformed("Parquet: a row group has an impossible number of rows".to_owned()))?,
        );
    }
    Ok(starts)
}

/// With columns of bytes and text as views. A view of a dictionary's value is 16 bytes, where a copy may be millions,
/// and pages without a dictionary are not copied.
fn with_views(schema: &SchemaRef) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| match view_of(field.data_type()) {
        None => field.clone(),
        Some(view) => Arc::new(Field::clone(field).with_data_type(view)),
    });
    Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}

fn view_of(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::Binary | DataType::LargeBinary => Some(DataType::BinaryView),
        DataType::Utf8 | DataType::LargeUtf8 => Some(DataType::Utf8View),
        DataType::Dictionary(_, values) => view_of(values),
        _ => None,
    }
}

/// Columns by who decodes them: as many groups as threads at most, since each costs a walk over all columns.
fn grouped(columns: &[usize], threads: usize) -> Vec<Vec<usize>> {
    let size = columns.len().div_ceil(threads.max(1)).max(1);
    columns.chunks(size).map(<[usize]>::to_vec).collect()
}

/// How much is decoded at a time.
struct Plan {
    /// Rows of a batch.
    rows: u64,
    /// Batches that are begun before the first of them is taken.
    batches_ahead: usize,
}

impl Plan {
    fn of(file: &ParquetFile, columns: &[usize], options: &ReadOptions) -> Result<Self, Error> {
        let row = bytes_of_row(file, columns).max(1);
        // Two batches at least: one is computed while the next is decoded.
        let affordable = options.max_memory / 2 / row;
        if affordable < FEWEST_ROWS.min(file.rows()) {
            return Err(Error::Limit {
                what: "bytes of a row",
                found: row,
                limit: options.max_memory / 2 / FEWEST_ROWS,
            });
        }
        let rows = (options.rows as u64).min(affordable).max(1);
        let affordable = options.max_memory / (rows * row);
        // More ahead than threads would gain nothing.
        let batches_ahead = affordable.clamp(1, options.threads as u64 + 1) as usize;
        Ok(Plan { rows, batches_ahead })
    }
}

/// What the columns of a row take in memory, as the footer says it, and at least what their types do.
fn bytes_of_row(file: &ParquetFile, columns: &[usize]) -> u64 {
    let metadata = file.metadata.metadata();
    let schema = file.metadata.parquet_schema();
    let mask = ProjectionMask::roots(schema, columns.iter().copied());
    let leaves = (0..schema.num_columns()).filter(|leaf| mask.leaf_included(*leaf));
    leaves.fold(0u64, |sum, leaf| {
        let chunks = metadata.row_groups().iter().filter_map(|group| group.columns().get(leaf));
        let stored =
            chunks.fold(0u64, |sum, chunk| sum.saturating_add(u64::try_from(chunk.uncompressed_size()).unwrap_or(0)));
        let of_type = bytes_of_type(schema.column(leaf).physical_type(), schema.column(leaf).type_length());
        sum.saturating_add((stored / file.rows().max(1)).saturating_add(of_type))
    })
}

fn bytes_of_type(physical: PhysicalType, width: i32) -> u64 {
    match physical {
        PhysicalType::BOOLEAN => 1,
        PhysicalType::INT32 | PhysicalType::FLOAT => 4,
        PhysicalType::INT64 | PhysicalType::DOUBLE => 8,
        PhysicalType::INT96 => 12,
        // A view.
        PhysicalType::BYTE_ARRAY => 16,
        // A negative width is an error of the decoder.
        PhysicalType::FIXED_LEN_BYTE_ARRAY => u64::try_from(width).unwrap_or(u64::MAX),
    }
}
