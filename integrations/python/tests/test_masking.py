"""Hashing to points, and masks for private set intersection."""

from typing import Any

import gecc
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from gecc import Reason

from support import ORDERS, Bytes, compressed, rows_of, uncompressed, vectors

RO = "P256_XMD:SHA-256_SSWU_RO_"
REHASH = "SM2_SM3_REHASH_"
DST = b"gecc-tests-with-" + RO.encode()
CURVES = {"P256": "p256", "secp256k1": "secp256k1", "SM2": "sm2"}
MESSAGES = [b"alice", b"", b"a longer message than the others", b"bob"]
KEY = bytes(31) + b"\x07"


def curve_of(suite: str) -> str:
    return CURVES[suite.split("_")[0]]


@pytest.mark.parametrize("suite", ["P256_XMD:SHA-256_SSWU_", "secp256k1_XMD:SHA-256_SSWU_"])
@pytest.mark.parametrize("encoding", ["RO_", "NU_"])
def test_vectors_of_rfc_9380(suite: str, encoding: str) -> None:
    file = vectors(f"rfc9380/{suite.replace(':', '-')}{encoding}.json")
    cases = file["vectors"]
    assert len(cases) == 5
    messages = [case["msg"].encode() for case in cases]
    points, ok = gecc.hash_to_curve(file["ciphersuite"], messages, dst=file["dst"].encode())
    assert ok.all()
    expected = [case["P"]["x"].removeprefix("0x") + case["P"]["y"].removeprefix("0x") for case in cases]
    assert np.array_equal(points, rows_of(expected))


@pytest.mark.parametrize("group", vectors("hash_to_curve.json"), ids=lambda group: group["suite"] + group["dst"][:4])
def test_vectors_of_every_suite(group: Any) -> None:
    """Points and masked points that were computed with Python's integers."""
    suite, key = group["suite"], bytes.fromhex(group["key"])
    dst = bytes.fromhex(group["dst"]) or None
    items, curve = group["items"], curve_of(suite)
    messages = [bytes.fromhex(item["message"]) for item in items]
    points, masks = (rows_of([item[name] for item in items]) for name in ("point", "masked"))
    found, ok = gecc.hash_to_curve(suite, messages, dst=dst)
    assert ok.all() and np.array_equal(compressed(found), points)
    masked, ok = gecc.mask(suite, key, messages, dst=dst)
    assert ok.all() and np.array_equal(masked, masks)
    of_points, ok = gecc.mask_points(curve, key, points)
    assert ok.all() and np.array_equal(of_points, masks)
    unmasked, ok = gecc.unmask(curve, key, masked)
    assert ok.all() and np.array_equal(unmasked, points)


def test_vectors_are_of_every_suite() -> None:
    suites = {group["suite"] for group in vectors("hash_to_curve.json")}
    assert len(suites) == 7
    with pytest.raises(ValueError) as raised:
        gecc.hash_to_curve("nothing", MESSAGES)
    assert all(suite in str(raised.value) for suite in suites)


def forms_of_points(raw: Bytes) -> dict[Any, Bytes]:
    named = {"compressed": compressed(raw), "uncompressed": uncompressed(raw), "raw": raw, "x": raw[:, :32]}
    return {**named, **{k: raw[:, :k] for k in (1, 2, 12, 31, 32)}}


def test_forms() -> None:
    points, _ = gecc.hash_to_curve(RO, MESSAGES, dst=DST)
    raw, ok = gecc.mask(RO, KEY, MESSAGES, dst=DST, form="raw")
    assert ok.all()
    for form, expected in forms_of_points(raw).items():
        for found, ok in (
            gecc.mask(RO, KEY, MESSAGES, dst=DST, form=form),
            gecc.mask_points("p256", KEY, points, form=form),
            gecc.mask_points("p256", [KEY] * 4, list(compressed(points)), form=form),
        ):
            assert ok.all() and found.shape == expected.shape and np.array_equal(found, expected)
        rows = np.ones(expected.shape, np.uint8)
        assert gecc.mask(RO, KEY, MESSAGES, dst=DST, form=form, out=rows)[0] is rows
        assert np.array_equal(rows, expected)
    for form, expected in forms_of_points(points).items():
        found, ok = gecc.unmask("p256", KEY, uncompressed(raw), form=form)
        assert ok.all() and np.array_equal(found, expected)
    with pytest.raises(ValueError, match="out"):
        gecc.mask(RO, KEY, MESSAGES, dst=DST, form=1, out=np.zeros(4, np.uint8))


def test_columns_of_other_libraries() -> None:
    expected, _ = gecc.mask(REHASH, KEY, MESSAGES)
    rows = [row.tobytes() for row in expected]
    of_arrow, ok = gecc.mask(REHASH, KEY, pa.array(MESSAGES))
    assert of_arrow.type == pa.binary(33)
    assert of_arrow.to_pylist() == rows and ok.to_pylist() == [True] * 4
    of_polars, ok = gecc.mask(REHASH, KEY, polars.Series(MESSAGES))
    assert isinstance(of_polars, polars.Series) and of_polars.to_list() == rows
    of_pandas, ok = gecc.mask(REHASH, KEY, pd.Series(MESSAGES, index=list("wxyz")))
    assert of_pandas.to_list() == rows and of_pandas.index.to_list() == list("wxyz")
    # One byte is a row as well, and not a number.
    of_arrow, _ = gecc.mask_points("sm2", KEY, pa.array(rows), form=1)
    assert of_arrow.type == pa.binary(1)
    points, ok = gecc.hash_to_curve(REHASH, pa.array([b"alice", None]))
    assert points.type == pa.binary(64)
    assert ok.to_pylist() == [True, False] and points.null_count == 1
    unmasked, ok = gecc.unmask("sm2", KEY, pa.array([*rows, None], pa.binary(33)), form="raw")
    assert unmasked.to_pylist()[0] == points.to_pylist()[0]
    assert ok.to_pylist() == [True] * 4 + [False]


def test_one_message_and_one_key_are_for_all_items() -> None:
    point, ok = gecc.hash_to_curve(REHASH, b"alice")
    assert point.shape == (1, 64) and ok.tolist() == [True]
    keys, _ = gecc.generate_keys("sm2", 3)
    masked, ok = gecc.mask(REHASH, keys, b"alice")
    assert ok.all() and masked.shape == (3, 33)
    assert np.array_equal(gecc.mask_points("sm2", keys, point[0])[0], masked)
    assert np.array_equal(gecc.mask(REHASH, keys[1], b"alice")[0][0], masked[1])


def test_masks_commute() -> None:
    (ours, theirs), _ = gecc.generate_keys("p256", 2)
    first, _ = gecc.mask(RO, ours, MESSAGES, dst=DST)
    second, _ = gecc.mask(RO, theirs, MESSAGES[::-1], dst=DST)
    of_both, _ = gecc.mask_points("p256", theirs, first, form=16)
    others, _ = gecc.mask_points("p256", ours, second, form=16)
    assert np.array_equal(of_both, others[::-1])
    assert len({row.tobytes() for row in of_both}) == 4


def test_bad_items_do_not_affect_others() -> None:
    order = ORDERS["p256"]
    keys = [KEY, bytes(32), order.to_bytes(32, "big"), None, KEY[:31], KEY]
    messages = [b"0", b"1", b"2", b"3", b"4", None]
    masked, codes = gecc.mask(RO, keys, messages, dst=DST, reasons=True)
    out_of_range = Reason.SECRET_KEY_OUT_OF_RANGE
    expected = [Reason.VALID, out_of_range, out_of_range, Reason.SECRET_KEY_NULL, Reason.SECRET_KEY_WRONG_LENGTH]
    assert codes.tolist() == [*expected, Reason.MESSAGE_NULL]
    assert np.array_equal(masked[0], gecc.mask(RO, KEY, b"0", dst=DST)[0][0])
    assert not masked[1:].any()

    good, _ = gecc.hash_to_curve(RO, [b"0", b"1"], dst=DST)
    off_curve = uncompressed(good)[1].tobytes()[:64] + bytes([good[1, 63] ^ 1])
    points = [good[0].tobytes(), off_curve, b"\x05" + bytes(32), bytes(64), b"short", None, good[1].tobytes()]
    for call in (gecc.mask_points, gecc.unmask):
        rows, codes = call("p256", KEY, points, reasons=True)
        malformed = Reason.MALFORMED_POINT
        expected = [Reason.VALID, Reason.NOT_ON_CURVE, malformed, Reason.IDENTITY_KEY, malformed, malformed]
        assert codes.tolist() == [*expected, Reason.VALID]
        assert np.array_equal(rows[[0, 6]], call("p256", KEY, good)[0])
        assert not rows[1:6].any()


def test_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="suite"):
        gecc.mask("P384_XMD:SHA-384_SSWU_RO_", KEY, MESSAGES, dst=DST)
    for dst in (None, b""):
        with pytest.raises(ValueError, match="requires a domain separation tag"):
            gecc.hash_to_curve(RO, MESSAGES, dst=dst)
        gecc.hash_to_curve(REHASH, MESSAGES, dst=dst)
    with pytest.raises(ValueError, match="takes no domain separation tag"):
        gecc.mask(REHASH, KEY, MESSAGES, dst=DST)
    text: Any = "text"
    with pytest.raises(TypeError):
        gecc.hash_to_curve(RO, MESSAGES, dst=text)
    forms: list[Any] = ["Compressed", "", 0, 33, -1, 1 << 40]
    for form in forms:
        with pytest.raises(ValueError, match="form"):
            gecc.mask(REHASH, KEY, MESSAGES, form=form)
    forms = [True, 1.5, None, b"raw"]
    for form in forms:
        with pytest.raises(TypeError, match="form"):
            gecc.unmask("p256", KEY, bytes(64), form=form)
    for call in (gecc.mask_points, gecc.unmask):
        with pytest.raises(ValueError, match="curve"):
            call(RO, KEY, bytes(64))
        with pytest.raises(ValueError, match="points"):
            call("p256", KEY, np.zeros((2, 40), np.uint8))
    with pytest.raises(ValueError, match="messages"):
        gecc.mask(REHASH, [KEY] * 3, MESSAGES)
