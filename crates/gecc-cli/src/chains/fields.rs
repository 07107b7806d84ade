//! The fields of a kind of answer, defined once for lines and columns.

use crate::output::Line;
#[cfg(feature = "arrow")]
use arrow_array::{ArrayRef, FixedSizeBinaryArray, StringArray, UInt32Array, UInt64Array};
#[cfg(feature = "arrow")]
use arrow_schema::DataType;
use gecc_chains::bitcoin::Txid;
use std::borrow::Cow;
#[cfg(feature = "arrow")]
use std::sync::Arc;

/// A field of answers of kind `R`.
pub struct AnswerField<R> {
    pub name: &'static str,
    holds: FieldType,
    absent: MissingValue,
    value: fn(&R) -> Option<FieldValue<'_>>,
}

/// The type of a field's values.
#[derive(Clone, Copy)]
pub enum FieldType {
    U64,
    U32,
    Text,
    /// Bytes of a fixed width, and the prefix of their hexadecimal digits.
    #[cfg_attr(
        not(feature = "arrow"),
        expect(dead_code, reason = "columns alone have a width")
    )]
    Bytes(i32, &'static str),
}

/// The representation of missing values in lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MissingValue {
    /// Every answer has a value.
    Never,
    LeftOut,
    Null,
}

/// The value of a field.
pub enum FieldValue<'a> {
    Number(u64),
    Text(Cow<'a, str>),
    Bytes(&'a [u8]),
    Hash([u8; 32]),
}

impl AsRef<[u8]> for FieldValue<'_> {
    fn as_ref(&self) -> &[u8] {
        match self {
            FieldValue::Number(_) => unreachable!("the field holds numbers"),
            FieldValue::Text(text) => text.as_bytes(),
            FieldValue::Bytes(bytes) => bytes,
            FieldValue::Hash(hash) => hash,
        }
    }
}

#[cfg(feature = "arrow")]
impl<'a> FieldValue<'a> {
    fn number(self) -> Option<u64> {
        if let FieldValue::Number(number) = self {
            Some(number)
        } else {
            None
        }
    }

    fn text(self) -> Option<Cow<'a, str>> {
        if let FieldValue::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }
}

/// Returns a transaction id in the usual notation: the last byte first.
pub fn displayed_txid(txid: &Txid) -> [u8; 32] {
    let mut txid = txid.0;
    txid.reverse();
    txid
}

impl<R> AnswerField<R> {
    pub const fn new(
        name: &'static str,
        holds: FieldType,
        absent: MissingValue,
        value: fn(&R) -> Option<FieldValue<'_>>,
    ) -> Self {
        AnswerField {
            name,
            holds,
            absent,
            value,
        }
    }

    pub fn write(&self, row: &R, line: &mut Line) {
        let prefix = if let FieldType::Bytes(_, prefix) = self.holds {
            prefix
        } else {
            ""
        };
        match (self.value)(row) {
            Some(FieldValue::Number(number)) => line.number(self.name, number),
            Some(FieldValue::Text(text)) => line.text(self.name, &text),
            Some(bytes) => line.hex(self.name, prefix, bytes.as_ref()),
            None if self.absent == MissingValue::Null => line.json(self.name, b"null"),
            None => {}
        }
    }
}

#[cfg(feature = "arrow")]
impl<R> AnswerField<R> {
    pub fn column_type(&self) -> arrow_schema::Field {
        let data_type = match self.holds {
            FieldType::U64 => DataType::UInt64,
            FieldType::U32 => DataType::UInt32,
            FieldType::Text => DataType::Utf8,
            FieldType::Bytes(width, _) => DataType::FixedSizeBinary(width),
        };
        arrow_schema::Field::new(self.name, data_type, self.absent != MissingValue::Never)
    }

    pub fn column(&self, rows: &[&R]) -> ArrayRef {
        let values = rows.iter().map(|row| (self.value)(row));
        match self.holds {
            FieldType::U64 => {
                Arc::new(values.map(|value| value?.number()).collect::<UInt64Array>())
            }
            FieldType::U32 => Arc::new(
                values
                    .map(|value| Some(value?.number()? as u32))
                    .collect::<UInt32Array>(),
            ),
            FieldType::Text => Arc::new(values.map(|value| value?.text()).collect::<StringArray>()),
            FieldType::Bytes(width, _) => {
                let column = FixedSizeBinaryArray::try_from_sparse_iter_with_size(values, width);
                Arc::new(column.expect("values have the width of their field"))
            }
        }
    }
}
