"""Wrong types and shapes of arguments raise errors; a wrong item affects only its own verdict."""

import array
import pickle
from collections.abc import Iterator
from typing import Any

import gecc
import numpy as np
import pyarrow as pa
import pytest
from gecc import Reason

from support import CURVES, ORDERS, compressed, random_rows, signed, uncompressed

ITEMS = 20
BATCH = signed("p256", ITEMS)


def verify(**changed: Any) -> Any:
    """Verifies valid signatures, with some arguments replaced."""
    given: dict[str, Any] = {"digests": BATCH.digests, "signatures": BATCH.signatures, "public_keys": BATCH.public_keys}
    return gecc.verify("p256", **(given | changed))


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"digests": np.zeros((ITEMS, 31), np.uint8)}, r"digests: an array of shape \(20, 31\), not \(n, 32\)"),
        ({"digests": np.zeros(33, np.uint8)}, r"digests: an array of shape \(33,\), not \(n, 32\)"),
        ({"digests": np.zeros((2, 10, 32), np.uint8)}, r"digests: an array of shape \(2, 10, 32\), not"),
        ({"digests": np.uint8(0).reshape(())}, r"digests: an array of shape \(\), not"),
        ({"signatures": bytes(63)}, r"signatures: an array of shape \(63,\), not \(n, 64\)"),
        ({"signatures": BATCH.signatures[:7]}, "signatures: 7 items, where digests has 20"),
        ({"signatures": [bytes(64)]}, "signatures: 1 items, where digests has 20"),
        ({"public_keys": np.zeros((ITEMS, 66), np.uint8)}, r"public_keys: an array of shape \(20, 66\), not \(n, 33\)"),
        ({"public_keys": bytes(32)}, r"public_keys: an array of shape \(32,\), not"),
        ({"digests": "00" * 31}, "digests: a text of 31 bytes, not of 32"),
        ({"digests": "hello"}, "digests: a text that is not hexadecimal"),
        ({"signatures": "00" * 63}, "signatures: a text of 63 bytes, not of 64"),
        ({"public_keys": "0x" + "00" * 32}, "public_keys: a text of 32 bytes, not of 33, 64 or 65"),
        ({"public_keys": BATCH.public_keys.tobytes()[:-1]}, r"public_keys: an array of shape \(1279,\), not"),
        (
            {"digests": pa.array([bytes(31)] * ITEMS, pa.binary(31))},
            "digests: an Arrow array of 31 bytes an item, not of 32",
        ),
        ({"digests": pa.table({"a": [b""], "b": [b""]})}, "digests: a table of 2 columns, not one column"),
    ],
)
def test_wrong_shapes_are_errors(changed: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        verify(**changed)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"digests": np.zeros((ITEMS, 32))}, "digests: an array of float64, not of uint8"),
        ({"digests": np.zeros((ITEMS, 32), np.int8)}, "digests: an array of int8, not of uint8"),
        ({"digests": np.zeros((ITEMS, 32), object)}, "digests: an array of object, not of uint8"),
        ({"digests": array.array("Q", [0] * 4)}, "digests: an array of uint64, not of uint8"),
        ({"digests": None}, "digests: NoneType, not an array of uint8, bytes, a list of bytes, or an Arrow array"),
        ({"digests": 7}, "digests: int, not"),
        ({"digests": np.array([b"\0" * 32] * ITEMS)}, "digests: an array of numpy's byte strings, which drop zeros"),
        ({"digests": np.array([b"\1" * 32] * ITEMS)}, "digests: an array of numpy's byte strings, which drop zeros"),
        ({"digests": np.ma.masked_array([b""] * ITEMS, dtype=object)}, "digests: MaskedArray, not"),
        ({"digests": {"a": 1}}, "digests: dict, not"),
        ({"digests": (row for row in ())}, "digests: generator, not"),
        ({"signatures": [7] * ITEMS}, r"signatures\[0\]: int, not bytes"),
        ({"signatures": [bytes(64)] * 19 + [0.5]}, r"signatures\[19\]: float, not bytes"),
        ({"signatures": [[b""]] * ITEMS}, r"signatures\[0\]: list, not bytes"),
        ({"signatures": pa.array([7] * ITEMS)}, "signatures: an Arrow array of Int64, not of FixedSizeBinary"),
        ({"public_keys": object()}, "public_keys: object, not"),
        ({"digests": np.ma.masked_array(BATCH.digests, mask=True)}, "digests: MaskedArray, not"),
        ({"digests": pa.scalar(1)}, "digests: Int64Scalar, not"),
        ({"digests": pa.nulls(ITEMS)}, "digests: an Arrow array of Null, not"),
        ({"digests": pa.array([[b""]] * ITEMS)}, r"digests: an Arrow array of List\(Binary\), not"),
    ],
)
def test_wrong_types_are_errors(changed: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        verify(**changed)


class Exporter:
    """An object with Arrow's C interface, which returns or raises the given result."""

    def __init__(self, result: object) -> None:
        self.result = result

    def __arrow_c_array__(self, requested_schema: object | None = None) -> Any:
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


@pytest.mark.parametrize("result", [None, (1, 2), (1, 2, 3), 7])
def test_exporters_that_export_nothing_are_errors(result: object) -> None:
    with pytest.raises(TypeError):
        verify(digests=Exporter(result))


def test_errors_of_exporters_are_passed_on() -> None:
    with pytest.raises(KeyError, match="why"):
        verify(digests=Exporter(KeyError("why")))


def test_streams_that_fail_say_why() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch([pa.array([bytes(32)])], ["digest"])
        raise RuntimeError("the disk is full")

    class Stream:
        reader = pa.RecordBatchReader.from_batches(pa.schema([("digest", pa.binary())]), batches())

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            return self.reader.__arrow_c_stream__()

    with pytest.raises(ValueError, match="digests: .*the disk is full"):
        verify(digests=Stream())


def test_layouts_made_to_harm() -> None:
    overlapping = np.lib.stride_tricks.as_strided(np.arange(64, dtype=np.uint8), (ITEMS, 32), (1, 1))
    copied = overlapping.copy()
    signatures, _ = gecc.sign("p256", copied, bytes(31) + b"\1")
    assert np.array_equal(gecc.sign("p256", overlapping, bytes(31) + b"\1")[0], signatures)
    null = pa.DictionaryArray.from_arrays(pa.nulls(ITEMS, pa.int32()), pa.array([], pa.binary()))
    assert set(verify(digests=null, reasons=True).to_pylist()) == {Reason.DIGEST_NULL}


def test_wrong_choices_are_errors() -> None:
    with pytest.raises(ValueError, match="curve: no curve is called `p384`; the curves are brainpoolp256r1 .*, sm2 "):
        gecc.verify("p384", b"", b"", b"")
    with pytest.raises(ValueError, match='s_form: "high" is not one of'):
        gecc.sign("p256", bytes(32), bytes(32), s_form="high")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="SM2 has no low s"):
        gecc.verify("sm2", b"", b"", b"", low_s=True)
    with pytest.raises(ValueError, match="user_ids: only SM2 has user ids"):
        gecc.sign_messages("p256", [b""], bytes(32), user_ids=b"alice")
    with pytest.raises(ValueError, match="there is no ECDSA on sm2"):
        gecc.sign_recoverable("sm2", bytes(32), bytes(32))
    with pytest.raises(OverflowError):
        gecc.generate_keys("p256", -1)
    with pytest.raises((MemoryError, ValueError)):
        gecc.generate_keys("p256", 1 << 62)
    with pytest.raises(TypeError):
        gecc.verify("p256", b"", b"", b"", engine="gpu")  # type: ignore[arg-type]


def test_items_that_cannot_be_read_have_reasons() -> None:
    digests = [row.tobytes() for row in BATCH.digests]
    signatures = [row.tobytes() for row in BATCH.signatures]
    expected = [Reason.VALID if valid else None for valid in BATCH.valid]
    digests[1], expected[1] = b"short", Reason.DIGEST_WRONG_LENGTH
    signatures[2], expected[2] = b"", Reason.SIGNATURE_WRONG_LENGTH
    keys: list[bytes | None] = [row.tobytes() for row in BATCH.public_keys]
    keys[4], expected[4] = None, Reason.PUBLIC_KEY_NULL
    keys[5], expected[5] = bytes(32), Reason.MALFORMED_POINT
    keys[7], expected[7] = bytes(1000), Reason.MALFORMED_POINT
    # The first argument counts.
    keys[1] = b""
    codes = verify(digests=digests, signatures=signatures, public_keys=keys, reasons=True)
    assert [code for code, known in zip(codes, expected, strict=True) if known] == [
        known for known in expected if known
    ]
    assert verify(digests=digests, signatures=signatures, public_keys=keys).tolist() == [
        code == Reason.VALID for code in codes
    ]
    texts = pa.array([None, "0xzz", *[row.hex() for row in digests[2:]]])
    of_texts = verify(digests=texts, signatures=signatures, public_keys=keys, reasons=True).to_pylist()
    assert of_texts[:2] == [Reason.DIGEST_NULL, Reason.DIGEST_NOT_HEXADECIMAL]
    assert of_texts[2:] == codes[2:].tolist()


def test_results_of_rejected_items_are_zeros_or_null() -> None:
    keys = [bytes(32), bytes(31) + b"\1", b"\xff" * 32, None, b"\1"]
    points, codes = gecc.public_keys("p256", keys, reasons=True)
    out_of_range = Reason.SECRET_KEY_OUT_OF_RANGE
    assert codes.tolist() == [
        out_of_range,
        Reason.VALID,
        out_of_range,
        Reason.SECRET_KEY_NULL,
        Reason.SECRET_KEY_WRONG_LENGTH,
    ]
    assert points.any(axis=1).tolist() == [False, True, False, False, False]
    of_arrow, _ = gecc.public_keys("p256", pa.array(keys))
    assert of_arrow.to_pylist() == [None, points[1].tobytes(), None, None, None]
    secrets, ok = gecc.ecdh("p256", pa.array(keys), points[1])
    assert secrets.null_count == 4
    assert ok.to_pylist() == [False, True, False, False, False]


def test_keys_of_several_encodings() -> None:
    batch = signed("secp256k1", 9)
    forms = [batch.public_keys, compressed(batch.public_keys), uncompressed(batch.public_keys)]
    keys = [forms[item % 3][item].tobytes() for item in range(9)]
    for mixed in (keys, pa.array(keys, pa.binary()), pa.array([key.hex() for key in keys])):
        found = gecc.verify("secp256k1", batch.digests, batch.signatures, mixed)
        assert pa.array(found).to_pylist() == batch.valid.tolist()
    # Zeros are the identity, which is a point, but no public key.
    _, codes = gecc.decompress("p256", [bytes(64), b"\0", bytes(33)], reasons=True)
    assert codes.tolist() == [Reason.IDENTITY_KEY, Reason.IDENTITY_KEY, Reason.MALFORMED_POINT]
    doubles, codes = gecc.double("p256", [bytes(64), b"\0", b""], reasons=True)
    assert codes.tolist() == [Reason.VALID, Reason.VALID, Reason.MALFORMED_POINT]
    assert not doubles.any()


def test_numbers_of_any_kind() -> None:
    secret_keys, public_keys = gecc.generate_keys("secp256k1", 6)
    digests = random_rows(6, 32)
    signatures, ids, _ = gecc.sign_recoverable("secp256k1", digests, secret_keys)
    numbers = ids.tolist()
    forms = [ids, ids.tobytes(), numbers, [np.int64(number) for number in numbers], pa.array(numbers, pa.uint64())]
    forms += [ids == 1, pa.array([number == 1 for number in numbers]), ids.astype(object)]
    # As numpy makes them from lists, and with any stride.
    for kind in (np.int64, np.int32, np.int8, np.uint64, np.uint16):
        forms += [ids.astype(kind), ids.astype(kind) + 27, np.repeat(ids.astype(kind), 2)[::2]]
    # As Ethereum has them: 27 and 28, and for the chain 11155111.
    v = [number + 27 for number in numbers]
    forms += [ids + 27, bytes(v), v, pa.array(v), ids.astype(np.int64) + 35 + 2 * 11155111]
    forms += [[number + 35 + (1 << 63) for number in numbers]]
    for form in forms:
        keys, ok = gecc.recover("secp256k1", digests, signatures, form)
        assert pa.array(ok).to_pylist() == [True] * 6
        assert [bytes(key.as_py() if isinstance(key, pa.Scalar) else key) for key in keys] == [
            key.tobytes() for key in public_keys
        ]
    for wrong in ([4] * 6, [-1] * 6, [1 << 127] * 6, 26, [26] * 6, np.full(6, -1), ids + 4, pa.array([-1] * 6)):
        _, codes = gecc.recover("secp256k1", digests, signatures, wrong, reasons=True)
        assert set(pa.array(codes).to_pylist()) == {Reason.RECOVERY_ID_OUT_OF_RANGE}
    _, codes = gecc.recover("secp256k1", digests, signatures, [None, *numbers[1:]], reasons=True)
    assert codes.tolist() == [Reason.RECOVERY_ID_NULL, *[Reason.VALID] * 5]
    with pytest.raises(TypeError, match=r"recovery_ids\[0\]: not an integer"):
        gecc.recover("secp256k1", digests, signatures, ["0"] * 6)  # type: ignore[list-item]
    # As pandas stores integers of a column with missing values.
    floats = ids.astype(np.float64) + 27
    for form in (floats, floats.tolist(), pa.array(floats), pa.array(floats, pa.float32())):
        assert pa.array(gecc.recover("secp256k1", digests, signatures, form)[1]).to_pylist() == [True] * 6
        missing = np.asarray(form).tolist()
        missing[2], missing[3] = float("nan"), 27.5
        _, codes = gecc.recover("secp256k1", digests, signatures, missing, reasons=True)
        assert codes.tolist()[2:4] == [Reason.RECOVERY_ID_NULL, Reason.RECOVERY_ID_OUT_OF_RANGE]
    large = np.full(6, float(1 << 53))
    _, codes = gecc.recover("secp256k1", digests, signatures, large, reasons=True)
    assert set(codes.tolist()) == {Reason.RECOVERY_ID_OUT_OF_RANGE}
    for other in (np.ma.masked_array(ids.astype(np.int64), mask=True), "00"):
        with pytest.raises(TypeError, match="recovery_ids: .* not "):
            gecc.recover("secp256k1", digests, signatures, other)


def test_signatures_with_v() -> None:
    secret_keys, public_keys = gecc.generate_keys("secp256k1", 6)
    digests = random_rows(6, 32)
    signatures, ids, _ = gecc.sign_recoverable("secp256k1", digests, secret_keys)
    addresses, _ = gecc.recover_addresses("secp256k1", digests, signatures, ids)
    for with_v in (np.hstack([signatures, ids[:, None]]), np.hstack([signatures, ids[:, None] + 27])):
        rows = [row.tobytes() for row in with_v]
        forms = [with_v, with_v[::-1].copy()[::-1], rows, [row.hex() for row in rows], np.array(rows, object)]
        forms += [pa.array(rows, pa.binary(65)), pa.array(rows), pa.array(rows, pa.binary_view())]
        forms += [pa.array([row.hex() for row in rows]), pa.array(rows).dictionary_encode()]
        for form in forms:
            assert np.all(gecc.verify("secp256k1", digests, form, public_keys))
            assert np.all(gecc.verify_recoverable("secp256k1", digests, form, None, public_keys))
            found, ok = gecc.recover_addresses("secp256k1", digests, form)
            assert np.all(ok)
            assert [bytes(row) for row in np.asarray(found)] == [row.tobytes() for row in addresses]
        one, _ = gecc.recover("secp256k1", digests[:1], with_v[0])
        assert np.array_equal(one, public_keys[:1])
        assert np.array_equal(gecc.recover("secp256k1", digests[:1], rows[0].hex())[0], one)
        # If given twice, they have to agree.
        _, codes = gecc.recover("secp256k1", digests, with_v, ids + 27, reasons=True)
        assert not codes.any()
        others = ids.copy()
        others[3] ^= 1
        expected = [Reason.VALID] * 3 + [Reason.RECOVERY_ID_DIFFERS_FROM_SIGNATURE] + [Reason.VALID] * 2
        for form in (with_v, rows):
            _, codes = gecc.recover("secp256k1", digests, form, others, reasons=True)
            assert codes.tolist() == expected
            codes = gecc.verify_recoverable("secp256k1", digests, form, others, public_keys, reasons=True)
            assert not codes.any()
    with pytest.raises(ValueError, match="recovery_ids: not given, and signatures of 64 bytes have no v"):
        gecc.recover("secp256k1", digests, signatures)
    mixed = [rows[0], signatures[1].tobytes(), bytes(63), *rows[3:]]
    _, codes = gecc.recover("secp256k1", digests, mixed, reasons=True)
    expected = [Reason.RECOVERY_ID_OUT_OF_RANGE, Reason.SIGNATURE_WRONG_LENGTH]
    assert codes.tolist() == [Reason.VALID, *expected, *[Reason.VALID] * 3]
    with pytest.raises(ValueError, match="curve: addresses are of Ethereum, on secp256k1"):
        gecc.recover_addresses("p256", digests, signatures, ids)


def test_hexadecimal_text() -> None:
    texts = [[row.tobytes().hex() for row in column] for column in BATCH[:3]]
    for make in (list, tuple, np.array, lambda texts: np.array(texts, object), lambda texts: ["0x" + t for t in texts]):
        digests, signatures, keys = map(make, texts)
        assert gecc.verify("p256", digests, signatures, keys).tolist() == BATCH.valid.tolist()
    digests[1], digests[2] = "hello", "ab"
    codes = verify(digests=digests, reasons=True)
    assert codes[1:3].tolist() == [Reason.DIGEST_NOT_HEXADECIMAL, Reason.DIGEST_WRONG_LENGTH]
    for column in ("digests", "signatures", "public_keys"):
        # The whole column is wrong, as with base64, and not single items.
        for words in ([None] + ["QUJDRA=="] * (ITEMS - 1), np.array(["hello"] * ITEMS), pa.array(["x"] * ITEMS)):
            with pytest.raises(ValueError, match=f"{column}: no text of the column is hexadecimal"):
                verify(**{column: words})
    one = verify(digests=texts[0][1], signatures=texts[1][1], public_keys="0x" + texts[2][1])
    assert one.tolist() == [True]
    secret_keys, public_keys = gecc.generate_keys("p256", 3)
    found, ok = gecc.public_keys("p256", [key.tobytes().hex() for key in secret_keys])
    assert ok.all()
    assert np.array_equal(found, public_keys)
    der = gecc.signatures_to_der(BATCH.signatures)
    assert np.array_equal(gecc.signatures_from_der([row.hex() for row in der])[0], BATCH.signatures)


@pytest.mark.parametrize("curve", CURVES)
def test_scalars_and_points_that_cannot_be_read(curve: str) -> None:
    scalars = [(ORDERS[curve] - 1).to_bytes(32, "big"), ORDERS[curve].to_bytes(32, "big"), b"\1", None]
    points, codes = gecc.mul_base(curve, scalars, reasons=True)
    assert codes.tolist() == [Reason.VALID, *[Reason.SCALAR_OUT_OF_RANGE] * 3]
    products, ok = gecc.mul(curve, scalars[0] or b"", [points[0], bytes(63), None])
    assert ok.tolist() == [True, False, False]
    base = gecc.mul_base(curve, bytes(31) + b"\1")[0][0]
    assert np.array_equal(products[0], base)
    # G and its negative.
    assert not gecc.sum(curve, [points[0], base]).any()
    with pytest.raises(gecc.ItemError, match="^item 1: the point's encoding is malformed$") as problem:
        gecc.sum(curve, [base, bytes(63)])
    assert (problem.value.item, problem.value.reason) == (1, Reason.MALFORMED_POINT)
    copy = pickle.loads(pickle.dumps(problem.value))
    assert (str(copy), copy.item, copy.reason) == (str(problem.value), 1, Reason.MALFORMED_POINT)


@pytest.mark.parametrize("curve", CURVES)
def test_sums_of_products(curve: str) -> None:
    items = 60
    scalars, (_, points) = random_rows(items, 32), gecc.generate_keys(curve, items)
    scalars[:, 0] &= 0x7F
    points[7] = 0
    numbers = [int.from_bytes(row.tobytes(), "big") for row in scalars]
    expected = gecc.sum(curve, gecc.mul(curve, scalars, points)[0])
    assert expected.any()
    finite = np.delete(points, 7, 0)
    forms: list[Any] = [points, list(points), pa.array([row.tobytes() for row in points], pa.binary(64))]
    forms += [[row.tobytes() for row in compressed(finite[:7])] + list(points[7:]), np.hstack([points, points])[:, :64]]
    for form in forms:
        found = gecc.msm(curve, scalars, form)
        assert isinstance(found, np.ndarray)
        assert np.array_equal(found, expected)
        assert np.array_equal(gecc.sum(curve, form), gecc.sum(curve, points))
    of_text = pa.array([row.tobytes().hex() for row in scalars])
    assert np.array_equal(gecc.msm(curve, of_text, points), expected)
    # One row serves all items.
    total = sum(numbers) % ORDERS[curve]
    assert np.array_equal(gecc.msm(curve, scalars, points[0]), gecc.mul(curve, number(total), points[0])[0][0])
    assert np.array_equal(
        gecc.msm(curve, scalars[0], points), gecc.mul(curve, scalars[0], gecc.sum(curve, points))[0][0]
    )
    assert np.array_equal(gecc.msm(curve, scalars[0], points[0]), gecc.mul(curve, scalars[0], points[0])[0][0])
    base = gecc.mul_base(curve, number(1))[0]
    assert np.array_equal(gecc.msm(curve, scalars, base[0]), gecc.mul_base(curve, number(total))[0][0])
    assert not gecc.msm(curve, [number(1), number(ORDERS[curve] - 1)], base[0]).any()
    assert not gecc.msm(curve, [], []).any()


@pytest.mark.parametrize("curve", CURVES)
def test_sum_reports_the_first_bad_item(curve: str) -> None:
    scalars, (_, points) = random_rows(40, 32), gecc.generate_keys(curve, 40)
    scalars[:, 0] &= 0x7F
    elsewhere, too_large = points[3].copy(), number(ORDERS[curve])
    elsewhere[63] ^= 1
    cases: list[tuple[dict[int, bytes | None], dict[int, bytes | None], int, Reason]] = [
        ({}, {0: elsewhere.tobytes()}, 0, Reason.NOT_ON_CURVE),
        ({}, {39: elsewhere.tobytes(), 38: bytes(63)}, 38, Reason.MALFORMED_POINT),
        ({}, {5: elsewhere.tobytes(), 38: bytes(63)}, 5, Reason.NOT_ON_CURVE),
        ({12: too_large}, {13: None}, 12, Reason.SCALAR_OUT_OF_RANGE),
        ({14: None}, {13: None}, 13, Reason.MALFORMED_POINT),
        ({9: too_large[1:]}, {9: elsewhere.tobytes()}, 9, Reason.SCALAR_OUT_OF_RANGE),
    ]
    for bad_scalars, bad_points, item, reason in cases:
        ks: list[bytes | None] = [row.tobytes() for row in scalars]
        ps: list[bytes | None] = [row.tobytes() for row in points]
        for rows, bad in ((ks, bad_scalars), (ps, bad_points)):
            for place, row in bad.items():
                rows[place] = row
        for arguments in ((ks, ps), (pa.array(ks, pa.binary()), pa.array(ps, pa.binary()))):
            with pytest.raises(gecc.ItemError) as problem:
                gecc.msm(curve, *arguments)
            assert (problem.value.item, problem.value.reason) == (item, reason)
            if not bad_scalars:
                with pytest.raises(gecc.ItemError) as problem:
                    gecc.sum(curve, arguments[1])
                assert (problem.value.item, problem.value.reason) == (item, reason)
    with pytest.raises(ValueError, match="points: 39 items, where scalars has 40"):
        gecc.msm(curve, scalars, points[1:])


def number(value: int) -> bytes:
    return value.to_bytes(32, "big")


def test_messages_of_any_kind() -> None:
    secret_keys, public_keys = gecc.generate_keys("p256", 4)
    fixed = random_rows(4, 21)
    texts = [row.tobytes() for row in fixed]
    signatures, _ = gecc.sign_messages("p256", fixed, secret_keys)
    forms: list[Any] = [
        texts,
        fixed[::-1].copy()[::-1],
        list(fixed),
        pa.array(texts),
        pa.array([t.hex() for t in texts]),
    ]
    for form in forms:
        assert pa.array(gecc.verify_messages("p256", form, signatures, public_keys)).to_pylist() == [True] * 4
    one, _ = gecc.sign_messages("p256", b"for all", secret_keys)
    assert gecc.verify_messages("p256", b"for all", one, public_keys).all()
    codes = gecc.verify_messages("p256", [None, *texts[1:]], signatures, public_keys, reasons=True)
    assert codes.tolist() == [Reason.MESSAGE_NULL, *[Reason.VALID] * 3]
    # Text is ambiguous: its encoding is unknown, and it could be hexadecimal.
    for words in (["ab"], "ab", np.array(["ab"]), np.array(["ab"], object)):
        with pytest.raises(TypeError, match=r"messages\[0\]: str, not bytes"):
            gecc.verify_messages("p256", words, signatures[:1], public_keys[:1])  # type: ignore[arg-type]
    with pytest.raises(UnicodeEncodeError):
        gecc.sign_messages("sm2", [b""], secret_keys[:1], user_ids=["\ud800"])
    _, codes = gecc.sign_messages("sm2", [b""] * 2, secret_keys[:2], user_ids=[bytes(8192), bytes(8191)], reasons=True)
    assert codes.tolist() == [Reason.USER_ID_TOO_LONG, Reason.VALID]


def test_signatures_of_high_s() -> None:
    secret_keys, public_keys = gecc.generate_keys("secp256k1", 8)
    digests = random_rows(8, 32)
    low, _ = gecc.sign("secp256k1", digests, secret_keys)
    high = low.copy()
    for row in high:
        s = ORDERS["secp256k1"] - int.from_bytes(row[32:].tobytes(), "big")
        row[32:] = np.frombuffer(s.to_bytes(32, "big"), np.uint8)
    assert gecc.verify("secp256k1", digests, high, public_keys).all()
    assert gecc.verify("secp256k1", digests, low, public_keys, low_s=True).all()
    codes = gecc.verify("secp256k1", digests, high, public_keys, low_s=True, reasons=True)
    assert set(codes.tolist()) == {Reason.HIGH_S}
