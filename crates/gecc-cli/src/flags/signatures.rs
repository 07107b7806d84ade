//! Options of commands on signatures.

use super::stream::{IdOptions, PublicKeyOptions, input_help, named};
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
Fields: `digest` (32 bytes, for ECDSA also 20, 28, 48 or 64, truncated or padded according to \
FIPS 186-5) or `message` (hashed with SHA-256 or the hash of --hash, for sm2 with SM3 over Z_A \
|| M and the text `id`, which --columns id=NAME selects or --sm2-id sets for all items); \
`signature` (r || s of 64 bytes, r || s || v of 65, or DER; other forms with --signature-form), \
or `r` and `s`, or `r` and `y_parity_and_s` (EIP-2098), or `der`; `public_key` (SEC 1, 33 or 65 \
bytes, or x || y of 64, or SubjectPublicKeyInfo in DER or PEM, or a JSON Web Key). For bip340 a \
`digest` is a message of 32 bytes, a `message` is signed without being hashed first, and a \
`public_key` has 32 bytes or any of the other forms. Messages of ed25519 are read in the same \
way; its keys have 32 bytes, or are SubjectPublicKeyInfo, JSON Web Keys or OpenSSH lines \
(`ssh-ed25519 AAAA…`), and its signatures always have 64 bytes. With --batch-verification ECDSA \
also reads the `recovery_id` or `v`, which never changes a verdict: verification is faster if it \
is right. A v in a signature has to be 0 to 3 or 27 to 30, and has to agree with a separate \
field; whether it is the right one is only shown by `gecc recover`.

Examples:
  gecc verify --curve secp256k1 signatures.jsonl
  echo '{\"digest\":\"9f…\",\"der\":\"30…\",\"public_key\":\"02…\"}' | gecc verify --curve p256
  gecc verify --curve sm2 -o verdicts.jsonl audit.csv.gz
  gecc verify --scheme bip340 taproot.jsonl
  gecc verify --scheme ed25519 --rule strict solana.jsonl
  gecc verify --curve secp256k1 --beside -o out.parquet in.parquet

Output: {\"valid\":true} or {\"valid\":false,\"reason\":\"…\",\"line\":7}, one line per item, in \
order.

",
    input_help!()
);

pub const RECOVER_HELP: &str = concat!(
    "\
Fields: `digest` or `message`, `signature` (with v as its 65th byte, or without; other forms \
with --signature-form), `r` and `s`, `r` and `y_parity_and_s` (EIP-2098), or `der`; \
`recovery_id`, `v` or `y_parity` (0 to 3, 27 to 34, or according to EIP-155). If several of the \
latter are given, they have to agree.

Signatures of Bitcoin's signed messages begin with a header: use --signature-form header-first, \
and --hash bitcoin-message for their messages. By default they are rejected; if most signatures \
of an input look like this, one that can be read both ways ends the command.

Examples:
  gecc recover --curve secp256k1 transactions.jsonl
  gecc recover --curve secp256k1 --addresses transactions.jsonl

Output: {\"public_key\":\"04…\"}, with --addresses {\"address\":\"0x…\"}, or \
{\"error\":\"…\",\"line\":7}, one line per item, in order.

",
    input_help!()
);

pub const SIGN_HELP: &str = concat!(
    "\
Fields: `digest` or `message`, for bip340 and ed25519 a message of 32 bytes or of any length; \
for sm2 the optional text `id`, or --sm2-id for all items; `secret_key` if no key file is given. \
The key file has one key for all items or one per item: in the formats of the input of `gecc \
pubkey`, as PEM or DER (SEC 1 `EC PRIVATE KEY`, PKCS#8 `PRIVATE KEY`, not encrypted), or as JSON \
Web Keys. Private keys of ed25519 are seeds of 32 bytes; their files may also be in the OpenSSH \
format (`OPENSSH PRIVATE KEY`, not encrypted). The format is detected from content. A file whose \
public key does not belong to its private key is refused. If each line is a hexadecimal key, \
lines that begin with # are comments.

Nonces of ECDSA are those of RFC 6979, with HMAC-SHA-256, or with the hash of --hash sha384 or \
sha512, in which case they are computed on the CPU.

A private key must be used on one curve only: ECDSA signatures of one digest on two curves \
reveal the key, because their nonces are the same number. If a key has to be used on several \
curves, give each its own --additional-data.

Examples:
  gecc sign --curve p256 --key-file key.pem messages.jsonl
  gecc sign --curve secp256k1 --recoverable --key-file keys.hex digests.csv
  gecc sign --scheme bip340 --key-file key.hex messages.jsonl
  gecc sign --scheme ed25519 --key-file id_ed25519 messages.jsonl

Output: {\"signature\":\"…\"}, with --recoverable also \"recovery_id\", or \
{\"error\":\"…\",\"line\":7}, one line per item, in order.

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

/// Options for the variant of Ed25519 (RFC 8032, section 5.1).
#[derive(Args)]
pub struct VariantOptions {
    /// The context of Ed25519ctx, or with --prehashed that of Ed25519ph: at most 255 bytes in
    /// hexadecimal digits.
    #[arg(long, value_name = "HEX", value_parser = context)]
    pub context: Option<Box<[u8]>>,
    /// Use Ed25519ph, which signs the SHA-512 hash of a message. Messages are given unhashed.
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
    /// The curve. Without --scheme, sm2 selects SM2 signatures, and the others ECDSA.
    #[arg(long, value_parser = any(), required_unless_present = "scheme")]
    pub curve: Option<CurveId>,
    /// The signature scheme [default: the curve's].
    #[arg(long, value_enum)]
    pub scheme: Option<Scheme>,
    /// The verification rule of Ed25519: choose the one of the programs whose verdicts have to be
    /// the same. `strict` is the rule of Solana, `zip215` that of Zcash and CometBFT,
    /// `cofactorless` that of OpenSSL and Go.
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
    pub keys: PublicKeyOptions,
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
    /// The curve. Without --scheme, sm2 selects SM2 signatures, and the others ECDSA.
    #[arg(long, value_parser = any(), required_unless_present = "scheme")]
    pub curve: Option<CurveId>,
    /// The signature scheme [default: the curve's].
    #[arg(long, value_enum)]
    pub scheme: Option<Scheme>,
    /// Auxiliary random data of BIP 340 for all items, 64 hexadecimal digits [default: fresh data
    /// per item].
    #[arg(long, value_name = "HEX", value_parser = |digits: &str| of_32_bytes("--auxiliary", digits))]
    pub auxiliary: Option<[u8; 32]>,
    /// Additional data for the nonces of all items (RFC 6979, section 3.6), 64 hexadecimal digits;
    /// ECDSA and SM2. Different data for each curve on which a key signs prevents that signatures
    /// reveal the key.
    #[arg(long, value_name = "HEX", value_parser = |digits: &str| of_32_bytes("--additional-data", digits))]
    pub additional_data: Option<[u8; 32]>,
    #[command(flatten)]
    pub variant: VariantOptions,
    #[command(flatten)]
    pub id: IdOptions,
    /// File of private keys: hexadecimal, PEM, DER or JWK; one for all items or one per item. - is
    /// standard input, if the input is a file [default: `secret_key` of each item].
    #[arg(long)]
    pub key_file: Option<PathBuf>,
    /// Also print the recovery id; ECDSA only.
    #[arg(long)]
    pub recoverable: bool,
    /// Print signatures in DER instead of r || s.
    #[arg(long)]
    pub der: bool,
    /// Verify every signature before it is printed, since a faulty signature can reveal the key.
    #[arg(long)]
    pub check_signatures: bool,
    #[command(flatten)]
    pub hash: HashOptions,
    #[command(flatten)]
    pub stream: StreamOptions,
}
