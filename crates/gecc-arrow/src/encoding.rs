//! Detection of the encodings of byte strings in text columns.

use crate::cells::Cells;
use crate::error::Error;
use crate::mapping::column_of;
use crate::operation::TableOperation;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use gecc::fields::{Encoding, Encodings, Field, FieldEncodings, Mapping};

/// Returns the fields whose text encoding a mapping does not specify, each with its column's
/// position.
///
/// # Errors
/// The same as for [`column_of`].
pub(crate) fn fields_without_encoding(
    operation: &TableOperation,
    mapping: &Mapping,
    schema: &Schema,
) -> Result<Vec<(Field, usize)>, Error> {
    let mut found = Vec::new();
    for field in Field::ALL {
        let is_decimal = mapping.decimal && matches!(field, Field::R | Field::S);
        let is_decoded =
            operation.reads(field) && Encoding::is_of(field, mapping.text_messages) && !is_decimal;
        if !is_decoded || mapping.encodings.of(field).is_some() {
            continue;
        }
        if let Some(position) = column_of(mapping, field, schema)?
            && is_text(schema.field(position).data_type())
        {
            found.push((field, position));
        }
    }
    Ok(found)
}

/// Returns whether the encoding of byte strings in text is detected from the first rows, because
/// the mapping does not specify it.
pub fn detects_encoding(operation: &TableOperation, mapping: &Mapping, schema: &Schema) -> bool {
    !fields_without_encoding(operation, mapping, schema).is_ok_and(|fields| fields.is_empty())
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text(values),
        other => other.is_string(),
    }
}

/// Detects the encodings of these columns from the first rows, and adds them to the given ones.
///
/// # Errors
/// [`Error::Columns`], the same as for [`Encodings::decide`].
pub(crate) fn detected_encodings(
    columns: &[(Field, usize)],
    first: &RecordBatch,
    given: FieldEncodings,
    text_messages: bool,
) -> Result<FieldEncodings, Error> {
    let cells_of_columns: Vec<(Field, Cells)> = columns
        .iter()
        .map(|(field, position)| (*field, Cells::of(first.column(*position).as_ref())))
        .collect();
    let mut seen = Encodings::default();
    for row in 0..first.num_rows() {
        for (field, cells) in &cells_of_columns {
            let text = cells
                .get(row)
                .ok()
                .and_then(|text| str::from_utf8(text).ok());
            if let Some(text) = text {
                seen.see(*field, text);
            }
        }
        if !seen.end_row() {
            break;
        }
    }
    let decided = seen
        .decide(given, text_messages)
        .map_err(|unclear| Error::Columns(unclear.to_string()))?;
    let of_columns = columns
        .iter()
        .filter_map(|(field, _)| Some((*field, decided.of(*field)?)));
    Ok(of_columns.fold(given, |encodings, (field, encoding)| {
        encodings.with(field, encoding)
    }))
}
