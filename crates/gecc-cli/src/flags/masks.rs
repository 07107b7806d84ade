//! Options of `gecc mask` and `gecc unmask`.

use super::StreamOptions;
use super::stream::{input_help, named};
use crate::curve::any;
use clap::{ArgGroup, Args, ValueEnum};
use gecc::CurveId;
use gecc::hash_to_curve::Suite;
use gecc::mask::Form;
use std::path::PathBuf;

pub const MASK_HELP: &str = concat!(
    "\
Fields: with --suite `message`, an item of any length in hexadecimal digits, or as text with \
--text-messages, which is hashed to a point of the suite's curve; with --curve `public_key`, a point \
that was masked by another party, in any encoding of public keys. Each point is multiplied by the \
secret number in the key file, whose formats are those of `gecc sign`. `gecc unmask` removes a \
mask. docs/masking.md compares the suites.

Examples:
  openssl ecparam -name prime256v1 -genkey -noout -out key.pem
  gecc mask --suite P256_XMD:SHA-256_SSWU_RO_ --dst my-app-v1 --key-file key.pem --text-messages \
--columns message=email -o masked.jsonl users.csv
  gecc mask --curve p256 --key-file key.pem --columns public_key=masked --truncate 12 theirs.jsonl

Output: {\"masked\":\"…\"} or {\"error\":\"…\",\"line\":7}, one line per item, in order.

",
    input_help!()
);

pub const UNMASK_HELP: &str = concat!(
    "\
Fields: `public_key`, a masked point in any encoding of public keys. It is multiplied by the inverse \
of the secret number in the key file, whose formats are those of `gecc sign`.

Example:
  gecc unmask --curve p256 --key-file key.pem --columns public_key=masked masked.jsonl

Output: {\"masked\":\"…\"} or {\"error\":\"…\",\"line\":7}, one line per item, in order.

",
    input_help!()
);

/// The form of masked points.
#[derive(Args)]
pub struct FormOptions {
    /// The form of the points.
    #[arg(long, value_enum, default_value = "compressed")]
    pub form: PointForm,
    /// Only the first BYTES bytes of x, 1 to 32, for a last step that compares points.
    #[arg(
        long,
        value_name = "BYTES",
        conflicts_with = "form",
        value_parser = clap::value_parser!(u8).range(1..=32)
    )]
    pub truncate: Option<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PointForm {
    /// 33 bytes, 02 or 03 before x.
    Compressed,
    /// 65 bytes, 04 before x and y.
    Uncompressed,
    /// x and y, 64 bytes.
    Raw,
    /// x, 32 bytes.
    X,
}

impl FormOptions {
    /// Returns the selected form.
    pub fn selected(&self) -> Form {
        match (self.truncate, self.form) {
            (Some(bytes), _) => Form::Truncated(bytes),
            (None, PointForm::Compressed) => Form::Compressed,
            (None, PointForm::Uncompressed) => Form::Uncompressed,
            (None, PointForm::Raw) => Form::Raw,
            (None, PointForm::X) => Form::X,
        }
    }
}

#[derive(Args)]
#[command(group = ArgGroup::new("points").required(true).args(["suite", "curve"]))]
pub struct MaskOptions {
    /// Hash items to points with this suite.
    #[arg(long, value_parser = named(Suite::ALL, Suite::name))]
    pub suite: Option<Suite>,
    /// Read points of this curve instead of items.
    #[arg(long, value_parser = any())]
    pub curve: Option<CurveId>,
    /// The domain separation tag of the application, a text, for suites of RFC 9380.
    #[arg(long, value_name = "TEXT", requires = "suite")]
    pub dst: Option<String>,
    /// File of the secret number: hexadecimal, PEM, DER or JWK; one for all items or one per item.
    /// - is standard input, if the input is a file.
    #[arg(long)]
    pub key_file: PathBuf,
    /// Hash each `message` as text, instead of decoding hexadecimal digits.
    #[arg(long, requires = "suite")]
    pub text_messages: bool,
    #[command(flatten)]
    pub form: FormOptions,
    #[command(flatten)]
    pub stream: StreamOptions,
}

#[derive(Args)]
pub struct UnmaskOptions {
    /// The curve.
    #[arg(long, value_parser = any())]
    pub curve: CurveId,
    /// File of the secret number that the points were masked with: hexadecimal, PEM, DER or JWK;
    /// one for all items or one per item. - is standard input, if the input is a file.
    #[arg(long)]
    pub key_file: PathBuf,
    #[command(flatten)]
    pub form: FormOptions,
    #[command(flatten)]
    pub stream: StreamOptions,
}
