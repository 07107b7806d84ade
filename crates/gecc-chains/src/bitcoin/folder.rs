//! Blocks as Bitcoin Core writes them: blkNNNNN.dat with blocks in the order in which they came, revNNNNN.dat with what
//! the blocks of the file of the same number spend, in the order in which they were connected, and since version 28
//! xor.dat with a key.
//!
//! A record is the network's magic, a length of 4 bytes little-endian, and a block or what it spends, here with a
//! checksum behind it: SHA-256 twice over the hash of the block before and the record. That is how records find their
//! blocks.

use super::undo;
use super::{Content, Piece, PlacedBlock};
use crate::files::Reader;
use crate::flow::HandOn;
use crate::problem::{Place, Problem, note};
use bitcoin::consensus::Decodable;
use bitcoin::{Network, VarInt, p2p::Magic};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a block at most (Bitcoin Core's MAX_BLOCK_SERIALIZED_SIZE), and of what it spends.
const LONGEST_BLOCK: u64 = 4_000_000;
const LONGEST_UNDO: u64 = 64 << 20;
const RECORD_HEADER: u64 = 8;
const BLOCK_HEADER: usize = 80;
const CHECKSUM: usize = 32;
/// Bytes of a block that say which it is: its header, and how many transactions it has.
const FIRST: usize = BLOCK_HEADER + 9;
/// Where a block's header has the hash of the block before.
const BEFORE: std::ops::Range<usize> = 4..36;
/// Bytes of blocks that are decoded together.
const PIECE: usize = 1 << 20;

/// The network of a magic.
pub fn network_of(magic: [u8; 4]) -> Option<Network> {
    Network::from_magic(Magic::from_bytes(magic))
}

/// The key in the folder of a file: zeros where there is none.
///
/// # Errors
/// Where the file has another length.
pub fn key_beside(path: &Path) -> Result<[u8; 8], Problem> {
    let path = path.with_file_name("xor.dat");
    let problem = |what: String| Problem::new(&Arc::from(path.as_path()), Place::Whole, what);
    match std::fs::read(&path) {
        Ok(bytes) => <[u8; 8]>::try_from(bytes.as_slice()).map_err(|_| problem("a key has 8 bytes".to_owned())),
        Err(none) if none.kind() == std::io::ErrorKind::NotFound => Ok([0; 8]),
        Err(other) => Err(problem(other.to_string())),
    }
}

/// A file whose bytes are hidden by a key.
struct Hidden {
    reader: Reader,
    key: [u8; 8],
}

impl Hidden {
    fn open(path: &Arc<Path>) -> Result<Self, Problem> {
        Ok(Hidden { reader: Reader::open(path)?, key: key_beside(path)? })
    }

    fn append(&mut self, length: u64, to: &mut Vec<u8>) -> Result<(), Problem> {
        let (place, start) = (self.reader.place(), to.len());
        self.reader.append(length, to)?;
        let mut key = self.key;
        key.rotate_left((place % 8) as usize);
        for part in to[start..].chunks_mut(key.len()) {
            part.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        }
        Ok(())
    }

    fn read(&mut self, length: u64) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        self.append(length, &mut bytes)?;
        Ok(bytes)
    }

    /// Goes to the next record's content and gives its network, place and length. `None` at the end, or where the rest
    /// of the file was made room for and not written. Problems are noted, and the next magic behind them is looked for,
    /// as Bitcoin Core does.
    fn next_record(&mut self, longest: u64, after: u64, problems: &mut Vec<Problem>) -> Option<(Network, u64, u64)> {
        loop {
            let place = self.reader.place();
            if self.reader.left() == 0 || self.rest_is_empty() {
                return None;
            }
            match self.record(longest, after) {
                Ok(found) => return Some(found),
                Err(problem) => {
                    note(problems, problem);
                    self.find_magic(place + 1)?;
                }
            }
        }
    }

    /// Whether only zeros follow, which were not hidden by the key.
    fn rest_is_empty(&mut self) -> bool {
        let mut first = Vec::new();
        let length = self.reader.left().min(RECORD_HEADER) as usize;
        self.reader.peek(length, &mut first).is_ok() && first.iter().all(|byte| *byte == 0)
    }

    fn record(&mut self, longest: u64, after: u64) -> Result<(Network, u64, u64), Problem> {
        let place = self.reader.place();
        let header = self.read(RECORD_HEADER)?;
        let (magic, length) = header.split_at(4);
        let magic: [u8; 4] = magic.try_into().expect("four bytes");
        let length = u64::from(u32::from_le_bytes(length.try_into().expect("four bytes")));
        let left = self.reader.left();
        let Some(network) = network_of(magic) else {
            return Err(self.reader.problem_at(place, "a record was to begin here, with a network's magic"));
        };
        if length > longest || length + after > left {
            let what = format!("the record is to have {length} bytes; {left} follow, and {longest} are the most");
            return Err(self.reader.problem_at(place, what));
        }
        Ok((network, place, length))
    }

    /// Goes to the next magic, from a place on.
    fn find_magic(&mut self, from: u64) -> Option<()> {
        const WINDOW: u64 = 1 << 16;
        let mut start = from;
        loop {
            self.reader.go_to(start).ok()?;
            let length = self.reader.left().min(WINDOW);
            if length < RECORD_HEADER {
                return None;
            }
            let bytes = self.read(length).ok()?;
            let found = bytes.windows(4).position(|magic| network_of(magic.try_into().expect("four bytes")).is_some());
            if let Some(found) = found {
                return self.reader.go_to(start + found as u64).ok();
            }
            // The last three may begin one.
            start += length - 3;
        }
    }
}

/// A block in its file.
struct Found {
    place: u64,
    length: u64,
    before: [u8; 32],
    /// Where what it spends is in the other file.
    undo: Option<(u64, u64)>,
    transactions: u64,
}

/// Reads a file of blocks, with the file beside it of what they spend.
pub fn read(path: &Arc<Path>, network: &mut Option<Network>, hand_on: &mut HandOn<Piece>) -> ControlFlow<()> {
    let mut problems = Vec::new();
    let opened = Hidden::open(path);
    let mut blocks = match opened {
        Ok(blocks) => blocks,
        Err(problem) => return hand_on(Piece::problems(vec![problem])),
    };
    let mut found = find_blocks(&mut blocks, network, &mut problems);
    let mut undo = open_undo(path, &mut problems);
    if let Some(undo) = &mut undo {
        find_undo(undo, *network, &mut found, &mut problems);
    }
    hand_on(Piece::problems(problems))?;
    let network = network.unwrap_or(Network::Bitcoin);
    let mut read_until = 0;
    let mut piece = Vec::new();
    let mut bytes = 0;
    for block in &found {
        match load(&mut blocks, undo.as_mut(), block) {
            Ok(loaded) => {
                bytes += loaded.block.len() + loaded.spent.as_ref().map_or(0, Vec::len);
                piece.push(loaded);
            }
            Err(problem) => hand_on(Piece::problems(vec![problem]))?,
        }
        if bytes >= PIECE {
            let until = block.place + block.length;
            let content = Content { network, blocks: std::mem::take(&mut piece), plain: false };
            hand_on(Piece::new(path, content, until - read_until))?;
            (read_until, bytes) = (until, 0);
        }
    }
    let left = (blocks.reader.place() + blocks.reader.left()).saturating_sub(read_until);
    hand_on(Piece::new(path, Content { network, blocks: piece, plain: false }, left))
}

/// The file of what blocks spend. Without it nothing can be checked.
fn open_undo(path: &Path, problems: &mut Vec<Problem>) -> Option<Hidden> {
    match Hidden::open(&Arc::from(undo_of(path).as_path())) {
        Ok(undo) => Some(undo),
        Err(problem) => {
            note(problems, problem);
            None
        }
    }
}

/// The name of the file of what blocks spend.
pub fn undo_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(name.replacen("blk", "rev", 1))
}

fn find_blocks(blocks: &mut Hidden, network: &mut Option<Network>, problems: &mut Vec<Problem>) -> Vec<Found> {
    let mut found = Vec::new();
    while let Some((of, place, length)) = blocks.next_record(LONGEST_BLOCK, 0, problems) {
        let content = blocks.reader.place();
        // The folder is of the network that its first block is of.
        let expected = *network.get_or_insert(of);
        if of != expected {
            note(problems, blocks.reader.problem_at(place, format!("a block of {of} among those of {expected}")));
        } else {
            match first_of(blocks, content, length) {
                Ok(block) => found.push(block),
                Err(problem) => note(problems, problem),
            }
        }
        if let Err(problem) = blocks.reader.go_to(content + length) {
            note(problems, problem);
            break;
        }
    }
    found
}

/// What a block says of itself at its beginning.
fn first_of(blocks: &mut Hidden, place: u64, length: u64) -> Result<Found, Problem> {
    let first = blocks.read(length.min(FIRST as u64))?;
    let too_short = || blocks.reader.problem_at(place, "the block has no header");
    let (header, mut rest) = first.split_at_checked(BLOCK_HEADER).ok_or_else(too_short)?;
    let transactions = VarInt::consensus_decode(&mut rest).map_err(|_| too_short())?.0;
    let before = header[BEFORE].try_into().expect("32 bytes");
    Ok(Found { place, length, before, undo: None, transactions })
}

/// Finds what blocks spend by the checksum of the record. Blocks that spend nothing need none.
fn find_undo(undo: &mut Hidden, network: Option<Network>, found: &mut [Found], problems: &mut Vec<Problem>) {
    // Blocks are connected more or less in the order in which they came: the first of those with as many transactions
    // fits.
    let mut waiting: BTreeMap<u64, VecDeque<usize>> = BTreeMap::new();
    for (index, block) in found.iter().enumerate().filter(|(_, block)| block.transactions > 1) {
        waiting.entry(block.transactions - 1).or_default().push_back(index);
    }
    while let Some((of, place, length)) = undo.next_record(LONGEST_UNDO, CHECKSUM as u64, problems) {
        let content = undo.reader.place();
        let record = match undo.read(length + CHECKSUM as u64) {
            Ok(record) => record,
            Err(problem) => return note(problems, problem),
        };
        let (record, checksum) = record.split_at(length as usize);
        let Ok(transactions) = undo::transactions(record) else {
            note(problems, undo.reader.problem_at(place, "the record does not say how many transactions it is about"));
            continue;
        };
        if transactions == 0 || Some(of) != network {
            continue;
        }
        let mut candidates = waiting.get_mut(&transactions);
        let fits = |index: &usize| checksum_of(&found[*index].before, record) == checksum;
        let position = candidates.as_ref().and_then(|candidates| candidates.iter().position(fits));
        match (position, &mut candidates) {
            (Some(position), Some(candidates)) => {
                let index = candidates.remove(position).expect("it was found there");
                found[index].undo = Some((content, length));
            }
            _ => note(problems, undo.reader.problem_at(place, "the record belongs to no block of the other file")),
        }
    }
}

fn checksum_of(before: &[u8; 32], record: &[u8]) -> [u8; CHECKSUM] {
    Sha256::digest(Sha256::new().chain_update(before).chain_update(record).finalize()).into()
}

/// A block with what it spends.
fn load(blocks: &mut Hidden, undo: Option<&mut Hidden>, found: &Found) -> Result<PlacedBlock, Problem> {
    blocks.reader.go_to(found.place)?;
    let block = blocks.read(found.length)?;
    let spent = match (found.undo, undo) {
        (Some((place, length)), Some(undo)) => {
            undo.reader.go_to(place)?;
            Some(undo.read(length)?)
        }
        _ if found.transactions <= 1 => Some(vec![0]),
        _ => None,
    };
    Ok(PlacedBlock { place: found.place, block, spent })
}
