//! Blocks in RLP: files of one or several, one after the other, and what is in them.

use super::decoded::Decoder;
use super::{Content, PIECE, Piece};
use crate::files::Reader;
use crate::flow::HandOn;
use crate::problem::{Place, Problem, note};
use alloy_rlp::{Decodable, EMPTY_LIST_CODE, Header};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Bytes of a block, or of a part of it. The largest that Ethereum allows is 10 MiB (EIP-7934).
pub const LONGEST: u64 = 64 << 20;
/// Bytes of the longest header of a list.
const LONGEST_HEADER: usize = 9;
/// Fields of a block's header before its number.
const BEFORE_NUMBER: usize = 8;

/// Some blocks, one after the other.
pub struct Encoded {
    pub bytes: Vec<u8>,
    /// Where the first of them is in its file.
    pub start: u64,
}

/// Whether a file that begins like this has blocks in RLP.
pub fn begin(first: &[u8]) -> bool {
    first.first().is_some_and(|byte| *byte > EMPTY_LIST_CODE)
}

/// Reads a file of blocks. Where one does not begin as a list nothing tells where the next begins.
pub fn read(reader: &mut Reader, hand_on: &mut HandOn<Piece>) -> ControlFlow<()> {
    while reader.left() > 0 {
        let mut blocks = Encoded { bytes: Vec::new(), start: reader.place() };
        let mut ended = Ok(());
        while reader.left() > 0 && blocks.bytes.len() < PIECE && ended.is_ok() {
            ended = append_block(reader, &mut blocks.bytes);
        }
        let bytes = blocks.bytes.len() as u64;
        hand_on(Piece::new(&reader.path, Content::Blocks(blocks), bytes))?;
        if let Err(problem) = ended {
            return hand_on(Piece::problem(problem));
        }
    }
    ControlFlow::Continue(())
}

fn append_block(reader: &mut Reader, to: &mut Vec<u8>) -> Result<(), Problem> {
    let mut header = Vec::with_capacity(LONGEST_HEADER);
    reader.peek(1, &mut header)?;
    // A list of more than 55 bytes says in its first byte how many bytes its length has.
    let length_bytes = usize::from(header[0].saturating_sub(0xf7));
    header.clear();
    reader.peek(1 + length_bytes, &mut header)?;
    let payload = match header.as_slice() {
        [short @ 0xc0..=0xf7] => u64::from(short - 0xc0),
        [0xf8..=0xff, length @ ..] => length.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        _ => return Err(reader.problem("a block was to begin here, which is a list")),
    };
    if payload > LONGEST {
        return Err(reader.problem(format!("the block is to have {payload} bytes, above the limit of {LONGEST}")));
    }
    reader.append(header.len() as u64 + payload, to)
}

impl Decoder<'_> {
    /// Adds the transactions of blocks.
    pub fn add_blocks(&mut self, path: &Arc<Path>, blocks: &Encoded) {
        let mut rest = blocks.bytes.as_slice();
        while !rest.is_empty() {
            let place = Place::Byte(blocks.start + (blocks.bytes.len() - rest.len()) as u64);
            let problem = |problem| Problem::new(path, place, format!("the block: {problem}"));
            match Header::decode_bytes(&mut rest, true) {
                Ok(block) => {
                    if let Err(what) = self.add_block(block) {
                        note(&mut self.to.progress.problems, problem(what));
                    }
                }
                // Its length is not in the form that it has to be in; the next cannot be found either.
                Err(what) => return note(&mut self.to.progress.problems, problem(what)),
            }
        }
    }

    /// Adds the transactions of a block: a list of the header, the transactions and others.
    fn add_block(&mut self, mut block: &[u8]) -> alloy_rlp::Result<()> {
        let number = number(&mut block)?;
        self.add_transactions(&mut block, Some(number))
    }

    /// Adds the transactions of a block's body, a list that begins with theirs.
    pub fn add_body(&mut self, mut body: &[u8], number: Option<u64>) -> alloy_rlp::Result<()> {
        let mut parts = Header::decode_bytes(&mut body, true)?;
        self.add_transactions(&mut parts, number)
    }

    fn add_transactions(&mut self, parts: &mut &[u8], number: Option<u64>) -> alloy_rlp::Result<()> {
        let transactions = Header::decode_bytes(parts, true)?;
        if self.wants(number) { self.add_list(transactions, number) } else { Ok(()) }
    }
}

/// The number in a header.
pub fn number(encoded: &mut &[u8]) -> alloy_rlp::Result<u64> {
    let mut fields = Header::decode_bytes(encoded, true)?;
    for _ in 0..BEFORE_NUMBER {
        let header = Header::decode(&mut fields)?;
        fields = &fields[header.payload_length..];
    }
    u64::decode(&mut fields)
}
