"""Answers are nothing that a caller can take for success without having looked at each item."""

from typing import Any

import gecc
import numpy as np
import polars
import pyarrow as pa
import pytest
from gecc import Reason

from support import random_rows, signed

ITEMS = 30


class Exporter:
    """An array of a library that is neither pyarrow nor polars."""

    def __init__(self, array: pa.Array) -> None:
        self.array = array

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self.array.__arrow_c_array__(requested_schema)  # type: ignore[no-any-return]


BATCH = signed("p256", ITEMS)
DIGESTS = Exporter(pa.array([row.tobytes() for row in BATCH.digests]))


def verdicts(**options: bool) -> gecc.ArrowArray:
    found = gecc.verify("p256", DIGESTS, BATCH.signatures, BATCH.public_keys, **options)
    assert isinstance(found, gecc.ArrowArray)
    return found


def test_an_array_of_arrow_is_neither_true_nor_false() -> None:
    for array in (verdicts(), verdicts(reasons=True), verdicts()[:0]):
        with pytest.raises(ValueError, match="the truth value of an array is ambiguous"):
            bool(array)


def test_an_array_of_arrow_has_its_items() -> None:
    array, expected = verdicts(), BATCH.valid.tolist()
    assert list(array) == [array[item] for item in range(ITEMS)] == expected
    assert [array[item - ITEMS] for item in range(ITEMS)] == expected
    assert all(item is True or item is False for item in array)
    assert list(array[4:-3]) == expected[4:-3]
    assert len(array[7:7]) == 0
    for item in (ITEMS, -ITEMS - 1):
        with pytest.raises(IndexError):
            array[item]
    with pytest.raises(ValueError, match="step"):
        array[::2]
    with pytest.raises(TypeError):
        array["0"]  # type: ignore[call-overload]
    assert repr(array) == f"<gecc.ArrowArray: {ITEMS} of Boolean, {BATCH.valid.sum()} true>"
    assert polars.Series(array).to_list() == pa.array(array).to_pylist() == expected


def test_an_array_of_arrow_becomes_one_of_numpy() -> None:
    array = np.asarray(verdicts())
    assert array.dtype == np.bool_
    assert array.tolist() == BATCH.valid.tolist()
    assert np.array(verdicts(), dtype=np.int64, copy=True).tolist() == BATCH.valid.astype(int).tolist()
    codes = np.asarray(verdicts(reasons=True))
    assert codes.dtype == np.uint8
    assert (codes == Reason.VALID).tolist() == BATCH.valid.tolist()
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        with pytest.raises(ValueError, match="is copied"):
            np.array(verdicts(), copy=False)
    # Comparison is by items, as numpy's is.
    assert (verdicts() == True).tolist() == BATCH.valid.tolist()  # noqa: E712
    assert (verdicts(reasons=True) != Reason.VALID).tolist() == (~BATCH.valid).tolist()


def test_rows_of_an_array_of_arrow() -> None:
    keys = [bytes(32), bytes(31) + b"\1", None]
    points, ok = gecc.public_keys("p256", Exporter(pa.array(keys, pa.binary(32))))
    expected = gecc.public_keys("p256", keys)[0]
    assert list(points) == np.asarray(points).tolist() == [None, expected[1].tobytes(), None]
    assert list(ok) == [False, True, False]
    assert repr(points) == "<gecc.ArrowArray: 3 of FixedSizeBinary(64), 2 null>"
    digests = Exporter(pa.array([bytes(32), None]))
    _, ids, _ = gecc.sign_recoverable("p256", digests, keys[1])
    assert ids[0] in (0, 1)
    assert ids[1] is None
    assert np.asarray(ids).tolist() == list(ids)


KEYS, POINTS = gecc.generate_keys("secp256k1", 2)
SIGNATURES, IDS, _ = gecc.sign_recoverable("secp256k1", bytes(32), KEYS)
CALLS: dict[str, Any] = {
    "sign": lambda **o: gecc.sign("secp256k1", bytes(32), KEYS, **o),
    "sign_messages": lambda **o: gecc.sign_messages("secp256k1", b"", KEYS, **o),
    "sign_recoverable": lambda **o: gecc.sign_recoverable("secp256k1", bytes(32), KEYS, **o),
    "recover": lambda **o: gecc.recover("secp256k1", bytes(32), SIGNATURES, IDS, **o),
    "recover_addresses": lambda **o: gecc.recover_addresses("secp256k1", bytes(32), SIGNATURES, IDS, **o),
    "bip340_sign": lambda **o: gecc.bip340_sign(bytes(32), KEYS, **o),
    "bip340_sign_messages": lambda **o: gecc.bip340_sign_messages(b"", KEYS, **o),
    "ed25519_sign": lambda **o: gecc.ed25519_sign(b"", KEYS, **o),
    "ed25519_public_keys": lambda **o: gecc.ed25519_public_keys(KEYS, **o),
    "taproot": lambda **o: gecc.taproot(POINTS[:, :32], **o),
    "public_keys": lambda **o: gecc.public_keys("secp256k1", KEYS, **o),
    "ecdh": lambda **o: gecc.ecdh("secp256k1", KEYS, POINTS, **o),
    "ecdh_points": lambda **o: gecc.ecdh_points("secp256k1", KEYS, POINTS, **o),
    "x25519": lambda **o: gecc.x25519(KEYS, KEYS, **o),
    "x25519_public_keys": lambda **o: gecc.x25519_public_keys(KEYS, **o),
    "hash_to_curve": lambda **o: gecc.hash_to_curve("SM2_SM3_REHASH_", [b"", b"a"], **o),
    "mask": lambda **o: gecc.mask("SM2_SM3_REHASH_", KEYS, b"", **o),
    "mask_points": lambda **o: gecc.mask_points("secp256k1", KEYS, POINTS, form=8, **o),
    "unmask": lambda **o: gecc.unmask("secp256k1", KEYS, POINTS, **o),
    "decompress": lambda **o: gecc.decompress("secp256k1", POINTS, **o),
    "mul_base": lambda **o: gecc.mul_base("secp256k1", KEYS, **o),
    "mul": lambda **o: gecc.mul("secp256k1", KEYS, POINTS, **o),
    "add": lambda **o: gecc.add("secp256k1", POINTS, POINTS, **o),
    "double": lambda **o: gecc.double("secp256k1", POINTS, **o),
    "signatures_from_der": lambda **o: gecc.signatures_from_der(gecc.signatures_to_der(SIGNATURES), **o),
}


@pytest.mark.parametrize("call", CALLS)
def test_an_answer_with_results_is_neither_true_nor_false(call: str) -> None:
    answer = CALLS[call]()
    with pytest.raises(ValueError, match="the truth value of an answer is ambiguous"):
        bool(answer)
    assert answer[-1].tolist() == [True, True]
    *results, codes = CALLS[call](reasons=True)
    assert codes.tolist() == [0, 0]
    assert len(results) == len(answer) - 1


def test_codes_of_verifications_are_zero_for_what_is_valid() -> None:
    signatures, _ = gecc.bip340_sign(bytes(32), KEYS)
    for codes in (
        gecc.verify("secp256k1", bytes(32), SIGNATURES, POINTS, reasons=True),
        gecc.verify_recoverable("secp256k1", bytes(32), SIGNATURES, IDS, POINTS, reasons=True),
        gecc.verify_messages("secp256k1", b"", gecc.sign_messages("secp256k1", b"", KEYS)[0], POINTS, reasons=True),
        gecc.bip340_verify(bytes(32), signatures, POINTS[:, :32], reasons=True),
        gecc.bip340_verify_messages([bytes(32)] * 2, signatures, POINTS[:, :32], reasons=True),
    ):
        assert codes.tolist() == [Reason.VALID, Reason.VALID] == [0, 0]
    corrupted = random_rows(2, 64)
    assert gecc.verify("secp256k1", bytes(32), corrupted, POINTS, reasons=True).all()
