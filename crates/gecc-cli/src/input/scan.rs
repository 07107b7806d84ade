//! Finds row ends: at a line end, at a line end outside quotes, at a comma between elements of a
//! JSON array, or at the brace that closes an object.

use memchr::{memchr, memchr2, memchr2_iter, memrchr};

/// Finds row ends in text that arrives in pieces. The state within a row carries over to the next
/// piece.
#[derive(Clone, Debug)]
pub enum Scanner {
    Lines,
    Quoted(Quoted),
    Elements(Elements),
}

impl Scanner {
    /// Returns the position after the end of the row that begins or continues at the first byte.
    /// Returns `None` if the row does not end in the text.
    pub fn next_end(&mut self, text: &[u8]) -> Option<usize> {
        match self {
            Scanner::Lines => memchr(b'\n', text).map(|at| at + 1),
            Scanner::Quoted(quoted) => quoted.next_end(text),
            Scanner::Elements(elements) => elements.next_end(text),
        }
    }

    /// Returns the position after the end of the last row that ends in the text, or 0. Afterwards
    /// the scanner is inside the row after it. A text without quotes is rarely scanned in full.
    pub fn last_end(&mut self, text: &[u8], may_have_quotes: bool) -> usize {
        match self {
            Scanner::Lines => memrchr(b'\n', text).map_or(0, |at| at + 1),
            // Without quotes every line is a row.
            Scanner::Quoted(quoted) if quoted.is_plain() && !may_have_quotes => {
                let end = memrchr(b'\n', text).map_or(0, |at| at + 1);
                quoted.before = *text.last().unwrap_or(&quoted.before);
                end
            }
            _ => {
                let mut end = 0;
                while let Some(length) = self.next_end(&text[end..]) {
                    end += length;
                }
                end
            }
        }
    }

    /// Resets the scanner to the start of a line, whatever it was inside of.
    pub fn restart_line(&mut self) {
        if let Scanner::Quoted(quoted) = self {
            quoted.restart();
        }
    }

    /// Returns whether no further row can come.
    pub fn is_over(&self) -> bool {
        matches!(self, Scanner::Elements(elements) if elements.is_closed)
    }

    /// Returns whether every text, array and object that began in the row is closed.
    pub fn is_balanced(&self) -> bool {
        match self {
            Scanner::Lines => true,
            Scanner::Quoted(quoted) => !quoted.is_open(),
            Scanner::Elements(elements) => elements.depth == 0 && !elements.is_in_text,
        }
    }

    /// Returns the error in the end of the last row, if no further row can come after it.
    pub fn wrong_end(&self) -> Option<&'static str> {
        match self {
            Scanner::Elements(elements) if elements.is_closed && elements.is_comma_open => {
                Some(TRAILING_COMMA)
            }
            _ => None,
        }
    }

    /// Returns the reason why the input cannot end inside this row, if it cannot.
    pub fn unfinished(&self) -> Option<&'static str> {
        match self {
            Scanner::Quoted(quoted) if quoted.is_open() => Some(OPEN_QUOTE),
            Scanner::Elements(elements) if !elements.is_closed && !elements.are_alone => {
                Some("the array is not closed before the end of the input")
            }
            _ => None,
        }
    }
}

const TRAILING_COMMA: &str = "a comma precedes the end of the array, without an element after it";
pub const OPEN_QUOTE: &str = "a quote is not closed before the end of the input";

/// Rows of RFC 4180. A quote is special only at the start of a field.
#[derive(Clone, Debug)]
pub struct Quoted {
    delimiter: u8,
    state: Quote,
    /// The previous byte; a line end at the start of a row.
    before: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quote {
    Outside,
    Inside,
    /// After a closing quote, unless the next byte is a quote too.
    Closing,
}

impl Quoted {
    pub fn new(delimiter: u8) -> Self {
        Quoted {
            delimiter,
            state: Quote::Outside,
            before: b'\n',
        }
    }

    fn restart(&mut self) {
        *self = Quoted::new(self.delimiter);
    }

    /// Returns whether the next byte is inside quotes.
    pub fn is_open(&self) -> bool {
        self.state == Quote::Inside
    }

    /// Returns whether the next byte is outside quotes and cannot be a quote that continues one.
    fn is_plain(&self) -> bool {
        self.state == Quote::Outside
    }

    /// Returns the next row end, like [`Scanner::next_end`].
    pub fn next_end(&mut self, text: &[u8]) -> Option<usize> {
        for at in memchr2_iter(b'"', b'\n', text) {
            let before = if at == 0 { self.before } else { text[at - 1] };
            // A closing quote that is followed by another byte stays closed.
            if self.state == Quote::Closing && (at > 0 && before != b'"' || text[at] == b'\n') {
                self.state = Quote::Outside;
            }
            match (text[at], self.state) {
                (b'\n', Quote::Inside) => {}
                (b'\n', _) => {
                    self.restart();
                    return Some(at + 1);
                }
                (_, Quote::Inside) => self.state = Quote::Closing,
                (_, Quote::Closing) => self.state = Quote::Inside,
                (_, Quote::Outside) if before == self.delimiter || before == b'\n' => {
                    self.state = Quote::Inside
                }
                (_, Quote::Outside) => {}
            }
        }
        if let Some(&last) = text.last() {
            self.before = last;
            if self.state == Quote::Closing && last != b'"' {
                self.state = Quote::Outside;
            }
        }
        None
    }
}

/// Elements of a JSON array, each with the comma or bracket that ends it. Text after the array has
/// no row end. Alternatively, consecutive objects outside an array.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    are_alone: bool,
    depth: usize,
    is_in_text: bool,
    is_escaped: bool,
    is_closed: bool,
    /// True if only space has followed the last comma between elements.
    is_comma_open: bool,
}

impl Elements {
    /// Makes a scanner for objects outside an array. Each ends with its closing brace.
    pub fn alone() -> Self {
        Elements {
            are_alone: true,
            ..Self::default()
        }
    }

    fn next_end(&mut self, text: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < text.len() && !self.is_closed {
            if self.is_in_text {
                at += self.skip_text(&text[at..]);
                continue;
            }
            let byte = text[at];
            self.is_comma_open &= byte.is_ascii_whitespace() || byte == b']';
            match byte {
                b'"' => self.is_in_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 && self.are_alone {
                        return Some(at + 1);
                    }
                }
                _ if self.are_alone => {}
                b']' => {
                    self.is_closed = true;
                    return Some(at + 1);
                }
                b',' if self.depth == 0 => {
                    self.is_comma_open = true;
                    return Some(at + 1);
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Continues inside a string. Returns the number of bytes consumed.
    fn skip_text(&mut self, text: &[u8]) -> usize {
        if std::mem::take(&mut self.is_escaped) {
            return 1;
        }
        match memchr2(b'"', b'\\', text) {
            None => text.len(),
            Some(at) => {
                self.is_in_text = text[at] == b'\\';
                self.is_escaped = self.is_in_text;
                at + 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(scanner: &Scanner, pieces: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut scanner = scanner.clone();
        let mut rows = Vec::new();
        let mut row = Vec::new();
        for piece in pieces {
            let mut rest = *piece;
            while let Some(end) = scanner.next_end(rest) {
                row.extend_from_slice(&rest[..end]);
                rows.push(std::mem::take(&mut row));
                rest = &rest[end..];
            }
            row.extend_from_slice(rest);
        }
        rows.push(row);
        rows
    }

    /// A text that is cut anywhere yields the same rows, whose concatenation is the text.
    fn same_wherever_cut(scanner: &Scanner, text: &[u8], expected: &[&str]) {
        let whole = rows(scanner, &[text]);
        assert_eq!(whole.concat(), text);
        assert!(
            whole
                .iter()
                .map(|row| row.as_slice())
                .eq(expected.iter().map(|row| row.as_bytes())),
            "{whole:?}"
        );
        for cut in 0..=text.len() {
            assert_eq!(rows(scanner, &[&text[..cut], &text[cut..]]), whole, "{cut}");
            for second in cut..=text.len() {
                assert_eq!(
                    rows(
                        scanner,
                        &[&text[..cut], &text[cut..second], &text[second..]]
                    ),
                    whole
                );
            }
            let mut last = scanner.clone();
            let end = last.last_end(&text[..cut], text[..cut].contains(&b'"'));
            let mut each = scanner.clone();
            let mut ends = 0;
            while let Some(length) = each.next_end(&text[ends..cut]) {
                ends += length;
            }
            assert_eq!(end, ends, "{cut}");
            assert_eq!(
                rows(&last, &[&text[cut..]]),
                rows(&each, &[&text[cut..]]),
                "{cut}"
            );
        }
    }

    #[test]
    fn quotes_hold_line_ends_only_where_they_open_a_field() {
        let quoted = Scanner::Quoted(Quoted::new(b','));
        same_wherever_cut(
            &quoted,
            b"a,\"b\nc\",d\ne,f\n",
            &["a,\"b\nc\",d\n", "e,f\n", ""],
        );
        same_wherever_cut(
            &quoted,
            b"a\"b\n\"c\"\"\n\"\nx",
            &["a\"b\n", "\"c\"\"\n\"\n", "x"],
        );
        same_wherever_cut(
            &quoted,
            b"\"a\"b\"\n\"\"\n,\"\"\"\n\"",
            &["\"a\"b\"\n", "\"\"\n", ",\"\"\"\n\""],
        );
        same_wherever_cut(
            &Scanner::Quoted(Quoted::new(b';')),
            b"a,\"b\n;\"\n\"\n",
            &["a,\"b\n", ";\"\n\"\n", ""],
        );
        same_wherever_cut(
            &Scanner::Lines,
            b"a,\"b\n\n\nc",
            &["a,\"b\n", "\n", "\n", "c"],
        );
    }

    #[test]
    fn elements_end_at_commas_between_them() {
        let elements = Scanner::Elements(Elements::default());
        same_wherever_cut(
            &elements,
            b"{\"a\":[1,2],\"b\":\"}\\\",]\"},\n 3 ,[4,5]] x, y\n",
            &[
                "{\"a\":[1,2],\"b\":\"}\\\",]\"},",
                "\n 3 ,",
                "[4,5]]",
                " x, y\n",
            ],
        );
        same_wherever_cut(&elements, b"\"\\\\\",{}", &["\"\\\\\",", "{}"]);
    }

    #[test]
    fn objects_outside_arrays_end_at_their_closing_brace() {
        same_wherever_cut(
            &Scanner::Elements(Elements::alone()),
            b"{\n \"a\": [1, {}],\n \"b\": \"}\\\"{\"\n}\n{},]\n{\"c\":{}} x",
            &[
                "{\n \"a\": [1, {}],\n \"b\": \"}\\\"{\"\n}",
                "\n{}",
                ",]\n{\"c\":{}}",
                " x",
            ],
        );
    }
}
