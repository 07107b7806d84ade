//! Hexadecimal texts of Python, with or without `0x`.

use super::Argument;
use gecc_arrow::{CellProblem, append_hexadecimal};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use zeroize::Zeroizing;

/// The bytes of a text of one item.
pub fn bytes(text: &Bound<'_, PyString>) -> PyResult<Result<Zeroizing<Vec<u8>>, CellProblem>> {
    let text = text.to_cow()?;
    // No byte is moved when more are appended.
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len() / 2));
    Ok(append_hexadecimal(text.as_bytes(), &mut bytes).map(|()| bytes))
}

/// The bytes of a text that stands for all items.
pub fn row(argument: Argument, text: &Bound<'_, PyString>) -> PyResult<Zeroizing<Vec<u8>>> {
    bytes(text)?.map_err(|_| PyValueError::new_err(format!("{}: a text that is not hexadecimal", argument.name)))
}
