//! Options of the commands on silent payments.

use super::{block_number, network_magic};
use crate::engine::EngineOptions;
use crate::node::UrlText;
use clap::Args;
use std::path::PathBuf;

pub const INDEX_HELP: &str = "\
Paths are Bitcoin Core's folder, or that of its blocks (blk*.dat with rev*.dat, and xor.dat if \
it exists), or files of one block each, NAME.raw, with the outputs that it spends in \
NAME-undo.raw, both also in hexadecimal.

The table has a row for each transaction that may contain silent payments (BIP 352): `txid`, \
`height`, `tweak_key` (33 bytes) and `outputs`, the first eight bytes of the key of each taproot \
output as a number, or with --full-outputs the whole keys.

Examples:
  gecc bitcoin index ~/.bitcoin/blocks -o tweaks.parquet
  gecc bitcoin index --rest-url http://127.0.0.1:8332 --from 900000 --to 900999 -o tweaks.parquet

Exit codes: 0 everything was read, 2 parts of files could not be read, or the command could not \
run, 3 some blocks are omitted because the outputs that they spend are missing, 130 interrupted.";

pub const SCAN_HELP: &str = "\
Tables have the columns `tweak_key` (bytes: 33, or 64 of x and y) and `outputs` (a list of the \
first eight bytes of keys as numbers, big-endian, or of whole keys of 32 bytes), and may have \
`txid` and `height`, as written by `gecc bitcoin index` in Parquet or Arrow IPC.

The key file contains the scan private key, 64 hexadecimal digits, followed by the spend public \
key, 66 digits, or the address (sp1…); or a scan key expression of BIP 392: spscan1…, tspscan1… \
or a descriptor, sp(spscan1…) or sp(WIF,KEY). Lines that begin with # are ignored.

Example:
  gecc bitcoin scan --key-file scan.txt --label 0 tweaks.parquet

Output: \
{\"txid\":\"…\",\"height\":840000,\"output\":0,\"k\":0,\"label\":0,\"tweak\":\"…\",\"candidate\":true}, \
one line for each output that is paid to the receiver: its position among the outputs of the \
row, and the number to add to the spend private key. `candidate` is true if only the first eight \
bytes of keys were compared.

Exit codes: 0 every row was scanned, 1 some have no tweak point, 2 the command could not run, \
130 interrupted, 141 closed pipe.";

#[derive(Args)]
pub struct IndexOptions {
    /// Files and folders.
    #[arg(required_unless_present = "rest_url")]
    pub paths: Vec<PathBuf>,
    /// A node of Bitcoin Core from which the blocks from --from to --to are requested instead of
    /// files, such as http://127.0.0.1:8332. It needs version 30 or later, and the option -rest.
    #[arg(long, value_name = "URL", requires_all = ["from", "to"], conflicts_with_all = ["paths"])]
    pub rest_url: Option<UrlText>,
    /// The magic of a signet with a challenge of its own: the first four bytes of its blk*.dat, in
    /// hexadecimal, such as a5df2dcb [default: the magics of the known networks].
    #[arg(long, value_name = "HEX", value_parser = network_magic, conflicts_with = "rest_url")]
    pub magic: Option<[u8; 4]>,
    /// The table to write: Parquet, or Arrow IPC if its name ends in .arrow.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Write the whole keys of outputs, 32 bytes each.
    #[arg(long)]
    pub full_outputs: bool,
    /// The height of the first block [default: all].
    #[arg(long, value_name = "HEIGHT", value_parser = block_number)]
    pub from: Option<u64>,
    /// The height of the last block [default: all].
    #[arg(long, value_name = "HEIGHT", value_parser = block_number)]
    pub to: Option<u64>,
    /// Flush the output file and its name to disk before exiting, so that a loss of power loses
    /// neither.
    #[arg(long)]
    pub sync: bool,
    /// Print no summary.
    #[arg(long)]
    pub quiet: bool,
    #[command(flatten)]
    pub engine: EngineOptions,
}

#[derive(Args)]
pub struct ScanOptions {
    /// Tables, and folders of tables.
    #[arg(required = true)]
    pub tables: Vec<PathBuf>,
    /// The file of the scan private key with the spend public key or an address, or of a scan key
    /// expression.
    #[arg(long, value_name = "FILE")]
    pub key_file: PathBuf,
    /// A label in use; may be given several times. 0 is that of the wallet's own change.
    #[arg(long = "label", value_name = "NUMBER")]
    pub labels: Vec<u32>,
    /// Output file [default: standard output]. It is accessible to its owner only.
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Print no summary.
    #[arg(long)]
    pub quiet: bool,
    #[command(flatten)]
    pub engine: EngineOptions,
}
