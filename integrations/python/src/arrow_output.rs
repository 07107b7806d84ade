//! Results as an Arrow array.

use crate::capsules;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyList, PySlice, PyTuple};

/// Results for any library that supports Arrow's C interface. See `gecc.ArrowArray` in `_gecc.pyi`.
#[pyclass(frozen, module = "gecc")]
pub struct ArrowArray(pub ArrayRef);

#[pymethods]
impl ArrowArray {
    /// Exports the array through Arrow's C interface: capsules of its schema and of its memory,
    /// which is not copied.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        // A requested schema is only a wish: the consumer converts what it receives.
        let _ = requested_schema;
        capsules::pair(
            py,
            self.0.as_ref(),
            &Field::new("", self.0.data_type().clone(), true),
        )
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Raises an error, as numpy does: an array is neither true nor false.
    fn __bool__(&self) -> PyResult<bool> {
        let text = "the truth value of an array is ambiguous: use numpy.asarray(array).all()";
        Err(PyValueError::new_err(text))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.list(py)?.try_iter()
    }

    /// Returns an item, or the items of a slice as an array.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        place: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = place.cast::<PySlice>() {
            let slice = slice.indices(self.0.len() as isize)?;
            if slice.step != 1 {
                return Err(PyValueError::new_err(
                    "slices of an ArrowArray have a step of 1",
                ));
            }
            let array = self.0.slice(slice.start as usize, slice.slicelength);
            return Ok(Bound::new(py, ArrowArray(array))?.into_any());
        }
        let place = place.extract::<isize>()?;
        let items = self.0.len();
        let item = if place < 0 {
            items.checked_add_signed(place)
        } else {
            Some(place as usize)
        };
        match item.filter(|item| *item < items) {
            Some(item) => self.value(py, item),
            None => Err(PyIndexError::new_err(format!("item {place} of {items}"))),
        }
    }

    /// Returns a copy as a numpy array: of booleans or numbers, or of objects if some items are
    /// null or all are `bytes`.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err(
                "an ArrowArray is copied on its way to numpy",
            ));
        }
        let array = match self.0.data_type() {
            DataType::Boolean if self.0.null_count() == 0 => {
                PyArray1::from_vec(py, self.0.as_boolean().values().iter().collect()).into_any()
            }
            DataType::UInt8 if self.0.null_count() == 0 => {
                PyArray1::from_slice(py, self.0.as_primitive::<UInt8Type>().values()).into_any()
            }
            _ => {
                let options = PyDict::new(py);
                options.set_item("dtype", "object")?;
                py.import("numpy")?
                    .call_method("array", (self.list(py)?,), Some(&options))?
            }
        };
        dtype.map_or(Ok(array.clone()), |dtype| {
            array.call_method1("astype", (dtype,))
        })
    }

    /// Compares item by item, as numpy does.
    fn __richcmp__<'py>(
        &self,
        py: Python<'py>,
        other: &Bound<'py, PyAny>,
        operator: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.__array__(py, None, None)?
            .rich_compare(other, operator)
    }

    /// Shows the number of items that passed, but no values, which may be secrets.
    fn __repr__(&self) -> String {
        let items = self.0.len();
        let nulls = self.0.null_count();
        let more = match self.0.as_boolean_opt() {
            Some(values) => format!(", {} true", values.true_count()),
            None if nulls > 0 => format!(", {nulls} null"),
            None => String::new(),
        };
        format!("<gecc.ArrowArray: {items} of {}{more}>", self.0.data_type())
    }
}

impl ArrowArray {
    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let values = (0..self.0.len())
            .map(|item| self.value(py, item))
            .collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, values)
    }

    /// Returns an item as a Python object: a boolean, number or `bytes`; `None` if it is null.
    fn value<'py>(&self, py: Python<'py>, item: usize) -> PyResult<Bound<'py, PyAny>> {
        if self.0.is_null(item) {
            return Ok(py.None().into_bound(py));
        }
        match self.0.data_type() {
            DataType::Boolean => Ok(self
                .0
                .as_boolean()
                .value(item)
                .into_pyobject(py)?
                .to_owned()
                .into_any()),
            DataType::UInt8 => Ok(self
                .0
                .as_primitive::<UInt8Type>()
                .value(item)
                .into_pyobject(py)?
                .into_any()),
            DataType::UInt32 => Ok(self
                .0
                .as_primitive::<UInt32Type>()
                .value(item)
                .into_pyobject(py)?
                .into_any()),
            DataType::UInt64 => Ok(self
                .0
                .as_primitive::<UInt64Type>()
                .value(item)
                .into_pyobject(py)?
                .into_any()),
            DataType::Int64 => Ok(self
                .0
                .as_primitive::<Int64Type>()
                .value(item)
                .into_pyobject(py)?
                .into_any()),
            DataType::FixedSizeBinary(_) => {
                Ok(PyBytes::new(py, self.0.as_fixed_size_binary().value(item)).into_any())
            }
            other => Err(PyTypeError::new_err(format!("no result is of {other}"))),
        }
    }
}

/// Converts the array to the library of an argument: pyarrow or polars. For others, returns the
/// array itself.
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
