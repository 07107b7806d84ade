//! Memory held by columns, and the size of their values: a few values in memory can represent very
//! many in a table.

use crate::cells::{Cells, holds_bytes};
use arrow_array::cast::AsArray;
use arrow_array::types::RunEndIndexType;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, RecordBatch, RunArray, downcast_run_array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;
use std::collections::HashSet;

/// Returns the memory of a batch in bytes. An allocation that columns share is counted once.
pub(crate) fn held(batch: &RecordBatch) -> u64 {
    newly_held(batch, &mut HashSet::new())
}

/// Returns the memory of a batch in bytes, without allocations that were seen before.
pub(crate) fn newly_held(batch: &RecordBatch, seen: &mut HashSet<usize>) -> u64 {
    let mut bytes = 0;
    each_buffer(batch, |buffer| {
        if seen.insert(buffer.data_ptr().addr().get()) {
            bytes += buffer.capacity() as u64;
        }
    });
    bytes
}

/// Calls `see` with every buffer of the columns and of their parts.
pub(crate) fn each_buffer(batch: &RecordBatch, mut see: impl FnMut(&arrow_buffer::Buffer)) {
    let mut left: Vec<_> = batch
        .columns()
        .iter()
        .map(|column| column.to_data())
        .collect();
    while let Some(data) = left.pop() {
        data.buffers()
            .iter()
            .chain(data.nulls().map(|nulls| nulls.buffer()))
            .for_each(&mut see);
        left.extend_from_slice(data.child_data());
    }
}

/// Returns the size of the values of all columns in bytes, if each row had its own.
pub(crate) fn stands_for(batch: &RecordBatch) -> u64 {
    batch
        .columns()
        .iter()
        .fold(0, |sum, column| sum.saturating_add(of_array(column)))
}

fn of_array(array: &ArrayRef) -> u64 {
    let rows = array.len() as u64;
    match array.data_type() {
        DataType::FixedSizeBinary(width) => rows * *width as u64,
        DataType::Binary => between(array.as_binary::<i32>().value_offsets()),
        DataType::LargeBinary => between(array.as_binary::<i64>().value_offsets()),
        DataType::Utf8 => between(array.as_string::<i32>().value_offsets()),
        DataType::LargeUtf8 => between(array.as_string::<i64>().value_offsets()),
        DataType::BinaryView => of_views(array.as_binary_view().views()),
        DataType::Utf8View => of_views(array.as_string_view().views()),
        DataType::Dictionary(..) if holds_bytes(array.data_type()) => {
            let cells = Cells::of(array.as_ref());
            (0..array.len())
                .map(|row| cells.get(row).map_or(0, |cell| cell.len() as u64))
                .sum()
        }
        DataType::Struct(_) => array.as_struct().columns().iter().map(of_array).sum(),
        DataType::List(_) => of_list(
            array.as_list::<i32>().value_offsets(),
            array.as_list::<i32>().values(),
        ),
        DataType::LargeList(_) => of_list(
            array.as_list::<i64>().value_offsets(),
            array.as_list::<i64>().values(),
        ),
        DataType::Map(..) => {
            let map = array.as_map();
            let entries: ArrayRef = std::sync::Arc::new(map.entries().clone());
            of_list(map.value_offsets(), &entries)
        }
        DataType::FixedSizeList(..) => of_array(array.as_fixed_size_list().values()),
        DataType::ListView(_) => of_list_view(array.as_list_view::<i32>()),
        DataType::LargeListView(_) => of_list_view(array.as_list_view::<i64>()),
        DataType::RunEndEncoded(..) => downcast_run_array!(array => of_runs(array), _ => 0),
        other => rows * other.primitive_width().unwrap_or(1) as u64,
    }
}

fn between<O: ArrowNativeType>(offsets: &[O]) -> u64 {
    (offsets[offsets.len() - 1].as_usize() - offsets[0].as_usize()) as u64
}

fn of_views(views: &[u128]) -> u64 {
    views.iter().map(|view| u64::from(*view as u32)).sum()
}

fn of_list<O: ArrowNativeType>(offsets: &[O], values: &ArrayRef) -> u64 {
    of_array(&values.slice(offsets[0].as_usize(), between(offsets) as usize))
}

/// Sums lists that may share values.
fn of_list_view<O: OffsetSizeTrait>(lists: &arrow_array::GenericListViewArray<O>) -> u64 {
    (0..lists.len())
        .map(|row| of_array(&lists.value(row)))
        .sum()
}

fn of_runs<R: RunEndIndexType>(runs: &RunArray<R>) -> u64 {
    let mut before = 0;
    let mut bytes = 0u64;
    for (run, end) in runs.run_ends().sliced_values().enumerate() {
        let value = of_array(
            &runs
                .values()
                .slice(runs.run_ends().get_start_physical_index() + run, 1),
        );
        bytes = bytes.saturating_add(value.saturating_mul((end.as_usize() - before) as u64));
        before = end.as_usize();
    }
    bytes
}
