//! Byte strings of any length, one an item.

use super::arrow::{self, Chunks};
use super::column::some_problems;
use super::keep::Keep;
use super::{Argument, array};
use crate::reasons::Role;
use gecc_arrow::{CellProblem, Cells, Field};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::ops::Range;
use std::slice;
use zeroize::Zeroizing;

/// Byte strings where they lie, or copies of them.
///
/// Every place is in memory that `keeps` holds.
pub struct Strings {
    places: Vec<Result<Place, CellProblem>>,
    is_one_for_all: bool,
    keeps: Vec<Keep>,
}

#[derive(Clone, Copy)]
struct Place {
    data: *const u8,
    length: usize,
}

// SAFETY: strings only read their memory, which `keeps` holds, and every kind of `Keep` may go to another thread.
unsafe impl Send for Strings {}
// SAFETY: as above.
unsafe impl Sync for Strings {}

impl Place {
    fn of(bytes: &[u8]) -> Self {
        Place { data: bytes.as_ptr(), length: bytes.len() }
    }
}

impl Strings {
    fn with_capacity(items: usize) -> Self {
        Strings { places: Vec::with_capacity(items), is_one_for_all: false, keeps: Vec::with_capacity(items) }
    }

    /// One for all items: `bytes`, or a text as UTF-8.
    pub fn of_one(argument: Argument, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut strings = Self::with_capacity(1);
        strings.push(argument, 0, value)?;
        strings.is_one_for_all = true;
        Ok(strings)
    }

    /// Objects of a list: `bytes` or other bytes with the buffer protocol, or `None`, which is null; for ids also texts.
    pub fn of_list(argument: Argument, items: &[Bound<'_, PyAny>]) -> PyResult<Self> {
        let mut strings = Self::with_capacity(items.len());
        items.iter().enumerate().try_for_each(|(index, item)| strings.push(argument, index, item))?;
        Ok(strings)
    }

    fn push(&mut self, argument: Argument, index: usize, item: &Bound<'_, PyAny>) -> PyResult<()> {
        if item.is_none() {
            self.places.push(Err(CellProblem::Null));
        } else if let Ok(bytes) = item.cast::<PyBytes>() {
            self.places.push(Ok(Place::of(bytes.as_bytes())));
            self.keeps.push(Keep::Python(item.clone().unbind()));
        } else if let Ok(text) = item.cast::<PyString>() {
            if argument.role != Role::Field(Field::Id) {
                return Err(wrong_item(argument, index, item));
            }
            self.push_copy(Zeroizing::new(text.to_str()?.as_bytes().to_vec()));
        } else {
            let bytes = array::Bytes::of(argument, item).map_err(|_| wrong_item(argument, index, item))?;
            let bytes = bytes.as_slice().ok_or_else(|| wrong_item(argument, index, item))?;
            self.push_copy(Zeroizing::new(bytes.to_vec()));
        }
        Ok(())
    }

    fn push_copy(&mut self, copy: Zeroizing<Vec<u8>>) {
        self.places.push(Ok(Place::of(&copy)));
        self.keeps.push(Keep::Copy(copy));
    }

    /// The rows of an array of two dimensions.
    pub fn of_array(argument: Argument, bytes: &array::Bytes<'_>) -> PyResult<Self> {
        let &[items, length] = bytes.shape() else {
            return Err(argument.shape(&bytes.shape_text(), "(n, length)"));
        };
        if length == 0 {
            let places = vec![Ok(Place::of(&[])); items];
            return Ok(Strings { places, is_one_for_all: false, keeps: Vec::new() });
        }
        let array::Rows { data, stride, keep } = bytes.rows(items, length);
        // SAFETY: so many rows lie there.
        let place = |item| Ok(Place { data: unsafe { data.add(item * stride) }, length });
        Ok(Strings { places: (0..items).map(place).collect(), is_one_for_all: false, keeps: vec![keep] })
    }

    /// The values of an Arrow array. Text is hexadecimal, but that of ids is taken as it is.
    pub fn of_arrow(argument: Argument, chunks: Chunks) -> PyResult<Self> {
        arrow::require_bytes(argument, &chunks, &[])?;
        let mut strings = Self::with_capacity(arrow::items(&chunks));
        for piece in &chunks.pieces {
            let cells = Cells::of(piece.as_ref());
            let is_hexadecimal = cells.is_text() && argument.role != Role::Field(Field::Id);
            for row in 0..piece.len() {
                if !is_hexadecimal {
                    strings.places.push(cells.get(row).map(Place::of));
                    continue;
                }
                let mut copy = Zeroizing::new(Vec::new());
                match cells.append(row, &mut copy) {
                    Ok(()) => strings.push_copy(copy),
                    Err(problem) => strings.places.push(Err(problem)),
                }
            }
        }
        strings.keeps.extend(chunks.pieces.into_iter().map(Keep::Arrow));
        Ok(strings)
    }

    /// A code for each item, where some cannot be read.
    pub fn problems(&self, argument: Argument) -> Option<Vec<u8>> {
        let code = |place: &Result<Place, CellProblem>| place.err().map_or(0, |problem| argument.role.code(problem));
        some_problems(self.places.iter().map(code).collect())
    }

    /// With the default where there is no string.
    pub fn with_default(mut self, default: &'static [u8]) -> Self {
        self.places.iter_mut().filter(|place| place.is_err()).for_each(|place| *place = Ok(Place::of(default)));
        self
    }

    /// Items; `None` where one string is for all.
    pub fn items(&self) -> Option<usize> {
        (!self.is_one_for_all).then_some(self.places.len())
    }

    /// Strings.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_one_for_all(&self) -> bool {
        self.is_one_for_all
    }

    /// A string by its place among the strings.
    pub fn get(&self, place: usize) -> Result<&[u8], CellProblem> {
        // SAFETY: so many bytes lie there as long as `self` lives.
        self.places[place].map(|Place { data, length }| unsafe { slice::from_raw_parts(data, length) })
    }

    /// The strings of some items, empty ones for those that cannot be read.
    pub fn slices(&self, range: Range<usize>) -> Vec<&[u8]> {
        let place = |item| if self.is_one_for_all { 0 } else { item };
        range.map(|item| self.get(place(item)).unwrap_or_default()).collect()
    }
}

fn wrong_item(argument: Argument, index: usize, item: &Bound<'_, PyAny>) -> PyErr {
    let found = item.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{}[{index}]: {found}, not bytes", argument.name))
}
