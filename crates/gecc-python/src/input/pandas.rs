//! Columns of pandas, which `gecc._frames` reads and makes.

use super::Argument;
use pyo3::prelude::*;

fn frames<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
    py.import("gecc._frames")
}

/// A column of pandas as something else that arguments can be, and its index; `None` for what is no column of pandas.
pub fn column<'py>(
    argument: Argument,
    value: &Bound<'py, PyAny>,
) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    frames(value.py())?.call_method1("column", (argument.name, value))?.extract()
}

/// Results with an index: numbers and truth values as they are, rows as `bytes`. `passed` says which items have a
/// result.
pub fn series<'py>(
    array: &Bound<'py, PyAny>,
    passed: Option<&Bound<'py, PyAny>>,
    index: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    frames(index.py())?.call_method1("series", (array, passed, index))
}

/// Returns whether two columns have the same index.
pub fn agree(index: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    index.call_method1("equals", (other,))?.extract()
}
