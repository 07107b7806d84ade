//! The arguments of a call: what they are, and how many items they say there are.

mod array;
mod arrow;
mod column;
mod keep;
mod keys;
mod numbers;
mod parallel;
mod strings;

pub use column::Column;
pub use keys::Keys;
pub use strings::Strings;

use crate::reasons::Role;
use gecc::sm2::DEFAULT_USER_ID;
use gecc_arrow::Field;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use std::ops::Range;

/// Rows that were read, and a code for each item: 0 where nothing is wrong with it. No codes where nothing is wrong with any.
pub(crate) type Read<T> = PyResult<(T, Option<Vec<u8>>)>;

/// The name of an argument and what it is, for errors and codes.
#[derive(Clone, Copy)]
pub struct Argument {
    pub name: &'static str,
    pub role: Role,
}

/// An argument of the kind that files have too.
pub fn argument(name: &'static str, field: Field) -> Argument {
    Argument { name, role: Role::Field(field) }
}

impl Argument {
    /// The shape is not one that the argument can have.
    fn shape(self, found: &str, expected: &str) -> PyErr {
        PyValueError::new_err(format!("{}: {found}, not {expected}", self.name))
    }

    /// The type is not one that arguments can have.
    fn kind(self, found: &Bound<'_, PyAny>) -> PyErr {
        let found = found.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string());
        let expected = "not an array of uint8, bytes, a list of bytes, or an Arrow array";
        PyTypeError::new_err(format!("{}: {found}, {expected}", self.name))
    }
}

/// A value as Python has it.
enum Value<'py> {
    /// One or more pieces of an Arrow array.
    Arrow(arrow::Chunks),
    /// A list or tuple, with an object for each item.
    List(Vec<Bound<'py, PyAny>>),
    /// Bytes in one, two or more dimensions.
    Array(array::Bytes<'py>),
}

/// The arguments of one call.
pub struct Call<'py> {
    pub py: Python<'py>,
    /// Items, and the first argument that says so.
    items: Option<(usize, &'static str)>,
    /// The first argument that is of Arrow: then results are, too.
    pub arrow: Option<Bound<'py, PyAny>>,
    /// The addresses of rows that the engine reads, by arguments.
    read: Vec<(&'static str, Range<usize>)>,
    /// A code for each item of which a value cannot be read, and else 0. The first argument counts.
    pub problems: Option<Vec<u8>>,
}

impl<'py> Call<'py> {
    pub fn new(py: Python<'py>) -> Self {
        Call { py, items: None, arrow: None, read: Vec::new(), problems: None }
    }

    /// Items; one where every argument is a value for all items.
    pub fn items(&self) -> usize {
        self.items.map_or(1, |(items, _)| items)
    }

    /// A column of rows of `width` bytes.
    pub fn rows(&mut self, argument: Argument, width: usize, value: &Bound<'py, PyAny>) -> PyResult<Column> {
        let read = match self.value(argument, value)? {
            Value::Arrow(chunks) => Column::of_arrow(self.py, argument, width, &chunks)?,
            Value::List(items) => Column::of_strings(argument, width, &Strings::of_list(argument, &items)?)?,
            Value::Array(bytes) => (Column::of_array(argument, width, &bytes)?, None),
        };
        let column = self.agree(argument, read, Column::items)?;
        self.read.push((argument.name, column.span()));
        Ok(column)
    }

    /// Public keys or other points.
    pub fn keys(&mut self, argument: Argument, value: &Bound<'py, PyAny>) -> PyResult<Keys> {
        let read = match self.value(argument, value)? {
            Value::Arrow(chunks) => Keys::of_arrow(self.py, argument, &chunks)?,
            Value::List(items) => Keys::of_strings(argument, &Strings::of_list(argument, &items)?)?,
            Value::Array(bytes) => (Keys::of_array(argument, self.items.map(|(items, _)| items), &bytes)?, None),
        };
        let keys = self.agree(argument, read, Keys::items)?;
        self.read.extend(keys.span().map(|span| (argument.name, span)));
        Ok(keys)
    }

    /// Small numbers, one byte each.
    pub fn numbers(&mut self, argument: Argument, value: &Bound<'py, PyAny>) -> PyResult<Column> {
        if let Ok(number) = value.extract::<i64>() {
            return self.agree(argument, (numbers::of_one(number), None), Column::items);
        }
        let read = match self.value(argument, value)? {
            Value::Arrow(chunks) => numbers::of_arrow(argument, &chunks)?,
            Value::List(items) => numbers::of_list(argument, &items)?,
            Value::Array(bytes) => (Column::of_array(argument, 1, &bytes)?, None),
        };
        let column = self.agree(argument, read, Column::items)?;
        self.read.push((argument.name, column.span()));
        Ok(column)
    }

    /// What `read` reads of an argument that decides nothing. A value that cannot be read is then nothing that is wrong with its item.
    pub fn hints<T>(&mut self, read: impl FnOnce(&mut Self) -> PyResult<T>) -> PyResult<T> {
        let problems = self.problems.take();
        let hints = read(self);
        self.problems = problems;
        hints
    }

    /// The first argument whose rows share memory with these addresses.
    pub fn reads_in(&self, addresses: &Range<usize>) -> Option<&'static str> {
        let overlaps = |(_, read): &&(_, Range<usize>)| read.start < addresses.end && addresses.start < read.end;
        self.read.iter().find(overlaps).map(|(name, _)| *name)
    }

    /// Byte strings of any length. One of type `bytes` is for all items.
    pub fn strings(&mut self, argument: Argument, value: &Bound<'py, PyAny>) -> PyResult<Strings> {
        let strings = self.unchecked_strings(argument, value)?;
        let problems = strings.problems(argument);
        self.agree(argument, (strings, problems), Strings::items)
    }

    /// User ids: byte strings or texts, one of which is for all items. Null is the default id.
    pub fn ids(&mut self, argument: Argument, value: &Bound<'py, PyAny>) -> PyResult<Strings> {
        let ids = self.unchecked_strings(argument, value)?.with_default(DEFAULT_USER_ID);
        self.agree(argument, (ids, None), Strings::items)
    }

    fn unchecked_strings(&mut self, argument: Argument, value: &Bound<'py, PyAny>) -> PyResult<Strings> {
        if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyString>() {
            return Strings::of_one(argument, value);
        }
        match self.value(argument, value)? {
            Value::Arrow(chunks) => Strings::of_arrow(argument, chunks),
            Value::List(items) => Strings::of_list(argument, &items),
            Value::Array(bytes) => Strings::of_array(argument, &bytes),
        }
    }

    fn value(&mut self, argument: Argument, value: &Bound<'py, PyAny>) -> PyResult<Value<'py>> {
        if let Some(chunks) = arrow::chunks(argument, value)? {
            self.arrow.get_or_insert_with(|| value.clone());
            return Ok(Value::Arrow(chunks));
        }
        if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            return Ok(Value::List(value.try_iter()?.collect::<PyResult<_>>()?));
        }
        Ok(Value::Array(array::Bytes::of(argument, value)?))
    }

    /// Checks that an argument has as many items as those before, and notes what is wrong with its values.
    fn agree<T>(
        &mut self,
        argument: Argument,
        read: (T, Option<Vec<u8>>),
        items: impl Fn(&T) -> Option<usize>,
    ) -> PyResult<T> {
        let (value, problems) = read;
        if let Some(found) = items(&value) {
            let (expected, first) = *self.items.get_or_insert((found, argument.name));
            if found != expected {
                let name = argument.name;
                let text = format!("{name}: {found} items, where {first} has {expected}");
                return Err(PyValueError::new_err(text));
            }
        }
        if let Some(found) = problems {
            let all = self.problems.get_or_insert_with(|| vec![0; found.len()]);
            for (before, found) in all.iter_mut().zip(found).filter(|(before, _)| **before == 0) {
                *before = found;
            }
        }
        Ok(value)
    }
}

/// Where the engine reads a column: the address of the first row, the distance from each row to the next in bytes (0 where one
/// row serves all), and the number of rows. For tests of what is copied and what is not.
#[pyfunction]
pub fn place_of(py: Python<'_>, value: &Bound<'_, PyAny>, width: usize) -> PyResult<(usize, usize, Option<usize>)> {
    let column = Call::new(py).rows(argument("value", Field::Digest), width, value)?;
    Ok((column.span().start, column.stride(), column.items()))
}
