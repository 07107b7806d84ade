//! A column of rows of one width, in the layout that the engine reads.

use super::arrow::{self, Chunks};
use super::{Argument, ReadResult, Strings, array, some_problems};
use crate::memory::{self, MemoryOwner};
use gecc::{Rows, SecretKeys};
use gecc_arrow::CellProblem;
use pyo3::prelude::*;
use std::ops::Range;
use std::slice;
use zeroize::Zeroizing;

/// Rows of one width: the caller's memory, or a copy.
///
/// There are `items` rows starting at `data`, each `stride` bytes after the previous one, in memory
/// that `keep` owns; one row if there is no number of items or the stride is 0.
pub struct RowColumn {
    data: *const u8,
    width: usize,
    stride: usize,
    items: Option<usize>,
    _keep: MemoryOwner,
}

// SAFETY: a column only reads its memory, which `keep` owns, and every kind of `MemoryOwner` may be
// sent to another thread.
unsafe impl Send for RowColumn {}
// SAFETY: as above.
unsafe impl Sync for RowColumn {}

impl RowColumn {
    /// Creates a column of contiguous copied rows.
    pub fn of_copy(width: usize, items: Option<usize>, copy: Zeroizing<Vec<u8>>) -> Self {
        assert_eq!(
            copy.len(),
            width * items.unwrap_or(1),
            "a row for each item"
        );
        RowColumn {
            data: copy.as_ptr(),
            width,
            stride: width,
            items,
            _keep: MemoryOwner::Copy(copy),
        }
    }

    /// Borrows the rows of an array: with two dimensions, or with one that contains all rows, where
    /// a single row is for all items.
    pub fn of_array(argument: Argument, width: usize, bytes: &array::Bytes<'_>) -> PyResult<Self> {
        let items = match *bytes.shape() {
            [items, found] if found == width => Some(items),
            [found] if found == width && width > 1 => None,
            [found] if found % width == 0 => Some(found / width),
            _ => {
                let expected = format!("(n, {width}), or ({width},) for all items");
                return Err(argument.shape(&bytes.shape_text(), &expected));
            }
        };
        Ok(Self::of_rows(
            width,
            items,
            bytes.rows(argument, items.unwrap_or(1), width)?,
        ))
    }

    /// Creates one row for all items.
    pub fn of_row(argument: Argument, width: usize, row: Zeroizing<Vec<u8>>) -> PyResult<Self> {
        if row.len() != width {
            return Err(argument.shape(
                &format!("a text of {} bytes", row.len()),
                &format!("of {width}"),
            ));
        }
        Ok(Self::of_copy(width, None, row))
    }

    /// Creates a column from an array whose shape has been checked.
    pub fn of_rows(width: usize, items: Option<usize>, rows: array::Rows) -> Self {
        RowColumn {
            data: rows.data,
            width,
            stride: rows.stride,
            items,
            _keep: rows.keep,
        }
    }

    /// Copies byte strings. Those of another length get codes, and rows of zeros.
    pub fn of_strings(argument: Argument, width: usize, strings: &Strings) -> ReadResult<Self> {
        let items = strings.len();
        let mut copy = Zeroizing::new(memory::zeros(items, width)?);
        let mut problems = memory::zeros(items, 1)?;
        for (item, (row, problem)) in copy.chunks_exact_mut(width).zip(&mut problems).enumerate() {
            match strings.get(item) {
                Ok(bytes) if bytes.len() == width => row.copy_from_slice(bytes),
                Ok(_) => *problem = argument.role.code(CellProblem::WrongLength),
                Err(found) => *problem = argument.role.code(found),
            }
        }
        Ok((
            Self::of_copy(width, Some(items), copy),
            some_problems(problems),
        ))
    }

    /// Reads the rows of an Arrow array: borrowed if it is in one piece with contiguous values,
    /// otherwise copied.
    pub fn of_arrow(
        py: Python<'_>,
        argument: Argument,
        width: usize,
        chunks: &Chunks,
    ) -> ReadResult<Self> {
        arrow::require_bytes(argument, chunks, &[width])?;
        if let Some((data, keep)) = arrow::contiguous(chunks, width) {
            let column = RowColumn {
                data,
                width,
                stride: width,
                items: Some(arrow::items(chunks)),
                _keep: keep,
            };
            return Ok((column, arrow::nulls(argument, chunks)?));
        }
        let (copy, problems) = py.detach(|| arrow::copied(argument, chunks, width))?;
        Ok((
            Self::of_copy(width, Some(arrow::items(chunks)), copy),
            some_problems(problems),
        ))
    }

    /// Returns the number of items; `None` if one row is for all.
    pub fn items(&self) -> Option<usize> {
        self.items
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn stride(&self) -> usize {
        if self.items.is_none() { 0 } else { self.stride }
    }

    /// Returns the number of rows with memory of their own: at most one if all are the same.
    pub fn different(&self) -> usize {
        if self.stride() == 0 {
            self.items.map_or(1, |items| items.min(1))
        } else {
            self.items.unwrap_or(1)
        }
    }

    /// Returns a part of the bytes of each row.
    pub fn part(self, start: usize, width: usize) -> Self {
        assert!(start + width <= self.width, "the part is within a row");
        let data = if self.different() == 0 {
            self.data
        } else {
            // SAFETY: the part begins within a row.
            unsafe { self.data.add(start) }
        };
        RowColumn {
            data,
            width,
            ..self
        }
    }

    /// Returns the addresses from the first row to the end of the last.
    pub fn span(&self) -> Range<usize> {
        let start = self.data.addr();
        let bytes = self
            .items
            .unwrap_or(1)
            .checked_sub(1)
            .map_or(0, |others| others * self.stride + self.width);
        start..start + bytes
    }

    /// Returns the rows of a range of items.
    ///
    /// # Panics
    /// If the column's width is not `W`, or if there are no such items.
    pub fn rows<const W: usize>(&self, range: Range<usize>) -> Rows<'_, W> {
        assert_eq!(self.width, W, "rows of this width");
        assert!(
            range.start <= range.end && self.items.is_none_or(|items| range.end <= items),
            "the items are there"
        );
        if range.is_empty() {
            return Rows::new(&[]);
        }
        if self.stride() == 0 {
            // SAFETY: there is a row of this width, which lives as long as the column.
            return Rows::all(unsafe { &*self.data.cast::<[u8; W]>() });
        }
        // SAFETY: there are `range.len()` rows starting here, which live as long as the column.
        let bytes = unsafe {
            slice::from_raw_parts(
                self.data.add(range.start * self.stride),
                (range.len() - 1) * self.stride + W,
            )
        };
        Rows::strided(bytes, self.stride, range.len()).expect("rows of the column")
    }

    /// Returns private keys without copying them.
    pub fn secret_keys(&self, range: Range<usize>) -> SecretKeys<'_> {
        SecretKeys::rows(self.rows(range))
    }
}
