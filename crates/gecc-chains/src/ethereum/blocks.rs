//! Blocks in RLP: files of one or several consecutive blocks, and their contents.

use super::decoded::Decoder;
use super::rlp;
use super::transaction::TransactionList;
use super::{PIECE, Piece, PieceContent};
use crate::files::FileReader;
use crate::flow::PieceSink;
use crate::limits::Limits;
use crate::problem::{FilePosition, Problem, note};
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;

/// Maximum size in bytes of a block or of a part of it. The largest that Ethereum allows is 10 MiB
/// (EIP-7934).
pub const LONGEST: u64 = 64 << 20;
/// Number of fields of a block's header before the root of its transactions (yellow paper, section
/// 4.3).
const BEFORE_ROOT: usize = 4;

/// The fields of a block's header that are used here.
#[derive(Clone, Debug)]
pub struct BlockHeader {
    pub number: u64,
    /// The root of its transactions, which shows whether transactions belong to the block.
    pub transactions_root: [u8; 32],
    /// True if it has a difficulty: blocks after the merge have none.
    pub is_before_merge: bool,
    /// The block's hash.
    pub hash: [u8; 32],
}

/// Consecutive blocks.
pub struct EncodedBlocks {
    bytes: Vec<u8>,
    /// The position of the first block in its file.
    start: u64,
    /// The position of the next block in the bytes.
    next: usize,
    /// The unread transactions of the block before that.
    open: Option<(FilePosition, TransactionList)>,
}

impl EncodedBlocks {
    /// Returns the memory in bytes that is in use until all blocks are decoded. It includes the
    /// signed message of a transaction, which may fill a block.
    pub fn weight(&self) -> usize {
        3 * self.bytes.len()
    }
}

/// Returns whether a file that begins like this contains blocks in RLP.
pub fn begin(first: &[u8]) -> bool {
    first.first().is_some_and(|byte| *byte > rlp::EMPTY_LIST)
}

/// Reads a file of blocks. After a block that does not begin as a list, no further block can be
/// found.
pub fn read(
    reader: &mut FileReader,
    limits: &Limits,
    hand_on: &mut PieceSink<Piece>,
) -> ControlFlow<()> {
    let longest = limits.whole_of(LONGEST);
    while !reader.at_end() {
        let mut blocks = EncodedBlocks {
            bytes: Vec::new(),
            start: reader.place(),
            next: 0,
            open: None,
        };
        let mut ended = Ok(());
        while blocks.bytes.len() < PIECE && ended.is_ok() && !reader.at_end() {
            let place = FilePosition::Byte(reader.place());
            ended = append_block(reader, longest, &mut blocks.bytes)
                .map_err(|problem| Problem { place, ..problem });
        }
        let bytes = blocks.bytes.len() as u64;
        hand_on(Piece::new(
            &reader.path,
            PieceContent::Blocks(blocks),
            bytes,
        ))?;
        if let Err(problem) = ended {
            return hand_on(Piece::problem(problem));
        }
    }
    ControlFlow::Continue(())
}

fn append_block(reader: &mut FileReader, longest: u64, to: &mut Vec<u8>) -> Result<(), Problem> {
    let mut header = reader.read::<1>()?.to_vec();
    // The first byte of a list of more than 55 bytes contains the number of bytes of its length.
    reader.append(header[0].saturating_sub(0xf7).into(), &mut header)?;
    let payload = match header.as_slice() {
        [short @ 0xc0..=0xf7] => u64::from(short - 0xc0),
        [0xf8..=0xff, length @ ..] => length
            .iter()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        _ => return Err(reader.problem("expected a block here, which is a list")),
    };
    if payload > longest {
        return Err(reader.problem(format!(
            "the block of {payload} bytes is above the limit of {longest}"
        )));
    }
    let start = to.len();
    to.extend_from_slice(&header);
    reader
        .append(payload, to)
        .inspect_err(|_| to.truncate(start))
}

impl Decoder<'_> {
    /// Adds the transactions of blocks until the part is full. Returns whether all were added.
    pub fn add_blocks(&mut self, path: &Arc<Path>, blocks: &mut EncodedBlocks) -> bool {
        let EncodedBlocks {
            bytes,
            start,
            next,
            open,
        } = blocks;
        while !self.is_full() {
            if let Some((place, list)) = open {
                if let Err(what) = self.add_list(bytes, list) {
                    note(
                        &mut self.to.progress.problems,
                        block_problem(path, *place, what),
                    );
                }
                open.take_if(|(_, list)| list.is_empty());
                continue;
            }
            let place = FilePosition::Byte(*start + *next as u64);
            let mut rest = &bytes[*next..];
            if rest.is_empty() {
                return true;
            }
            match rlp::list(&mut rest) {
                Ok(block) => {
                    *next = bytes.len() - rest.len();
                    match transactions_of(block) {
                        Ok((header, list)) if self.wants(Some(header.number)) => {
                            let list =
                                TransactionList::new(place_in(bytes, list), Some(header.number));
                            let root = &header.transactions_root;
                            *open =
                                Some((place, self.compare_root(path, place, bytes, list, root)));
                        }
                        Ok(_) => {}
                        Err(what) => note(
                            &mut self.to.progress.problems,
                            block_problem(path, place, what),
                        ),
                    }
                }
                // Its length is malformed, so the next block cannot be found either.
                Err(what) => {
                    note(
                        &mut self.to.progress.problems,
                        block_problem(path, place, what),
                    );
                    return true;
                }
            }
        }
        open.is_none() && *next == bytes.len()
    }
}

fn block_problem(path: &Arc<Path>, place: FilePosition, what: &str) -> Problem {
    Problem::new(path, place, format!("the block: {what}"))
}

/// Returns the header and the transactions of a block: a list of the header, the transactions and
/// other fields.
fn transactions_of(mut block: &[u8]) -> rlp::Result<(BlockHeader, &[u8])> {
    let header = header(&mut block)?;
    Ok((header, rlp::list(&mut block)?))
}

/// Returns the header of a block and the range of its transactions, if `encoded` is a block; `None`
/// for the encoding of a transaction.
pub fn block(encoded: &[u8]) -> Option<rlp::Result<(BlockHeader, Range<usize>)>> {
    let mut rest = encoded;
    // The first field of a transaction is not a list.
    let block = rlp::list(&mut rest)
        .ok()
        .filter(|block| block.first().is_some_and(|byte| *byte >= rlp::EMPTY_LIST))?;
    Some(transactions_of(block).map(|(header, list)| (header, place_in(encoded, list))))
}

/// Returns the range of a part within `bytes`.
pub fn place_in(bytes: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr().addr() - bytes.as_ptr().addr();
    start..start + part.len()
}

/// Parses a header at the front of `encoded`. Its hash is left to callers that need it.
pub fn header(encoded: &mut &[u8]) -> rlp::Result<BlockHeader> {
    let mut fields = rlp::list(encoded)?;
    for _ in 0..BEFORE_ROOT {
        rlp::item(&mut fields)?;
    }
    let transactions_root =
        *rlp::fixed(&mut fields).map_err(|_| "the header has no transactions root of 32 bytes")?;
    // The root of the receipts, and the bloom filter of the logs.
    rlp::item(&mut fields)?;
    rlp::item(&mut fields)?;
    let is_before_merge = !rlp::digits(&mut fields, 32)?.is_empty();
    let number = rlp::integer(&mut fields, 8)? as u64;
    Ok(BlockHeader {
        number,
        transactions_root,
        is_before_merge,
        hash: [0; 32],
    })
}
