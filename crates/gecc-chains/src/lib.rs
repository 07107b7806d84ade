//! Signatures of whole chains, from files of nodes and datasets.
//!
//! [`ethereum`] recovers the senders of transactions from era1 files, blocks as JSON-RPC or RLP,
//! and tables of transactions in Parquet. [`bitcoin`] verifies the inputs of Bitcoin Core's blocks.
//! [`certificates`] verifies certificates with the keys of their issuers.
//!
//! Files are read, decompressed and decoded on the threads of a pool that the caller provides,
//! while signatures are computed in batches by an [`Engine`](gecc::Engine) ([`Settings`]). Answers
//! are delivered on the caller's thread, in the order of the files; formatting them first runs on
//! many threads ([`Form`]). A file that is truncated or inconsistent is reported as a [`Problem`]
//! that names the file and the position, and everything in it that can still be read is checked.
//!
//! All data here is public: nothing is constant-time.

pub mod bitcoin;
pub mod certificates;
#[cfg(test)]
mod changed;
mod column;
mod content;
pub mod ethereum;
mod files;
mod flow;
mod limits;
mod messages;
mod nodes;
mod piece;
mod problem;
mod range;
#[cfg(all(test, target_os = "linux"))]
mod rates;
mod reason;
#[cfg(test)]
mod shipped;
mod spare;
// For the command.
#[doc(hidden)]
pub mod threads;
mod timings;

pub use files::{Paths, files_of};
pub use flow::{Computing, Form, Settings};
pub use problem::{Compared, Place, Problem, Progress};
pub use range::Blocks;
pub use timings::{Step, Timings};
