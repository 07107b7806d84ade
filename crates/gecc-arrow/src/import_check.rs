//! Arrays created by other programs, which arrive through Arrow's C interface.

use crate::error::Error;
use crate::pool::Pool;
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowDictionaryKeyType, ByteArrayType, ByteViewType};
use arrow_array::{
    Array, DictionaryArray, GenericByteArray, GenericByteViewArray, downcast_dictionary_array,
};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;
use std::ops::Range;

/// Maximum length of a value that is stored in its view.
const INLINE: u32 = 12;

/// Checks the references of an array into its own memory: offsets, views, keys of dictionaries,
/// lengths of children, and the number of nulls. Readers of arrays do not check these again, so a
/// wrong one makes them access memory out of bounds. Call this for each array created by another
/// program, before it is sliced, combined or read.
///
/// The C interface does not transfer the lengths of buffers, except those of a view's data. A
/// buffer's length follows from the number of rows or the last offset, so these two have to be
/// trusted. Strings are not checked to be UTF-8, except in lists and structs: this crate reads them
/// as bytes.
///
/// # Errors
/// [`Error::Malformed`].
pub fn check_imported(array: &dyn Array) -> Result<(), Error> {
    let wrong = match array.data_type() {
        DataType::Binary => wrong_offset(array.as_binary::<i32>())?,
        DataType::LargeBinary => wrong_offset(array.as_binary::<i64>())?,
        DataType::Utf8 => wrong_offset(array.as_string::<i32>())?,
        DataType::LargeUtf8 => wrong_offset(array.as_string::<i64>())?,
        DataType::BinaryView => wrong_view(array.as_binary_view())?,
        DataType::Utf8View => wrong_view(array.as_string_view())?,
        DataType::Dictionary(..) => {
            check_imported(array.as_any_dictionary().values().as_ref())?;
            downcast_dictionary_array!(array => wrong_key(array)?, other => unreachable!("{other} is a dictionary"))
        }
        // Arrow's own check rejects some arrays without rows whose offsets do not begin with 0.
        _ if array.is_empty() => None,
        other if other.is_nested() || matches!(other, DataType::RunEndEncoded(..)) => {
            return Ok(array.to_data().validate_full()?);
        }
        _ => None,
    };
    if let Some(row) = wrong {
        return Err(malformed(&format!(
            "row {row} lies outside of the array's memory"
        )));
    }
    match array
        .nulls()
        .filter(|nulls| nulls.len() - nulls.inner().count_set_bits() != nulls.null_count())
    {
        Some(nulls) => Err(malformed(&format!(
            "the array states {} nulls, but has another number of them",
            nulls.null_count()
        ))),
        None => Ok(()),
    }
}

fn malformed(problem: &str) -> Error {
    Error::Malformed(format!("Arrow: {problem}"))
}

/// Returns the first row that `wrong` finds in parts of an array, on several threads if it is long.
fn first(
    rows: usize,
    wrong: impl Fn(Range<usize>) -> Option<usize> + Sync,
) -> Result<Option<usize>, Error> {
    let parts =
        Pool::default().map(rows, |rows| wrong(rows.clone()).map(|row| rows.start + row))?;
    Ok(parts.into_iter().flatten().next())
}

/// Returns the first row whose offsets decrease or are outside of the data.
fn wrong_offset<T: ByteArrayType>(array: &GenericByteArray<T>) -> Result<Option<usize>, Error> {
    // An array without rows, which has no parts here, may have an offset and no data.
    let offsets = array.value_offsets();
    let length = array.value_data().len();
    let zero = T::Offset::default();
    first(array.len(), |rows| {
        let from = &offsets[rows.clone()];
        let to = &offsets[rows.start + 1..=rows.end];
        // A loop without an early exit compares several rows at a time.
        let rise = from
            .iter()
            .zip(to)
            .fold(true, |rise, (from, to)| rise & (from <= to));
        if rise && from[0] >= zero && to[to.len() - 1].as_usize() <= length {
            return None;
        }
        from.iter()
            .zip(to)
            .position(|(from, to)| *from < zero || from > to || to.as_usize() > length)
    })
}

/// Returns the first row whose view refers to no buffer, or beyond its end.
fn wrong_view<T: ByteViewType + ?Sized>(
    array: &GenericByteViewArray<T>,
) -> Result<Option<usize>, Error> {
    let buffers = array.data_buffers();
    first(array.len(), |rows| {
        array.views()[rows].iter().position(|view| {
            let length = *view as u32;
            let buffer = (*view >> 64) as u32;
            let offset = (*view >> 96) as u32;
            let end = u64::from(offset) + u64::from(length);
            length > INLINE
                && buffers
                    .get(buffer as usize)
                    .is_none_or(|buffer| end > buffer.len() as u64)
        })
    })
}

/// Returns the first row that is not null and whose key refers to no value.
fn wrong_key<K: ArrowDictionaryKeyType>(
    array: &DictionaryArray<K>,
) -> Result<Option<usize>, Error> {
    let keys = array.keys();
    let values = array.values().len();
    first(keys.len(), |rows| {
        let part = &keys.values()[rows.clone()];
        // A negative key is a large number here. A loop without an early exit compares several keys
        // at a time.
        if part
            .iter()
            .fold(true, |all, key| all & (key.as_usize() < values))
        {
            return None;
        }
        (0..part.len())
            .find(|row| keys.is_valid(rows.start + row) && part[*row].as_usize() >= values)
    })
}
