//! Options for the input of items and the output of answers.

use crate::engine::EngineOptions;
use crate::input::binary::layout::RowLayout;
use crate::input::seen_fields::SeenFields;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use gecc::call::Operation;
use gecc::fields::{Field, FieldEncodings, Hash, Mapping, SignatureForm, SignatureReader, UnclearColumns};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The end of the help of every command that reads items.
macro_rules! input_help {
    () => {
        "\
Input is text: JSON Lines, JSON objects over several lines or in an array, CSV with a header, or columns between tabs or semicolons, with binary \
fields in hexadecimal, with or without 0x, or in base64. Or it is Parquet or Arrow IPC. Columns are found by name (`sig`, `pubkey`, `msg` \
and the like are known, in any case) or said by --columns. Or it is rows of bytes as --layout says. Content tells the format; rows have to be named (--format rows), and Arrow that comes through \
a pipe (--format arrow). Text and rows may be compressed by gzip or zstd.

An item that cannot be used gets its own answer and stops nothing; blank lines are skipped; `tag` of text is passed through. The \
answer to an item that is rejected says its `line`, or its `row` where there are no lines, counted from 1. An output file gets \
its name when all answers are in it. Input of which no item has the right form ends with exit code 2, and so does input without items, unless --allow-empty is given.

Exit codes: 0 every item passed, 1 some were rejected, 2 the call could not run, 130 interrupted, 141 closed pipe."
    };
}
pub(super) use input_help;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// JSON Lines: one object a line.
    Jsonl,
    /// Values between commas, tabs or semicolons, with a header that tells which.
    Csv,
    /// Rows of bytes, as `--layout` says.
    Rows,
    /// Parquet.
    Parquet,
    /// Arrow IPC, a file or a stream.
    Arrow,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// JSON Lines: one object for each item.
    Jsonl,
    /// Parquet, compressed by zstd.
    Parquet,
    /// Arrow IPC, compressed by zstd.
    Arrow,
    /// CSV, below a header.
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
    PossibleValuesParser::new(values.iter().map(|value| name(*value)))
        .map(move |chosen| *values.iter().find(|value| name(**value) == chosen).expect("the name of a value"))
}

/// Parses a mapping of fields to columns. Columns that are passed through to the answers must not
/// hold private keys.
fn columns(text: &str) -> Result<Mapping, String> {
    let mapping: Mapping = text.parse().map_err(|problem: UnclearColumns| problem.to_string())?;
    match mapping.column(Field::SecretKey) {
        Some(column) if column.eq_ignore_ascii_case("tag") => Err(format!(
            "`{column}` cannot hold private keys, as answers pass a column of this name through: give the column another name"
        )),
        _ => Ok(mapping),
    }
}

/// How messages become what is signed.
#[derive(Args, Clone, Copy)]
pub struct HashOptions {
    /// The hash of a `message`, for ECDSA [default: sha256]. sha256d is SHA-256 twice; of SHA-384
    /// and SHA-512 the leftmost 256 bits are signed (FIPS 186-5); eip191 is Keccak-256 of what
    /// `personal_sign` signs; bitcoin-message is SHA-256 twice of what Bitcoin's `signmessage`
    /// signs; with none a message is the digest.
    #[arg(long, value_parser = named(Hash::ALL, Hash::name))]
    pub hash: Option<Hash>,
    /// Take each `message` as the text that it is, and not as hexadecimal digits.
    #[arg(long)]
    pub text_messages: bool,
}

/// The user id of SM2.
#[derive(Args)]
pub struct IdOptions {
    /// The user id of SM2 for all messages, a text, which may be empty, where they have no `id` of their own [default:
    /// 1234567812345678, the standard's].
    #[arg(long, value_name = "TEXT")]
    pub sm2_id: Option<String>,
}

/// How signatures are read.
#[derive(Args, Clone, Copy, Default)]
pub struct SignatureOptions {
    /// How the bytes of a `signature` are arranged. auto takes r || s (64 bytes), r || s || v (65 bytes, v 0 to 3 or 27
    /// to 30) and strict DER; rs, rsv and der take one of these. header-first is that of Bitcoin's signed messages: a
    /// header of 27 to 42, then r || s (BIP 137). eip2098 is r || s with the recovery id in the top bit of s. With
    /// der-hash-type one byte of Bitcoin's signature hash type may stand behind DER, also in a field `der`.
    #[arg(
        long = "signature-form",
        value_name = "FORM",
        value_parser = named(SignatureForm::ALL, SignatureForm::name),
        default_value = "auto"
    )]
    pub form: SignatureForm,
    /// Take `r` and `s` as decimal numbers.
    #[arg(long)]
    pub decimal: bool,
}

#[derive(Args)]
pub struct StreamOptions {
    /// Input files, folders of them, patterns, or - for standard input.
    #[arg(default_value = "-", value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Output file [default: standard output].
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Wait until the output file and its name are on the disk, so that a loss of power loses neither.
    #[arg(long, requires = "output")]
    pub sync: bool,
    /// Input format [default: told by content].
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// The fields of each row and their bytes, such as digest:32,public_key:33,signature:64; `skip` for what is none.
    #[arg(long, value_name = "FIELD:BYTES,…", required_if_eq("format", "rows"))]
    pub layout: Option<RowLayout>,
    /// Columns, or members of JSON objects, whose names do not say what they are, such as
    /// digest=their_hash,public_key=their_key. Others are found by name. `FIELD=` says that there is none.
    #[arg(long, value_name = "FIELD=COLUMN,…", value_parser = columns)]
    pub columns: Option<Mapping>,
    /// How texts have binary values: `hex`, with or without 0x, or `base64`, also base64url and without padding; or by
    /// field, such as digest=hex,signature=base64 [default: what the first rows of each field are, and hexadecimal
    /// where they could be both].
    #[arg(long, value_name = "ENCODING")]
    pub encoding: Option<FieldEncodings>,
    /// Set by commands that read messages.
    #[arg(skip)]
    pub hash: Option<Hash>,
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
    /// Format of the answers [default: by the end of the output's name, .parquet, .arrow or .csv, or else JSON Lines].
    #[arg(long, value_enum)]
    pub output_format: Option<AnswerFormat>,
    /// Write Parquet or Arrow with the input's columns beside the answers; for Parquet or Arrow input.
    #[arg(long)]
    pub beside: bool,
    /// Say in every answer which line the item began in, or which row it is, not only where it is rejected.
    #[arg(long)]
    pub line: bool,
    /// Write the answers of rejected items only.
    #[arg(long)]
    pub only_rejected: bool,
    /// Stop at the first item that is rejected, with exit code 1.
    #[arg(long)]
    pub check: bool,
    /// Take an input without any items for a success. Without this it ends with exit code 2, as it mostly is what a
    /// command that failed left behind.
    #[arg(long)]
    pub allow_empty: bool,
    #[command(flatten)]
    pub messages: MessageOptions,
    #[command(flatten)]
    pub engine: EngineOptions,
}

/// What is said beside the answers, on standard error.
#[derive(Args, Clone, Copy)]
pub struct MessageOptions {
    /// Print no summary and no progress.
    #[arg(long)]
    pub quiet: bool,
    /// The form of the summary: a text, or a line of JSON for programs.
    #[arg(long, value_enum, default_value = "text", value_name = "FORM", conflicts_with = "quiet")]
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
    path.and_then(Path::extension).and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase()
}

impl StreamOptions {
    /// Returns the format of the answers.
    pub fn answers(&self) -> AnswerFormat {
        format_by_name(self.output_format, self.output.as_deref())
    }

    /// Returns the settings for columns and messages.
    pub fn mapping(&self) -> Mapping {
        let mut mapping = self.columns.clone().unwrap_or_default();
        mapping.hash = self.hash;
        mapping.text_messages = self.text_messages;
        mapping.encodings = self.encoding.unwrap_or_default();
        mapping.user_id = self.sm2_id.as_ref().map(|id| id.as_bytes().to_vec());
        (mapping.signature_form, mapping.decimal) = (self.signatures.form, self.signatures.decimal);
        mapping
    }

    /// Stores the options for reading signatures, which the operation has to support.
    ///
    /// # Errors
    /// Returns an error if an option has no effect on the operation.
    pub fn read_signatures(&mut self, options: SignatureOptions, call: Operation) -> Result<(), String> {
        call.signature_reader(options.form).map_err(|problem| format!("--signature-form: {problem}"))?;
        self.signatures = options;
        Ok(())
    }

    /// Returns the reader for the signatures of an operation.
    pub fn signature_reader(&self, call: Operation) -> SignatureReader {
        call.signature_reader(self.signatures.form).expect("checked when the option was taken over")
    }

    /// Stores the options for reading messages.
    pub fn read_messages(&mut self, options: HashOptions) {
        self.hash = options.hash;
        self.text_messages = options.text_messages;
    }

    /// Refuses options that contradict each other or the detected kind of input.
    pub fn check_formats(&self, is_table: bool) -> Result<(), String> {
        let writes_lines = self.answers().is_lines();
        let refusals = [
            (self.layout.is_some() && self.format != Some(Format::Rows), "--layout goes with --format rows"),
            (
                self.columns.is_some() && self.layout.is_some(),
                "--columns goes with columns that have names: --layout says where those of rows are",
            ),
            (
                self.encoding.is_some() && self.format == Some(Format::Rows),
                "--encoding is for texts: --format rows has bytes",
            ),
            (
                self.text_messages && self.format == Some(Format::Rows),
                "--text-messages is for texts: --format rows has bytes, and digests in place of messages",
            ),
            #[cfg(not(feature = "arrow"))]
            (!writes_lines, crate::WITHOUT_TABLES),
            (self.beside && writes_lines, "--beside goes with answers in Parquet or Arrow, such as -o FILE.parquet"),
            (self.beside && !is_table, "--beside goes with Parquet or Arrow input, whose columns it keeps"),
        ];
        refusals.iter().find(|(is_wrong, _)| *is_wrong).map_or(Ok(()), |(_, problem)| Err((*problem).to_owned()))
    }
}
