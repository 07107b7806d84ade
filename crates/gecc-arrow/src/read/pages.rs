//! The pages of a column, as the decoder gets them. Their headers are read here and nowhere else, and their data is
//! decompressed here, so that nothing is taken for a page but what its checked header says.

use super::codec::Codec;
use super::footer::{malformed, within};
use super::room::Room;
use super::source::Source;
use super::thrift::{Walker, kind};
use crate::error::Error;
use bytes::Bytes;
use parquet::basic::{Encoding, Type as PhysicalType};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a page header that are read at first, and at most.
const HEADER: usize = 4096;
const LONGEST_HEADER: usize = 16 << 20;

/// Bytes of a view, of the levels of a value, and of its place in each list around it.
const VIEW: u64 = 16;
pub(crate) const LEVELS: u64 = 8;
pub(crate) const PLACE: u64 = 8;

/// Bytes of the longest number: of a decimal number with 76 digits, and room for zeros in front.
const LONGEST_NUMBER: usize = 64;

/// What a task may read, and what it has.
pub(crate) struct Tally {
    task: usize,
    room: Arc<Room>,
    /// Bytes of a page when it is decompressed.
    page_limit: u64,
    /// Those of all pages of the task.
    limit: u64,
    pub refusal: Refusal,
    read: Mutex<u64>,
}

impl Tally {
    pub fn new(task: usize, room: Arc<Room>, page_limit: u64, limit: u64) -> Self {
        Tally { task, room, page_limit, limit, refusal: Refusal::default(), read: Mutex::new(0) }
    }

    /// Waits for room for this many bytes more.
    fn take(&self, bytes: u64) -> Result<(), Error> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        *read = read.saturating_add(bytes);
        within("bytes of the pages of a batch, decompressed,", *read, self.limit)?;
        self.room.enter(self.task, bytes);
        Ok(())
    }
}

/// Why reading was refused. The decoder makes a text of the errors that pass through it, so that they are kept here.
#[derive(Default)]
pub(crate) struct Refusal(Mutex<Option<Error>>);

impl Refusal {
    /// The error that was kept, or else what the decoder says.
    pub fn or(&self, problem: Error) -> Error {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or(problem)
    }

    /// Keeps an error, and gives the decoder one to stop with.
    pub fn keep(&self, problem: Error) -> ParquetError {
        let text = problem.to_string();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
        ParquetError::General(text)
    }
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub physical: PhysicalType,
    /// Bytes of a value, where the type says it.
    pub width: usize,
    /// Lists around a value: where there are any, a row may have any number of values.
    pub lists: u16,
    /// Whether values are copied out of a dictionary for each row, although they may be long.
    pub copied: bool,
}

impl Leaf {
    pub fn is_repeated(&self) -> bool {
        self.lists > 0
    }

    /// Bytes that a value takes in a dictionary page at least.
    fn least(&self) -> u64 {
        match self.physical {
            // Its length.
            PhysicalType::BYTE_ARRAY => 4,
            _ => self.width.max(1) as u64,
        }
    }
}

/// The pages of a column in a row group.
#[derive(Clone, Copy)]
pub(crate) struct Chunk {
    pub start: u64,
    pub end: u64,
    pub codec: Option<Codec>,
    pub leaf: Leaf,
    /// Rows at the beginning that are passed over.
    pub skipped: u64,
}

/// Rows at the beginning of a chunk that may be passed over at once, and the place of the page behind them.
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
    at: u64,
    /// The header at this place.
    header: Option<PageHeader>,
    /// Bytes of the file that were read beside a header, and where they begin.
    window: (u64, Bytes),
    jump: Option<Jump>,
    /// Bytes that were taken for pages of which nothing was kept.
    spare: u64,
}

impl ChunkPages {
    pub fn new(source: Arc<Source>, tally: Arc<Tally>, chunk: Chunk, jump: Option<Jump>) -> Self {
        ChunkPages { source, tally, chunk, at: chunk.start, header: None, window: (0, Bytes::new()), jump, spare: 0 }
    }

    /// The next page's header; `None` behind the last page.
    fn header(&mut self) -> Result<Option<PageHeader>, Error> {
        while self.header.is_none() && self.at < self.chunk.end {
            let header = self.read_header()?;
            let data = self.at + header.length as u64;
            if header.compressed as u64 > self.chunk.end.saturating_sub(data) {
                return Err(malformed("a page ends behind its column"));
            }
            if header.content == Content::Index {
                self.at = data + header.compressed as u64;
                continue;
            }
            header.check(self.chunk.leaf, self.tally.page_limit)?;
            self.header = Some(header);
        }
        Ok(self.header)
    }

    fn read_header(&mut self) -> Result<PageHeader, Error> {
        let (start, bytes) = &self.window;
        let offset = self.at.checked_sub(*start).and_then(|offset| usize::try_from(offset).ok());
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
                return Err(malformed(&format!("there is no page header at {}", self.at)));
            }
            length *= 4;
        }
    }

    /// Passes over a page, and gives the place of its data.
    fn pass(&mut self, header: &PageHeader) -> u64 {
        let data = self.at + header.length as u64;
        self.at = data + header.compressed as u64;
        self.header = None;
        data
    }

    fn bytes(&self, start: u64, length: usize) -> Result<Bytes, Error> {
        let offset = usize::try_from(start - self.window.0).unwrap_or(usize::MAX);
        match offset.checked_add(length).filter(|end| *end <= self.window.1.len()) {
            Some(end) => Ok(self.window.1.slice(offset..end)),
            None => self.source.bytes(start, length).map(Bytes::from),
        }
    }

    fn page(&mut self) -> Result<Option<Page>, Error> {
        let Some(header) = self.header()? else { return Ok(None) };
        self.jump = None;
        let cost = header.cost(self.chunk.leaf);
        self.tally.take(cost.saturating_sub(self.spare))?;
        let start = self.pass(&header);
        let data = self.bytes(start, header.compressed)?;
        let data = match self.chunk.codec {
            Some(codec) if header.is_compressed() => header.decompress(codec, &data)?,
            _ => data,
        };
        self.spare = if self.is_passed_over(&header, &data) { self.spare.max(cost) } else { 0 };
        header.page(data, self.chunk.leaf).map(Some)
    }

    /// Whether all rows of a page that was read are passed over. The decoder reads such pages of lists where their
    /// headers do not say how many rows they have, and keeps nothing of them.
    fn is_passed_over(&mut self, header: &PageHeader, data: &[u8]) -> bool {
        // To count rows takes a good part of the time of reading them.
        if self.chunk.skipped == 0 {
            return false;
        }
        let rows = match header.content {
            Content::Dictionary { .. } => return false,
            Content::Data { values, repetition: Encoding::RLE, .. } if self.chunk.leaf.is_repeated() => {
                rows_begun(data, self.chunk.leaf.lists, values)
            }
            _ => None,
        };
        let left = rows.and_then(|rows| self.chunk.skipped.checked_sub(rows));
        self.chunk.skipped = left.unwrap_or(0);
        left.is_some()
    }

    fn peek(&mut self) -> Result<Option<PageMetadata>, Error> {
        let Some(header) = self.header()? else { return Ok(None) };
        let is_dict = matches!(header.content, Content::Dictionary { .. });
        let (num_rows, num_levels) = match (header.content, self.jump) {
            (Content::Dictionary { .. }, _) => (None, None),
            (_, Some(jump)) => (Some(jump.rows as usize), None),
            (Content::DataV2 { rows, values, .. }, None) => (Some(rows as usize), Some(values as usize)),
            (_, None) => (None, Some(header.values() as usize)),
        };
        Ok(Some(PageMetadata { num_rows, num_levels, is_dict }))
    }

    fn skip(&mut self) -> Result<(), Error> {
        let Some(header) = self.header()? else { return Ok(()) };
        self.pass(&header);
        if let Content::DataV2 { rows, .. } = header.content {
            self.chunk.skipped = self.chunk.skipped.saturating_sub(rows.into());
        }
        let is_dictionary = matches!(header.content, Content::Dictionary { .. });
        if let Some(jump) = self.jump.take_if(|_| !is_dictionary) {
            self.at = jump.to;
        }
        Ok(())
    }

    /// Where the pages begin that have the first row of a batch, where `before` rows of the file come before the chunk
    /// and each batch has this many. The first page is not among them, and of very many pages not all are. Each row of
    /// the column has one value.
    pub fn jumps(mut self, before: u64, per_batch: u64) -> Result<Vec<Jump>, Error> {
        const MOST: usize = 1 << 16;
        let (mut jumps, mut rows, mut found, mut step) = (Vec::new(), 0u64, 0usize, 1);
        while let Some(header) = self.header()? {
            if let Content::Dictionary { .. } = header.content {
                self.pass(&header);
                continue;
            }
            let (first, end) = (before + rows, before + rows + u64::from(header.values()));
            if rows > 0 && first.div_ceil(per_batch) * per_batch < end {
                if found % step == 0 {
                    jumps.push(Jump { rows, to: self.at });
                }
                found += 1;
            }
            if jumps.len() == MOST {
                jumps = jumps.into_iter().step_by(2).collect();
                step *= 2;
            }
            rows += u64::from(header.values());
            self.pass(&header);
        }
        Ok(jumps)
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
        self.page().map_err(|problem| self.tally.refusal.keep(problem))
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        self.peek().map_err(|problem| self.tally.refusal.keep(problem))
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        self.skip().map_err(|problem| self.tally.refusal.keep(problem))
    }
}

/// What a page says of itself.
#[derive(Clone, Copy, Debug)]
struct PageHeader {
    /// Bytes of the header.
    length: usize,
    uncompressed: usize,
    compressed: usize,
    content: Content,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
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
        let (mut walker, mut last) = (Walker::new(bytes), 0);
        let (mut page_type, mut uncompressed, mut compressed) = (None, None, None);
        let (mut data, mut data_v2, mut dictionary) = (None, None, None);
        while let Some(field) = walker.field(&mut last)? {
            match field {
                (1, kind::I32) => page_type = Some(walker.i32()?),
                (2, kind::I32) => uncompressed = Some(walker.i32()?.try_into().ok()?),
                (3, kind::I32) => compressed = Some(walker.i32()?.try_into().ok()?),
                // A checksum, which nobody looks at, and what an index says.
                (4, kind::I32) | (6, kind::STRUCT) => walker.skip(field.1)?,
                (5, kind::STRUCT) => data = Some(Content::read_data(&mut walker)?),
                (7, kind::STRUCT) => dictionary = Some(Content::read_dictionary(&mut walker)?),
                (8, kind::STRUCT) => data_v2 = Some(Content::read_data_v2(&mut walker)?),
                (..=8, _) => return None,
                (_, kind) => walker.skip(kind)?,
            }
        }
        let content = match page_type? {
            0 => data?,
            1 => Content::Index,
            2 => dictionary?,
            3 => data_v2?,
            _ => return None,
        };
        Some(PageHeader { length: walker.position(), uncompressed: uncompressed?, compressed: compressed?, content })
    }

    /// Bytes of the data, decompressed or as it is in the file, whichever is more.
    fn size(&self) -> u64 {
        self.uncompressed.max(self.compressed) as u64
    }

    fn values(&self) -> u32 {
        match self.content {
            Content::Data { values, .. } | Content::DataV2 { values, .. } | Content::Dictionary { values, .. } => {
                values
            }
            Content::Index => 0,
        }
    }

    /// Bytes that come before the compressed ones.
    fn levels(&self) -> u64 {
        match self.content {
            Content::DataV2 { definition, repetition, .. } => u64::from(definition) + u64::from(repetition),
            _ => 0,
        }
    }

    fn is_compressed(&self) -> bool {
        !matches!(self.content, Content::DataV2 { compressed: false, .. })
    }

    fn check(&self, leaf: Leaf, limit: u64) -> Result<(), Error> {
        within("bytes of a page, decompressed,", self.size(), limit)?;
        match self.content {
            Content::Dictionary { values, .. } => {
                within("values of a dictionary page", values.into(), self.size() / leaf.least())?;
            }
            // Decoders of these allocate as many lengths as the data says, which no header shows.
            Content::Data { encoding, .. } | Content::DataV2 { encoding, .. }
                if matches!(encoding, Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY) =>
            {
                let encodings = "DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY";
                return Err(malformed(&format!("columns of bytes in the encodings {encodings} are not read")));
            }
            _ => {}
        }
        if self.levels() > self.uncompressed.min(self.compressed) as u64 {
            return Err(malformed("the levels of a page are longer than the page"));
        }
        match self.content {
            Content::DataV2 { values, rows, .. } if !leaf.is_repeated() && values != rows => {
                Err(malformed("a page does not have a value for each row"))
            }
            _ => Ok(()),
        }
    }

    /// Bytes that the page and what is decoded of it take.
    fn cost(&self, leaf: Leaf) -> u64 {
        let values = u64::from(self.values());
        match self.content {
            Content::Dictionary { .. } if leaf.physical == PhysicalType::BYTE_ARRAY => self.size() + values * VIEW,
            // Its values are copied.
            Content::Dictionary { .. } => 2 * self.size(),
            // Those of other columns are as many as rows, of which the plan knows.
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
        // Of nothing but nulls there may be no data at all.
        if to.len() > levels.len() {
            codec.decompress(values, &mut to[levels.len()..])?;
        }
        Ok(Bytes::from(to))
    }

    fn page(&self, buf: Bytes, leaf: Leaf) -> Result<Page, Error> {
        Ok(match self.content {
            Content::Data { values, encoding, definition, repetition } => Page::DataPage {
                buf,
                num_values: values,
                encoding,
                def_level_encoding: definition,
                rep_level_encoding: repetition,
                statistics: None,
            },
            Content::DataV2 { values, nulls, rows, encoding, definition, repetition, compressed } => Page::DataPageV2 {
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
            Content::Dictionary { values, encoding, sorted } => {
                if leaf.copied && longest(&buf) > LONGEST_NUMBER {
                    return Err(malformed("a dictionary has numbers that are too long"));
                }
                Page::DictionaryPage { buf, num_values: values, encoding, is_sorted: sorted }
            }
            Content::Index => return Err(malformed("an index is no page of values")),
        })
    }
}

impl Content {
    fn read_data(walker: &mut Walker) -> Option<Self> {
        let (mut last, mut values, mut encodings) = (0, None, [None; 3]);
        while let Some(field) = walker.field(&mut last)? {
            match field {
                (1, kind::I32) => values = Some(count(walker)?),
                (2..=4, kind::I32) => encodings[field.0 as usize - 2] = Some(encoding(walker)?),
                (..=4, _) => return None,
                (_, kind) => walker.skip(kind)?,
            }
        }
        let [encoding, definition, repetition] = encodings;
        Some(Content::Data { values: values?, encoding: encoding?, definition: definition?, repetition: repetition? })
    }

    fn read_data_v2(walker: &mut Walker) -> Option<Self> {
        let (mut last, mut counts, mut encoded, mut compressed) = (0, [None; 6], None, true);
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
        Some(Content::DataV2 {
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
        let (mut last, mut values, mut encoded, mut sorted) = (0, None, None, false);
        while let Some(field) = walker.field(&mut last)? {
            match field {
                (1, kind::I32) => values = Some(count(walker)?),
                (2, kind::I32) => encoded = Some(encoding(walker)?),
                (3, kind::TRUE | kind::FALSE) => sorted = field.1 == kind::TRUE,
                (..=3, _) => return None,
                (_, kind) => walker.skip(kind)?,
            }
        }
        Some(Content::Dictionary { values: values?, encoding: encoded?, sorted })
    }
}

/// A number that is not below zero.
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

/// Rows that have a part in a page of this many levels, of which the last may go on behind it: those of a repetition
/// level of 0, and one that began before the page. Levels are runs and packed bits (Parquet's encodings, RLE).
fn rows_begun(page: &[u8], lists: u16, levels: u32) -> Option<u64> {
    let (length, page) = page.split_first_chunk()?;
    let mut walker = Walker::new(page.get(..u32::from_le_bytes(*length) as usize)?);
    let width = u64::from(u16::BITS - lists.leading_zeros());
    let (levels, mut seen, mut rows) = (u64::from(levels), 0, 0);
    let mut see = |count: u64, is_zero: bool| {
        rows += if is_zero { count } else { u64::from(seen == 0) };
        seen += count;
        seen < levels
    };
    let mut goes_on = levels > 0;
    while goes_on {
        let head = walker.varint()?;
        let count = head >> 1;
        if head & 1 == 0 {
            let level = walker.take(width.div_ceil(8))?;
            goes_on = see(count.min(levels), level.iter().all(|byte| *byte == 0));
            continue;
        }
        // Groups of eight levels.
        let packed = walker.take(count.checked_mul(width)?)?;
        for level in 0..count * 8 {
            let mut bits = (level * width) as usize..((level + 1) * width) as usize;
            goes_on = see(1, bits.all(|bit| packed[bit / 8] >> (bit % 8) & 1 == 0));
            if !goes_on {
                break;
            }
        }
    }
    Some(rows)
}

/// The length of a dictionary's longest value, each of which has its length in front.
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

    #[test]
    fn rows_are_counted_by_their_repetition_levels() {
        let rows = |levels: &[u8], lists, count| {
            rows_begun(&[&(levels.len() as u32).to_le_bytes()[..], levels, &[7; 9]].concat(), lists, count)
        };
        // A run of 3 zeros, and one of 2 ones.
        assert_eq!(rows(&[6, 0, 4, 1], 1, 5), Some(3));
        // Eight levels of a bit, of which six count, and the first is of a row that began before.
        assert_eq!(rows(&[3, 0b1001_0011], 1, 6), Some(4));
        // Levels of two bits: 0, 1, 2, 0 and four that do not count.
        assert_eq!(rows(&[3, 0b0010_0100, 0], 3, 4), Some(2));
        assert_eq!(rows(&[6, 0, 4, 2], 2, 5), Some(3));
        assert_eq!(rows(&[], 1, 0), Some(0));
        // Levels that end early, also in the length of all.
        assert_eq!(rows(&[6, 0], 1, 5), None);
        assert_eq!(rows(&[5, 0], 1, 16), None);
        assert_eq!(rows(&[0, 0], 1, 1), None);
        assert_eq!(rows(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0], 1, 9), None);
        assert_eq!(rows_begun(&[9, 0, 0, 0, 6, 0], 1, 3), None);
    }
}
