//! Rewriting the footer of a Parquet file before a decoder receives it: only with the fields that
//! are used here, each with its required type, in the form that all readers interpret alike.

use super::thrift::{Scribe, Walker, kind};
use crate::error::Error;
use FieldType::{Binary, Bool, I8, I32, I64, List, Refused, Struct, Union};

/// The maximum nesting depth of column groups, since readers recurse to that depth.
const SCHEMA_DEPTH: usize = 64;
/// Maximum number of row groups, which have a number of 16 bits.
const ROW_GROUPS: u64 = i16::MAX as u64 + 1;
/// Memory in bytes of a decoded schema element, in Parquet's schema and in two Arrow schemas.
const ELEMENT: u64 = 2048;
/// Memory in bytes of a decoded column of a row group.
const CHUNK: u64 = 640;

/// The required type of a field.
enum FieldType {
    Bool,
    I8,
    I32,
    I64,
    Binary,
    List(&'static FieldType),
    Struct(&'static StructFields),
    /// A struct with exactly one field set, which is omitted if that field is unknown.
    Union(&'static StructFields),
    /// A field that makes the file unsupported.
    Refused(&'static str),
}

/// The fields of a struct that are used. Others are omitted: statistics, indexes and filters are
/// not read.
type StructFields = [(i16, FieldType)];

const ENCRYPTED: FieldType = Refused("the file is encrypted");

const FILE: &StructFields = &[
    (1, I32),
    (2, List(&Struct(SCHEMA_ELEMENT))),
    (3, I64),
    (4, List(&Struct(ROW_GROUP))),
    (5, List(&Struct(KEY_VALUE))),
    (8, ENCRYPTED),
];
const KEY_VALUE: &StructFields = &[(1, Binary), (2, Binary)];
const SCHEMA_ELEMENT: &StructFields = &[
    (1, I32),
    (2, I32),
    (3, I32),
    (4, Binary),
    (5, I32),
    (6, I32),
    (7, I32),
    (8, I32),
    (9, I32),
    (10, Union(LOGICAL_TYPE)),
];
const LOGICAL_TYPE: &StructFields = &[
    (1, Struct(EMPTY)),
    (2, Struct(EMPTY)),
    (3, Struct(EMPTY)),
    (4, Struct(EMPTY)),
    (5, Struct(&[(1, I32), (2, I32)])),
    (6, Struct(EMPTY)),
    (7, Struct(TIME)),
    (8, Struct(TIME)),
    (10, Struct(&[(1, I8), (2, Bool)])),
    (11, Struct(EMPTY)),
    (12, Struct(EMPTY)),
    (13, Struct(EMPTY)),
    (14, Struct(EMPTY)),
    (15, Struct(EMPTY)),
];
const EMPTY: &StructFields = &[];
const TIME: &StructFields = &[
    (1, Bool),
    (
        2,
        Struct(&[(1, Struct(EMPTY)), (2, Struct(EMPTY)), (3, Struct(EMPTY))]),
    ),
];
const ROW_GROUP: &StructFields = &[(1, List(&Struct(COLUMN_CHUNK))), (2, I64), (3, I64)];
const COLUMN_CHUNK: &StructFields = &[
    (2, I64),
    (3, Struct(COLUMN_METADATA)),
    (8, ENCRYPTED),
    (9, ENCRYPTED),
];
const COLUMN_METADATA: &StructFields = &[
    (1, I32),
    (2, List(&I32)),
    (4, I32),
    (5, I64),
    (6, I64),
    (7, I64),
    (9, I64),
    (11, I64),
];

/// Returns the footer for the decoder, after checking that its contents fit in memory.
pub(crate) fn checked_footer(footer: &[u8], max_memory: u64) -> Result<Vec<u8>, Error> {
    let mut copy = Copy {
        from: Walker::new(footer),
        to: Scribe::default(),
    };
    copy.fields(FILE).map_err(malformed)?;
    let footer = copy.to.0;
    let found =
        Extent::read(&footer).ok_or_else(|| malformed("the columns do not make one tree"))?;
    if found.depth > SCHEMA_DEPTH {
        return Err(malformed("columns are nested too deep"));
    }
    within("row groups", found.row_groups, ROW_GROUPS)?;
    let bytes = footer.len() as u64 + found.elements * ELEMENT + found.chunks * CHUNK;
    within("bytes of columns and row groups", bytes, max_memory)?;
    Ok(footer)
}

pub(crate) fn malformed(problem: &str) -> Error {
    Error::Malformed(format!("Parquet: {problem}"))
}

pub(crate) fn within(what: &'static str, found: u64, limit: u64) -> Result<(), Error> {
    if found > limit {
        Err(Error::Limit { what, found, limit })
    } else {
        Ok(())
    }
}

/// The reason why a footer is refused.
type Refusal = &'static str;

const UNREADABLE: Refusal = "the footer cannot be read";

/// Copies known fields.
struct Copy<'a> {
    from: Walker<'a>,
    to: Scribe,
}

impl Copy<'_> {
    /// Copies a struct. Returns the number of fields copied.
    fn fields(&mut self, shape: &StructFields) -> Result<usize, Refusal> {
        let mut last = 0;
        let mut written = 0;
        let mut count = 0;
        while let Some((number, kind)) = self.from.field(&mut last).ok_or(UNREADABLE)? {
            let Some((_, known)) = shape.iter().find(|(known, _)| *known == number) else {
                self.from.skip(kind).ok_or(UNREADABLE)?;
                continue;
            };
            if let Refused(why) = known {
                return Err(why);
            }
            if !known.may_be(kind) {
                return Err("a field of the footer has another type than it has to have");
            }
            let before = (self.to.0.len(), written);
            self.to.field(&mut written, number, kind);
            let copied = self.value(known)?;
            count += copied;
            if copied == 0 {
                self.to.0.truncate(before.0);
                written = before.1;
            }
        }
        self.to.end();
        Ok(count)
    }

    /// Copies a value. Returns 0 if it is to be omitted, otherwise 1.
    fn value(&mut self, kind: &FieldType) -> Result<usize, Refusal> {
        match kind {
            // The type contains the value.
            Bool => {}
            I8 => self.to.0.push(self.from.byte().ok_or(UNREADABLE)?),
            I32 => self.to.number(self.from.i32().ok_or(UNREADABLE)?.into()),
            I64 => self.to.number(self.from.i64().ok_or(UNREADABLE)?),
            Binary => self.to.binary(self.from.binary().ok_or(UNREADABLE)?),
            Struct(shape) => drop(self.fields(shape)?),
            Union(shape) => return Ok((self.fields(shape)? == 1).into()),
            List(element) => {
                let (count, kind) = self.from.list().ok_or(UNREADABLE)?;
                if count > 0 && !element.may_be(kind) {
                    return Err(
                        "a list of the footer has elements of another type than it has to have",
                    );
                }
                self.to.list(count, element.number());
                (0..count).try_for_each(|_| self.value(element).map(drop))?;
            }
            Refused(why) => return Err(why),
        }
        Ok(1)
    }
}

impl FieldType {
    /// Returns the number of the type; for booleans, one of their two.
    fn number(&self) -> u8 {
        match self {
            Bool => kind::TRUE,
            I8 => kind::BYTE,
            I32 => kind::I32,
            I64 => kind::I64,
            Binary => kind::BINARY,
            List(_) => kind::LIST,
            Struct(_) | Union(_) | Refused(_) => kind::STRUCT,
        }
    }

    fn may_be(&self, kind: u8) -> bool {
        self.number() == kind || (matches!(self, Bool) && kind == kind::FALSE)
    }
}

/// The size of the structures in a footer.
#[derive(Default)]
struct Extent {
    elements: u64,
    depth: usize,
    row_groups: u64,
    chunks: u64,
}

impl Extent {
    /// Reads a footer that was written by this module.
    fn read(footer: &[u8]) -> Option<Self> {
        let mut extent = Extent::default();
        let mut walker = Walker::new(footer);
        let mut last = 0;
        while let Some((field, kind)) = walker.field(&mut last)? {
            match field {
                2 => extent.read_schema(&mut walker)?,
                4 => extent.read_row_groups(&mut walker)?,
                _ => walker.skip(kind)?,
            }
        }
        Some(extent)
    }

    /// Reads the schema, whose elements are in depth-first order, each with its number of children.
    fn read_schema(&mut self, walker: &mut Walker) -> Option<()> {
        let (count, _) = walker.list()?;
        self.elements = count as u64;
        // The number of remaining children of each open group, initially the root itself.
        let mut open = vec![1];
        for left in (0..count as u64).rev() {
            let children = schema_children(walker)?;
            // There are more elements than the tree has.
            *open.last_mut()? -= 1;
            // There are more children than remaining elements.
            if children > left {
                return None;
            }
            self.depth = self.depth.max(open.len());
            open.push(children);
            while open.last() == Some(&0) {
                open.pop();
            }
        }
        open.is_empty().then_some(())
    }

    fn read_row_groups(&mut self, walker: &mut Walker) -> Option<()> {
        let (count, _) = walker.list()?;
        self.row_groups = count as u64;
        for _ in 0..count {
            let mut last = 0;
            while let Some((field, kind)) = walker.field(&mut last)? {
                if field == 1 {
                    let (count, kind) = walker.list()?;
                    self.chunks += count as u64;
                    (0..count).try_for_each(|_| walker.skip(kind))?;
                } else {
                    walker.skip(kind)?;
                }
            }
        }
        Some(())
    }
}

fn schema_children(walker: &mut Walker) -> Option<u64> {
    let mut last = 0;
    let mut children = 0;
    while let Some((field, kind)) = walker.field(&mut last)? {
        match field {
            5 => children = walker.i32()?.try_into().ok()?,
            _ => walker.skip(kind)?,
        }
    }
    Some(children)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a group or a column with a name of one letter.
    fn element(scribe: &mut Scribe, children: Option<i64>) {
        let mut last = 0;
        if children.is_none() {
            scribe.field(&mut last, 1, kind::I32);
            scribe.number(1);
        }
        scribe.field(&mut last, 3, kind::I32);
        scribe.number(0);
        scribe.field(&mut last, 4, kind::BINARY);
        scribe.binary(b"c");
        if let Some(children) = children {
            scribe.field(&mut last, 5, kind::I32);
            scribe.number(children);
        }
        scribe.end();
    }

    /// Returns a footer with these elements and no row group.
    fn footer(elements: &[Option<i64>]) -> Vec<u8> {
        let mut scribe = Scribe::default();
        let mut last = 0;
        scribe.field(&mut last, 1, kind::I32);
        scribe.number(1);
        scribe.field(&mut last, 2, kind::LIST);
        scribe.list(elements.len(), kind::STRUCT);
        elements
            .iter()
            .for_each(|children| element(&mut scribe, *children));
        scribe.field(&mut last, 3, kind::I64);
        scribe.number(0);
        scribe.field(&mut last, 4, kind::LIST);
        scribe.list(0, kind::STRUCT);
        scribe.end();
        scribe.0
    }

    fn refused(footer: &[u8]) -> String {
        checked_footer(footer, 1 << 20).unwrap_err().to_string()
    }

    #[test]
    fn checked_footer_keeps_a_valid_footer_unchanged() {
        let clean = footer(&[Some(2), None, Some(1), None]);
        assert_eq!(checked_footer(&clean, 1 << 20).unwrap(), clean);
    }

    #[test]
    fn checked_footer_omits_unknown_fields() {
        let clean = footer(&[Some(1), None]);
        let body = &clean[..clean.len() - 1];
        // Fields 6 (a text), 7 (a list of structs), and 20 (a boolean).
        let more = [
            body,
            &[0x28, 2, b'a', b'b', 0x19, 0x1c, 0x00, 0x02, 0x28, 0x00],
        ]
        .concat();
        assert_eq!(checked_footer(&more, 1 << 20).unwrap(), clean);
    }

    /// Creates a footer with one column, to which the bytes of its logical type are added.
    fn footer_with_type(logical: &[u8]) -> Vec<u8> {
        let column = [&[0x15, 2, 0x25, 0, 0x18, 1, b'c'][..], logical, &[0]].concat();
        [
            &[0x15, 2, 0x19, 0x2c, 0x35, 0, 0x18, 1, b'c', 0x15, 2, 0][..],
            &column,
            &[0x16, 0, 0x19, 0x0c, 0],
        ]
        .concat()
    }

    #[test]
    fn checked_footer_omits_unknown_logical_types() {
        let clean = footer_with_type(&[]);
        assert_eq!(checked_footer(&clean, 1 << 20).unwrap(), clean);
        // Field 10, in which field 1 (a text) or 9 is set.
        let text = footer_with_type(&[0x6c, 0x1c, 0, 0]);
        assert_eq!(checked_footer(&text, 1 << 20).unwrap(), text);
        assert_eq!(
            checked_footer(&footer_with_type(&[0x6c, 0x9c, 0, 0]), 1 << 20).unwrap(),
            clean
        );
    }

    /// Creates a footer with one column within `groups` nested groups.
    fn nested_footer(groups: usize) -> Vec<u8> {
        footer(&[vec![Some(1); groups], vec![None]].concat())
    }

    /// Creates a footer with `columns` columns.
    fn wide_footer(columns: usize) -> Vec<u8> {
        footer(&[vec![Some(columns as i64)], vec![None; columns]].concat())
    }

    #[test]
    fn checked_footer_rejects_contradictory_schema_trees() {
        let wrong: [&[Option<i64>]; 8] = [
            &[],
            &[Some(2), None],
            &[Some(1), None, None],
            &[Some(i32::MAX.into()), None],
            &[Some(-1), None],
            &[None, None],
            &[Some(1), Some(2), None],
            &[Some(2), Some(1), None],
        ];
        for elements in wrong {
            assert!(
                refused(&footer(elements)).contains("do not make one tree"),
                "{elements:?}"
            );
        }
        // The root is the first level.
        checked_footer(&nested_footer(SCHEMA_DEPTH - 1), 1 << 20).unwrap();
        assert!(refused(&nested_footer(SCHEMA_DEPTH)).contains("nested too deep"));
        assert!(refused(&nested_footer(400)).contains("nested too deep"));
    }

    #[test]
    fn columns_are_bounded_by_memory() {
        checked_footer(&wide_footer(400), 1 << 20).unwrap();
        assert!(refused(&wide_footer(600)).contains("bytes of columns and row groups"));
    }

    #[test]
    fn checked_footer_rejects_fields_of_other_types() {
        // The list of row groups as a number, or with elements that are numbers; the schema as a
        // set; rows as text.
        for fields in [
            &[0x45, 0xfe, 0xff, 0xff, 0xff, 0x0f][..],
            &[0x49, 0x15, 0x00],
            &[0x2a, 0x0c],
            &[0x38, 0],
        ] {
            assert!(
                refused(&[fields, &[0]].concat()).contains("of another type")
                    || refused(&[fields, &[0]].concat()).contains("another type than")
            );
        }
        // By a number that is 4 modulo 2^16.
        assert!(refused(&[0x09, 0x88, 0x80, 0x08, 0x0c, 0x00]).contains("cannot be read"));
        assert!(refused(&[0x8c, 0x00, 0x00]).contains("encrypted"));
    }
}
