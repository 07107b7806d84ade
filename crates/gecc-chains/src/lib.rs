//! Signatures of whole chains, from files of nodes and datasets.
//!
//! [`ethereum`] recovers the senders of transactions from era1 files, blocks as JSON-RPC or RLP,
//! and tables of transactions in Parquet. [`bitcoin`] verifies the inputs of Bitcoin Core's blocks.
//! [`certificates`] verifies certificates with the keys of their issuers.
//!
//! Files are read, decompressed and decoded on the threads of a pool that the caller provides,
//! while signatures are computed in batches by an [`Engine`](gecc::Engine) ([`Settings`]). Answers
//! are delivered on the caller's thread, in the order of the files; formatting them first runs on
//! many threads ([`FormatAnswers`]). A file that is truncated or inconsistent is reported as a [`Problem`]
//! that names the file and the position, and everything in it that can still be read is checked.
//!
//! All data here is public: nothing is constant-time.

pub mod bitcoin;
mod buffers;
pub mod certificates;
mod content;
pub mod ethereum;
mod files;
mod flow;
mod limits;
mod messages;
mod node_folders;
mod problem;
#[cfg(all(test, target_os = "linux"))]
mod rates;
mod reason;
#[cfg(test)]
mod test_support;
// For the command.
#[doc(hidden)]
mod timings;

pub use files::{Paths, files_of};
pub use flow::{EngineSource, FormatAnswers, Settings};
pub use problem::{FilePosition, Problem, Progress, RootComparisons};
pub use timings::{Stage, Timings};

/// An inclusive range of block numbers or heights. Blocks that do not state theirs are in every
/// range.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockRange {
    /// The first block.
    pub from: Option<u64>,
    /// The last block.
    pub to: Option<u64>,
}

impl BlockRange {
    pub(crate) fn wants(&self, block: Option<u64>) -> bool {
        block.is_none_or(|block| {
            self.from.is_none_or(|from| from <= block) && self.to.is_none_or(|to| block <= to)
        })
    }
}
