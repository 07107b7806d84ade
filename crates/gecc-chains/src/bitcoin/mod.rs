//! Whether the inputs of Bitcoin's blocks were signed by those who could spend them.
//!
//! [`verify`] reads the blocks that Bitcoin Core keeps, with what they spend, and single blocks with what they spend
//! beside them. Each input is taken apart by [`Template`]; for those of known form it computes what was signed (as
//! OP_CHECKSIG does, BIP 143, BIP 341) and verifies the signatures by the keys in the order in which consensus tries
//! them. The rest is not checked ([`Reason::NotChecked`]), and never counts as valid: the interpreter of scripts is not
//! here. Signatures of ECDSA are read by the rules of the block's height: whatever OpenSSL took before BIP 66, and high
//! s; keys also in the hybrid form. A script of taproot has to be one that its output commits to, of whatever form.
//!
//! Nothing else of consensus is checked but that transactions hash to the merkle root of their block: not proof of
//! work, amounts or lock times.

mod answers;
mod commitments;
mod decoded;
mod folder;
mod lax_der;
mod rounds;
mod rules;
mod schnorr;
mod script;
mod taproot;
mod undo;

use crate::files::{Paths, Reader};
use crate::flow::{self, HandOn, Settings, Work};
use crate::problem::{Place, Problem, Progress, note};
use crate::range::Blocks;
pub use answers::{Answer, Answers, Reason, Template, Txid, Wrapping};
use bitcoin::Network;
use decoded::Decoded;
use gecc::Engine;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a file with one block, and of what it spends.
const LONGEST: u64 = 64 << 20;

/// Verifies the inputs of all blocks of some files, and hands the answers to `sink` until that wants no more. Gives
/// what the sink ended with.
///
/// Files named blkNNNNN.dat need revNNNNN.dat beside them, with xor.dat where there is one. A file of one block needs a
/// file beside it whose name says `-undo` at the end of the stem, with the outputs that it spends. Others among the
/// files are these, and read with theirs. The first block of a folder says of which network all are; a single block is
/// of the main chain.
///
/// # Errors
/// What the engine says. Answers before were handed on.
pub fn verify<B>(
    settings: &Settings,
    paths: &Paths,
    blocks: Blocks,
    sink: impl FnMut(Answers) -> ControlFlow<B>,
) -> Result<Option<B>, gecc::Error> {
    let read = |hand_on: &mut HandOn<Piece>| {
        let _ = read_all(paths, hand_on);
    };
    flow::run(&Inputs { blocks }, settings, read, sink)
}

/// A part of a file that is decoded by itself.
pub(crate) struct Piece {
    path: Option<Arc<Path>>,
    content: Content,
    progress: Progress,
}

struct Content {
    network: Network,
    blocks: Vec<PlacedBlock>,
    /// Whether what blocks spend is not compressed.
    plain: bool,
}

impl Content {
    const NONE: Content = Content { network: Network::Bitcoin, blocks: Vec::new(), plain: false };
}

/// A block as it is in its file.
struct PlacedBlock {
    place: u64,
    block: Vec<u8>,
    /// What it spends, where that was found.
    spent: Option<Vec<u8>>,
}

impl Piece {
    fn new(path: &Arc<Path>, content: Content, bytes: u64) -> Self {
        let progress = Progress { bytes, ..Progress::default() };
        Piece { path: Some(Arc::clone(path)), content, progress }
    }

    fn problems(problems: Vec<Problem>) -> Self {
        Piece { path: None, content: Content::NONE, progress: Progress { problems, ..Progress::default() } }
    }

    /// Of a file of which there is nothing more.
    fn end_of(path: &Arc<Path>, bytes: u64) -> Self {
        let progress = Progress { finished: vec![Arc::clone(path)], bytes, ..Progress::default() };
        Piece { path: None, content: Content::NONE, progress }
    }
}

pub(crate) fn read_all(paths: &Paths, hand_on: &mut HandOn<Piece>) -> ControlFlow<()> {
    hand_on(Piece::problems(paths.problems.clone()))?;
    // Of each folder that Bitcoin Core writes.
    let mut network: Option<(PathBuf, Option<Network>)> = None;
    for (path, length) in &paths.files {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        if network.as_ref().is_none_or(|(of, _)| *of != folder) {
            network = Some((folder, None));
        }
        let network = &mut network.as_mut().expect("it was just set").1;
        let bytes = match role_of(path) {
            Role::Blocks => {
                folder::read(path, network, hand_on)?;
                0
            }
            Role::Block => {
                read_block(path, hand_on)?;
                0
            }
            Role::Beside => *length,
        };
        hand_on(Piece::end_of(path, bytes))?;
    }
    ControlFlow::Continue(())
}

/// What a file is, by its name.
enum Role {
    Blocks,
    Block,
    /// Read with another.
    Beside,
}

fn role_of(path: &Path) -> Role {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let is_numbered = |start: &str| name.starts_with(start) && name.ends_with(".dat");
    if is_numbered("blk") {
        Role::Blocks
    } else if is_numbered("rev") || name == "xor.dat" || stem.ends_with("-undo") {
        Role::Beside
    } else {
        Role::Block
    }
}

/// Reads a file that is one block, and the file of what it spends.
fn read_block(path: &Arc<Path>, hand_on: &mut HandOn<Piece>) -> ControlFlow<()> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut name = PathBuf::from(format!("{stem}-undo"));
    if let Some(extension) = path.extension() {
        name.set_extension(extension);
    }
    let beside: Arc<Path> = Arc::from(path.with_file_name(name).as_path());
    match read_whole(path).and_then(|block| Ok((block, read_whole(&beside)?))) {
        Ok((block, spent)) => {
            let bytes = block.len() as u64;
            let blocks = vec![PlacedBlock { place: 0, block, spent: Some(spent) }];
            hand_on(Piece::new(path, Content { network: Network::Bitcoin, blocks, plain: true }, bytes))
        }
        Err(problem) => hand_on(Piece::problems(vec![problem])),
    }
}

fn read_whole(path: &Arc<Path>) -> Result<Vec<u8>, Problem> {
    let mut reader = Reader::open(path)?;
    let length = reader.left();
    if length > LONGEST {
        return Err(reader.problem(format!("a block of {length} bytes is above the limit of {LONGEST}")));
    }
    let mut bytes = Vec::new();
    reader.append(length, &mut bytes)?;
    Ok(bytes)
}

/// Decodes pieces and verifies inputs.
pub(crate) struct Inputs {
    pub blocks: Blocks,
}

impl Work for Inputs {
    type Piece = Piece;
    type Decoded = Decoded;
    type Answers = Answers;

    fn decode(&self, Piece { path, content, progress }: Piece) -> Decoded {
        let mut decoded = Decoded::new(progress);
        let Some(path) = path else { return decoded };
        for PlacedBlock { place, block, spent } in content.blocks {
            let spent = || match spent {
                None => Err("what the block spends is not in the file beside it".to_owned()),
                Some(bytes) if content.plain => undo::plain(&bytes),
                Some(bytes) => undo::compressed(&bytes),
            };
            if let Err(what) = decoded.add_block(content.network, &block, spent, self.blocks) {
                note(&mut decoded.progress.problems, Problem::new(&path, Place::Byte(place), what));
            }
        }
        decoded
    }

    fn size(decoded: &Decoded) -> usize {
        decoded.len()
    }

    fn append(batch: &mut Decoded, next: Decoded) {
        batch.append(next);
    }

    fn compute(&self, engine: &Engine, batch: Decoded) -> Result<Answers, gecc::Error> {
        batch.verify(engine)
    }
}
