//! The command line arguments and their help.

mod bench;
#[cfg(feature = "chains")]
mod chains;
mod effects;
mod kernels;
mod keys;
mod masks;
mod signatures;
#[cfg(all(feature = "arrow", feature = "chains"))]
mod silent_payments;
mod stream;

pub use bench::{BenchOperation, BenchOptions};
#[cfg(feature = "chains")]
pub use chains::{
    BitcoinCommand, CertificatesOptions, ChainOptions, EthereumCommand, InputsOptions,
    SendersOptions,
};
use clap::{ArgAction, Args, Parser, Subcommand};
pub use effects::GivenOptions;
#[cfg(feature = "chains")]
use gecc_chains::BlockRange;
pub use kernels::{BuildOptions, KernelsCommand, PackOptions};
pub use keys::{EcdhOptions, PubkeyOptions};
pub use masks::{MaskOptions, UnmaskOptions};
pub use signatures::{RecoverOptions, SignOptions, VerifyOptions};
#[cfg(all(feature = "arrow", feature = "chains"))]
pub use silent_payments::{IndexOptions, ScanOptions};
use std::path::PathBuf;
use std::sync::LazyLock;
pub use stream::AnswerFormat;
pub use stream::{Format, HashOptions, SignatureOptions, StreamOptions, SummaryForm, end_of_name};

/// Batch elliptic-curve cryptography: verify, recover and make signatures, keys and shared secrets
/// by the million.
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
    /// Log the engine, the formats of inputs and their columns; if given twice, also the origin of
    /// kernels.
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub verbose: u8,
}

/// The version, with the commit (build.rs), the compiled features, and the version that kernel
/// packs must have.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("GECC_BUILD_COMMIT").unwrap_or("unknown");
    let features = [
        ("arrow", cfg!(feature = "arrow")),
        ("chains", cfg!(feature = "chains")),
        ("https", cfg!(feature = "https")),
    ];
    let features: Vec<&str> = features
        .into_iter()
        .filter(|(_, is_there)| *is_there)
        .map(|(name, _)| name)
        .collect();
    let features = if features.is_empty() {
        "none".to_owned()
    } else {
        features.join(" ")
    };
    let kernels = gecc::kernels::sources_hash();
    format!(
        "{}\ncommit: {commit}\nfeatures: {features}\nkernels: {kernels}",
        env!("CARGO_PKG_VERSION")
    )
});

const AFTER_HELP: &str = "\
Environment:
  GECC_LOG           verbosity without -v: error, warn, info or debug [default: warn]
  GECC_KERNELS       folder of kernel packs; empty for none [default: next to this program]
  GECC_KERNEL_CACHE  folder of the kernel cache [default: gecc in the user's cache folder]
  GECC_NVRTC_DIR     folder of NVRTC, which compiles kernels [default: the system's]
  CUDA_VISIBLE_DEVICES  GPUs to use, by number; empty for none [default: all]

Exit codes: 0 every item passed, 1 some were rejected, 2 the command could not run.";

const DOCTOR_HELP: &str = "\
Exit codes: 0 nothing is wrong, though something may be missing; 1 something that is present or \
requested does not work.";

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
    /// Compute the shared secrets of private keys and public keys.
    #[command(after_help = keys::ECDH_HELP)]
    Ecdh(EcdhOptions),
    /// Compute the public keys of private keys.
    #[command(after_help = keys::PUBKEY_HELP)]
    Pubkey(PubkeyOptions),
    /// Hash items to points and multiply them by a secret number, for private set intersection.
    #[command(after_help = masks::MASK_HELP)]
    Mask(MaskOptions),
    /// Remove the mask of points.
    #[command(after_help = masks::UNMASK_HELP)]
    Unmask(UnmaskOptions),
    /// Check transactions of Ethereum, and of similar chains.
    #[cfg(feature = "chains")]
    #[command(subcommand)]
    Ethereum(EthereumCommand),
    /// Verify blocks of Bitcoin, and find silent payments.
    #[cfg(feature = "chains")]
    #[command(subcommand)]
    Bitcoin(BitcoinCommand),
    /// Verify certificates with the keys of their issuers, as far as these are among them.
    #[cfg(feature = "chains")]
    #[command(after_help = chains::CERTIFICATES_HELP)]
    Certificates(CertificatesOptions),
    /// Measure the rate of every operation on this machine.
    #[command(after_help = bench::BENCH_HELP)]
    Bench(BenchOptions),
    /// Compile the GPU kernels ahead of time.
    #[command(subcommand)]
    Kernels(KernelsCommand),
    /// Report the resources of this machine that gecc can use, and those that are missing.
    #[command(after_help = DOCTOR_HELP)]
    Doctor(DoctorOptions),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the pages of the manual, one per command.
    Man {
        /// The folder, which is created if necessary.
        folder: PathBuf,
    },
}

impl Command {
    /// Returns whether the messages of the command go to standard output regardless of its options.
    pub fn prints(&self) -> bool {
        match self {
            Command::Bench(_)
            | Command::Kernels(_)
            | Command::Doctor(_)
            | Command::Completions { .. } => true,
            Command::Man { .. } => false,
            Command::Verify(_)
            | Command::Recover(_)
            | Command::Sign(_)
            | Command::Ecdh(_)
            | Command::Pubkey(_)
            | Command::Mask(_)
            | Command::Unmask(_) => false,
            #[cfg(feature = "chains")]
            Command::Ethereum(_) | Command::Bitcoin(_) | Command::Certificates(_) => false,
        }
    }
}

#[derive(Args)]
pub struct DoctorOptions {
    /// Also list every kernel file that is loaded on a GPU, with the origin of its machine code.
    #[arg(long)]
    pub kernels: bool,
    /// Also measure five operations on secp256k1, and print a row for the table of machines in
    /// docs/platforms.md, unless something is wrong.
    #[arg(long)]
    pub report: bool,
    /// Print one JSON object.
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
pub fn blocks(from: Option<u64>, to: Option<u64>) -> Result<BlockRange, String> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(format!("--from {from} is above --to {to}")),
        _ => Ok(BlockRange { from, to }),
    }
}
