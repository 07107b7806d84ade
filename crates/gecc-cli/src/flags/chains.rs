//! Options of the commands on whole chains.

#[cfg(feature = "arrow")]
use super::silent_payments;
use super::stream::{MessageOptions, format_by_name};
use super::{AnswerFormat, block_number, network_magic};
use crate::engine::EngineOptions;
use crate::node::UrlText;
use clap::{Args, Subcommand};
use std::path::PathBuf;

// A paragraph is one line: clap breaks it where the terminal ends.

/// The end of the help of every command on chains.
macro_rules! chain_help {
    () => {
        "\
Inconsistent data in a file is reported with its position, and the rest is checked.

Exit codes: 0 every signature is valid; 1 some were rejected; otherwise 2 if parts of files \
could not be read, or the command could not run; 3 if some were not checked; 130 interrupted; \
141 closed pipe."
    };
}

/// The details of `--state` that do not fit its own help text.
macro_rules! state_help {
    () => {
        "\
With --state a later call with the same options skips files that are done: their answers are in \
the output of the earlier call, which is not overwritten, so that each call needs an output of \
its own. If that call was interrupted, its answers are in a file next to the named one. Files \
that were done with other options are done again. Rejected, unchecked and unreadable items of \
skipped files still count for the exit code.

"
    };
}

pub const SENDERS_HELP: &str = concat!(
    "\
Paths are files, or folders of files: era1, ere and E2HS, blocks in the format of JSON-RPC (with \
full transactions; one value, or one per line), blocks in RLP, and Parquet with the columns of \
amp or cryo; also single transactions, lists of them, and encoded blocks or transactions in \
hexadecimal, one per line. The format is detected from content. Text, RLP and e2store files may \
be compressed with gzip or zstd. - is standard input.

Examples:
  gecc ethereum senders era1/
  gecc ethereum senders -o senders.parquet ethereum__transactions__*.parquet
  gecc ethereum senders --only-rejected --state done.txt -o rejected-1.jsonl era1/
  gecc ethereum senders --rpc-url http://localhost:8545 --from 18000000 --to 18000999

Output: {\"block\":1,\"hash\":\"0x…\",\"type\":\"EIP-1559\",\"from\":\"0x…\",\"valid\":true}, \
one line per transaction and per authorization of EIP-7702, whose number is `authorization`. If \
the signature is invalid, `valid` is false and `reason` explains why. `valid` is null if the \
signed content is unknown, because the transaction's hash does not match; if the transactions of \
the block do not have the root that its header states, in which case `reason` names both roots; \
and for transactions without a signature, such as deposits of OP chains, which do not count as \
errors.

",
    state_help!(),
    chain_help!()
);

pub const VERIFY_HELP: &str = concat!(
    "\
Paths are Bitcoin Core's folder, or that of its blocks (blk*.dat with rev*.dat, and xor.dat if \
it exists), or files of one block each, NAME.raw, with the outputs that it spends in \
NAME-undo.raw, both also in hexadecimal. Bytes of blk*.dat and rev*.dat that belong to no record \
are reported, and the records after them are checked.

The checked forms are P2PK, P2PKH and multisignatures, bare, in P2SH, P2WSH and P2SH-P2WSH, \
P2WPKH and P2SH-P2WPKH, and taproot by the key of the output or by a script with one key. Inputs \
of other forms are counted as not checked.

Examples:
  gecc bitcoin verify --only-rejected ~/.bitcoin/blocks
  gecc bitcoin verify --from 800000 --state done.txt -o inputs-1.parquet ~/.bitcoin/blocks
  gecc bitcoin verify --rest-url http://127.0.0.1:8332 --from 900000 --to 900999

Output: {\"block\":300025,\"txid\":\"…\",\"input\":0,\"type\":\"P2PKH\",\"valid\":true}, one \
line per input. If the input is not properly signed, `valid` is false and `reason` explains why. \
If that was not checked, `valid` is null.

",
    state_help!(),
    chain_help!()
);

pub const CERTIFICATES_HELP: &str = concat!(
    "\
Paths are files, or folders of files: PEM with any number of certificates and other text, or \
DER. Checked are ECDSA on P-256 with SHA-256, 384 and 512, and SM2 with SM3, if the issuer's \
certificate is in one of the files. Dates, CA flags, key usage and revocation are not checked.

By default names of issuers are compared according to RFC 5280, section 7.1: strings of any \
type, without regard to case and to white space. With --exact-names their encodings have to be \
equal.

Examples:
  gecc certificates chain.pem
  gecc certificates --sm2-id ALICE123@YAHOO.COM ledger/

Output: \
{\"file\":\"chain.pem\",\"byte\":0,\"subject\":\"CN=…\",\"issuer\":\"CN=…\",\"type\":\"ECDSA \
SHA-256\",\"valid\":true}, one line per certificate. If no key of the issuer verifies the \
signature, `valid` is false and `reason` explains why. If no key was tried, `valid` is null.

",
    chain_help!()
);

#[derive(Subcommand)]
pub enum BitcoinCommand {
    /// Verify that the inputs of blocks are signed.
    #[command(after_help = VERIFY_HELP)]
    Verify(InputsOptions),
    /// Write an index for silent payments (BIP 352).
    #[cfg(feature = "arrow")]
    #[command(after_help = silent_payments::INDEX_HELP)]
    Index(silent_payments::IndexOptions),
    /// Find silent payments (BIP 352) to a receiver in an index.
    #[cfg(feature = "arrow")]
    #[command(after_help = silent_payments::SCAN_HELP)]
    Scan(silent_payments::ScanOptions),
    /// Write an index for silent payments (BIP 352); not in this build.
    #[cfg(not(feature = "arrow"))]
    #[command(disable_help_flag = true)]
    Index(AnyArguments),
    /// Find silent payments (BIP 352) to a receiver in an index; not in this build.
    #[cfg(not(feature = "arrow"))]
    #[command(disable_help_flag = true)]
    Scan(AnyArguments),
}

/// The arguments of a command that this build only explains as missing.
#[cfg(not(feature = "arrow"))]
#[derive(Args)]
pub struct AnyArguments {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<std::ffi::OsString>,
}

#[derive(Args)]
pub struct InputsOptions {
    /// Files, folders and patterns.
    #[arg(required_unless_present = "rest_url")]
    pub paths: Vec<PathBuf>,
    /// A node of Bitcoin Core from which the blocks from --from to --to are requested instead of
    /// files, such as http://127.0.0.1:8332. It needs version 30 or later, and the option -rest.
    #[arg(long, value_name = "URL", requires_all = ["from", "to"], conflicts_with_all = ["paths", "state"])]
    pub rest_url: Option<UrlText>,
    /// The magic of a signet with a challenge of its own: the first four bytes of its blk*.dat, in
    /// hexadecimal, such as a5df2dcb [default: the magics of the known networks].
    #[arg(long, value_name = "HEX", value_parser = network_magic, conflicts_with = "rest_url")]
    pub magic: Option<[u8; 4]>,
    /// The height of the first block [default: all]. Blocks that do not state their height, as many
    /// until 2013, are always checked.
    #[arg(long, value_name = "HEIGHT", value_parser = block_number)]
    pub from: Option<u64>,
    /// The height of the last block [default: all].
    #[arg(long, value_name = "HEIGHT", value_parser = block_number)]
    pub to: Option<u64>,
    /// A file that records which input files are done. Files recorded there are skipped.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Verify signatures of taproot (BIP 340) in groups if that is faster. An invalid signature is
    /// then accepted with a probability of at most 2^-128 per group; otherwise answers are the
    /// same.
    #[arg(long)]
    pub batch_verification: bool,
    #[command(flatten)]
    pub chain: ChainOptions,
}

#[derive(Args)]
pub struct CertificatesOptions {
    /// Files, folders and patterns, or - for standard input.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// A user id to try for SM2 signatures; may be given several times [default: 1234567812345678,
    /// the standard's, and the empty one].
    #[arg(long, value_name = "TEXT")]
    pub sm2_id: Vec<String>,
    /// Compare the names of issuers byte for byte [default: according to RFC 5280, section 7.1].
    #[arg(long)]
    pub exact_names: bool,
    #[command(flatten)]
    pub chain: ChainOptions,
}

#[derive(Subcommand)]
pub enum EthereumCommand {
    /// Recover the senders of transactions, and compare them with those that the source states.
    #[command(after_help = SENDERS_HELP)]
    Senders(SendersOptions),
}

#[derive(Args)]
pub struct SendersOptions {
    /// Files, folders and patterns, or - for standard input.
    #[cfg_attr(unix, arg(required_unless_present = "rpc_url"))]
    #[cfg_attr(not(unix), arg(required = true))]
    pub paths: Vec<PathBuf>,
    /// A node from which the blocks from --from to --to are requested instead of files, such as
    /// http://localhost:8545.
    #[cfg(unix)]
    #[arg(long, value_name = "URL", requires_all = ["from", "to"], conflicts_with_all = ["paths", "state", "at_block"])]
    pub rpc_url: Option<UrlText>,
    /// The first block [default: all].
    #[arg(long, value_name = "NUMBER", value_parser = block_number)]
    pub from: Option<u64>,
    /// The last block [default: all].
    #[arg(long, value_name = "NUMBER", value_parser = block_number)]
    pub to: Option<u64>,
    /// The chain id that transactions have to state, such as 1, if they state any [default: any].
    /// Deposits of OP chains are rejected if the chain is known not to be an OP chain.
    #[arg(long, value_name = "NUMBER", value_parser = block_number)]
    pub chain_id: Option<u64>,
    /// Do not compare the transactions of blocks with the transactions root in their headers. The
    /// summary states the number of blocks that were not compared.
    #[arg(long)]
    pub skip_roots: bool,
    /// The block whose rules apply to transactions that do not state theirs, such as encoded ones
    /// [default: current rules]. Before block 1150000 (Homestead) s may be above n/2 in legacy
    /// transactions for any chain.
    #[arg(long, value_name = "NUMBER", value_parser = block_number)]
    pub at_block: Option<u64>,
    /// A file that records which input files are done. Files recorded there are skipped.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    #[command(flatten)]
    pub chain: ChainOptions,
}

#[derive(Args)]
pub struct ChainOptions {
    /// Output file [default: standard output].
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Flush the output file and its name to disk before exiting, so that a loss of power loses
    /// neither.
    #[arg(long, requires = "output")]
    pub sync: bool,
    /// Format of the answers [default: from the extension of the output, .parquet, .arrow or .csv,
    /// or else JSON Lines].
    #[arg(long, value_enum)]
    pub output_format: Option<AnswerFormat>,
    /// Write only the answers of items that are rejected or were not checked.
    #[arg(long)]
    pub only_rejected: bool,
    #[command(flatten)]
    pub messages: MessageOptions,
    /// Include in the summary how long each step worked and waited for others, in seconds of all
    /// its threads.
    #[arg(long, conflicts_with = "quiet")]
    pub timings: bool,
    #[command(flatten)]
    pub engine: EngineOptions,
}

impl ChainOptions {
    /// Returns the format of the answers.
    pub fn answers(&self) -> AnswerFormat {
        format_by_name(self.output_format, self.output.as_deref())
    }
}
