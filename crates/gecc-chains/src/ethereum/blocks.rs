//! Blocks in RLP: files of one or several, one after the other, and what is in them.

use super::decoded::Decoder;
use super::rlp;
use super::transaction::List;
use super::{Content, PIECE, Piece};
use crate::files::Reader;
use crate::flow::HandOn;
use crate::limits::Limits;
use crate::problem::{Place, Problem, note};
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;

/// Bytes of a block, or of a part of it. The largest that Ethereum allows is 10 MiB (EIP-7934).
pub const LONGEST: u64 = 64 << 20;
/// Fields of a block's header before the root of its transactions (yellow paper, section 4.3).
const BEFORE_ROOT: usize = 4;

/// What is read of a block's header.
#[derive(Clone, Debug)]
pub struct Header {
    pub number: u64,
    /// The root of its transactions, by which these are known to be the block's.
    pub transactions_root: [u8; 32],
    /// Whether it has a difficulty: blocks after the merge have none.
    pub is_before_merge: bool,
    /// The block's hash.
    pub hash: [u8; 32],
}

/// Some blocks, one after the other.
pub struct Encoded {
    bytes: Vec<u8>,
    /// The position of the first one in its file.
    start: u64,
    /// The position of the next one in the bytes.
    next: usize,
    /// The unread rest of the one before that.
    open: Option<(Place, List)>,
}

impl Encoded {
    /// Bytes that are in memory until all blocks are decoded: also what is signed by a transaction, which may fill one.
    pub fn weight(&self) -> usize {
        3 * self.bytes.len()
    }
}

/// Returns whether a file that begins like this contains blocks in RLP.
pub fn begin(first: &[u8]) -> bool {
    first.first().is_some_and(|byte| *byte > rlp::EMPTY_LIST)
}

/// Reads a file of blocks. Where one does not begin as a list nothing tells where the next begins.
pub fn read(reader: &mut Reader, limits: &Limits, hand_on: &mut HandOn<Piece>) -> ControlFlow<()> {
    let longest = limits.whole_of(LONGEST);
    while !reader.at_end() {
        let mut blocks = Encoded { bytes: Vec::new(), start: reader.place(), next: 0, open: None };
        let mut ended = Ok(());
        while blocks.bytes.len() < PIECE && ended.is_ok() && !reader.at_end() {
            let place = Place::Byte(reader.place());
            ended = append_block(reader, longest, &mut blocks.bytes).map_err(|problem| Problem { place, ..problem });
        }
        let bytes = blocks.bytes.len() as u64;
        hand_on(Piece::new(&reader.path, Content::Blocks(blocks), bytes))?;
        if let Err(problem) = ended {
            return hand_on(Piece::problem(problem));
        }
    }
    ControlFlow::Continue(())
}

fn append_block(reader: &mut Reader, longest: u64, to: &mut Vec<u8>) -> Result<(), Problem> {
    let mut header = reader.read::<1>()?.to_vec();
    // A list of more than 55 bytes says in its first byte how many bytes its length has.
    reader.append(header[0].saturating_sub(0xf7).into(), &mut header)?;
    let payload = match header.as_slice() {
        [short @ 0xc0..=0xf7] => u64::from(short - 0xc0),
        [0xf8..=0xff, length @ ..] => length.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        _ => return Err(reader.problem("a block was to begin here, which is a list")),
    };
    if payload > longest {
        return Err(reader.problem(format!("the block is to have {payload} bytes, above the limit of {longest}")));
    }
    let start = to.len();
    to.extend_from_slice(&header);
    reader.append(payload, to).inspect_err(|_| to.truncate(start))
}

impl Decoder<'_> {
    /// Adds the transactions of blocks until there is enough. Whether that were all.
    pub fn add_blocks(&mut self, path: &Arc<Path>, blocks: &mut Encoded) -> bool {
        let Encoded { bytes, start, next, open } = blocks;
        let problem = |place, problem| Problem::new(path, place, format!("the block: {problem}"));
        while !self.is_full() {
            if let Some((place, list)) = open {
                if let Err(what) = self.add_list(bytes, list) {
                    note(&mut self.to.progress.problems, problem(*place, what));
                }
                open.take_if(|(_, list)| list.is_empty());
                continue;
            }
            let (place, mut rest) = (Place::Byte(*start + *next as u64), &bytes[*next..]);
            if rest.is_empty() {
                return true;
            }
            match rlp::list(&mut rest) {
                Ok(block) => {
                    *next = bytes.len() - rest.len();
                    match transactions_of(block) {
                        Ok((header, list)) if self.wants(Some(header.number)) => {
                            let list = List::new(place_in(bytes, list), Some(header.number));
                            let root = &header.transactions_root;
                            *open = Some((place, self.compare_root(path, place, bytes, list, root)));
                        }
                        Ok(_) => {}
                        Err(what) => note(&mut self.to.progress.problems, problem(place, what)),
                    }
                }
                // Its length is not in the form that it has to be in; the next cannot be found either.
                Err(what) => {
                    note(&mut self.to.progress.problems, problem(place, what));
                    return true;
                }
            }
        }
        open.is_none() && *next == bytes.len()
    }
}

/// The header and the transactions of a block: a list of the header, the transactions and others.
fn transactions_of(mut block: &[u8]) -> rlp::Result<(Header, &[u8])> {
    let header = header(&mut block)?;
    Ok((header, rlp::list(&mut block)?))
}

/// The header of a block and where its transactions are, of bytes that are a block alone; `None` for the encoding of a
/// transaction.
pub fn block(encoded: &[u8]) -> Option<rlp::Result<(Header, Range<usize>)>> {
    let mut rest = encoded;
    // Of a transaction the first field is no list.
    let block = rlp::list(&mut rest).ok().filter(|block| block.first().is_some_and(|byte| *byte >= rlp::EMPTY_LIST))?;
    Some(transactions_of(block).map(|(header, list)| (header, place_in(encoded, list))))
}

/// Returns the position of a part within some bytes.
pub fn place_in(bytes: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr().addr() - bytes.as_ptr().addr();
    start..start + part.len()
}

/// Takes a header from the front of some bytes. Its hash is left to those who need it.
pub fn header(encoded: &mut &[u8]) -> rlp::Result<Header> {
    let mut fields = rlp::list(encoded)?;
    for _ in 0..BEFORE_ROOT {
        rlp::item(&mut fields)?;
    }
    let transactions_root = *rlp::fixed(&mut fields).map_err(|_| "the header has no transactions root of 32 bytes")?;
    // The root of receipts and the bloom filter of logs.
    rlp::item(&mut fields)?;
    rlp::item(&mut fields)?;
    let is_before_merge = !rlp::digits(&mut fields, 32)?.is_empty();
    let number = rlp::integer(&mut fields, 8)? as u64;
    Ok(Header { number, transactions_root, is_before_merge, hash: [0; 32] })
}
