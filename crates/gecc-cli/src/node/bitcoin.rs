//! Blocks of Bitcoin with the outputs that they spend, from the REST interface of Bitcoin Core (its
//! `doc/REST-interface.md`).

use super::{NodeClient, RequestFailure, UrlText, body, place_of, requests, until_interrupted};
use crate::interrupt;
use crate::output::Failure;
use gecc_chains::bitcoin::{
    Chain, LONGEST_BLOCK, LONGEST_UNDO, Network, NodeBlock, NodeBlocks, Txid,
};
use gecc_chains::{BlockRange, Paths};
use serde::Deserialize;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// The maximum size in bytes of a node's response about its chain.
const LONGEST_INFO: u64 = 1 << 20;
/// The memory in bytes for a block and its spent outputs, with room for both to grow. Few take
/// more.
const BLOCK: usize = 16 << 20;
const NO_REST: &str =
    "bitcoind serves REST with the option -rest, and spent outputs since version 30";

/// Connects to the node given by `--rest-url`, if any, and requests the blocks for as long as the
/// result exists. `memory` bounds the blocks in flight.
pub fn connect(
    url: Option<&UrlText>,
    blocks: BlockRange,
    memory: Option<usize>,
) -> Result<Option<NodeBlocks>, Failure> {
    let (
        Some(url),
        BlockRange {
            from: Some(from),
            to: Some(to),
        },
    ) = (url, blocks)
    else {
        return Ok(None);
    };
    let url = &url.url("--rest-url")?;
    let (hand_on, given) = sync_channel(1);
    let interrupted = interrupt::watch()?;
    let client = NodeClient::new(url, requests(memory, BLOCK), interrupted);
    let builder = thread::Builder::new().name("gecc-node".to_owned());
    // The thread is not joined: it ends when the receiver is gone.
    builder
        .spawn(move || client.blocks(from..=to, &hand_on))
        .map_err(|problem| format!("{url}: {problem}"))?;
    let name = Arc::from(Path::new(&url.to_string()));
    Ok(Some(NodeBlocks {
        name,
        blocks: Box::new(until_interrupted(given, interrupted)),
    }))
}

/// Selects the source of blocks: a node, or else files, whose records may have their own magic
/// number.
pub fn source(node: Option<NodeBlocks>, paths: &Paths, magic: Option<[u8; 4]>) -> Chain<'_> {
    match (node, magic) {
        (Some(node), _) => Chain::Node(node),
        (None, Some(magic)) => Chain::FilesWithMagic(paths, magic),
        (None, None) => Chain::Files(paths),
    }
}

/// The response to `/rest/chaininfo.json`.
#[derive(Deserialize)]
struct ChainInfo {
    chain: String,
}

impl NodeClient {
    /// Sends all blocks, in order, or the reason why there are no more.
    fn blocks(&self, heights: RangeInclusive<u64>, to: &SyncSender<Result<NodeBlock, String>>) {
        let network = match self.again(&|| self.is_wanted(), || self.network()) {
            None => return,
            Some(Ok(network)) => network,
            Some(Err(problem)) => {
                let _ = to.send(Err(problem));
                return;
            }
        };
        let (first, last) = heights.into_inner();
        self.in_order(
            (last - first).saturating_add(1),
            |number| self.block(network, first + number),
            |number, block| {
                to.send(block.map_err(|problem| format!("block {}: {problem}", first + number)))
                    .is_ok()
            },
        );
    }

    fn network(&self) -> Result<Network, RequestFailure> {
        let info = self.get("chaininfo.json", LONGEST_INFO)?;
        let info: ChainInfo = serde_json::from_slice(&info).map_err(|problem| {
            RequestFailure::for_good(format!(
                "the response does not state the chain: {}",
                place_of(&problem)
            ))
        })?;
        Network::of_chain(&info.chain).ok_or_else(|| {
            RequestFailure::for_good(format!(
                "the node is on the chain `{}`, which is not supported",
                info.chain
            ))
        })
    }

    fn block(&self, network: Network, height: u64) -> Result<NodeBlock, RequestFailure> {
        let hash = self.get(&format!("blockhashbyheight/{height}.bin"), 32)?;
        let hash: [u8; 32] = hash
            .try_into()
            .map_err(|_| RequestFailure::for_now("the response is not a hash".to_owned()))?;
        let block = self.get(&format!("block/{}.bin", Txid(hash)), LONGEST_BLOCK)?;
        let spent = self.get(&format!("spenttxouts/{}.bin", Txid(hash)), LONGEST_UNDO)?;
        Ok(NodeBlock {
            network,
            height,
            hash,
            block,
            spent,
        })
    }

    fn get(&self, path: &str, longest: u64) -> Result<Vec<u8>, RequestFailure> {
        let url = self.url.below(&format!("rest/{path}"));
        body(self.agent.get(url).call(), longest, NO_REST)
    }
}
