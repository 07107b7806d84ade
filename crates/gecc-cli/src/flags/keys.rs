//! Options of commands on keys.

use super::StreamOptions;
use super::stream::{PublicKeyOptions, input_help};
use crate::curve::{KeyCurve, Scheme, of_keys};
use clap::Args;
use std::path::PathBuf;

pub const ECDH_HELP: &str = concat!(
    "\
Fields: `public_key`, and `secret_key` if no key file is given. The formats of the key file are \
those of `gecc sign`.

Examples:
  gecc ecdh --curve p256 --key-file key.hex -o secrets.jsonl peers.jsonl
  gecc ecdh --curve x25519 --key-file key.pem -o secrets.jsonl peers.jsonl

Output: {\"shared_secret\":\"…\"}, the x-coordinate, for x25519 the u-coordinate (RFC 7748), \
which is secret, or {\"error\":\"…\",\"line\":7}, one line per item, in order. An output file is \
accessible to its owner only (mode 600), even if it existed with other permissions.

",
    input_help!()
);

pub const PUBKEY_HELP: &str = concat!(
    "\
Input is one private key per line (64 hexadecimal digits; lines that start with # are comments), \
or JSON Lines or CSV with the field `secret_key`, or a key in PEM, DER or as a JSON Web Key, or \
one of the other formats below.

Examples:
  gecc pubkey --curve secp256k1 --compressed keys.hex
  gecc pubkey --scheme ed25519 seeds.hex
  gecc pubkey --curve x25519 key.pem

Output: {\"public_key\":\"04…\"}, for ed25519 and x25519 the 32 bytes of the key, or \
{\"error\":\"…\",\"line\":7}, one line per item, in order.

",
    input_help!()
);

#[derive(Args)]
pub struct EcdhOptions {
    /// The curve. With `x25519`, keys are those of RFC 7748.
    #[arg(long, value_parser = of_keys())]
    pub curve: KeyCurve,
    /// Accept shared secrets of `x25519` that are zero. Peers can cause them with certain public
    /// keys [default: reject these items].
    #[arg(long)]
    pub accept_all_zero: bool,
    /// File of private keys: hexadecimal, PEM, DER or JWK; one for all items or one per item. - is
    /// standard input, if the input is a file [default: `secret_key` of each item].
    #[arg(long)]
    pub key_file: Option<PathBuf>,
    #[command(flatten)]
    pub keys: PublicKeyOptions,
    #[command(flatten)]
    pub stream: StreamOptions,
}

#[derive(Args)]
pub struct PubkeyOptions {
    /// The curve. With `x25519`, keys are those of RFC 7748.
    #[arg(long, value_parser = of_keys(), required_unless_present = "scheme")]
    pub curve: Option<KeyCurve>,
    /// The scheme of the keys [default: the curve's]. Private keys of `ed25519` are seeds of 32
    /// bytes.
    #[arg(long, value_enum)]
    pub scheme: Option<Scheme>,
    /// Print the compressed form of 33 bytes.
    #[arg(long)]
    pub compressed: bool,
    #[command(flatten)]
    pub stream: StreamOptions,
}
