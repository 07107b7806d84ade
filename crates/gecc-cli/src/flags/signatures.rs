//! Options of commands on signatures.

use super::stream::IdOptions;
use super::stream::{input_help, named};
use super::{HashOptions, SignatureOptions, StreamOptions};
use crate::curve::{Scheme, any, of_ecdsa};
use crate::engine::EquationOptions;
use crate::input::fields::{append_decoded, decode_digits};
use clap::Args;
use gecc::CurveId;
use gecc::ed25519::{Rule, Variant};
use std::path::PathBuf;

pub const VERIFY_HELP: &str = concat!(
    "\
Fields: `digest` (32 bytes, for ECDSA also 20, 28, 48 or 64, cut or padded as FIPS 186-5 says) or `message` (hashed with SHA-256 or as --hash says, for sm2 with SM3 over Z_A || M and the text `id`, which \
--columns id=NAME names, or --sm2-id says for all); `signature` (r || s of 64 bytes, r || s || v of 65, or DER; others by --signature-form), or `r` and `s`, or `r` and \
`y_parity_and_s` (EIP-2098), or `der`; `public_key` (SEC 1, 33 or 65 \
bytes, or x || y of 64, or SubjectPublicKeyInfo in DER or PEM, or a JSON Web Key). For bip340 a `digest` is a \
message of 32 bytes, a `message` is signed as it is, and a `public_key` has 32 bytes, or any of the others. Likewise for ed25519, whose keys \
have 32 bytes, or are SubjectPublicKeyInfo, JSON Web Keys or lines of OpenSSH (`ssh-ed25519 AAAA…`), and whose signatures have 64 bytes alone. With --batch-equations the `recovery_id` or `v` \
of ECDSA, which decides nothing: verification is faster where it is right. A v in a signature has to be 0 to 3 or 27 to 30, and the same as \
that of a field beside it; whether it is the right one only `gecc recover` shows.

Examples:
  gecc verify --curve secp256k1 signatures.jsonl
  echo '{\"digest\":\"9f…\",\"der\":\"30…\",\"public_key\":\"02…\"}' | gecc verify --curve p256
  gecc verify --curve sm2 -o verdicts.jsonl audit.csv.gz
  gecc verify --scheme bip340 taproot.jsonl
  gecc verify --scheme ed25519 --rule strict solana.jsonl
  gecc verify --curve secp256k1 --beside -o out.parquet in.parquet
  gecc verify --curve p256 --format rows --layout digest:32,public_key:33,signature:64 signatures.bin

Output: {\"valid\":true} or {\"valid\":false,\"reason\":\"…\",\"line\":7}, one line per item, in order.

",
    input_help!()
);

pub const RECOVER_HELP: &str = concat!(
    "\
Fields: `digest` or `message`, `signature` (with v as its 65th byte, or without; others by --signature-form), `r` and `s`, `r` and \
`y_parity_and_s` (EIP-2098), or `der`; `recovery_id`, `v` or `y_parity` (0 to 3, 27 to 34, or as EIP-155 has it), which have to agree where \
there are several.

Signatures of Bitcoin's signed messages have a header in front: --signature-form header-first, and --hash bitcoin-message for their \
messages. Without it they are rejected; where most signatures of an input look like this, one that can be read both ways ends the command.

Examples:
  gecc recover --curve secp256k1 transactions.jsonl
  gecc recover --curve secp256k1 --addresses transactions.jsonl

Output: {\"public_key\":\"04…\"}, with --addresses {\"address\":\"0x…\"}, or {\"error\":\"…\",\"line\":7}, one line per item, in order.

",
    input_help!()
);

pub const SIGN_HELP: &str = concat!(
    "\
Fields: `digest` or `message`, for bip340 and ed25519 a message of 32 bytes or of any length; for sm2 the optional text `id`, or --sm2-id for all; `secret_key` where no key file is given. The key file has one key for all items or one per item: as the \
input of `gecc pubkey`, as PEM or DER (SEC 1 `EC PRIVATE KEY`, PKCS#8 `PRIVATE KEY`, not encrypted), or as JSON Web Keys. Private keys of \
ed25519 are seeds of 32 bytes; their files may be of OpenSSH too (`OPENSSH PRIVATE KEY`, not encrypted). Its \
content tells the form. A file whose public key does not belong to its private key is refused. Lines that begin with # are \
comments where each line is a hexadecimal key.

Nonces of ECDSA are those of RFC 6979, by HMAC with SHA-256, or with --hash sha384 or sha512 with that hash, by the CPU.

A private key must sign on one curve alone: ECDSA signatures of one digest on two curves give the key away, as their nonces are \
the same number. Where one key has to serve several curves, give each its own --additional-data.

Examples:
  gecc sign --curve p256 --key-file key.pem messages.jsonl
  gecc sign --curve secp256k1 --recoverable --key-file keys.hex digests.csv
  gecc sign --scheme bip340 --key-file key.hex messages.jsonl
  gecc sign --scheme ed25519 --key-file id_ed25519 messages.jsonl

Output: {\"signature\":\"…\"}, with --recoverable also \"recovery_id\", or {\"error\":\"…\",\"line\":7}, one line per item, in order.

",
    input_help!()
);

fn of_32_bytes(option: &str, digits: &str) -> Result<[u8; 32], String> {
    let mut bytes = [0; 32];
    decode_digits(option, digits, &mut bytes).map(|()| bytes)
}

fn context(digits: &str) -> Result<Box<[u8]>, String> {
    let mut bytes = Vec::new();
    append_decoded("--context", digits, &mut bytes).map(|()| bytes.into())
}

/// Which variant of Ed25519 signatures are of (RFC 8032, section 5.1).
#[derive(Args)]
pub struct VariantOptions {
    /// What signatures of Ed25519ctx are made for, or with --prehashed those of Ed25519ph: at most 255 bytes in
    /// hexadecimal digits.
    #[arg(long, value_name = "HEX", value_parser = context)]
    pub context: Option<Box<[u8]>>,
    /// Signatures of Ed25519ph, which signs SHA-512 of a message. Messages are given as they are, and hashed.
    #[arg(long)]
    pub prehashed: bool,
}

impl VariantOptions {
    /// Returns the variant selected by these options.
    pub fn variant(&self) -> Result<Variant, String> {
        let variant = match (&self.context, self.prehashed) {
            (None, false) => return Ok(Variant::PURE),
            (Some(context), false) => Variant::context(context),
            (context, true) => Variant::prehashed(context.as_deref().unwrap_or_default()),
        };
        variant.map_err(|problem| format!("--context: {problem}"))
    }
}

#[derive(Args)]
pub struct VerifyOptions {
    /// The curve; without --scheme sm2 means SM2 signatures, the others ECDSA.
    #[arg(long, value_parser = any(), required_unless_present = "scheme")]
    pub curve: Option<CurveId>,
    /// The scheme of the signatures [default: the curve's].
    #[arg(long, value_enum)]
    pub scheme: Option<Scheme>,
    /// Which signatures of Ed25519 are valid: those that the programs take with which this one has to agree. `strict`
    /// is the rule of Solana, `zip215` that of Zcash and CometBFT, `cofactorless` that of OpenSSL and Go.
    #[arg(long, value_parser = named(Rule::ALL, Rule::name))]
    pub rule: Option<Rule>,
    #[command(flatten)]
    pub variant: VariantOptions,
    #[command(flatten)]
    pub id: IdOptions,
    /// Reject s above n/2 (BIP 62, EIP-2); ECDSA only.
    #[arg(long)]
    pub low_s: bool,
    #[command(flatten)]
    pub equations: EquationOptions,
    #[command(flatten)]
    pub signatures: SignatureOptions,
    #[command(flatten)]
    pub hash: HashOptions,
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
    pub signatures: SignatureOptions,
    #[command(flatten)]
    pub hash: HashOptions,
    #[command(flatten)]
    pub stream: StreamOptions,
}

#[derive(Args)]
pub struct SignOptions {
    /// The curve; without --scheme sm2 means SM2 signatures, the others ECDSA.
    #[arg(long, value_parser = any(), required_unless_present = "scheme")]
    pub curve: Option<CurveId>,
    /// The scheme of the signatures [default: the curve's].
    #[arg(long, value_enum)]
    pub scheme: Option<Scheme>,
    /// Auxiliary random data of BIP 340 for all items, 64 hexadecimal digits [default: fresh ones for each item].
    #[arg(long, value_name = "HEX", value_parser = |digits: &str| of_32_bytes("--auxiliary", digits))]
    pub auxiliary: Option<[u8; 32]>,
    /// Additional data for the nonces of all items (RFC 6979, section 3.6), 64 hexadecimal digits; ECDSA and SM2.
    /// Others for each curve on which a key signs keep it from being given away.
    #[arg(long, value_name = "HEX", value_parser = |digits: &str| of_32_bytes("--additional-data", digits))]
    pub additional_data: Option<[u8; 32]>,
    #[command(flatten)]
    pub variant: VariantOptions,
    #[command(flatten)]
    pub id: IdOptions,
    /// Private keys: hexadecimal, PEM, DER or JWK; one for all items or one per item. - is standard input, where the
    /// input is a file [default: `secret_key` of each item].
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
    pub hash: HashOptions,
    #[command(flatten)]
    pub stream: StreamOptions,
}
