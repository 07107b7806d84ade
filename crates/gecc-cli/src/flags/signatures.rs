//! Commands on signatures.

use super::StreamOptions;
use super::stream::input_help;
use crate::curve::{any, of_ecdsa};
use clap::Args;
use gecc::CurveId;
use std::path::PathBuf;

pub const VERIFY_HELP: &str = concat!(
    "\
Fields: `digest` (32 bytes) or `message` (hashed with SHA-256, for sm2 with SM3 over Z_A || M and the optional text `id`); \
`signature` (64 bytes, r || s) or `der`; `public_key` (SEC 1, 33 or 65 bytes, or x || y of 64 bytes).

Examples:
  gecc verify --curve secp256k1 signatures.jsonl
  echo '{\"digest\":\"9f…\",\"der\":\"30…\",\"public_key\":\"02…\"}' | gecc verify --curve p256
  gecc verify --curve sm2 -o verdicts.jsonl audit.csv.gz
  gecc verify --curve secp256k1 --beside -o out.parquet in.parquet
  gecc verify --curve p256 --format rows --layout digest:32,public_key:33,signature:64 signatures.bin

Output: {\"valid\":true} or {\"valid\":false,\"reason\":\"…\",\"line\":7}, one line per item, in order.

",
    input_help!()
);

pub const RECOVER_HELP: &str = concat!(
    "\
Fields: `digest` or `message`, `signature` or `der`, `recovery_id` or `v` (0 to 3, 27 to 30, or as EIP-155 has it).

Examples:
  gecc recover --curve secp256k1 transactions.jsonl
  gecc recover --curve secp256k1 --addresses transactions.jsonl

Output: {\"public_key\":\"04…\"}, with --addresses {\"address\":\"0x…\"}, or {\"error\":\"…\",\"line\":7}, one line per item, in order.

",
    input_help!()
);

pub const SIGN_HELP: &str = concat!(
    "\
Fields: `digest` or `message`; for sm2 the optional text `id`; `secret_key` where no key file is given. The key file has one key for all items or one per item: as the \
input of `gecc pubkey`, as PEM or DER (SEC 1 `EC PRIVATE KEY`, PKCS#8 `PRIVATE KEY`, not encrypted), or as JSON Web Keys. Its \
content tells the form. Lines that begin with # are comments where each line is a hexadecimal key.

Examples:
  gecc sign --curve p256 --key-file key.pem messages.jsonl
  gecc sign --curve secp256k1 --recoverable --key-file keys.hex digests.csv

Output: {\"signature\":\"…\"}, with --recoverable also \"recovery_id\", or {\"error\":\"…\",\"line\":7}, one line per item, in order.

",
    input_help!()
);

#[derive(Args)]
pub struct VerifyOptions {
    /// The curve; sm2 means SM2 signatures, the others ECDSA.
    #[arg(long, value_parser = any())]
    pub curve: CurveId,
    /// Reject s above n/2 (BIP 62, EIP-2); ECDSA only.
    #[arg(long)]
    pub low_s: bool,
    #[command(flatten)]
    pub stream: StreamOptions,
}

#[derive(Args)]
pub struct RecoverOptions {
    /// The curve.
    #[arg(long, value_parser = of_ecdsa())]
    pub curve: CurveId,
    /// Print Ethereum addresses instead of public keys; secp256k1 only.
    #[arg(long)]
    pub addresses: bool,
    #[command(flatten)]
    pub stream: StreamOptions,
}

#[derive(Args)]
pub struct SignOptions {
    /// The curve; sm2 means SM2 signatures, the others ECDSA.
    #[arg(long, value_parser = any())]
    pub curve: CurveId,
    /// Private keys: hexadecimal, PEM, DER or JWK; one for all items or one per item. - is standard input, where the input is a file
    /// [default: `secret_key` of each item].
    #[arg(long)]
    pub key_file: Option<PathBuf>,
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
