//! pandas columns, which `gecc._frames` reads and creates.

use super::Argument;
use pyo3::prelude::*;

fn frames<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
    py.import("gecc._frames")
}

/// Converts a pandas column to another supported argument, and returns its index; `None` if the
/// value is not a pandas column.
pub fn column<'py>(
    argument: Argument,
    value: &Bound<'py, PyAny>,
) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    frames(value.py())?
        .call_method1("column", (argument.name, value))?
        .extract()
}

/// Converts results to a Series with an index: numbers and booleans unchanged, rows as `bytes`.
/// `passed` marks the items that have a result.
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
