"""Which arguments are copied and which are read in place, and that all forms give the same results."""

from collections.abc import Callable
from typing import Any

import duckdb
import gecc
import numpy as np
import polars
import pyarrow as pa
import pytest
from gecc import _gecc

from support import Bytes, compressed, random_rows, signed, uncompressed

ITEMS = 500


def address(rows: Bytes) -> int:
    return int(rows.ctypes.data)


def test_arrays_of_numpy_are_read_where_they_lie() -> None:
    rows = random_rows(ITEMS, 32)
    assert _gecc.place_of(rows, 32) == (address(rows), 32, ITEMS)
    assert _gecc.place_of(rows[7:], 32) == (address(rows) + 7 * 32, 32, ITEMS - 7)
    assert _gecc.place_of(rows[::3], 32) == (address(rows), 96, 167)
    records = random_rows(ITEMS, 129)
    assert _gecc.place_of(records[:, 32:65], 33) == (address(records) + 32, 129, ITEMS)
    assert _gecc.place_of(rows[0], 32) == (address(rows), 0, None)
    assert _gecc.place_of(rows.reshape(-1), 32) == (address(rows), 32, ITEMS)
    assert _gecc.place_of(np.broadcast_to(rows[3], (9, 32)), 32) == (address(rows) + 96, 0, 9)
    fields = np.zeros(ITEMS, [("digest", np.uint8, 32), ("key", np.uint8, 33)])
    assert _gecc.place_of(fields["key"], 33) == (fields.ctypes.data + 32, 65, ITEMS)


def test_buffers_are_read_where_they_lie() -> None:
    row = random_rows(ITEMS, 32)
    for buffer in (bytes(row.tobytes()), bytearray(row.tobytes()), memoryview(row.tobytes())):
        assert _gecc.place_of(buffer, 32) == (address(np.frombuffer(buffer, np.uint8)), 32, ITEMS)


def test_other_layouts_are_copied() -> None:
    rows = random_rows(ITEMS, 32)
    for other in (rows[::-1], np.asfortranarray(rows), rows[:, ::-1]):
        found, stride, items = _gecc.place_of(other, 32)
        assert (stride, items) == (32, ITEMS)
        assert found != address(rows)


def data_address(array: Any) -> int:
    return int(array.buffers()[-1].address)


def test_arrays_of_arrow_are_read_where_they_lie() -> None:
    rows = [row.tobytes() for row in random_rows(ITEMS, 32)]
    fixed = pa.array(rows, pa.binary(32))
    assert _gecc.place_of(fixed, 32) == (data_address(fixed), 32, ITEMS)
    assert _gecc.place_of(fixed[9:], 32) == (data_address(fixed) + 9 * 32, 32, ITEMS - 9)
    for variable in (pa.binary(), pa.large_binary()):
        array = pa.array(rows, variable)
        assert _gecc.place_of(array, 32) == (data_address(array), 32, ITEMS)
    nulls = pa.array([None, *rows], pa.binary(32))
    assert _gecc.place_of(nulls, 32) == (data_address(nulls), 32, ITEMS + 1)
    assert _gecc.place_of(pa.chunked_array([fixed]), 32) == (data_address(fixed), 32, ITEMS)
    assert _gecc.place_of(pa.table({"column": fixed}), 32) == (data_address(fixed), 32, ITEMS)


def test_results_of_arrow_are_not_copied_on_their_way_to_pyarrow() -> None:
    keys = pa.array([bytes(31) + b"\1"] * ITEMS, pa.binary(32))
    points, _ = gecc.public_keys("p256", keys)
    assert isinstance(points, pa.FixedSizeBinaryArray)
    assert _gecc.place_of(points, 64)[0] == data_address(points)


def hexadecimal(rows: Bytes) -> list[str]:
    return ["0x" + row.tobytes().hex() for row in rows]


def duck(rows: Bytes) -> Any:
    table = pa.table({"column": pa.array([row.tobytes() for row in rows], pa.binary())})
    return duckdb.connect().from_arrow(table)


NUMPY: dict[str, Callable[[Bytes], Any]] = {
    "array": lambda rows: rows,
    "rows apart": lambda rows: np.concatenate([rows, rows], axis=1)[:, : rows.shape[1]],
    "column-major": np.asfortranarray,
    "reversed twice": lambda rows: rows[::-1].copy()[::-1],
    "bytes": lambda rows: rows.tobytes(),
    "bytearray": lambda rows: bytearray(rows.tobytes()),
    "memoryview": lambda rows: memoryview(rows),
    "list of bytes": lambda rows: [row.tobytes() for row in rows],
    "tuple of arrays": lambda rows: tuple(rows),
}
ARROW: dict[str, Callable[[Bytes], Any]] = {
    "fixed": lambda rows: pa.array([row.tobytes() for row in rows], pa.binary(rows.shape[1])),
    "binary": lambda rows: pa.array([row.tobytes() for row in rows], pa.binary()),
    "large binary": lambda rows: pa.array([row.tobytes() for row in rows], pa.large_binary()),
    "binary view": lambda rows: pa.array([row.tobytes() for row in rows], pa.binary_view()),
    "text": lambda rows: pa.array(hexadecimal(rows), pa.string()),
    "text view": lambda rows: pa.array(hexadecimal(rows), pa.string_view()),
    "dictionary": lambda rows: pa.array([row.tobytes() for row in rows], pa.binary()).dictionary_encode(),
    "pieces": lambda rows: pa.chunked_array([[row.tobytes() for row in part] for part in (rows[:3], rows[3:])]),
    "no pieces and some": lambda rows: pa.chunked_array([[], [row.tobytes() for row in rows]], pa.binary()),
    "polars": lambda rows: polars.Series([row.tobytes() for row in rows], dtype=polars.Binary),
    "polars text": lambda rows: polars.Series(hexadecimal(rows)),
    "duckdb": duck,
}


@pytest.mark.parametrize("form", NUMPY)
@pytest.mark.parametrize(
    "keys", [lambda rows: rows, compressed, uncompressed], ids=["raw", "compressed", "uncompressed"]
)
def test_all_forms_of_arrays_verify(form: str, keys: Callable[[Bytes], Bytes]) -> None:
    batch, make = signed("p256", ITEMS), NUMPY[form]
    public_keys = keys(batch.public_keys)
    found = gecc.verify("p256", make(batch.digests), make(batch.signatures), make(public_keys))
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.bool_
    assert found.tolist() == batch.valid.tolist()
    assert gecc.verify("p256", batch.digests, batch.signatures, make(public_keys)).tolist() == batch.valid.tolist()


@pytest.mark.parametrize("form", ARROW)
def test_all_forms_of_arrow_verify_and_recover(form: str) -> None:
    batch, make = signed("secp256k1", ITEMS), ARROW[form]
    found = gecc.verify("secp256k1", make(batch.digests), make(batch.signatures), make(batch.public_keys))
    assert pa.array(found).to_pylist() == batch.valid.tolist()
    mixed = gecc.verify("secp256k1", batch.digests, make(batch.signatures), batch.public_keys)
    assert pa.array(mixed).to_pylist() == batch.valid.tolist()
    ids = np.arange(ITEMS, dtype=np.uint8) % 4
    expected, valid = gecc.recover("secp256k1", batch.digests, batch.signatures, ids)
    keys, ok = gecc.recover("secp256k1", make(batch.digests), make(batch.signatures), pa.array(ids.astype(np.int64)))
    assert pa.array(ok).to_pylist() == valid.tolist()
    rows = [row.tobytes() if item else None for row, item in zip(expected, valid, strict=True)]
    assert pa.array(keys).to_pylist() == rows


def test_results_are_of_the_library_that_an_argument_is_of() -> None:
    batch = signed("p256", 10)
    for form, kind in (
        ("fixed", pa.Array),
        ("pieces", pa.Array),
        ("polars", polars.Series),
        ("duckdb", gecc.ArrowArray),
    ):
        codes = gecc.verify("p256", ARROW[form](batch.digests), batch.signatures, batch.public_keys, reasons=True)
        assert isinstance(codes, kind)
        assert [code == 0 for code in pa.array(codes).to_pylist()] == batch.valid.tolist()


def test_one_row_is_for_all_items() -> None:
    secret_keys, public_keys = gecc.generate_keys("p256", 1)
    digests = random_rows(ITEMS, 32)
    signatures, _ = gecc.sign("p256", digests, secret_keys[0])
    for key in (public_keys[0], compressed(public_keys)[0].tobytes(), uncompressed(public_keys)[0]):
        assert gecc.verify("p256", digests, signatures, key).all()
    one = gecc.verify("p256", digests[0].tobytes(), signatures[0].tobytes(), public_keys[0])
    assert one.tolist() == [True]
    # A batch of one row is not broadcast.
    with pytest.raises(ValueError, match="public_keys: 1 items, where digests has 500"):
        gecc.verify("p256", digests, signatures, public_keys)


def test_results_go_to_memory_of_the_caller() -> None:
    secret_keys, public_keys = gecc.generate_keys("p256", 9)
    secret_keys[4] = 0
    expected, valid = gecc.public_keys("p256", secret_keys)
    out = random_rows(9, 64)
    points, ok = gecc.public_keys("p256", secret_keys, out=out)
    assert points is out
    assert ok.tolist() == valid.tolist() == [item != 4 for item in range(9)]
    # Rows of rejected items are zeros in memory that was used before, too.
    assert np.array_equal(out, expected)
    records = np.zeros((9, 128), np.uint8)
    wrong: list[tuple[Any, str]] = [
        (np.zeros((8, 64), np.uint8), r"out: an array of shape \[8, 64\], not of \[9, 64\]"),
        (np.zeros(9 * 64, np.uint8), r"out: an array of shape \[576\], not"),
        (records[:, :64], r"out: an array of shape \[9, 64\], not of \[9, 64\] with rows one after the other"),
        (public_keys, "out: it shares memory with points"),
        (public_keys[::-1][::-1], "out: it shares memory with points"),
    ]
    readonly = np.zeros((9, 64), np.uint8)
    readonly.flags.writeable = False
    for array, text in [*wrong, (readonly, "out: ")]:
        with pytest.raises(ValueError, match=text):
            gecc.double("p256", public_keys, out=array)
    for other in (np.zeros((9, 64)), bytearray(9 * 64), [b""] * 9):
        with pytest.raises(TypeError, match="out: not an array of uint8"):
            gecc.double("p256", public_keys, out=other)
    buffer = random_rows(10, 32)
    with pytest.raises(ValueError, match="out: it shares memory with messages"):
        gecc.message_digests(buffer[1:], out=buffer[:-1])
    with pytest.raises(ValueError, match="out: results are of Arrow, as an argument is"):
        gecc.double("p256", pa.array([row.tobytes() for row in public_keys]), out=np.zeros((9, 64), np.uint8))


def test_batches_without_items() -> None:
    nothing = np.zeros((0, 32), np.uint8)
    assert gecc.verify("p256", nothing, nothing.reshape(0, 64), nothing.reshape(0, 33)).shape == (0,)
    assert gecc.verify("p256", [], [], []).shape == (0,)
    assert gecc.verify("p256", b"", b"", b"").shape == (0,)
    assert pa.array(gecc.verify("p256", pa.array([], pa.binary(32)), [], []), pa.bool_()).to_pylist() == []
    assert gecc.sign("sm2", nothing, bytes(32))[0].shape == (0, 64)
    assert not gecc.sum("p256", []).any()
    with pytest.raises(ValueError, match="there is no ECDSA on sm2"):
        gecc.recover("sm2", [], [], [])
