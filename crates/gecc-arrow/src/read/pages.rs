//! The pages of a column for the decoder. Their headers are parsed only here, and their data is
//! decompressed here, so that pages are used only as their checked headers describe them.

use super::codec::Codec;
use super::footer::{malformed, within};
use super::memory_budget::TaskMemory;
use super::source::Source;
use super::thrift::{Walker, kind};
use crate::error::Error;
use bytes::Bytes;
use parquet::basic::{Encoding, Type as PhysicalType};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use std::sync::{Arc, Mutex, PoisonError};

/// First and maximum number of bytes read for a page header.
const HEADER: usize = 4096;
const LONGEST_HEADER: usize = 16 << 20;

/// Memory in bytes of a view, of the levels of a value, and of its position in each list around it.
const VIEW: u64 = 16;
pub(crate) const LEVELS: u64 = 8;
pub(crate) const PLACE: u64 = 8;

/// Maximum number of positions kept of a chunk's pages.
pub(crate) const MOST_JUMPS: usize = 1 << 16;

/// Maximum length of a number in bytes: of a decimal number with 76 digits, with room for leading
/// zeros.
const LONGEST_NUMBER: usize = 64;

/// The memory limit of a task and its current use.
pub(crate) struct Tally {
    task: usize,
    room: Arc<TaskMemory>,
    /// Maximum size in bytes of a decompressed page.
    page_limit: u64,
    /// The limit on the sum of the task's pages.
    limit: u64,
    pub refusal: Refusal,
    read: Mutex<u64>,
}

impl Tally {
    pub fn new(task: usize, room: Arc<TaskMemory>, page_limit: u64, limit: u64) -> Self {
        Tally {
            task,
            room,
            page_limit,
            limit,
            refusal: Refusal::default(),
            read: Mutex::new(0),
        }
    }

    /// Waits until `bytes` more bytes are available.
    pub fn take(&self, bytes: u64) -> Result<(), Error> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        *read = read.saturating_add(bytes);
        within(
            "bytes of the pages of a batch, decompressed,",
            *read,
            self.limit,
        )?;
        self.room.enter(self.task, bytes);
        Ok(())
    }
}

/// The reason why reading was refused. The decoder turns errors that pass through it into text, so
/// they are kept here.
#[derive(Default)]
pub(crate) struct Refusal(Mutex<Option<Error>>);

impl Refusal {
    /// Returns the kept error, or `problem` of the decoder if there is none.
    pub fn or(&self, problem: Error) -> Error {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .unwrap_or(problem)
    }

    /// Keeps an error, and returns one that makes the decoder stop.
    pub fn keep(&self, problem: Error) -> ParquetError {
        let text = problem.to_string();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
        ParquetError::General(text)
    }
}

/// The type of a column's values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub physical: PhysicalType,
    /// Size of a value in bytes, if the type determines it.
    pub width: usize,
    /// The number of lists around a value. If it is not zero, a row may have any number of values.
    pub lists: u16,
    /// The definition level of a value that is not null.
    pub definitions: u16,
    /// True if values are copied from a dictionary for each row, although they may be long.
    pub copied: bool,
}

impl Leaf {
    pub fn is_repeated(&self) -> bool {
        self.lists > 0
    }

    /// Returns the minimum size in bytes of a value in a dictionary page.
    fn least(&self) -> u64 {
        match self.physical {
            // The length field.
            PhysicalType::BYTE_ARRAY => 4,
            _ => self.width.max(1) as u64,
        }
    }
}

/// The pages of a column in a row group.
#[derive(Clone)]
pub(crate) struct Chunk {
    pub start: u64,
    pub end: u64,
    pub codec: Option<Codec>,
    pub leaf: Leaf,
    /// Number of rows at the beginning that are skipped.
    pub skipped: u64,
    /// Memory in bytes that the task holds for a page of which nothing is kept.
    pub spare: u64,
    pub claim: Claim,
}

/// The footer's claims about a chunk. Its pages must have exactly these numbers of values and rows:
/// a decoder that reads several row groups takes the remaining data of one chunk as the beginning
/// of the next.
#[derive(Clone)]
pub(crate) struct Claim {
    /// The number of the row group, counted from 1.
    pub row_group: usize,
    /// The path of the column.
    pub column: Arc<str>,
    /// `ColumnMetaData.num_values`.
    pub values: u64,
    /// `RowGroup.num_rows`.
    pub rows: u64,
}

impl Claim {
    /// Checks that the two numbers of the footer are consistent.
    pub fn check(&self, leaf: Leaf) -> Result<(), Error> {
        let fits = match leaf.is_repeated() {
            // A list without values has one value, for its level.
            true => self.values >= self.rows && (self.rows > 0 || self.values == 0),
            false => self.values == self.rows,
        };
        if fits {
            return Ok(());
        }
        Err(self.broken(&format!(
            "the footer says {} values for {} rows",
            self.values, self.rows
        )))
    }

    fn broken(&self, problem: &str) -> Error {
        let column = self.column.escape_debug();
        malformed(&format!(
            "row group {}, column `{column}`: {problem}",
            self.row_group
        ))
    }
}

/// The numbers of values and rows in the pages of a chunk that were read so far.
#[derive(Clone, Copy, Debug, Default)]
struct CountedRows {
    values: u64,
    rows: u64,
}

/// The number of rows at the beginning of a chunk that can be skipped at once, and the position of
/// the page after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Jump {
    pub rows: u64,
    pub to: u64,
}

/// Reads a chunk from its beginning to its end.
pub(crate) struct ChunkPages {
    source: Arc<Source>,
    tally: Arc<Tally>,
    chunk: Chunk,
    /// The contents of the pages, which are compared with the footer; `None` if pages may be
    /// skipped, and the chunk was surveyed before.
    counted: Option<CountedRows>,
    at: u64,
    /// The header at this position.
    header: Option<PageHeader>,
    /// Bytes of the file that were read together with a header, and their position.
    window: (u64, Bytes),
    jump: Option<Jump>,
}

impl ChunkPages {
    /// Reads a whole chunk, and compares its pages with the footer.
    pub fn whole(source: Arc<Source>, tally: Arc<Tally>, chunk: Chunk) -> Self {
        let at = chunk.start;
        let window = (0, Bytes::new());
        let counted = Some(CountedRows::default());
        ChunkPages {
            source,
            tally,
            chunk,
            counted,
            at,
            header: None,
            window,
            jump: None,
        }
    }

    /// Reads a part of a chunk whose pages were compared with the footer before, by
    /// [`ChunkPages::survey`].
    pub fn part(source: Arc<Source>, tally: Arc<Tally>, chunk: Chunk, jump: Option<Jump>) -> Self {
        ChunkPages {
            counted: None,
            jump,
            ..ChunkPages::whole(source, tally, chunk)
        }
    }

    /// Returns the next page's header; `None` after the last page.
    fn header(&mut self) -> Result<Option<PageHeader>, Error> {
        while self.header.is_none() && self.at < self.chunk.end {
            let header = self.read_header()?;
            let length = header.length as u64 + header.compressed as u64;
            if length > self.chunk.end - self.at {
                return Err(self.chunk.claim.broken(&format!(
                    "a page goes on after byte {}, the end",
                    self.chunk.end
                )));
            }
            if header.is_empty() {
                // Some readers treat a page without values as the end of the column.
                if header.content != PageContent::Index && self.misses_values() {
                    return Err(self
                        .chunk
                        .claim
                        .broken("a page has no values, but others follow it"));
                }
                self.at += length;
                continue;
            }
            header.check(self.chunk.leaf, self.tally.page_limit)?;
            if header.is_dictionary() && self.at != self.chunk.start {
                return Err(self
                    .chunk
                    .claim
                    .broken("a dictionary is not the first page"));
            }
            self.header = Some(header);
        }
        match self.counted {
            Some(counted) if self.header.is_none() && self.misses_values() => {
                Err(self.miscounted(counted))
            }
            _ => Ok(self.header),
        }
    }

    /// Returns whether the pages counted so far have fewer values than the footer states.
    fn misses_values(&self) -> bool {
        self.counted
            .is_some_and(|counted| counted.values < self.chunk.claim.values)
    }

    /// Counts a page, and compares the sums with the footer. The chunk must end with the last page.
    fn count_page(&mut self, values: u32, begun: LevelCount) -> Result<(), Error> {
        let Some(mut counted) = self.counted else {
            return Ok(());
        };
        if counted.values == 0 && !begun.at_first {
            return Err(self
                .chunk
                .claim
                .broken("the first page begins within a row"));
        }
        counted.values += u64::from(values);
        counted.rows += begun.rows;
        self.counted = Some(counted);
        let claim = &self.chunk.claim;
        if counted.values > claim.values || counted.rows > claim.rows {
            return Err(self.miscounted(counted));
        }
        if counted.values < claim.values {
            return Ok(());
        }
        if counted.rows < claim.rows {
            return Err(self.miscounted(counted));
        }
        let end = self.at;
        match self.header() {
            Ok(None) => Ok(()),
            Err(problem @ (Error::File { .. } | Error::Stream(_))) => Err(problem),
            _ => Err(self.chunk.claim.broken(&format!(
                "its {} values end at byte {end} of the file, but the column goes on to byte {}",
                counted.values, self.chunk.end
            ))),
        }
    }

    fn miscounted(&self, CountedRows { values, rows }: CountedRows) -> Error {
        let claim = &self.chunk.claim;
        self.chunk
            .claim
            .broken(&match self.chunk.leaf.is_repeated() {
                true => format!(
                    "its pages have {values} values in {rows} rows, but the footer says {} in {}",
                    claim.values, claim.rows
                ),
                false => format!(
                    "its pages have {values} values, but the row group has {} rows",
                    claim.rows
                ),
            })
    }

    fn read_header(&mut self) -> Result<PageHeader, Error> {
        let (start, bytes) = &self.window;
        let offset = self
            .at
            .checked_sub(*start)
            .and_then(|offset| usize::try_from(offset).ok());
        let known = offset.and_then(|offset| bytes.get(offset..));
        if let Some(header) = known.and_then(PageHeader::read) {
            return Ok(header);
        }
        let mut length = HEADER;
        loop {
            let bytes = self.source.at_most(self.at, length)?;
            if let Some(header) = PageHeader::read(&bytes) {
                self.window = (self.at, bytes);
                return Ok(header);
            }
            if bytes.len() < length || length >= LONGEST_HEADER {
                return Err(self
                    .chunk
                    .claim
                    .broken(&format!("there is no page header at byte {}", self.at)));
            }
            length *= 4;
        }
    }

    /// Skips a page, and returns the position of its data.
    fn pass(&mut self, header: &PageHeader) -> u64 {
        let data = self.at + header.length as u64;
        self.at = data + header.compressed as u64;
        self.header = None;
        data
    }

    fn bytes(&self, start: u64, length: usize) -> Result<Bytes, Error> {
        let offset = usize::try_from(start - self.window.0).unwrap_or(usize::MAX);
        match offset
            .checked_add(length)
            .filter(|end| *end <= self.window.1.len())
        {
            Some(end) => Ok(self.window.1.slice(offset..end)),
            None => self.source.bytes(start, length).map(Bytes::from),
        }
    }

    fn page(&mut self) -> Result<Option<Page>, Error> {
        let Some(header) = self.header()? else {
            return Ok(None);
        };
        let cost = header.cost(self.chunk.leaf);
        self.tally.take(cost.saturating_sub(self.chunk.spare))?;
        let start = self.pass(&header);
        let data = self.bytes(start, header.compressed)?;
        let data = match self.chunk.codec {
            Some(codec) if header.is_compressed() => header.decompress(codec, &data)?,
            _ => data,
        };
        if header.is_dictionary() {
            self.chunk.spare = 0;
        } else {
            self.jump = None;
            let is_passed_over = self.count_read(&header, &data)?;
            if !header.has_whole_values(&data, self.chunk.leaf) {
                return Err(self
                    .chunk
                    .claim
                    .broken("a page in BYTE_STREAM_SPLIT has other bytes than its values"));
            }
            if !header.has_valid_definition_levels(&data, self.chunk.leaf) {
                return Err(self
                    .chunk
                    .claim
                    .broken("the definition levels of a page cannot be read"));
            }
            self.chunk.spare = if is_passed_over {
                self.chunk.spare.max(cost)
            } else {
                0
            };
        }
        header.page(data, self.chunk.leaf).map(Some)
    }

    /// Counts a data page that was read. Returns whether all rows that begin in it are skipped: the
    /// decoder reads such pages of lists, because their headers do not state the number of rows,
    /// and keeps nothing of them.
    fn count_read(&mut self, header: &PageHeader, data: &[u8]) -> Result<bool, Error> {
        let is_skipped = self.chunk.leaf.is_repeated() && self.chunk.skipped > 0;
        if self.counted.is_none() && !is_skipped {
            return Ok(false);
        }
        let begun = self.begun(header, data)?;
        self.count_page(header.values(), begun)?;
        let left = self
            .chunk
            .skipped
            .checked_sub(begun.rows)
            .filter(|_| is_skipped);
        self.chunk.skipped = left.unwrap_or(0);
        Ok(left.is_some())
    }

    /// Returns the rows that begin in a page, given its decompressed bytes from its levels on.
    fn begun(&self, header: &PageHeader, data: &[u8]) -> Result<LevelCount, Error> {
        let leaf = self.chunk.leaf;
        if !leaf.is_repeated() {
            return Ok(LevelCount {
                rows: header.values().into(),
                at_first: true,
            });
        }
        let begun = header.repetition_levels(data, leaf.lists);
        let begun = begun.and_then(|levels| LevelCount::count(levels, leaf.lists, header.values()));
        begun.ok_or_else(|| {
            self.chunk
                .claim
                .broken("the repetition levels of a page cannot be read")
        })
    }

    fn peek(&mut self) -> Result<Option<PageMetadata>, Error> {
        let Some(header) = self.header()? else {
            return Ok(None);
        };
        let is_dict = matches!(header.content, PageContent::Dictionary { .. });
        let (num_rows, num_levels) = match (header.content, self.jump) {
            (PageContent::Dictionary { .. }, _) => (None, None),
            (_, Some(jump)) => (Some(jump.rows as usize), None),
            // Rows of lists are counted only by their levels, whatever a header states.
            (_, None) => (None, Some(header.values() as usize)),
        };
        Ok(Some(PageMetadata {
            num_rows,
            num_levels,
            is_dict,
        }))
    }

    fn skip(&mut self) -> Result<(), Error> {
        let Some(header) = self.header()? else {
            return Ok(());
        };
        self.pass(&header);
        if header.is_dictionary() {
            return Ok(());
        }
        if let Some(jump) = self.jump.take() {
            self.at = jump.to;
            self.chunk.skipped = self.chunk.skipped.saturating_sub(jump.rows);
            return Ok(());
        }
        // The decoder does not skip pages of lists, whose number of rows it does not know.
        self.count_page(
            header.values(),
            LevelCount {
                rows: header.values().into(),
                at_first: true,
            },
        )
    }

    /// Compares all pages with the footer. Returns the positions of the pages from which the first
    /// row of a batch can be reached, if `before` rows of the file come before the chunk and each
    /// batch has `per_batch` rows. The first page is omitted, and of very many pages only a subset
    /// is returned.
    pub fn survey(mut self, before: u64, per_batch: u64) -> Result<Vec<Jump>, Error> {
        let mut jumps = Vec::new();
        let mut found = 0usize;
        let mut step = 1;
        let mut last = Jump {
            rows: 0,
            to: self.at,
        };
        while let Some(header) = self.header()? {
            let at = self.at;
            let start = self.pass(&header);
            if header.is_dictionary() {
                continue;
            }
            let begun = self.begun_at(&header, start)?;
            let rows = self.counted.map_or(0, |counted| counted.rows);
            self.count_page(header.values(), begun)?;
            let is_new = begun.at_first && rows > 0;
            if is_new {
                last = Jump { rows, to: at };
            }
            let first = before + rows;
            let end = before + rows + begun.rows;
            let begins_batch = first.div_ceil(per_batch) * per_batch < end;
            if last.rows == 0 || !begins_batch || jumps.last() == Some(&last) {
                continue;
            }
            if found.is_multiple_of(step) {
                jumps.push(last);
            }
            found += 1;
            if jumps.len() == MOST_JUMPS {
                jumps = jumps.into_iter().step_by(2).collect();
                step *= 2;
            }
        }
        Ok(jumps)
    }

    /// Returns the rows that begin in the page whose data is at `start`. For lists, the levels are
    /// read.
    fn begun_at(&self, header: &PageHeader, start: u64) -> Result<LevelCount, Error> {
        if !self.chunk.leaf.is_repeated() {
            return self.begun(header, &[]);
        }
        match (header.content, self.chunk.codec) {
            (PageContent::DataV2 { repetition, .. }, _) => {
                self.begun(header, &self.bytes(start, repetition as usize)?)
            }
            (_, Some(codec)) => {
                let data = self.bytes(start, header.compressed)?;
                self.begun(header, &header.decompress(codec, &data)?)
            }
            (_, None) => self.begun(header, &self.bytes(start, header.compressed)?),
        }
    }

    /// Returns the maximum memory in bytes that a survey takes for a page.
    pub fn longest(mut self) -> Result<u64, Error> {
        self.counted = None;
        let mut longest = 0;
        while let Some(header) = self.header()? {
            longest = longest.max(header.size());
            self.pass(&header);
        }
        Ok(longest)
    }
}

impl Iterator for ChunkPages {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for ChunkPages {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        self.page()
            .map_err(|problem| self.tally.refusal.keep(problem))
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        self.peek()
            .map_err(|problem| self.tally.refusal.keep(problem))
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        self.skip()
            .map_err(|problem| self.tally.refusal.keep(problem))
    }
}

/// A page header.
#[derive(Clone, Copy, Debug)]
struct PageHeader {
    /// Length of the header in bytes.
    length: usize,
    uncompressed: usize,
    compressed: usize,
    content: PageContent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageContent {
    Data {
        values: u32,
        encoding: Encoding,
        definition: Encoding,
        repetition: Encoding,
    },
    DataV2 {
        values: u32,
        nulls: u32,
        rows: u32,
        encoding: Encoding,
        definition: u32,
        repetition: u32,
        compressed: bool,
    },
    Dictionary {
        values: u32,
        encoding: Encoding,
        sorted: bool,
    },
    Index,
}

impl PageHeader {
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut walker = Walker::new(bytes);
        let mut last = 0;
        let mut page_type = None;
        let mut uncompressed = None;
        let mut compressed = None;
        let mut data = None;
        let mut data_v2 = None;
        let mut dictionary = None;
        while let Some(field) = walker.field(&mut last)? {
            match field {
                (1, kind::I32) => page_type = Some(walker.i32()?),
                (2, kind::I32) => uncompressed = Some(walker.i32()?.try_into().ok()?),
                (3, kind::I32) => compressed = Some(walker.i32()?.try_into().ok()?),
                // A checksum, which is ignored, and the header of an index page.
                (4, kind::I32) | (6, kind::STRUCT) => walker.skip(field.1)?,
                (5, kind::STRUCT) => data = Some(PageContent::read_data(&mut walker)?),
                (7, kind::STRUCT) => dictionary = Some(PageContent::read_dictionary(&mut walker)?),
                (8, kind::STRUCT) => data_v2 = Some(PageContent::read_data_v2(&mut walker)?),
                (..=8, _) => return None,
                (_, kind) => walker.skip(kind)?,
            }
        }
        let content = match page_type? {
            0 => data?,
            1 => PageContent::Index,
            2 => dictionary?,
            3 => data_v2?,
            _ => return None,
        };
        Some(PageHeader {
            length: walker.position(),
            uncompressed: uncompressed?,
            compressed: compressed?,
            content,
        })
    }

    /// Returns the size of the data in bytes, decompressed or in the file, whichever is larger.
    fn size(&self) -> u64 {
        self.uncompressed.max(self.compressed) as u64
    }

    fn is_dictionary(&self) -> bool {
        matches!(self.content, PageContent::Dictionary { .. })
    }

    /// Returns whether the page has no values.
    fn is_empty(&self) -> bool {
        !self.is_dictionary() && self.values() == 0
    }

    /// Returns the repetition levels in the data of a page, for columns nested in `lists` lists.
    /// Returns `None` if they are truncated.
    fn repetition_levels<'a>(&self, data: &'a [u8], lists: u16) -> Option<Levels<'a>> {
        match self.content {
            PageContent::DataV2 { repetition, .. } => {
                data.get(..repetition as usize).map(Levels::Runs)
            }
            PageContent::Data {
                values, repetition, ..
            } => split_levels(data, repetition, lists, values).map(|(levels, _)| levels),
            PageContent::Dictionary { .. } | PageContent::Index => None,
        }
    }

    /// Splits the data of a page after its repetition levels into the definition levels and the
    /// values. Returns `None` if the levels are truncated.
    fn definition_levels_and_values<'a>(
        &self,
        data: &'a [u8],
        leaf: Leaf,
    ) -> Option<(Levels<'a>, &'a [u8])> {
        match self.content {
            PageContent::DataV2 {
                repetition,
                definition,
                ..
            } => {
                let data = data.get(repetition as usize..)?;
                let (levels, values) = data.split_at_checked(definition as usize)?;
                Some((Levels::Runs(levels), values))
            }
            PageContent::Data {
                values,
                definition,
                repetition,
                ..
            } => {
                let data = match leaf.lists {
                    0 => data,
                    lists => split_levels(data, repetition, lists, values)?.1,
                };
                match leaf.definitions {
                    0 => Some((Levels::Runs(&[]), data)),
                    highest => split_levels(data, definition, highest, values),
                }
            }
            PageContent::Dictionary { .. } | PageContent::Index => None,
        }
    }

    /// Returns whether each value of a page of data has a definition level, and none is above the
    /// level of a value that is not null. The decoder takes a level above it for an empty value.
    fn has_valid_definition_levels(&self, data: &[u8], leaf: Leaf) -> bool {
        let is_data = matches!(
            self.content,
            PageContent::Data { .. } | PageContent::DataV2 { .. }
        );
        if !is_data || leaf.definitions == 0 {
            return true;
        }
        let split = self.definition_levels_and_values(data, leaf);
        split.is_some_and(|(levels, _)| {
            LevelCount::count(levels, leaf.definitions, self.values()).is_some()
        })
    }

    /// Returns whether a data page has exactly the bytes of values that its encoding needs, if
    /// decoders divide them by the number of values: with a few more or less, all values would be
    /// different.
    fn has_whole_values(&self, data: &[u8], leaf: Leaf) -> bool {
        let (PageContent::Data { encoding, .. } | PageContent::DataV2 { encoding, .. }) =
            self.content
        else {
            return true;
        };
        if encoding != Encoding::BYTE_STREAM_SPLIT {
            return true;
        }
        let most = u64::from(self.values()).saturating_mul(leaf.width as u64);
        let split = self.definition_levels_and_values(data, leaf);
        split.is_some_and(|(_, values)| {
            leaf.width > 0 && values.len() % leaf.width == 0 && values.len() as u64 <= most
        })
    }

    fn values(&self) -> u32 {
        match self.content {
            PageContent::Data { values, .. }
            | PageContent::DataV2 { values, .. }
            | PageContent::Dictionary { values, .. } => values,
            PageContent::Index => 0,
        }
    }

    /// Returns the number of bytes before the compressed data.
    fn levels(&self) -> u64 {
        match self.content {
            PageContent::DataV2 {
                definition,
                repetition,
                ..
            } => u64::from(definition) + u64::from(repetition),
            _ => 0,
        }
    }

    fn is_compressed(&self) -> bool {
        !matches!(
            self.content,
            PageContent::DataV2 {
                compressed: false,
                ..
            }
        )
    }

    fn check(&self, leaf: Leaf, limit: u64) -> Result<(), Error> {
        within("bytes of a page, decompressed,", self.size(), limit)?;
        match self.content {
            PageContent::Dictionary { values, .. } => {
                within(
                    "values of a dictionary page",
                    values.into(),
                    self.size() / leaf.least(),
                )?;
            }
            // Decoders of these allocate the number of lengths that the data states, which is not
            // in any header.
            PageContent::Data { encoding, .. } | PageContent::DataV2 { encoding, .. }
                if matches!(
                    encoding,
                    Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY
                ) =>
            {
                let encodings = "DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY";
                return Err(malformed(&format!(
                    "columns of bytes in the encodings {encodings} are not read"
                )));
            }
            _ => {}
        }
        if self.levels() > self.uncompressed.min(self.compressed) as u64 {
            return Err(malformed("the levels of a page are longer than the page"));
        }
        match self.content {
            PageContent::DataV2 { values, rows, .. } if !leaf.is_repeated() && values != rows => {
                Err(malformed("a page does not have a value for each row"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the memory in bytes of the page and its decoded values.
    fn cost(&self, leaf: Leaf) -> u64 {
        let values = u64::from(self.values());
        match self.content {
            PageContent::Dictionary { .. } if leaf.physical == PhysicalType::BYTE_ARRAY => {
                self.size() + values * VIEW
            }
            // Its values are copied.
            PageContent::Dictionary { .. } => 2 * self.size(),
            // Other columns have as many values as rows, which the plan accounts for.
            _ if leaf.is_repeated() => {
                self.size() + values * (leaf.width as u64 + LEVELS + PLACE * u64::from(leaf.lists))
            }
            _ => self.size(),
        }
    }

    fn decompress(&self, codec: Codec, data: &[u8]) -> Result<Bytes, Error> {
        let (levels, values) = data.split_at(self.levels() as usize);
        let mut to = vec![0; self.uncompressed];
        to[..levels.len()].copy_from_slice(levels);
        // If all values are null, there may be no data at all.
        if to.len() > levels.len() {
            codec.decompress(values, &mut to[levels.len()..])?;
        }
        Ok(Bytes::from(to))
    }

    fn page(&self, buf: Bytes, leaf: Leaf) -> Result<Page, Error> {
        Ok(match self.content {
            PageContent::Data {
                values,
                encoding,
                definition,
                repetition,
            } => Page::DataPage {
                buf,
                num_values: values,
                encoding,
                def_level_encoding: definition,
                rep_level_encoding: repetition,
                statistics: None,
            },
            PageContent::DataV2 {
                values,
                nulls,
                rows,
                encoding,
                definition,
                repetition,
                compressed,
            } => Page::DataPageV2 {
                buf,
                num_values: values,
                encoding,
                num_nulls: nulls,
                num_rows: rows,
                def_levels_byte_len: definition,
                rep_levels_byte_len: repetition,
                is_compressed: compressed,
                statistics: None,
            },
            PageContent::Dictionary {
                values,
                encoding,
                sorted,
            } => {
                if leaf.copied && longest(&buf) > LONGEST_NUMBER {
                    return Err(malformed("a dictionary has numbers that are too long"));
                }
                Page::DictionaryPage {
                    buf,
                    num_values: values,
                    encoding,
                    is_sorted: sorted,
                }
            }
            PageContent::Index => return Err(malformed("an index is not a page of values")),
        })
    }
}

impl PageContent {
    fn read_data(walker: &mut Walker) -> Option<Self> {
        let mut last = 0;
        let mut values = None;
        let mut encodings = [None; 3];
        while let Some(field) = walker.field(&mut last)? {
            match field {
                (1, kind::I32) => values = Some(count(walker)?),
                (2..=4, kind::I32) => encodings[field.0 as usize - 2] = Some(encoding(walker)?),
                (..=4, _) => return None,
                (_, kind) => walker.skip(kind)?,
            }
        }
        let [encoding, definition, repetition] = encodings;
        Some(PageContent::Data {
            values: values?,
            encoding: encoding?,
            definition: definition?,
            repetition: repetition?,
        })
    }

    fn read_data_v2(walker: &mut Walker) -> Option<Self> {
        let mut last = 0;
        let mut counts = [None; 6];
        let mut encoded = None;
        let mut compressed = true;
        while let Some(field) = walker.field(&mut last)? {
            match field {
                (4, kind::I32) => encoded = Some(encoding(walker)?),
                (1..=6, kind::I32) => counts[field.0 as usize - 1] = Some(count(walker)?),
                (7, kind::TRUE | kind::FALSE) => compressed = field.1 == kind::TRUE,
                (..=7, _) => return None,
                (_, kind) => walker.skip(kind)?,
            }
        }
        let [values, nulls, rows, _, definition, repetition] = counts;
        Some(PageContent::DataV2 {
            values: values?,
            nulls: nulls?,
            rows: rows?,
            encoding: encoded?,
            definition: definition?,
            repetition: repetition?,
            compressed,
        })
    }

    fn read_dictionary(walker: &mut Walker) -> Option<Self> {
        let mut last = 0;
        let mut values = None;
        let mut encoded = None;
        let mut sorted = false;
        while let Some(field) = walker.field(&mut last)? {
            match field {
                (1, kind::I32) => values = Some(count(walker)?),
                (2, kind::I32) => encoded = Some(encoding(walker)?),
                (3, kind::TRUE | kind::FALSE) => sorted = field.1 == kind::TRUE,
                (..=3, _) => return None,
                (_, kind) => walker.skip(kind)?,
            }
        }
        Some(PageContent::Dictionary {
            values: values?,
            encoding: encoded?,
            sorted,
        })
    }
}

/// Reads a number that is not negative.
fn count(walker: &mut Walker) -> Option<u32> {
    walker.i32()?.try_into().ok()
}

fn encoding(walker: &mut Walker) -> Option<Encoding> {
    Some(match walker.i32()? {
        0 => Encoding::PLAIN,
        2 => Encoding::PLAIN_DICTIONARY,
        3 => Encoding::RLE,
        #[allow(deprecated, reason = "old files have levels in it")]
        4 => Encoding::BIT_PACKED,
        5 => Encoding::DELTA_BINARY_PACKED,
        6 => Encoding::DELTA_LENGTH_BYTE_ARRAY,
        7 => Encoding::DELTA_BYTE_ARRAY,
        8 => Encoding::RLE_DICTIONARY,
        9 => Encoding::BYTE_STREAM_SPLIT,
        _ => return None,
    })
}

/// The repetition or definition levels of a page.
#[derive(Clone, Copy, Debug)]
enum Levels<'a> {
    /// Runs of one level and of packed ones (Parquet's RLE encoding).
    Runs(&'a [u8]),
    /// Only packed levels.
    Packed(&'a [u8]),
}

/// Splits the levels of a page of version 1, whose maximum is `highest`, from the data after them.
/// Returns `None` if they are truncated.
fn split_levels(
    data: &[u8],
    encoding: Encoding,
    highest: u16,
    values: u32,
) -> Option<(Levels<'_>, &[u8])> {
    #[allow(deprecated, reason = "old files have levels in it")]
    if encoding == Encoding::BIT_PACKED {
        let bits = u64::from(values) * width_of(highest);
        let (levels, rest) = data.split_at_checked(bits.div_ceil(8) as usize)?;
        return Some((Levels::Packed(levels), rest));
    }
    let (length, data) = data.split_first_chunk()?;
    let (levels, rest) = data.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some((Levels::Runs(levels), rest))
}

/// The rows that begin in a page: those with level 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LevelCount {
    rows: u64,
    /// True if a row begins at the first level. Otherwise, the page continues a row that began
    /// before it.
    at_first: bool,
}

/// Returns the number of bits of a level whose maximum is `highest`.
fn width_of(highest: u16) -> u64 {
    u64::from(u16::BITS - highest.leading_zeros())
}

impl LevelCount {
    /// Counts the rows in `count` levels. Returns `None` if there are fewer levels, or if one is
    /// above the number of lists.
    fn count(levels: Levels, lists: u16, count: u32) -> Option<Self> {
        let width = width_of(lists);
        let mut left = u64::from(count);
        let mut begun = LevelCount::default();
        let bytes = match levels {
            Levels::Runs(bytes) => bytes,
            Levels::Packed(bytes) => {
                begun.at_first = left > 0 && level_at(bytes, 0, width) == 0;
                begun.rows = zeros(bytes, width, left, lists)?;
                return Some(begun);
            }
        };
        let mut walker = Walker::new(bytes);
        let mut is_first = true;
        while left > 0 {
            let head = walker.varint()?;
            let seen = if head & 1 == 0 {
                let seen = (head >> 1).min(left);
                let level = walker.take(width.div_ceil(8))?;
                let level = level
                    .iter()
                    .rev()
                    .fold(0, |level, byte| level << 8 | u32::from(*byte));
                if level > u32::from(lists) {
                    return None;
                }
                if level == 0 {
                    begun.rows += seen;
                    begun.at_first |= is_first && seen > 0;
                }
                seen
            } else {
                // Groups of eight levels; some writers truncate the last one.
                let bytes = (head >> 1).checked_mul(width)?.min(walker.left() as u64);
                let packed = walker.take(bytes)?;
                let seen = (bytes * 8 / width).min(left);
                begun.at_first |= is_first && seen > 0 && level_at(packed, 0, width) == 0;
                begun.rows += zeros(packed, width, seen, lists)?;
                seen
            };
            is_first &= seen == 0;
            left -= seen;
        }
        Some(begun)
    }
}

/// Returns the packed level at index `place`, of at most 16 bits.
fn level_at(packed: &[u8], place: u64, width: u64) -> u32 {
    let bit = place * width;
    let bytes = packed.get((bit / 8) as usize..).unwrap_or_default();
    let word = bytes
        .iter()
        .take(3)
        .rev()
        .fold(0, |word, byte| word << 8 | u32::from(*byte));
    word >> (bit % 8) & ((1 << width) - 1)
}

/// Returns the number of zeros among the first packed levels. Returns `None` if one is above the
/// number of lists.
fn zeros(packed: &[u8], width: u64, count: u64, lists: u16) -> Option<u64> {
    if width == 1 {
        let whole = (count / 8) as usize;
        let rest = count % 8;
        let ones: u64 = packed[..whole]
            .iter()
            .map(|byte| u64::from(byte.count_ones()))
            .sum();
        let last = if rest > 0 {
            packed[whole] & ((1 << rest) - 1)
        } else {
            0
        };
        return Some(count - ones - u64::from(last.count_ones()));
    }
    let mut zeros = 0;
    for place in 0..count {
        match level_at(packed, place, width) {
            0 => zeros += 1,
            level if level > u32::from(lists) => return None,
            _ => {}
        }
    }
    Some(zeros)
}

/// Returns the length of a dictionary's longest value. Each value is preceded by its length.
fn longest(mut dictionary: &[u8]) -> usize {
    let mut longest = 0;
    while let Some((length, rest)) = dictionary.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        longest = longest.max(length);
        dictionary = rest.get(length..).unwrap_or(&[]);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(levels: &[u8], lists: u16, count: u32) -> Option<(u64, bool)> {
        LevelCount::count(Levels::Runs(levels), lists, count)
            .map(|begun| (begun.rows, begun.at_first))
    }

    #[test]
    fn rows_are_counted_by_their_repetition_levels() {
        // A run of 3 zeros, and one of 2 ones.
        assert_eq!(runs(&[6, 0, 4, 1], 1, 5), Some((3, true)));
        // Eight one-bit levels, of which six count, and the first belongs to a row that began
        // before.
        assert_eq!(runs(&[3, 0b1001_0011], 1, 6), Some((3, false)));
        // Levels of two bits: 0, 1, 2, 0 and four that do not count.
        assert_eq!(runs(&[3, 0b0010_0100, 0], 2, 4), Some((2, true)));
        assert_eq!(runs(&[6, 0, 4, 2], 2, 5), Some((3, true)));
        // An empty run before the first level.
        assert_eq!(runs(&[0, 0, 4, 1, 4, 0], 1, 4), Some((2, false)));
        // Packed levels whose last group is truncated, and levels that are not in runs.
        assert_eq!(runs(&[5, 0], 1, 8), Some((8, true)));
        assert_eq!(
            LevelCount::count(Levels::Packed(&[0b0010_0100, 0]), 2, 5),
            Some(LevelCount {
                rows: 3,
                at_first: true
            })
        );
        assert_eq!(
            LevelCount::count(Levels::Packed(&[0b1111_0110, 1]), 1, 9),
            Some(LevelCount {
                rows: 2,
                at_first: true
            })
        );
    }

    #[test]
    fn levels_that_end_early_or_are_too_high_are_not_counted() {
        assert_eq!(runs(&[6, 0], 1, 5), None);
        assert_eq!(runs(&[5, 0], 1, 9), None);
        assert_eq!(runs(&[0, 0], 1, 1), None);
        assert_eq!(
            runs(
                &[
                    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0
                ],
                1,
                9
            ),
            None
        );
        assert_eq!(runs(&[6, 2], 1, 3), None);
        assert_eq!(runs(&[3, 0b0011_0000, 0], 2, 4), None);
        assert!(has_repetition_levels(
            3,
            Encoding::RLE,
            &[2, 0, 0, 0, 6, 0],
            1
        ));
        assert!(!has_repetition_levels(
            3,
            Encoding::RLE,
            &[3, 0, 0, 0, 6, 0],
            1
        ));
        #[allow(deprecated)]
        let packed = Encoding::BIT_PACKED;
        assert!(has_repetition_levels(9, packed, &[0, 0], 1));
        assert!(!has_repetition_levels(9, packed, &[0, 0], 2));
    }

    /// Returns whether a page with this data has repetition levels that can be located.
    fn has_repetition_levels(values: u32, repetition: Encoding, data: &[u8], lists: u16) -> bool {
        let content = PageContent::Data {
            values,
            encoding: Encoding::PLAIN,
            definition: Encoding::RLE,
            repetition,
        };
        let header = PageHeader {
            length: 0,
            uncompressed: data.len(),
            compressed: data.len(),
            content,
        };
        header.repetition_levels(data, lists).is_some()
    }

    /// Counts levels one by one, as the encoding defines.
    fn one_by_one(levels: &[u32]) -> (u64, bool) {
        (
            levels.iter().filter(|level| **level == 0).count() as u64,
            levels[0] == 0,
        )
    }

    #[test]
    fn packed_levels_are_counted_as_one_by_one() {
        for lists in [1u16, 2, 3, 5, 300] {
            let width = width_of(lists);
            for count in [1, 7, 8, 9, 64, 1001] {
                let levels: Vec<u32> = (0..count)
                    .map(|_| rand::random_range(0..=u32::from(lists).min(2)))
                    .collect();
                let mut packed = vec![0; (count * width as usize).div_ceil(8)];
                for (place, level) in levels.iter().enumerate() {
                    for bit in (0..width).filter(|bit| level >> bit & 1 == 1) {
                        let at = place as u64 * width + bit;
                        packed[(at / 8) as usize] |= 1 << (at % 8);
                    }
                }
                let begun =
                    LevelCount::count(Levels::Packed(&packed), lists, count as u32).unwrap();
                assert_eq!(
                    (begun.rows, begun.at_first),
                    one_by_one(&levels),
                    "{lists} {count}"
                );
                let mut runs = Vec::new();
                let mut head = (count.div_ceil(8) << 1 | 1) as u64;
                while head >= 0x80 {
                    runs.push(head as u8 | 0x80);
                    head >>= 7;
                }
                runs.push(head as u8);
                runs.extend(packed);
                let begun = LevelCount::count(Levels::Runs(&runs), lists, count as u32).unwrap();
                assert_eq!(
                    (begun.rows, begun.at_first),
                    one_by_one(&levels),
                    "{lists} {count}"
                );
            }
        }
    }
}
