"""pandas columns for the extension: conversion of arguments that it reads, and of results.

pandas is used only if the program has imported it.
"""

import sys
from typing import Any


def _pandas() -> Any:
    """Returns pandas, or None if it is not imported, or not yet completely: no value is of pandas then."""
    pandas = sys.modules.get("pandas")
    return pandas if hasattr(pandas, "Series") and hasattr(pandas, "DataFrame") else None


def is_frame(value: Any) -> bool:
    pandas = _pandas()
    return pandas is not None and isinstance(value, pandas.DataFrame)


def column(name: str, value: Any) -> tuple[Any, Any] | None:
    """Converts a Series, or a frame of one column, to a list or an array, and returns its index; None for others."""
    pandas = _pandas()
    if pandas is None or not isinstance(value, (pandas.Series, pandas.DataFrame)):
        return None
    if is_frame(value):
        if value.shape[1] != 1:
            raise ValueError(f"{name}: a table of {value.shape[1]} columns, not one column")
        value = value.iloc[:, 0]
    return _values(pandas, value), value.index


def _values(pandas: Any, series: Any) -> Any:
    dtype = series.dtype
    is_text_of_arrow = isinstance(dtype, pandas.StringDtype) and dtype.storage != "python"
    if is_text_of_arrow or isinstance(dtype, pandas.ArrowDtype):
        return series.array.__arrow_array__()
    if getattr(dtype, "kind", "O") in "iub" and not pandas.api.types.is_extension_array_dtype(dtype):
        return series.to_numpy()
    # Values that pandas considers missing, including NaN, become None.
    return series.to_numpy(dtype=object, na_value=None).tolist()


def series(array: Any, passed: Any, index: Any) -> Any:
    """A Series of results: one-dimensional arrays unchanged, rows as `bytes`, None for items that did not pass."""
    import pandas

    if array.ndim == 2:
        rows = [row.tobytes() if ok else None for row, ok in zip(array, passed, strict=True)]
        return pandas.Series(rows, index, dtype=object)
    if passed is not None:
        array = pandas.arrays.IntegerArray(array, ~passed)
    return pandas.Series(array, index)
