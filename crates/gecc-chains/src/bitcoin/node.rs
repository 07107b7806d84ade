//! Blocks that a node is asked for, in place of files.

use super::block::BLOCK_HEADER;
use super::hashes::sha256d;
use super::network::Network;
use super::{Content, LONGEST_BLOCK, LONGEST_UNDO, Piece, PlacedBlock, Source, SpentForm, Txid, files};
use crate::files::Paths;
use crate::flow::HandOn;
use crate::limits::Limits;
use crate::problem::{Place, Problem};
use std::collections::VecDeque;
use std::iter;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// A block as the REST of Bitcoin Core gives it, since version 30 with what it spends.
#[derive(Clone, Debug)]
pub struct NodeBlock {
    /// The network that the node is of.
    pub network: Network,
    /// The block's height, by which problems name it.
    pub height: u64,
    /// The hash that the node has for that height, in the order of its bytes.
    pub hash: [u8; 32],
    /// What `/rest/block/HASH.bin` gives.
    pub block: Vec<u8>,
    /// What `/rest/spenttxouts/HASH.bin` gives.
    pub spent: Vec<u8>,
}

/// Blocks that a node gives, in order.
pub struct FromNode {
    /// What problems call it, such as its address.
    pub name: Arc<Path>,
    /// The blocks, or why there are no more.
    pub blocks: Box<dyn Iterator<Item = Result<NodeBlock, String>> + Send>,
}

/// Where blocks come from.
pub enum Chain<'a> {
    /// Files, as [`verify`](super::verify) says.
    Files(&'a Paths),
    /// A node.
    Node(FromNode),
}

impl<'a> From<&'a Paths> for Chain<'a> {
    fn from(paths: &'a Paths) -> Self {
        Chain::Files(paths)
    }
}

impl<'a> Chain<'a> {
    pub(super) fn sources(self) -> Box<dyn ExactSizeIterator<Item = Source> + Send + 'a> {
        match self {
            Chain::Files(paths) => Box::new(files(paths)),
            Chain::Node(node) => Box::new(iter::once(Source::Node(node))),
        }
    }
}

impl FromNode {
    /// Hands on a piece for each block.
    pub(super) fn read(self, limits: &Limits, hand_on: &mut HandOn<Piece>) -> ControlFlow<()> {
        let FromNode { name, mut blocks } = self;
        let problem = |place, what: String| Piece::problem(Problem::new(&name, place, what));
        blocks.try_for_each(|block| {
            hand_on(match block {
                Ok(block) => {
                    let place = Place::Block(block.height);
                    block.piece(&name, limits).unwrap_or_else(|what| problem(place, what))
                }
                Err(what) => problem(Place::Whole, what),
            })
        })?;
        hand_on(Piece::end_of(&name, 0))
    }
}

impl NodeBlock {
    /// The block alone, if it is the one that was asked for.
    fn piece(self, name: &Arc<Path>, limits: &Limits) -> Result<Piece, String> {
        let NodeBlock { network, height, hash, block, spent } = self;
        for (bytes, longest) in [(&block, LONGEST_BLOCK), (&spent, limits.whole_of(LONGEST_UNDO))] {
            if bytes.len() as u64 > longest {
                return Err(format!("a block, or what it spends, is above the limit of {longest} bytes"));
            }
        }
        if block.get(..BLOCK_HEADER).map(sha256d) != Some(hash) {
            return Err(format!("the node was asked for the block {}, and what it gave is not that", Txid(hash)));
        }
        let bytes = (block.len() + spent.len()) as u64;
        let blocks = VecDeque::from([PlacedBlock { place: Place::Block(height), block, spent: Some(spent) }]);
        Ok(Piece::new(name, Content::new(network, blocks, SpentForm::ByTransaction), bytes))
    }
}
