//! The arguments, and the help that explains them.

use clap::{Args, Parser, Subcommand, ValueEnum};
use gecc::{Backend, Engine, EngineBuilder};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Batch elliptic-curve cryptography: verify, recover and make signatures, keys and shared secrets by the million.
#[derive(Parser)]
#[command(
    version,
    about,
    after_help = "Exit codes: 0 every item passed, 1 some were rejected, 2 the call could not run."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Verify signatures: one verdict per line.
    #[command(after_help = VERIFY_HELP)]
    Verify(VerifyOptions),
    /// Recover public keys from ECDSA signatures.
    #[command(after_help = RECOVER_HELP)]
    Recover(RecoverOptions),
    /// Sign digests or messages (RFC 6979).
    #[command(after_help = SIGN_HELP)]
    Sign(SignOptions),
    /// Shared secrets of private keys and public keys.
    #[command(after_help = ECDH_HELP)]
    Ecdh(EcdhOptions),
    /// Public keys of private keys.
    #[command(after_help = PUBKEY_HELP)]
    Pubkey(PubkeyOptions),
    /// Measure every operation on this machine.
    #[command(after_help = BENCH_HELP)]
    Bench(BenchOptions),
    /// Compile the GPU kernels ahead of time.
    #[command(subcommand)]
    Kernels(KernelsCommand),
    /// Say what this machine has for gecc, and what is missing.
    Doctor,
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// What the help of every command that reads items ends with.
macro_rules! input_help {
    () => {
        "\
Input is JSON Lines or CSV with a header, told apart by content. Binary fields are hexadecimal, with or without 0x.
A line that cannot be used gets its own answer and stops nothing; blank lines are skipped; `tag` is passed through.

Exit codes: 0 every item passed, 1 some were rejected, 2 the call could not run."
    };
}

const VERIFY_HELP: &str = concat!(
    "\
Fields: `digest` (32 bytes) or `message` (hashed with SHA-256, for sm2 with SM3 over Z_A || M and the optional text `id`);
`signature` (64 bytes, r || s) or `der`; `public_key` (SEC 1, 33 or 65 bytes, or x || y of 64 bytes).

Examples:
  gecc verify --curve secp256k1 signatures.jsonl
  echo '{\"digest\":\"9f…\",\"der\":\"30…\",\"public_key\":\"02…\"}' | gecc verify --curve p256
  zcat audit.csv.gz | gecc verify --curve sm2 -o verdicts.jsonl

Output: {\"valid\":true} or {\"valid\":false,\"reason\":\"…\"}, one line per item, in order.

",
    input_help!()
);

const RECOVER_HELP: &str = concat!(
    "\
Fields: `digest` or `message`, `signature` or `der`, `recovery_id` (0 to 3).

Examples:
  gecc recover --curve secp256k1 transactions.jsonl
  gecc recover --curve secp256k1 --addresses transactions.jsonl

Output: {\"public_key\":\"04…\"}, with --addresses {\"address\":\"0x…\"}, or {\"error\":\"…\"}, one line per item, in order.

",
    input_help!()
);

const SIGN_HELP: &str = concat!(
    "\
Fields: `digest` or `message`; for sm2 the optional text `id`. The key file is as the input of
`gecc pubkey`, with one key for all items or one per item.

Examples:
  gecc sign --curve p256 --key-file key.hex messages.jsonl
  gecc sign --curve secp256k1 --recoverable --key-file keys.hex digests.csv

Output: {\"signature\":\"…\"}, with --recoverable also \"recovery_id\", or {\"error\":\"…\"}, one line per item, in order.

",
    input_help!()
);

const ECDH_HELP: &str = concat!(
    "\
Field: `public_key`. The key file is as for `gecc sign`.

Example:
  gecc ecdh --curve p256 --key-file key.hex -o secrets.jsonl peers.jsonl

Output: {\"shared_secret\":\"…\"}, the x-coordinate, which is secret, or {\"error\":\"…\"}, one line per item, in order. An
output file is its owner's alone (mode 600), also one that others could read before.

",
    input_help!()
);

const PUBKEY_HELP: &str = concat!(
    "\
Input is one private key a line (64 hexadecimal digits), or JSON Lines or CSV with the field `secret_key`.

Example:
  gecc pubkey --curve secp256k1 --compressed keys.hex

Output: {\"public_key\":\"04…\"} or {\"error\":\"…\"}, one line per item, in order.

",
    input_help!()
);

const BENCH_HELP: &str = "\
End to end is from the caller's memory to the caller's memory, by the clock. Kernels is the sum of the times of all GPU
kernels of a call, each alone on one GPU. Figures are medians after a warm-up on fresh random inputs; results are
checked outside the measured time.

Examples:
  gecc bench --curve p256 --engine cpu
  gecc bench --sizes 10..22 --plot throughput.svg
  gecc bench --operations verify,sign --items 4194304 --kernels --json";

const KERNELS_HELP: &str = "\
Example, for an image that has the driver but not NVRTC:
  gecc kernels build --arch sm_80 --arch sm_90 --out /opt/gecc/kernels
  GECC_KERNEL_CACHE=/opt/gecc/kernels gecc verify --curve secp256k1 signatures.jsonl

The folder must belong to root or to the user that runs gecc, and be writable by nobody else.";

const METHODS_HELP: &str = "\
Runs on the first GPU. The exit code is 1 where a result is wrong.

Examples:
  gecc bench methods
  gecc bench methods --curve p256 --check 0 --json
  gecc bench methods --plot methods.svg";

#[derive(Clone, Copy, ValueEnum)]
pub enum CurveName {
    Secp256k1,
    P256,
    Sm2,
}

/// The curves that ECDSA is used with here.
#[derive(Clone, Copy, ValueEnum)]
pub enum EcdsaCurveName {
    Secp256k1,
    P256,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum EngineName {
    Auto,
    Cpu,
    Gpu,
}

#[derive(Args)]
pub struct EngineOptions {
    /// Where to compute.
    #[arg(long, value_enum, default_value = "auto")]
    engine: EngineName,
    /// Worker threads of the CPU engine [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
    /// Upper limit for working memory: bytes, or with K, M or G.
    #[arg(long, value_parser = parse_bytes)]
    pub max_memory: Option<usize>,
    /// Set by the command that signs.
    #[arg(skip)]
    pub check_signatures: bool,
}

impl EngineOptions {
    pub fn start(&self) -> Result<Engine, String> {
        self.builder().build().map_err(|problem| problem.to_string())
    }

    /// An engine that is not started yet.
    pub fn builder(&self) -> EngineBuilder {
        let backend = match self.engine {
            EngineName::Auto => Backend::Auto,
            EngineName::Cpu => Backend::Cpu,
            EngineName::Gpu => Backend::Gpu,
        };
        let mut builder = Engine::builder().backend(backend).check_signatures(self.check_signatures);
        if let Some(threads) = self.threads {
            builder = builder.threads(threads);
        }
        if let Some(bytes) = self.max_memory {
            builder = builder.max_memory(bytes);
        }
        builder
    }
}

fn parse_bytes(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.char_indices().last() {
        Some((end, 'k' | 'K')) => (&text[..end], 10),
        Some((end, 'm' | 'M')) => (&text[..end], 20),
        Some((end, 'g' | 'G')) => (&text[..end], 30),
        _ => (text, 0),
    };
    let number: usize = digits.parse().map_err(|_| "a number of bytes, such as 500000000 or 512M".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "too large".to_owned())
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// JSON Lines: one object a line.
    Jsonl,
    /// Comma-separated values with a header.
    Csv,
}

#[derive(Args)]
pub struct StreamOptions {
    /// Input file, or - for standard input.
    #[arg(default_value = "-")]
    pub input: PathBuf,
    /// Output file [default: standard output].
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Input format [default: told by content].
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    #[command(flatten)]
    pub engine: EngineOptions,
}

#[derive(Args)]
pub struct VerifyOptions {
    /// The curve; sm2 means SM2 signatures, the others ECDSA.
    #[arg(long, value_enum)]
    pub curve: CurveName,
    /// Reject s above n/2 (BIP 62, EIP-2); ECDSA only.
    #[arg(long)]
    pub low_s: bool,
    #[command(flatten)]
    pub stream: StreamOptions,
}

#[derive(Args)]
pub struct RecoverOptions {
    /// The curve.
    #[arg(long, value_enum)]
    pub curve: EcdsaCurveName,
    /// Print Ethereum addresses instead of public keys; secp256k1 only.
    #[arg(long)]
    pub addresses: bool,
    #[command(flatten)]
    pub stream: StreamOptions,
}

#[derive(Args)]
pub struct SignOptions {
    /// The curve; sm2 means SM2 signatures, the others ECDSA.
    #[arg(long, value_enum)]
    pub curve: CurveName,
    /// Private keys, one hexadecimal key a line: one for all items or one per item.
    #[arg(long)]
    pub key_file: PathBuf,
    /// Print the recovery id too; ECDSA only.
    #[arg(long)]
    pub recoverable: bool,
    /// Print signatures in DER instead of r || s.
    #[arg(long)]
    pub der: bool,
    /// Verify every signature before it is printed: a processor that errs could otherwise give the key away.
    #[arg(long)]
    pub check_signatures: bool,
    #[command(flatten)]
    pub stream: StreamOptions,
}

#[derive(Args)]
pub struct EcdhOptions {
    /// The curve.
    #[arg(long, value_enum)]
    pub curve: CurveName,
    /// Private keys, one hexadecimal key a line: one for all items or one per item.
    #[arg(long)]
    pub key_file: PathBuf,
    #[command(flatten)]
    pub stream: StreamOptions,
}

#[derive(Args)]
pub struct PubkeyOptions {
    /// The curve.
    #[arg(long, value_enum)]
    pub curve: CurveName,
    /// Print the compressed form of 33 bytes.
    #[arg(long)]
    pub compressed: bool,
    #[command(flatten)]
    pub stream: StreamOptions,
}

#[derive(Subcommand)]
pub enum KernelsCommand {
    /// Compile every kernel into a folder, for machines without NVRTC.
    #[command(after_help = KERNELS_HELP)]
    Build(KernelsOptions),
}

#[derive(Args)]
pub struct KernelsOptions {
    /// The architecture, such as sm_90; may be given several times.
    #[arg(long, required = true)]
    pub arch: Vec<String>,
    /// The folder; it is made if it is not there.
    #[arg(long)]
    pub out: PathBuf,
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchOptions {
    #[command(subcommand)]
    pub command: Option<BenchCommand>,
    #[command(flatten)]
    pub batches: BatchOptions,
    /// Only these, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub operations: Vec<Operation>,
    /// Also measure how long a call takes for 1, 64, 1024 and 16384 items, on the CPU and on a GPU.
    #[arg(long)]
    pub latency: bool,
    /// Also print the time of each kernel.
    #[arg(long)]
    pub kernels: bool,
    /// Take inputs from page-locked memory, from which a GPU copies without help of the host.
    #[arg(long)]
    pub page_locked: bool,
    /// Draw items per second against the size of the batch, as SVG.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub engine: EngineOptions,
}

#[derive(Subcommand)]
pub enum BenchCommand {
    /// What choices of the GPU kernels are worth: production against variants without them.
    Ablations(BatchOptions),
    /// Every method of modular multiplication on the GPU, side by side, each checked against the CPU.
    #[command(after_help = METHODS_HELP)]
    Methods(MethodsOptions),
}

#[derive(Args)]
pub struct BatchOptions {
    /// The curve [default: all three].
    #[arg(long, value_enum)]
    pub curve: Option<CurveName>,
    /// Items in a batch [default: 16384 on the CPU, 1048576 on a GPU].
    #[arg(long, conflicts_with = "sizes", value_parser = clap::value_parser!(u32).range(1..=1 << 26))]
    pub items: Option<u32>,
    /// Batches of 2^FROM, twice that, and so on up to 2^TO items.
    #[arg(long, value_name = "FROM..TO", value_parser = parse_sizes)]
    pub sizes: Option<RangeInclusive<u32>>,
    /// Print JSON Lines instead of a table.
    #[arg(long)]
    pub json: bool,
}

impl BatchOptions {
    /// Sizes of batches, the largest last.
    pub fn sizes(&self, default: usize) -> Vec<usize> {
        match (&self.sizes, self.items) {
            (Some(powers), _) => powers.clone().map(|power| 1 << power).collect(),
            (None, items) => vec![items.map_or(default, |items| items as usize)],
        }
    }

    pub fn curves(&self) -> Vec<CurveName> {
        self.curve.map_or_else(|| CurveName::value_variants().to_vec(), |curve| vec![curve])
    }
}

fn parse_sizes(text: &str) -> Result<RangeInclusive<u32>, String> {
    let parse = |power: &str| power.parse().ok().filter(|power| *power <= 26);
    let range = text.split_once("..").and_then(|(from, to)| Some(parse(from)?..=parse(to)?));
    range.filter(|range| !range.is_empty()).ok_or_else(|| "two powers of two up to 26, such as 10..22".to_owned())
}

/// What can be measured. The last four are kernels alone, on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Operation {
    Add,
    Double,
    MulBase,
    Mul,
    PublicKeys,
    Decompress,
    Verify,
    #[value(name = "verify_1000_keys")]
    Verify1000Keys,
    #[value(name = "verify_100_keys")]
    Verify100Keys,
    Recover,
    RecoverAddresses,
    Sign,
    Ecdh,
    EcdhOneSecret,
    FieldMul,
    FieldSquare,
    ScalarMul,
    BatchInverse,
}

impl Operation {
    /// As the command line writes it.
    pub fn name(self) -> String {
        self.to_possible_value().expect("none is skipped").get_name().to_owned()
    }
}

#[derive(Args)]
pub struct MethodsOptions {
    /// The curve whose production multiplication is measured [default: all three].
    #[arg(long, value_enum)]
    pub curve: Option<CurveName>,
    /// Random inputs on which each row is compared with the CPU.
    #[arg(long, value_name = "ITEMS", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(..=1 << 24))]
    pub check: u32,
    /// Print JSON Lines instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Draw the rates as bars, as SVG.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}
