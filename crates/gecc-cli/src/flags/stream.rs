//! Options for the input of items and the output of answers.

use crate::engine::EngineOptions;
use crate::input::seen_fields::SeenFields;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use gecc::call::Operation;
use gecc::fields::{
    Field, FieldEncodings, Hash, Mapping, SignatureForm, SignatureReader, UnclearColumns,
};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The end of the help of every command that reads items.
macro_rules! input_help {
    () => {
        "\
Input is text: JSON Lines, JSON objects over several lines or in an array, CSV with a header, or \
columns separated by tabs or semicolons, with binary fields in hexadecimal, with or without 0x, \
or in base64. It may also be Parquet or Arrow IPC. Columns are found by name (`sig`, `pubkey`, \
`msg` and similar names are known, in any case) or configured with --columns. The format is \
detected from content, except for Arrow from a pipe (--format arrow). Text may be compressed with \
gzip or zstd.

An item that cannot be read gets its own answer and does not stop the command; blank lines are \
skipped; the `tag` of text items is passed through. The answer to a rejected item states its \
`line`, or its `row` if the input has no lines, counted from 1. An output file gets its name \
once all answers are written. Input in which no item has the right form ends with exit code 2, \
and so does input without items, unless --allow-empty is given.

Exit codes: 0 every item passed, 1 some were rejected, 2 the command could not run, 130 \
interrupted, 141 closed pipe."
    };
}
pub(super) use input_help;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// JSON Lines: one object per line.
    Jsonl,
    /// Values separated by commas, tabs or semicolons, with a header.
    Csv,
    /// Parquet.
    Parquet,
    /// Arrow IPC, a file or a stream.
    Arrow,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// JSON Lines: one object per item.
    Jsonl,
    /// Parquet, compressed with zstd.
    Parquet,
    /// Arrow IPC, compressed with zstd.
    Arrow,
    /// CSV with a header.
    Csv,
}

impl AnswerFormat {
    /// Returns whether each answer is a line.
    pub fn is_lines(self) -> bool {
        matches!(self, AnswerFormat::Jsonl | AnswerFormat::Csv)
    }
}

/// Makes a parser for the names of `values`.
pub(super) fn named<T: Copy + Send + Sync + 'static>(
    values: &'static [T],
    name: impl Fn(T) -> &'static str + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(values.iter().map(|value| name(*value))).map(move |chosen| {
        *values
            .iter()
            .find(|value| name(**value) == chosen)
            .expect("the name of a value")
    })
}

/// Parses a mapping of fields to columns. Columns that are passed through to the answers must not
/// hold private keys.
fn columns(text: &str) -> Result<Mapping, String> {
    let mapping: Mapping = text
        .parse()
        .map_err(|problem: UnclearColumns| problem.to_string())?;
    match mapping.column(Field::SecretKey) {
        Some(column) if column.eq_ignore_ascii_case("tag") => Err(format!(
            "`{column}` cannot hold private keys, as answers pass a column of this name through: give the column another name"
        )),
        _ => Ok(mapping),
    }
}

/// Options for hashing messages.
#[derive(Args, Clone, Copy)]
pub struct HashOptions {
    /// The hash of a `message`, for ECDSA [default: sha256]. sha256d is SHA-256 applied twice; of
    /// SHA-384 and SHA-512 the leftmost 256 bits are signed (FIPS 186-5); eip191 is the Keccak-256
    /// hash of `personal_sign`; bitcoin-message is the double SHA-256 hash of Bitcoin's
    /// `signmessage`; with none a message is the digest.
    #[arg(long, value_parser = named(Hash::ALL, Hash::name))]
    pub hash: Option<Hash>,
    /// Hash or sign each `message` as text, instead of decoding hexadecimal digits.
    #[arg(long)]
    pub text_messages: bool,
}

/// Options for the user id of SM2.
#[derive(Args)]
pub struct IdOptions {
    /// The user id of SM2 for all messages without an `id` of their own: a text, which may be empty
    /// [default: 1234567812345678, the standard's].
    #[arg(long, value_name = "TEXT")]
    pub sm2_id: Option<String>,
}

/// Options for reading signatures.
#[derive(Args, Clone, Copy, Default)]
pub struct SignatureOptions {
    /// The form of a `signature`. auto accepts r || s (64 bytes), r || s || v (65 bytes, v 0 to 3
    /// or 27 to 30) and strict DER; rs, rsv and der accept one of these. header-first is the form
    /// of Bitcoin's signed messages: a header of 27 to 42, then r || s (BIP 137). eip2098 is r || s
    /// with the recovery id in the top bit of s. With der-hash-type DER may be followed by one
    /// byte, Bitcoin's signature hash type, also in a field `der`.
    #[arg(
        long = "signature-form",
        value_name = "FORM",
        value_parser = named(SignatureForm::ALL, SignatureForm::name),
        default_value = "auto"
    )]
    pub form: SignatureForm,
    /// Read `r` and `s` as decimal numbers.
    #[arg(long)]
    pub decimal: bool,
}

/// Options for reading public keys.
#[derive(Args, Clone, Copy)]
pub struct PublicKeyOptions {
    /// Accept public keys in the hybrid form of X9.62: 06 or 07 by the parity of y, then x and y.
    #[arg(long)]
    pub hybrid_keys: bool,
}

#[derive(Args)]
pub struct StreamOptions {
    /// Input files, folders and patterns, or - for standard input.
    #[arg(default_value = "-", value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Output file [default: standard output].
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Flush the output file and its name to disk before exiting, so that a loss of power loses
    /// neither.
    #[arg(long, requires = "output")]
    pub sync: bool,
    /// Input format [default: detected from content].
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Columns, or members of JSON objects, for fields that are not found by name, such as
    /// digest=their_hash,public_key=their_key. Other fields are found by name. `FIELD=` declares a
    /// field absent.
    #[arg(long, value_name = "FIELD=COLUMN,…", value_parser = columns)]
    pub columns: Option<Mapping>,
    /// The encoding of binary values in text: `hex`, with or without 0x, or `base64`, including
    /// base64url and missing padding; or by field, such as digest=hex,signature=base64 [default:
    /// detected from the first rows of each field; hexadecimal if they could be both].
    #[arg(long, value_name = "ENCODING")]
    pub encoding: Option<FieldEncodings>,
    /// Set by commands that read messages.
    #[arg(skip)]
    pub text_messages: bool,
    #[arg(skip)]
    pub sm2_id: Option<String>,
    /// The fields that occurred in the items read so far.
    #[arg(skip)]
    pub seen: Arc<SeenFields>,
    /// Set by commands that read signatures.
    #[arg(skip)]
    pub signatures: SignatureOptions,
    /// Set by commands that read public keys.
    #[arg(skip)]
    pub hybrid_keys: bool,
    /// Format of the answers [default: from the extension of the output, .parquet, .arrow or .csv,
    /// or else JSON Lines].
    #[arg(long, value_enum)]
    pub output_format: Option<AnswerFormat>,
    /// Write Parquet or Arrow with the input's columns next to the answers; for Parquet or Arrow
    /// input.
    #[arg(long)]
    pub beside: bool,
    /// Include the line on which the item begins, or its row, in every answer instead of only in
    /// rejections.
    #[arg(long)]
    pub line: bool,
    /// Write the answers of rejected items only.
    #[arg(long)]
    pub only_rejected: bool,
    /// Stop at the first rejected item, with exit code 1.
    #[arg(long)]
    pub check: bool,
    /// Accept an input without items. By default it ends with exit code 2, since it usually is what
    /// a failed command left behind.
    #[arg(long)]
    pub allow_empty: bool,
    #[command(flatten)]
    pub messages: MessageOptions,
    #[command(flatten)]
    pub engine: EngineOptions,
}

/// Options for messages on standard error.
#[derive(Args, Clone, Copy)]
pub struct MessageOptions {
    /// Print neither a summary nor progress.
    #[arg(long)]
    pub quiet: bool,
    /// The format of the summary: text, or a line of JSON for programs.
    #[arg(
        long,
        value_enum,
        default_value = "text",
        value_name = "FORM",
        conflicts_with = "quiet"
    )]
    pub summary: SummaryForm,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SummaryForm {
    Text,
    Json,
}

/// Returns the requested format, or else the one that the extension of the output implies.
pub fn format_by_name(format: Option<AnswerFormat>, output: Option<&Path>) -> AnswerFormat {
    format.unwrap_or(match end_of_name(output).as_str() {
        "parquet" => AnswerFormat::Parquet,
        "arrow" => AnswerFormat::Arrow,
        "csv" => AnswerFormat::Csv,
        _ => AnswerFormat::Jsonl,
    })
}

/// Returns the extension of a path in lowercase.
pub fn end_of_name(path: Option<&Path>) -> String {
    path.and_then(Path::extension)
        .and_then(OsStr::to_str)
        .unwrap_or_default()
        .to_ascii_lowercase()
}

impl StreamOptions {
    /// Returns the format of the answers.
    pub fn answers(&self) -> AnswerFormat {
        format_by_name(self.output_format, self.output.as_deref())
    }

    /// Returns the settings for columns and messages.
    pub fn mapping(&self) -> Mapping {
        let mut mapping = self.columns.clone().unwrap_or_default();
        mapping.text_messages = self.text_messages;
        mapping.encodings = self.encoding.unwrap_or_default();
        mapping.user_id = self.sm2_id.as_ref().map(|id| id.as_bytes().to_vec());
        mapping.signature_form = self.signatures.form;
        mapping.decimal = self.signatures.decimal;
        mapping.hybrid_keys = self.hybrid_keys;
        mapping
    }

    /// Stores the options for reading signatures, which the operation has to support.
    ///
    /// # Errors
    /// Returns an error if an option has no effect on the operation.
    pub fn read_signatures(
        &mut self,
        options: SignatureOptions,
        operation: Operation,
    ) -> Result<(), String> {
        operation
            .signature_reader(options.form)
            .map_err(|problem| format!("--signature-form: {problem}"))?;
        self.signatures = options;
        Ok(())
    }

    /// Returns the reader for the signatures of an operation.
    pub fn signature_reader(&self, operation: Operation) -> SignatureReader {
        operation
            .signature_reader(self.signatures.form)
            .expect("checked when the option was taken over")
    }

    /// Refuses options that contradict each other or the detected kind of input.
    pub fn check_formats(&self, is_table: bool) -> Result<(), String> {
        let writes_lines = self.answers().is_lines();
        let refusals = [
            #[cfg(not(feature = "arrow"))]
            (!writes_lines, crate::WITHOUT_TABLES),
            (
                self.beside && writes_lines,
                "--beside requires answers in Parquet or Arrow, such as -o FILE.parquet",
            ),
            (
                self.beside && !is_table,
                "--beside requires Parquet or Arrow input, whose columns it keeps",
            ),
        ];
        refusals
            .iter()
            .find(|(is_wrong, _)| *is_wrong)
            .map_or(Ok(()), |(_, problem)| Err((*problem).to_owned()))
    }
}
