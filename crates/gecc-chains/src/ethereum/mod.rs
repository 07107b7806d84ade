//! Who sent the transactions of Ethereum, and of chains like it.
//!
//! [`senders`] reads era1 files, blocks as JSON-RPC gives them, blocks in RLP, and tables of transactions in Parquet
//! with the columns of amp or cryo, told apart by what is in them. For each transaction, and for each authorization in
//! one that sets code, it computes what was signed (yellow paper, appendix F; EIP-155, 2930, 1559, 4844 and 7702) and
//! recovers the signer. The transaction's hash is computed again where the source says it: if it comes out, the
//! transaction was read as it was meant. If not, it cannot be rebuilt ([`Reason::NotRebuilt`]), which says nothing
//! about its signature.

mod answers;
mod blocks;
mod decoded;
mod era1;
mod json;
mod keccak;
mod rlp;
mod span;
#[cfg(feature = "arrow")]
mod table;
#[cfg(not(feature = "arrow"))]
#[path = "no_table.rs"]
mod table;
mod transaction;

use crate::files::{Paths, Reader};
use crate::flow::{self, HandOn, Settings, Work};
use crate::limits::Limits;
use crate::problem::{Problem, Progress};
use crate::range::Blocks;
pub use answers::{Answer, Answers, Kind, Reason};
use decoded::{Decoded, Decoder};
use gecc::Engine;
pub use gecc::ecdsa::Address;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Bytes of files that are decoded by themselves, more or less.
const PIECE: usize = 1 << 20;

/// What is wanted.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which blocks; also all whose number the source does not say.
    pub blocks: Blocks,
    /// The chain that transactions have to be for, where they say one. Others are rejected. Of any where this is
    /// `None`.
    pub chain_id: Option<u64>,
}

/// Recovers the signers of all transactions of some files, and hands the answers to `sink` until that wants no more.
/// Gives what the sink ended with.
///
/// # Errors
/// What the engine says. Answers before were handed on.
pub fn senders<B>(
    settings: &Settings,
    paths: &Paths,
    options: &Options,
    sink: impl FnMut(Answers) -> ControlFlow<B>,
) -> Result<Option<B>, gecc::Error> {
    let threads = settings.pool.current_num_threads();
    let read = |hand_on: &mut HandOn<Piece>| {
        // Where nothing more is wanted the flow knows.
        let _ = read_all(paths, threads, &settings.limits(), hand_on);
    };
    flow::run(&Senders::new(options), settings, read, sink)
}

/// A part of a file that is decoded by itself.
pub(crate) struct Piece {
    path: Option<Arc<Path>>,
    content: Content,
    progress: Progress,
}

enum Content {
    Nothing,
    Tuples(era1::Tuples),
    Blocks(blocks::Encoded),
    Json(json::Values),
    #[cfg(feature = "arrow")]
    Rows(table::Rows),
}

impl Piece {
    fn new(path: &Arc<Path>, content: Content, bytes: u64) -> Self {
        let progress = Progress { bytes, ..Progress::default() };
        Piece { path: Some(Arc::clone(path)), content, progress }
    }

    /// With what was wrong on the way.
    fn with(mut self, problems: Vec<Problem>) -> Self {
        self.progress.problems = problems;
        self
    }

    fn problem(problem: Problem) -> Self {
        let progress = Progress { problems: vec![problem], ..Progress::default() };
        Piece { path: None, content: Content::Nothing, progress }
    }

    fn end_of(path: &Arc<Path>) -> Self {
        let progress = Progress { finished: vec![Arc::clone(path)], ..Progress::default() };
        Piece { path: None, content: Content::Nothing, progress }
    }
}

pub(crate) fn read_all(paths: &Paths, threads: usize, limits: &Limits, hand_on: &mut HandOn<Piece>) -> ControlFlow<()> {
    paths.problems.iter().try_for_each(|problem| hand_on(Piece::problem(problem.clone())))?;
    for (path, length) in &paths.files {
        match Reader::open(path) {
            Ok(mut reader) => read_file(&mut reader, *length, threads, limits, hand_on)?,
            Err(problem) => hand_on(Piece::problem(problem))?,
        }
        hand_on(Piece::end_of(path))?;
    }
    ControlFlow::Continue(())
}

fn read_file(
    reader: &mut Reader,
    length: u64,
    threads: usize,
    limits: &Limits,
    hand_on: &mut HandOn<Piece>,
) -> ControlFlow<()> {
    let first = match reader.first() {
        Ok(first) => first,
        Err(problem) => return hand_on(Piece::problem(problem)),
    };
    if first.starts_with(&era1::MAGIC) {
        return era1::read(reader, limits, hand_on);
    }
    if table::begins(first) {
        return table::read(&reader.path, length, threads, limits, hand_on);
    }
    if json::begins(first) {
        return json::read(reader, limits, hand_on);
    }
    if blocks::begin(first) {
        return blocks::read(reader, limits, hand_on);
    }
    hand_on(Piece::problem(reader.problem("neither era1 nor Parquet, JSON or RLP with blocks")))
}

/// Decodes pieces and recovers senders.
pub(crate) struct Senders<'a> {
    options: &'a Options,
}

impl<'a> Senders<'a> {
    pub fn new(options: &'a Options) -> Self {
        Senders { options }
    }
}

impl Work for Senders<'_> {
    type Piece = Piece;
    type Decoded = Decoded;
    type Answers = Answers;

    fn weight(piece: &Piece) -> usize {
        match &piece.content {
            Content::Nothing => 0,
            Content::Tuples(tuples) => tuples.weight(),
            Content::Blocks(blocks) => blocks.weight(),
            Content::Json(values) => values.weight(),
            #[cfg(feature = "arrow")]
            Content::Rows(rows) => rows.weight(),
        }
    }

    fn decode(&self, mut piece: Piece, most: usize) -> (Decoded, Option<Piece>) {
        let mut decoder = Decoder::new(self.options, most);
        decoder.to.progress = std::mem::take(&mut piece.progress);
        let Some(path) = &piece.path else { return (decoder.finish(), None) };
        let is_over = match &mut piece.content {
            Content::Nothing => true,
            Content::Tuples(tuples) => decoder.add_tuples(path, tuples),
            Content::Blocks(blocks) => decoder.add_blocks(path, blocks),
            Content::Json(values) => decoder.add_values(path, values),
            #[cfg(feature = "arrow")]
            Content::Rows(rows) => decoder.add_rows(rows),
        };
        (decoder.finish(), (!is_over).then_some(piece))
    }

    fn size(decoded: &Decoded) -> usize {
        decoded.len()
    }

    fn bytes(decoded: &Decoded) -> usize {
        decoded.bytes()
    }

    fn append(batch: &mut Decoded, next: Decoded) {
        batch.append(next);
    }

    fn compute(&self, engine: &Engine, batch: Decoded) -> Result<Answers, gecc::Error> {
        batch.recover(engine)
    }
}
