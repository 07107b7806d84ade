//! Views without the bytes that they do not use: a slice of a column, or some of its rows, has the buffers of all,
//! which would be written with each.

use crate::error::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::ByteViewType;
use arrow_array::{Array, ArrayRef, GenericByteViewArray, RecordBatch, RecordBatchOptions, UInt64Array, make_array};
use arrow_schema::{DataType, Field, Schema};
use arrow_select::take::take;
use std::sync::Arc;

/// A batch with the bytes of its own rows. Dictionaries stay, since batches have them in common.
///
/// # Errors
/// [`Error::Malformed`] for a column that contradicts itself.
pub(crate) fn batch(batch: &RecordBatch) -> Result<RecordBatch, Error> {
    let columns = batch.columns().iter().map(column).collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(batch.schema(), columns, &options)?)
}

fn column(array: &ArrayRef) -> Result<ArrayRef, Error> {
    if array.as_any_dictionary_opt().is_some() {
        return Ok(array.clone());
    }
    if array.data_type().is_nested() && has_views(array.data_type()) {
        // A slice of lists has the values of all.
        let rows = UInt64Array::from_iter_values(0..array.len() as u64);
        return parts(&take(array, &rows, None)?);
    }
    Ok(match array.data_type() {
        DataType::BinaryView => of_views(array, array.as_binary_view()),
        DataType::Utf8View => of_views(array, array.as_string_view()),
        _ => array.clone(),
    })
}

fn parts(array: &ArrayRef) -> Result<ArrayRef, Error> {
    let data = array.to_data();
    let parts = data.child_data().iter().map(|part| Ok(column(&make_array(part.clone()))?.to_data()));
    let parts = parts.collect::<Result<Vec<_>, Error>>()?;
    Ok(make_array(data.into_builder().child_data(parts).build()?))
}

fn of_views<T: ByteViewType + ?Sized>(array: &ArrayRef, views: &GenericByteViewArray<T>) -> ArrayRef {
    let there: usize = views.data_buffers().iter().map(|buffer| buffer.len()).sum();
    // Many views of few bytes would become more.
    if views.total_buffer_bytes_used() < there { Arc::new(views.gc()) } else { array.clone() }
}

fn has_views(data_type: &DataType) -> bool {
    let schema = Schema::new(vec![Field::new("", data_type.clone(), true)]);
    let fields = schema.flattened_fields();
    fields.iter().any(|field| matches!(field.data_type(), DataType::BinaryView | DataType::Utf8View))
}
