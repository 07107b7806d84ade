//! Detects the layout of an input from its beginning.

use super::names::{FieldNames, Role};
use super::scan::{Elements, OPEN_QUOTE, Quoted, Scanner};
use super::table;
use crate::flags::Format;
use gecc::fields::Field;
use memchr::{memchr, memrchr};
use std::fmt;
use std::ops::Range;

/// The maximum length of a line, or of a row of several lines. Longer rows are not held in memory
/// and get an error.
pub const MAX_LINE: usize = 16 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// The magic bytes of Parquet and Arrow IPC, which are recognised here if they arrive through a
/// pipe.
const TABLES: [&[u8]; 3] = [b"PAR1", b"ARROW1", &[0xff; 4]];
/// The message for tables that do not come from a file.
#[cfg(feature = "arrow")]
const NO_TABLE_HERE: &str = "Parquet is read from a file, neither from a pipe nor compressed as a whole; Arrow IPC \
                             likewise, or from a pipe with --format arrow";
#[cfg(not(feature = "arrow"))]
const NO_TABLE_HERE: &str = crate::WITHOUT_TABLES;
/// The delimiters of a table's columns.
const DELIMITERS: [u8; 3] = [b',', b'\t', b';'];

/// The layout of items in an input.
#[derive(Debug)]
pub enum TextLayout {
    /// One object per line.
    JsonLines,
    /// One array of objects.
    JsonArray,
    /// Consecutive objects, each over several lines.
    JsonObjects,
    /// CSV and similar formats, with a header.
    Table(Header),
    /// One private key per line. Lines that start with # are comments.
    Keys,
}

/// The columns of a table.
#[derive(Debug)]
pub struct Header {
    pub delimiter: u8,
    /// The role of each column; `None` if it is not used.
    pub columns: Vec<Option<Role>>,
}

/// The result of examining the beginning of an input.
#[derive(Debug)]
pub enum LayoutDetection {
    /// Not decided yet. The first bytes, of the given number, are blank lines and need not be
    /// passed again.
    NeedsMore(usize),
    /// The layout, and the offset of the first row.
    Known(TextLayout, usize),
}

/// Formats the layout for `-v`.
impl fmt::Display for TextLayout {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        let header = match self {
            TextLayout::JsonLines => return to.write_str("JSON Lines"),
            TextLayout::JsonArray => return to.write_str("a JSON array"),
            TextLayout::JsonObjects => return to.write_str("JSON objects over several lines"),
            TextLayout::Keys => return to.write_str("private keys, one per line"),
            TextLayout::Table(header) => header,
        };
        write!(to, "columns between {:?}", char::from(header.delimiter))?;
        for (column, role) in (1..).zip(&header.columns) {
            match role {
                Some(Role::Field(field)) => write!(to, ", {column} is {field}")?,
                Some(Role::Tag) => write!(to, ", {column} is the tag")?,
                None => {}
            }
        }
        Ok(())
    }
}

impl TextLayout {
    /// Returns a scanner for row ends.
    pub fn scanner(&self) -> Scanner {
        match self {
            TextLayout::JsonLines | TextLayout::Keys => Scanner::Lines,
            TextLayout::JsonArray => Scanner::Elements(Elements::default()),
            TextLayout::JsonObjects => Scanner::Elements(Elements::alone()),
            TextLayout::Table(header) => Scanner::Quoted(Quoted::new(header.delimiter)),
        }
    }

    /// Returns the range of a row's content, without its end and surrounding space. Returns `None`
    /// for a row that is not an item. Rows of tables keep their space.
    pub fn content(&self, row: &[u8]) -> Option<Range<usize>> {
        let start = row.len() - row.trim_ascii_start().len();
        let text = row.trim_ascii();
        let whole = start..start + text.len();
        match self {
            // A row of empty cells is a row, whether the delimiter is a tab or a comma.
            TextLayout::Table(header) if text.is_empty() && row.contains(&header.delimiter) => {
                Some(0..row.len())
            }
            _ if text.is_empty() => None,
            TextLayout::JsonLines | TextLayout::JsonObjects => Some(whole),
            TextLayout::Keys => (!row.starts_with(b"#")).then_some(whole),
            TextLayout::Table(_) => Some(0..row.len()),
            TextLayout::JsonArray => match text.split_last() {
                // The end of the array may come without an element.
                Some((b']', [])) => None,
                Some((b',' | b']', element)) => Some(start..start + element.trim_ascii_end().len()),
                _ => Some(whole),
            },
        }
    }
}

/// Detects the layout from the first line that is not blank, unless the format is given. If that
/// line is a single brace, objects span several lines. `is_first` is true if `text` begins the
/// input. If the input may consist of bare private keys, lines that are neither JSON nor follow a
/// header with `secret_key` are taken for keys. Messages do not quote text that may contain keys.
pub fn detect_layout(
    text: &[u8],
    is_first: bool,
    at_end: bool,
    format: Option<Format>,
    names: &FieldNames,
) -> Result<LayoutDetection, String> {
    if is_first
        && !at_end
        && text.len() < BYTE_ORDER_MARK.len()
        && BYTE_ORDER_MARK.starts_with(text)
    {
        return Ok(LayoutDetection::NeedsMore(0));
    }
    if is_first && !at_end && text.len() < 2 {
        return Ok(LayoutDetection::NeedsMore(0));
    }
    if is_first && let Some(encoding) = utf_16_without_a_mark(text) {
        return Err(format!(
            "the text is UTF-16 without a byte order mark: convert it to UTF-8 first, as with \
             `iconv -f {encoding} -t UTF-8 FILE | gecc …`"
        ));
    }
    if is_first && format.is_none() && TABLES.iter().any(|magic| text.starts_with(magic)) {
        return Err(NO_TABLE_HERE.to_owned());
    }
    let start = if is_first {
        text.len() - without_mark(text).len()
    } else {
        0
    };
    let first = text[start..]
        .iter()
        .position(|byte| !byte.is_ascii_whitespace())
        .map(|at| start + at);
    let line = line_start(text, start, first.unwrap_or(text.len()));
    let rest = &text[line..];
    let length = memchr(b'\n', rest).unwrap_or(rest.len());
    match (format, first.map(|first| (first, text[first]))) {
        // Without items the layout makes no difference. A first line that is too long is not
        // decisive.
        (_, None) if at_end || rest.len() > MAX_LINE => {
            Ok(LayoutDetection::Known(TextLayout::JsonLines, line))
        }
        (_, None) => Ok(LayoutDetection::NeedsMore(line)),
        (Some(Format::Jsonl), _) => Ok(LayoutDetection::Known(TextLayout::JsonLines, line)),
        (None, Some((first, b'{'))) => match text[first + 1..]
            .iter()
            .find(|byte| !b" \t\r".contains(byte))
        {
            None if !at_end && length <= MAX_LINE => Ok(LayoutDetection::NeedsMore(0)),
            Some(b'\n') => Ok(LayoutDetection::Known(TextLayout::JsonObjects, line)),
            _ => Ok(LayoutDetection::Known(TextLayout::JsonLines, line)),
        },
        (None, Some((first, b'['))) => Ok(LayoutDetection::Known(TextLayout::JsonArray, first + 1)),
        (None, _) if length > MAX_LINE => Ok(LayoutDetection::Known(TextLayout::JsonLines, line)),
        _ if length == rest.len() && !at_end => Ok(LayoutDetection::NeedsMore(0)),
        _ if let Some(delimiter) = separator(&rest[..length]) => {
            let header = rest.get(length + 1..).unwrap_or_default();
            if header.is_empty() && !at_end {
                return Ok(LayoutDetection::NeedsMore(0));
            }
            table(header, at_end, &[delimiter], names).map(|found| match found {
                Some((header, end)) => {
                    LayoutDetection::Known(TextLayout::Table(header), line + length + 1 + end)
                }
                None => LayoutDetection::NeedsMore(0),
            })
        }
        (None, _) if names.are_keys_alone() && !names_a_key(&rest[..length]) => {
            Ok(LayoutDetection::Known(TextLayout::Keys, line))
        }
        _ => table(rest, at_end, &DELIMITERS, names).map(|found| match found {
            Some((header, length)) => {
                LayoutDetection::Known(TextLayout::Table(header), line + length)
            }
            None => LayoutDetection::NeedsMore(0),
        }),
    }
}

/// Returns the name of the encoding of a text that has a zero as one of its first two bytes, which
/// no text in UTF-8 has that is read here. Text with a byte order mark is UTF-8 by now.
fn utf_16_without_a_mark(text: &[u8]) -> Option<&'static str> {
    match text {
        [0, second, ..] if *second != 0 => Some("UTF-16BE"),
        [first, 0, ..] if *first != 0 => Some("UTF-16LE"),
        _ => None,
    }
}

/// Parses a first line `sep=;`, which Excel writes and reads, and returns the delimiter.
fn separator(line: &[u8]) -> Option<u8> {
    let line = line.trim_ascii_end();
    let line = line
        .strip_prefix(b"\"")
        .and_then(|line| line.strip_suffix(b"\""))
        .unwrap_or(line);
    let (name, separator) = line.split_at_checked(4)?;
    let is_named = name.eq_ignore_ascii_case(b"sep=");
    match separator {
        // A tab at the end of the line was trimmed as space.
        [] if is_named => Some(b'\t'),
        [separator] if is_named && (separator.is_ascii_punctuation() && *separator != b'"') => {
            Some(*separator)
        }
        _ => None,
    }
}

/// Removes the byte order mark that some editors write before UTF-8.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Returns the start of the line whose first character is at `first`.
fn line_start(text: &[u8], start: usize, first: usize) -> usize {
    memrchr(b'\n', &text[start..first]).map_or(start, |at| start + at + 1)
}

/// Returns whether the line is a header with `secret_key` or one of its other names, and not a
/// comment.
pub fn names_a_key(line: &[u8]) -> bool {
    !line.starts_with(b"#")
        && line.split(|byte| b",;\t\"\r\n".contains(byte)).any(|name| {
            std::str::from_utf8(name.trim_ascii())
                .is_ok_and(|name| Field::named(name) == Some(Field::SecretKey))
        })
}

/// Parses the header of a table with the delimiter that yields most fields, and returns it with its
/// end. Returns `None` if more text is needed.
fn table(
    text: &[u8],
    at_end: bool,
    delimiters: &[u8],
    names: &FieldNames,
) -> Result<Option<(Header, usize)>, String> {
    let mut best: Option<(usize, u8, usize)> = None;
    for &delimiter in delimiters {
        let mut quoted = Quoted::new(delimiter);
        let end = match quoted.next_end(text) {
            Some(end) => end,
            None if !at_end && text.len() <= MAX_LINE => return Ok(None),
            None if quoted.is_open() => return Err(format!("the header: {OPEN_QUOTE}")),
            None => text.len(),
        };
        let named = cells(&text[..end], delimiter).map_or(0, |cells| {
            cells.iter().filter(|cell| names.knows(cell)).count()
        });
        if best.is_none_or(|(most, ..)| named > most) {
            best = Some((named, delimiter, end));
        }
    }
    let (_, delimiter, end) = best.expect("there are delimiters");
    let cells =
        cells(&text[..end], delimiter).map_err(|problem| format!("the header: {problem}"))?;
    let found: Vec<&str> = cells.iter().map(String::as_str).collect();
    if !cells.iter().any(|cell| names.knows(cell)) {
        return Err(fits_nothing(names) + &described(text, at_end));
    }
    let columns = names
        .roles(&found)
        .map_err(|problem| format!("the header: {problem}"))?;
    names
        .require(&found, &columns)
        .map_err(|problem| format!("the header: {problem}"))?;
    Ok(Some((Header { delimiter, columns }, end)))
}

/// Returns the names in a header. A name that is not UTF-8 does not match any field.
fn cells(row: &[u8], delimiter: u8) -> Result<Vec<String>, String> {
    let mut cells = table::RowCells::new(delimiter);
    let row = String::from_utf8_lossy(row);
    Ok(cells
        .of(&row)?
        .iter()
        .map(|cell| cell.trim().to_owned())
        .collect())
}

/// Returns the error that lists the supported layouts.
fn fits_nothing(names: &FieldNames) -> String {
    format!(
        "neither JSON Lines, nor a JSON array, nor CSV, TSV or columns between semicolons with a header that names a field ({}; others by --columns)",
        names.listed()
    )
}

/// Describes the input for an error. It is not quoted, since it may be a key that was passed
/// instead of an input.
fn described(text: &[u8], at_end: bool) -> String {
    let line = text
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default()
        .trim_ascii_end();
    let line = std::str::from_utf8(line)
        .ok()
        .filter(|line| !line.contains(|c: char| c.is_control() && c != '\t'));
    match line {
        None if at_end => format!("; the input is {} bytes of binary data", text.len()),
        None => "; the input is binary data".to_owned(),
        Some(line) if line.starts_with("-----BEGIN ") => "; the input is PEM".to_owned(),
        Some(line) if line.starts_with('<') => "; the input is HTML or XML".to_owned(),
        Some(line) => format!(
            "; the first line is a text of {} characters",
            line.chars().count()
        ),
    }
}
