//! Iterates over the items of a text.

use super::fields::{Fields, LastRoles, Tag, counted};
use super::layout::{Header, TextLayout};
use super::names::{FieldNames, Role};
use super::shape::ObjectShape;
use super::splitter::{MAX_ROWS, RowSplitter, Section, Unit, count_lines, measure, rows_of};
use super::table::RowCells;
use super::text::Buffers;
use gecc::fields::Field;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::str::from_utf8;

/// The reason why an item cannot be read, and its tag if that is readable.
pub type Unreadable<'a> = (String, Option<Tag<'a>>);

/// Passes the items of a unit to `take`, each with its line, until it wants no more.
pub fn each_of_unit(
    unit: &Unit,
    layout: &TextLayout,
    names: &FieldNames,
    mut take: impl FnMut(u64, Result<Fields, Unreadable>) -> ControlFlow<()>,
) {
    let text = match &unit.content {
        Section::Rows(span) => span.bytes(),
        Section::Fault(reason, _) => {
            let _ = take(unit.line, Err((reason.clone(), None)));
            return;
        }
    };
    let whole = from_utf8(text).ok();
    let mut reader = Reader::new(layout, names);
    let mut line = unit.line;
    let mut places = rows_of(layout, text);
    while let Some(place) = places.next() {
        let row = &text[place.clone()];
        if let Some(content) = layout.content(row) {
            let begins = reader.first_line(line, &row[..content.start]);
            // UTF-8 was checked for the whole text, or is checked for each item.
            let content = match whole {
                Some(whole) => whole.get(place.start + content.start..place.start + content.end),
                None => from_utf8(&row[content]).ok(),
            };
            if take(begins, reader.read(content)).is_break() {
                return;
            }
        }
        line += places.lines(row);
    }
}

/// Passes the items of a file of private keys to `take`, each with its line, until it returns an
/// error.
pub fn each_key(
    mut source: Box<dyn Read + Send>,
    mut take: impl FnMut(u64, Result<Fields, String>) -> Result<(), String>,
) -> Result<(), String> {
    /// The number of bytes that are read at a time.
    const PIECE: usize = 1 << 16;
    let names = FieldNames::of_keys();
    let mut splitter = RowSplitter::new(None, names.clone());
    let buffers = Buffers::new(PIECE, true);
    let mut has_ended = false;
    while !has_ended {
        let mut text = buffers.take();
        let mut sections = Vec::new();
        let length = read(&mut source, text.room()).map_err(|problem| problem.to_string())?;
        text.fill(length);
        has_ended = length == 0;
        if has_ended {
            splitter.end(&mut sections)?
        } else {
            splitter.push(text, &mut sections)?
        }
        let Some(layout) = splitter.layout().cloned() else {
            continue;
        };
        let measures = sections
            .iter()
            .map(|cut| measure(cut, &layout, MAX_ROWS))
            .collect();
        for unit in splitter.number(sections, measures) {
            let mut refusal = Ok(());
            each_of_unit(&unit, &layout, &names, |line, fields| {
                refusal = take(line, fields.map_err(|(problem, _)| problem));
                if refusal.is_ok() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            refusal?;
        }
    }
    Ok(())
}

/// Reads once, and retries if a signal interrupts the read.
pub fn read(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(buffer) {
            Err(problem) if problem.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Parses rows to fields.
enum Reader<'l> {
    Json {
        spans_lines: bool,
        shapes: Shapes<'l>,
    },
    Keys,
    Table(RowCells, &'l Header),
}

const NOT_UTF8: &str = "the text is not UTF-8";

impl<'l> Reader<'l> {
    fn new(layout: &'l TextLayout, names: &'l FieldNames) -> Self {
        match layout {
            TextLayout::JsonLines => Reader::Json {
                spans_lines: false,
                shapes: Shapes::new(names),
            },
            TextLayout::JsonArray | TextLayout::JsonObjects => Reader::Json {
                spans_lines: true,
                shapes: Shapes::new(names),
            },
            TextLayout::Keys => Reader::Keys,
            TextLayout::Table(header) => Reader::Table(RowCells::new(header.delimiter), header),
        }
    }

    /// Returns the line on which an item begins, from the line of its row and the space before it.
    fn first_line(&self, line: u64, space: &[u8]) -> u64 {
        match self {
            Reader::Json {
                spans_lines: true, ..
            } => line + count_lines(space),
            _ => line,
        }
    }

    /// Parses the content of a row, which is `None` if it is not UTF-8.
    fn read<'a>(&'a mut self, content: Option<&'a str>) -> Result<Fields<'a>, Unreadable<'a>> {
        match self {
            Reader::Json { shapes, .. } => match content {
                Some(object) => shapes.read(object),
                None => Err((format!("not a JSON object: {NOT_UTF8}"), None)),
            },
            Reader::Keys => content
                .map(Fields::of_key)
                .ok_or_else(|| (NOT_UTF8.to_owned(), None)),
            Reader::Table(cells, header) => {
                let row = content.ok_or_else(|| (NOT_UTF8.to_owned(), None))?;
                fields_of_row(cells, header, row).map_err(|problem| (problem, None))
            }
        }
    }
}

/// The shape of the last object that needed the parser.
struct Shapes<'l> {
    names: &'l FieldNames,
    last: Option<ObjectShape>,
    /// The number of shapes derived so far.
    found: usize,
    roles: LastRoles,
}

impl<'l> Shapes<'l> {
    /// The number of shapes after which deriving them takes longer than it saves, because objects
    /// differ in shape.
    const MOST: usize = 16;

    fn new(names: &'l FieldNames) -> Self {
        Shapes {
            names,
            last: None,
            found: 0,
            roles: LastRoles::default(),
        }
    }

    fn read<'a>(&mut self, object: &'a str) -> Result<Fields<'a>, Unreadable<'a>> {
        if let Some(fields) = self.last.as_ref().and_then(|shape| shape.read(object)) {
            return Ok(fields);
        }
        let fields = Fields::from_json(object, self.names, &mut self.roles)?;
        if self.found < Self::MOST {
            self.last = ObjectShape::of(object, self.names);
            self.found += 1;
        }
        Ok(fields)
    }
}

fn fields_of_row<'a>(
    cells: &'a mut RowCells,
    header: &Header,
    row: &'a str,
) -> Result<Fields<'a>, String> {
    let row = cells.of(row)?;
    if row.len() != header.columns.len() {
        return Err(format!(
            "{} instead of {}",
            counted(row.len(), "column"),
            header.columns.len()
        ));
    }
    let mut fields = Fields::default();
    let has_digests = header.columns.contains(&Some(Role::Field(Field::Digest)));
    for (place, (column, cell)) in header.columns.iter().zip(row.iter()).enumerate() {
        match column {
            // As in PostgreSQL, an empty cell in quotes is an empty text, and one without quotes is
            // absent.
            Some(role @ Role::Field(Field::Id)) if cell.is_empty() && row.is_quoted(place) => {
                fields.put(*role, cell, Tag::Text(cell));
            }
            // An empty message is a message.
            Some(role @ Role::Field(Field::Message)) if !has_digests => {
                fields.put(*role, cell, Tag::Text(cell))
            }
            Some(role) => fields.set(*role, cell),
            None => {}
        }
    }
    Ok(fields)
}
