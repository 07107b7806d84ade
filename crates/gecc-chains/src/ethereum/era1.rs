//! era1: headers and bodies of blocks, compressed, as records of the e2store format.
//!
//! <https://github.com/eth-clients/e2store-format-specs>, `formats/e2store.md` and `formats/era1.md`. A record is its
//! type (2 bytes), the length of its data (4 bytes), two zero bytes, all little-endian, and the data. A file may have
//! several groups of blocks one after the other. Receipts are not read.

use super::blocks::{LONGEST, number};
use super::decoded::Decoder;
use super::{Content, PIECE, Piece};
use crate::files::Reader;
use crate::flow::HandOn;
use crate::problem::{Place, Problem, note};
use snap::read::FrameDecoder;
use std::io::Read;
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
/// The most blocks that an index is believed to have: a file has 8192.
const MOST_INDEXED: u64 = 1 << 20;

/// Some blocks as they are in the file.
#[derive(Default)]
pub struct Tuples {
    bytes: Vec<u8>,
    blocks: Vec<Tuple>,
    /// Parts of blocks that stand alone.
    problems: Vec<Problem>,
}

/// A block's parts in the bytes.
#[derive(Clone)]
struct Tuple {
    /// Where it begins in the file.
    place: u64,
    header: Range<usize>,
    body: Range<usize>,
}

/// Reads a file of records. Where one is not as it should be the index at the file's end tells where the next block
/// begins.
pub fn read(reader: &mut Reader, hand_on: &mut HandOn<Piece>) -> ControlFlow<()> {
    // Blocks of the present group.
    let mut seen = 0;
    while reader.left() > 0 {
        let start = reader.place();
        let mut tuples = Tuples::default();
        let ended = tuples.fill(reader, &mut seen);
        let read = reader.place();
        let problems = std::mem::take(&mut tuples.problems);
        hand_on(Piece::new(&reader.path, Content::Tuples(tuples), read - start).with(problems))?;
        if let Err(problem) = ended {
            let Place::Byte(place) = problem.place else { return hand_on(Piece::problem(problem)) };
            hand_on(Piece::problem(problem))?;
            match next_block(reader, place) {
                Ok(next) => hand_on(Piece::new(&reader.path, Content::Nothing, next.saturating_sub(read)))?,
                // Without an index the rest cannot be found, which the problem said.
                Err(_) => return ControlFlow::Continue(()),
            }
        }
    }
    ControlFlow::Continue(())
}

impl Tuples {
    /// Reads records until there is enough.
    fn fill(&mut self, reader: &mut Reader, seen: &mut u64) -> Result<(), Problem> {
        let mut header: Option<(u64, Range<usize>)> = None;
        // A body follows its header, unless a file has headers alone.
        let is_full = |bytes: usize, has_header: bool| bytes >= PIECE && (!has_header || bytes as u64 > LONGEST);
        while reader.left() > 0 && !is_full(self.bytes.len(), header.is_some()) {
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
                    header = Some((place, self.append(reader, place, length)?));
                }
                COMPRESSED_BODY => {
                    let body = self.append(reader, place, length)?;
                    *seen += 1;
                    match header.take() {
                        Some((place, header)) => self.blocks.push(Tuple { place, header, body }),
                        None => note(&mut self.problems, reader.problem_at(place, "a block's body without its header")),
                    }
                }
                // A length that was not right may have led over some blocks.
                BLOCK_INDEX if length >= INDEX_ENDS => {
                    reader.skip(length - 8)?;
                    let count = u64::from_le_bytes(reader.read()?);
                    if count != std::mem::take(seen) {
                        note(
                            &mut self.problems,
                            reader.problem_at(place, format!("of {count} blocks some were not found")),
                        );
                    }
                }
                // Others are skipped, as the format asks for.
                _ => reader.skip(length)?,
            }
        }
        self.require_none(reader, header);
        Ok(())
    }

    /// Notes a header whose body does not come.
    fn require_none(&mut self, reader: &Reader, header: Option<(u64, Range<usize>)>) {
        if let Some((place, _)) = header {
            note(&mut self.problems, reader.problem_at(place, "a block's header without its body"));
        }
    }

    fn append(&mut self, reader: &mut Reader, place: u64, length: u64) -> Result<Range<usize>, Problem> {
        if length > LONGEST {
            return Err(reader
                .problem_at(place, format!("a part of a block of {length} bytes is above the limit of {LONGEST}")));
        }
        let start = self.bytes.len();
        reader.append(length, &mut self.bytes)?;
        Ok(start..self.bytes.len())
    }
}

/// Goes to the first block behind a place, by the index that the file ends with.
fn next_block(reader: &mut Reader, behind: u64) -> Result<u64, Problem> {
    let end = reader.place() + reader.left();
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
    let mut next = None;
    for _ in 0..count {
        // Seen from the index, and so negative.
        let offset = i64::from_le_bytes(reader.read()?);
        let place = index.checked_add_signed(offset).filter(|place| *place > behind && *place < index);
        next = next.into_iter().chain(place).min();
    }
    let next = next.unwrap_or(end);
    reader.go_to(next)?;
    Ok(next)
}

impl Decoder<'_> {
    /// Adds the transactions of blocks.
    pub fn add_tuples(&mut self, path: &Arc<Path>, tuples: &Tuples) {
        let (mut frames, mut header, mut body) = (Frames::new(), Vec::new(), Vec::new());
        for block in &tuples.blocks {
            let mut add = || {
                frames.decompress(&tuples.bytes[block.header.clone()], &mut header)?;
                let number =
                    number(&mut header.as_slice()).map_err(|problem| format!("the block's header: {problem}"))?;
                if !self.wants(Some(number)) {
                    return Ok(());
                }
                frames.decompress(&tuples.bytes[block.body.clone()], &mut body)?;
                self.add_body(&body, Some(number)).map_err(|problem| format!("the block's body: {problem}"))
            };
            let added: Result<(), String> = add();
            if let Err(what) = added {
                note(&mut self.to.progress.problems, Problem::new(path, Place::Byte(block.place), what));
            }
        }
    }
}

/// Decompresses data in snappy's framing format, with memory that serves one after the other.
struct Frames<'a>(FrameDecoder<&'a [u8]>);

impl<'a> Frames<'a> {
    fn new() -> Self {
        Frames(FrameDecoder::new(&[]))
    }

    /// Gives up where the data would become longer than any block.
    fn decompress(&mut self, compressed: &'a [u8], to: &mut Vec<u8>) -> Result<(), String> {
        to.clear();
        *self.0.get_mut() = compressed;
        let read = self.0.by_ref().take(LONGEST + 1).read_to_end(to);
        let outcome = match read {
            Ok(length) if length as u64 > LONGEST => Err(format!("a part of a block has more than {LONGEST} bytes")),
            Ok(_) => Ok(()),
            Err(problem) => Err(format!("the compressed data: {problem}")),
        };
        if outcome.is_err() {
            // What it was in the middle of does not belong to the next.
            *self = Frames::new();
        }
        outcome
    }
}
