//! The pages and the footer of a Parquet file, whose sizes are checked before they are decoded.

use super::source::Source;
use super::thrift::{Walker, kind};
use crate::error::Error;
use bytes::buf::Reader;
use bytes::{Buf, Bytes};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of a page header that are read at first, and at most.
const HEADER: usize = 4096;
const LONGEST_HEADER: usize = 16 << 20;

/// What a file may claim.
#[derive(Clone, Copy)]
pub(crate) struct PageLimits {
    /// Bytes of a page when it is decompressed.
    pub page: u64,
    /// Those of all pages that one task reads.
    pub task: u64,
}

/// The file for one task.
pub(crate) struct Pages {
    source: Arc<Source>,
    limits: PageLimits,
    seen: Mutex<Seen>,
    refusal: Refusal,
}

/// Why reading was refused. The decoder makes a text of the errors that pass through it, so that they are kept here.
#[derive(Clone, Default)]
pub(crate) struct Refusal(Arc<Mutex<Option<Error>>>);

impl Refusal {
    /// The error that was kept, or else what the decoder says.
    pub fn or(&self, problem: Error) -> Error {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or(problem)
    }

    /// Keeps an error, and gives the decoder one to stop with.
    fn keep(&self, problem: Error) -> ParquetError {
        let text = problem.to_string();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
        ParquetError::General(text)
    }
}

/// Pages by the place where their data begins, with their size when decompressed, and the sum of those that were read.
#[derive(Default)]
struct Seen {
    sizes: HashMap<u64, u64>,
    read: u64,
}

impl Pages {
    pub fn new(source: Arc<Source>, limits: PageLimits, refusal: Refusal) -> Self {
        Pages { source, limits, seen: Mutex::default(), refusal }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes that hold a page's header, once its sizes are known to be within the limits.
    fn checked_header(&self, start: u64) -> Result<Bytes, Error> {
        // Where the decoder has the header already, it asks for the place behind it and reads nothing.
        if self.seen().sizes.contains_key(&start) {
            return Ok(Bytes::new());
        }
        let mut length = HEADER;
        loop {
            let bytes = self.source.at_most(start, length)?;
            if let Some(page) = PageHeader::read(&bytes) {
                page.check(self.limits.page)?;
                self.seen().sizes.insert(start.saturating_add(page.length as u64), page.size);
                return Ok(bytes);
            }
            if bytes.len() < length || length >= LONGEST_HEADER {
                return Err(Error::Malformed(format!("Parquet: there is no page header at {start}")));
            }
            length *= 4;
        }
    }

    /// Counts a page whose data is read.
    fn count(&self, start: u64) -> Result<(), Error> {
        let mut seen = self.seen();
        let size = seen.sizes.remove(&start).unwrap_or(0);
        seen.read = seen.read.saturating_add(size);
        within("bytes of the pages of a batch, decompressed,", seen.read, self.limits.task)
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.source.length()
    }
}

impl ChunkReader for Pages {
    type T = Reader<Bytes>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(self.checked_header(start).map_err(|problem| self.refusal.keep(problem))?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let read = self.count(start).and_then(|()| self.source.bytes(start, length));
        read.map(Bytes::from).map_err(|problem| self.refusal.keep(problem))
    }
}

fn within(what: &'static str, found: u64, limit: u64) -> Result<(), Error> {
    if found > limit { Err(Error::Limit { what, found, limit }) } else { Ok(()) }
}

/// What a page says of itself.
struct PageHeader {
    /// Bytes of the header.
    length: usize,
    /// Bytes of the page, decompressed or as it is in the file, whichever is more.
    size: u64,
    /// Values of a dictionary.
    dictionary_values: u64,
    encoding: i64,
}

/// Encodings whose decoders allocate as many lengths as the page's data says, which no header shows.
const DELTA_LENGTH_BYTE_ARRAY: i64 = 6;
const DELTA_BYTE_ARRAY: i64 = 7;

impl PageHeader {
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut header = PageHeader { length: 0, size: 0, dictionary_values: 0, encoding: 0 };
        let (mut walker, mut last) = (Walker::new(bytes), 0);
        while let Some((field, kind)) = walker.field(&mut last)? {
            match (field, kind) {
                // uncompressed_page_size, and compressed_page_size, which is what pages have that are not compressed.
                // Of all of them the largest counts.
                (2 | 3, 5) => header.size = header.size.max(u64::try_from(walker.number()?).unwrap_or(0)),
                // data_page_header and data_page_header_v2, with the encoding.
                (5, kind::STRUCT) => header.read_inner(&mut walker, 2)?,
                (8, kind::STRUCT) => header.read_inner(&mut walker, 4)?,
                // dictionary_page_header, with the number of values.
                (7, kind::STRUCT) => header.read_dictionary(&mut walker)?,
                (_, kind) => walker.skip(kind)?,
            }
        }
        header.length = walker.position();
        Some(header)
    }

    fn read_inner(&mut self, walker: &mut Walker, encoding: i64) -> Option<()> {
        let mut last = 0;
        while let Some((field, kind)) = walker.field(&mut last)? {
            if (field, kind) == (encoding, 5) {
                self.encoding = self.encoding.max(walker.number()?);
            } else {
                walker.skip(kind)?;
            }
        }
        Some(())
    }

    fn read_dictionary(&mut self, walker: &mut Walker) -> Option<()> {
        let mut last = 0;
        while let Some((field, kind)) = walker.field(&mut last)? {
            if (field, kind) == (1, 5) {
                self.dictionary_values = self.dictionary_values.max(u64::try_from(walker.number()?).unwrap_or(0));
            } else {
                walker.skip(kind)?;
            }
        }
        Some(())
    }

    fn check(&self, limit: u64) -> Result<(), Error> {
        within("bytes of a page, decompressed,", self.size, limit)?;
        // A value takes at least a byte there.
        within("values of a dictionary page", self.dictionary_values, self.size)?;
        if matches!(self.encoding, DELTA_LENGTH_BYTE_ARRAY | DELTA_BYTE_ARRAY) {
            let problem =
                "Parquet: columns of bytes in the encodings DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY are not read";
            return Err(Error::Malformed(problem.to_owned()));
        }
        Ok(())
    }
}

/// How deep groups of columns may be nested.
const SCHEMA_DEPTH: usize = 64;

/// Looks at what the footer says of itself: a decoder allocates as many row groups, and calls itself as deep as groups
/// are nested.
pub(crate) fn check_footer(footer: &[u8]) -> Result<(), Error> {
    let problem = |text: &str| Error::Malformed(format!("Parquet: {text}"));
    let found = FooterShape::read(footer).ok_or_else(|| problem("the footer cannot be read"))?;
    if found.depth > SCHEMA_DEPTH {
        return Err(problem("columns are nested too deep"));
    }
    // The number of a row group has 16 bits.
    within("row groups", found.row_groups, i16::MAX as u64 + 1)
}

struct FooterShape {
    depth: usize,
    row_groups: u64,
}

impl FooterShape {
    fn read(footer: &[u8]) -> Option<Self> {
        let mut shape = FooterShape { depth: 0, row_groups: 0 };
        let (mut walker, mut last) = (Walker::new(footer), 0);
        while let Some((field, kind)) = walker.field(&mut last)? {
            match (field, kind) {
                (2, kind::LIST) => shape.depth = shape.depth.max(schema_depth(&mut walker)?),
                (4, kind::LIST) => {
                    let (count, kind) = walker.list()?;
                    shape.row_groups = shape.row_groups.max(count);
                    (0..count).try_for_each(|_| walker.skip(kind))?;
                }
                (_, kind) => walker.skip(kind)?,
            }
        }
        Some(shape)
    }
}

/// How deep the schema is, whose elements stand in the order of a walk through the tree, each with its number of
/// children.
fn schema_depth(walker: &mut Walker) -> Option<usize> {
    let (count, kind) = walker.list()?;
    if kind != kind::STRUCT {
        return None;
    }
    let (mut open, mut depth): (Vec<u64>, usize) = (Vec::new(), 0);
    for _ in 0..count {
        let children = schema_children(walker)?;
        while open.last() == Some(&0) {
            open.pop();
        }
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        open.push(children);
        depth = depth.max(open.len());
    }
    Some(depth)
}

fn schema_children(walker: &mut Walker) -> Option<u64> {
    let (mut last, mut children) = (0, 0);
    while let Some((field, kind)) = walker.field(&mut last)? {
        if (field, kind) == (5, 5) {
            children = u64::try_from(walker.number()?).ok()?;
        } else {
            walker.skip(kind)?;
        }
    }
    Some(children)
}
