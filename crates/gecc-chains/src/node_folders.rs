//! Data folders of nodes, recognised by the names in them: which of their files contain blocks, and
//! how to export blocks from databases that are not supported here.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The kind of a folder.
pub(crate) enum NodeFolder {
    /// Bitcoin Core's blocks: only these files. The LevelDB of its index is in the same folder.
    Blocks(Vec<PathBuf>),
    /// Bitcoin Core's data folder, with its blocks in this folder.
    Data(PathBuf),
    /// A database that is not supported, and advice on exporting its blocks.
    Database(&'static str),
    Other,
}

const GETH: &str = "geth's database is not read: with geth stopped, `geth export blocks.rlp FIRST LAST` writes blocks that are";
const RETH: &str = "reth's database is not read: `cryo transactions --rpc URL --blocks FIRST:END --include-columns v r s` writes Parquet that is";
const ERIGON: &str = "Erigon's files are not read: `cryo transactions --rpc URL --blocks FIRST:END --include-columns v r s` writes Parquet that is";
const LEVELDB: &str = "a node's database is not read: have the node write its blocks as RLP, era1 or JSON, or cryo its transactions, with v, r and s";

impl NodeFolder {
    /// Determines the kind of a folder from its contents.
    pub fn of(inside: &[PathBuf]) -> Self {
        if inside.iter().any(|path| is_of_blocks(path, "blk")) {
            return NodeFolder::Blocks(
                inside
                    .iter()
                    .filter(|path| is_bitcoin_core(path))
                    .cloned()
                    .collect(),
            );
        }
        let names = FolderNames(inside);
        if names.has("chainstate")
            && let Some(blocks) = inside.iter().find(|path| named(path) == "blocks")
        {
            return NodeFolder::Data(blocks.clone());
        }
        if names.is_geth() {
            return NodeFolder::Database(GETH);
        }
        if names.is_reth() {
            return NodeFolder::Database(RETH);
        }
        if names.is_erigon() {
            return NodeFolder::Database(ERIGON);
        }
        if names.is_leveldb() {
            NodeFolder::Database(LEVELDB)
        } else {
            NodeFolder::Other
        }
    }
}

/// The names in a folder, by which databases are recognised.
struct FolderNames<'a>(&'a [PathBuf]);

impl FolderNames<'_> {
    fn has(&self, name: &str) -> bool {
        self.0
            .iter()
            .any(|path| path.file_name() == Some(OsStr::new(name)))
    }

    /// Returns whether a subfolder contains a file or folder.
    fn has_below(&self, folder: &str, name: &str) -> bool {
        self.0
            .iter()
            .any(|path| named(path) == folder && path.join(name).exists())
    }

    fn is_geth(&self) -> bool {
        self.has_below("chaindata", "ancient")
            || self.has_below("geth", "chaindata")
            || (self.has("ancient") && self.has("CURRENT"))
    }

    fn is_reth(&self) -> bool {
        self.has("static_files") && (self.has_below("db", "mdbx.dat") || self.has("mdbx.dat"))
    }

    fn is_erigon(&self) -> bool {
        self.0
            .iter()
            .any(|path| path.extension() == Some(OsStr::new("seg")))
            || self.has("mdbx.dat")
            || self.has_below("chaindata", "mdbx.dat")
    }

    fn is_leveldb(&self) -> bool {
        self.has("CURRENT")
            && self
                .0
                .iter()
                .any(|path| named(path).starts_with("MANIFEST-"))
    }
}

fn named(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// Returns whether a file is numbered like blkNNNNN.dat, with `letters` in place of `blk`.
fn is_of_blocks(path: &Path, letters: &str) -> bool {
    let name = named(path);
    let number = name
        .strip_prefix(letters)
        .and_then(|name| name.strip_suffix(".dat"));
    number.is_some_and(|number| {
        number.len() >= 5 && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}

fn is_bitcoin_core(path: &Path) -> bool {
    is_of_blocks(path, "blk") || is_of_blocks(path, "rev") || named(path) == "xor.dat"
}
