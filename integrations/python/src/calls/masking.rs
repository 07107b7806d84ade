//! Hashing to points, and masks for private set intersection.

use crate::calls::operations::run_operation;
use crate::choices;
use crate::engine::Engine;
use gecc::call::{Operation, Options};
use gecc::hash_to_curve::Dst;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Runs the operation with this name in `gecc._api` over its columns. `group` is the suite of
/// operations on messages, and the curve of those on points.
#[pyfunction]
#[pyo3(signature = (
    engine, name, group, columns, *, dst = None, form = None, out = None, reasons = false
))]
pub fn run_masking<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    name: &str,
    group: &str,
    columns: &Bound<'py, PyDict>,
    dst: Option<&[u8]>,
    form: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let operation = match name {
        "hash_to_curve" => Operation::HashToCurve(choices::suite(group)?),
        "mask" => Operation::MaskItems(choices::suite(group)?, choices::mask_form(form)?),
        "mask_points" => Operation::MaskPoints(choices::curve(group)?, choices::mask_form(form)?),
        "unmask" => Operation::UnmaskPoints(choices::curve(group)?, choices::mask_form(form)?),
        _ => {
            return Err(PyValueError::new_err(format!(
                "{name:?} is not an operation of masking"
            )));
        }
    };
    let options = Options {
        dst: Dst::new(dst.unwrap_or_default()),
        ..Options::default()
    };
    let reader = choices::signature_reader(operation, "auto")?;
    run_operation(
        py, engine, operation, options, reader, columns, out, reasons,
    )
}
