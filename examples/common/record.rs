//! One signature as the `gecc` command line reads it: a line of JSON.

use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// Byte strings are hexadecimal. Fields that a scheme does not have are left out of the line.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// SM2's user id, as text. The empty one is not the same as none, which means the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub der: Option<String>,
    pub public_key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery_id: Option<u8>,
    /// Where the signature comes from.
    pub tag: String,
}

/// Writes the records to standard output, one a line.
pub fn print(records: &[Record]) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for record in records {
        serde_json::to_writer(&mut out, record)?;
        writeln!(out)?;
    }
    out.flush()
}
