//! Removal of values that the rows of a column do not use. A slice of a column, or a selection of
//! its rows, keeps the buffers of all views and all values of list views and unions, which would be
//! written with each part.

use crate::error::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::{ByteViewType, RunEndIndexType};
use arrow_array::{
    Array, ArrayRef, GenericByteViewArray, GenericListViewArray, OffsetSizeTrait, PrimitiveArray,
    RecordBatch, RecordBatchOptions, RunArray, UnionArray, downcast_run_array, make_array,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema, UnionMode};
use std::sync::Arc;

/// Compacts a batch to the bytes of its own rows. Dictionaries are kept, since batches share them.
///
/// # Errors
/// [`Error::Malformed`] for a column that contradicts itself.
pub(crate) fn batch(batch: &RecordBatch) -> Result<RecordBatch, Error> {
    let columns = batch
        .columns()
        .iter()
        .map(column)
        .collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(
        batch.schema(),
        columns,
        &options,
    )?)
}

/// Compacts a column. Values are sliced and not taken row by row, because any number of rows may
/// share them.
fn column(array: &ArrayRef) -> Result<ArrayRef, Error> {
    Ok(match array.data_type() {
        DataType::BinaryView => of_views(array, array.as_binary_view()),
        DataType::Utf8View => of_views(array, array.as_string_view()),
        DataType::Dictionary(..) => array.clone(),
        found if !keeps_all(found) => array.clone(),
        DataType::List(_) => of_lists(array, array.as_list::<i32>().offsets())?,
        DataType::LargeList(_) => of_lists(array, array.as_list::<i64>().offsets())?,
        DataType::Map(..) => of_lists(array, array.as_map().offsets())?,
        DataType::ListView(_) => of_list_views(array.as_list_view::<i32>())?,
        DataType::LargeListView(_) => of_list_views(array.as_list_view::<i64>())?,
        DataType::Union(_, UnionMode::Dense) => of_union(array.as_union())?,
        DataType::RunEndEncoded(..) => {
            downcast_run_array!(array => of_runs(array)?, _ => array.clone())
        }
        // The children of others are slices already.
        _ => parts(array)?,
    })
}

fn parts(array: &ArrayRef) -> Result<ArrayRef, Error> {
    let data = array.to_data();
    let parts = data
        .child_data()
        .iter()
        .map(|part| Ok(column(&make_array(part.clone()))?.to_data()));
    let parts = parts.collect::<Result<Vec<_>, Error>>()?;
    Ok(make_array(data.into_builder().child_data(parts).build()?))
}

fn of_views<T: ByteViewType + ?Sized>(
    array: &ArrayRef,
    views: &GenericByteViewArray<T>,
) -> ArrayRef {
    let there: usize = views.data_buffers().iter().map(|buffer| buffer.len()).sum();
    // Many views of few bytes would become larger.
    if views.total_buffer_bytes_used() < there {
        Arc::new(views.gc())
    } else {
        array.clone()
    }
}

fn of_lists<O: OffsetSizeTrait>(
    array: &ArrayRef,
    offsets: &OffsetBuffer<O>,
) -> Result<ArrayRef, Error> {
    let first = offsets[0];
    let end = offsets[array.len()];
    let data = array.to_data();
    let values =
        make_array(data.child_data()[0].clone()).slice(first.as_usize(), (end - first).as_usize());
    let offsets: ScalarBuffer<O> = offsets.iter().map(|place| *place - first).collect();
    let lists = data
        .into_builder()
        .buffers(vec![offsets.into_inner()])
        .child_data(vec![column(&values)?.to_data()]);
    Ok(make_array(lists.build()?))
}

fn of_list_views<O: OffsetSizeTrait>(lists: &GenericListViewArray<O>) -> Result<ArrayRef, Error> {
    let (field, offsets, sizes, values, nulls) = lists.clone().into_parts();
    // Lists without values may have any offset.
    let used = offsets
        .iter()
        .zip(sizes.iter())
        .filter(|(_, size)| !size.is_zero());
    let first = used
        .clone()
        .map(|(offset, _)| offset.as_usize())
        .min()
        .unwrap_or_default();
    let end = used
        .map(|(offset, size)| offset.as_usize() + size.as_usize())
        .max()
        .unwrap_or_default();
    let values = column(&values.slice(first, end - first))?;
    let offsets = offsets
        .iter()
        .zip(sizes.iter())
        .map(|(offset, size)| {
            if size.is_zero() {
                O::zero()
            } else {
                *offset - O::usize_as(first)
            }
        })
        .collect();
    Ok(Arc::new(GenericListViewArray::try_new(
        field, offsets, sizes, values, nulls,
    )?))
}

fn of_union(union: &UnionArray) -> Result<ArrayRef, Error> {
    let (fields, types, places, mut children) = union.clone().into_parts();
    let places = places.unwrap_or_default();
    let mut first = [0; 1 << 7];
    for ((of, _), child) in fields.iter().zip(&mut children) {
        let used = types
            .iter()
            .zip(places.iter())
            .filter(|(found, _)| **found == of)
            .map(|(_, place)| *place);
        let start = used.clone().min().unwrap_or_default();
        let length = used.max().map_or(0, |last| (last - start) as usize + 1);
        *child = column(&child.slice(start as usize, length))?;
        first[of as usize] = start;
    }
    let places = types
        .iter()
        .zip(places.iter())
        .map(|(of, place)| place - first[*of as usize])
        .collect();
    Ok(Arc::new(UnionArray::try_new(
        fields,
        types,
        Some(places),
        children,
    )?))
}

fn of_runs<R: RunEndIndexType>(runs: &RunArray<R>) -> Result<ArrayRef, Error> {
    let ends = PrimitiveArray::<R>::from_iter_values(runs.run_ends().sliced_values());
    let parts = vec![ends.to_data(), column(&runs.values_slice())?.to_data()];
    Ok(make_array(
        runs.to_data()
            .into_builder()
            .offset(0)
            .child_data(parts)
            .build()?,
    ))
}

/// Returns whether a slice of this type retains more than its rows or is not written as a slice:
/// Arrow's writer starts a union within lists at the start of its buffers.
fn keeps_all(data_type: &DataType) -> bool {
    use DataType::{BinaryView, LargeListView, ListView, Union, Utf8View};
    let schema = Schema::new(vec![Field::new("", data_type.clone(), true)]);
    let fields = schema.flattened_fields();
    fields.iter().any(|field| {
        matches!(
            field.data_type(),
            BinaryView | Utf8View | ListView(_) | LargeListView(_) | Union(..)
        )
    })
}
