//! Arrays that describe their memory wrongly, as they may arrive through Arrow's C data interface.

use crate::files::{options, read, write};
use crate::items::{columns, some};
use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::types::{
    BinaryType, BinaryViewType, ByteArrayType, ByteViewType, Int8Type, Int32Type, LargeBinaryType,
    LargeUtf8Type, StringViewType, Utf8Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, GenericByteArray, GenericByteViewArray,
    Int8Array, ListArray, RecordBatch, RunArray, make_array,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use gecc_arrow::{Compression, Error, Format, Projection, check_imported};
use std::sync::Arc;
use tempfile::TempDir;

fn refused(array: &dyn Array) -> String {
    match check_imported(array) {
        Err(Error::Malformed(text)) => text,
        other => panic!("{}: {other:?}", array.data_type()),
    }
}

/// Texts and bytes of 4 bytes each: with these offsets over 12 bytes.
fn with_offsets<T: ByteArrayType>(offsets: Vec<T::Offset>) -> GenericByteArray<T> {
    // SAFETY: none of it is read but by the check.
    unsafe {
        let offsets = OffsetBuffer::new_unchecked(ScalarBuffer::from(offsets));
        GenericByteArray::new_unchecked(offsets, Buffer::from_vec(b"abcdefghijkl".to_vec()), None)
    }
}

fn offsets_are_checked<T: ByteArrayType>(number: impl Fn(i64) -> T::Offset) {
    let array =
        |offsets: &[i64]| with_offsets::<T>(offsets.iter().map(|offset| number(*offset)).collect());
    for right in [
        &[0, 4, 8, 12][..],
        &[0, 0, 12, 12],
        &[3, 4, 5, 6],
        &[12],
        &[1 << 30],
    ] {
        check_imported(&array(right)).unwrap();
    }
    let far = 1 << 30;
    let wrong = [
        (&[0, far, far + 4, 12][..], 0),
        (&[-8, -4, 8, 12], 0),
        (&[0, 4, 8, 13], 2),
        (&[0, 8, 4, 12], 1),
        (&[0, -1], 0),
    ];
    for (offsets, row) in wrong {
        assert!(
            refused(&array(offsets)).contains(&format!("row {row} lies outside")),
            "{offsets:?}"
        );
    }
    // Rows outside of a slice are not checked.
    check_imported(&array(&[0, 4, 8, 13]).slice(0, 2)).unwrap();
}

#[test]
fn offsets_lie_within_the_data() {
    offsets_are_checked::<BinaryType>(|offset| offset as i32);
    offsets_are_checked::<LargeBinaryType>(|offset| offset);
    offsets_are_checked::<Utf8Type>(|offset| offset as i32);
    offsets_are_checked::<LargeUtf8Type>(|offset| offset);
}

fn views_are_checked<T: ByteViewType + ?Sized>() {
    let view = |length: u32, buffer: u32, offset: u32| {
        u128::from(length) | u128::from(buffer) << 64 | u128::from(offset) << 96
    };
    let array = |views: &[u128]| {
        let buffers = vec![
            Buffer::from_vec(vec![b'a'; 64]),
            Buffer::from_vec(vec![b'a'; 32]),
        ];
        // SAFETY: none of it is read but by the check.
        unsafe {
            GenericByteViewArray::<T>::new_unchecked(
                ScalarBuffer::from(views.to_vec()),
                buffers,
                None,
            )
        }
    };
    check_imported(&array(&[
        view(64, 0, 0),
        view(13, 1, 19),
        view(12, 9, 99),
        view(0, 0, 0),
    ]))
    .unwrap();
    let wrong = [
        (32, 0, 1_000_000),
        (32, 2, 0),
        (65, 0, 0),
        (32, 1, 1),
        (u32::MAX, 0, 0),
        (13, 0, u32::MAX),
        (33, 1, 0),
    ];
    for (length, buffer, offset) in wrong {
        let found = refused(&array(&[view(64, 0, 0), view(length, buffer, offset)]));
        assert!(
            found.contains("row 1 lies outside"),
            "{length} {buffer} {offset}: {found}"
        );
    }
}

#[test]
fn views_lie_within_their_buffers() {
    views_are_checked::<BinaryViewType>();
    views_are_checked::<StringViewType>();
}

fn dictionary(keys: Int8Array, values: ArrayRef) -> DictionaryArray<Int8Type> {
    // SAFETY: none of it is read but by the check.
    unsafe { DictionaryArray::new_unchecked(keys, values) }
}

#[test]
fn keys_are_of_values() {
    let values: ArrayRef = Arc::new(BinaryArray::from_iter_values([[1; 4], [2; 4]]));
    check_imported(&dictionary(vec![0, 1, 1].into(), values.clone())).unwrap();
    check_imported(&dictionary(vec![Some(1), None].into(), values.clone())).unwrap();
    // The key of a null may be anything.
    let null = Int8Array::new(
        vec![0, 99].into(),
        Some(NullBuffer::from(vec![true, false])),
    );
    check_imported(&dictionary(null, values.clone())).unwrap();
    for (keys, row) in [(vec![0, 2], 1), (vec![-1, 0], 0), (vec![0, 0, 127], 2)] {
        assert!(
            refused(&dictionary(keys.into(), values.clone()))
                .contains(&format!("row {row} lies outside"))
        );
    }
    let wrong: ArrayRef = Arc::new(with_offsets::<BinaryType>(vec![0, 99]));
    refused(&dictionary(vec![0].into(), wrong));
}

#[test]
fn children_are_as_long_as_their_lists_say() {
    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value([Some(1), Some(2)]);
    lists.append_value([Some(3)]);
    let lists: ListArray = lists.finish();
    check_imported(&lists).unwrap();
    let builder = lists
        .to_data()
        .into_builder()
        .buffers(vec![Buffer::from_vec(vec![0, 2, 9])]);
    // SAFETY: none of it is read but by the check.
    refused(make_array(unsafe { builder.build_unchecked() }).as_ref());
    // The same deeper down.
    let wrong: ArrayRef = Arc::new(with_offsets::<BinaryType>(vec![0, 99, 99, 12]));
    let builder = lists
        .to_data()
        .into_builder()
        .data_type(arrow_schema::DataType::new_list(
            wrong.data_type().clone(),
            true,
        ));
    // SAFETY: as above.
    refused(
        make_array(unsafe { builder.child_data(vec![wrong.to_data()]).build_unchecked() }).as_ref(),
    );
}

#[test]
fn runs_end_where_the_array_does() {
    let runs: RunArray<Int32Type> = ["a", "a", "b"].into_iter().collect();
    check_imported(&runs).unwrap();
    let mut children = runs.to_data().child_data().to_vec();
    let ends = children[0]
        .clone()
        .into_builder()
        .buffers(vec![Buffer::from_vec(vec![3, 2])]);
    // SAFETY: none of it is read but by the check.
    children[0] = unsafe { ends.build_unchecked() };
    // SAFETY: as above.
    let wrong = unsafe {
        runs.to_data()
            .into_builder()
            .child_data(children)
            .build_unchecked()
    };
    refused(make_array(wrong).as_ref());
}

#[test]
fn nulls_are_as_many_as_the_array_says() {
    let values = BinaryArray::from(vec![Some(&b"abc"[..]), None]);
    check_imported(&values).unwrap();
    // SAFETY: none of it is read but by the check.
    let nulls = unsafe { NullBuffer::new_unchecked(values.nulls().unwrap().inner().clone(), 2) };
    let wrong = BinaryArray::new(
        values.offsets().clone(),
        values.values().clone(),
        Some(nulls),
    );
    assert!(refused(&wrong).contains("states 2 nulls"));
}

#[test]
fn every_column_that_is_read_passes() {
    let cells: Vec<_> = (0..100).map(|row| vec![row as u8; 33]).collect();
    for column in columns(&some(&cells)) {
        check_imported(column.as_ref()).unwrap();
        check_imported(column.slice(17, 30).as_ref()).unwrap();
        check_imported(column.slice(50, 0).as_ref()).unwrap();
    }
}

/// Decoders of files check the same as this crate's import check.
#[test]
fn files_with_such_arrays_are_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("wrong");
    let far: u128 = 64 | 1_000_000 << 96;
    let buffers = vec![Buffer::from_vec(vec![b'a'; 64])];
    // SAFETY: the writer copies the views and does not dereference them.
    let views = unsafe {
        GenericByteViewArray::<BinaryViewType>::new_unchecked(vec![far].into(), buffers, None)
    };
    let wrong: [ArrayRef; 4] = [
        Arc::new(with_offsets::<BinaryType>(vec![
            0,
            1 << 30,
            (1 << 30) + 4,
            12,
        ])),
        Arc::new(with_offsets::<LargeUtf8Type>(vec![0, 8, 4, 12])),
        Arc::new(dictionary(
            vec![0, 100].into(),
            Arc::new(BinaryArray::from_iter_values([[1; 4]])),
        )),
        Arc::new(views),
    ];
    for column in wrong {
        let name = column.data_type().to_string();
        let batch = RecordBatch::try_from_iter([("digest", column)]).unwrap();
        for format in [Format::ArrowFile, Format::ArrowStream] {
            write(&path, &batch, 10, format, Compression::None);
            let problem = read(&path, options(10), &Projection::All).unwrap_err();
            assert!(matches!(problem, Error::Malformed(_)), "{name}: {problem}");
        }
    }
}
