//! The records of Bitcoin Core's files: the magic of a network, a length of 4 bytes little-endian,
//! and the content.
//!
//! Bytes between records are searched for the next magic, byte by byte, as Bitcoin Core's import
//! does (`LoadExternalBlockFile` in its `validation.cpp`). A record whose content turns out to be
//! something else is searched in the same way. Every run of bytes that belongs to no record is
//! reported as a problem, except zeros at the end, where Bitcoin Core preallocates files.

use super::encoding::{self, ENDS_EARLY};
use super::network::{Magics, Network};
use super::obfuscation::{self, ObfuscatedFile};
use crate::problem::{Problem, note};

/// Length of a record's header, in bytes.
const HEADER: u64 = 8;
/// Maximum number of zeros at the end of a file of blocks that preallocation explains
/// (BLOCKFILE_CHUNK_SIZE in Bitcoin Core's `node/blockstorage.h`).
const ALLOCATED_AHEAD: u64 = 16 << 20;
/// First and maximum number of bytes read at a time in a search for a magic: the next one may be
/// near, many times in a row.
const FIRST_WINDOW: u64 = 64;
const WINDOW: u64 = 1 << 16;
/// Number of bytes read first where the length of a record is not known. Each further attempt reads
/// eight times as many.
const FIRST_TRY: u64 = 1 << 12;
const MORE: u64 = 8;
/// Limits on wasted reads, that is, on reading content that turns out not to be a record: a
/// multiple of the file's length, plus a minimum for small files. Without them, a file that
/// consists of magics only would be read once at each of them.
const WASTED_READS_FACTOR: u64 = 16;
const LEAST_WASTED_READS: u64 = 64 << 20;

/// The kind of content of a file's records.
#[derive(Clone, Copy, PartialEq)]
pub enum RecordKind {
    Block,
    /// The outputs that blocks spend.
    Spent,
}

/// The header of a record, before its content.
pub struct RecordHeader {
    /// The position of the magic.
    pub place: u64,
    pub network: Network,
    /// The stated length; `None` if the file ends before it.
    pub length: Option<u64>,
}

impl RecordHeader {
    /// Returns the position of the content.
    pub fn content(&self) -> u64 {
        self.place + HEADER
    }

    /// Describes why no content follows. `left` bytes of the file come after the header.
    pub fn without_content(&self, left: u64, longest: u64, what: &str) -> String {
        match self.length {
            None => "the file ends in the header of a record".to_owned(),
            Some(length) if length > left || length > longest => {
                format!(
                    "the record states {length} bytes, but {left} follow, and the limit is {longest}"
                )
            }
            Some(length) => format!("the record of {length} bytes holds no whole {what}"),
        }
    }
}

/// The records of a file, in order.
pub struct Records<'a> {
    pub file: &'a mut ObfuscatedFile,
    magics: Magics,
    kind: RecordKind,
    /// The position at which the next record is expected.
    next: u64,
    /// The position of the first byte that belongs to no record, and the reason.
    skipped: Option<(u64, String)>,
    /// Bytes that wasted reads may still have.
    wasted_reads_left: u64,
}

impl<'a> Records<'a> {
    pub fn new(file: &'a mut ObfuscatedFile, magics: Magics, kind: RecordKind) -> Self {
        let wasted_reads_left = file
            .length()
            .saturating_mul(WASTED_READS_FACTOR)
            .saturating_add(LEAST_WASTED_READS);
        Records {
            file,
            magics,
            kind,
            next: 0,
            skipped: None,
            wasted_reads_left,
        }
    }

    /// Finds the next header. The caller reports with [`accept`](Self::accept) or
    /// [`reject`](Self::reject) whether a record follows it.
    pub fn next(&mut self, problems: &mut Vec<Problem>) -> Option<RecordHeader> {
        let header = self.find_header().and_then(|header| match header {
            None => self.end(problems).map(|()| None),
            found => Ok(found),
        });
        header.unwrap_or_else(|problem| {
            self.fail(problem, problems);
            None
        })
    }

    /// Accepts a record that ends at `end`, where the next one is then expected.
    pub fn accept(&mut self, header: &RecordHeader, end: u64, problems: &mut Vec<Problem>) {
        self.report_skipped(header.place, problems);
        self.next = end;
    }

    /// Rejects a header that no record follows, and notes the reason. The search for the next magic
    /// continues at the byte after the header's first one or, once the limit on wasted reads is
    /// reached, after the length that the header states.
    pub fn reject(&mut self, header: &RecordHeader, why: String) {
        self.skipped.get_or_insert((header.place, why));
        let left = self.bytes_after(header);
        let stated_length = header
            .length
            .filter(|length| self.wasted_reads_left == 0 && *length <= left);
        self.next = stated_length.map_or(header.place + 1, |length| header.content() + length);
    }

    /// Ends the iteration because the file cannot be read.
    pub fn fail(&mut self, problem: Problem, problems: &mut Vec<Problem>) {
        if let Some((from, why)) = self.skipped.take() {
            note(problems, self.problem_at(from, why));
        }
        note(problems, problem);
        self.next = self.file.length();
    }

    pub fn problem_at(&self, place: u64, what: impl std::fmt::Display) -> Problem {
        self.file.reader.problem_at(place, what)
    }

    /// Returns the number of bytes of the file after a header.
    pub fn bytes_after(&self, header: &RecordHeader) -> u64 {
        self.file.length().saturating_sub(header.content())
    }

    /// Returns whether the limit on wasted reads is not reached.
    pub fn may_waste_reads(&self) -> bool {
        self.wasted_reads_left > 0
    }

    /// Counts bytes that were read for something that is not a record.
    pub fn count_wasted_read(&mut self, bytes: u64) {
        self.wasted_reads_left = self.wasted_reads_left.saturating_sub(bytes);
    }

    /// Reads a value at `place` whose encoding implies its length, up to `longest` bytes, and
    /// returns that length. The bytes are in `to` afterwards. Returns `None` if the value is
    /// malformed or does not end, or if the limit on wasted reads is reached.
    pub fn extent(
        &mut self,
        place: u64,
        longest: u64,
        to: &mut Vec<u8>,
        mut extent: impl FnMut(&[u8]) -> encoding::Result<usize>,
    ) -> Result<Option<usize>, Problem> {
        let mut length = FIRST_TRY.min(longest);
        loop {
            if self.wasted_reads_left < length {
                self.wasted_reads_left = 0;
                return Ok(None);
            }
            self.wasted_reads_left -= length;
            self.file.read_at(place, length, to)?;
            match extent(to) {
                Ok(extent) => return Ok(Some(extent)),
                Err(ENDS_EARLY) if length < longest => length = (length * MORE).min(longest),
                Err(_) => return Ok(None),
            }
        }
    }

    /// Returns the first header at or after `place` whose magic begins before `until`.
    pub fn header_from(&mut self, place: u64, until: u64) -> Result<Option<RecordHeader>, Problem> {
        match self.find_magic(place, until)? {
            Some(place) => self.header_at(place),
            None => Ok(None),
        }
    }

    /// Returns whether a record may end at `place`: another one begins there, zeros follow, or the
    /// file ends.
    pub fn is_boundary(&mut self, place: u64) -> Result<bool, Problem> {
        let mut bytes = Vec::new();
        let length = self.file.length().saturating_sub(place).min(HEADER);
        self.file.read_raw_at(place, length, &mut bytes)?;
        Ok(bytes.iter().all(|byte| *byte == 0) || self.header_at(place)?.is_some())
    }

    /// Finds the next header, starting where a record is expected. Notes the first byte that
    /// belongs to no record.
    fn find_header(&mut self) -> Result<Option<RecordHeader>, Problem> {
        if self.skipped.is_none() {
            let header = self.header_at(self.next)?;
            if header.is_some() {
                return Ok(header);
            }
            match self.first_not_zero(self.next)? {
                None => return Ok(None),
                Some(place) => self.skipped = Some((self.next, self.why_none(place)?)),
            }
        }
        self.header_from(self.next, u64::MAX)
    }

    /// Reads the header at `place`, if there is a magic.
    fn header_at(&mut self, place: u64) -> Result<Option<RecordHeader>, Problem> {
        let mut bytes = Vec::new();
        let length = self.file.length().saturating_sub(place).min(HEADER);
        self.file.read_at(place, length, &mut bytes)?;
        let Some((magic, length_bytes)) = bytes.split_first_chunk() else {
            return Ok(None);
        };
        let Some(network) = self.magics.network_of(*magic) else {
            return Ok(None);
        };
        let length = length_bytes
            .first_chunk()
            .map(|length| u32::from_le_bytes(*length).into());
        Ok(Some(RecordHeader {
            place,
            network,
            length,
        }))
    }

    /// Returns the reason why there is no record where one is expected. `not_zero` is the position
    /// of the first byte that is not zero.
    fn why_none(&mut self, not_zero: u64) -> Result<String, Problem> {
        const WITHOUT: &str = "a record was expected, which begins with a network's magic";
        if self.next + HEADER <= not_zero {
            return Ok("zeros, where a record was expected".to_owned());
        }
        if self.next > 0 || self.kind != RecordKind::Block {
            return Ok(WITHOUT.to_owned());
        }
        let hint = obfuscation::hint(self.file)?;
        Ok(hint.unwrap_or_else(|| WITHOUT.to_owned()))
    }

    /// Finds the first magic at or after `from` that begins before `until`.
    fn find_magic(&mut self, from: u64, until: u64) -> Result<Option<u64>, Problem> {
        // A magic that begins before `until` may end after it.
        let end = self.file.length().min(until.saturating_add(3));
        let mut start = from;
        let mut window = FIRST_WINDOW;
        let mut bytes = Vec::new();
        while start + 4 <= end {
            self.file
                .read_at(start, window.min(end - start), &mut bytes)?;
            let magics = self.magics;
            let found = bytes
                .array_windows()
                .position(|magic| magics.network_of(*magic).is_some());
            if let Some(found) = found {
                return Ok(Some(start + found as u64));
            }
            // The last three bytes may be the beginning of a magic.
            start += bytes.len() as u64 - 3;
            window = WINDOW.min(2 * window);
        }
        Ok(None)
    }

    /// Finds the first nonzero byte of the file at or after `from`. The bytes are compared before
    /// deobfuscation.
    fn first_not_zero(&mut self, from: u64) -> Result<Option<u64>, Problem> {
        let end = self.file.length();
        let mut start = from;
        let mut window = FIRST_WINDOW;
        let mut bytes = Vec::new();
        while start < end {
            self.file
                .read_raw_at(start, window.min(end - start), &mut bytes)?;
            if let Some(place) = bytes.iter().position(|byte| *byte != 0) {
                return Ok(Some(start + place as u64));
            }
            start += bytes.len() as u64;
            window = WINDOW.min(2 * window);
        }
        Ok(None)
    }

    /// Returns the start of the zeros at the end of the file, but at least `from`.
    fn start_of_last_zeros(&mut self, from: u64) -> Result<u64, Problem> {
        let mut end = self.file.length();
        let mut bytes = Vec::new();
        while end > from {
            let start = end.saturating_sub(WINDOW).max(from);
            self.file.read_raw_at(start, end - start, &mut bytes)?;
            if let Some(place) = bytes.iter().rposition(|byte| *byte != 0) {
                return Ok(start + place as u64 + 1);
            }
            end = start;
        }
        Ok(from)
    }

    /// Reports problems after the last record.
    fn end(&mut self, problems: &mut Vec<Problem>) -> Result<(), Problem> {
        let from = self.skipped.as_ref().map_or(self.next, |(from, _)| *from);
        let until = self.start_of_last_zeros(from)?;
        self.report_skipped(until, problems);
        let zeros = self.file.length() - until;
        if self.kind == RecordKind::Block && zeros > ALLOCATED_AHEAD {
            let what = format!(
                "{zeros} zeros end the file; Bitcoin Core allocates at most {ALLOCATED_AHEAD} ahead"
            );
            note(problems, self.problem_at(until, what));
        }
        Ok(())
    }

    fn report_skipped(&mut self, until: u64, problems: &mut Vec<Problem>) {
        if let Some((from, why)) = self.skipped.take() {
            let last = until.max(from + 1) - 1;
            note(
                problems,
                self.problem_at(from, format!("bytes {from} to {last} are skipped: {why}")),
            );
        }
    }
}
