//! The command line arguments and their help.

mod bench;
#[cfg(feature = "chains")]
mod chains;
mod effects;
mod kernels;
mod keys;
mod signatures;
#[cfg(all(feature = "arrow", feature = "chains"))]
mod silent_payments;
mod stream;

pub use bench::BenchOptions;
#[cfg(feature = "chains")]
pub use chains::{BitcoinCommand, CertificatesOptions, ChainOptions, EthereumCommand, InputsOptions, SendersOptions};
use clap::{ArgAction, Args, Parser, Subcommand};
pub use effects::GivenOptions;
#[cfg(feature = "chains")]
use gecc_chains::Blocks;
pub use kernels::{BuildOptions, KernelsCommand, PackOptions};
pub use keys::{EcdhOptions, PubkeyOptions};
pub use signatures::{RecoverOptions, SignOptions, VerifyOptions};
#[cfg(all(feature = "arrow", feature = "chains"))]
pub use silent_payments::{IndexOptions, ScanOptions};
use std::path::PathBuf;
use std::sync::LazyLock;
pub use stream::AnswerFormat;
pub use stream::{Format, HashOptions, SignatureOptions, StreamOptions, SummaryForm, end_of_name};

/// Batch elliptic-curve cryptography: verify, recover and make signatures, keys and shared secrets by the million.
#[derive(Parser)]
#[command(
    name = "gecc",
    version,
    long_version = LONG_VERSION.as_str(),
    after_help = AFTER_HELP
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// Say what is used: the engine, the forms of inputs, their columns; twice also where kernels came from.
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub verbose: u8,
}

/// The version, with the commit (build.rs), the compiled features, and the version that kernel
/// packs must have.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("GECC_BUILD_COMMIT").unwrap_or("unknown");
    let features =
        [("arrow", cfg!(feature = "arrow")), ("chains", cfg!(feature = "chains")), ("https", cfg!(feature = "https"))];
    let features: Vec<&str> = features.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect();
    let features = if features.is_empty() { "none".to_owned() } else { features.join(" ") };
    let kernels = gecc::kernels::sources_hash();
    format!("{}\ncommit: {commit}\nfeatures: {features}\nkernels: {kernels}", env!("CARGO_PKG_VERSION"))
});

const AFTER_HELP: &str = "\
Environment:
  GECC_LOG           how much is said where -v is not given: error, warn (as without it), info or debug
  GECC_KERNELS       the folder of kernel packs; empty for none [default: beside this program]
  GECC_KERNEL_CACHE  the folder where compiled kernels are kept [default: gecc in the user's cache folder]
  GECC_NVRTC_DIR     the folder of NVRTC, which compiles kernels [default: the system's]
  CUDA_VISIBLE_DEVICES  the GPUs that are used, by number; empty for none [default: all]

Exit codes: 0 every item passed, 1 some were rejected, 2 the call could not run.";

#[derive(Subcommand)]
pub enum Command {
    /// Verify signatures: one verdict per line.
    #[command(after_help = signatures::VERIFY_HELP)]
    Verify(VerifyOptions),
    /// Recover public keys from ECDSA signatures.
    #[command(after_help = signatures::RECOVER_HELP)]
    Recover(RecoverOptions),
    /// Sign digests or messages (RFC 6979).
    #[command(after_help = signatures::SIGN_HELP)]
    Sign(SignOptions),
    /// Shared secrets of private keys and public keys.
    #[command(after_help = keys::ECDH_HELP)]
    Ecdh(EcdhOptions),
    /// Public keys of private keys.
    #[command(after_help = keys::PUBKEY_HELP)]
    Pubkey(PubkeyOptions),
    /// Transactions of Ethereum, and of chains like it.
    #[cfg(feature = "chains")]
    #[command(subcommand)]
    Ethereum(EthereumCommand),
    /// Blocks of Bitcoin.
    #[cfg(feature = "chains")]
    #[command(subcommand)]
    Bitcoin(BitcoinCommand),
    /// Certificates, each by the key of its issuer where that is among them.
    #[cfg(feature = "chains")]
    #[command(after_help = chains::CERTIFICATES_HELP)]
    Certificates(CertificatesOptions),
    /// How fast every operation is on this machine.
    #[command(after_help = bench::BENCH_HELP)]
    Bench(BenchOptions),
    /// Compile the GPU kernels ahead of time.
    #[command(subcommand)]
    Kernels(KernelsCommand),
    /// Say what this machine has for gecc, and what is missing.
    #[command(
        after_help = "Exit codes: 0 nothing is wrong, though something may be missing; 1 something that is there or was asked for does not work."
    )]
    Doctor(DoctorOptions),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the pages of the manual, one for each command.
    Man {
        /// The folder; it is made if it is not there.
        folder: PathBuf,
    },
}

impl Command {
    /// Returns whether the messages of the command go to standard output regardless of its options.
    pub fn prints(&self) -> bool {
        match self {
            Command::Bench(_) | Command::Kernels(_) | Command::Doctor(_) | Command::Completions { .. } => true,
            Command::Man { .. } => false,
            Command::Verify(_) | Command::Recover(_) | Command::Sign(_) | Command::Ecdh(_) | Command::Pubkey(_) => {
                false
            }
            #[cfg(feature = "chains")]
            Command::Ethereum(_) | Command::Bitcoin(_) | Command::Certificates(_) => false,
        }
    }
}

#[derive(Args)]
pub struct DoctorOptions {
    /// Also list every kernel file that is loaded on a GPU, and where its machine code came from.
    #[arg(long)]
    pub kernels: bool,
    /// Also measure five operations on secp256k1, and print a row for the table of machines in docs/platforms.md. Where
    /// something is wrong there is none.
    #[arg(long)]
    pub report: bool,
    /// Print one object of JSON.
    #[arg(long)]
    pub json: bool,
}

/// Parses a number that is decimal, or hexadecimal after 0x.
#[cfg(feature = "chains")]
fn block_number(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16),
        _ => text.parse(),
    };
    number.map_err(|_| "a number, such as 18000000 or 0x112a880".to_owned())
}

/// Parses four bytes in hexadecimal, in the order in which files contain them.
#[cfg(feature = "chains")]
fn network_magic(text: &str) -> Result<[u8; 4], String> {
    let mut magic = [0; 4];
    const_hex::decode_to_slice(text, &mut magic)
        .map_err(|_| "eight hexadecimal digits, such as a5df2dcb".to_owned())?;
    Ok(magic)
}

/// Makes a range of blocks, which must not be empty.
#[cfg(feature = "chains")]
pub fn blocks(from: Option<u64>, to: Option<u64>) -> Result<Blocks, String> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(format!("--from {from} is behind --to {to}")),
        _ => Ok(Blocks { from, to }),
    }
}
