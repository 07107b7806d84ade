//! Senders of the transactions of Ethereum and similar chains.
//!
//! [`senders`] reads era1 files, blocks from JSON-RPC, blocks in RLP, and tables of transactions in
//! Parquet with the columns of amp or cryo; the format is recognised by the content. For each
//! transaction, and for each authorization in one that sets code, it computes the signed message
//! (yellow paper, appendix F; EIP-155, 2930, 1559, 4844 and 7702) and recovers the signer. If the
//! source states the transaction's hash, it is recomputed: if it matches, the transaction was read
//! as intended. Otherwise the transaction cannot be rebuilt ([`Reason::NotRebuilt`]), which implies
//! nothing about its signature.

mod answers;
mod blocks;
mod csv;
mod decimal;
mod decoded;
mod e2store;
mod encoded_transaction;
mod era1;
mod interpretation;
mod json;
mod recover;
mod rlp;
mod sidecar;
mod snappy;
#[cfg(feature = "arrow")]
mod table;
#[cfg(not(feature = "arrow"))]
#[path = "no_table.rs"]
mod table;
mod transaction;
mod trie;
mod unsigned;

use crate::BlockRange;
use crate::buffers::ReusePool;
use crate::files::{FileReader, Paths};
use crate::flow::{self, FormatAnswers, PieceSink, Settings, Unformatted, Work};
use crate::limits::Limits;
use crate::problem::Problem;
pub use answers::{Answer, Answers, Kind, Reason};
use decoded::{DecodedSignatures, Decoder};
use gecc::Engine;
pub use gecc::ecdsa::Address;
use rayon::ThreadPool;
use recover::{BatchColumns, Recovered, recover};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Approximate number of bytes of a file that are decoded as one piece.
const PIECE: usize = 1 << 18;

/// Maximum size in bytes of a part whose memory is reused: a part with a very long transaction is
/// not typical.
const MOST_KEPT: usize = 8 << 20;

/// Options of verification.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The selected blocks. Transactions whose block number is unknown are always selected.
    pub blocks: BlockRange,
    /// The chain that transactions must be for if they state one; others are rejected. `None`
    /// accepts any chain.
    pub chain_id: Option<u64>,
    /// The block whose rules apply to transactions for which the source states no block; `None`
    /// means today's rules. They matter for legacy transactions for any chain: s may be high before
    /// block 1,150,000 (EIP-2).
    pub at_block: Option<u64>,
    /// True if only rejected or undetermined signatures are of interest. The transaction's hash of
    /// valid ones is then zero unless the source states it, and need not be computed.
    pub only_rejected: bool,
    /// True to skip the comparison of blocks with the transactions root in their headers, which
    /// takes some of the processor time. Blocks in files with all headers first are compared in any
    /// case, because that determines their headers.
    pub skip_roots: bool,
}

/// Recovers the signers of all transactions of files, and passes the answers to `sink` until it
/// breaks. Returns the value it broke with.
///
/// # Errors
/// Errors of the engine. Earlier answers have been passed on.
pub fn senders<B>(
    settings: &Settings,
    paths: &Paths,
    options: &Options,
    mut sink: impl FnMut(Answers) -> ControlFlow<B>,
) -> Result<Option<B>, gecc::Error> {
    senders_formatted(settings, paths, options, &Unformatted, |parts| {
        parts.into_iter().try_for_each(&mut sink)
    })
}

/// Recovers senders and converts the answers with `form`.
///
/// # Errors
/// Errors of the engine, as for [`senders`].
pub fn senders_formatted<F: FormatAnswers<Answers>, B>(
    settings: &Settings,
    paths: &Paths,
    options: &Options,
    form: &F,
    sink: impl FnMut(F::Batch) -> ControlFlow<B>,
) -> Result<Option<B>, gecc::Error> {
    flow::run(&Senders::new(options), settings, sources(paths), form, sink)
}

/// A unit that is read independently.
pub(crate) enum FileSource {
    Problems(Vec<Problem>),
    File(Arc<Path>, u64),
}

pub(crate) fn sources(paths: &Paths) -> impl ExactSizeIterator<Item = FileSource> + Send {
    let files = paths
        .files
        .iter()
        .map(|(path, length)| FileSource::File(Arc::clone(path), *length));
    let problems = FileSource::Problems(paths.problems.clone());
    std::iter::once(problems)
        .chain(files)
        .collect::<Vec<_>>()
        .into_iter()
}

/// A part of a file that is decoded independently.
pub(crate) type Piece = flow::Piece<PieceContent>;

pub(crate) enum PieceContent {
    BlockTuples(era1::BlockTuples),
    Blocks(blocks::EncodedBlocks),
    Json(json::JsonValues),
    #[cfg(feature = "arrow")]
    TableRows(table::TableRows),
}

/// The byte order mark that some editors write before UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The beginnings of files that need conversion first, with advice.
const ELSEWHERE: [(&[u8], &str); 5] = [
    (
        &[0xfe, 0xff],
        "UTF-16: convert it, for example with `iconv -f UTF-16 -t UTF-8`",
    ),
    (
        &[0xff, 0xfe],
        "UTF-16: convert it, for example with `iconv -f UTF-16 -t UTF-8`",
    ),
    (
        &[0xfd, b'7', b'z', b'X', b'Z', 0],
        "compressed by xz: decompress it first, for example with `xz -dc`",
    ),
    (
        b"BZh91AY&SY",
        "compressed by bzip2: decompress it first, for example with `bzip2 -dc`",
    ),
    (
        &[b'P', b'K', 3, 4],
        "a zip archive: unpack it first, for example with `unzip`",
    ),
];

/// Reads a file, whose format is recognised by its first bytes.
///
/// # Errors
/// A file of which nothing can be read.
fn read_file(
    path: &Arc<Path>,
    length: u64,
    limits: &Limits,
    wanted: BlockRange,
    hand_on: &mut PieceSink<Piece>,
) -> Result<ControlFlow<()>, Problem> {
    let mut reader = FileReader::open(path)?;
    let first = reader.first();
    if first.starts_with(&era1::MAGIC) {
        return Ok(era1::read(&mut reader, limits, wanted, hand_on));
    }
    if table::begins(first) {
        if reader.is_decompressed() {
            return Err(
                reader.problem("Parquet that is compressed as a whole: decompress it first")
            );
        }
        if reader.is_pipe() {
            return Err(reader.problem(
                "Parquet is read from files alone, as its description stands at the end",
            ));
        }
        return table::read(path, length, limits, hand_on);
    }
    if first.starts_with(BYTE_ORDER_MARK) {
        reader.skip(BYTE_ORDER_MARK.len() as u64)?;
        return Ok(json::read(&mut reader, limits, hand_on));
    }
    if let Some((_, what)) = ELSEWHERE.iter().find(|(begin, _)| first.starts_with(begin)) {
        return Err(reader.problem(what));
    }
    if json::begins(first) {
        return Ok(json::read(&mut reader, limits, hand_on));
    }
    if blocks::begin(first) {
        return Ok(blocks::read(&mut reader, limits, hand_on));
    }
    let what = csv::described(first);
    let what = what.as_deref().unwrap_or(
        "neither era1 nor Parquet, nor JSON, hexadecimal or RLP with blocks or transactions",
    );
    Err(reader.problem(what))
}

/// Decodes pieces and recovers senders.
pub(crate) struct Senders<'a> {
    options: &'a Options,
    columns: ReusePool<BatchColumns>,
    parts: ReusePool<DecodedSignatures>,
}

impl<'a> Senders<'a> {
    pub fn new(options: &'a Options) -> Self {
        Senders {
            options,
            columns: ReusePool::default(),
            parts: ReusePool::default(),
        }
    }
}

impl Work for Senders<'_> {
    type Source = FileSource;
    type Piece = Piece;
    type Decoded = DecodedSignatures;
    type Computed = Recovered;
    type Answers = Answers;

    fn read(
        &self,
        source: FileSource,
        limits: &Limits,
        hand_on: &mut PieceSink<Piece>,
    ) -> ControlFlow<()> {
        match source {
            FileSource::Problems(problems) => hand_on(Piece::problems(problems)),
            FileSource::File(path, length) => {
                let read = read_file(&path, length, limits, self.options.blocks, hand_on);
                read.unwrap_or_else(|problem| hand_on(Piece::problem(problem)))?;
                hand_on(Piece::end_of(&path, 0))
            }
        }
    }

    fn weight(piece: &Piece) -> usize {
        match &piece.content {
            None => 0,
            Some((_, PieceContent::BlockTuples(tuples))) => tuples.weight(),
            Some((_, PieceContent::Blocks(blocks))) => blocks.weight(),
            Some((_, PieceContent::Json(values))) => values.weight(),
            #[cfg(feature = "arrow")]
            Some((_, PieceContent::TableRows(rows))) => rows.weight(),
        }
    }

    fn decode(&self, mut piece: Piece, most: usize) -> (DecodedSignatures, Option<Piece>) {
        let mut decoder = Decoder::new(self.options, self.parts.take(), most);
        decoder.to.progress = std::mem::take(&mut piece.progress);
        let is_over = match &mut piece.content {
            None => true,
            Some((path, PieceContent::BlockTuples(tuples))) => decoder.add_tuples(path, tuples),
            Some((path, PieceContent::Blocks(blocks))) => decoder.add_blocks(path, blocks),
            Some((path, PieceContent::Json(values))) => decoder.add_values(path, values),
            #[cfg(feature = "arrow")]
            Some((_, PieceContent::TableRows(rows))) => decoder.add_rows(rows),
        };
        (decoder.to, (!is_over).then_some(piece))
    }

    fn size(decoded: &DecodedSignatures) -> usize {
        decoded.len()
    }

    fn bytes(decoded: &DecodedSignatures) -> usize {
        decoded.bytes()
    }

    fn compute(
        &self,
        engine: &Engine,
        pool: &ThreadPool,
        batch: Vec<DecodedSignatures>,
    ) -> Result<Vec<Recovered>, gecc::Error> {
        recover(engine, pool, &self.columns, batch)
    }

    fn answers(&self, recovered: Recovered) -> Answers {
        let (answers, part) = recovered.answers();
        if part.capacity() <= MOST_KEPT {
            self.parts.give_back(part);
        }
        answers
    }
}
