//! Blocks as Bitcoin Core writes them: blkNNNNN.dat with blocks in the order in which they came, revNNNNN.dat with what
//! the blocks of the file of the same number spend, in the order in which they were connected, and since version 28
//! xor.dat with a key.
//!
//! A record is the network's magic, a length of 4 bytes little-endian, and a block or what it spends, here with a
//! checksum behind it: SHA-256 twice over the hash of the block before and the record. That is how records find their
//! blocks.

use super::block::{BEFORE, BLOCK_HEADER};
use super::encoding;
use super::hashes::sha256d;
use super::network::Network;
use super::{Content, LONGEST_BLOCK, LONGEST_UNDO, Piece, PlacedBlock, SpentForm};
use crate::files::{Reader, open_beside};
use crate::flow::HandOn;
use crate::limits::Limits;
use crate::problem::{Place, Problem, note};
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the file with the key.
pub const KEY: &str = "xor.dat";
/// Hides nothing.
const NO_KEY: [u8; 8] = [0; 8];
const RECORD_HEADER: u64 = 8;
const CHECKSUM: usize = 32;
/// Bytes of a block that say which it is: its header, and how many transactions it has.
const FIRST: usize = BLOCK_HEADER + 9;
/// Bytes of blocks that are decoded together.
const PIECE: usize = 1 << 20;
/// Blocks that a file is believed to have where memory is not limited: Bitcoin Core begins another after 128 MiB.
const MOST_BLOCKS: usize = 1 << 21;
/// Bytes that are taken for a block of a file, until what it spends is found.
const BLOCK_BYTES: usize = 256;
/// How often the file of what blocks spend is hashed where its records do not find their blocks at once.
const HASHED: u64 = 64;
/// What a try counts beside the bytes that are hashed.
const TRY: u64 = 256;

/// The key in the folder of a file: zeros where there is none.
///
/// # Errors
/// Where the file has another length.
pub fn key_beside(path: &Path) -> Result<[u8; 8], Problem> {
    let path = path.with_file_name(KEY);
    let problem = |what: String| Problem::new(&Arc::from(path.as_path()), Place::Whole, what);
    let mut bytes = Vec::new();
    let read = open_beside(&path).and_then(|file| file.take(9).read_to_end(&mut bytes));
    match read {
        Ok(_) => <[u8; 8]>::try_from(bytes.as_slice()).map_err(|_| problem("a key has 8 bytes".to_owned())),
        Err(none) if none.kind() == std::io::ErrorKind::NotFound => Ok(NO_KEY),
        Err(other) => Err(problem(other.to_string())),
    }
}

/// A file whose bytes are hidden by a key.
struct Hidden {
    reader: Reader,
    key: [u8; 8],
}

impl Hidden {
    fn open(reader: Reader) -> Result<Self, Problem> {
        let key = key_beside(&reader.path)?;
        Ok(Hidden { reader, key })
    }

    fn append(&mut self, length: u64, to: &mut Vec<u8>) -> Result<(), Problem> {
        let (place, start) = (self.reader.place(), to.len());
        self.reader.append(length, to)?;
        let mut key = self.key;
        if key != NO_KEY {
            key.rotate_left((place % 8) as usize);
            let (whole, rest) = to[start..].as_chunks_mut();
            for part in whole {
                *part = (u64::from_ne_bytes(*part) ^ u64::from_ne_bytes(key)).to_ne_bytes();
            }
            rest.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
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
        let &[magic, length] = header.as_chunks().0 else { unreachable!("eight bytes were read") };
        let length = u64::from(u32::from_le_bytes(length));
        let left = self.reader.left();
        let Some(network) = Network::of(magic) else {
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
        // It may be near, over and over.
        let (mut start, mut window) = (from, 64);
        loop {
            self.reader.go_to(start).ok()?;
            let length = self.reader.left().min(window);
            if length < RECORD_HEADER {
                return None;
            }
            let bytes = self.read(length).ok()?;
            let found = bytes.array_windows().position(|magic| Network::of(*magic).is_some());
            if let Some(found) = found {
                return self.reader.go_to(start + found as u64).ok();
            }
            // The last three may begin one.
            start += length - 3;
            window = WINDOW.min(2 * window);
        }
    }
}

/// A block in its file.
struct Found {
    place: u64,
    length: u32,
    transactions: u32,
    before: [u8; 32],
    /// The beginning of its hash, by which those that follow it are found.
    hash: u64,
    /// Where what it spends is in the other file.
    undo: Option<(u64, u32)>,
}

/// The network that the first block of a file is of.
pub fn first_network(path: &Arc<Path>) -> Option<Network> {
    let mut blocks = Reader::open_beside(path).and_then(Hidden::open).ok()?;
    // What is wrong on the way is noted when the file is read.
    blocks.next_record(LONGEST_BLOCK, 0, &mut Vec::new()).map(|(network, ..)| network)
}

/// Reads a file of blocks, with the file beside it of what they spend.
pub fn read(
    path: &Arc<Path>,
    mut network: Option<Network>,
    limits: &Limits,
    hand_on: &mut HandOn<Piece>,
) -> ControlFlow<()> {
    let mut problems = Vec::new();
    let opened = Reader::open_beside(path).and_then(Hidden::open);
    let mut blocks = match opened {
        Ok(blocks) => blocks,
        Err(problem) => return hand_on(Piece::problem(problem)),
    };
    let most = MOST_BLOCKS.min(limits.ahead / BLOCK_BYTES);
    let mut found = find_blocks(&mut blocks, &mut network, most, &mut problems);
    // Without what they spend nothing can be checked.
    let undo = Reader::open_beside(&Arc::from(undo_of(path))).and_then(Hidden::open);
    let mut undo = undo.map_err(|problem| note(&mut problems, problem)).ok();
    if let Some(undo) = &mut undo {
        find_undo(undo, network, limits.whole_of(LONGEST_UNDO), &mut found, &mut problems);
        give_to_followed(&mut found);
    }
    hand_on(Piece::problems(problems))?;
    let network = network.unwrap_or(Network::Bitcoin);
    let mut read_until = 0;
    let mut piece = VecDeque::new();
    let mut bytes = 0;
    for block in &found {
        match load(&mut blocks, undo.as_mut(), block) {
            Ok(loaded) => {
                bytes += loaded.block.len() + loaded.spent.as_ref().map_or(0, Vec::len);
                piece.push_back(loaded);
            }
            Err(problem) => hand_on(Piece::problem(problem))?,
        }
        if bytes >= PIECE {
            let until = block.place + u64::from(block.length);
            let content = Content::new(network, std::mem::take(&mut piece), SpentForm::Compressed);
            hand_on(Piece::new(path, content, until - read_until))?;
            (read_until, bytes) = (until, 0);
        }
    }
    let left = (blocks.reader.place() + blocks.reader.left()).saturating_sub(read_until);
    hand_on(Piece::new(path, Content::new(network, piece, SpentForm::Compressed), left))
}

/// The name of the file of what blocks spend.
pub fn undo_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(name.replacen("blk", "rev", 1))
}

fn find_blocks(
    blocks: &mut Hidden,
    network: &mut Option<Network>,
    most: usize,
    problems: &mut Vec<Problem>,
) -> Vec<Found> {
    let mut found = Vec::new();
    while let Some((of, place, length)) = blocks.next_record(LONGEST_BLOCK, 0, problems) {
        let content = blocks.reader.place();
        // The folder is of the network that its first block is of.
        let expected = *network.get_or_insert(of);
        if of != expected {
            note(problems, blocks.reader.problem_at(place, format!("a block of {of} among those of {expected}")));
        } else if found.len() == most {
            let what = format!("there are more than {most} blocks, and the rest is not read");
            problems.push(blocks.reader.problem_at(place, what));
            break;
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
    let transactions = encoding::number(&mut rest).map_err(|_| too_short())?;
    Ok(Found {
        place,
        // Neither has more than the block has bytes, or else it is no block.
        length: length.try_into().map_err(|_| too_short())?,
        transactions: transactions.try_into().unwrap_or(u32::MAX),
        before: header[BEFORE].try_into().expect("32 bytes"),
        hash: beginning(&sha256d(header)),
        undo: None,
    })
}

/// The first bytes of a hash. Its zeros are at the end.
fn beginning(hash: &[u8; 32]) -> u64 {
    u64::from_le_bytes(*hash.first_chunk().expect("32 bytes"))
}

/// Finds what blocks spend by the checksum of the record. Blocks that spend nothing need none.
fn find_undo(
    undo: &mut Hidden,
    network: Option<Network>,
    longest: u64,
    found: &mut [Found],
    problems: &mut Vec<Problem>,
) {
    let mut waiting = Waiting::new(found, HASHED.saturating_mul(undo.reader.left()));
    while let Some((of, place, length)) = undo.next_record(longest, CHECKSUM as u64, problems) {
        let content = undo.reader.place();
        let record = match undo.read(length + CHECKSUM as u64) {
            Ok(record) => record,
            Err(problem) => return note(problems, problem),
        };
        let (record, checksum) = record.split_at(length as usize);
        let Ok(transactions) = encoding::number(&mut &*record) else {
            note(problems, undo.reader.problem_at(place, "the record does not say how many transactions it is about"));
            continue;
        };
        if transactions == 0 || Some(of) != network {
            continue;
        }
        match waiting.take(found, transactions, record, checksum) {
            Ok(index) => found[index].undo = Some((content, length as u32)),
            Err(what) => note(problems, undo.reader.problem_at(place, what)),
        }
    }
}

/// Has records go to the blocks of the chain, where there are fewer than blocks that they fit: the checksum covers only
/// the block before. After a `-reindex` there are none of blocks that left the chain, which no other block follows.
fn give_to_followed(found: &mut [Found]) {
    let followed: HashSet<u64> = found.iter().map(|block| beginning(&block.before)).collect();
    let row =
        |(index, block): (usize, &Found)| ((block.before, block.transactions), !followed.contains(&block.hash), index);
    let mut all: Vec<_> = found.iter().enumerate().map(row).collect();
    all.sort_unstable();
    for alike in all.chunk_by(|one, next| one.0 == next.0) {
        let mut records: Vec<(u64, u32)> = alike.iter().filter_map(|(.., index)| found[*index].undo).collect();
        if records.len() < alike.len() {
            records.sort_unstable();
            let mut records = records.into_iter();
            alike.iter().for_each(|(.., index)| found[*index].undo = records.next());
        }
    }
}

/// Blocks for which nothing was found yet.
struct Waiting {
    /// By how many of their transactions spend something, in the order of the file.
    all: BTreeSet<(u64, usize)>,
    /// The same by the block before, too.
    following: BTreeSet<(u64, u64, usize)>,
    /// The block that was found last, by its hash.
    last: Option<u64>,
    /// Bytes that may still be hashed in vain. Otherwise many blocks and many records would be tried with each other.
    left: u64,
}

impl Waiting {
    fn new(found: &[Found], left: u64) -> Self {
        let spending = || found.iter().enumerate().filter(|(_, block)| block.transactions > 1);
        let all = spending().map(|(index, block)| (u64::from(block.transactions) - 1, index)).collect();
        let follows =
            |(index, block): (usize, &Found)| (beginning(&block.before), u64::from(block.transactions) - 1, index);
        Waiting { all, following: spending().map(follows).collect(), last: None, left }
    }

    /// The block of a record. Blocks were connected one behind the other, so that the one that follows the last fits
    /// wherever both are in this file. Where it is not, the first that has as many transactions does more often than
    /// not: they came more or less in the same order.
    ///
    /// # Errors
    /// Why there is none.
    fn take(
        &mut self,
        found: &[Found],
        transactions: u64,
        record: &[u8],
        checksum: &[u8],
    ) -> Result<usize, &'static str> {
        let following = self.last.into_iter().flat_map(|last| {
            self.following.range((last, transactions, 0)..=(last, transactions, usize::MAX)).map(|(.., index)| *index)
        });
        let others = self.all.range((transactions, 0)..=(transactions, usize::MAX)).map(|(_, index)| *index);
        for index in following.chain(others) {
            let block = &found[index];
            if checksum_of(&block.before, record) == checksum {
                self.all.remove(&(transactions, index));
                self.following.remove(&(beginning(&block.before), transactions, index));
                self.last = Some(block.hash);
                return Ok(index);
            }
            let tried = TRY + record.len() as u64;
            self.left =
                self.left.checked_sub(tried).ok_or("too many records fit no block: not tried with all of them")?;
        }
        Err("the record belongs to no block of the other file")
    }
}

fn checksum_of(before: &[u8; 32], record: &[u8]) -> [u8; CHECKSUM] {
    Sha256::digest(Sha256::new().chain_update(before).chain_update(record).finalize()).into()
}

/// A block with what it spends.
fn load(blocks: &mut Hidden, undo: Option<&mut Hidden>, found: &Found) -> Result<PlacedBlock, Problem> {
    blocks.reader.go_to(found.place)?;
    let block = blocks.read(found.length.into())?;
    let spent = match (found.undo, undo) {
        (Some((place, length)), Some(undo)) => {
            undo.reader.go_to(place)?;
            Some(undo.read(length.into())?)
        }
        _ if found.transactions <= 1 => Some(vec![0]),
        _ => None,
    };
    Ok(PlacedBlock { place: Place::Byte(found.place), block, spent })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCKS: usize = 2000;
    const RECORD: [u8; 40] = [1; 40];

    fn hash(block: usize) -> [u8; 32] {
        Sha256::digest(block.to_le_bytes()).into()
    }

    /// Blocks of two transactions, each behind the one before, in an order that is not theirs.
    fn shuffled() -> Vec<Found> {
        let block = |index: usize| {
            let block = index * 1001 % BLOCKS;
            let (before, hash) = (hash(block), beginning(&hash(block + 1)));
            Found { place: block as u64, length: 0, transactions: 2, before, hash, undo: None }
        };
        (0..BLOCKS).map(block).collect()
    }

    /// Only the first record is tried with all blocks, however these lie in the file.
    #[test]
    fn records_find_their_blocks_by_the_one_before() {
        let found = shuffled();
        let mut waiting = Waiting::new(&found, (BLOCKS * (RECORD.len() + TRY as usize)) as u64);
        for block in 0..BLOCKS {
            let taken = waiting.take(&found, 1, &RECORD, &checksum_of(&hash(block), &RECORD)).unwrap();
            assert_eq!(found[taken].place, block as u64);
        }
        assert!(waiting.all.is_empty() && waiting.following.is_empty());
    }

    /// Two blocks behind the same one, of which the second is followed: as many records are theirs in order, and one is
    /// that one's.
    #[test]
    fn records_are_of_blocks_that_others_follow() {
        let block = |before: usize, of: usize, undo| {
            let (before, hash) = (hash(before), beginning(&hash(of)));
            Found { place: 0, length: 0, transactions: 2, before, hash, undo }
        };
        let [one, two, last] = [Some((1, 1)), Some((2, 1)), Some((3, 1))];
        for (of_siblings, expected) in [
            ([one, two], [one, two]),
            ([one, None], [None, one]),
            ([None, one], [None, one]),
            ([None, None], [None, None]),
        ] {
            let mut found = [block(1, 9, of_siblings[0]), block(1, 2, of_siblings[1]), block(2, 3, last)];
            give_to_followed(&mut found);
            assert_eq!(found.map(|block| block.undo), [expected[0], expected[1], last]);
        }
    }

    #[test]
    fn what_is_hashed_in_vain_is_bounded() {
        const TRIES: usize = 10;
        let found = shuffled();
        let mut waiting = Waiting::new(&found, (TRIES * (RECORD.len() + TRY as usize)) as u64);
        assert!(waiting.take(&found, 1, &RECORD, &[0; 32]).unwrap_err().contains("too many"));
        assert!(waiting.left < TRY + RECORD.len() as u64);
        // The first is still found.
        let first = found[0].place as usize;
        assert_eq!(waiting.take(&found, 1, &RECORD, &checksum_of(&hash(first), &RECORD)), Ok(0));
    }
}
