//! Reading Parquet: batches of equal size, decoded on several threads by rows and by columns.

use super::ReadOptions;
use super::codec::Codec;
use super::flatbuffer;
use super::footer::{checked_footer, malformed, within};
use super::memory_budget::TaskMemory;
use super::pages::{Chunk, ChunkPages, Claim, Jump, LEVELS, Leaf, MOST_JUMPS, PLACE, Tally};
use super::prefetch::Prefetch;
use super::source::Source;
use crate::error::{Error, caught};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowGroups, RowSelection,
    RowSelector,
};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::Type as PhysicalType;
use parquet::column::page::{PageIterator, PageReader};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The magic bytes at both ends of a file.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// Maximum length of a footer in bytes.
const LONGEST_FOOTER: u64 = 512 << 20;

/// Minimum number of rows of a batch that a memory limit must allow.
const FEWEST_ROWS: u64 = 256;

/// A file whose footer was read.
pub(crate) struct ParquetFile {
    source: Arc<Source>,
    metadata: Arc<ParquetMetaData>,
    /// Row number of the first row of each row group, and of the end.
    starts: Vec<u64>,
    /// The schema that the file states.
    pub written: SchemaRef,
    /// The schema of the batches.
    pub schema: SchemaRef,
}

impl ParquetFile {
    pub fn open(source: Source, max_memory: u64) -> Result<Self, Error> {
        let footer = checked_footer(&footer(&source, max_memory)?, max_memory)?;
        caught(|| {
            let metadata = Arc::new(ParquetMetaDataReader::decode_metadata(&footer)?);
            let starts = row_starts(&metadata)?;
            let skipped = ArrowReaderOptions::new()
                .with_skip_arrow_metadata(!flatbuffer::has_schema(&metadata, max_memory));
            // An unknown type in it causes a panic.
            let written = caught(|| Ok(ArrowReaderMetadata::try_new(metadata.clone(), skipped)?))
                .or_else(|_| {
                let skipped = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
                ArrowReaderMetadata::try_new(metadata.clone(), skipped)
            })?;
            let written = written.schema().clone();
            let views =
                Schema::new_with_metadata(with_views(written.fields()), written.metadata().clone());
            let options = ArrowReaderOptions::new().with_schema(Arc::new(views));
            let schema = ArrowReaderMetadata::try_new(metadata.clone(), options)?
                .schema()
                .clone();
            Ok(ParquetFile {
                source: Arc::new(source),
                metadata,
                starts,
                written,
                schema,
            })
        })
    }

    pub fn rows(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    /// Returns the footer's claims about a column in a row group.
    fn claim(&self, row_group: usize, place: usize, name: &Arc<str>) -> Result<Claim, Error> {
        let values = self
            .metadata
            .row_group(row_group)
            .column(place)
            .num_values();
        let values = u64::try_from(values)
            .map_err(|_| malformed("a column has an impossible number of values"))?;
        let rows = self.starts[row_group + 1] - self.starts[row_group];
        Ok(Claim {
            row_group: row_group + 1,
            column: name.clone(),
            values,
            rows,
        })
    }

    pub fn batches(
        self,
        columns: &[usize],
        options: &ReadOptions,
    ) -> Result<ParquetBatches, Error> {
        let schema = Arc::new(self.schema.project(columns)?);
        let plan = BatchPlan::of(&self, columns, options)?;
        // At most as many groups as threads, because each costs a pass over all columns.
        let size = columns.len().div_ceil(options.threads.max(1)).max(1);
        let groups: Vec<_> = columns
            .chunks(size)
            .map(|columns| ColumnGroup::of(&self, columns))
            .collect::<Result<_, _>>()?;
        let rows = self.rows();
        let per_batch = plan.rows;
        let tasks = groups.len();
        let batches = usize::try_from(rows.div_ceil(per_batch)).unwrap_or(usize::MAX);
        let room = Arc::new(TaskMemory::new(options.max_memory));
        let entered = room.clone();
        let max_page = options.max_page;
        let max_memory = options.max_memory;
        let decoder = Decoder {
            file: self,
            per_batch,
        };
        let all = batches.saturating_mul(tasks);
        let decoded = Prefetch::start(
            all,
            options.threads,
            plan.batches_ahead * tasks,
            room,
            move |task| {
                let first = (task / tasks) as u64 * per_batch;
                let part = first..rows.min(first + per_batch);
                let tally = Arc::new(Tally::new(task, entered.clone(), max_page, max_memory));
                caught(|| decoder.decode(part, &groups[task % tasks], &tally))
                    .map_err(|problem| tally.refusal.or(problem))
            },
        )?;
        Ok(ParquetBatches {
            decoded,
            tasks,
            schema,
            rows,
            per_batch,
            next: 0,
        })
    }
}

/// Columns that are decoded together.
struct ColumnGroup {
    levels: FieldLevels,
    /// The leaves of these columns, by index.
    leaves: HashMap<usize, LeafColumn>,
}

/// A leaf, and the results of surveying row groups that several tasks read.
struct LeafColumn {
    leaf: Leaf,
    name: Arc<str>,
    surveyed: Mutex<RowGroupSurveys>,
}

impl LeafColumn {
    fn surveys(&self) -> MutexGuard<'_, RowGroupSurveys> {
        self.surveyed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Positions in row groups whose pages were compared with the footer.
#[derive(Default)]
struct RowGroupSurveys {
    jumps: BTreeMap<usize, Arc<[Jump]>>,
    /// The number of positions in all row groups.
    count: usize,
}

impl RowGroupSurveys {
    /// Adds a row group. The first row groups are finished first, and are dropped if there are too
    /// many positions.
    fn insert(&mut self, row_group: usize, jumps: Arc<[Jump]>) {
        self.count += jumps.len() + 1;
        self.jumps.insert(row_group, jumps);
        while self.count > 2 * MOST_JUMPS
            && let Some((_, first)) = self.jumps.pop_first()
        {
            self.count -= first.len() + 1;
        }
    }
}

impl ColumnGroup {
    fn of(file: &ParquetFile, columns: &[usize]) -> Result<Self, Error> {
        let schema = file.metadata.file_metadata().schema_descr();
        let mask = ProjectionMask::roots(schema, columns.iter().copied());
        let places: Vec<_> = (0..schema.num_columns())
            .filter(|leaf| mask.leaf_included(*leaf))
            .collect();
        let levels = parquet_to_arrow_field_levels(schema, mask, Some(file.schema.fields()))?;
        // In the order of Parquet's leaves.
        let fields = file.schema.project(columns)?;
        let types = fields.flattened_fields().into_iter().map(Field::data_type);
        let types: Vec<_> = types.filter(|found| !found.is_nested()).collect();
        if types.len() != places.len() {
            return Err(malformed("the columns have other parts than their types"));
        }
        let mut leaves = HashMap::new();
        for (place, data_type) in places.into_iter().zip(types) {
            let name: Arc<str> = schema.column(place).path().string().into();
            let leaf = leaf(file, place, data_type);
            // Checked before any output is written.
            for row_group in 0..file.metadata.num_row_groups() {
                Codec::of(
                    file.metadata
                        .row_group(row_group)
                        .column(place)
                        .compression(),
                )?;
                file.claim(row_group, place, &name)?.check(leaf)?;
            }
            leaves.insert(
                place,
                LeafColumn {
                    leaf,
                    name,
                    surveyed: Mutex::default(),
                },
            );
        }
        Ok(ColumnGroup { levels, leaves })
    }
}

fn leaf(file: &ParquetFile, place: usize, data_type: &DataType) -> Leaf {
    let column = file.metadata.file_metadata().schema_descr().column(place);
    let is_view = matches!(
        data_type,
        DataType::BinaryView | DataType::Utf8View | DataType::Null
    );
    let physical = column.physical_type();
    Leaf {
        physical,
        width: usize::try_from(bytes_of_type(physical, column.type_length())).unwrap_or(usize::MAX),
        lists: column.max_rep_level().unsigned_abs(),
        definitions: column.max_def_level().unsigned_abs(),
        copied: physical == PhysicalType::BYTE_ARRAY && !is_view,
    }
}

/// Decodes the rows of a file.
struct Decoder {
    file: ParquetFile,
    per_batch: u64,
}

impl Decoder {
    /// Decodes the columns of a range of rows.
    fn decode(
        &self,
        rows: Range<u64>,
        group: &ColumnGroup,
        tally: &Arc<Tally>,
    ) -> Result<Vec<ArrayRef>, Error> {
        let starts = &self.file.starts;
        let first = starts.partition_point(|start| *start <= rows.start) - 1;
        let end = starts.partition_point(|start| *start < rows.end);
        let start = rows.start;
        let count = (rows.end - rows.start) as usize;
        let skipped = rows.start - starts[first];
        let part = TaskRows {
            decoder: self,
            group,
            tally,
            row_groups: first..end,
            rows,
        };
        let selection = RowSelection::from(vec![
            RowSelector::skip(skipped as usize),
            RowSelector::select(count),
        ]);
        let mut reader = ParquetRecordBatchReader::try_new_with_row_groups(
            &group.levels,
            &part,
            count,
            Some(selection),
        )?;
        match reader.next().transpose()? {
            Some(batch) if batch.num_rows() == count => Ok(batch.columns().to_vec()),
            found => {
                let found = found.map_or(0, |batch| batch.num_rows());
                Err(malformed(&format!(
                    "of {count} rows from row {start} on there are {found}"
                )))
            }
        }
    }

    /// Returns the pages of a leaf in a row group.
    fn chunk(&self, row_group: usize, place: usize, column: &LeafColumn) -> Result<Chunk, Error> {
        let claim = self.file.claim(row_group, place, &column.name)?;
        let metadata = self.file.metadata.row_group(row_group).column(place);
        // The interpretation of other readers: some writers state 0 if there is no dictionary, and
        // others state nothing although there is one.
        let data = metadata.data_page_offset();
        let dictionary = metadata.dictionary_page_offset();
        let start = dictionary
            .filter(|dictionary| (1..data).contains(dictionary))
            .unwrap_or(data);
        let range = u64::try_from(start)
            .ok()
            .zip(u64::try_from(metadata.compressed_size()).ok());
        let range = range.and_then(|(start, length)| Some((start, start.checked_add(length)?)));
        let (start, end) = range.ok_or_else(|| malformed("a column is at no place"))?;
        let codec = Codec::of(metadata.compression())?;
        Ok(Chunk {
            start,
            end,
            codec,
            leaf: column.leaf,
            skipped: 0,
            spare: 0,
            claim,
        })
    }

    /// Returns all pages of a chunk.
    fn pages(&self, chunk: &Chunk, tally: &Arc<Tally>) -> ChunkPages {
        ChunkPages::whole(self.file.source.clone(), tally.clone(), chunk.clone())
    }

    /// Compares all pages of a leaf in a row group with the footer, and returns the positions in it
    /// at which reading may begin. That is done once for all tasks that read a part of the row
    /// group.
    ///
    /// Sets `chunk.spare` to the memory that the survey took.
    fn survey(
        &self,
        row_group: usize,
        column: &LeafColumn,
        chunk: &mut Chunk,
        tally: &Arc<Tally>,
    ) -> Result<Arc<[Jump]>, Error> {
        if let Some(jumps) = column.surveys().jumps.get(&row_group) {
            return Ok(jumps.clone());
        }
        let mut spare = 0;
        if column.leaf.is_repeated() {
            // Pages of lists are decompressed. A thread that waits for memory must not hold the
            // lock: an earlier task, which has to finish before memory becomes available, may be
            // waiting for the lock.
            spare = self.pages(chunk, tally).longest()?;
            tally.take(spare)?;
        }
        let mut surveyed = column.surveys();
        let jumps = match surveyed.jumps.get(&row_group) {
            Some(jumps) => jumps.clone(),
            None => {
                let jumps: Arc<[Jump]> = self
                    .pages(chunk, tally)
                    .survey(self.file.starts[row_group], self.per_batch)?
                    .into();
                surveyed.insert(row_group, jumps.clone());
                jumps
            }
        };
        chunk.spare = spare;
        Ok(jumps)
    }
}

/// Row groups and leaves for one task.
struct TaskRows<'a> {
    decoder: &'a Decoder,
    group: &'a ColumnGroup,
    tally: &'a Arc<Tally>,
    row_groups: Range<usize>,
    /// The rows of the file that the task reads.
    rows: Range<u64>,
}

impl TaskRows<'_> {
    fn chunks(&self, place: usize) -> Result<LeafChunks, Error> {
        let Some(column) = self.group.leaves.get(&place) else {
            return Err(malformed("a column is read that was not requested"));
        };
        let chunks = self
            .row_groups
            .clone()
            .map(|row_group| self.chunk(row_group, place, column));
        Ok(LeafChunks(
            chunks.collect::<Result<Vec<_>, _>>()?.into_iter(),
        ))
    }

    /// Returns the pages of a leaf in a row group. They are compared with the footer before any row
    /// has an answer: while they are read if the task reads all of them, otherwise in advance.
    fn chunk(
        &self,
        row_group: usize,
        place: usize,
        column: &LeafColumn,
    ) -> Result<ChunkPages, Error> {
        let source = self.decoder.file.source.clone();
        let starts = &self.decoder.file.starts;
        let mut chunk = self.decoder.chunk(row_group, place, column)?;
        if self.rows.start <= starts[row_group] && starts[row_group + 1] <= self.rows.end {
            return Ok(ChunkPages::whole(source, self.tally.clone(), chunk));
        }
        let jumps = self
            .decoder
            .survey(row_group, column, &mut chunk, self.tally)?;
        chunk.skipped = self.rows.start.saturating_sub(starts[row_group]);
        let later = jumps.partition_point(|jump| jump.rows <= chunk.skipped);
        let jump = later.checked_sub(1).map(|last| jumps[last]);
        Ok(ChunkPages::part(source, self.tally.clone(), chunk, jump))
    }
}

impl RowGroups for TaskRows<'_> {
    fn num_rows(&self) -> usize {
        self.row_groups()
            .map(|group| group.num_rows() as usize)
            .sum()
    }

    fn column_chunks(&self, place: usize) -> ParquetResult<Box<dyn PageIterator>> {
        match self.chunks(place) {
            Ok(chunks) => Ok(Box::new(chunks)),
            Err(problem) => Err(self.tally.refusal.keep(problem)),
        }
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.decoder.file.metadata.row_groups()[self.row_groups.clone()].iter())
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.decoder.file.metadata
    }
}

/// The pages of a leaf, by row group.
struct LeafChunks(std::vec::IntoIter<ChunkPages>);

impl Iterator for LeafChunks {
    type Item = ParquetResult<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(Ok(Box::new(self.0.next()?)))
    }
}

impl PageIterator for LeafChunks {}

/// The batches of a file in order.
pub(crate) struct ParquetBatches {
    decoded: Prefetch<Result<Vec<ArrayRef>, Error>>,
    /// The number of tasks per batch, each of which decodes some of its columns.
    tasks: usize,
    pub schema: SchemaRef,
    rows: u64,
    per_batch: u64,
    /// The first row of the next batch.
    next: u64,
}

impl ParquetBatches {
    /// Returns the first row of the next batch, and the number of all rows.
    pub fn place(&self) -> (u64, u64) {
        (self.next, self.rows)
    }
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
            Ok(RecordBatch::try_new_with_options(
                self.schema.clone(),
                columns,
                &options,
            )?)
        }))
    }
}

/// Reads the footer, which comes before the last eight bytes: its length and the magic bytes.
fn footer(source: &Source, max_memory: u64) -> Result<Vec<u8>, Error> {
    const END: u64 = 8;
    let start = source.length().checked_sub(END).ok_or_else(too_short)?;
    let end = source.bytes(start, END as usize)?;
    if &end[4..] != MAGIC {
        return Err(malformed(
            "the file ends without PAR1, so that a part is missing",
        ));
    }
    let length = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
    within("bytes of a footer", length, LONGEST_FOOTER.min(max_memory))?;
    source.bytes(
        start.checked_sub(length).ok_or_else(too_short)?,
        length as usize,
    )
}

fn too_short() -> Error {
    malformed("the file is too short for its footer")
}

fn row_starts(metadata: &ParquetMetaData) -> Result<Vec<u64>, Error> {
    let mut starts = vec![0u64];
    let mut rows = 0;
    for group in metadata.row_groups() {
        let end = u64::try_from(group.num_rows())
            .ok()
            .and_then(|count| count.checked_add(rows));
        // Readers count rows as signed numbers.
        let end = end.filter(|end| *end <= i64::MAX as u64);
        rows = end.ok_or_else(|| malformed("a row group has an impossible number of rows"))?;
        starts.push(rows);
    }
    let claimed = metadata.file_metadata().num_rows();
    if u64::try_from(claimed) != Ok(rows) {
        return Err(malformed(&format!(
            "the row groups have {rows} rows together, but the footer says {claimed}"
        )));
    }
    Ok(starts)
}

/// Returns the fields with bytes and strings as views. A view of a dictionary's value takes 16
/// bytes where a copy may take millions, and pages without a dictionary are not copied. Fixed-size
/// lists become lists, since each null would take that many values.
fn with_views(fields: &Fields) -> Fields {
    fields.iter().map(with_view).collect()
}

fn with_view(field: &Arc<Field>) -> Arc<Field> {
    let mut view = Field::clone(field).with_data_type(view_of(field.data_type()));
    if matches!(field.data_type(), DataType::FixedSizeList(..)) {
        // An extension type is rejected if its storage differs from the defined one.
        view.metadata_mut().retain(|key, _| {
            ![EXTENSION_TYPE_NAME_KEY, EXTENSION_TYPE_METADATA_KEY].contains(&key.as_str())
        });
    }
    Arc::new(view)
}

fn view_of(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Dictionary(_, values) => view_of(values),
        DataType::Struct(fields) => DataType::Struct(with_views(fields)),
        DataType::List(field) | DataType::FixedSizeList(field, _) => {
            DataType::List(with_view(field))
        }
        DataType::LargeList(field) => DataType::LargeList(with_view(field)),
        DataType::ListView(field) => DataType::ListView(with_view(field)),
        DataType::LargeListView(field) => DataType::LargeListView(with_view(field)),
        DataType::Map(field, sorted) => DataType::Map(with_view(field), *sorted),
        other => other.clone(),
    }
}

/// The amount that is decoded at a time.
struct BatchPlan {
    /// The number of rows per batch.
    rows: u64,
    /// The number of batches that are started before the first of them is taken.
    batches_ahead: usize,
}

impl BatchPlan {
    fn of(file: &ParquetFile, columns: &[usize], options: &ReadOptions) -> Result<Self, Error> {
        let row = bytes_of_row(file, columns).max(1);
        // At least two batches: one is computed while the next is decoded.
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
        // More than the number of threads would gain nothing.
        let batches_ahead = affordable.clamp(1, options.threads as u64 + 1) as usize;
        Ok(BatchPlan {
            rows,
            batches_ahead,
        })
    }
}

/// Returns the memory in bytes of a row's columns according to the footer, but at least what their
/// types need.
fn bytes_of_row(file: &ParquetFile, columns: &[usize]) -> u64 {
    let schema = file.metadata.file_metadata().schema_descr();
    let mask = ProjectionMask::roots(schema, columns.iter().copied());
    let leaves = (0..schema.num_columns()).filter(|leaf| mask.leaf_included(*leaf));
    leaves.fold(0u64, |sum, leaf| {
        let column = schema.column(leaf);
        let of_type = bytes_of_type(column.physical_type(), column.type_length());
        let mut stored = 0u64;
        let mut values = 0u64;
        for chunk in file
            .metadata
            .row_groups()
            .iter()
            .filter_map(|group| group.columns().get(leaf))
        {
            stored = stored.saturating_add(u64::try_from(chunk.uncompressed_size()).unwrap_or(0));
            values = values.saturating_add(u64::try_from(chunk.num_values()).unwrap_or(0));
        }
        let rows = file.rows().max(1);
        let values = match u64::from(column.max_rep_level().unsigned_abs()) {
            0 => of_type,
            lists => of_type
                .saturating_add(LEVELS + PLACE * lists)
                .saturating_mul(values.div_ceil(rows).max(1)),
        };
        sum.saturating_add((stored / rows).saturating_add(values))
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
