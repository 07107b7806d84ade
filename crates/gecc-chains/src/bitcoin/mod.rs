//! Verifies that the inputs of Bitcoin's blocks were signed by those entitled to spend them.
//!
//! [`verify`] reads the blocks that Bitcoin Core keeps, with the outputs that they spend, and
//! single blocks whose spent outputs are in a file next to them. Each input is matched with a
//! [`Template`]. For inputs of a known form, the signed message is computed (as OP_CHECKSIG does,
//! BIP 143, BIP 341), and the signatures are verified with the keys in the order in which consensus
//! tries them. Other inputs are not checked ([`Reason::NotChecked`]) and never count as valid:
//! there is no script interpreter here. ECDSA signatures are parsed by the rules of the block's
//! height: before BIP 66 everything that OpenSSL accepted, and high s; keys also in the hybrid
//! form. A taproot script, whatever its form, must be one that its output commits to.
//!
//! [`index`] builds an index for silent payments from the same files.
//!
//! Of the other consensus rules, only two are checked: the first transaction of a block, and no
//! other, is a coinbase; and the transactions hash to the merkle root, without a transaction that
//! occurs twice (CVE-2012-2459). Proof of work, amounts and lock times are not checked.

mod answers;
mod block;
mod commitments;
mod decoded;
mod encoding;
mod folder;
mod hashes;
mod hexadecimal;
mod instructions;
mod lax_der;
mod network;
mod node;
mod obfuscation;
#[cfg(test)]
mod oracle;
mod records;
mod ripemd160;
mod rounds;
mod rules;
mod schnorr;
mod script;
mod sighash;
mod silent_payments;
mod taproot;
mod undo;

use crate::BlockRange;
use crate::buffers::ReusePool;
use crate::files::{FileReader, Paths};
use crate::flow::{self, FormatAnswers, PieceSink, Settings, Unformatted, Work};
use crate::limits::Limits;
use crate::problem::{FilePosition, Problem, Progress, note};
pub use answers::{Answer, Answers, Reason, Template, Txid, Wrapping};
use block::SpentOutputs;
use decoded::{BlockError, DecodedInputs, OpenBlock};
use gecc::Engine;
pub(crate) use network::Magics;
pub use network::Network;
pub use node::{Chain, NodeBlock, NodeBlocks};
use rayon::ThreadPool;
pub use silent_payments::{ReceiverKeys, TweakIndex, index};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum size of a block in bytes (Bitcoin Core's MAX_BLOCK_SERIALIZED_SIZE).
pub const LONGEST_BLOCK: u64 = 4_000_000;
/// Maximum size in bytes of the outputs that a block spends.
pub const LONGEST_UNDO: u64 = 64 << 20;

/// Verifies the inputs of all blocks of files or of a node, and passes the answers to `sink` until
/// it breaks. Returns the value it broke with.
///
/// Files named blkNNNNN.dat need revNNNNN.dat in the same folder, with xor.dat if there is one. A
/// file of one block needs a companion file whose stem ends with `-undo`, with the outputs that the
/// block spends; both may be in hexadecimal, and compressed with gzip or zstd. Such companions
/// among the given files are read only together with their blocks. The first block of a folder
/// determines the network of all its blocks; a single block belongs to the main chain.
///
/// # Errors
/// Errors of the engine. Earlier answers have been passed on.
pub fn verify<'a, B>(
    settings: &Settings,
    chain: impl Into<Chain<'a>>,
    blocks: BlockRange,
    mut sink: impl FnMut(Answers) -> ControlFlow<B>,
) -> Result<Option<B>, gecc::Error> {
    verify_formatted(settings, chain, blocks, &Unformatted, |parts| {
        parts.into_iter().try_for_each(&mut sink)
    })
}

/// Verifies blocks and converts the answers with `form`.
///
/// # Errors
/// Errors of the engine, as for [`verify`].
pub fn verify_formatted<'a, F: FormatAnswers<Answers>, B>(
    settings: &Settings,
    chain: impl Into<Chain<'a>>,
    blocks: BlockRange,
    form: &F,
    sink: impl FnMut(F::Batch) -> ControlFlow<B>,
) -> Result<Option<B>, gecc::Error> {
    flow::run(
        &InputVerification::new(blocks),
        settings,
        chain.into().sources(),
        form,
        sink,
    )
}

/// A part of a file that is decoded independently.
pub(crate) type Piece = flow::Piece<BlockContent>;

pub(crate) struct BlockContent {
    network: Network,
    blocks: VecDeque<PlacedBlock>,
    spent: SpentForm,
    /// A block some of whose inputs are still to be added.
    open: Option<OpenBlock>,
}

impl BlockContent {
    fn new(network: Network, blocks: VecDeque<PlacedBlock>, spent: SpentForm) -> Self {
        BlockContent {
            network,
            blocks,
            spent,
            open: None,
        }
    }

    /// Opens the next block, if it is selected.
    ///
    /// # Errors
    /// The block's position, and a problem of the whole block.
    fn open_next(&mut self, wanted: BlockRange) -> Result<(), (FilePosition, BlockError)> {
        let Some(PlacedBlock {
            place,
            block,
            spent,
        }) = self.blocks.pop_front()
        else {
            return Ok(());
        };
        let requested = if let FilePosition::Block(height) = place {
            Some(height)
        } else {
            None
        };
        // Blocks requested from a node are selected by that, even if they do not state their
        // height.
        let wanted = if requested.is_some() {
            BlockRange::default()
        } else {
            wanted
        };
        let form = self.spent;
        let opened = OpenBlock::new(
            self.network,
            block,
            |inputs| match spent {
                None => Err(BlockError::NoSpentOutputs),
                Some(bytes) => form.read(bytes, inputs).map_err(BlockError::from),
            },
            wanted,
        );
        let open = opened.map_err(|what| (place, what))?;
        if let (Some(requested), Some(height)) =
            (requested, open.as_ref().and_then(OpenBlock::height))
            && height != requested
        {
            let what =
                format!("the node returned a block of height {height} for height {requested}");
            return Err((place, BlockError::from(what)));
        }
        self.open = open;
        Ok(())
    }
}

/// The encoding of the outputs that a block spends.
#[derive(Clone, Copy)]
enum SpentForm {
    /// The outputs one after another.
    Plain,
    /// The outputs of each transaction after their number.
    ByTransaction,
    /// The outputs by transaction, compressed: a record of a rev file.
    Compressed,
}

impl SpentForm {
    fn read(self, bytes: Vec<u8>, inputs: usize) -> Result<SpentOutputs, String> {
        match self {
            SpentForm::Plain => undo::plain(bytes, inputs),
            SpentForm::ByTransaction => undo::by_transaction(&bytes, inputs, undo::output),
            SpentForm::Compressed => undo::by_transaction(&bytes, inputs, undo::compressed_output),
        }
    }
}

/// A block in the encoding of its file.
struct PlacedBlock {
    place: FilePosition,
    block: Vec<u8>,
    /// The outputs that it spends, if found.
    spent: Option<Vec<u8>>,
}

impl PlacedBlock {
    /// Returns the memory in bytes that is in use until the block is decoded. With the positions of
    /// their parts, blocks and spent outputs take several times as much memory where the parts have
    /// few bytes.
    fn weight(&self) -> usize {
        6 * self.block.len() + 3 * self.spent.as_ref().map_or(0, Vec::len)
    }
}

/// A unit that is read independently.
pub(crate) enum BlockSource {
    Problems(Vec<Problem>),
    /// Blocks of a folder, the magics that records may have, and the network of the folder's first
    /// block, if that block is in this file or in an earlier one.
    Blocks(Arc<Path>, Magics, Option<Network>),
    /// A file that is one block, with its length in bytes.
    Block(Arc<Path>, u64),
    /// A file that is read together with another, with its length in bytes.
    Companion(Arc<Path>, u64),
    Node(NodeBlocks),
}

/// Returns the sources in file order. The first block of a folder is searched when its first file
/// is requested.
pub(crate) fn files(
    paths: &Paths,
    magics: Magics,
) -> impl ExactSizeIterator<Item = BlockSource> + Send {
    // The folder of the last file, and its network.
    let mut network: Option<(PathBuf, Option<Network>)> = None;
    let mut files = paths.files.iter();
    (0..1 + paths.files.len()).map(move |index| {
        if index == 0 {
            return BlockSource::Problems(paths.problems.clone());
        }
        let (path, length) = files.next().expect("as many as were counted");
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        if network.as_ref().is_none_or(|(of, _)| *of != folder) {
            network = Some((folder, None));
        }
        match role_of(path) {
            FileRole::Blocks => {
                let network = &mut network.as_mut().expect("it was just set").1;
                *network = network.or_else(|| folder::first_network(path, magics));
                BlockSource::Blocks(Arc::clone(path), magics, *network)
            }
            FileRole::Block => BlockSource::Block(Arc::clone(path), *length),
            FileRole::Companion => BlockSource::Companion(Arc::clone(path), *length),
        }
    })
}

/// The role of a file, by its name.
enum FileRole {
    Blocks,
    Block,
    /// Read together with another file.
    Companion,
}

/// Returns the companion files of a file, which need not exist: the outputs that its blocks spend,
/// compressed or not, and the key that obfuscates both.
pub fn companion_files(path: &Path) -> Vec<PathBuf> {
    match role_of(path) {
        FileRole::Blocks => vec![folder::undo_of(path), path.with_file_name(obfuscation::KEY)],
        FileRole::Block => {
            let undo = undo_of_block(path);
            let name = undo.file_name().unwrap_or_default().to_string_lossy();
            ["", ".gz", ".zst"]
                .map(|end| undo.with_file_name(format!("{}{end}", uncompressed(&name))))
                .into()
        }
        FileRole::Companion => Vec::new(),
    }
}

/// Returns an error if all files accompany others that are not among them, such as an undo file
/// alone: there would be nothing to check.
///
/// # Errors
/// A message for the user.
pub fn require_blocks(paths: &Paths) -> Result<(), String> {
    let is_companion = |path: &Path| matches!(role_of(path), FileRole::Companion);
    if paths.files.is_empty() || !paths.files.iter().all(|(path, _)| is_companion(path)) {
        return Ok(());
    }
    Err(
        "the input has no blocks: rev*.dat, xor.dat and NAME-undo.* are read with the files of the blocks next to \
         them, which have to be named"
            .to_owned(),
    )
}

/// Returns a problem if the file of the blocks that a companion file belongs to does not exist, so
/// that blocks are missing.
fn problem_of_companion(path: &Arc<Path>) -> Option<Problem> {
    let blocks = blocks_of(path);
    let first = blocks.first()?;
    if blocks.iter().any(|file| file.exists()) {
        return None;
    }
    let name = first.file_name().unwrap_or_default().to_string_lossy();
    let what = format!("there is no {name} with the blocks that spend these outputs");
    Some(Problem::new(path, FilePosition::Whole, what))
}

/// Returns the names that the file of the blocks may have for which a file has the spent outputs.
fn blocks_of(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name == obfuscation::KEY {
        return Vec::new();
    }
    if let Some(number) = name.strip_prefix("rev").filter(|_| name.ends_with(".dat")) {
        return vec![path.with_file_name(format!("blk{number}"))];
    }
    let (stem, ending) = parted(&name);
    let Some(stem) = stem.strip_suffix("-undo") else {
        return Vec::new();
    };
    let plain = format!("{stem}{}", uncompressed(ending));
    ["", ".gz", ".zst"]
        .map(|end| path.with_file_name(format!("{plain}{end}")))
        .into()
}

fn role_of(path: &Path) -> FileRole {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, _) = parted(&name);
    let is_numbered = name.ends_with(".dat");
    if is_numbered && name.starts_with("blk") {
        FileRole::Blocks
    } else if is_numbered && name.starts_with("rev")
        || name == obfuscation::KEY
        || stem.ends_with("-undo")
    {
        FileRole::Companion
    } else {
        FileRole::Block
    }
}

/// Strips the extension of a compression from a name.
fn uncompressed(name: &str) -> &str {
    name.strip_suffix(".gz")
        .or(name.strip_suffix(".zst"))
        .unwrap_or(name)
}

/// Splits a name into its stem and its extension, which includes that of a compression.
fn parted(name: &str) -> (&str, &str) {
    let plain = uncompressed(name);
    name.split_at(
        plain
            .rfind('.')
            .filter(|dot| *dot > 0)
            .unwrap_or(plain.len()),
    )
}

/// Returns the name of the undo file of a file of one block.
fn undo_of_block(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, ending) = parted(&name);
    path.with_file_name(format!("{stem}-undo{ending}"))
}

/// Creates the problem of a whole block.
fn of_block(path: &Arc<Path>, place: FilePosition, what: BlockError) -> Problem {
    Problem {
        not_checked: matches!(what, BlockError::NoSpentOutputs),
        ..Problem::new(path, place, what)
    }
}

/// Reads a file of one block, and its undo file.
fn read_block(
    path: &Arc<Path>,
    limits: &Limits,
    hand_on: &mut PieceSink<Piece>,
) -> ControlFlow<()> {
    match read_block_and_spent(path, limits) {
        Ok(block) => {
            let blocks = VecDeque::from([block]);
            hand_on(Piece::new(
                path,
                BlockContent::new(Network::Bitcoin, blocks, SpentForm::Plain),
                0,
            ))
        }
        Err(problem) => hand_on(Piece::problem(problem)),
    }
}

fn read_block_and_spent(path: &Arc<Path>, limits: &Limits) -> Result<PlacedBlock, Problem> {
    let block = read_whole(FileReader::open(path)?, LONGEST_BLOCK)?;
    let undo: Arc<Path> = Arc::from(undo_of_block(path));
    let spent = read_whole(
        FileReader::open_compressed_companion(&undo)?,
        limits.whole_of(LONGEST_UNDO),
    )?;
    Ok(PlacedBlock {
        place: FilePosition::Byte(0),
        block,
        spent: Some(spent),
    })
}

/// Reads a file of at most `longest` bytes, which may be in hexadecimal.
fn read_whole(mut reader: FileReader, longest: u64) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let is_whole = reader.append_rest(hexadecimal::longest_text(longest), &mut bytes)?;
    if is_whole {
        let bytes = hexadecimal::decoded(bytes)
            .map_err(|what| Problem::new(&reader.path, FilePosition::Whole, what))?;
        if bytes.len() as u64 <= longest {
            return Ok(bytes);
        }
    }
    Err(reader.problem(format!(
        "a block, or its spent outputs, is above the limit of {longest} bytes"
    )))
}

/// The decoded form of blocks, from which answers are computed.
pub(crate) trait DecodedBlocks: Default + Send {
    /// A part of a batch with its results.
    type Computed: Into<Self::Answers> + Send;
    /// The answers about the blocks.
    type Answers: Send;
    /// Memory reused from batch to batch.
    type Columns: Default + Send;

    /// Returns the progress of reading files.
    fn progress(&mut self) -> &mut Progress;

    /// Returns the size that determines when a batch is full.
    fn size(&self) -> usize;

    /// Returns the approximate memory use in bytes.
    fn bytes(&self) -> usize;

    /// Adds the next parts of a block until there are slightly more than `most` bytes. Returns
    /// whether the block is finished.
    fn add(&mut self, open: &mut OpenBlock, most: usize) -> bool;

    /// Computes the parts of a batch.
    fn compute(
        batch: Vec<Self>,
        engine: &Engine,
        pool: &ThreadPool,
        columns: &mut Self::Columns,
    ) -> Result<Vec<Self::Computed>, gecc::Error>;
}

/// Computes answers about blocks, with `D` as the decoded form.
pub(crate) struct BlockWork<D: DecodedBlocks> {
    wanted: BlockRange,
    columns: ReusePool<D::Columns>,
}

/// Verifies inputs.
pub(crate) type InputVerification = BlockWork<DecodedInputs>;

impl<D: DecodedBlocks> BlockWork<D> {
    pub fn new(wanted: BlockRange) -> Self {
        BlockWork {
            wanted,
            columns: ReusePool::default(),
        }
    }
}

impl<D: DecodedBlocks> Work for BlockWork<D> {
    type Source = BlockSource;
    type Piece = Piece;
    type Decoded = D;
    type Computed = D::Computed;
    type Answers = D::Answers;

    fn read(
        &self,
        source: BlockSource,
        limits: &Limits,
        hand_on: &mut PieceSink<Piece>,
    ) -> ControlFlow<()> {
        let (path, bytes) = match source {
            BlockSource::Problems(problems) => return hand_on(Piece::problems(problems)),
            BlockSource::Blocks(path, magics, network) => {
                folder::read(&path, magics, network, limits, hand_on)?;
                (path, 0)
            }
            BlockSource::Block(path, length) => {
                read_block(&path, limits, hand_on)?;
                (path, length)
            }
            BlockSource::Companion(path, length) => {
                if let Some(problem) = problem_of_companion(&path) {
                    hand_on(Piece::problem(problem))?;
                }
                (path, length)
            }
            BlockSource::Node(node) => return node.read(limits, hand_on),
        };
        hand_on(Piece::end_of(&path, bytes))
    }

    fn weight(piece: &Piece) -> usize {
        piece
            .content
            .iter()
            .flat_map(|(_, content)| &content.blocks)
            .map(PlacedBlock::weight)
            .sum()
    }

    fn decode(&self, mut piece: Piece, most: usize) -> (D, Option<Piece>) {
        let mut decoded = D::default();
        *decoded.progress() = std::mem::take(&mut piece.progress);
        let Some((path, content)) = &mut piece.content else {
            return (decoded, None);
        };
        while content.open.is_some() || !content.blocks.is_empty() {
            if decoded.bytes() >= most {
                return (decoded, Some(piece));
            }
            match &mut content.open {
                Some(open) => {
                    if decoded.add(open, most) {
                        content.open = None;
                    }
                }
                None => {
                    if let Err((place, what)) = content.open_next(self.wanted) {
                        note(
                            &mut decoded.progress().problems,
                            of_block(path, place, what),
                        );
                    }
                }
            }
        }
        (decoded, None)
    }

    fn size(decoded: &D) -> usize {
        decoded.size()
    }

    fn bytes(decoded: &D) -> usize {
        decoded.bytes()
    }

    fn compute(
        &self,
        engine: &Engine,
        pool: &ThreadPool,
        batch: Vec<D>,
    ) -> Result<Vec<D::Computed>, gecc::Error> {
        let mut columns = self.columns.take();
        let computed = D::compute(batch, engine, pool, &mut columns);
        self.columns.give_back(columns);
        computed
    }

    fn answers(&self, computed: D::Computed) -> D::Answers {
        computed.into()
    }
}
