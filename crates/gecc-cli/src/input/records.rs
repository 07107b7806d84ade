//! From a file or pipe to records, whatever the format.

use crate::flags::Format;
use crate::input::fields::{FIELD_NAMES, Fields};
use crate::input::lines::{Line, Lines};
use crate::input::rows::{Columns, Rows};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// One item of the input.
pub struct Record {
    /// Its line, counted from 1.
    pub line: u64,
    /// What it holds, or why it cannot be read.
    pub fields: Result<Fields, String>,
    /// Bytes of input that it took.
    pub bytes: usize,
}

/// Reads records one at a time.
pub struct Records {
    lines: Lines,
    layout: Layout,
}

enum Layout {
    Jsonl,
    Csv {
        rows: Box<Rows>,
        header: Columns,
    },
    /// One private key a line; lines that start with # are comments.
    Keys,
}

impl Records {
    /// Tells the format by the first line that is not blank, unless it is given. With `keys`, lines that are neither JSON
    /// nor below a header with `secret_key` are private keys.
    pub fn new(source: Box<dyn Read + Send>, format: Option<Format>, keys: bool) -> io::Result<Self> {
        let mut lines = Lines::new(source);
        let Some(first) = lines.next_content()? else { return Ok(Records { lines, layout: Layout::Jsonl }) };
        let format = format.or_else(|| format_of(&first, keys));
        lines.put_back(first);
        let layout = match format {
            Some(Format::Jsonl) => Layout::Jsonl,
            Some(Format::Csv) => {
                let mut rows = Box::new(Rows::new());
                let header = read_header(&mut rows, &mut lines)?;
                Layout::Csv { rows, header }
            }
            None => Layout::Keys,
        };
        Ok(Records { lines, layout })
    }

    /// The next record, or `None` at the end.
    pub fn next(&mut self) -> io::Result<Option<Record>> {
        match &mut self.layout {
            Layout::Jsonl => Ok(self.lines.next_content()?.map(|line| record(line, json_fields))),
            Layout::Csv { rows, header } => Ok(rows.next(&mut self.lines)?.map(|row| {
                let fields = row.columns.and_then(|columns| row_fields(header, &columns));
                Record { line: row.line, fields, bytes: row.bytes }
            })),
            Layout::Keys => loop {
                match self.lines.next_content()? {
                    Some(line) if line.text.as_ref().is_ok_and(|text| text.starts_with(b"#")) => {}
                    line => return Ok(line.map(|line| record(line, key_fields))),
                }
            },
        }
    }
}

/// `None` means bare keys. A first line that is too long decides nothing, and JSON Lines need no header.
fn format_of(first: &Line, keys: bool) -> Option<Format> {
    let Ok(text) = &first.text else { return Some(Format::Jsonl) };
    let names_a_key = text.split(|byte| b",\"\r\n".contains(byte)).any(|name| name.trim_ascii() == b"secret_key");
    match text.trim_ascii_start().first() {
        Some(b'{') => Some(Format::Jsonl),
        _ if keys && !names_a_key => None,
        _ => Some(Format::Csv),
    }
}

fn read_header(rows: &mut Rows, lines: &mut Lines) -> io::Result<Columns> {
    let invalid = |problem| io::Error::new(io::ErrorKind::InvalidData, problem);
    let row = rows.next(lines)?.ok_or_else(|| invalid("no CSV header".to_owned()))?;
    let header = row.columns.map_err(|problem| invalid(format!("line {}: {problem}", row.line)))?;
    check_header(&header).map_err(invalid)?;
    Ok(header)
}

/// Columns with other names are ignored, so they may repeat.
fn check_header(header: &Columns) -> Result<(), String> {
    let occurrences = |name: &str| header.iter().filter(|column| column.trim_ascii() == name.as_bytes()).count();
    if let Some(name) = FIELD_NAMES.iter().find(|name| occurrences(name) > 1) {
        return Err(format!("the CSV header names `{name}` twice"));
    }
    if FIELD_NAMES.iter().all(|name| occurrences(name) == 0) {
        let known = FIELD_NAMES.join(", ");
        return Err(format!("neither JSON Lines nor CSV with a header that names a field ({known})"));
    }
    Ok(())
}

fn record(line: Line, fields: impl FnOnce(&[u8]) -> Result<Fields, String>) -> Record {
    let fields = line.text.and_then(|text| fields(text.trim_ascii()));
    Record { line: line.number, fields, bytes: line.bytes }
}

fn json_fields(text: &[u8]) -> Result<Fields, String> {
    // serde would read an array as an object with its fields in order.
    if text.first() != Some(&b'{') {
        return Err("not a JSON object".to_owned());
    }
    serde_json::from_slice(text).map_err(|problem| format!("not a JSON object with these fields: {problem}"))
}

fn key_fields(text: &[u8]) -> Result<Fields, String> {
    let mut fields = Fields::default();
    fields.set(b"secret_key", text)?;
    Ok(fields)
}

fn row_fields(header: &Columns, row: &Columns) -> Result<Fields, String> {
    if row.len() != header.len() {
        return Err(format!("{} columns instead of {}", row.len(), header.len()));
    }
    let mut fields = Fields::default();
    header.iter().zip(row.iter()).try_for_each(|(name, value)| fields.set(name.trim_ascii(), value))?;
    Ok(fields)
}

/// Opens a file, or standard input for `-`. Gives the length where it is known.
pub fn open(path: &Path) -> io::Result<(Box<dyn Read + Send>, Option<u64>)> {
    if path == Path::new("-") {
        return Ok((Box::new(io::stdin()), None));
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let length = metadata.is_file().then_some(metadata.len());
    Ok((Box::new(file), length))
}
