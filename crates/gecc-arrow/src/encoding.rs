//! Detection of the encodings of byte strings in text columns.

use crate::cells::Cells;
use crate::error::Error;
use crate::mapping::column_of;
use crate::operation::Operation;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use gecc::fields::{Encoding, Encodings, Field, FieldEncodings, Mapping};

/// Returns the fields whose text encoding a mapping does not specify, each with its column's
/// position.
///
/// # Errors
/// The same as for [`column_of`].
pub(crate) fn fields_without_encoding(
    operation: &Operation,
    mapping: &Mapping,
    schema: &Schema,
) -> Result<Vec<(Field, usize)>, Error> {
    let is_decimal = |field: &Field| mapping.decimal && matches!(field, Field::R | Field::S);
    let is_unsaid =
        |field: &Field| operation.reads(*field) && mapping.encodings.of(*field).is_none() && !is_decimal(field);
    let fields = Field::ALL.into_iter().filter(is_unsaid);
    let fields = fields.filter(|field| Encoding::is_of(*field, mapping.text_messages));
    let found = fields.filter_map(|field| {
        let place = column_of(mapping, field, schema).transpose()?;
        Some(place.map(|place| (field, place)))
    });
    let mut found = found.collect::<Result<Vec<_>, _>>()?;
    found.retain(|(_, place)| is_text(schema.field(*place).data_type()));
    Ok(found)
}

/// Returns whether the encoding of byte strings in text is detected from the first rows, because
/// the mapping does not specify it.
pub fn is_by_first_rows(operation: &Operation, mapping: &Mapping, schema: &Schema) -> bool {
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
    let cells_of = |(field, place): &(Field, usize)| (*field, Cells::of(first.column(*place).as_ref()));
    let cells_of_columns: Vec<(Field, Cells)> = columns.iter().map(cells_of).collect();
    let mut seen = Encodings::default();
    for row in 0..first.num_rows() {
        for (field, cells) in &cells_of_columns {
            let text = cells.get(row).ok().and_then(|text| str::from_utf8(text).ok());
            text.into_iter().for_each(|text| seen.see(*field, text));
        }
        if !seen.end_row() {
            break;
        }
    }
    let decided = seen.decide(given, text_messages).map_err(|unclear| Error::Columns(unclear.to_string()))?;
    let of_columns = columns.iter().filter_map(|(field, _)| Some((*field, decided.of(*field)?)));
    Ok(of_columns.fold(given, |encodings, (field, encoding)| encodings.with(field, encoding)))
}
