//! From a file or pipe to records, whatever the format.

use crate::args::Format;
use crate::fields::{FIELD_NAMES, Fields};
use std::io::{self, BufRead, Read};
use zeroize::Zeroize;

/// Longer lines are not held in memory; the line gets an error.
const MAX_LINE: usize = 16 << 20;

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
pub enum Records {
    Lines { input: Box<dyn BufRead + Send>, line: u64 },
    Csv { reader: Box<csv::Reader<Box<dyn BufRead + Send>>>, header: csv::ByteRecord, first_line: u64 },
}

impl Records {
    /// Tells the format by the first character, unless it is given. With `plain_column`, an input whose first line is a
    /// bare hexadecimal number is CSV of that one column, without a header.
    pub fn new(
        mut input: Box<dyn BufRead + Send>,
        format: Option<Format>,
        plain_column: Option<&str>,
    ) -> io::Result<Self> {
        let (skipped_lines, first_line) = skip_to_content(&mut input)?;
        let is_json = first_line.first() == Some(&b'{');
        if format.map_or(is_json || first_line.is_empty(), |format| format == Format::Jsonl) {
            return Ok(Records::Lines { input, line: skipped_lines });
        }
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(input);
        let mut header = csv::ByteRecord::new();
        match plain_column {
            Some(column) if is_plain_number(&first_line) => header.push_field(column.as_bytes()),
            _ => {
                reader.read_byte_record(&mut header)?;
                check_header(&header)?;
            }
        }
        Ok(Records::Csv { reader: Box::new(reader), header, first_line: skipped_lines })
    }

    /// The next record, or `None` at the end.
    pub fn next(&mut self) -> io::Result<Option<Record>> {
        match self {
            Records::Lines { input, line } => next_line(input, line),
            Records::Csv { reader, header, first_line } => next_row(reader, header, *first_line),
        }
    }
}

/// Consumes a byte order mark and blank lines. Gives the number of lines consumed and what is buffered of the next.
fn skip_to_content(input: &mut Box<dyn BufRead + Send>) -> io::Result<(u64, Vec<u8>)> {
    if input.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
        input.consume(3);
    }
    let mut lines = 0;
    loop {
        let buffer = input.fill_buf()?;
        let blank = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if blank == 0 {
            let line = buffer.split(|byte| *byte == b'\n').next().unwrap_or_default();
            return Ok((lines, line.to_vec()));
        }
        lines += buffer[..blank].iter().filter(|byte| **byte == b'\n').count() as u64;
        input.consume(blank);
    }
}

fn is_plain_number(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let digits = line.strip_prefix(b"0x").unwrap_or(line);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit)
}

fn check_header(header: &csv::ByteRecord) -> io::Result<()> {
    let invalid = |problem: String| Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    if !header.iter().any(|name| FIELD_NAMES.iter().any(|known| known.as_bytes() == name)) {
        let known = FIELD_NAMES.join(", ");
        return invalid(format!("neither JSON Lines nor CSV with a header that names a field ({known})"));
    }
    let mut names: Vec<&[u8]> = header.iter().collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => invalid(format!("the CSV header names `{}` twice", String::from_utf8_lossy(pair[0]))),
    }
}

fn next_line(input: &mut Box<dyn BufRead + Send>, line: &mut u64) -> io::Result<Option<Record>> {
    loop {
        let mut text = Vec::new();
        let bytes = input.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut text)?;
        if bytes == 0 {
            return Ok(None);
        }
        *line += 1;
        if bytes > MAX_LINE {
            input.skip_until(b'\n')?;
            let fields = Err(format!("the line is longer than {MAX_LINE} bytes"));
            return Ok(Some(Record { line: *line, fields, bytes }));
        }
        if !text.trim_ascii().is_empty() {
            let fields = json_fields(text.trim_ascii());
            // The line may hold a private key.
            text.zeroize();
            return Ok(Some(Record { line: *line, fields, bytes }));
        }
    }
}

fn json_fields(text: &[u8]) -> Result<Fields, String> {
    // serde would read an array as an object with its fields in order.
    if text.first() != Some(&b'{') {
        return Err("not a JSON object".to_owned());
    }
    serde_json::from_slice(text).map_err(|problem| format!("not a JSON object with these fields: {problem}"))
}

fn next_row(
    reader: &mut csv::Reader<Box<dyn BufRead + Send>>,
    header: &csv::ByteRecord,
    skipped_lines: u64,
) -> io::Result<Option<Record>> {
    let mut row = csv::ByteRecord::new();
    let start = reader.position().byte();
    if !reader.read_byte_record(&mut row)? {
        return Ok(None);
    }
    let line = skipped_lines + row.position().map_or(0, csv::Position::line);
    let bytes = (reader.position().byte() - start) as usize;
    Ok(Some(Record { line, fields: row_fields(header, &row), bytes }))
}

fn row_fields(header: &csv::ByteRecord, row: &csv::ByteRecord) -> Result<Fields, String> {
    if row.len() != header.len() {
        return Err(format!("{} columns instead of {}", row.len(), header.len()));
    }
    let mut fields = Fields::default();
    for (name, value) in header.iter().zip(row) {
        let value = std::str::from_utf8(value).map_err(|_| "a column is not UTF-8".to_owned())?;
        fields.set(name, value);
    }
    Ok(fields)
}
