//! Parquet: batches of equal size, decoded on several threads by rows and by columns.

use super::ReadOptions;
use super::ahead::Ahead;
use super::codec::Codec;
use super::flat;
use super::footer::{checked_footer, malformed, within};
use super::pages::{Chunk, ChunkPages, Claim, Jump, LEVELS, Leaf, MOST_JUMPS, PLACE, Tally};
use super::room::Room;
use super::source::Source;
use crate::error::{Error, caught};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowGroups, RowSelection, RowSelector,
};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::Type as PhysicalType;
use parquet::column::page::{PageIterator, PageReader};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The letters at both ends of a file.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// Bytes of the longest footer.
const LONGEST_FOOTER: u64 = 512 << 20;

/// Rows of the smallest batch that memory is bounded with.
const FEWEST_ROWS: u64 = 256;

/// A file whose footer was read.
pub(crate) struct ParquetFile {
    source: Arc<Source>,
    metadata: Arc<ParquetMetaData>,
    /// Row number of the first row of each row group, and of the end.
    starts: Vec<u64>,
    /// The schema that the file says.
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
            let skipped = ArrowReaderOptions::new().with_skip_arrow_metadata(!flat::has_schema(&metadata, max_memory));
            // A type in it that is not known is a panic.
            let written = caught(|| Ok(ArrowReaderMetadata::try_new(metadata.clone(), skipped)?)).or_else(|_| {
                let skipped = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
                ArrowReaderMetadata::try_new(metadata.clone(), skipped)
            })?;
            let written = written.schema().clone();
            let views = Schema::new_with_metadata(with_views(written.fields()), written.metadata().clone());
            let options = ArrowReaderOptions::new().with_schema(Arc::new(views));
            let schema = ArrowReaderMetadata::try_new(metadata.clone(), options)?.schema().clone();
            Ok(ParquetFile { source: Arc::new(source), metadata, starts, written, schema })
        })
    }

    pub fn rows(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    /// What the footer says of a column in a row group.
    fn claim(&self, row_group: usize, place: usize, name: &Arc<str>) -> Result<Claim, Error> {
        let values = self.metadata.row_group(row_group).column(place).num_values();
        let values = u64::try_from(values).map_err(|_| malformed("a column has an impossible number of values"))?;
        let rows = self.starts[row_group + 1] - self.starts[row_group];
        Ok(Claim { row_group: row_group + 1, column: name.clone(), values, rows })
    }

    pub fn batches(self, columns: &[usize], options: &ReadOptions) -> Result<ParquetBatches, Error> {
        let schema = Arc::new(self.schema.project(columns)?);
        let plan = Portion::of(&self, columns, options)?;
        // As many groups as threads at most, since each costs a walk over all columns.
        let size = columns.len().div_ceil(options.threads.max(1)).max(1);
        let groups: Vec<_> = columns.chunks(size).map(|columns| Group::of(&self, columns)).collect::<Result<_, _>>()?;
        let (rows, per_batch, tasks) = (self.rows(), plan.rows, groups.len());
        let batches = usize::try_from(rows.div_ceil(per_batch)).unwrap_or(usize::MAX);
        let room = Arc::new(Room::new(options.max_memory));
        let (entered, max_page, max_memory) = (room.clone(), options.max_page, options.max_memory);
        let decoder = Decoder { file: self, per_batch };
        let work = move |task: usize| {
            let first = (task / tasks) as u64 * per_batch;
            let part = first..rows.min(first + per_batch);
            let tally = Arc::new(Tally::new(task, entered.clone(), max_page, max_memory));
            caught(|| decoder.decode(part, &groups[task % tasks], &tally)).map_err(|problem| tally.refusal.or(problem))
        };
        let all = batches.saturating_mul(tasks);
        let decoded = Ahead::start(all, options.threads, plan.batches_ahead * tasks, room, work)?;
        Ok(ParquetBatches { decoded, tasks, schema, rows, per_batch, next: 0 })
    }
}

/// Columns that are decoded together.
struct Group {
    levels: FieldLevels,
    /// Each of their leaves, by its number.
    leaves: HashMap<usize, Column>,
}

/// A leaf, and what is known of the row groups that several tasks read.
struct Column {
    leaf: Leaf,
    name: Arc<str>,
    surveyed: Mutex<Surveyed>,
}

/// Places in row groups whose pages were compared with the footer.
#[derive(Default)]
struct Surveyed {
    jumps: BTreeMap<usize, Arc<[Jump]>>,
    /// Places of all of them.
    count: usize,
}

impl Surveyed {
    /// Adds a row group. Those that come first are done with first, and are left out where there are too many places.
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

impl Group {
    fn of(file: &ParquetFile, columns: &[usize]) -> Result<Self, Error> {
        let schema = file.metadata.file_metadata().schema_descr();
        let mask = ProjectionMask::roots(schema, columns.iter().copied());
        let places: Vec<_> = (0..schema.num_columns()).filter(|leaf| mask.leaf_included(*leaf)).collect();
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
            // Before anything is written.
            for row_group in 0..file.metadata.num_row_groups() {
                Codec::of(file.metadata.row_group(row_group).column(place).compression())?;
                file.claim(row_group, place, &name)?.check(leaf)?;
            }
            leaves.insert(place, Column { leaf, name, surveyed: Mutex::default() });
        }
        Ok(Group { levels, leaves })
    }
}

fn leaf(file: &ParquetFile, place: usize, data_type: &DataType) -> Leaf {
    let column = file.metadata.file_metadata().schema_descr().column(place);
    let is_view = matches!(data_type, DataType::BinaryView | DataType::Utf8View | DataType::Null);
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
    /// The columns of some rows of the file.
    fn decode(&self, rows: Range<u64>, group: &Group, tally: &Arc<Tally>) -> Result<Vec<ArrayRef>, Error> {
        let starts = &self.file.starts;
        let first = starts.partition_point(|start| *start <= rows.start) - 1;
        let end = starts.partition_point(|start| *start < rows.end);
        let (start, count) = (rows.start, (rows.end - rows.start) as usize);
        let skipped = rows.start - starts[first];
        let part = Part { decoder: self, group, tally, row_groups: first..end, rows };
        let selection = RowSelection::from(vec![RowSelector::skip(skipped as usize), RowSelector::select(count)]);
        let mut reader =
            ParquetRecordBatchReader::try_new_with_row_groups(&group.levels, &part, count, Some(selection))?;
        match reader.next().transpose()? {
            Some(batch) if batch.num_rows() == count => Ok(batch.columns().to_vec()),
            found => {
                let found = found.map_or(0, |batch| batch.num_rows());
                Err(malformed(&format!("of {count} rows from row {start} on there are {found}")))
            }
        }
    }

    /// The pages of a leaf in a row group.
    fn chunk(&self, row_group: usize, place: usize, column: &Column) -> Result<Chunk, Error> {
        let claim = self.file.claim(row_group, place, &column.name)?;
        let metadata = self.file.metadata.row_group(row_group).column(place);
        // As others read it: some writers say 0 where there is no dictionary, and some nothing where there is one.
        let (data, dictionary) = (metadata.data_page_offset(), metadata.dictionary_page_offset());
        let start = dictionary.filter(|dictionary| (1..data).contains(dictionary)).unwrap_or(data);
        let range = u64::try_from(start).ok().zip(u64::try_from(metadata.compressed_size()).ok());
        let range = range.and_then(|(start, length)| Some((start, start.checked_add(length)?)));
        let (start, end) = range.ok_or_else(|| malformed("a column is at no place"))?;
        let codec = Codec::of(metadata.compression())?;
        Ok(Chunk { start, end, codec, leaf: column.leaf, skipped: 0, spare: 0, claim })
    }

    /// Compares all pages of a leaf in a row group with the footer, and returns the places in it at which reading may
    /// begin. That is done once for all tasks that read a part of the row group.
    ///
    /// `chunk.spare` becomes what the survey took of the memory.
    fn survey(
        &self,
        row_group: usize,
        column: &Column,
        chunk: &mut Chunk,
        tally: &Arc<Tally>,
    ) -> Result<Arc<[Jump]>, Error> {
        let lock = || column.surveyed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(jumps) = lock().jumps.get(&row_group) {
            return Ok(jumps.clone());
        }
        let pages = || ChunkPages::whole(self.file.source.clone(), tally.clone(), chunk.clone());
        let mut spare = 0;
        if column.leaf.is_repeated() {
            // Pages of lists are decompressed. Who waits for memory must not hold the lock: an earlier task, without
            // which there will be none, may wait for the lock.
            spare = pages().longest()?;
            tally.take(spare)?;
        }
        let mut surveyed = lock();
        let jumps = match surveyed.jumps.get(&row_group) {
            Some(jumps) => jumps.clone(),
            None => {
                let jumps: Arc<[Jump]> = pages().survey(self.file.starts[row_group], self.per_batch)?.into();
                surveyed.insert(row_group, jumps.clone());
                jumps
            }
        };
        chunk.spare = spare;
        Ok(jumps)
    }
}

/// Some row groups and leaves, for one task.
struct Part<'a> {
    decoder: &'a Decoder,
    group: &'a Group,
    tally: &'a Arc<Tally>,
    row_groups: Range<usize>,
    /// The rows of the file that the task reads.
    rows: Range<u64>,
}

impl Part<'_> {
    fn chunks(&self, place: usize) -> Result<Chunks, Error> {
        let Some(column) = self.group.leaves.get(&place) else {
            return Err(malformed("a column is read that was not asked for"));
        };
        let chunks = self.row_groups.clone().map(|row_group| self.chunk(row_group, place, column));
        Ok(Chunks(chunks.collect::<Result<Vec<_>, _>>()?.into_iter()))
    }

    /// The pages of a leaf in a row group. They are compared with the footer before any row has an answer: where the
    /// task reads all of them while it does, and else at once.
    fn chunk(&self, row_group: usize, place: usize, column: &Column) -> Result<ChunkPages, Error> {
        let (source, starts) = (self.decoder.file.source.clone(), &self.decoder.file.starts);
        let mut chunk = self.decoder.chunk(row_group, place, column)?;
        if self.rows.start <= starts[row_group] && starts[row_group + 1] <= self.rows.end {
            return Ok(ChunkPages::whole(source, self.tally.clone(), chunk));
        }
        let jumps = self.decoder.survey(row_group, column, &mut chunk, self.tally)?;
        chunk.skipped = self.rows.start.saturating_sub(starts[row_group]);
        let behind = jumps.partition_point(|jump| jump.rows <= chunk.skipped);
        let jump = behind.checked_sub(1).map(|last| jumps[last]);
        Ok(ChunkPages::part(source, self.tally.clone(), chunk, jump))
    }
}

impl RowGroups for Part<'_> {
    fn num_rows(&self) -> usize {
        self.row_groups().map(|group| group.num_rows() as usize).sum()
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

/// The pages of a leaf, by row groups.
struct Chunks(std::vec::IntoIter<ChunkPages>);

impl Iterator for Chunks {
    type Item = ParquetResult<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(Ok(Box::new(self.0.next()?)))
    }
}

impl PageIterator for Chunks {}

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

impl ParquetBatches {
    /// The first row of the next batch, and how many there are.
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
            Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?)
        }))
    }
}

/// The footer's bytes: before the last eight, which are its length and the magic letters.
fn footer(source: &Source, max_memory: u64) -> Result<Vec<u8>, Error> {
    const END: u64 = 8;
    let short = || malformed("the file is too short for its footer");
    let start = source.length().checked_sub(END).ok_or_else(short)?;
    let end = source.bytes(start, END as usize)?;
    if &end[4..] != MAGIC {
        return Err(malformed("the file ends without PAR1, so that a part is missing"));
    }
    let length = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
    within("bytes of a footer", length, LONGEST_FOOTER.min(max_memory))?;
    source.bytes(start.checked_sub(length).ok_or_else(short)?, length as usize)
}

fn row_starts(metadata: &ParquetMetaData) -> Result<Vec<u64>, Error> {
    let mut starts = vec![0u64];
    let mut rows = 0;
    for group in metadata.row_groups() {
        let end = u64::try_from(group.num_rows()).ok().and_then(|count| count.checked_add(rows));
        // Readers count rows as signed numbers.
        let end = end.filter(|end| *end <= i64::MAX as u64);
        rows = end.ok_or_else(|| malformed("a row group has an impossible number of rows"))?;
        starts.push(rows);
    }
    let claimed = metadata.file_metadata().num_rows();
    if u64::try_from(claimed) != Ok(rows) {
        return Err(malformed(&format!("the row groups have {rows} rows together, but the footer says {claimed}")));
    }
    Ok(starts)
}

/// Returns the fields with bytes and texts as views. A view of a dictionary's value takes 16 bytes
/// where a copy may take millions, and pages without a dictionary are not copied. Fixed-size lists
/// become lists, since each null would take that many values.
fn with_views(fields: &Fields) -> Fields {
    fields.iter().map(with_view).collect()
}

fn with_view(field: &Arc<Field>) -> Arc<Field> {
    let mut view = Field::clone(field).with_data_type(view_of(field.data_type()));
    if matches!(field.data_type(), DataType::FixedSizeList(..)) {
        // An extension's name is refused with another storage than the extension's.
        view.metadata_mut()
            .retain(|key, _| ![EXTENSION_TYPE_NAME_KEY, EXTENSION_TYPE_METADATA_KEY].contains(&key.as_str()));
    }
    Arc::new(view)
}

fn view_of(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Dictionary(_, values) => view_of(values),
        DataType::Struct(fields) => DataType::Struct(with_views(fields)),
        DataType::List(field) | DataType::FixedSizeList(field, _) => DataType::List(with_view(field)),
        DataType::LargeList(field) => DataType::LargeList(with_view(field)),
        DataType::ListView(field) => DataType::ListView(with_view(field)),
        DataType::LargeListView(field) => DataType::LargeListView(with_view(field)),
        DataType::Map(field, sorted) => DataType::Map(with_view(field), *sorted),
        other => other.clone(),
    }
}

/// The amount that is decoded at a time.
struct Portion {
    /// Rows of a batch.
    rows: u64,
    /// Batches that are begun before the first of them is taken.
    batches_ahead: usize,
}

impl Portion {
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
        Ok(Portion { rows, batches_ahead })
    }
}

/// Returns the memory of a row's columns according to the footer, and at least what their types
/// need.
fn bytes_of_row(file: &ParquetFile, columns: &[usize]) -> u64 {
    let schema = file.metadata.file_metadata().schema_descr();
    let mask = ProjectionMask::roots(schema, columns.iter().copied());
    let leaves = (0..schema.num_columns()).filter(|leaf| mask.leaf_included(*leaf));
    leaves.fold(0u64, |sum, leaf| {
        let column = schema.column(leaf);
        let of_type = bytes_of_type(column.physical_type(), column.type_length());
        let (mut stored, mut values) = (0u64, 0u64);
        for chunk in file.metadata.row_groups().iter().filter_map(|group| group.columns().get(leaf)) {
            stored = stored.saturating_add(u64::try_from(chunk.uncompressed_size()).unwrap_or(0));
            values = values.saturating_add(u64::try_from(chunk.num_values()).unwrap_or(0));
        }
        let rows = file.rows().max(1);
        let values = match u64::from(column.max_rep_level().unsigned_abs()) {
            0 => of_type,
            lists => of_type.saturating_add(LEVELS + PLACE * lists).saturating_mul(values.div_ceil(rows).max(1)),
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
