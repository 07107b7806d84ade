//! era1: headers and bodies of blocks, compressed, as records of the e2store format.
//!
//! <https://github.com/eth-clients/e2store-format-specs>, `formats/e2store.md` and `formats/era1.md`. A record is its
//! type (2 bytes), the length of its data (4 bytes), two zero bytes, all little-endian, and the data. A file may have
//! several groups of blocks one after the other. Receipts are not read.

use super::blocks::{LONGEST, number, place_in};
use super::decoded::Decoder;
use super::rlp;
use super::snappy::{claimed, decompress};
use super::transaction::List;
use super::{Content, PIECE, Piece};
use crate::files::Reader;
use crate::flow::HandOn;
use crate::limits::Limits;
use crate::problem::{Place, Problem, note};
use std::collections::VecDeque;
use std::fmt::Display;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;

/// The record that a file begins with: a version, without data.
pub const MAGIC: [u8; 8] = [0x65, 0x32, 0, 0, 0, 0, 0, 0];
const RECORD_HEADER: u64 = 8;
const COMPRESSED_HEADER: u16 = 3;
const COMPRESSED_BODY: u16 = 4;
const BLOCK_INDEX: u16 = 0x3266;
/// Bytes of an index beside its offsets: the first number and the count.
const INDEX_ENDS: u64 = 16;
/// Bytes of a block's header, of which there are some 600.
const LONGEST_HEADER: u64 = 1 << 20;
/// The most blocks that an index is believed to have: a file has 8192.
const MOST_INDEXED: u64 = 1 << 20;

/// Bytes of a usual transaction.
const USUAL: usize = 256;

/// Some blocks as they are in the file.
#[derive(Default)]
pub struct Tuples {
    bytes: Vec<u8>,
    blocks: VecDeque<Tuple>,
    /// Parts of blocks that stand alone, and what is no record.
    problems: Vec<Problem>,
    /// The longest body, decompressed, and all of them.
    longest: usize,
    decompressed: usize,
    /// The transactions of a body that are still to be read, and where its block begins in the file.
    open: Option<(u64, Vec<u8>, List)>,
}

/// A block's parts in the bytes.
struct Tuple {
    /// Where it begins in the file.
    place: u64,
    header: Range<usize>,
    body: Range<usize>,
}

/// Reads a file of records. Where one is not as it should be the index at the file's end tells where the next block
/// begins.
pub fn read(reader: &mut Reader, limits: &Limits, hand_on: &mut HandOn<Piece>) -> ControlFlow<()> {
    // Blocks of the present group.
    let (mut seen, mut starts, mut has_any) = (0, None, false);
    let longest = limits.whole_of(LONGEST);
    while !reader.at_end() {
        let start = reader.place();
        let mut tuples = Tuples::default();
        let is_lost = loop {
            let Err(problem) = tuples.fill(reader, longest, &mut seen) else { break false };
            let place = problem.place;
            note(&mut tuples.problems, problem);
            // Without an index the rest cannot be found, which the problem said.
            if !matches!(place, Place::Byte(place) if go_behind(reader, place, &mut starts)) {
                break true;
            }
        };
        let (read, problems) = (reader.place().saturating_sub(start), std::mem::take(&mut tuples.problems));
        has_any |= !tuples.blocks.is_empty() || !problems.is_empty();
        let mut piece = Piece::new(&reader.path, Content::Tuples(tuples), read);
        piece.progress.problems = problems;
        hand_on(piece)?;
        if is_lost {
            break;
        }
    }
    if has_any {
        return ControlFlow::Continue(());
    }
    let what = "there is no block in it: files of the beacon chain (.era) have others, which are not read";
    hand_on(Piece::problem(Problem::new(&reader.path, Place::Whole, what)))
}

impl Tuples {
    /// Bytes that are in memory until all blocks are decoded: beside them a body, and what is signed by a transaction
    /// of it, which may fill it.
    pub fn weight(&self) -> usize {
        self.bytes.len() + 3 * self.longest
    }

    /// Reads records until there is enough, whose data has at most this many bytes when it is decompressed.
    fn fill(&mut self, reader: &mut Reader, longest: u64, seen: &mut u64) -> Result<(), Problem> {
        let mut header: Option<(u64, Range<usize>)> = None;
        // A body follows its header, unless a file has headers alone.
        let is_full = |bytes: usize, has_header: bool| bytes >= PIECE && (!has_header || bytes as u64 > longest);
        while !is_full(self.bytes.len(), header.is_some()) && !reader.at_end() {
            let place = reader.place();
            let [low, high, a, b, c, d, zero, zero_too] = reader.read::<{ RECORD_HEADER as usize }>()?;
            let (kind, length) = (u16::from_le_bytes([low, high]), u64::from(u32::from_le_bytes([a, b, c, d])));
            if (zero, zero_too) != (0, 0) {
                return Err(reader.problem_at(place, "a record was to begin here"));
            }
            if length > reader.left() {
                let left = reader.left();
                return Err(
                    reader.problem_at(place, format!("the record is to have {length} bytes, and {left} follow"))
                );
            }
            match kind {
                COMPRESSED_HEADER => {
                    self.require_none(reader, header.take());
                    let found = self.append(reader, place, length, longest.min(LONGEST_HEADER))?;
                    header = found.map(|(bytes, _)| (place, bytes));
                }
                COMPRESSED_BODY => {
                    let body = self.append(reader, place, length, longest)?;
                    *seen += 1;
                    match (header.take(), body) {
                        (Some((place, header)), Some((body, decompressed))) => {
                            self.longest = self.longest.max(decompressed);
                            self.decompressed += decompressed;
                            self.blocks.push_back(Tuple { place, header, body });
                        }
                        (None, Some(_)) => self.note(reader, place, "a block's body without its header"),
                        (_, None) => {}
                    }
                }
                // A length that was not right may have led over some blocks.
                BLOCK_INDEX if length >= INDEX_ENDS => {
                    reader.skip(length - 8)?;
                    let count = u64::from_le_bytes(reader.read()?);
                    if count != std::mem::take(seen) {
                        self.note(reader, place, format!("of {count} blocks some were not found"));
                    }
                }
                // Others are skipped, as the format asks for.
                _ => reader.skip(length)?,
            }
        }
        self.require_none(reader, header);
        Ok(())
    }

    fn note(&mut self, reader: &Reader, place: u64, what: impl Display) {
        note(&mut self.problems, reader.problem_at(place, what));
    }

    /// Notes a header whose body does not come.
    fn require_none(&mut self, reader: &Reader, header: Option<(u64, Range<usize>)>) {
        if let Some((place, _)) = header {
            self.note(reader, place, "a block's header without its body");
        }
    }

    /// Appends data that is to be decompressed to at most this many bytes. Gives where it is, and to how many. More is
    /// noted and skipped.
    fn append(
        &mut self,
        reader: &mut Reader,
        place: u64,
        length: u64,
        longest: u64,
    ) -> Result<Option<(Range<usize>, usize)>, Problem> {
        let start = self.bytes.len();
        let mut bytes = length;
        if length <= longest {
            reader.append(length, &mut self.bytes)?;
            bytes = claimed(&self.bytes[start..]);
            if bytes <= longest {
                return Ok(Some((start..self.bytes.len(), bytes as usize)));
            }
            self.bytes.truncate(start);
        } else {
            reader.skip(length)?;
        }
        self.note(reader, place, format!("a part of a block of {bytes} bytes is above the limit of {longest}"));
        Ok(None)
    }
}

/// Where blocks begin, in order, and where the file ends.
struct Starts {
    places: Vec<u64>,
    end: u64,
}

impl Starts {
    /// Reads the index that the file ends with.
    fn read(reader: &mut Reader) -> Result<Self, Problem> {
        let end = reader.place().saturating_add(reader.left());
        let no_index = |reader: &Reader| reader.problem("the file ends with no index");
        reader.go_to(end.saturating_sub(8))?;
        let count = u64::from_le_bytes(reader.read()?);
        let length = 8 * count.min(MOST_INDEXED) + INDEX_ENDS;
        let index = end.checked_sub(RECORD_HEADER + length).ok_or_else(|| no_index(reader))?;
        reader.go_to(index)?;
        let kind: [u8; 2] = reader.read()?;
        if count > MOST_INDEXED || kind != BLOCK_INDEX.to_le_bytes() {
            return Err(no_index(reader));
        }
        reader.go_to(index + RECORD_HEADER + 8)?;
        let mut places = Vec::new();
        for _ in 0..count {
            // Seen from the index, and so negative.
            let offset = i64::from_le_bytes(reader.read()?);
            places.extend(index.checked_add_signed(offset).filter(|place| *place < index));
        }
        places.sort_unstable();
        Ok(Starts { places, end })
    }

    /// The first behind a place, or the end.
    fn behind(&self, place: u64) -> u64 {
        let next = self.places.partition_point(|start| *start <= place);
        self.places.get(next).copied().unwrap_or(self.end)
    }
}

/// Goes to the first block behind a place, by the index, which is read when it is first needed. Stays where there is
/// none. Whether there was one.
fn go_behind(reader: &mut Reader, place: u64, starts: &mut Option<Option<Starts>>) -> bool {
    let here = reader.place();
    let starts = starts.get_or_insert_with(|| Starts::read(reader).ok());
    let next = starts.as_ref().map(|starts| starts.behind(place));
    reader.go_to(next.unwrap_or(here)).is_ok() && next.is_some()
}

impl Decoder<'_> {
    /// Adds the transactions of blocks until there is enough. Whether that were all.
    pub fn add_tuples(&mut self, path: &Arc<Path>, tuples: &mut Tuples) -> bool {
        let Tuples { bytes, blocks, decompressed, open, .. } = tuples;
        self.reserve(*decompressed / USUAL, *decompressed);
        let mut header = Vec::new();
        let mut list = open.take().map(|(place, body, mut list)| {
            let start = self.to.hashed.text.len();
            self.to.hashed.text.extend_from_slice(&body);
            list.rest = start..start + body.len();
            (place, list)
        });
        while !self.is_full() {
            if let Some((place, list_of_block)) = &mut list {
                if let Err(what) = self.add_list_of_text(list_of_block) {
                    note(&mut self.to.progress.problems, Problem::new(path, Place::Byte(*place), of_body(what)));
                }
                list.take_if(|(_, list)| list.is_empty());
                continue;
            }
            let Some(block) = blocks.pop_front() else { return true };
            match self.begin(&mut header, bytes, &block) {
                Ok(begun) => list = begun.map(|list| (block.place, list)),
                Err(what) => note(&mut self.to.progress.problems, Problem::new(path, Place::Byte(block.place), what)),
            }
        }
        *open = list.map(|(place, list)| {
            let text = &mut self.to.hashed.text;
            text.truncate(list.rest.end);
            (place, text.split_off(list.rest.start), list)
        });
        open.is_none() && blocks.is_empty()
    }

    /// Decompresses the body of a block that is wanted to where its transactions are hashed.
    fn begin(&mut self, header: &mut Vec<u8>, bytes: &[u8], block: &Tuple) -> Result<Option<List>, String> {
        let of_data = |problem| format!("the compressed data: {problem}");
        header.clear();
        decompress(&bytes[block.header.clone()], header).map_err(of_data)?;
        let number = number(&mut header.as_slice()).map_err(|problem| format!("the block's header: {problem}"))?;
        if !self.wants(Some(number)) {
            return Ok(None);
        }
        let text = &mut self.to.hashed.text;
        let start = text.len();
        let decompressed = decompress(&bytes[block.body.clone()], text).map_err(of_data);
        let found = decompressed.and_then(|()| transactions_of(&text[start..]).map_err(of_body));
        match found {
            Ok(Range { start: first, end }) => Ok(Some(List::new(start + first..start + end, Some(number)))),
            Err(what) => {
                text.truncate(start);
                Err(what)
            }
        }
    }
}

fn of_body(problem: &str) -> String {
    format!("the block's body: {problem}")
}

/// Where the transactions of a block's body are: a list that begins with theirs.
fn transactions_of(body: &[u8]) -> rlp::Result<Range<usize>> {
    let mut rest = body;
    let mut parts = rlp::list(&mut rest)?;
    Ok(place_in(body, rlp::list(&mut parts)?))
}
