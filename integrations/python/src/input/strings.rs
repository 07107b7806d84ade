//! Byte strings of any length, one per item.

use super::arrow::{self, Chunks};
use super::{Argument, array, named_key, some_problems};
use crate::memory::{self, MemoryOwner};
use crate::pieces;
use crate::reasons::ArgumentRole;
use arrow_schema::DataType;
use gecc::fields::plain_hex_digits;
use gecc_arrow::{CellProblem, Cells, Field, append_hexadecimal};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::ops::Range;
use std::slice;
use zeroize::Zeroizing;

/// Maximum number of bytes that hexadecimal strings of an array may represent if they can share
/// memory: a dictionary may contain a long one for very many rows, and so may views.
const MOST_DECODED: u64 = 4 << 30;

/// Byte strings, borrowed or copied.
///
/// Every position is in memory that `keeps` owns.
pub struct Strings {
    places: Vec<Result<StringSlice, CellProblem>>,
    /// Rows instead of positions, for more rows than there is memory for a position each.
    rows: Option<StringRows>,
    is_one_for_all: bool,
    keeps: Vec<MemoryOwner>,
}

#[derive(Clone, Copy)]
struct StringSlice {
    data: *const u8,
    length: usize,
}

/// Strings of the same length, each `stride` bytes after the previous one.
struct StringRows {
    first: StringSlice,
    stride: usize,
    items: usize,
}

// SAFETY: strings only read their memory, which `keeps` owns, and every kind of `MemoryOwner` may
// be sent to another thread.
unsafe impl Send for Strings {}
// SAFETY: as above.
unsafe impl Sync for Strings {}

impl StringSlice {
    fn of(bytes: &[u8]) -> Self {
        StringSlice {
            data: bytes.as_ptr(),
            length: bytes.len(),
        }
    }
}

impl Strings {
    fn with_room(items: usize) -> PyResult<Self> {
        Ok(Strings {
            places: memory::room(items)?,
            rows: None,
            is_one_for_all: false,
            keeps: Vec::new(),
        })
    }

    /// Reads one string for all items: `bytes`, or text as UTF-8.
    pub fn of_one(argument: Argument, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut strings = Self::with_room(1)?;
        strings.push(argument, 0, value)?;
        strings.is_one_for_all = true;
        Ok(strings)
    }

    /// Reads the objects of a list: `bytes` or other bytes with the buffer protocol, or `None`,
    /// which is null. Text is hexadecimal, except that of ids, which is used unchanged; messages
    /// cannot be text.
    pub fn of_list(argument: Argument, items: &[Bound<'_, PyAny>]) -> PyResult<Self> {
        let mut strings = Self::with_room(items.len())?;
        for (index, item) in items.iter().enumerate() {
            pieces::look_at_signals(item.py(), index)?;
            strings.push(argument, index, item)?;
        }
        Ok(strings)
    }

    fn push(&mut self, argument: Argument, index: usize, item: &Bound<'_, PyAny>) -> PyResult<()> {
        if item.is_none() {
            self.places.push(Err(CellProblem::Null));
        } else if let Some(key) = Self::secret_key(argument, index, item)? {
            self.push_copy(key);
        } else if let Ok(bytes) = item.cast::<PyBytes>() {
            self.places.push(Ok(StringSlice::of(bytes.as_bytes())));
            self.keeps.push(MemoryOwner::Python(item.clone().unbind()));
        } else if let Ok(text) = item.cast::<PyString>() {
            if argument.role == ArgumentRole::Field(Field::Message) {
                return Err(wrong_item(argument, index, item));
            }
            let is_plain = argument.role == ArgumentRole::Field(Field::Id);
            match text.to_cow() {
                Err(problem) if is_plain => return Err(problem),
                // Half of a surrogate pair.
                Err(_) => self.places.push(Err(CellProblem::NotHexadecimal)),
                // The reader of keys supports formats other than digits.
                Ok(text) if is_plain || named_key::may_be(argument, text.as_bytes()) => {
                    self.push_copy(Zeroizing::new(text.as_bytes().to_vec()));
                }
                // Private keys are not copied again.
                Ok(text) if argument.role != ArgumentRole::Field(Field::SecretKey) => {
                    let digits = plain_hex_digits(text.as_bytes());
                    match hexadecimal(str::from_utf8(&digits).unwrap_or(&text)) {
                        Ok(bytes) => self.push_copy(bytes),
                        Err(problem) => self.places.push(Err(problem)),
                    }
                }
                Ok(text) => match hexadecimal(&text) {
                    Ok(bytes) => self.push_copy(bytes),
                    Err(problem) => self.places.push(Err(problem)),
                },
            }
        } else {
            let bytes =
                array::Bytes::of(argument, item).map_err(|_| wrong_item(argument, index, item))?;
            let bytes = bytes
                .as_slice()
                .ok_or_else(|| wrong_item(argument, index, item))?;
            self.push_copy(Zeroizing::new(bytes.to_vec()));
        }
        Ok(())
    }

    /// Reads a private key in PEM, DER or as a JSON Web Key.
    fn secret_key(
        argument: Argument,
        index: usize,
        item: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Zeroizing<Vec<u8>>>> {
        if !argument.role.is_secret() {
            return Ok(None);
        }
        named_key::of_one(argument, item).map_err(|problem| {
            let text = problem.value(item.py()).to_string();
            PyValueError::new_err(text.replacen(
                argument.name,
                &format!("{}[{index}]", argument.name),
                1,
            ))
        })
    }

    fn push_copy(&mut self, copy: Zeroizing<Vec<u8>>) {
        self.places.push(Ok(StringSlice::of(&copy)));
        self.keeps.push(MemoryOwner::Copy(copy));
    }

    /// Reads the rows of a two-dimensional array.
    pub fn of_array(argument: Argument, bytes: &array::Bytes<'_>) -> PyResult<Self> {
        let &[items, length] = bytes.shape() else {
            return Err(argument.shape(&bytes.shape_text(), "(n, length)"));
        };
        let mut strings = Self::with_room(0)?;
        if length == 0 {
            strings.rows = Some(StringRows {
                first: StringSlice::of(&[]),
                stride: 0,
                items,
            });
            return Ok(strings);
        }
        let array::Rows { data, stride, keep } = bytes.rows(argument, items, length)?;
        strings.rows = Some(StringRows {
            first: StringSlice { data, length },
            stride,
            items,
        });
        strings.keeps.push(keep);
        Ok(strings)
    }

    /// Reads the values of an Arrow array. Text is hexadecimal, except that of ids, which is used
    /// unchanged. Values of more than `longest` bytes are replaced by empty ones.
    pub fn of_arrow(argument: Argument, chunks: Chunks, longest: usize) -> PyResult<Self> {
        arrow::require_bytes(argument, &chunks, &[])?;
        if chunks.are_texts() && argument.role != ArgumentRole::Field(Field::Id) {
            require_few_bytes(argument, &chunks, longest)?;
        }
        let mut strings = Self::with_room(arrow::items(&chunks))?;
        for piece in &chunks.pieces {
            let cells = Cells::of(piece.as_ref());
            let is_hexadecimal = cells.is_text() && argument.role != ArgumentRole::Field(Field::Id);
            for row in 0..piece.len() {
                if cells.len(row).is_ok_and(|length| length > longest) {
                    strings.places.push(Ok(StringSlice::of(&[])));
                    continue;
                }
                if !is_hexadecimal
                    || cells
                        .get(row)
                        .is_ok_and(|text| named_key::may_be(argument, text))
                {
                    strings.places.push(cells.get(row).map(StringSlice::of));
                    continue;
                }
                let mut copy = Zeroizing::new(Vec::new());
                match cells.append(row, &mut copy) {
                    Ok(()) => strings.push_copy(copy),
                    Err(problem) => strings.places.push(Err(problem)),
                }
            }
        }
        strings
            .keeps
            .extend(chunks.pieces.into_iter().map(MemoryOwner::Arrow));
        Ok(strings)
    }

    /// Returns a code for each item, if some cannot be read.
    pub fn problems(&self, argument: Argument) -> PyResult<Option<Vec<u8>>> {
        let mut codes = memory::room(self.places.len())?;
        codes.extend(
            self.places
                .iter()
                .map(|place| place.err().map_or(0, |problem| argument.role.code(problem))),
        );
        Ok(some_problems(codes))
    }

    /// Substitutes the default for missing strings.
    pub fn with_default(mut self, default: &'static [u8]) -> Self {
        self.places
            .iter_mut()
            .filter(|place| place.is_err())
            .for_each(|place| *place = Ok(StringSlice::of(default)));
        self
    }

    /// Returns the number of items; `None` if one string is for all.
    pub fn items(&self) -> Option<usize> {
        (!self.is_one_for_all).then_some(self.len())
    }

    /// Returns the addresses of the rows of an array. Other strings cannot overlap with an output.
    pub fn span(&self) -> Option<Range<usize>> {
        let StringRows {
            first,
            stride,
            items,
        } = self.rows.as_ref()?;
        let start = first.data.addr();
        let bytes = items
            .checked_sub(1)
            .map_or(0, |others| others * stride + first.length);
        Some(start..start + bytes)
    }

    /// Returns the number of strings.
    pub fn len(&self) -> usize {
        self.rows
            .as_ref()
            .map_or(self.places.len(), |rows| rows.items)
    }

    pub fn is_one_for_all(&self) -> bool {
        self.is_one_for_all
    }

    /// Returns the string at index `place`.
    pub fn get(&self, place: usize) -> Result<&[u8], CellProblem> {
        let place = match &self.rows {
            Some(StringRows {
                first: StringSlice { data, length },
                stride,
                items,
            }) => {
                assert!(place < *items, "the string is there");
                // SAFETY: there are more than `place` rows.
                let data = unsafe { data.add(place * stride) };
                Ok(StringSlice {
                    data,
                    length: *length,
                })
            }
            None => self.places[place],
        };
        // SAFETY: there are `length` bytes, which live as long as `self`.
        place.map(|StringSlice { data, length }| unsafe { slice::from_raw_parts(data, length) })
    }

    /// Returns the length of an item in bytes.
    pub fn length(&self, item: usize) -> usize {
        self.of_item(item).map_or(0, <[u8]>::len)
    }

    fn of_item(&self, item: usize) -> Result<&[u8], CellProblem> {
        self.get(if self.is_one_for_all { 0 } else { item })
    }

    /// Returns the strings of a range of items, with empty ones for those that cannot be read.
    pub fn slices(&self, range: Range<usize>) -> Vec<&[u8]> {
        range
            .map(|item| self.of_item(item).unwrap_or_default())
            .collect()
    }
}

/// Decodes hexadecimal text, with or without `0x`.
pub fn hexadecimal(text: &str) -> Result<Zeroizing<Vec<u8>>, CellProblem> {
    // The capacity is sufficient, so no byte is moved when more are appended.
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len() / 2));
    append_hexadecimal(text.as_bytes(), &mut bytes).map(|()| bytes)
}

/// Checks that strings that may share memory represent at most [`MOST_DECODED`] bytes, not counting
/// those that are too long to be read.
fn require_few_bytes(argument: Argument, chunks: &Chunks, longest: usize) -> PyResult<()> {
    if matches!(chunks.data_type, DataType::Utf8 | DataType::LargeUtf8) {
        return Ok(());
    }
    let mut bytes = 0_u64;
    for piece in &chunks.pieces {
        let cells = Cells::of(piece.as_ref());
        let lengths = (0..piece.len())
            .filter_map(|row| cells.len(row).ok().filter(|length| *length <= longest));
        bytes = lengths.fold(bytes, |sum, length| sum.saturating_add(length as u64));
    }
    if bytes > MOST_DECODED {
        let text = format!(
            "texts of {bytes} bytes, above the limit of {MOST_DECODED}: give bytes, or fewer at a time"
        );
        return Err(PyValueError::new_err(format!("{}: {text}", argument.name)));
    }
    Ok(())
}

fn wrong_item(argument: Argument, index: usize, item: &Bound<'_, PyAny>) -> PyErr {
    let found = item
        .get_type()
        .name()
        .map_or_else(|_| "an object".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{}[{index}]: {found}, not bytes", argument.name))
}
