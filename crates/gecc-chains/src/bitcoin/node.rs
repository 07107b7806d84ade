//! Blocks that are requested from a node instead of being read from files.

use super::block::{BEFORE, BLOCK_HEADER};
use super::hashes::sha256d;
use super::network::{Magics, Network};
use super::{
    BlockContent, BlockSource, LONGEST_BLOCK, LONGEST_UNDO, Piece, PlacedBlock, SpentForm, Txid,
    files,
};
use crate::files::Paths;
use crate::flow::PieceSink;
use crate::limits::Limits;
use crate::problem::{FilePosition, Problem};
use std::collections::VecDeque;
use std::iter;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

const NOT_CONSECUTIVE: &str =
    "it does not follow the block before it: the node's chain became another meanwhile";

/// A block as Bitcoin Core's REST interface returns it, since version 30 with the outputs that it
/// spends.
#[derive(Clone, Debug)]
pub struct NodeBlock {
    /// The network of the node.
    pub network: Network,
    /// The block's height, by which problems name it.
    pub height: u64,
    /// The hash that the node has for that height, in byte order.
    pub hash: [u8; 32],
    /// The response to `/rest/block/HASH.bin`.
    pub block: Vec<u8>,
    /// The response to `/rest/spenttxouts/HASH.bin`.
    pub spent: Vec<u8>,
}

/// Blocks that a node returns, in order.
pub struct NodeBlocks {
    /// The name used in problems, such as the node's address.
    pub name: Arc<Path>,
    /// The blocks; an error is the reason why there are no more.
    pub blocks: Box<dyn Iterator<Item = Result<NodeBlock, String>> + Send>,
}

/// The origin of blocks.
pub enum Chain<'a> {
    /// Files, as described at [`verify`](super::verify).
    Files(&'a Paths),
    /// Files of which those written by Bitcoin Core have records with this magic, in byte order,
    /// and no others. A magic of no known network belongs to a signet with a challenge of its own.
    FilesWithMagic(&'a Paths, [u8; 4]),
    /// A node.
    Node(NodeBlocks),
}

impl<'a> From<&'a Paths> for Chain<'a> {
    fn from(paths: &'a Paths) -> Self {
        Chain::Files(paths)
    }
}

impl<'a> Chain<'a> {
    pub(super) fn sources(self) -> Box<dyn ExactSizeIterator<Item = BlockSource> + Send + 'a> {
        match self {
            Chain::Files(paths) => Box::new(files(paths, Magics::Known)),
            Chain::FilesWithMagic(paths, magic) => Box::new(files(paths, Magics::Only(magic))),
            Chain::Node(node) => Box::new(iter::once(BlockSource::Node(node))),
        }
    }
}

impl NodeBlocks {
    /// Hands on a piece for each block.
    pub(super) fn read(self, limits: &Limits, hand_on: &mut PieceSink<Piece>) -> ControlFlow<()> {
        let NodeBlocks { name, mut blocks } = self;
        let mut last = None;
        blocks.try_for_each(|block| {
            let block = match block {
                Ok(block) => block,
                Err(what) => {
                    return hand_on(Piece::problem(Problem::new(
                        &name,
                        FilePosition::Whole,
                        what,
                    )));
                }
            };
            let place = FilePosition::Block(block.height);
            let follows = last
                .replace(block.hash)
                .is_none_or(|last| block.block.get(BEFORE) == Some(&last[..]));
            match block.piece(&name, limits) {
                Ok(piece) => hand_on(piece)?,
                Err(what) => return hand_on(Piece::problem(Problem::new(&name, place, what))),
            }
            if follows {
                return ControlFlow::Continue(());
            }
            hand_on(Piece::problem(Problem::new(&name, place, NOT_CONSECUTIVE)))
        })?;
        hand_on(Piece::end_of(&name, 0))
    }
}

impl NodeBlock {
    /// Checks that the block is the requested one, and makes a piece of it alone.
    fn piece(self, name: &Arc<Path>, limits: &Limits) -> Result<Piece, String> {
        let NodeBlock {
            network,
            height,
            hash,
            block,
            spent,
        } = self;
        for (bytes, longest) in [
            (&block, LONGEST_BLOCK),
            (&spent, limits.whole_of(LONGEST_UNDO)),
        ] {
            if bytes.len() as u64 > longest {
                return Err(format!(
                    "a block, or its spent outputs, is above the limit of {longest} bytes"
                ));
            }
        }
        if block.get(..BLOCK_HEADER).map(sha256d) != Some(hash) {
            return Err(format!(
                "the node returned another block than {}",
                Txid(hash)
            ));
        }
        let bytes = (block.len() + spent.len()) as u64;
        let blocks = VecDeque::from([PlacedBlock {
            place: FilePosition::Block(height),
            block,
            spent: Some(spent),
        }]);
        Ok(Piece::new(
            name,
            BlockContent::new(network, blocks, SpentForm::ByTransaction),
            bytes,
        ))
    }
}
