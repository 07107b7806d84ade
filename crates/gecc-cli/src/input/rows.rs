//! The rows of CSV (RFC 4180). A row is a line, or several where quotes hold line ends.

use crate::input::lines::{Line, Lines, MAX_LINE, too_long};
use crate::secrets::wiped::{Wiped, append};
use csv_core::ReadRecordResult;
use std::io;

/// One row, and where it began.
pub struct Row {
    pub line: u64,
    pub columns: Result<Columns, String>,
    /// Bytes of input that it took.
    pub bytes: usize,
}

/// The columns of a row, one after the other, and where each ends.
#[derive(Default)]
pub struct Columns {
    text: Wiped,
    ends: Vec<usize>,
}

impl Columns {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.text[start..end])
    }
}

/// Takes lines apart. One for a whole input: its table is not free to build.
pub struct Rows(csv_core::Reader);

enum State {
    Complete,
    InQuotes,
}

impl Rows {
    pub fn new() -> Self {
        // Its `Default` is without the table.
        Rows(csv_core::Reader::new())
    }

    /// The next row that is not blank, or `None` at the end.
    pub fn next(&mut self, lines: &mut Lines) -> io::Result<Option<Row>> {
        let Some(first) = lines.next_content()? else { return Ok(None) };
        let (number, mut bytes) = (first.number, first.bytes);
        let mut columns = Columns::default();
        let mut state = self.feed(first, &mut columns);
        while let Ok(State::InQuotes) = state {
            state = if bytes > MAX_LINE { Err(too_long()) } else { self.go_on(lines, &mut bytes, &mut columns)? };
        }
        if state.is_err() {
            self.0.reset();
        }
        Ok(Some(Row { line: number, columns: state.map(|_| columns), bytes }))
    }

    /// The next line, inside quotes.
    fn go_on(
        &mut self,
        lines: &mut Lines,
        bytes: &mut usize,
        columns: &mut Columns,
    ) -> io::Result<Result<State, String>> {
        let Some(line) = lines.next()? else {
            return Ok(Err("a quote is not closed before the end of the input".to_owned()));
        };
        *bytes += line.bytes;
        Ok(self.feed(line, columns))
    }

    fn feed(&mut self, line: Line, columns: &mut Columns) -> Result<State, String> {
        let mut input = line.text?;
        // With its end, a row that is not complete can only be one with an open quote.
        if !input.ends_with(b"\n") {
            append(&mut input, b"\n");
        }
        let mut unread = input.as_slice();
        let mut written = columns.text.len();
        append(&mut columns.text, &vec![0; input.len() + 1]);
        let state = loop {
            let mut ends = [0; 16];
            let (result, read, wrote, ended) = self.0.read_record(unread, &mut columns.text[written..], &mut ends);
            unread = &unread[read..];
            written += wrote;
            columns.ends.extend_from_slice(&ends[..ended]);
            match result {
                ReadRecordResult::Record => break State::Complete,
                ReadRecordResult::InputEmpty => break State::InQuotes,
                ReadRecordResult::OutputEndsFull => {}
                ReadRecordResult::OutputFull | ReadRecordResult::End => {
                    unreachable!("the output has room for the input, which is not empty")
                }
            }
        };
        columns.text.truncate(written);
        if unread.trim_ascii().is_empty() { Ok(state) } else { Err("a carriage return inside the line".to_owned()) }
    }
}
