//! The records of Bitcoin Core's files: the magic of a network, a length of 4 bytes little-endian, and the content.
//!
//! What is between records is searched for the next magic, byte by byte, as Bitcoin Core's import does
//! (`LoadExternalBlockFile` in its `validation.cpp`), and so is a record whose content turns out to be something else.
//! Every stretch of bytes that belongs to no record is a problem, but for zeros at the end, where Bitcoin Core
//! allocates files ahead.

use super::encoding::{self, ENDS_EARLY};
use super::hidden::Hidden;
use super::network::{Magics, Network};
use super::obfuscation;
use crate::problem::{Problem, note};

/// Bytes of a record in front of its content.
const HEADER: u64 = 8;
/// Zeros at the end of a file of blocks that may have been allocated ahead (BLOCKFILE_CHUNK_SIZE in Bitcoin Core's
/// `node/blockstorage.h`).
const ALLOCATED_AHEAD: u64 = 16 << 20;
/// Bytes that are read at a time where a magic is searched, at first and at most: it may be near, over and over.
const FIRST_WINDOW: u64 = 64;
const WINDOW: u64 = 1 << 16;
/// Bytes that are read first where the length of a record is not known. Each further try has eight times as many.
const FIRST_TRY: u64 = 1 << 12;
const MORE: u64 = 8;
/// How often a file may be read in vain: content that is no record after all. Otherwise a file of nothing but magics
/// would be read at each of them. The least is for small files.
const TIMES_IN_VAIN: u64 = 16;
const LEAST_IN_VAIN: u64 = 64 << 20;

/// What the records of a file hold.
#[derive(Clone, Copy, PartialEq)]
pub enum RecordKind {
    Block,
    /// What blocks spend.
    Spent,
}

/// What stands in front of a record's content.
pub struct Header {
    /// Where the magic is.
    pub place: u64,
    pub network: Network,
    /// The length that it states; `None` where the file ends before.
    pub length: Option<u64>,
}

impl Header {
    /// Where the content begins.
    pub fn content(&self) -> u64 {
        self.place + HEADER
    }

    /// Says that no content follows. `left` bytes of the file are behind the header.
    pub fn without_content(&self, left: u64, longest: u64, what: &str) -> String {
        match self.length {
            None => "the file ends in the header of a record".to_owned(),
            Some(length) if length > left || length > longest => {
                format!("the record is to have {length} bytes; {left} follow, and {longest} are the most")
            }
            Some(length) => format!("the record of {length} bytes holds no whole {what}"),
        }
    }
}

/// The records of a file, in order.
pub struct Records<'a> {
    pub file: &'a mut Hidden,
    magics: Magics,
    kind: RecordKind,
    /// Where the next record is expected.
    next: u64,
    /// Where bytes began that belong to no record, and why.
    skipped: Option<(u64, String)>,
    /// Bytes that may still be read in vain.
    in_vain: u64,
}

impl<'a> Records<'a> {
    pub fn new(file: &'a mut Hidden, magics: Magics, kind: RecordKind) -> Self {
        let in_vain = file.length().saturating_mul(TIMES_IN_VAIN).saturating_add(LEAST_IN_VAIN);
        Records { file, magics, kind, next: 0, skipped: None, in_vain }
    }

    /// Finds the next header. The caller says by [`accept`](Self::accept) or [`reject`](Self::reject) whether a record
    /// is behind it.
    pub fn next(&mut self, problems: &mut Vec<Problem>) -> Option<Header> {
        let header = self.find_header().and_then(|header| match header {
            None => self.end(problems).map(|()| None),
            found => Ok(found),
        });
        header.unwrap_or_else(|problem| {
            self.fail(problem, problems);
            None
        })
    }

    /// Takes a record that ends here. The next one is expected behind it.
    pub fn accept(&mut self, header: &Header, end: u64, problems: &mut Vec<Problem>) {
        self.report_skipped(header.place, problems);
        self.next = end;
    }

    /// Says why there is no record behind a header. The next magic is searched from the following byte on; or, where
    /// too much was read in vain, behind the length that the header states.
    pub fn reject(&mut self, header: &Header, why: String) {
        self.skipped.get_or_insert((header.place, why));
        let left = self.left_behind(header);
        let behind = header.length.filter(|length| self.in_vain == 0 && *length <= left);
        self.next = behind.map_or(header.place + 1, |length| header.content() + length);
    }

    /// Ends because the file cannot be read.
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

    /// Bytes of the file behind a header.
    pub fn left_behind(&self, header: &Header) -> u64 {
        self.file.length().saturating_sub(header.content())
    }

    /// Whether more may be read in vain.
    pub fn may_read_in_vain(&self) -> bool {
        self.in_vain > 0
    }

    /// Counts bytes that were read for a record that is none.
    pub fn read_in_vain(&mut self, bytes: u64) {
        self.in_vain = self.in_vain.saturating_sub(bytes);
    }

    /// Reads what begins at a place and says itself how long it is, up to a limit, and gives its length. The bytes are
    /// in `to` then. `None` where it is malformed or does not end, or too much was read in vain.
    pub fn extent(
        &mut self,
        place: u64,
        longest: u64,
        to: &mut Vec<u8>,
        mut extent: impl FnMut(&[u8]) -> encoding::Result<usize>,
    ) -> Result<Option<usize>, Problem> {
        let mut length = FIRST_TRY.min(longest);
        loop {
            if self.in_vain < length {
                self.in_vain = 0;
                return Ok(None);
            }
            self.in_vain -= length;
            self.file.read_at(place, length, to)?;
            match extent(to) {
                Ok(extent) => return Ok(Some(extent)),
                Err(ENDS_EARLY) if length < longest => length = (length * MORE).min(longest),
                Err(_) => return Ok(None),
            }
        }
    }

    /// The next header from a place on, whose magic begins before another.
    pub fn header_from(&mut self, place: u64, until: u64) -> Result<Option<Header>, Problem> {
        match self.find_magic(place, until)? {
            Some(place) => self.header_at(place),
            None => Ok(None),
        }
    }

    /// Whether a record may end at a place: where another begins, zeros follow or the file ends.
    pub fn is_boundary(&mut self, place: u64) -> Result<bool, Problem> {
        let mut bytes = Vec::new();
        let length = self.file.length().saturating_sub(place).min(HEADER);
        self.file.read_raw_at(place, length, &mut bytes)?;
        Ok(bytes.iter().all(|byte| *byte == 0) || self.header_at(place)?.is_some())
    }

    /// The next header from where a record is expected. Notes where bytes begin that are none.
    fn find_header(&mut self) -> Result<Option<Header>, Problem> {
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

    /// The header at a place, if a magic is there.
    fn header_at(&mut self, place: u64) -> Result<Option<Header>, Problem> {
        let mut bytes = Vec::new();
        let length = self.file.length().saturating_sub(place).min(HEADER);
        self.file.read_at(place, length, &mut bytes)?;
        let Some((magic, behind)) = bytes.split_first_chunk() else { return Ok(None) };
        let Some(network) = self.magics.network_of(*magic) else { return Ok(None) };
        let length = behind.first_chunk().map(|length| u32::from_le_bytes(*length).into());
        Ok(Some(Header { place, network, length }))
    }

    /// Why there is no record where one is expected. The first byte that is not zero is given.
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

    /// The next magic from a place on that begins before another.
    fn find_magic(&mut self, from: u64, until: u64) -> Result<Option<u64>, Problem> {
        // A magic that begins before it may end behind it.
        let end = self.file.length().min(until.saturating_add(3));
        let (mut start, mut window) = (from, FIRST_WINDOW);
        let mut bytes = Vec::new();
        while start + 4 <= end {
            self.file.read_at(start, window.min(end - start), &mut bytes)?;
            let magics = self.magics;
            let found = bytes.array_windows().position(|magic| magics.network_of(*magic).is_some());
            if let Some(found) = found {
                return Ok(Some(start + found as u64));
            }
            // The last three may begin one.
            start += bytes.len() as u64 - 3;
            window = WINDOW.min(2 * window);
        }
        Ok(None)
    }

    /// The first byte from a place on that is not zero in the file, before a key is undone.
    fn first_not_zero(&mut self, from: u64) -> Result<Option<u64>, Problem> {
        let (end, mut start, mut window) = (self.file.length(), from, FIRST_WINDOW);
        let mut bytes = Vec::new();
        while start < end {
            self.file.read_raw_at(start, window.min(end - start), &mut bytes)?;
            if let Some(place) = bytes.iter().position(|byte| *byte != 0) {
                return Ok(Some(start + place as u64));
            }
            start += bytes.len() as u64;
            window = WINDOW.min(2 * window);
        }
        Ok(None)
    }

    /// Where the zeros at the end begin, not before a place.
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

    /// Reports what is wrong behind the last record.
    fn end(&mut self, problems: &mut Vec<Problem>) -> Result<(), Problem> {
        let from = self.skipped.as_ref().map_or(self.next, |(from, _)| *from);
        let until = self.start_of_last_zeros(from)?;
        self.report_skipped(until, problems);
        let zeros = self.file.length() - until;
        if self.kind == RecordKind::Block && zeros > ALLOCATED_AHEAD {
            let what = format!("{zeros} zeros end the file; Bitcoin Core allocates at most {ALLOCATED_AHEAD} ahead");
            note(problems, self.problem_at(until, what));
        }
        Ok(())
    }

    fn report_skipped(&mut self, until: u64, problems: &mut Vec<Problem>) {
        if let Some((from, why)) = self.skipped.take() {
            let last = until.max(from + 1) - 1;
            note(problems, self.problem_at(from, format!("bytes {from} to {last} are skipped: {why}")));
        }
    }
}
