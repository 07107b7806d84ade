//! The signatures of whole chains, from the files that nodes and datasets have.
//!
//! [`ethereum`] recovers who sent the transactions of era1 files, blocks as JSON-RPC or RLP, and tables of transactions
//! in Parquet. [`bitcoin`] verifies the inputs of Bitcoin Core's blocks. [`certificates`] verifies certificates by the
//! keys of their issuers.
//!
//! Files are read, decompressed and decoded on the threads of a pool that the caller gives, and signatures computed by
//! an [`Engine`](gecc::Engine) in batches, all at the same time ([`Settings`]). Answers come in the order of the files,
//! on the thread that calls; what is to be made of them first, many threads make ([`Form`]). A file that is cut, or
//! says what is not so, gives a [`Problem`] that names the file and the place, and what can still be read of it is
//! checked.
//!
//! Everything here is public data: nothing is constant-time.

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
