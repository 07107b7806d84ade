//! Results as an Arrow array.

use arrow_array::{Array, ArrayRef};
use arrow_schema::Field;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::to_array_pycapsules;
use std::sync::Arc;

/// Results that any library takes which knows Arrow's C interface. See `gecc.ArrowArray` in `_gecc.pyi`.
#[pyclass(frozen, module = "gecc")]
pub struct ArrowArray(pub ArrayRef);

#[pymethods]
impl ArrowArray {
    /// The array by Arrow's C interface: capsules of its schema and of its memory, which is not copied.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let field = Arc::new(Field::new("", self.0.data_type().clone(), true));
        Ok(to_array_pycapsules(py, field, self.0.as_ref(), requested_schema)?)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Shows no values, which may be secrets.
    fn __repr__(&self) -> String {
        format!("<gecc.ArrowArray: {} of {}>", self.0.len(), self.0.data_type())
    }
}

/// The array as the library has it of which an argument is: pyarrow or polars. For others the array itself.
pub fn like<'py>(argument: &Bound<'py, PyAny>, array: ArrayRef) -> PyResult<Bound<'py, PyAny>> {
    let py = argument.py();
    let array = Bound::new(py, ArrowArray(array))?.into_any();
    let module = argument.get_type().module()?.to_string();
    match module.split('.').next() {
        Some("pyarrow") => py.import("pyarrow")?.call_method1("array", (array,)),
        Some("polars") => py.import("polars")?.call_method1("Series", (array,)),
        _ => Ok(array),
    }
}
