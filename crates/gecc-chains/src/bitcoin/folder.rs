//! Blocks as Bitcoin Core writes them: blkNNNNN.dat contains blocks in the order in which they
//! arrived, revNNNNN.dat contains the outputs that the blocks of the file of the same number spend,
//! in the order in which they were connected, and xor.dat (since version 28) contains a key.
//!
//! A record is the network's magic, a length of 4 bytes little-endian, and a block or the outputs
//! it spends. The latter are followed by a checksum: double SHA-256 of the previous block's hash
//! and the record. The checksums are used to match these undo records with their blocks.

use super::block::{self, BEFORE, BLOCK_HEADER, Block};
use super::encoding::{self, ENDS_EARLY};
use super::hashes::sha256d;
use super::network::{Magics, Network};
use super::obfuscation::ObfuscatedFile;
use super::records::{RecordHeader, RecordKind, Records};
use super::{BlockContent, LONGEST_BLOCK, LONGEST_UNDO, Piece, PlacedBlock, SpentForm, undo};
use crate::files::FileReader;
use crate::flow::PieceSink;
use crate::limits::Limits;
use crate::problem::{FilePosition, Problem, note};
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const CHECKSUM: usize = 32;
/// Bytes of blocks that are decoded in one piece.
const PIECE: usize = 1 << 20;
/// Maximum number of blocks of a file where memory is not limited: Bitcoin Core begins another file
/// after 128 MiB.
const MOST_BLOCKS: usize = 1 << 21;
/// Bytes charged for a block of a file until its undo record is found.
const BLOCK_BYTES: usize = 256;
/// Limit on the bytes hashed, as a multiple of the file's length, where undo records do not match
/// their blocks at once.
const HASHED: u64 = 64;
/// Approximate cost of hashing a byte of a block, relative to reading it.
const HASHING: u64 = 8;
/// The fixed cost of an attempt, in bytes hashed.
const TRY: u64 = 256;

/// A block in its file.
struct FoundBlock {
    place: u64,
    length: u32,
    transactions: u32,
    before: [u8; 32],
    /// The beginning of its hash, by which its successors are found.
    hash: u64,
    /// The position of its undo record in the other file.
    undo: Option<(u64, u32)>,
}

/// Returns the network of the first block of a file.
pub fn first_network(path: &Arc<Path>, magics: Magics) -> Option<Network> {
    let mut blocks = FileReader::open_companion(path)
        .and_then(ObfuscatedFile::open)
        .ok()?;
    // Problems met on the way are noted when the file is read.
    let mut problems = Vec::new();
    let mut records = Records::new(&mut blocks, magics, RecordKind::Block);
    let mut reader = BlockReader::default();
    while let Some(header) = records.next(&mut problems) {
        match reader.at(&mut records, &header) {
            Ok(Ok(_)) => return Some(header.network),
            Ok(Err(why)) => records.reject(&header, why),
            Err(_) => return None,
        }
    }
    None
}

/// Reads a file of blocks and the undo file next to it.
pub fn read(
    path: &Arc<Path>,
    magics: Magics,
    mut network: Option<Network>,
    limits: &Limits,
    hand_on: &mut PieceSink<Piece>,
) -> ControlFlow<()> {
    let mut problems = Vec::new();
    let opened = FileReader::open_companion(path).and_then(ObfuscatedFile::open);
    let mut blocks = match opened {
        Ok(blocks) => blocks,
        Err(problem) => return hand_on(Piece::problem(problem)),
    };
    let most = MOST_BLOCKS.min(limits.ahead / BLOCK_BYTES);
    let mut found = find_blocks(&mut blocks, magics, &mut network, most, &mut problems);
    if found.is_empty() && problems.is_empty() {
        problems.push(Problem::new(
            path,
            FilePosition::Whole,
            "the file holds no block",
        ));
    }
    // Without the spent outputs, nothing can be checked.
    let undo = FileReader::open_companion(&Arc::from(undo_of(path))).and_then(ObfuscatedFile::open);
    let mut undo = undo.map_err(|problem| note(&mut problems, problem)).ok();
    if let Some(undo) = &mut undo {
        find_undo(
            undo,
            magics,
            network,
            limits.whole_of(LONGEST_UNDO),
            &mut found,
            &mut problems,
        );
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
            let content =
                BlockContent::new(network, std::mem::take(&mut piece), SpentForm::Compressed);
            hand_on(Piece::new(path, content, until - read_until))?;
            read_until = until;
            bytes = 0;
        }
    }
    let left = blocks.length().saturating_sub(read_until);
    hand_on(Piece::new(
        path,
        BlockContent::new(network, piece, SpentForm::Compressed),
        left,
    ))
}

/// Returns the name of the undo file.
pub fn undo_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(name.replacen("blk", "rev", 1))
}

/// Finds the blocks of a file. Everything else in it is reported as problems.
fn find_blocks(
    file: &mut ObfuscatedFile,
    magics: Magics,
    network: &mut Option<Network>,
    most: usize,
    problems: &mut Vec<Problem>,
) -> Vec<FoundBlock> {
    let mut found = Vec::new();
    let mut reader = BlockReader::default();
    let mut records = Records::new(file, magics, RecordKind::Block);
    while let Some(header) = records.next(problems) {
        let whole = match reader.at(&mut records, &header) {
            Ok(Ok(whole)) => whole,
            Ok(Err(why)) => {
                records.reject(&header, why);
                continue;
            }
            Err(problem) => {
                records.fail(problem, problems);
                break;
            }
        };
        records.accept(&header, whole.end, problems);
        if let Some(what) = whole.other_length {
            note(problems, records.problem_at(header.place, what));
        }
        // The first block determines the network of the folder.
        let expected = *network.get_or_insert(header.network);
        if header.network != expected {
            let what = format!("a block of {} among those of {expected}", header.network);
            note(problems, records.problem_at(header.place, what));
        } else if found.len() == most {
            let what = format!("there are more than {most} blocks, and the rest is not read");
            problems.push(records.problem_at(header.place, what));
            break;
        } else {
            found.push(whole.found);
        }
    }
    found
}

/// Reads blocks at the headers of their records.
#[derive(Default)]
struct BlockReader {
    /// The content of a record, and the places of its parts.
    content: Vec<u8>,
    places: block::BlockOffsets,
}

/// A whole block at the header of a record.
struct WholeBlock {
    found: FoundBlock,
    /// The position of the block's end.
    end: u64,
    /// A description of the stated length, if it differs from that of the block.
    other_length: Option<String>,
}

impl BlockReader {
    /// Reads the block after a header. A block is accepted if it has the length that its record
    /// states, or if its transactions hash to its merkle root: in that case the stated length is
    /// wrong.
    ///
    /// # Errors
    /// The outer error means that the file cannot be read; the inner one is the reason why there is
    /// no block.
    fn at(
        &mut self,
        records: &mut Records,
        header: &RecordHeader,
    ) -> Result<Result<WholeBlock, String>, Problem> {
        let place = header.content();
        let left = records.bytes_after(header);
        let stated = header
            .length
            .filter(|length| (1..=LONGEST_BLOCK.min(left)).contains(length));
        if let Some(length) = stated {
            records.file.read_at(place, length, &mut self.content)?;
            let why = match block::extent(&self.content, &mut self.places) {
                // A truncated record may look complete by chance, with the first bytes of the next
                // one at its end.
                Ok(extent) if extent as u64 == length && records.is_boundary(place + length)? => {
                    return Ok(self.whole(place, extent, None));
                }
                Ok(extent) if extent as u64 == length => {
                    return Ok(self
                        .committed(records, extent)
                        .and_then(|()| self.whole(place, extent, None)));
                }
                Ok(extent) => return Ok(self.of_other_length(records, header, extent)),
                Err(why) => why,
            };
            records.count_wasted_read(length);
            if why != ENDS_EARLY {
                return Ok(Err(format!(
                    "the record of {length} bytes is not a block: {why}"
                )));
            }
        }
        let longest = LONGEST_BLOCK.min(left);
        let places = &mut self.places;
        let extent = records.extent(place, longest, &mut self.content, |bytes| {
            block::extent(bytes, places)
        })?;
        match extent {
            Some(extent) => Ok(self.of_other_length(records, header, extent)),
            None => Ok(Err(header.without_content(left, LONGEST_BLOCK, "block"))),
        }
    }

    /// Reads a block whose length differs from the one that its record states.
    fn of_other_length(
        &self,
        records: &mut Records,
        header: &RecordHeader,
        extent: usize,
    ) -> Result<WholeBlock, String> {
        self.committed(records, extent)?;
        let stated = header
            .length
            .map_or("no length".to_owned(), |length| format!("{length} bytes"));
        let what = format!("the record states {stated}, and its block has {extent} bytes");
        self.whole(header.content(), extent, Some(what))
    }

    /// Requires that the transactions of a block hash to its merkle root. Hashing without a match
    /// is limited, as a file may have many headers before the same long script.
    fn committed(&self, records: &mut Records, extent: usize) -> Result<(), String> {
        if !records.may_waste_reads() {
            return Err(
                "too many records of the file contain no block: none is searched for here"
                    .to_owned(),
            );
        }
        let block = Block::parse(self.content[..extent].to_vec()).map_err(str::to_owned)?;
        if block.is_committed() {
            return Ok(());
        }
        records.count_wasted_read(HASHING * extent as u64);
        Err("no whole block follows: its transactions do not hash to its merkle root".to_owned())
    }

    fn whole(
        &self,
        place: u64,
        extent: usize,
        other_length: Option<String>,
    ) -> Result<WholeBlock, String> {
        let (header, mut rest) = self.content.split_at(BLOCK_HEADER);
        let transactions = encoding::number(&mut rest)?;
        let found = FoundBlock {
            place,
            length: extent as u32,
            transactions: transactions.try_into().unwrap_or(u32::MAX),
            before: header[BEFORE].try_into().expect("32 bytes"),
            hash: beginning(&sha256d(header)),
            undo: None,
        };
        Ok(WholeBlock {
            found,
            end: place + extent as u64,
            other_length,
        })
    }
}

/// Returns the first bytes of a hash. Its zeros are at the end.
fn beginning(hash: &[u8; 32]) -> u64 {
    u64::from_le_bytes(*hash.first_chunk().expect("32 bytes"))
}

/// Matches undo records with blocks by their checksums. A record without a block is reported as a
/// problem.
fn find_undo(
    file: &mut ObfuscatedFile,
    magics: Magics,
    mut network: Option<Network>,
    longest: u64,
    found: &mut [FoundBlock],
    problems: &mut Vec<Problem>,
) {
    let waiting = UnmatchedBlocks::new(found, HASHED.saturating_mul(file.length()));
    let mut records = Records::new(file, magics, RecordKind::Spent);
    let mut spent = SpentReader {
        found,
        waiting,
        content: Vec::new(),
        matched: HashSet::new(),
    };
    while let Some(header) = records.next(problems) {
        let record = match spent.at(&mut records, &header, longest) {
            Ok(Ok(record)) => record,
            Ok(Err(why)) => {
                records.reject(&header, why);
                continue;
            }
            Err(problem) => return records.fail(problem, problems),
        };
        records.accept(&header, record.end, problems);
        let expected = *network.get_or_insert(header.network);
        let what = if header.network == expected {
            record.problem
        } else {
            Some(format!(
                "a record of {} among those of {expected}",
                header.network
            ))
        };
        if let Some(what) = what {
            note(problems, records.problem_at(header.place, what));
        }
    }
}

/// Matches undo records with blocks.
struct SpentReader<'a> {
    found: &'a mut [FoundBlock],
    waiting: UnmatchedBlocks,
    /// The content of a record with its checksum.
    content: Vec<u8>,
    /// The checksums of records that were matched.
    matched: HashSet<[u8; CHECKSUM]>,
}

/// An undo record: the outputs that a block spends.
struct SpentRecord {
    /// The position of its end, including the checksum.
    end: u64,
    /// A description of the problem, for example that no block matches.
    problem: Option<String>,
}

impl SpentReader<'_> {
    /// Reads the record after a header.
    ///
    /// # Errors
    /// The outer error means that the file cannot be read; the inner one is the reason why there is
    /// no record.
    fn at(
        &mut self,
        records: &mut Records,
        header: &RecordHeader,
        longest: u64,
    ) -> Result<Result<SpentRecord, String>, Problem> {
        const AFTER_RECORD: u64 = CHECKSUM as u64;
        let place = header.content();
        let left = records.bytes_after(header);
        let stated = header
            .length
            .filter(|length| *length <= longest && length + AFTER_RECORD <= left);
        if let Some(length) = stated {
            records
                .file
                .read_at(place, length + AFTER_RECORD, &mut self.content)?;
            let end = place + length + AFTER_RECORD;
            let unmatched = match self.take(place, length as usize) {
                Ok(()) => return Ok(Ok(SpentRecord { end, problem: None })),
                Err(why) => why,
            };
            records.count_wasted_read(length);
            let extent = undo::extent(&self.content[..length as usize]);
            match extent {
                // Many truncated records look complete by chance, with the first bytes of the next
                // ones at the end.
                Ok(extent) if extent as u64 == length => {
                    if self.hides_record(records, header, end)? {
                        return Ok(Err(
                            "a record that was cut: another one begins within its length"
                                .to_owned(),
                        ));
                    }
                    return Ok(Ok(SpentRecord {
                        end,
                        problem: Some(unmatched.to_owned()),
                    }));
                }
                // The stated length may be the part that is wrong.
                Ok(extent) => return Ok(self.of_other_length(header, extent)),
                Err(_) => {}
            }
        }
        let extent = records.extent(place, longest.min(left), &mut self.content, undo::extent)?;
        let Some(extent) = extent else {
            return Ok(Err(header.without_content(
                left,
                longest,
                "record of what a block spends",
            )));
        };
        let with_checksum = extent as u64 + AFTER_RECORD;
        if with_checksum > left {
            return Ok(Err(header.without_content(
                left,
                longest,
                "record of what a block spends",
            )));
        }
        records
            .file
            .read_at(place, with_checksum, &mut self.content)?;
        Ok(self.of_other_length(header, extent))
    }

    /// Returns whether another record that matches a block begins inside a record.
    fn hides_record(
        &mut self,
        records: &mut Records,
        header: &RecordHeader,
        end: u64,
    ) -> Result<bool, Problem> {
        let mut next = header.place + 1;
        while let Some(inner) = records
            .header_from(next, end)?
            .filter(|_| records.may_waste_reads())
        {
            let left = records.bytes_after(&inner);
            let stated = inner
                .length
                .filter(|length| length + CHECKSUM as u64 <= left.min(LONGEST_UNDO));
            if let Some(length) = stated {
                records.file.read_at(
                    inner.content(),
                    length + CHECKSUM as u64,
                    &mut self.content,
                )?;
                if self.take(inner.content(), length as usize).is_ok() {
                    return Ok(true);
                }
                records.count_wasted_read(length);
            }
            next = inner.place + 1;
        }
        Ok(false)
    }

    /// Accepts a record whose length differs from the stated one, if a block matches its checksum.
    fn of_other_length(
        &mut self,
        header: &RecordHeader,
        extent: usize,
    ) -> Result<SpentRecord, String> {
        let place = header.content();
        if self.content.len() < extent + CHECKSUM || self.take(place, extent).is_err() {
            return Err("no whole record follows that fits a block".to_owned());
        }
        let stated = header
            .length
            .map_or("no length".to_owned(), |length| format!("{length} bytes"));
        let problem = Some(format!(
            "the record states {stated}, and has {extent} bytes"
        ));
        Ok(SpentRecord {
            end: place + (extent + CHECKSUM) as u64,
            problem,
        })
    }

    /// Assigns the record of `length` bytes that was read to its block.
    ///
    /// # Errors
    /// The reason why no block matches.
    fn take(&mut self, place: u64, length: usize) -> Result<(), &'static str> {
        let (record, rest) = self.content.split_at(length);
        let checksum: [u8; CHECKSUM] = *rest.first_chunk().expect("the checksum was read");
        let transactions = encoding::number(&mut &*record)?;
        let index = if transactions == 0 && record.len() == 1 {
            self.waiting
                .spending_nothing
                .contains(&checksum)
                .then_some(None)
                .ok_or(NO_BLOCK)
        } else {
            self.waiting
                .take(self.found, transactions, record, &checksum)
                .map(Some)
        };
        match index {
            Ok(index) => {
                if let Some(index) = index {
                    self.found[index].undo = Some((place, length as u32));
                }
                self.matched.insert(checksum);
                Ok(())
            }
            // A repeated record, as of a block that was connected again.
            Err(_) if self.matched.contains(&checksum) => Ok(()),
            Err(why) => Err(why),
        }
    }
}

/// Assigns records to the blocks of the chain if there are fewer records than matching blocks: the
/// checksum covers only the previous block. After a `-reindex`, blocks that left the chain and that
/// no other block follows have no records.
fn give_to_followed(found: &mut [FoundBlock]) {
    let followed: HashSet<u64> = found.iter().map(|block| beginning(&block.before)).collect();
    let mut all = Vec::with_capacity(found.len());
    for (index, block) in found.iter().enumerate() {
        // Sorts blocks that others follow before the rest.
        let has_no_follower = !followed.contains(&block.hash);
        all.push(((block.before, block.transactions), has_no_follower, index));
    }
    all.sort_unstable();
    for alike in all.chunk_by(|one, next| one.0 == next.0) {
        let mut records: Vec<(u64, u32)> = alike
            .iter()
            .filter_map(|(.., index)| found[*index].undo)
            .collect();
        if records.len() < alike.len() {
            records.sort_unstable();
            let mut records = records.into_iter();
            alike
                .iter()
                .for_each(|(.., index)| found[*index].undo = records.next());
        }
    }
}

/// Blocks whose undo records were not found yet.
struct UnmatchedBlocks {
    /// Blocks by the number of their spending transactions, in file order.
    all: BTreeSet<(u64, usize)>,
    /// Blocks by the previous block as well.
    following: BTreeSet<(u64, u64, usize)>,
    /// The last block that was found, by its hash.
    last: Option<u64>,
    /// The checksums of the records of blocks that contain only a coinbase.
    spending_nothing: HashSet<[u8; CHECKSUM]>,
    /// Bytes that may still be hashed without a match. Without a limit, every record could be tried
    /// with every block.
    left: u64,
}

const NO_BLOCK: &str = "the record belongs to no block of the other file";

impl UnmatchedBlocks {
    fn new(found: &[FoundBlock], left: u64) -> Self {
        let mut waiting = UnmatchedBlocks {
            all: BTreeSet::new(),
            following: BTreeSet::new(),
            last: None,
            spending_nothing: HashSet::new(),
            left,
        };
        for (index, block) in found.iter().enumerate() {
            match block.transactions {
                0 => {}
                1 => drop(
                    waiting
                        .spending_nothing
                        .insert(checksum_of(&block.before, &[0])),
                ),
                more => {
                    let spending = u64::from(more) - 1;
                    waiting.all.insert((spending, index));
                    waiting
                        .following
                        .insert((beginning(&block.before), spending, index));
                }
            }
        }
        waiting
    }

    /// Takes the block of a record. Blocks were connected in chain order, so the successor of the
    /// last one matches whenever both are in this file. Otherwise the first block with the same
    /// number of transactions matches more often than not, because blocks arrived in roughly the
    /// same order.
    ///
    /// # Errors
    /// The reason why no block matches.
    fn take(
        &mut self,
        found: &[FoundBlock],
        transactions: u64,
        record: &[u8],
        checksum: &[u8],
    ) -> Result<usize, &'static str> {
        let following = self.last.into_iter().flat_map(|last| {
            self.following
                .range((last, transactions, 0)..=(last, transactions, usize::MAX))
                .map(|(.., index)| *index)
        });
        let others = self
            .all
            .range((transactions, 0)..=(transactions, usize::MAX))
            .map(|(_, index)| *index);
        for index in following.chain(others) {
            let block = &found[index];
            if checksum_of(&block.before, record) == checksum {
                self.all.remove(&(transactions, index));
                self.following
                    .remove(&(beginning(&block.before), transactions, index));
                self.last = Some(block.hash);
                return Ok(index);
            }
            let tried = TRY + record.len() as u64;
            self.left = self
                .left
                .checked_sub(tried)
                .ok_or("too many records fit no block: not tried with all of them")?;
        }
        Err(NO_BLOCK)
    }
}

fn checksum_of(before: &[u8; 32], record: &[u8]) -> [u8; CHECKSUM] {
    Sha256::digest(
        Sha256::new()
            .chain_update(before)
            .chain_update(record)
            .finalize(),
    )
    .into()
}

/// Reads a block and the outputs that it spends.
fn load(
    blocks: &mut ObfuscatedFile,
    undo: Option<&mut ObfuscatedFile>,
    found: &FoundBlock,
) -> Result<PlacedBlock, Problem> {
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
    Ok(PlacedBlock {
        place: FilePosition::Byte(found.place),
        block,
        spent,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCKS: usize = 2000;
    const RECORD: [u8; 40] = [1; 40];

    fn hash(block: usize) -> [u8; 32] {
        Sha256::digest(block.to_le_bytes()).into()
    }

    /// Blocks of two transactions, each the successor of another, in shuffled order.
    fn shuffled() -> Vec<FoundBlock> {
        let numbers = (0..BLOCKS).map(|index| index * 1001 % BLOCKS);
        numbers
            .map(|number| FoundBlock {
                place: number as u64,
                ..block(number, number + 1, None)
            })
            .collect()
    }

    /// Creates a block of two transactions with this hash, after another block.
    fn block(before: usize, of: usize, undo: Option<(u64, u32)>) -> FoundBlock {
        let before = hash(before);
        let hash = beginning(&hash(of));
        FoundBlock {
            place: 0,
            length: 0,
            transactions: 2,
            before,
            hash,
            undo,
        }
    }

    /// Only the first record is tried with all blocks, whatever their order in the file.
    #[test]
    fn undo_records_match_successor_of_last_block_first() {
        let found = shuffled();
        let mut waiting =
            UnmatchedBlocks::new(&found, (BLOCKS * (RECORD.len() + TRY as usize)) as u64);
        for block in 0..BLOCKS {
            let taken = waiting
                .take(&found, 1, &RECORD, &checksum_of(&hash(block), &RECORD))
                .unwrap();
            assert_eq!(found[taken].place, block as u64);
        }
        assert!(waiting.all.is_empty() && waiting.following.is_empty());
    }

    /// Two siblings, of which the second has a successor: two records are assigned in order, and a
    /// single one goes to the second.
    #[test]
    fn undo_records_prefer_blocks_with_successors() {
        let [one, two, last] = [Some((1, 1)), Some((2, 1)), Some((3, 1))];
        for (of_siblings, expected) in [
            ([one, two], [one, two]),
            ([one, None], [None, one]),
            ([None, one], [None, one]),
            ([None, None], [None, None]),
        ] {
            let mut found = [
                block(1, 9, of_siblings[0]),
                block(1, 2, of_siblings[1]),
                block(2, 3, last),
            ];
            give_to_followed(&mut found);
            assert_eq!(
                found.map(|block| block.undo),
                [expected[0], expected[1], last]
            );
        }
    }

    #[test]
    fn hashing_without_a_match_is_bounded() {
        const TRIES: usize = 10;
        let found = shuffled();
        let mut waiting =
            UnmatchedBlocks::new(&found, (TRIES * (RECORD.len() + TRY as usize)) as u64);
        assert!(
            waiting
                .take(&found, 1, &RECORD, &[0; 32])
                .unwrap_err()
                .contains("too many")
        );
        assert!(waiting.left < TRY + RECORD.len() as u64);
        // The first is still found.
        let first = found[0].place as usize;
        assert_eq!(
            waiting.take(&found, 1, &RECORD, &checksum_of(&hash(first), &RECORD)),
            Ok(0)
        );
    }
}
