//! The arguments, and the help that explains them.

mod bench;
#[cfg(feature = "chains")]
mod chains;
mod kernels;
mod keys;
mod signatures;
#[cfg(all(feature = "arrow", feature = "chains"))]
mod silent;
mod stream;

pub use bench::BenchOptions;
#[cfg(feature = "chains")]
pub use chains::{BitcoinCommand, CertificatesOptions, ChainOptions, EthereumCommand, InputsOptions, SendersOptions};
use clap::{Parser, Subcommand};
pub use kernels::{BuildOptions, KernelsCommand, PackOptions};
pub use keys::{EcdhOptions, PubkeyOptions};
pub use signatures::{RecoverOptions, SignOptions, VerifyOptions};
#[cfg(all(feature = "arrow", feature = "chains"))]
pub use silent::{IndexOptions, ScanOptions};
pub use stream::AnswerFormat;
pub use stream::{Format, HashOptions, StreamOptions};

/// Batch elliptic-curve cryptography: verify, recover and make signatures, keys and shared secrets by the million.
#[derive(Parser)]
#[command(
    name = "gecc",
    version,
    after_help = "Exit codes: 0 every item passed, 1 some were rejected, 2 the call could not run."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

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
    Doctor {
        /// Also list every kernel file that is loaded on a GPU, and where its machine code came from.
        #[arg(long)]
        kernels: bool,
    },
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}
