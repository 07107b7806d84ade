"""Batches for tests: random items, some of them corrupted, and real ones."""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import gecc
import numpy as np
import numpy.typing as npt
import pyarrow as pa

ROOT = Path(__file__).resolve().parents[3]
CASES: dict[str, Any] = json.loads((ROOT / "tests/cases/signatures.json").read_text())
X25519_CASES: dict[str, Any] = json.loads((ROOT / "tests/cases/x25519.json").read_text())
CURVES = ["secp256k1", "p256", "brainpoolp256r1", "sm2"]
ECDSA_CURVES = CURVES[:3]

# Half of n and a little: s above it is high.
ORDERS = {
    "secp256k1": 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141,
    "p256": 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    "brainpoolp256r1": 0xA9FB57DBA1EEA9BC3E660A909D838D718C397AA3B561A6F7901E0E82974856A7,
    "sm2": 0xFFFFFFFEFFFFFFFFFFFFFFFFFFFFFFFF7203DF6B21C6052B53BBF40939D54123,
}

Bytes = npt.NDArray[np.uint8]


def random_rows(items: int, width: int) -> Bytes:
    return np.frombuffer(os.urandom(items * width), np.uint8).reshape(items, width).copy()


def forms_of(rows: Any) -> list[Any]:
    """The same rows in every kind of argument."""
    items = [bytes(row) for row in rows]
    forms = [items, [row.hex() for row in items], pa.array(items), pa.array(items, pa.binary_view())]
    forms += [pa.array([row.hex() for row in items])]
    # DER has no width of its own.
    if {len(row) for row in items} in ({64}, {65}):
        array = np.array([list(row) for row in items], np.uint8)
        forms += [array, array[::-1].copy()[::-1], pa.array(items, pa.binary(len(items[0])))]
    return forms


class Batch(NamedTuple):
    digests: Bytes
    signatures: Bytes
    public_keys: Bytes
    valid: npt.NDArray[np.bool_]


def signed(curve: str, items: int) -> Batch:
    """Random digests, signed by random keys; every third item is corrupted in one bit of its digest, signature or key."""
    secret_keys, public_keys = gecc.generate_keys(curve, items)
    digests = random_rows(items, 32)
    signatures, ok = gecc.sign(curve, digests, secret_keys)
    assert ok.all()
    columns = [digests, signatures, public_keys]
    for item in range(0, items, 3):
        column = columns[item // 3 % 3]
        # Of keys in x, which every encoding has.
        place = int.from_bytes(os.urandom(4), "little") % (512 if column is signatures else 256)
        column[item, place // 8] ^= 1 << place % 8
    valid = np.arange(items) % 3 != 0
    return Batch(digests, signatures, public_keys, valid)


def compressed(points: Bytes) -> Bytes:
    return np.concatenate([2 + (points[:, 63:] & 1), points[:, :32]], axis=1)


def uncompressed(points: Bytes) -> Bytes:
    return np.concatenate([np.full((len(points), 1), 4, np.uint8), points], axis=1)


def rows_of(texts: list[str]) -> Bytes:
    """Hexadecimal texts of one length as rows."""
    return np.array([list(bytes.fromhex(text)) for text in texts], np.uint8)


def records(name: str) -> list[dict[str, str]]:
    """Real items of a file in examples/data."""
    lines = (ROOT / "examples" / "data" / name).read_text().splitlines()
    return [json.loads(line) for line in lines]


def vectors(name: str):  # type: ignore[no-untyped-def]
    return json.loads((ROOT / "tests" / "vectors" / name).read_text())
