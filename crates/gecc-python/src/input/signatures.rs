//! Signatures of 64 bytes `r || s`, or of 65 with v behind, or in DER.

use super::arrow::{self, Chunks};
use super::column::Column;
use super::{Argument, LONGEST, Read, Strings, array, numbers, some_problems};
use crate::memory;
use gecc_arrow::{CellProblem, signature_of_der};
use pyo3::prelude::*;
use zeroize::Zeroizing;

/// Bytes of a signature without v, and with it.
const WIDTHS: [usize; 2] = [64, 65];

/// The expected shape, for errors.
const EXPECTED: &str = "(n, 64), (n, 65) with v, or a single row of these or DER for all items";

/// The signatures of a batch.
pub struct Signatures {
    /// Without v.
    pub rows: Column,
    /// Recovery ids, where signatures have 65 bytes. In a list others may have 64: such an item has an id out of range.
    pub ids: Option<Column>,
}

impl Signatures {
    /// Of rows of 64 or 65 bytes.
    fn of_column(column: Column) -> PyResult<Self> {
        let ids = if column.width() == 65 { Some(numbers::of_last_bytes::<65>(&column)?) } else { None };
        Ok(Signatures { rows: column.beginnings(64), ids })
    }

    /// Signatures in an array: of two dimensions, or of one with a single row, or with all rows of 64 bytes.
    pub fn of_array(argument: Argument, bytes: &array::Bytes<'_>) -> PyResult<Self> {
        let (items, width) = match *bytes.shape() {
            [items, width] if WIDTHS.contains(&width) => (Some(items), width),
            [width] if WIDTHS.contains(&width) => (None, width),
            [length] if length % 64 == 0 => (Some(length / 64), 64),
            [_] if bytes.as_slice().is_some_and(is_der) => {
                return Self::of_row(argument, Zeroizing::new(bytes.as_slice().unwrap_or_default().to_vec()));
            }
            _ => return Err(argument.shape(&bytes.shape_text(), EXPECTED)),
        };
        Self::of_column(Column::of_rows(width, items, bytes.rows(argument, items.unwrap_or(1), width)?))
    }

    /// One for all items.
    pub fn of_row(argument: Argument, row: Zeroizing<Vec<u8>>) -> PyResult<Self> {
        if let Some(Ok(signature)) = signature_of_der(&row).filter(|_| !WIDTHS.contains(&row.len())) {
            return Self::of_column(Column::of_copy(64, None, Zeroizing::new(signature.to_vec())));
        }
        Self::of_column(Column::of_row(argument, if row.len() == 65 { 65 } else { 64 }, row)?)
    }

    /// Copies of byte strings, of either length or in DER.
    pub fn of_strings(argument: Argument, strings: &Strings) -> Read<Self> {
        let items = strings.len();
        let mut rows = Zeroizing::new(memory::zeros(items, 64)?);
        let mut ids = Zeroizing::new(memory::zeros(items, 1)?);
        let mut problems = memory::zeros(items, 1)?;
        let mut some_have_ids = false;
        for (item, (row, problem)) in rows.chunks_exact_mut(64).zip(&mut problems).enumerate() {
            ids[item] = numbers::NO_ID;
            match strings.get(item) {
                Ok(bytes) if WIDTHS.contains(&bytes.len()) => {
                    row.copy_from_slice(&bytes[..64]);
                    if let Some(v) = bytes.get(64) {
                        (ids[item], some_have_ids) = (numbers::id(*v), true);
                    }
                }
                Ok(bytes) => match signature_of_der(bytes) {
                    Some(Ok(signature)) => row.copy_from_slice(&signature),
                    Some(Err(reason)) => *problem = reason.code(),
                    None => *problem = argument.role.code(CellProblem::WrongLength),
                },
                Err(found) => *problem = argument.role.code(found),
            }
        }
        let ids = some_have_ids.then(|| Column::of_copy(1, Some(items), ids));
        Ok((Signatures { rows: Column::of_copy(64, Some(items), rows), ids }, some_problems(problems)))
    }

    /// Signatures of an Arrow array: borrowed where it is in one piece whose values lie one after the other, else
    /// copied.
    pub fn of_arrow(py: Python<'_>, argument: Argument, chunks: &Chunks) -> Read<Self> {
        arrow::require_bytes(argument, chunks, &WIDTHS)?;
        match arrow::common_width(chunks) {
            Some(width) if WIDTHS.contains(&width) => {
                let (column, problems) = Column::of_arrow(py, argument, width, chunks)?;
                Ok((Self::of_column(column)?, problems))
            }
            _ => Self::of_strings(argument, &Strings::of_arrow(argument, chunks.clone(), LONGEST)?),
        }
    }
}

/// Whether bytes are one signature in DER.
fn is_der(bytes: &[u8]) -> bool {
    signature_of_der(bytes).is_some_and(|signature| signature.is_ok())
}
