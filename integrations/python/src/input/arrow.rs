//! Arrow arrays, through Arrow's C interface.

use super::{Argument, parallel};
use crate::capsules;
use crate::memory::{self, MemoryOwner};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use gecc_arrow::{CellProblem, Cells, check_imported, holds_bytes};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use zeroize::Zeroizing;

/// An array in pieces of the same type.
#[derive(Clone)]
pub struct Chunks {
    pub pieces: Vec<ArrayRef>,
    pub data_type: DataType,
}

impl Chunks {
    /// Returns whether values are strings, or indices into a dictionary of strings.
    pub fn are_texts(&self) -> bool {
        let values = match &self.data_type {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        values.is_string()
    }
}

/// Imports an object's array through Arrow's C interface, if it has that. A table must have one
/// column.
pub fn chunks(argument: Argument, value: &Bound<'_, PyAny>) -> PyResult<Option<Chunks>> {
    let Some((pieces, field)) = pieces(argument, value)? else {
        return Ok(None);
    };
    let DataType::Struct(fields) = field.data_type() else {
        return Ok(Some(Chunks {
            pieces,
            data_type: field.data_type().clone(),
        }));
    };
    let [column] = &fields[..] else {
        let found = format!(
            "{}: a table of {} columns, not one column",
            argument.name,
            fields.len()
        );
        return Err(PyValueError::new_err(found));
    };
    if pieces.iter().any(|table| table.null_count() > 0) {
        return Err(PyValueError::new_err(format!(
            "{}: a struct that is null",
            argument.name
        )));
    }
    let pieces = pieces
        .iter()
        .map(|table| table.as_struct().column(0).clone())
        .collect();
    Ok(Some(Chunks {
        pieces,
        data_type: column.data_type().clone(),
    }))
}

/// Returns the pieces of an array, and its type; `None` for an object without the interface.
///
/// # Errors
/// `ValueError` if it was consumed before, or if it refers to memory outside its own.
pub fn pieces(
    argument: Argument,
    value: &Bound<'_, PyAny>,
) -> PyResult<Option<(Vec<ArrayRef>, Field)>> {
    let value = &with_buffers(value)?;
    let (pieces, field) = if let Some(method) = value.getattr_opt("__arrow_c_array__")? {
        let (array, field) = capsules::array(argument.name, &method.call0()?)?;
        (vec![array], field)
    } else if let Some(method) = value.getattr_opt("__arrow_c_stream__")? {
        capsules::stream(argument.name, &method.call0()?)?
    } else {
        return Ok(None);
    };
    let checked = value.py().detach(|| {
        pieces
            .iter()
            .try_for_each(|piece| check_imported(piece.as_ref()))
    });
    checked.map_err(|problem| PyValueError::new_err(format!("{}: {problem}", argument.name)))?;
    Ok(Some((pieces, field)))
}

/// Validates data of pyarrow, whose buffer lengths the interface does not pass on: pyarrow compares
/// them when asked, not when it reads a file. Data of other libraries is returned unchanged.
fn with_buffers<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if !value
        .get_type()
        .module()?
        .to_string()
        .starts_with("pyarrow")
    {
        return Ok(value.clone());
    }
    let read = value
        .getattr_opt("read_all")?
        .map_or_else(|| Ok(value.clone()), |read_all| read_all.call0())?;
    if let Some(validate) = read.getattr_opt("validate")? {
        validate.call0()?;
    }
    Ok(read)
}

pub fn items(chunks: &Chunks) -> usize {
    chunks
        .pieces
        .iter()
        .fold(0, |items, piece| items.saturating_add(piece.len()))
}

/// Checks that the array contains bytes or hexadecimal text, of one of these widths if its type has
/// a width. An empty list permits any width.
pub fn require_bytes(argument: Argument, chunks: &Chunks, widths: &[usize]) -> PyResult<()> {
    let name = argument.name;
    let found = &chunks.data_type;
    if !holds_bytes(found) {
        let text = format!(
            "{name}: an Arrow array of {found}, not of FixedSizeBinary, Binary or hexadecimal text"
        );
        return Err(PyTypeError::new_err(text));
    }
    match found {
        DataType::FixedSizeBinary(width)
            if !widths.is_empty() && !widths.contains(&(*width as usize)) =>
        {
            let widths: Vec<String> = widths.iter().map(usize::to_string).collect();
            let expected = format!("of {} bytes", widths.join(", "));
            Err(argument.shape(
                &format!("an Arrow array of {width} bytes an item"),
                &expected,
            ))
        }
        _ => Ok(()),
    }
}

/// Returns the values of an array in one piece, if they are contiguous.
pub fn contiguous(chunks: &Chunks, width: usize) -> Option<(*const u8, MemoryOwner)> {
    let [piece] = &chunks.pieces[..] else {
        return None;
    };
    let values = Cells::of(piece.as_ref()).contiguous(width)?;
    Some((values.as_ptr(), MemoryOwner::Arrow(piece.clone())))
}

/// Returns a code for each item, if some are null.
pub fn nulls(argument: Argument, chunks: &Chunks) -> PyResult<Option<Vec<u8>>> {
    if chunks
        .pieces
        .iter()
        .all(|piece| piece.logical_null_count() == 0)
    {
        return Ok(None);
    }
    let code = argument.role.code(CellProblem::Null);
    let mut codes = memory::room(items(chunks))?;
    for piece in &chunks.pieces {
        match piece.logical_nulls() {
            Some(nulls) => {
                codes.extend(nulls.iter().map(|is_valid| if is_valid { 0 } else { code }))
            }
            None => codes.resize(codes.len() + piece.len(), 0),
        }
    }
    Ok(Some(codes))
}

/// Copies the values of all pieces. Also returns a code for each item, which is 0 if it has no
/// problem.
pub fn copied(
    argument: Argument,
    chunks: &Chunks,
    width: usize,
) -> PyResult<(Zeroizing<Vec<u8>>, Vec<u8>)> {
    let items = items(chunks);
    let mut copy = Zeroizing::new(memory::zeros(items, width)?);
    let mut problems = memory::zeros(items, 1)?;
    let mut rows = &mut copy[..];
    let mut codes = &mut problems[..];
    for piece in &chunks.pieces {
        let (of_piece, other_rows) = rows.split_at_mut(piece.len() * width);
        let (codes_of_piece, other_codes) = codes.split_at_mut(piece.len());
        let cells = Cells::of(piece.as_ref());
        parallel::fill(
            width,
            of_piece,
            codes_of_piece,
            argument.role.is_secret(),
            |item, row| {
                cells
                    .read(item, row)
                    .map_err(|problem| argument.role.code(problem))
            },
        );
        (rows, codes) = (other_rows, other_codes);
    }
    Ok((copy, problems))
}

/// Returns the width of all values that are not null, if they have the same.
pub fn common_width(chunks: &Chunks) -> Option<usize> {
    let mut common = None;
    for piece in &chunks.pieces {
        let cells = Cells::of(piece.as_ref());
        let widths: &mut dyn Iterator<Item = usize> = match cells.width() {
            Some(width) => &mut [width].into_iter(),
            None => &mut (0..piece.len()).filter_map(|row| cells.len(row).ok()),
        };
        for width in widths {
            if *common.get_or_insert(width) != width {
                return None;
            }
        }
    }
    common
}
