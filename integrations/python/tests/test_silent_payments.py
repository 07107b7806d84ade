"""Silent payments: the vectors of BIP 352, in every form that outputs have."""

import pickle
from typing import Any

import gecc
import numpy as np
import polars
import pyarrow as pa
import pytest
from gecc import Reason, silent_payments
from gecc.silent_payments import Matches, Receiver, index, scan

from support import vectors

CASES = [case for of in vectors("bip352_send_and_receive_test_vectors.json") for case in of["receiving"]]
CASES = [case for case in CASES if "tweak" in case["expected"] and case["expected"]["tweak"]]
FIRST = CASES[0]


def receiver(case: dict[str, Any]) -> Receiver:
    keys = case["given"]["key_material"]
    spend, _ = gecc.public_keys("secp256k1", keys["spend_priv_key"])
    return Receiver(keys["scan_priv_key"], spend[0], case["given"]["labels"])


def outputs_of(case: dict[str, Any]) -> list[bytes]:
    return [bytes.fromhex(output) for output in case["given"]["outputs"]]


def prefix(output: bytes) -> int:
    return int.from_bytes(output[:8], "big")


def found(matches: Matches, outputs: list[bytes]) -> list[tuple[str, str]]:
    tweaks = [bytes(tweak) for tweak in matches.tweak]
    places = [int(place) for place in matches.output]
    return sorted((outputs[place].hex(), tweak.hex()) for place, tweak in zip(places, tweaks, strict=True))


@pytest.mark.parametrize("case", range(len(CASES)))
def test_vectors(case: int) -> None:
    given, expected = CASES[case], CASES[case]["expected"]
    outputs, tweak_points = outputs_of(given), [bytes.fromhex(expected["tweak"])]
    prefixes = [prefix(output) for output in outputs]
    signed = np.array(prefixes, np.uint64).view(np.int64)
    offsets = np.array([0, len(outputs)])
    rows = np.frombuffer(b"".join(outputs), np.uint8).reshape(-1, 32)
    columns: list[tuple[Any, Any]] = [
        ([outputs], None),
        ([[output.hex() for output in outputs]], None),
        ([prefixes], None),
        (rows, offsets),
        (outputs, [0, len(outputs)]),
        (signed, offsets),
        (pa.array([outputs], pa.list_(pa.binary(32))), None),
        (pa.array([signed.tolist()], pa.list_(pa.int64())), None),
        (pa.chunked_array([pa.array([prefixes], pa.large_list(pa.uint64()))]), None),
        (polars.Series([outputs], dtype=polars.List(polars.Binary)), None),
    ]
    known = [(output["pub_key"], output["priv_key_tweak"]) for output in expected.get("outputs") or []]
    for column, starts in columns if len(outputs) < 100 else columns[3:4]:
        matches, ok = scan([receiver(given)], tweak_points, column, starts)
        assert ok.tolist() == [True]
        if "n_outputs" in expected:
            assert len(matches.row) == expected["n_outputs"]
        else:
            assert found(matches, outputs) == sorted(known)


def test_index() -> None:
    cases = [case["expected"] for case in CASES if case["expected"].get("input_pub_key_sum")]
    outpoints = []
    for case in CASES:
        inputs = case["given"]["vin"]
        outpoints.append(min(bytes.fromhex(i["txid"])[::-1] + i["vout"].to_bytes(4, "little") for i in inputs))
    points, ok = index(outpoints, [case["input_pub_key_sum"] for case in cases])
    assert ok.all()
    expected, _ = gecc.decompress("secp256k1", [case["tweak"] for case in cases])
    assert np.array_equal(points, expected)


def test_rows_receivers_and_labels() -> None:
    with_labels = next(case for case in CASES if case["given"]["labels"] and case["expected"]["outputs"])
    receivers = [receiver(FIRST), receiver(with_labels)]
    cases = [with_labels, FIRST, FIRST]
    tweak_points = [bytes.fromhex(case["expected"]["tweak"]) for case in cases[:2]] + [bytes(33)]
    lists = [outputs_of(case) for case in cases]
    matches, codes = scan(receivers, tweak_points, lists, reasons=True)
    assert codes.tolist() == [Reason.VALID, Reason.VALID, Reason.MALFORMED_POINT]
    pairs = list(zip(matches.row.tolist(), matches.receiver.tolist(), strict=True))
    assert pairs == sorted(pairs)
    assert {(0, 1), (1, 0)} <= set(pairs) <= {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert {int(label) for label in matches.label} - {-1} <= set(with_labels["given"]["labels"])
    # Of Arrow where tweak points are, with a null for no label.
    points = pa.array(tweak_points, pa.binary(33))
    of_arrow, _ = scan(receivers, points, pa.array(lists, pa.list_(pa.binary())))
    assert of_arrow.row.to_pylist() == matches.row.tolist()
    assert of_arrow.label.to_pylist() == [None if label == -1 else label for label in matches.label.tolist()]
    assert [bytes(tweak) for tweak in matches.tweak] == of_arrow.tweak.to_pylist()
    assert pa.record_batch(list(of_arrow), names=list(Matches._fields)).num_rows == len(matches.row)
    of_polars, _ = scan(receivers, polars.Series(tweak_points), lists)
    assert polars.DataFrame(of_polars._asdict()).height == len(matches.row)
    # A null among tweak points finds nothing.
    matches, codes = scan(receivers, [None, *tweak_points[1:]], lists, reasons=True)
    assert codes[0] == Reason.PUBLIC_KEY_NULL
    assert 0 not in matches.row


def test_answers_are_neither_true_nor_false() -> None:
    answer = scan([receiver(FIRST)], [FIRST["expected"]["tweak"]], [outputs_of(FIRST)])
    with pytest.raises(ValueError, match="the truth value of an answer is ambiguous"):
        bool(answer)


def test_a_receiver_keeps_its_secrets() -> None:
    made = receiver(FIRST)
    assert repr(made) == "<gecc.silent_payments.Receiver: 0 labels>"
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(made)
    assert made.spend_keys.shape == (1, 64)
    expected, _ = gecc.public_keys("secp256k1", FIRST["given"]["key_material"]["scan_priv_key"])
    assert np.array_equal(made.scan_public_key, expected[0])
    for problem, scan_key, spend_key in [
        ("the private key is", bytes(32), made.spend_keys[0]),
        ("one scan key and one spend key", bytes(64), made.spend_keys[0]),
        ("encoding is malformed", bytes(31) + b"\1", bytes(33)),
    ]:
        with pytest.raises(ValueError, match=problem):
            Receiver(scan_key, spend_key)


@pytest.mark.parametrize(
    ("outputs", "offsets", "problem"),
    [
        (np.zeros((2, 32), np.uint8), None, "give offsets"),
        (np.zeros((2, 32), np.uint8), [0, 3], "2 outputs, and an offset of 3"),
        (np.zeros((2, 32), np.uint8), [0, 2, 1], "decrease"),
        (np.zeros((2, 32), np.uint8), [0, 1, 2], "those of 2 rows, where tweak_points has 1"),
        ([[b"short"]], None, "has not 32 bytes"),
        (pa.array([[None]], pa.list_(pa.binary(32))), None, "an output is null"),
        (pa.array([None], pa.list_(pa.binary(32))), None, "the list of row 0 is null"),
        (pa.array([[0.5]]), None, "outputs of type List"),
    ],
)
def test_outputs_that_cannot_be_read_are_errors(outputs: Any, offsets: Any, problem: str) -> None:
    with pytest.raises((TypeError, ValueError), match=problem):
        scan([receiver(FIRST)], [FIRST["expected"]["tweak"]], outputs, offsets)


def test_names() -> None:
    assert all(hasattr(silent_payments, name) for name in silent_payments.__all__)
