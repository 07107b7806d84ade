//! The arguments of a call: their types, and the number of items.

mod array;
mod arrow;
mod column;
mod keys;
mod named_key;
mod numbers;
mod outputs;
pub mod pandas;
mod parallel;
mod signatures;
mod strings;
mod value;

pub use column::RowColumn;
pub use keys::PublicKeyColumn;
pub use numbers::NO_ID;
pub use outputs::OutputColumn;
pub use signatures::Signatures;
pub use strings::Strings;

use crate::reasons::ArgumentRole;
use gecc::CurveId;
use gecc::fields::SignatureReader;
use gecc::sm2::DEFAULT_USER_ID;
use gecc_arrow::{CellProblem, Field};
use gecc_keys::KeyKind;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::ops::Range;
use value::ArgumentValue;

/// Rows that were read, and a code for each item, which is 0 if it has no problem. `None` if no
/// item has a problem.
pub(crate) type ReadResult<T> = PyResult<(T, Option<Vec<u8>>)>;

/// Returns the codes of items, if there are problems.
pub(crate) fn some_problems(problems: Vec<u8>) -> Option<Vec<u8>> {
    problems
        .iter()
        .any(|problem| *problem != 0)
        .then_some(problems)
}

/// Maximum length in bytes of a key or signature in an Arrow array, as in `gecc_arrow`: a
/// certificate is a key.
const LONGEST: usize = 16 << 10;

/// The name and the role of an argument, for errors and codes.
#[derive(Clone, Copy)]
pub struct Argument {
    pub name: &'static str,
    pub role: ArgumentRole,
    /// The required purpose of keys in formats that state one.
    pub kind: Option<KeyKind>,
}

/// Creates an argument of a kind that files have too.
pub fn argument(name: &'static str, field: Field) -> Argument {
    Argument {
        name,
        role: ArgumentRole::Field(field),
        kind: None,
    }
}

impl Argument {
    /// Returns the error for a shape that the argument cannot have.
    fn shape(self, found: &str, expected: &str) -> PyErr {
        PyValueError::new_err(format!("{}: {found}, not {expected}", self.name))
    }

    /// Returns the field of a file that has the same kind of values.
    fn field(self) -> Field {
        match self.role {
            ArgumentRole::Field(field) => field,
            ArgumentRole::Point | ArgumentRole::Scalar => Field::PublicKey,
        }
    }

    /// Rejects a column of strings none of which is hexadecimal: such a column has another meaning,
    /// and its items are not just malformed.
    fn require_some_hexadecimal(self, problems: &[u8]) -> PyResult<()> {
        let ArgumentRole::Field(_) = self.role else {
            return Ok(());
        };
        let [text, null] =
            [CellProblem::NotHexadecimal, CellProblem::Null].map(|problem| self.role.code(problem));
        if problems.contains(&text) && problems.iter().all(|code| *code == text || *code == null) {
            return Err(PyValueError::new_err(format!(
                "{}: no text of the column is hexadecimal",
                self.name
            )));
        }
        Ok(())
    }

    /// Returns the error for a type that arguments cannot have.
    fn kind(self, found: &Bound<'_, PyAny>) -> PyErr {
        let found = found
            .get_type()
            .name()
            .map_or_else(|_| "an object".to_owned(), |name| name.to_string());
        let expected = "not an array of uint8, bytes, a list of bytes, or an Arrow array";
        PyTypeError::new_err(format!("{}: {found}, {expected}", self.name))
    }
}

/// The form of results, which follows that of the arguments.
pub enum ArrayLibrary<'py> {
    Numpy,
    /// Arrow arrays of the library of this argument.
    Arrow(Bound<'py, PyAny>),
    /// pandas Series with this index.
    Pandas(Bound<'py, PyAny>),
}

/// The arguments of one call.
pub struct Call<'py> {
    pub py: Python<'py>,
    /// The purpose of keys. Without it, arguments cannot be keys in formats that state a purpose.
    kind: Option<KeyKind>,
    /// The number of items, and the first argument that determines it.
    items: Option<(usize, &'static str)>,
    /// The form of the first pandas argument, else of the first Arrow argument.
    pub form: ArrayLibrary<'py>,
    /// The addresses of rows that the engine reads, by argument.
    read: Vec<(&'static str, Range<usize>)>,
    /// A code for each item, which is 0 if all its values could be read. The first argument takes
    /// precedence.
    pub problems: Option<Vec<u8>>,
}

impl<'py> Call<'py> {
    /// Creates a call without keys in formats that state a purpose.
    pub fn new(py: Python<'py>) -> Self {
        Call {
            py,
            kind: None,
            items: None,
            form: ArrayLibrary::Numpy,
            read: Vec::new(),
            problems: None,
        }
    }

    /// Creates a call whose keys have this purpose.
    pub fn for_keys(py: Python<'py>, kind: impl Into<KeyKind>) -> Self {
        Call {
            kind: Some(kind.into()),
            ..Self::new(py)
        }
    }

    /// Returns the argument with the purpose of this call.
    fn of_kind(&self, argument: Argument) -> Argument {
        Argument {
            kind: self.kind,
            ..argument
        }
    }

    /// Returns the number of items; one if every argument is a value for all items.
    pub fn items(&self) -> usize {
        self.items.map_or(1, |(items, _)| items)
    }

    /// Reads a column of rows of `width` bytes.
    pub fn rows(
        &mut self,
        argument: Argument,
        width: usize,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<RowColumn> {
        let argument = self.of_kind(argument);
        let read = match self.value(argument, value)? {
            ArgumentValue::Arrow(chunks) => RowColumn::of_arrow(self.py, argument, width, &chunks)?,
            ArgumentValue::List(items) => {
                RowColumn::of_strings(argument, width, &Strings::of_list(argument, &items)?)?
            }
            ArgumentValue::Array(bytes) => (RowColumn::of_array(argument, width, &bytes)?, None),
            ArgumentValue::Row(row) => (RowColumn::of_row(argument, width, row)?, None),
        };
        let column = self.agree(argument, read, RowColumn::items)?;
        self.read.push((argument.name, column.span()));
        Ok(column)
    }

    /// Reads signatures, which may contain recovery ids.
    pub fn signatures(
        &mut self,
        reader: SignatureReader,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Signatures> {
        let argument = argument("signatures", Field::Signature);
        let read = match self.value(argument, value)? {
            ArgumentValue::Arrow(chunks) => {
                Signatures::of_arrow(self.py, argument, &chunks, reader)?
            }
            ArgumentValue::List(items) => {
                Signatures::of_strings(argument, &Strings::of_list(argument, &items)?, reader)?
            }
            ArgumentValue::Array(bytes) => Signatures::of_array(argument, &bytes, reader)?,
            ArgumentValue::Row(row) => Signatures::of_row(argument, row, reader)?,
        };
        let signatures = self.agree(argument, read, |signatures: &Signatures| {
            signatures.rows.items()
        })?;
        self.read.push((argument.name, signatures.rows.span()));
        Ok(signatures)
    }

    /// Reads public keys or other points.
    pub fn keys(
        &mut self,
        argument: Argument,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<PublicKeyColumn> {
        let argument = self.of_kind(argument);
        let read = match self.value(argument, value)? {
            ArgumentValue::Arrow(chunks) => PublicKeyColumn::of_arrow(self.py, argument, &chunks)?,
            ArgumentValue::List(items) => {
                PublicKeyColumn::of_strings(argument, &Strings::of_list(argument, &items)?)?
            }
            ArgumentValue::Array(bytes) => (
                PublicKeyColumn::of_array(argument, self.items.map(|(items, _)| items), &bytes)?,
                None,
            ),
            ArgumentValue::Row(row) => (PublicKeyColumn::of_row(argument, row)?, None),
        };
        let keys = self.agree(argument, read, PublicKeyColumn::items)?;
        self.read
            .extend(keys.span().map(|span| (argument.name, span)));
        Ok(keys)
    }

    /// Reads recovery ids, one byte each.
    pub fn recovery_ids(
        &mut self,
        reader: SignatureReader,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<RowColumn> {
        let argument = argument("recovery_ids", Field::RecoveryId);
        let value = &self.without_index(argument, value)?;
        if let Ok(number) = value.extract::<i128>() {
            return self.agree(
                argument,
                (numbers::of_one(number, reader), None),
                RowColumn::items,
            );
        }
        let floats = numbers::of_floats(argument, value, reader)?;
        let read = match numbers::of_integers(argument, value, reader)?
            .map(|column| (column, None))
            .or(floats)
        {
            Some(read) => read,
            None => match self.value(argument, value)? {
                ArgumentValue::Arrow(chunks) => numbers::of_arrow(argument, &chunks, reader)?,
                ArgumentValue::List(items) => numbers::of_list(argument, &items, reader)?,
                ArgumentValue::Array(bytes) => (numbers::of_array(argument, &bytes, reader)?, None),
                ArgumentValue::Row(_) => return Err(argument.kind(value)),
            },
        };
        let column = self.agree(argument, read, RowColumn::items)?;
        self.read.push((argument.name, column.span()));
        Ok(column)
    }

    /// Reads an optional hint with `read`. A value that cannot be read is then not an error of its
    /// item.
    pub fn hints<T>(&mut self, read: impl FnOnce(&mut Self) -> PyResult<T>) -> PyResult<T> {
        let problems = self.problems.take();
        let hints = read(self);
        self.problems = problems;
        hints
    }

    /// Returns the first argument whose rows share memory with these addresses.
    pub fn reads_in(&self, addresses: &Range<usize>) -> Option<&'static str> {
        let mut read = self.read.iter();
        let overlapping =
            read.find(|(_, read)| read.start < addresses.end && addresses.start < read.end);
        overlapping.map(|(name, _)| *name)
    }

    /// Notes problems of items that have none so far.
    pub fn note(&mut self, argument: Argument, problems: Vec<u8>) -> PyResult<()> {
        self.agree(argument, ((), some_problems(problems)), |_| None)
    }

    /// Reads byte strings of any length. A single `bytes` object is for all items.
    pub fn strings(&mut self, argument: Argument, value: &Bound<'py, PyAny>) -> PyResult<Strings> {
        let strings = self.unchecked_strings(argument, value)?;
        let problems = strings.problems(argument)?;
        let strings = self.agree(argument, (strings, problems), Strings::items)?;
        self.read
            .extend(strings.span().map(|span| (argument.name, span)));
        Ok(strings)
    }

    /// Reads user ids: byte strings or text, a single one of which is for all items. Null is the
    /// default id.
    pub fn ids(&mut self, argument: Argument, value: &Bound<'py, PyAny>) -> PyResult<Strings> {
        let ids = self
            .unchecked_strings(argument, value)?
            .with_default(DEFAULT_USER_ID);
        self.agree(argument, (ids, None), Strings::items)
    }

    fn unchecked_strings(
        &mut self,
        argument: Argument,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Strings> {
        if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyString>() {
            return Strings::of_one(argument, value);
        }
        let column = self.without_index(argument, value)?;
        match self.value(argument, &column)? {
            // Text in a frame is not assumed to be hexadecimal.
            ArgumentValue::Arrow(chunks)
                if !column.is(value)
                    && chunks.are_texts()
                    && argument.role == ArgumentRole::Field(Field::Message) =>
            {
                let text = "text, not bytes: encode it, as by .str.encode()";
                Err(PyTypeError::new_err(format!("{}: {text}", argument.name)))
            }
            ArgumentValue::Arrow(chunks) => Strings::of_arrow(argument, chunks, usize::MAX),
            ArgumentValue::List(items) => Strings::of_list(argument, &items),
            ArgumentValue::Array(bytes) => Strings::of_array(argument, &bytes),
            ArgumentValue::Row(_) => Strings::of_one(argument, value),
        }
    }

    fn value(
        &mut self,
        argument: Argument,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<ArgumentValue<'py>> {
        let argument = self.of_kind(argument);
        let value = &self.without_index(argument, value)?;
        let read = ArgumentValue::of(argument, value)?;
        if let (ArrayLibrary::Numpy, ArgumentValue::Arrow(_)) = (&self.form, &read) {
            self.form = ArrayLibrary::Arrow(value.clone());
        }
        Ok(read)
    }

    /// Returns the values of a pandas column, whose index the results will have. Other values are
    /// returned unchanged.
    fn without_index(
        &mut self,
        argument: Argument,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some((values, index)) = pandas::column(argument, value)? else {
            return Ok(value.clone());
        };
        match &self.form {
            // Items are matched by position, and rows of two indexes may have different orders.
            ArrayLibrary::Pandas(first) if !pandas::agree(first, &index)? => {
                let text = "its index is another than that of the arguments before: take .reset_index(drop=True) of all, or .to_numpy()";
                Err(PyValueError::new_err(format!("{}: {text}", argument.name)))
            }
            ArrayLibrary::Pandas(_) => Ok(values),
            _ => {
                self.form = ArrayLibrary::Pandas(index);
                Ok(values)
            }
        }
    }

    /// Checks that an argument has the same number of items as those before, and notes the problems
    /// of its values.
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
            argument.require_some_hexadecimal(&found)?;
            match &mut self.problems {
                Some(all) => {
                    for (before, found) in all
                        .iter_mut()
                        .zip(found)
                        .filter(|(before, _)| **before == 0)
                    {
                        *before = found;
                    }
                }
                None => self.problems = Some(found),
            }
        }
        Ok(value)
    }
}

/// Returns where the engine reads a column: the address of the first row, the distance between rows
/// in bytes (0 if one row is for all), and the number of rows. For tests that check for copies.
#[pyfunction]
pub fn place_of(
    py: Python<'_>,
    value: &Bound<'_, PyAny>,
    width: usize,
) -> PyResult<(usize, usize, Option<usize>)> {
    let column = Call::for_keys(py, CurveId::Secp256k1).rows(
        argument("value", Field::Digest),
        width,
        value,
    )?;
    Ok((column.span().start, column.stride(), column.items()))
}
