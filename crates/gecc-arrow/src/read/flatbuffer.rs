//! Arrow's schemas and messages, which are flatbuffers: a table or string in them may be referenced
//! any number of times, and is decoded each time.

use crate::error::Error;
use arrow_ipc::{Footer, Message, root_as_footer_with_opts, root_as_message_with_opts};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flatbuffers::{InvalidFlatbuffer, VerifierOptions};
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::file::metadata::ParquetMetaData;

/// Maximum memory in bytes of a decoded table, without its strings.
const TABLE: u64 = 512;

/// Returns verifier limits on tables and referenced bytes, according to the available memory.
fn options(max_memory: u64) -> VerifierOptions {
    let default = VerifierOptions::default();
    VerifierOptions {
        max_tables: lower_limit(max_memory / TABLE, default.max_tables),
        max_apparent_size: lower_limit(max_memory, default.max_apparent_size),
        ..default
    }
}

fn lower_limit(limit: u64, default: usize) -> usize {
    usize::try_from(limit).map_or(default, |limit| limit.min(default))
}

fn malformed(problem: InvalidFlatbuffer) -> Error {
    Error::Malformed(match problem {
        InvalidFlatbuffer::TooManyTables | InvalidFlatbuffer::ApparentSizeTooLarge => {
            "Arrow: a schema or message stands for more than the memory allows".to_owned()
        }
        problem => format!("Arrow IPC: {problem}"),
    })
}

pub(crate) fn message(bytes: &[u8], max_memory: u64) -> Result<Message<'_>, Error> {
    root_as_message_with_opts(&options(max_memory), bytes).map_err(malformed)
}

pub(crate) fn footer(bytes: &[u8], max_memory: u64) -> Result<Footer<'_>, Error> {
    root_as_footer_with_opts(&options(max_memory), bytes).map_err(malformed)
}

/// Returns whether a Parquet file has an Arrow schema that can be decoded within the memory. It is
/// useful but not required.
pub(crate) fn has_schema(metadata: &ParquetMetaData, max_memory: u64) -> bool {
    let values = metadata
        .file_metadata()
        .key_value_metadata()
        .into_iter()
        .flatten();
    let mut schemas = values
        .filter(|value| value.key == ARROW_SCHEMA_META_KEY)
        .filter_map(|value| value.value.as_ref());
    schemas.all(|schema| {
        let Ok(bytes) = BASE64_STANDARD.decode(schema) else {
            return false;
        };
        // A message of a stream comes after a marker and its length.
        let bytes = if bytes.starts_with(&[0xff; 4]) {
            bytes.get(8..).unwrap_or(&[])
        } else {
            &bytes
        };
        message(bytes, max_memory).is_ok()
    })
}
