//! The cells of a row of a table (RFC 4180, with any delimiter).

use crate::secrets::buffers::Wiped;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use memchr::{memchr, memchr_iter};
use std::str::from_utf8;
use zeroize::Zeroizing;

/// Splits rows into cells. It is reused for many rows, because its table is expensive to build.
pub struct RowCells {
    delimiter: u8,
    /// Created for the first row with quotes.
    reader: Option<Box<Reader>>,
    /// The concatenated cells of the last row with quotes.
    unquoted: Wiped,
    /// The end of each cell of the last row, exclusive.
    ends: Vec<usize>,
}

/// The cells of a row.
pub struct TableRow<'a> {
    /// The row as written, if it has quotes.
    quoted: &'a str,
    delimiter: u8,
    text: &'a str,
    ends: &'a [usize],
    /// The number of bytes between cells.
    gap: usize,
}

impl<'a> TableRow<'a> {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &'a str> {
        let text = self.text;
        let gap = self.gap;
        let starts = std::iter::once(0).chain(self.ends.iter().map(move |end| end + gap));
        starts
            .zip(self.ends)
            .map(move |(start, &end)| &text[start..end])
    }

    /// Returns whether a cell is written in quotes.
    pub fn is_quoted(&self, cell: usize) -> bool {
        #[derive(PartialEq)]
        enum At {
            Start,
            Inside,
            /// After a closing quote, unless the next byte is a quote too.
            Closing,
            Outside,
        }
        let mut cells = 0;
        let mut at = At::Start;
        for byte in self.quoted.bytes() {
            at = match (at, byte) {
                (At::Start, b'"') if cells == cell => return true,
                (At::Start | At::Closing, b'"') => At::Inside,
                (At::Inside, b'"') => At::Closing,
                (At::Inside, _) => At::Inside,
                (_, byte) if byte == self.delimiter => {
                    cells += 1;
                    At::Start
                }
                _ => At::Outside,
            };
        }
        false
    }
}

impl RowCells {
    pub fn new(delimiter: u8) -> Self {
        RowCells {
            delimiter,
            reader: None,
            unquoted: Wiped::default(),
            ends: Vec::new(),
        }
    }

    /// Splits a row, with or without its line end.
    pub fn of<'a>(&'a mut self, row: &'a str) -> Result<TableRow<'a>, String> {
        self.ends.clear();
        if memchr(b'"', row.as_bytes()).is_some() {
            return self.unquote(row);
        }
        let text = without_end(row)?;
        self.ends
            .extend(memchr_iter(self.delimiter, text.as_bytes()));
        self.ends.push(text.len());
        Ok(TableRow {
            quoted: "",
            delimiter: self.delimiter,
            text,
            ends: &self.ends,
            gap: 1,
        })
    }

    fn unquote<'a>(&'a mut self, row: &'a str) -> Result<TableRow<'a>, String> {
        let delimiter = self.delimiter;
        let reader = self
            .reader
            .get_or_insert_with(|| Box::new(ReaderBuilder::new().delimiter(delimiter).build()));
        reader.reset();
        // The reader requires free space in the output even when it is done.
        if self.unquoted.len() <= row.len() {
            // Replaced rather than grown: growing would leave the old bytes behind.
            self.unquoted = Zeroizing::new(vec![0; (row.len() + 1).next_power_of_two()]);
        }
        let mut unread = row.as_bytes();
        let mut written = 0;
        loop {
            let mut ends = [0; 16];
            let (result, read, wrote, ended) =
                reader.read_record(unread, &mut self.unquoted[written..], &mut ends);
            unread = &unread[read..];
            written += wrote;
            self.ends.extend_from_slice(&ends[..ended]);
            match result {
                ReadRecordResult::Record => break,
                // If the row has no line end, the end of input ends the record.
                ReadRecordResult::InputEmpty | ReadRecordResult::OutputEndsFull => {}
                ReadRecordResult::OutputFull | ReadRecordResult::End => {
                    unreachable!("the output has room for the row, which is not blank")
                }
            }
        }
        if !unread.trim_ascii().is_empty() {
            return Err(CARRIAGE_RETURN.to_owned());
        }
        let text =
            from_utf8(&self.unquoted[..written]).expect("quotes are characters of their own");
        Ok(TableRow {
            quoted: row,
            delimiter,
            text,
            ends: &self.ends,
            gap: 0,
        })
    }
}

const CARRIAGE_RETURN: &str = "a carriage return inside the line";

/// Removes the carriage return or line feed from the end of a row without quotes.
fn without_end(row: &str) -> Result<&str, String> {
    let row = row.strip_suffix('\n').unwrap_or(row);
    match memchr(b'\r', row.as_bytes()) {
        None => Ok(row),
        Some(end) if row.as_bytes()[end..].trim_ascii().is_empty() => Ok(&row[..end]),
        Some(_) => Err(CARRIAGE_RETURN.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(delimiter: u8, row: &str) -> Result<Vec<String>, String> {
        let mut cells = RowCells::new(delimiter);
        let row = cells.of(row)?;
        let texts: Vec<String> = row.iter().map(str::to_owned).collect();
        assert_eq!(texts.len(), row.len());
        Ok(texts)
    }

    #[test]
    fn rows_with_and_without_quotes_have_the_same_cells() {
        for end in ["", "\n", "\r\n", "\r", " \r \n"] {
            let plain = cells(b',', &format!("a, b ,,c{end}")).unwrap();
            assert_eq!(plain[..3], ["a", " b ", ""], "{end:?}");
            let quoted = cells(b',', &format!("\"a\", b ,\"\",\"c\"{end}")).unwrap();
            assert_eq!(quoted, plain, "{end:?}");
        }
        assert_eq!(
            cells(b';', "\"a;\"\"b\n\";c\r\n").unwrap(),
            ["a;\"b\n", "c"]
        );
        assert_eq!(cells(b'\t', "a\tb,\"c\n").unwrap(), ["a", "b,\"c"]);
        assert_eq!(cells(b',', ",\n").unwrap(), ["", ""]);
        for row in ["a\rb\n", "\"a\"\rb\n"] {
            assert_eq!(cells(b',', row).unwrap_err(), CARRIAGE_RETURN);
        }
        let mut reader = RowCells::new(b',');
        let row = reader.of("\"\",,\"a,\"\",\",\" \",x\"\",\"\"\n").unwrap();
        assert_eq!(
            row.iter().collect::<Vec<_>>(),
            ["", "", "a,\",", " ", "x\"\"", ""]
        );
        assert_eq!(
            (0..6).map(|cell| row.is_quoted(cell)).collect::<Vec<_>>(),
            [true, false, true, true, false, true]
        );
        assert!(!reader.of(",a\n").unwrap().is_quoted(0));
        // More cells than one step of the reader returns.
        let many = "\"x\",".repeat(100) + "y";
        assert_eq!(cells(b',', &many).unwrap().len(), 101);
    }
}
