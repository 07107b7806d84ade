"""Types of arguments."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt


class ArrowArrayExportable(Protocol):
    """An array of pyarrow or another library: Arrow's C interface for one array."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


class ArrowStreamExportable(Protocol):
    """A chunked array, a polars Series, a DuckDB relation with one column: Arrow's C interface for streams."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class Series(Protocol):
    """A pandas column, or a frame of one column."""

    @property
    def index(self) -> Any: ...
    @property
    def iloc(self) -> Any: ...


Bytes: TypeAlias = npt.NDArray[np.uint8] | bytes | bytearray | memoryview
# An array of objects contains `bytes` or hexadecimal strings, like a list.
Item: TypeAlias = Bytes | str | None
Arrow: TypeAlias = ArrowArrayExportable | ArrowStreamExportable

# A column with a row of bytes per item, or a single row for all items.
NumpyRows: TypeAlias = Bytes | str | npt.NDArray[Any] | Sequence[Item]
Rows: TypeAlias = NumpyRows | Arrow | Series
# A column of small integers, or one for all items.
NumpyIntegers: TypeAlias = Bytes | npt.NDArray[Any] | Sequence[int | float | None] | int
Integers: TypeAlias = NumpyIntegers | Arrow | Series
# A column of byte strings of any length, or one for all items.
NumpyStrings: TypeAlias = npt.NDArray[Any] | bytes | Sequence[Bytes | None]
Strings: TypeAlias = NumpyStrings | Arrow | Series
# User ids may also be text.
NumpyUserIds: TypeAlias = NumpyStrings | str | Sequence[str | Bytes | None]
UserIds: TypeAlias = NumpyUserIds | Arrow | Series

Hash: TypeAlias = Literal["sha256", "sha256d", "sha384", "sha512", "keccak256", "eip191", "bitcoin-message", "none"]
SignatureForm: TypeAlias = Literal["auto", "rs", "rsv", "header-first", "eip2098", "der", "der-hash-type"]
# By name, or the number of the first bytes of x.
MaskForm: TypeAlias = Literal["compressed", "uncompressed", "raw", "x"] | int
SForm: TypeAlias = Literal["curve_default", "low", "as_computed"]
