//! Signatures in any form: 64 bytes `r || s`, 65 bytes with a trailing v or a leading header, or
//! DER.

use super::arrow::{self, Chunks};
use super::column::RowColumn;
use super::{Argument, LONGEST, ReadResult, Strings, array, numbers, some_problems};
use crate::memory::{self, MemoryOwner};
use arrow_schema::DataType;
use gecc::fields::{FormCounts, SignatureForm, SignatureReader};
use gecc_arrow::Reason;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zeroize::Zeroizing;

/// Lengths in bytes of a signature without v, and with it.
const WIDTHS: [usize; 2] = [64, 65];

/// The expected shape, for errors.
const EXPECTED: &str = "(n, 64), (n, 65) with v, or a single row of these or DER for all items";

/// The signatures of a batch.
pub struct Signatures {
    /// `r || s`.
    pub rows: RowColumn,
    /// Recovery ids, if signatures have them. In a list, some may have none: such an item has an id
    /// out of range.
    pub ids: Option<RowColumn>,
    /// Counts of the forms of 65-byte signatures that were recognised by their content.
    pub counts: FormCounts,
}

impl Signatures {
    /// Creates signatures from rows of 64 bytes whose content need not be examined.
    pub fn plain(rows: RowColumn) -> Self {
        Signatures {
            rows,
            ids: None,
            counts: FormCounts::default(),
        }
    }

    /// Reads rows of 64 or 65 bytes.
    fn of_column(
        argument: Argument,
        column: RowColumn,
        reader: SignatureReader,
    ) -> ReadResult<Self> {
        match (column.width(), reader.form()) {
            // Rows of this width are r || s: DER has no fixed width.
            (64, SignatureForm::Auto | SignatureForm::Rs) => Ok((Self::plain(column), None)),
            (64, _) => Self::of_rows::<64>(argument, column, reader),
            _ => Self::of_rows::<65>(argument, column, reader),
        }
    }

    fn of_rows<const W: usize>(
        argument: Argument,
        column: RowColumn,
        reader: SignatureReader,
    ) -> ReadResult<Self> {
        let different = column.different();
        let is_one_for_all = column.items().is_none();
        let start = usize::from(reader.form() == SignatureForm::HeaderFirst);
        let mut ids = Zeroizing::new(memory::room(different)?);
        let mut problems = memory::zeros(different, 1)?;
        let mut counts = FormCounts::default();
        let mut lies_otherwise = false;
        let rows = column.rows::<W>(0..different);
        for (item, problem) in problems.iter_mut().enumerate() {
            let bytes = rows.get(item);
            if reader.form() == SignatureForm::Auto {
                counts.see(bytes);
            }
            let read = reader.read(bytes);
            lies_otherwise |= read.is_ok_and(|read| read.signature[..] != bytes[start..start + 64]);
            ids.push(read.map_or(numbers::NO_ID, |read| {
                read.recovery_id.unwrap_or(numbers::NO_ID)
            }));
            if let Err(found) = read {
                if is_one_for_all {
                    return Err(PyValueError::new_err(format!("{}: {found}", argument.name)));
                }
                *problem = Reason::from((argument.field(), found)).code();
            }
        }
        let items = column.items();
        let stride = column.stride();
        let has_ids = ids.iter().any(|id| *id != numbers::NO_ID) || !lies_otherwise;
        let of_ids = array::Rows {
            data: ids.as_ptr(),
            stride: stride.min(1),
            keep: MemoryOwner::Copy(ids),
        };
        let ids = has_ids.then(|| RowColumn::of_rows(1, items, of_ids));
        let rows = if lies_otherwise {
            let mut copies = Zeroizing::new(memory::zeros(different, 64)?);
            for (item, copy) in copies.chunks_exact_mut(64).enumerate() {
                if let Ok(read) = reader.read(rows.get(item)) {
                    copy.copy_from_slice(&read.signature);
                }
            }
            let stride = if stride == 0 { 0 } else { 64 };
            RowColumn::of_rows(
                64,
                items,
                array::Rows {
                    data: copies.as_ptr(),
                    stride,
                    keep: MemoryOwner::Copy(copies),
                },
            )
        } else {
            column.part(start, 64)
        };
        let problems = match (some_problems(problems), items) {
            // If one row is for all items, they have the same problem.
            (Some(found), Some(items)) if stride == 0 => {
                let mut all = memory::zeros(items, 1)?;
                all.fill(found[0]);
                Some(all)
            }
            (found, _) => found,
        };
        Ok((Signatures { rows, ids, counts }, problems))
    }

    /// Reads signatures in an array: with two dimensions, or with one that contains a single row or
    /// all rows of 64 bytes.
    pub fn of_array(
        argument: Argument,
        bytes: &array::Bytes<'_>,
        reader: SignatureReader,
    ) -> ReadResult<Self> {
        let (items, width) = match *bytes.shape() {
            [items, width] if WIDTHS.contains(&width) => (Some(items), width),
            [length] if length % 64 == 0 && length != 64 => (Some(length / 64), 64),
            [_] if bytes.as_slice().is_some_and(|bytes| {
                reader.read(bytes).is_ok() || WIDTHS.contains(&bytes.len())
            }) =>
            {
                let row = bytes.as_slice().unwrap_or_default().to_vec();
                return Self::of_row(argument, Zeroizing::new(row), reader);
            }
            [width] if WIDTHS.contains(&width) => (None, width),
            _ => return Err(argument.shape(&bytes.shape_text(), EXPECTED)),
        };
        let column = RowColumn::of_rows(
            width,
            items,
            bytes.rows(argument, items.unwrap_or(1), width)?,
        );
        Self::of_column(argument, column, reader)
    }

    /// Reads one signature for all items.
    pub fn of_row(
        argument: Argument,
        row: Zeroizing<Vec<u8>>,
        reader: SignatureReader,
    ) -> ReadResult<Self> {
        let mut counts = FormCounts::default();
        if reader.form() == SignatureForm::Auto {
            counts.see(&row);
        }
        match reader.read(&row) {
            Ok(read) => {
                let rows = RowColumn::of_copy(64, None, Zeroizing::new(read.signature.to_vec()));
                let ids = read
                    .recovery_id
                    .map(|id| RowColumn::of_copy(1, None, Zeroizing::new(vec![id])));
                Ok((Signatures { rows, ids, counts }, None))
            }
            Err(problem) if WIDTHS.contains(&row.len()) => Err(PyValueError::new_err(format!(
                "{}: {problem}",
                argument.name
            ))),
            // The error states the expected length.
            Err(_) => Ok((Self::plain(RowColumn::of_row(argument, 64, row)?), None)),
        }
    }

    /// Copies byte strings, of either length or in DER.
    pub fn of_strings(
        argument: Argument,
        strings: &Strings,
        reader: SignatureReader,
    ) -> ReadResult<Self> {
        let items = strings.len();
        let mut rows = Zeroizing::new(memory::zeros(items, 64)?);
        let mut ids = Zeroizing::new(memory::zeros(items, 1)?);
        let mut problems = memory::zeros(items, 1)?;
        let mut counts = FormCounts::default();
        let mut some_have_ids = false;
        for (item, (row, problem)) in rows.chunks_exact_mut(64).zip(&mut problems).enumerate() {
            ids[item] = numbers::NO_ID;
            let bytes = match strings.get(item) {
                Ok(bytes) => bytes,
                Err(found) => {
                    *problem = argument.role.code(found);
                    continue;
                }
            };
            if reader.form() == SignatureForm::Auto {
                counts.see(bytes);
            }
            match reader.read(bytes) {
                Ok(read) => {
                    row.copy_from_slice(&read.signature);
                    if let Some(id) = read.recovery_id {
                        (ids[item], some_have_ids) = (id, true);
                    }
                }
                Err(found) => *problem = Reason::from((argument.field(), found)).code(),
            }
        }
        let ids = some_have_ids.then(|| RowColumn::of_copy(1, Some(items), ids));
        let rows = RowColumn::of_copy(64, Some(items), rows);
        Ok((Signatures { rows, ids, counts }, some_problems(problems)))
    }

    /// Reads signatures of an Arrow array: borrowed if it is in one piece with contiguous values,
    /// otherwise copied.
    pub fn of_arrow(
        py: Python<'_>,
        argument: Argument,
        chunks: &Chunks,
        reader: SignatureReader,
    ) -> ReadResult<Self> {
        arrow::require_bytes(argument, chunks, &WIDTHS)?;
        let is_fixed = matches!(chunks.data_type, DataType::FixedSizeBinary(_));
        match arrow::common_width(chunks).filter(|_| is_fixed) {
            Some(width) if WIDTHS.contains(&width) => {
                let (column, nulls) = RowColumn::of_arrow(py, argument, width, chunks)?;
                let (signatures, problems) = Self::of_column(argument, column, reader)?;
                Ok((signatures, first_problems(nulls, problems)))
            }
            _ => Self::of_strings(
                argument,
                &Strings::of_arrow(argument, chunks.clone(), LONGEST)?,
                reader,
            ),
        }
    }
}

/// Merges problems, keeping the first one of each item.
fn first_problems(first: Option<Vec<u8>>, second: Option<Vec<u8>>) -> Option<Vec<u8>> {
    match (first, second) {
        (Some(mut all), Some(others)) => {
            let free = all
                .iter_mut()
                .zip(others)
                .filter(|(before, _)| **before == 0);
            free.for_each(|(before, found)| *before = found);
            Some(all)
        }
        (first, second) => first.or(second),
    }
}
