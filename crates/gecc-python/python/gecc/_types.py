"""Types of arguments and results."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt


class ArrowArrayExportable(Protocol):
    """An array of pyarrow and others: Arrow's C interface for one array."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


class ArrowStreamExportable(Protocol):
    """A chunked array, a series of polars, a relation of DuckDB with one column: Arrow's C interface for streams."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Bytes: TypeAlias = npt.NDArray[np.uint8] | bytes | bytearray | memoryview
Arrow: TypeAlias = ArrowArrayExportable | ArrowStreamExportable

# A column with a row of bytes for each item, or a single row for all items.
Rows: TypeAlias = Bytes | Sequence[Bytes | None] | Arrow
# A column of small integers, or one for all items.
Integers: TypeAlias = Bytes | Sequence[int | None] | Arrow | int
# A column of byte strings of any length, or one for all items.
Strings: TypeAlias = npt.NDArray[np.uint8] | bytes | Sequence[Bytes | None] | Arrow
# User ids may be text, too.
UserIds: TypeAlias = Strings | str | Sequence[str | Bytes | None]

# Rows of bytes; of Arrow where an argument is.
ByteRows: TypeAlias = npt.NDArray[np.uint8] | Any
# A truth value an item, or with `reasons=True` a code; of Arrow where an argument is.
Verdicts: TypeAlias = npt.NDArray[Any] | Any

SForm: TypeAlias = Literal["curve_default", "low", "as_computed"]
