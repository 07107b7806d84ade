//! The answer to an item: one line of JSON or CSV.

use crate::secrets::buffers::{Wiped, append};

/// A line under construction at the end of a buffer.
pub struct Line<'a> {
    text: &'a mut Wiped,
    has_fields: bool,
    csv: Option<CsvColumns<'a>>,
}

/// The columns of a line of CSV, and the number of commas written.
struct CsvColumns<'a> {
    columns: &'a [&'static str],
    commas: usize,
}

impl<'a> Line<'a> {
    /// Begins an object of JSON, or a row of CSV with the given columns. Fields are added in the
    /// order of the columns.
    pub fn begin(text: &'a mut Wiped, csv: Option<&'a [&'static str]>) -> Self {
        if csv.is_none() {
            append(text, b"{");
        }
        Line {
            text,
            has_fields: false,
            csv: csv.map(|columns| CsvColumns { columns, commas: 0 }),
        }
    }

    /// Adds a field whose value is JSON. In CSV, a string is written without quotes, null as
    /// nothing, and any other value as JSON.
    pub fn json(&mut self, name: &str, value: &[u8]) {
        if self.csv.is_some() && value == b"null" {
            return;
        }
        self.name(name);
        if self.csv.is_none() {
            return append(self.text, value);
        }
        // Only strings are parsed: an error takes longer to create than the cell.
        let text = value
            .first()
            .filter(|first| **first == b'"')
            .and_then(|_| serde_json::from_slice(value).ok());
        append_cell(self.text, text.as_ref().map_or(value, String::as_bytes));
    }

    /// Adds a number.
    pub fn number(&mut self, name: &str, value: u64) {
        // Most significant digit first, in a buffer for the largest number.
        let mut digits = [b'0'; 20];
        let mut start = digits.len() - 1;
        let mut rest = value;
        while rest > 9 {
            digits[start] += (rest % 10) as u8;
            rest /= 10;
            start -= 1;
        }
        digits[start] += rest as u8;
        self.json(name, &digits[start..]);
    }

    /// Adds a string of bytes in hexadecimal after a prefix, which has no special characters.
    pub fn hex(&mut self, name: &str, prefix: &str, bytes: &[u8]) {
        const ZEROS: [u8; 256] = [b'0'; 256];
        self.name(name);
        let quote: &[u8] = if self.csv.is_none() { b"\"" } else { b"" };
        append(self.text, quote);
        append(self.text, prefix.as_bytes());
        for part in bytes.chunks(ZEROS.len() / 2) {
            let start = self.text.len();
            append(self.text, &ZEROS[..2 * part.len()]);
            const_hex::encode_to_slice(part, &mut self.text[start..])
                .expect("two digits for each byte");
        }
        append(self.text, quote);
    }

    /// Adds a text.
    pub fn text(&mut self, name: &str, value: &str) {
        if self.csv.is_some() {
            self.name(name);
            return append_cell(self.text, value.as_bytes());
        }
        let quoted = serde_json::to_string(value).expect("a text is JSON");
        self.json(name, quoted.as_bytes());
    }

    pub fn end(mut self) {
        match &self.csv {
            None => append(self.text, b"}\n"),
            Some(CsvColumns { columns, .. }) => {
                self.go_to(columns.len() - 1);
                append(self.text, b"\n");
            }
        }
    }

    fn name(&mut self, name: &str) {
        if let Some(CsvColumns { columns, .. }) = &self.csv {
            let place = columns.iter().position(|column| *column == name);
            return self.go_to(place.expect("every field has a column"));
        }
        append(self.text, if self.has_fields { b",\"" } else { b"\"" });
        append(self.text, name.as_bytes());
        append(self.text, b"\":");
        self.has_fields = true;
    }

    /// Moves to a column of CSV.
    fn go_to(&mut self, column: usize) {
        let Some(cells) = &mut self.csv else { return };
        for _ in cells.commas..column {
            append(self.text, b",");
        }
        cells.commas = column;
    }
}

/// Appends a cell of CSV (RFC 4180).
fn append_cell(text: &mut Wiped, cell: &[u8]) {
    if !cell.iter().any(|byte| b",\"\r\n".contains(byte)) && cell.trim_ascii().len() == cell.len() {
        return append(text, cell);
    }
    append(text, b"\"");
    for part in cell.split_inclusive(|byte| *byte == b'"') {
        append(text, part);
        if part.ends_with(b"\"") {
            append(text, b"\"");
        }
    }
    append(text, b"\"");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_csv_have_their_columns() {
        let mut text = Wiped::default();
        let columns = ["valid", "reason", "line", "tag"];
        let mut line = Line::begin(&mut text, Some(&columns));
        line.json("valid", b"true");
        line.json("reason", b"null");
        line.json("tag", br#""a, \"b\"\n""#);
        line.end();
        let mut line = Line::begin(&mut text, Some(&columns));
        line.json("valid", b"false");
        line.text("reason", "no");
        line.number("line", 7);
        line.end();
        assert_eq!(
            std::str::from_utf8(&text).unwrap(),
            "true,,,\"a, \"\"b\"\"\n\"\nfalse,no,7,\n"
        );
    }

    #[test]
    fn lines_are_json() {
        for number in [0, 9, 10, 4_294_967_296, u64::MAX] {
            for length in [0, 1, 64, 127, 128, 129, 300] {
                let bytes: Vec<u8> = (0..length).map(|byte| byte as u8).collect();
                let mut text = Wiped::default();
                let mut line = Line::begin(&mut text, None);
                line.number("line", number);
                line.hex("hex", "0x", &bytes);
                line.json("tag", b"[1.10]");
                line.end();
                let expected = format!(
                    "{{\"line\":{number},\"hex\":\"0x{}\",\"tag\":[1.10]}}\n",
                    hex::encode(&bytes)
                );
                assert_eq!(std::str::from_utf8(&text).unwrap(), expected);
            }
        }
    }
}
