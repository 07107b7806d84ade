//! Cuts pieces of text into units of whole rows, which can be parsed in parallel.
//!
//! Only the steps that need the text in order are taken here, by the one thread that reads: the
//! detection of the layout, the ends of rows that span several pieces, and rows that are too long.
//! Lines and items are counted for each section independently (`measure`), and
//! `RowSplitter::number` then assigns line numbers in order.
//!
//! A malformed row must not affect its neighbours, so a row that exceeds the limit becomes a fault
//! of its own, and splitting resumes at the next row end.

use super::layout::{LayoutDetection, MAX_LINE, TextLayout, detect_layout};
use super::names::FieldNames;
use super::scan::Scanner;
use super::text::{Span, Text};
use crate::flags::Format;
use crate::secrets::buffers::{Wiped, append};
use memchr::{memchr, memchr_iter};
use std::ops::Range;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The maximum number of items in a unit.
pub const MAX_ROWS: usize = 1 << 13;

/// Rows that one thread parses.
pub struct Unit {
    /// The line on which the unit begins, counted from 1.
    pub line: u64,
    /// The number of items in the unit.
    pub rows: usize,
    pub content: Section,
}

impl Unit {
    /// Returns the size in bytes of a row that spanned several pieces of the input and therefore
    /// has a buffer of its own. Other rows share the pieces that were read.
    pub fn long_row(&self) -> usize {
        match &self.content {
            Section::Rows(span) if !span.text.is_piece() => span.text.bytes().len(),
            Section::Rows(_) | Section::Fault(..) => 0,
        }
    }
}

/// Whole rows, or a row that cannot be read.
#[derive(Clone)]
pub enum Section {
    Rows(Span),
    /// A fault, with the number of line ends before it.
    Fault(String, u64),
}

/// A range of rows, from the end of the previous part to `end`, with its number of line ends and
/// items.
pub struct UnitRange {
    end: usize,
    lines: u64,
    rows: usize,
}

/// Splits an input at row ends.
pub struct RowSplitter {
    format: Option<Format>,
    names: FieldNames,
    /// The beginning of the input, until its layout is known.
    start: Wiped,
    /// True while nothing before the present text has been seen.
    is_first: bool,
    layout: Option<Arc<TextLayout>>,
    scanner: Scanner,
    /// The beginning of a row that continues in the next piece.
    carry: Wiped,
    /// The number of line ends in a row whose content is discarded.
    skipped: Option<u64>,
    /// The line on which the next unit begins.
    line: u64,
    /// The maximum length of a row in bytes.
    longest: usize,
}

impl RowSplitter {
    pub fn new(format: Option<Format>, names: FieldNames) -> Self {
        let start = Wiped::default();
        let carry = Wiped::default();
        let scanner = Scanner::Lines;
        let longest = MAX_LINE;
        RowSplitter {
            format,
            names,
            start,
            is_first: true,
            layout: None,
            scanner,
            carry,
            skipped: None,
            line: 1,
            longest,
        }
    }

    /// Lowers the maximum length of a row, which is [`MAX_LINE`] by default.
    pub fn with_longest(self, longest: usize) -> Self {
        RowSplitter {
            longest: longest.min(MAX_LINE),
            ..self
        }
    }

    /// Returns the layout, which is known once there are rows.
    pub fn layout(&self) -> Option<&Arc<TextLayout>> {
        self.layout.as_ref()
    }

    /// Takes the next piece of the input. Returns an error if the input as a whole cannot be read.
    pub fn push(&mut self, text: Text, sections: &mut Vec<Section>) -> Result<(), String> {
        if self.layout.is_some() {
            self.cut(Span::whole(text), sections);
            return Ok(());
        }
        if self.start.is_empty() {
            return self.begin(text, false, sections);
        }
        append(&mut self.start, text.bytes());
        let start = Text::from_bytes(std::mem::take(&mut self.start));
        self.begin(start, false, sections)
    }

    /// Marks the end of the input.
    pub fn end(&mut self, sections: &mut Vec<Section>) -> Result<(), String> {
        if self.layout.is_none() {
            let start = Text::from_bytes(std::mem::take(&mut self.start));
            self.begin(start, true, sections)?;
        }
        self.end_rows(sections);
        Ok(())
    }

    /// Handles the last row, which may lack its line end.
    fn end_rows(&mut self, sections: &mut Vec<Section>) {
        let carry = Text::from_bytes(std::mem::take(&mut self.carry));
        let layout = self.layout.as_ref().expect("the end decides");
        let lines = count_lines(carry.bytes());
        let has_content = layout.content(carry.bytes()).is_some();
        if let Some(lines) = self.skipped.take() {
            sections.push(Section::Fault(too_long(self.longest), lines));
        } else if self.scanner.is_over() {
            if let Some(problem) = self.scanner.wrong_end() {
                sections.push(Section::Fault(problem.to_owned(), 0));
            }
            if !carry.bytes().trim_ascii().is_empty() {
                sections.push(Section::Fault(
                    "text after the end of the array".to_owned(),
                    lines,
                ));
            }
        } else if let Some(problem) = self.scanner.unfinished() {
            // An element that is cut off is reported by its own row.
            let fault = Section::Fault(problem.to_owned(), lines);
            let is_element = matches!(**layout, TextLayout::JsonArray) && has_content;
            if is_element {
                sections.push(Section::Rows(Span::whole(carry)));
            }
            if !is_element || self.scanner.is_balanced() {
                sections.push(fault);
            }
        } else if has_content {
            sections.push(Section::Rows(Span::whole(carry)));
        }
    }

    /// Assigns line numbers to the cuts, in order.
    pub fn number(&mut self, sections: Vec<Section>, measures: Vec<Vec<UnitRange>>) -> Vec<Unit> {
        let mut units = Vec::with_capacity(sections.len());
        for (cut, parts) in sections.into_iter().zip(measures) {
            let mut start = 0;
            for UnitRange { end, lines, rows } in parts {
                let content = match &cut {
                    Section::Rows(Span { text, range }) => Section::Rows(Span {
                        text: Arc::clone(text),
                        range: range.start + start..range.start + end,
                    }),
                    fault => fault.clone(),
                };
                if rows > 0 {
                    units.push(Unit {
                        line: self.line,
                        rows,
                        content,
                    });
                }
                self.line += lines;
                start = end;
            }
        }
        units
    }

    /// Detects the layout; keeps the text if it is not sufficient.
    fn begin(
        &mut self,
        text: Text,
        at_end: bool,
        sections: &mut Vec<Section>,
    ) -> Result<(), String> {
        match detect_layout(
            text.bytes(),
            self.is_first,
            at_end,
            self.format,
            &self.names,
        )? {
            LayoutDetection::NeedsMore(blank) => {
                self.line += count_lines(&text.bytes()[..blank]);
                self.is_first &= blank == 0;
                append(&mut self.start, &text.bytes()[blank..]);
            }
            LayoutDetection::Known(layout, start) => {
                self.line += count_lines(&text.bytes()[..start]);
                self.scanner = layout.scanner();
                self.layout = Some(Arc::new(layout));
                let mut span = Span::whole(text);
                span.range.start = start;
                self.cut(span, sections);
            }
        }
        Ok(())
    }

    /// Cuts a piece after its last row end. The beginning of a row that continues in the next piece
    /// is copied to `carry`, everything else is passed on without a copy.
    fn cut(&mut self, mut span: Span, sections: &mut Vec<Section>) {
        // First the row that began in an earlier piece.
        while !span.range.is_empty() && (self.skipped.is_some() || !self.carry.is_empty()) {
            match self.skipped {
                Some(lines) => self.skip(lines, &mut span, sections),
                None => self.continue_row(&mut span, sections),
            }
        }
        let Span { text, range } = span;
        if range.is_empty() {
            return;
        }
        let end = range.start
            + self
                .scanner
                .last_end(&text.bytes()[range.clone()], text.has_quotes());
        append(&mut self.carry, &text.bytes()[end..range.end]);
        if end > range.start {
            sections.push(Section::Rows(Span {
                text,
                range: range.start..end,
            }));
        }
        self.give_up_if_too_long(false, sections);
    }

    /// Continues the row that began in an earlier piece.
    fn continue_row(&mut self, span: &mut Span, sections: &mut Vec<Section>) {
        let end = self.scanner.next_end(span.bytes());
        append(
            &mut self.carry,
            &span.bytes()[..end.unwrap_or(span.range.len())],
        );
        span.range.start += end.unwrap_or(span.range.len());
        if !self.give_up_if_too_long(end.is_some(), sections) && end.is_some() {
            sections.push(Section::Rows(Span::whole(Text::from_bytes(
                std::mem::take(&mut self.carry),
            ))));
        }
    }

    /// Discards a row that is too long, and returns whether it was. If the reason is an unclosed
    /// quote, the next line is a row again.
    fn give_up_if_too_long(&mut self, has_ended: bool, sections: &mut Vec<Section>) -> bool {
        let longest = self.longest;
        if self.carry.len() <= longest {
            return false;
        }
        let row = std::mem::take(&mut self.carry);
        let end = match self.scanner {
            // Line ends within quotes do not end a row, so an unclosed quote would swallow the rest
            // of the input. The first line end after the limit is therefore taken as a row end.
            Scanner::Quoted(_) => memchr(b'\n', &row[longest..]).map(|at| longest + at + 1),
            Scanner::Lines | Scanner::Elements(_) => has_ended.then_some(row.len()),
        };
        // Nothing shows where the row ends yet: later pieces are discarded up to its end.
        let Some(end) = end else {
            self.skipped = Some(count_lines(&row));
            return true;
        };
        sections.push(Section::Fault(too_long(longest), count_lines(&row[..end])));
        if end < row.len() {
            // What follows the line end may be a whole row, or several.
            self.scanner.restart_line();
            let text = Text::from_bytes(Zeroizing::new(row[end..].to_vec()));
            self.cut(Span::whole(text), sections);
        }
        true
    }

    /// Continues a row whose content is discarded.
    fn skip(&mut self, lines: u64, span: &mut Span, sections: &mut Vec<Section>) {
        let end = match &mut self.scanner {
            Scanner::Quoted(_) => memchr(b'\n', span.bytes()).map(|at| at + 1),
            scanner => scanner.next_end(span.bytes()),
        };
        let lines = lines + count_lines(&span.bytes()[..end.unwrap_or(span.range.len())]);
        span.range.start += end.unwrap_or(span.range.len());
        self.skipped = Some(lines);
        if end.is_some() {
            self.scanner.restart_line();
            self.skipped = None;
            sections.push(Section::Fault(too_long(self.longest), lines));
        }
    }
}

/// Returns the error for a row that is longer than `longest` bytes.
pub fn too_long(longest: usize) -> String {
    let why = if longest < MAX_LINE {
        ", the most that this --max-memory allows"
    } else {
        ""
    };
    format!("the line is longer than {longest} bytes{why}")
}

pub fn count_lines(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}

/// Counts lines and items, in parts of at most `most` items.
pub fn measure(cut: &Section, layout: &TextLayout, most: usize) -> Vec<UnitRange> {
    let span = match cut {
        Section::Rows(span) => span,
        Section::Fault(_, lines) => {
            return vec![UnitRange {
                end: 0,
                lines: *lines,
                rows: 1,
            }];
        }
    };
    if let Some(part) = plain_lines(layout, span).filter(|part| part.rows <= most) {
        return vec![part];
    }
    let text = span.bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    let mut rows = 0;
    for row in rows_of(layout, text) {
        rows += usize::from(layout.content(&text[row.clone()]).is_some());
        if rows == most {
            parts.push(UnitRange {
                end: row.end,
                lines: count_lines(&text[start..row.end]),
                rows,
            });
            (start, rows) = (row.end, 0);
        }
    }
    parts.push(UnitRange {
        end: text.len(),
        lines: count_lines(&text[start..]),
        rows,
    });
    parts
}

/// Measures a text in which every line is an item, as in nearly all inputs. Returns `None` if
/// that is only certain after a full scan.
fn plain_lines(layout: &TextLayout, span: &Span) -> Option<UnitRange> {
    let is_plain = match layout {
        TextLayout::JsonLines => true,
        TextLayout::Table(_) => !span.text.has_quotes(),
        TextLayout::JsonArray | TextLayout::JsonObjects | TextLayout::Keys => false,
    };
    let text = span.bytes();
    if !is_plain || !may_begin_item(text, 0) {
        return None;
    }
    let mut ends = memchr_iter(b'\n', text);
    let lines = ends.try_fold(0, |lines, end| {
        may_begin_item(text, end + 1).then_some(lines + 1)
    })?;
    let rows = lines + usize::from(text.last().is_some_and(|last| *last != b'\n'));
    Some(UnitRange {
        end: text.len(),
        lines: lines as u64,
        rows,
    })
}

/// Returns whether the line at `start` is certainly not blank: a blank line begins with a space or
/// control character. The end of the text counts as such a line.
#[inline]
fn may_begin_item(text: &[u8], start: usize) -> bool {
    text.get(start).is_none_or(|byte| *byte > b' ')
}

/// An iterator over the ranges of rows in a text of whole rows.
pub struct RowRanges<'a> {
    scanner: Scanner,
    text: &'a [u8],
    start: usize,
}

pub fn rows_of<'a>(layout: &TextLayout, text: &'a [u8]) -> RowRanges<'a> {
    let scanner = match layout {
        TextLayout::Table(_) if memchr(b'"', text).is_none() => Scanner::Lines,
        layout => layout.scanner(),
    };
    RowRanges {
        scanner,
        text,
        start: 0,
    }
}

impl RowRanges<'_> {
    /// Returns the number of line ends in a row.
    pub fn lines(&self, row: &[u8]) -> u64 {
        match self.scanner {
            Scanner::Lines => 1,
            Scanner::Quoted(_) | Scanner::Elements(_) => count_lines(row),
        }
    }
}

impl Iterator for RowRanges<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = &self.text[self.start..];
        // The last row of an input may lack its line end.
        let length = self.scanner.next_end(rest).unwrap_or(rest.len());
        let row = self.start..self.start + length;
        self.start = row.end;
        (length > 0).then_some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::super::items::each_of_unit;
    use super::super::text::Buffers;
    use super::*;
    use std::ops::ControlFlow;

    /// Returns the items of an input that arrives in pieces of `piece` bytes: for each its line,
    /// and its public key or error.
    fn items(text: &[u8], piece: usize, most: usize) -> Result<Vec<(u64, String)>, String> {
        let mut splitter = RowSplitter::new(None, FieldNames::of_all());
        let buffers = Buffers::new(piece, false);
        let mut items = Vec::new();
        let mut pieces = text.chunks(piece);
        let mut has_ended = false;
        while !has_ended {
            let mut sections = Vec::new();
            match pieces.next() {
                Some(bytes) => {
                    let mut text = buffers.take();
                    text.room()[..bytes.len()].copy_from_slice(bytes);
                    text.fill(bytes.len());
                    splitter.push(text, &mut sections)?;
                }
                None => {
                    has_ended = true;
                    splitter.end(&mut sections)?;
                }
            }
            let Some(layout) = splitter.layout().cloned() else {
                continue;
            };
            let measures = sections
                .iter()
                .map(|cut| measure(cut, &layout, most))
                .collect();
            for unit in splitter.number(sections, measures) {
                let before = items.len();
                each_of_unit(&unit, &layout, &FieldNames::of_all(), |line, fields| {
                    let content = fields.map_err(|(reason, _)| reason);
                    let key = content.and_then(|fields| fields.public_key().map(str::to_owned));
                    items.push((line, key.unwrap_or_else(|reason| reason)));
                    ControlFlow::Continue(())
                });
                assert!(unit.rows <= most);
                assert_eq!(
                    items.len() - before,
                    unit.rows,
                    "{piece} {most} {}",
                    text.escape_ascii()
                );
            }
        }
        Ok(items)
    }

    const TEXTS: [&str; 9] = [
        "{\"public_key\":\"a\"}\n\n  \r\n{\"public_key\":\"b\"}\r\n[1]\n{\"public_key\":\"c\"",
        "\u{feff}\n\npublic_key,tag\na,1\n\n\"b\",\"x\ny\n\"\nc\n\"d\",\"\"\"\n,\"\n\"e\ne\",2\n\"f",
        "tag;public_key\r\n1;a\r\n2;b\"\r\n\";\r\n\";c\r\n;d\re\r\n",
        "tag\tpublic_key\n\t\n\"\t\"\ta\n1\tb\t\n",
        "[{\"public_key\":\"a\"} ,\n\n{\"public_key\":\"b\",\"tag\":[\"]}\\\"\",{}]}\n,3,\n{\"public_key\":\"c\"}]",
        "[{\"public_key\":\"a\"},{\"public_key\":\"\\\\\"},\n{\"public_key\":\"c",
        "\n{ \r\n\"public_key\":\"a\"\n}\n{\"public_key\":\"b\", \"tag\": {\n\"}\": [1]}}, 3\n\n{\"public_key\":\"c\"}\n\n{\n\"public_key\":",
        "[{\"public_key\":\"a\"},\n{\"public_key\":\"b\"} , \n]\n",
        "tag\tpublic_key\tid\n1\ta\t\n\t\t\n \n\t \t\r\n2\tb\t\n",
    ];

    #[test]
    fn pieces_of_every_size_have_the_same_items() {
        for text in TEXTS {
            let whole = items(text.as_bytes(), text.len(), MAX_ROWS).unwrap();
            assert!(whole.len() >= 2, "{whole:?}");
            for piece in 1..text.len() {
                for most in [1, 2, MAX_ROWS] {
                    assert_eq!(
                        items(text.as_bytes(), piece, most).unwrap(),
                        whole,
                        "{text:?} {piece} {most}"
                    );
                }
            }
        }
        let read = TEXTS.map(|text| items(text.as_bytes(), 7, 3).unwrap());
        let lines = read
            .each_ref()
            .map(|items| items.iter().map(|(line, _)| *line).collect::<Vec<_>>());
        assert_eq!(lines[0], [1, 4, 5, 6]);
        assert_eq!(lines[1], [4, 6, 9, 10, 12, 14]);
        assert_eq!(lines[4], [1, 3, 4, 5]);
        assert_eq!(read[1][1].1, "b");
        assert_eq!(lines[6], [2, 5, 6, 10]);
        assert_eq!(read[6][0].1, "a");
        assert_eq!(read[6][1].1, "b");
        // A comma without an element after it is an item that cannot be read, and so is a row of
        // empty cells.
        assert_eq!(lines[7], [1, 2, 3]);
        assert!(
            read[7][2].1.contains("a comma precedes the end"),
            "{:?}",
            read[7][2]
        );
        assert_eq!(lines[8], [2, 3, 5, 6]);
    }

    #[test]
    fn arrays_without_a_trailing_comma_have_no_further_item() {
        for (text, expected) in [
            ("[]", 0),
            ("[ \n]", 0),
            ("[{}]", 1),
            ("[{},{}\n]", 2),
            ("[[1,2,],{},]", 3),
        ] {
            for piece in 1..=text.len() {
                assert_eq!(
                    items(text.as_bytes(), piece, MAX_ROWS).unwrap().len(),
                    expected,
                    "{text} {piece}"
                );
            }
        }
    }

    /// Returns everything that is read from each line of JSON Lines, in units of at most `most`
    /// lines.
    fn read_of_lines(lines: &[&str], most: usize, names: &FieldNames) -> Vec<String> {
        let text = lines.join("\n");
        let layout = Arc::new(TextLayout::JsonLines);
        let mut read = Vec::new();
        let cut = Section::Rows(Span::whole(Text::from_bytes(Zeroizing::new(
            text.into_bytes(),
        ))));
        let mut splitter = RowSplitter::new(None, names.clone());
        let parts = measure(&cut, &layout, most);
        for unit in splitter.number(vec![cut], vec![parts]) {
            each_of_unit(&unit, &layout, names, |_, fields| {
                read.push(match fields {
                    Ok(fields) => {
                        let values = gecc::fields::Field::ALL
                            .map(|field| fields.value(field).map(str::to_owned));
                        format!("{values:?} {}", fields.tag.is_some())
                    }
                    Err((problem, tag)) => format!("{problem} {}", tag.is_some()),
                });
                ControlFlow::Continue(())
            });
        }
        read
    }

    /// The result of a line depends on that line only: neither on the lines around it nor on where
    /// the text is cut.
    #[test]
    fn lines_are_read_alike_in_every_order_and_unit() {
        const LINES: [&str; 16] = [
            r#"{"digest":"00","hash":"11","sig":"22","pk":"33"}"#,
            r#"{"digest":null,"hash":"11","sig":"22","pk":"33"}"#,
            r#"{"digest":"00","hash":null,"sig":"22","pk":"33"}"#,
            r#"{"digest":null,"hash":null,"sig":"22","pk":"33"}"#,
            r#"{"r":"1","s":"2","der":null,"v":1}"#,
            r#"{"r":"1","s":null,"der":"30","v":1}"#,
            r#"{"r":null,"s":"2","der":"30","v":null}"#,
            r#"{"digest":"00","message":null,"tag":1}"#,
            r#"{"digest":null,"message":"00","tag":null}"#,
            r#"{"digest":"00","message":"00","tag":"x"}"#,
            r#"{"digest":"00","digest":null,"hash":"11"}"#,
            r#"{"digest":null,"digest":"00","hash":"11"}"#,
            r#"{"hash":"11","digest":"00","digest":"00"}"#,
            r#"{"x":null,"x":1,"digest":"00"}"#,
            r#"{"digest":"00","msg_hash":"11"}"#,
            r#"{"digest":"00","msg_hash":null}"#,
        ];
        let mapped = FieldNames::of_all_with("digest=digest,secret_key=tag".parse().unwrap());
        for names in [&FieldNames::of_all(), &mapped] {
            let alone: Vec<String> = LINES
                .iter()
                .map(|line| read_of_lines(&[line], 1, names).remove(0))
                .collect();
            for (line, is_twice) in [(10, true), (11, true), (12, true), (13, false)] {
                assert_eq!(
                    alone[line].starts_with("`digest` occurs twice"),
                    is_twice,
                    "{alone:?}"
                );
            }
            for first in 0..LINES.len() {
                for second in 0..LINES.len() {
                    let order = [first, second, first, (first + 5) % LINES.len(), second];
                    let lines = order.map(|line| LINES[line]);
                    let expected = order.map(|line| alone[line].clone());
                    for most in 1..=order.len() {
                        assert_eq!(
                            read_of_lines(&lines, most, names),
                            expected,
                            "{lines:?} {most}"
                        );
                    }
                }
            }
        }
        // A column that was declared to be a private key is not passed through, whatever the case
        // of its name.
        let key = r#"{"digest":"00","tag":"11"}"#;
        assert!(
            read_of_lines(&[key, key], 2, &mapped)
                .iter()
                .all(|read| read.ends_with("false"))
        );
    }

    #[test]
    fn blank_lines_at_the_beginning_are_not_kept() {
        for (blank, lines) in [
            ("\n".repeat(3 << 20), 3 << 20),
            (" \r\n".repeat(1 << 20), 1 << 20),
        ] {
            let text = blank + "public_key\na\n";
            assert_eq!(
                items(text.as_bytes(), 1 << 12, MAX_ROWS).unwrap(),
                [(lines + 2, "a".to_owned())]
            );
        }
        let mark = "\n\u{feff}{\"public_key\":\"a\"}\n{\"public_key\":\"b\"}";
        assert!(
            items(mark.as_bytes(), mark.len(), MAX_ROWS).is_err(),
            "the mark is at the beginning or nowhere"
        );
        assert!(items(mark.as_bytes(), 1, MAX_ROWS).is_err());
        let spaces = " ".repeat(MAX_LINE + (2 << 20)) + "\n{}\n";
        let given = items(spaces.as_bytes(), 1 << 20, MAX_ROWS).unwrap();
        assert_eq!(
            given.iter().map(|(line, _)| *line).collect::<Vec<_>>(),
            [1, 2]
        );
        assert_eq!(given[0].1, too_long(MAX_LINE));
    }

    #[test]
    fn rows_that_are_too_long_do_not_affect_others() {
        let long = "1234567\n".repeat(MAX_LINE / 8 + 100);
        let quoted = format!("public_key\na\n\"{long}x\"\nb\n");
        let lines = format!(
            "{{\"public_key\":\"a\"}}\n{}\n{{\"public_key\":\"b\"}}\n",
            "x".repeat(MAX_LINE)
        );
        let array = format!("[{{\"public_key\":\"a\"}},\"{long}\",{{\"public_key\":\"b\"}}]");
        for (text, others) in [(quoted, Some(101)), (lines, None), (array, None)] {
            let given = items(text.as_bytes(), 1 << 20, MAX_ROWS).unwrap();
            assert_eq!(given, items(text.as_bytes(), 999_983, 1000).unwrap());
            assert_eq!(
                (given[0].1.as_str(), given[1].1.as_str()),
                ("a", too_long(MAX_LINE).as_str())
            );
            assert_eq!(given.last().unwrap().1, "b");
            // Lines inside an abandoned quote are rows again.
            assert_eq!(given.len(), 3 + others.unwrap_or(0), "{:?}", &given[..3]);
        }
    }

    /// A generator of random numbers (xorshift64).
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as usize % limit
        }
    }

    /// Changes, removes or inserts some bytes of a text.
    fn corrupt(text: &mut Vec<u8>, random: &mut Random) {
        const BYTES: &[u8] = b"\"\\{}[],:\n\r\t ;\xff";
        for _ in 0..=random.below(5) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => text[at] = BYTES[random.below(BYTES.len())],
                1 => drop(text.remove(at)),
                _ => text.insert(at, BYTES[random.below(BYTES.len())]),
            }
        }
    }

    /// Texts that are malformed at random positions yield the same items wherever they are split,
    /// and never a panic.
    #[test]
    fn corrupted_texts_have_the_same_items_in_pieces_of_every_size() {
        let seed = getrandom::u64().unwrap() | 1;
        eprintln!("seed {seed}");
        let mut random = Random(seed);
        for round in 0..3000 {
            let mut text = TEXTS[round % TEXTS.len()].as_bytes().to_vec();
            corrupt(&mut text, &mut random);
            // The amount of text that a message quotes depends on the amount available, so that
            // messages are not compared.
            let whole = items(&text, text.len(), MAX_ROWS).ok();
            for piece in [1, 1 + random.below(8), 1 + random.below(text.len())] {
                assert_eq!(
                    items(&text, piece, 1 + random.below(4)).ok(),
                    whole,
                    "{}",
                    text.escape_ascii()
                );
            }
        }
    }
}
