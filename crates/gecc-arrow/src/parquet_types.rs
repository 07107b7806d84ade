//! Conversion of columns for Parquet's writer. It writes dictionaries of fixed-width values with a
//! length before each value, and fails on dictionaries of views: both are converted to their
//! values. It writes dates in milliseconds and times in seconds, which Parquet does not have, as
//! plain integers: they are converted to dates in days and times in milliseconds.

use crate::error::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType,
    Time32SecondType, TimestampSecondType,
};
use arrow_array::{
    Array, ArrayRef, Date32Array, Time32MillisecondArray, TimestampMillisecondArray, make_array,
};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use arrow_select::take::take;
use std::sync::Arc;

/// Returns a schema with the types that Parquet's writer receives.
pub(crate) fn schema(schema: &SchemaRef) -> SchemaRef {
    let fields: Fields = schema.fields().iter().map(field).collect();
    if fields == *schema.fields() {
        return schema.clone();
    }
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Converts a column to the type in [`schema`].
///
/// # Errors
/// [`Error::Malformed`] for a dictionary whose keys have no values, and for times out of Parquet's
/// range.
pub(crate) fn column(array: &ArrayRef) -> Result<ArrayRef, Error> {
    let unpacked = data_type(array.data_type());
    if unpacked == *array.data_type() {
        return Ok(array.clone());
    }
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        return column(&take(dictionary.values(), dictionary.keys(), None)?);
    }
    let data = array.to_data();
    if data.child_data().is_empty() {
        return in_unit_of_parquet(array);
    }
    let parts = data
        .child_data()
        .iter()
        .map(|part| Ok(column(&make_array(part.clone()))?.to_data()));
    let parts = parts.collect::<Result<Vec<_>, Error>>()?;
    Ok(make_array(
        data.into_builder()
            .data_type(unpacked)
            .child_data(parts)
            .build()?,
    ))
}

/// Converts dates to days, and times to milliseconds.
fn in_unit_of_parquet(array: &ArrayRef) -> Result<ArrayRef, Error> {
    const MILLISECONDS: i64 = 1000;
    const OF_DAY: i64 = 86_400 * MILLISECONDS;
    Ok(match array.data_type() {
        DataType::Date64 => {
            let dates = array.as_primitive::<Date64Type>();
            let days: Date32Array = dates.try_unary(|value| {
                i32::try_from(value.div_euclid(OF_DAY)).map_err(|_| too_far())
            })?;
            Arc::new(days)
        }
        DataType::Timestamp(TimeUnit::Second, zone) => {
            let times = array.as_primitive::<TimestampSecondType>();
            let milliseconds: TimestampMillisecondArray =
                times.try_unary(|value| value.checked_mul(MILLISECONDS).ok_or_else(too_far))?;
            Arc::new(milliseconds.with_timezone_opt(zone.clone()))
        }
        DataType::Time32(TimeUnit::Second) => {
            let times = array.as_primitive::<Time32SecondType>();
            let milliseconds: Time32MillisecondArray = times
                .try_unary(|value| value.checked_mul(MILLISECONDS as i32).ok_or_else(too_far))?;
            Arc::new(milliseconds)
        }
        _ => array.clone(),
    })
}

fn too_far() -> Error {
    Error::Malformed(
        "a date or a time is too far away for Parquet; Arrow as output keeps it".to_owned(),
    )
}

/// Checks that decimals have no more digits than their type: Parquet cannot store more, and its
/// writer truncates them.
///
/// # Errors
/// [`Error::Malformed`] for a decimal with more digits. Arrow calls such a column invalid.
pub(crate) fn check_decimals(array: &ArrayRef) -> Result<(), Error> {
    fn check<T: DecimalType>(array: &ArrayRef, precision: u8) -> Result<(), Error> {
        let mut values = array.as_primitive::<T>().iter().flatten();
        if values.all(|value| T::is_valid_decimal_precision(value, precision)) {
            return Ok(());
        }
        let text = "a decimal has more digits than its type, which Parquet has no room for; Arrow as output keeps it";
        Err(Error::Malformed(format!("{text} ({})", array.data_type())))
    }
    match array.data_type() {
        DataType::Decimal32(precision, _) => check::<Decimal32Type>(array, *precision),
        DataType::Decimal64(precision, _) => check::<Decimal64Type>(array, *precision),
        DataType::Decimal128(precision, _) => check::<Decimal128Type>(array, *precision),
        DataType::Decimal256(precision, _) => check::<Decimal256Type>(array, *precision),
        found if found.is_nested() || matches!(found, DataType::Dictionary(..)) => array
            .to_data()
            .child_data()
            .iter()
            .try_for_each(|part| check_decimals(&make_array(part.clone()))),
        _ => Ok(()),
    }
}

fn field(field: &FieldRef) -> FieldRef {
    let unpacked = data_type(field.data_type());
    if unpacked == *field.data_type() {
        return field.clone();
    }
    Arc::new(Field::clone(field).with_data_type(unpacked))
}

fn data_type(found: &DataType) -> DataType {
    use DataType::{
        BinaryView, Date32, Date64, Dictionary, FixedSizeBinary, FixedSizeList, LargeList,
        LargeListView, List, ListView, Map, RunEndEncoded, Struct, Time32, Timestamp, Utf8View,
    };
    match found {
        Dictionary(_, values) if matches!(**values, FixedSizeBinary(_) | BinaryView | Utf8View) => {
            (**values).clone()
        }
        Dictionary(_, values) if data_type(values) != **values => data_type(values),
        Date64 => Date32,
        Timestamp(TimeUnit::Second, zone) => Timestamp(TimeUnit::Millisecond, zone.clone()),
        Time32(TimeUnit::Second) => Time32(TimeUnit::Millisecond),
        List(part) => List(field(part)),
        LargeList(part) => LargeList(field(part)),
        ListView(part) => ListView(field(part)),
        LargeListView(part) => LargeListView(field(part)),
        FixedSizeList(part, length) => FixedSizeList(field(part), *length),
        Struct(parts) => Struct(parts.iter().map(field).collect()),
        Map(entries, is_sorted) => Map(field(entries), *is_sorted),
        RunEndEncoded(ends, values) => RunEndEncoded(ends.clone(), field(values)),
        other => other.clone(),
    }
}

/// Returns the first column of a schema that has a part for which Parquet has no type.
pub(crate) fn without_place(schema: &Schema) -> Option<&Field> {
    /// Dictionaries are searched separately, because their values have no field.
    fn is_union(data_type: &DataType) -> bool {
        match data_type {
            DataType::Union(..) => true,
            DataType::Dictionary(_, values) => is_union(values),
            _ => false,
        }
    }
    fn has_union(column: &FieldRef) -> bool {
        let column = Schema::new(vec![Arc::clone(column)]);
        column
            .flattened_fields()
            .iter()
            .any(|part| is_union(part.data_type()))
    }
    schema
        .fields()
        .iter()
        .find(|column| has_union(column))
        .map(AsRef::as_ref)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::{Int8Type, Int32Type};
    use arrow_array::{
        BinaryViewArray, Date64Array, DictionaryArray, FixedSizeBinaryArray, Int8Array, Int32Array,
        ListArray, PrimitiveArray, RunArray, StringArray, StructArray, Time32SecondArray,
        TimestampSecondArray,
    };
    use arrow_buffer::{NullBuffer, OffsetBuffer, i256};

    fn fixed(rows: &[Option<[u8; 2]>]) -> FixedSizeBinaryArray {
        FixedSizeBinaryArray::try_from_sparse_iter_with_size(rows.iter().copied(), 2).unwrap()
    }

    #[test]
    fn dictionaries_of_fixed_width_and_of_views_become_their_values() {
        let keys = Int8Array::from(vec![Some(1), None, Some(0), Some(2), Some(1)]);
        let values = fixed(&[Some([1, 2]), Some([3, 4]), None]);
        let dictionary: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(
            keys.clone(),
            Arc::new(values),
        ));
        let expected = fixed(&[Some([3, 4]), None, Some([1, 2]), None, Some([3, 4])]);
        assert_eq!(
            column(&dictionary).unwrap().as_fixed_size_binary(),
            &expected
        );
        assert_eq!(
            column(&dictionary.slice(2, 3))
                .unwrap()
                .as_fixed_size_binary(),
            &expected.slice(2, 3)
        );
        let views = BinaryViewArray::from_iter_values([b"a", b"b", b"c"]);
        let of_views: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(
            keys.clone(),
            Arc::new(views),
        ));
        let unpacked = column(&of_views).unwrap();
        assert_eq!(
            unpacked.as_binary_view().iter().next(),
            Some(Some(&b"b"[..]))
        );
        // Within a list within a struct, of which a slice is converted.
        let list = ListArray::new(
            Arc::new(Field::new("item", dictionary.data_type().clone(), true)),
            OffsetBuffer::from_lengths([2, 0, 3]),
            dictionary,
            None,
        );
        let field = Arc::new(Field::new("list", list.data_type().clone(), true));
        let nested: ArrayRef =
            Arc::new(StructArray::from(vec![(field, Arc::new(list) as ArrayRef)]));
        let unpacked = column(&nested.slice(1, 2)).unwrap();
        let lists = unpacked.as_struct().column(0).as_list::<i32>().clone();
        assert_eq!(lists.value(1).as_fixed_size_binary(), &expected.slice(2, 3));
        assert_eq!(unpacked.data_type(), &data_type(nested.data_type()));
        // Dictionaries that Parquet's writer supports are kept.
        let texts: ArrayRef = Arc::new(DictionaryArray::new(
            keys,
            Arc::new(StringArray::from(vec!["a", "b", "c"])),
        ));
        assert!(Arc::ptr_eq(&column(&texts).unwrap(), &texts));
        let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
        assert!(Arc::ptr_eq(&column(&numbers).unwrap(), &numbers));
        let numbers = DictionaryArray::<Int8Type>::new(
            Int8Array::from(vec![0]),
            Arc::new(PrimitiveArray::<Int32Type>::from(vec![7])),
        );
        assert_eq!(&data_type(numbers.data_type()), numbers.data_type());
    }

    /// Returns columns of 7 and `value`, in every type of decimals, with three digits.
    fn decimals(value: i32, nulls: Option<&NullBuffer>) -> [ArrayRef; 4] {
        fn column<T: DecimalType>(values: [T::Native; 2], nulls: Option<&NullBuffer>) -> ArrayRef {
            let column = PrimitiveArray::<T>::new(values.to_vec().into(), nulls.cloned());
            Arc::new(column.with_precision_and_scale(3, 1).unwrap())
        }
        [
            column::<Decimal32Type>([7, value], nulls),
            column::<Decimal64Type>([7, value.into()], nulls),
            column::<Decimal128Type>([7, value.into()], nulls),
            column::<Decimal256Type>([7, value].map(|value| i256::from_i128(value.into())), nulls),
        ]
    }

    /// Returns a row that is a list of the column's values.
    fn in_list(column: ArrayRef) -> ArrayRef {
        let item = Arc::new(Field::new("item", column.data_type().clone(), true));
        Arc::new(ListArray::new(
            item,
            OffsetBuffer::from_lengths([2]),
            column,
            None,
        ))
    }

    fn in_dictionary(column: ArrayRef) -> ArrayRef {
        Arc::new(DictionaryArray::new(Int8Array::from(vec![1, 0]), column))
    }

    #[test]
    fn decimals_with_more_digits_than_their_type_are_errors() {
        let of_first = NullBuffer::from(vec![false, true]);
        let of_second = NullBuffer::from(vec![true, false]);
        for (value, of_nulls, fits) in [
            (999, None, true),
            (-999, None, true),
            (1000, None, false),
            (-1000, None, false),
        ]
        .into_iter()
        .chain([
            (1000, Some(&of_second), true),
            (1000, Some(&of_first), false),
        ]) {
            for column in decimals(value, of_nulls) {
                for column in [
                    column.clone(),
                    in_list(column.clone()),
                    in_dictionary(column),
                ] {
                    let checked = check_decimals(&column);
                    assert_eq!(checked.is_ok(), fits, "{value} {column:?}");
                    if let Err(problem) = checked {
                        assert!(
                            problem.to_string().contains("more digits than its type"),
                            "{problem}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn dates_and_times_have_a_unit_of_parquet() {
        let dates: ArrayRef = Arc::new(Date64Array::from(vec![
            Some(86_400_000 * 11),
            None,
            Some(-1),
        ]));
        let days: ArrayRef = Arc::new(Date32Array::from(vec![Some(11), None, Some(-1)]));
        let times: ArrayRef = Arc::new(Time32SecondArray::from(vec![1, 86_399]));
        let of_times: ArrayRef = Arc::new(Time32MillisecondArray::from(vec![1000, 86_399_000]));
        let moments =
            TimestampSecondArray::from(vec![Some(-7), None]).with_timezone("Europe/Berlin");
        let of_moments =
            TimestampMillisecondArray::from(vec![Some(-7000), None]).with_timezone("Europe/Berlin");
        let of_moments: ArrayRef = Arc::new(of_moments);
        for (from, to) in [
            (&dates, &days),
            (&times, &of_times),
            (&(Arc::new(moments) as ArrayRef), &of_moments),
        ] {
            assert_eq!(&column(from).unwrap(), to);
            assert_eq!(&data_type(from.data_type()), to.data_type());
            let keys = Int8Array::from(vec![1, 0]);
            let dictionary: ArrayRef = Arc::new(DictionaryArray::new(keys.clone(), from.clone()));
            assert_eq!(
                &column(&dictionary).unwrap(),
                &take(to, &keys, None).unwrap()
            );
            let ends = Int32Array::from(vec![2, 3, 5]).slice(0, from.len());
            let [runs, of_to] =
                [from, to].map(|values| RunArray::<Int32Type>::try_new(&ends, values).unwrap());
            assert_eq!(
                column(&(Arc::new(runs) as ArrayRef)).unwrap().as_ref(),
                &of_to as &dyn Array
            );
        }
        let far: [ArrayRef; 3] = [
            Arc::new(Date64Array::from(vec![i64::MIN])),
            Arc::new(TimestampSecondArray::from(vec![i64::MAX / 999])),
            Arc::new(Time32SecondArray::from(vec![i32::MAX])),
        ];
        assert!(far.iter().all(|far| {
            column(far)
                .unwrap_err()
                .to_string()
                .contains("too far away")
        }));
    }
}
