//! era1 and other e2store files with blocks: headers and bodies, compressed, as records.
//!
//! <https://github.com/eth-clients/e2store-format-specs>, `formats/e2store.md`, `formats/era1.md`,
//! `formats/ere.md` and `formats/e2hs.md`. A record is its type (2 bytes), the length of its data
//! (4 bytes), two zero bytes, all little-endian, and the data. In era1 and E2HS, the body of a
//! block follows its header; in ere, all headers of a file come before all bodies. A file may
//! contain several consecutive groups of blocks, each with an index at its end. Receipts and proofs
//! are not read.

use super::blocks::{self, BlockHeader, LONGEST, place_in};
use super::decoded::Decoder;
use super::e2store::{BlockGroup, BlockIndex, LONGEST_INDEX, MOST_BLOCKS, PlacedHeader};
use super::rlp;
use super::snappy::{claimed, decompress};
use super::transaction::{TransactionList, transactions};
use super::trie::{other_root, transactions_root};
use super::{PIECE, Piece, PieceContent};
use crate::BlockRange;
use crate::files::FileReader;
use crate::flow::PieceSink;
use crate::limits::Limits;
use crate::problem::{FilePosition, Problem, note};
use sha3::{Digest, Keccak256};
use std::collections::VecDeque;
use std::fmt::Display;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;

/// The record at the beginning of a file: a version, without data.
pub const MAGIC: [u8; 8] = [0x65, 0x32, 0, 0, 0, 0, 0, 0];
const RECORD_HEADER: u64 = 8;
const VERSION: u16 = 0x3265;
const COMPRESSED_HEADER: u16 = 3;
/// A header with a proof that it belongs to the chain (E2HS).
const HEADER_WITH_PROOF: u16 = 0x0103;
const COMPRESSED_BODY: u16 = 4;
const TOTAL_DIFFICULTY: u16 = 6;
const ACCUMULATOR: u16 = 7;
/// Indexes of blocks: with one offset per block, and with one per component of each block. Early
/// ere files have the latter under the number of the former.
const BLOCK_INDEX: u16 = 0x3266;
const DYNAMIC_INDEX: u16 = 0x3267;
/// Length in bytes of an index without its offsets: the first number and the count.
const INDEX_ENDS: u64 = 16;
/// Maximum length in bytes of a block's header, which usually has some 600.
const LONGEST_HEADER: u64 = 1 << 20;
/// Maximum number of offsets in the indexes that are used to find blocks.
const MOST_INDEXED: u64 = 1 << 20;

/// Typical length of a transaction in bytes.
const USUAL: usize = 256;

/// Blocks in the encoding of the file.
#[derive(Default)]
pub struct BlockTuples {
    bytes: Vec<u8>,
    blocks: VecDeque<BlockTuple>,
    /// The length of the longest body after decompression, and of all bodies together.
    longest: usize,
    decompressed: usize,
    /// The unread transactions of a body, and the position of its block in the file.
    open: Option<(u64, Vec<u8>, TransactionList)>,
}

/// The body of a block, as a range of the bytes.
struct BlockTuple {
    /// The position of the block in the file, or of its body if headers are stored elsewhere.
    place: u64,
    body: Range<usize>,
    header: HeaderOfBody,
}

/// The header of a body.
enum HeaderOfBody {
    /// The header immediately before it in the file.
    Before(BlockHeader),
    /// One of all headers of the group: the one with the same position in their order, unless
    /// records were lost.
    AmongAll {
        headers: Arc<[PlacedHeader]>,
        place: Option<usize>,
    },
}

/// Reads a file of records. After a damaged record, the indexes at the file's end are used to find
/// the next block. Bodies of blocks that are not selected are skipped.
pub fn read(
    reader: &mut FileReader,
    limits: &Limits,
    wanted: BlockRange,
    hand_on: &mut PieceSink<Piece>,
) -> ControlFlow<()> {
    let mut records = RecordReader {
        longest: limits.whole_of(LONGEST),
        wanted,
        ..RecordReader::default()
    };
    let mut starts = None;
    let mut has_any = false;
    while !reader.at_end() {
        let start = reader.place();
        let mut tuples = BlockTuples::default();
        let is_lost = loop {
            let Err(problem) = records.fill(&mut tuples, reader) else {
                break false;
            };
            let place = problem.place;
            note(&mut records.problems, problem);
            records.lose();
            // Without an index, the rest cannot be found; the problem covers that.
            let FilePosition::Byte(place) = place else {
                break true;
            };
            match skip_to_next_block(reader, place, &mut starts) {
                None => break true,
                // The next group is undamaged.
                Some(OtherGroup(true)) => records.begin_group(),
                Some(OtherGroup(false)) => {}
            }
        };
        if reader.at_end() || is_lost {
            records.end(reader);
        }
        let read = reader.place().saturating_sub(start);
        let problems = std::mem::take(&mut records.problems);
        has_any |= records.has_any || !problems.is_empty();
        let mut piece = Piece::new(&reader.path, PieceContent::BlockTuples(tuples), read);
        piece.progress.problems = problems;
        hand_on(piece)?;
        if is_lost {
            break;
        }
    }
    if has_any {
        return ControlFlow::Continue(());
    }
    let what = "the file contains no blocks of the execution chain; those of the beacon chain (.era) are not read";
    hand_on(Piece::problem(Problem::new(
        &reader.path,
        FilePosition::Whole,
        what,
    )))
}

/// The state of reading the records of a file.
#[derive(Default)]
struct RecordReader {
    /// Maximum length in bytes of a decompressed body.
    longest: u64,
    wanted: BlockRange,
    problems: Vec<Problem>,
    /// True if there was a header or a body.
    has_any: bool,
    group: BlockGroup,
    /// True if the current group began with a version.
    has_version: bool,
    /// Headers of the group whose bodies were not read yet.
    waiting: VecDeque<PlacedHeader>,
    /// All headers of the group if they come before all bodies, and the number of bodies that
    /// followed them.
    all: Option<Arc<[PlacedHeader]>>,
    following: usize,
    /// True if bodies may have been lost, so that their positions in the order are not known.
    has_lost: bool,
    /// Scratch memory for decompressing a header.
    scratch: Vec<u8>,
}

impl RecordReader {
    fn note(&mut self, reader: &FileReader, place: u64, what: impl Display) {
        note(&mut self.problems, reader.problem_at(place, what));
    }

    /// Reads records until there are enough for a piece.
    fn fill(&mut self, tuples: &mut BlockTuples, reader: &mut FileReader) -> Result<(), Problem> {
        while tuples.bytes.len() < PIECE && !reader.at_end() {
            let place = reader.place();
            let [low, high, a, b, c, d, zero, zero_too] =
                reader.read::<{ RECORD_HEADER as usize }>()?;
            let kind = u16::from_le_bytes([low, high]);
            let length = u64::from(u32::from_le_bytes([a, b, c, d]));
            if zero != 0 || zero_too != 0 {
                return Err(reader.problem_at(place, "expected a record here"));
            }
            if length > reader.left() {
                let left = reader.left();
                return Err(reader.problem_at(
                    place,
                    format!("the record states {length} bytes, but only {left} follow"),
                ));
            }
            match kind {
                VERSION => {
                    self.end_without_index(reader, place);
                    self.has_version = true;
                    reader.skip(length)?;
                }
                COMPRESSED_HEADER | HEADER_WITH_PROOF => {
                    let has_proof = kind == HEADER_WITH_PROOF;
                    let header = self.header(reader, place, length, has_proof)?;
                    self.add_header(reader, place, header, has_proof);
                }
                COMPRESSED_BODY => self.add_body(tuples, reader, place, length)?,
                TOTAL_DIFFICULTY if length == 32 => {
                    let difficulty = reader.read()?;
                    self.group.add_difficulty(&difficulty);
                }
                ACCUMULATOR if length == 32 => {
                    let root = reader.read()?;
                    self.group.add_accumulator(root);
                }
                BLOCK_INDEX | DYNAMIC_INDEX if length >= INDEX_ENDS => {
                    self.add_index(reader, place, length)?
                }
                // Other records are skipped, as the format requires.
                _ => reader.skip(length)?,
            }
        }
        Ok(())
    }

    /// Reads a header. A malformed header is a problem of its block only.
    fn header(
        &mut self,
        reader: &mut FileReader,
        place: u64,
        length: u64,
        has_proof: bool,
    ) -> Result<Option<BlockHeader>, Problem> {
        let longest = self.longest.min(LONGEST_HEADER);
        let mut data = Vec::new();
        let found = self.append(reader, place, length, longest, &mut data)?;
        if found.is_none() {
            return Ok(None);
        }
        self.scratch.clear();
        let decompressed = decompress(&data, &mut self.scratch)
            .map_err(|problem| format!("the compressed data: {problem}"));
        let header = decompressed.and_then(|()| {
            let parsed = parse_header(&self.scratch, has_proof);
            parsed.map_err(|problem| format!("the block's header: {problem}"))
        });
        match header {
            Ok(header) => Ok(Some(header)),
            Err(what) => {
                self.note(reader, place, what);
                Ok(None)
            }
        }
    }

    fn add_header(
        &mut self,
        reader: &FileReader,
        place: u64,
        header: Option<BlockHeader>,
        has_proof: bool,
    ) {
        self.has_any = true;
        self.group.has_proofs |= has_proof;
        if self.group.body_count > 0 {
            // Body and header alternate: the body of the previous block should have come first.
            self.end_waiting(reader);
            self.all = None;
        }
        self.group.add_header(place, header.as_ref());
        if self.waiting.len() < MOST_BLOCKS {
            self.waiting.push_back((place, header));
        } else {
            let what = format!(
                "more than {MOST_BLOCKS} headers precede their bodies; this one is skipped"
            );
            self.group.is_damaged = true;
            self.note(reader, place, what);
        }
    }

    /// Reports headers without bodies.
    fn end_waiting(&mut self, reader: &FileReader) {
        let waiting = std::mem::take(&mut self.waiting);
        // If records were lost, it is not known which bodies were among them.
        if self.has_lost && (self.all.is_some() || self.group.body_count == 0) {
            return;
        }
        // Headers that could not be read have been reported before.
        let mut readable = waiting
            .iter()
            .filter_map(|(place, header)| Some((*place, header.as_ref()?.number)));
        let Some((place, number)) = readable.next() else {
            return;
        };
        match readable.count() {
            0 => self.note(reader, place, "a block's header without its body"),
            more => self.note(
                reader,
                place,
                format!(
                    "{} headers without their bodies, from block {number} on",
                    more + 1
                ),
            ),
        }
    }

    fn add_body(
        &mut self,
        tuples: &mut BlockTuples,
        reader: &mut FileReader,
        place: u64,
        length: u64,
    ) -> Result<(), Problem> {
        self.has_any = true;
        if self.group.body_count == 0 && (self.waiting.len() > 1 || self.has_lost) {
            self.group.is_headers_first = self.waiting.len() > 1;
            self.all = Some(self.waiting.iter().cloned().collect());
            self.following = 0;
        }
        self.group.add_body(place);
        let next = self.waiting.pop_front();
        let (place, header) = match (self.all.clone(), next) {
            (Some(headers), next) => {
                let order = self.following;
                self.following += 1;
                let order = Some(order).filter(|order| !self.has_lost && *order < headers.len());
                // A header that could not be read has been reported before.
                if order.is_some() && matches!(next, Some((_, None))) {
                    return reader.skip(length);
                }
                (
                    place,
                    HeaderOfBody::AmongAll {
                        headers,
                        place: order,
                    },
                )
            }
            (None, Some((place, Some(header)))) => (place, HeaderOfBody::Before(header)),
            (None, Some((_, None))) => return reader.skip(length),
            (None, None) => {
                reader.skip(length)?;
                self.note(reader, place, "a block's body without its header");
                return Ok(());
            }
        };
        if header
            .number()
            .is_some_and(|number| !self.wanted.wants(Some(number)))
        {
            return reader.skip(length);
        }
        let longest = self.longest;
        if let Some((body, decompressed)) =
            self.append(reader, place, length, longest, &mut tuples.bytes)?
        {
            tuples.longest = tuples.longest.max(decompressed);
            tuples.decompressed += decompressed;
            tuples.blocks.push_back(BlockTuple {
                place,
                body,
                header,
            });
        }
        Ok(())
    }

    /// Appends compressed data, and returns its range and its decompressed length. Data that is
    /// longer than `longest`, compressed or decompressed, is reported and skipped.
    fn append(
        &mut self,
        reader: &mut FileReader,
        place: u64,
        length: u64,
        longest: u64,
        to: &mut Vec<u8>,
    ) -> Result<Option<(Range<usize>, usize)>, Problem> {
        let start = to.len();
        let mut bytes = length;
        if length <= longest {
            reader.append(length, to)?;
            bytes = claimed(&to[start..]);
            if bytes <= longest {
                return Ok(Some((start..to.len(), bytes as usize)));
            }
            to.truncate(start);
        } else {
            reader.skip(length)?;
        }
        self.note(
            reader,
            place,
            format!("a part of a block of {bytes} bytes is above the limit of {longest}"),
        );
        Ok(None)
    }

    /// Reads an index, compares the group with it, and ends the group.
    fn add_index(
        &mut self,
        reader: &mut FileReader,
        place: u64,
        length: u64,
    ) -> Result<(), Problem> {
        let differences = if length <= LONGEST_INDEX && length.is_multiple_of(8) {
            let mut words = Vec::with_capacity(length as usize / 8);
            for _ in 0..length / 8 {
                words.push(u64::from_le_bytes(reader.read()?));
            }
            match BlockIndex::parse(words) {
                Ok(index) => self.group.compare(&index, place),
                Err(problem) => vec![problem.to_owned()],
            }
        } else {
            reader.skip(length - 8)?;
            let count = u64::from_le_bytes(reader.read()?);
            let most = format!("the index is longer than one of {MOST_BLOCKS} blocks");
            self.group
                .count_difference(count)
                .into_iter()
                .chain([most])
                .take(1)
                .collect()
        };
        self.end_waiting(reader);
        differences
            .into_iter()
            .for_each(|what| self.note(reader, place, what));
        self.begin_group();
        Ok(())
    }

    fn begin_group(&mut self) {
        self.group = BlockGroup::default();
        self.has_version = false;
        self.waiting.clear();
        self.all = None;
        self.has_lost = false;
    }

    /// Ends a group without an index.
    fn end_without_index(&mut self, reader: &FileReader, place: u64) {
        self.end_waiting(reader);
        if self.group.has_blocks() && !self.group.is_damaged {
            self.note(reader, place, NO_INDEX);
        }
        self.begin_group();
    }

    /// Ends the last group at the end of the file.
    fn end(&mut self, reader: &FileReader) {
        // A version after which nothing follows begins a group, too, unless it is the whole file.
        let is_begun = self.has_version && self.has_any;
        let is_damaged = self.group.is_damaged;
        self.end_waiting(reader);
        if (self.group.has_blocks() || is_begun) && !is_damaged {
            self.note(reader, reader.place(), NO_INDEX);
        }
        self.begin_group();
    }

    /// Records the loss of records: the index is used to find the next ones.
    fn lose(&mut self) {
        self.group.is_damaged = true;
        self.has_lost = true;
        // If bodies follow their headers, either one or the other is lost. Before the first body,
        // the order is not known yet.
        if self.all.is_none() && self.group.body_count > 0 {
            self.waiting.clear();
        }
    }
}

const NO_INDEX: &str = "the index of the preceding blocks is missing: the file was cut here, and blocks may be missing too";

/// Parses a header, which is stored alone or in an SSZ container before its proof (E2HS).
fn parse_header(data: &[u8], has_proof: bool) -> Result<BlockHeader, &'static str> {
    const FORM: &str = "it is not a header with a proof";
    let mut encoded = data;
    if has_proof {
        let ([start, end], _) = data.as_chunks::<4>().0.split_first_chunk().ok_or(FORM)?;
        let [start, end] = [start, end].map(|offset| u32::from_le_bytes(*offset) as usize);
        encoded = data.get(start..end).filter(|_| start == 8).ok_or(FORM)?;
    }
    let whole = encoded;
    let header = blocks::header(&mut encoded)?;
    rlp::end(encoded).map_err(|_| "bytes follow its end")?;
    Ok(BlockHeader {
        hash: Keccak256::digest(whole).into(),
        ..header
    })
}

impl HeaderOfBody {
    /// Returns the number of the block, if its header is already known.
    fn number(&self) -> Option<u64> {
        match self {
            HeaderOfBody::Before(header) => Some(header.number),
            HeaderOfBody::AmongAll { headers, place } => {
                Some(headers[(*place)?].1.as_ref()?.number)
            }
        }
    }
}

impl BlockTuples {
    /// Returns the memory in bytes that is in use until all blocks are decoded. In addition to the
    /// blocks, it covers a body, the signed message of a transaction in it, which may fill it, and
    /// references to the nodes of its trie.
    pub fn weight(&self) -> usize {
        self.bytes.len() + 6 * self.longest
    }
}

/// The positions of headers, bodies and indexes, in order, and the end of the file.
struct BlockPositions {
    places: Vec<u64>,
    indexes: Vec<u64>,
    end: u64,
}

/// True if the next block belongs to another group than the last one.
struct OtherGroup(bool);

impl BlockPositions {
    /// Reads the indexes of all groups, from the one at the end of the file to the first.
    fn read(reader: &mut FileReader) -> Result<Self, Problem> {
        let end = reader.place().saturating_add(reader.left());
        let mut starts = BlockPositions {
            places: Vec::new(),
            indexes: Vec::new(),
            end,
        };
        let mut group_end = end;
        while let Some(first) = starts.add_group(reader, group_end)? {
            // The version comes before the first header, and the previous group before the version.
            group_end = first.saturating_sub(RECORD_HEADER);
        }
        if starts.places.is_empty() {
            return Err(reader.problem("the file ends with no index"));
        }
        starts.places.sort_unstable();
        starts.places.dedup();
        starts.indexes.sort_unstable();
        Ok(starts)
    }

    /// Reads the index that ends at `end`. Returns the position of its first block; `None` if there
    /// is no index.
    fn add_group(&mut self, reader: &mut FileReader, end: u64) -> Result<Option<u64>, Problem> {
        let Some(place) = end.checked_sub(16) else {
            return Ok(None);
        };
        reader.go_to(place)?;
        let [components, count] = [
            u64::from_le_bytes(reader.read()?),
            u64::from_le_bytes(reader.read()?),
        ];
        for (kinds, words) in [
            (&[BLOCK_INDEX][..], count.checked_add(2)),
            (
                &[DYNAMIC_INDEX, BLOCK_INDEX][..],
                count
                    .checked_mul(components)
                    .and_then(|all| all.checked_add(3)),
            ),
        ] {
            let words = words.filter(|words| {
                *words <= MOST_INDEXED && *words + self.places.len() as u64 <= MOST_INDEXED
            });
            let Some(index) = words.and_then(|words| end.checked_sub(RECORD_HEADER + 8 * words))
            else {
                continue;
            };
            let words = words.unwrap_or_default();
            reader.go_to(index)?;
            let [low, high, a, b, c, d, ..]: [u8; RECORD_HEADER as usize] = reader.read()?;
            let is_index = kinds.contains(&u16::from_le_bytes([low, high]));
            if !is_index || u64::from(u32::from_le_bytes([a, b, c, d])) != 8 * words {
                continue;
            }
            let mut all = Vec::with_capacity(words as usize);
            for _ in 0..words {
                all.push(u64::from_le_bytes(reader.read()?));
            }
            let Ok(parsed) = BlockIndex::parse(all) else {
                continue;
            };
            self.indexes.push(index);
            let known = self.places.len();
            for block in 0..parsed.count {
                let of_block = [0, 1].map(|component| parsed.place(index, block, component));
                self.places.extend(
                    of_block
                        .into_iter()
                        .flatten()
                        .filter(|place| *place < index),
                );
            }
            return Ok(self.places[known..].iter().copied().min());
        }
        Ok(None)
    }

    /// Returns the first position after `place`, or the end of the file.
    fn next_after(&self, place: u64) -> u64 {
        let next = self.places.partition_point(|start| *start <= place);
        self.places.get(next).copied().unwrap_or(self.end)
    }
}

/// Moves to the first block after `place`, using the indexes, which are read when they are first
/// needed. Does not move if there are no indexes.
fn skip_to_next_block(
    reader: &mut FileReader,
    place: u64,
    starts: &mut Option<Option<BlockPositions>>,
) -> Option<OtherGroup> {
    let here = reader.place();
    let starts = starts.get_or_insert_with(|| BlockPositions::read(reader).ok());
    let Some(starts) = starts else {
        // The search for indexes moved the position.
        let _ = reader.go_to(here);
        return None;
    };
    let next = starts.next_after(place);
    reader.go_to(next).ok()?;
    Some(OtherGroup(
        starts
            .indexes
            .iter()
            .any(|index| (place..next).contains(index)),
    ))
}

impl Decoder<'_> {
    /// Adds the transactions of blocks until the part is full. Returns whether all were added.
    pub fn add_tuples(&mut self, path: &Arc<Path>, tuples: &mut BlockTuples) -> bool {
        let BlockTuples {
            bytes,
            blocks,
            decompressed,
            open,
            ..
        } = tuples;
        self.reserve(*decompressed / USUAL, *decompressed);
        let mut list = open.take().map(|(place, body, mut list)| {
            let start = self.to.hashed.text.len();
            self.to.hashed.text.extend_from_slice(&body);
            list.rest = start..start + body.len();
            (place, list)
        });
        while !self.is_full() {
            if let Some((place, list_of_block)) = &mut list {
                if let Err(what) = self.add_list_of_text(list_of_block) {
                    note(
                        &mut self.to.progress.problems,
                        Problem::new(path, FilePosition::Byte(*place), of_body(what)),
                    );
                }
                list.take_if(|(_, list)| list.is_empty());
                continue;
            }
            let Some(block) = blocks.pop_front() else {
                return true;
            };
            let place = FilePosition::Byte(block.place);
            match self.begin(path, bytes, &block) {
                Ok(begun) => list = begun.map(|list| (block.place, list)),
                Err(what) => note(
                    &mut self.to.progress.problems,
                    Problem::new(path, place, what),
                ),
            }
        }
        *open = list.map(|(place, list)| {
            let text = &mut self.to.hashed.text;
            text.truncate(list.rest.end);
            (place, text.split_off(list.rest.start), list)
        });
        open.is_none() && blocks.is_empty()
    }

    /// Decompresses the body of a block into the hashed text, and compares it with its header.
    fn begin(
        &mut self,
        path: &Arc<Path>,
        bytes: &[u8],
        block: &BlockTuple,
    ) -> Result<Option<TransactionList>, String> {
        let text = &mut self.to.hashed.text;
        let start = text.len();
        let decompressed = decompress(&bytes[block.body.clone()], text);
        let decompressed =
            decompressed.map_err(|problem| format!("the compressed data: {problem}"));
        let found = decompressed.and_then(|()| transactions_of(&text[start..]).map_err(of_body));
        let range = match found {
            Ok(Range { start: first, end }) => start + first..start + end,
            Err(what) => {
                text.truncate(start);
                return Err(what);
            }
        };
        let text = std::mem::take(&mut self.to.hashed.text);
        let list = self.list_of(path, block, &text, range);
        self.to.hashed.text = text;
        if !matches!(list, Ok(Some(_))) {
            self.to.hashed.text.truncate(start);
        }
        list
    }

    /// Returns the list of a block's transactions, which are in `range` of the text, if the block
    /// is selected.
    fn list_of(
        &mut self,
        path: &Arc<Path>,
        block: &BlockTuple,
        text: &[u8],
        range: Range<usize>,
    ) -> Result<Option<TransactionList>, String> {
        let place = FilePosition::Byte(block.place);
        match &block.header {
            HeaderOfBody::Before(header) => {
                let list = TransactionList::new(range, Some(header.number));
                Ok(Some(self.compare_root(
                    path,
                    place,
                    text,
                    list,
                    &header.transactions_root,
                )))
            }
            HeaderOfBody::AmongAll {
                headers,
                place: order,
            } => {
                let items = transactions(&text[range.clone()]);
                let items = items.ok_or("the block's body: it is not a list of transactions")?;
                let root = transactions_root(items.len(), |index| items[index]);
                let stated = order.and_then(|order| headers[order].1.as_ref());
                let Some(found) = header_with_root(headers, stated, &root) else {
                    return Err(match stated {
                        Some(stated) => {
                            other_root(Some(stated.number), &root, &stated.transactions_root)
                        }
                        None => format!(
                            "no header has the root of these transactions, {}",
                            const_hex::encode_prefixed(root)
                        ),
                    });
                };
                if let Some(stated) = stated.filter(|stated| stated.number != found.number) {
                    let what = format!(
                        "found the body of block {} where that of block {} was expected",
                        found.number, stated.number
                    );
                    note(
                        &mut self.to.progress.problems,
                        Problem::new(path, place, what),
                    );
                }
                self.to.progress.blocks.compared += 1;
                Ok(self
                    .wants(Some(found.number))
                    .then(|| TransactionList::new(range, Some(found.number))))
            }
        }
    }
}

/// Returns the header with a transactions root. It usually is the `expected` one, unless a body was
/// lost or there is one too many.
fn header_with_root<'h>(
    headers: &'h [PlacedHeader],
    expected: Option<&'h BlockHeader>,
    root: &[u8; 32],
) -> Option<&'h BlockHeader> {
    let others = headers.iter().filter_map(|(_, header)| header.as_ref());
    expected
        .into_iter()
        .chain(others)
        .find(|header| header.transactions_root == *root)
}

fn of_body(problem: &str) -> String {
    format!("the block's body: {problem}")
}

/// Returns the range of the transactions in a block's body, which is a list that begins with
/// theirs.
fn transactions_of(body: &[u8]) -> rlp::Result<Range<usize>> {
    let mut rest = body;
    let mut parts = rlp::list(&mut rest)?;
    Ok(place_in(body, rlp::list(&mut parts)?))
}
