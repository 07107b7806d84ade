"""Makes Parquet files to try the recipes with: signatures on secp256k1 with a key each, some of them corrupted.

    python items.py FOLDER [--rows N] [--files N] [--corrupt N]

Columns are `row`, counted from 1 over all files, `digest`, `signature` and `public_key`. The first file begins with the
signatures of real Ethereum blocks. Of the other rows every third, or every Nth, is corrupted: some bits of its digest,
signature or key are wrong, s is zero, the key is too short, or a cell is null. The private keys are made here, and
forgotten.
"""

import argparse
import json
import os
from pathlib import Path

import gecc
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

CURVE = "secp256k1"
BLOCKS = Path(__file__).resolve().parents[4] / "examples" / "data" / "ethereum_blocks.jsonl"
# Keys have 33 or 65 bytes, so the column has no fixed width.
SCHEMA = pa.schema({"row": pa.int64(), "digest": pa.binary(32), "signature": pa.binary(64), "public_key": pa.binary()})
Row = tuple[bytes | None, bytes | None, bytes | None]


def of_blocks() -> list[Row]:
    items = [json.loads(line) for line in BLOCKS.read_text().splitlines()]
    from_hex = bytes.fromhex
    return [(from_hex(item["digest"]), from_hex(item["signature"]), from_hex(item["public_key"])) for item in items]


def corrupted(kind: int, digest: bytes, signature: bytes, key: bytes) -> Row:
    """A signature in which something is wrong, in one of eight ways."""
    changed = bytes([os.urandom(1)[0] | 1])
    return [
        (bytes(a ^ b for a, b in zip(digest, changed + bytes(31))), signature, key),
        (digest, bytes(a ^ b for a, b in zip(signature, bytes(63) + changed)), key),
        (digest, signature, bytes(a ^ b for a, b in zip(key, bytes(32) + changed))),
        (digest, signature[:32] + bytes(32), key),
        (digest, signature, key[:-1]),
        (None, signature, key),
        (digest, None, key),
        (digest, signature, None),
    ][kind]


def fresh(count: int, corrupt: int) -> list[Row]:
    """Random digests, signed by random keys, of which one in `corrupt` is corrupted."""
    secret_keys, points = gecc.generate_keys(CURVE, count)
    digests = np.frombuffer(os.urandom(32 * count), np.uint8).reshape(count, 32)
    signatures, ok = gecc.sign(CURVE, digests, secret_keys)
    secret_keys.fill(0)
    assert ok.all()
    keys = np.concatenate([2 + (points[:, 63:] & 1), points[:, :32]], axis=1)
    rows: list[Row] = []
    for place, (digest, signature, key) in enumerate(zip(digests, signatures, keys, strict=True)):
        row = (digest.tobytes(), signature.tobytes(), key.tobytes())
        rows.append(row if place % corrupt else corrupted(place // corrupt % 8, *row))
    return rows


def write(folder: Path, rows: int, files: int, corrupt: int = 3) -> list[Path]:
    """Writes files with `rows` rows in total, and returns their names."""
    folder.mkdir(parents=True, exist_ok=True)
    names, first = [], 1
    for number in range(files):
        count = rows * (number + 1) // files - rows * number // files
        items = (of_blocks() if number == 0 else [])[:count]
        items += fresh(count - len(items), corrupt)
        columns = [list(range(first, first + count)), *map(list, zip(*items, strict=True))]
        names.append(folder / f"items-{number:04}.parquet")
        pq.write_table(pa.table(columns, schema=SCHEMA), names[-1])
        first += count
    return names


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--rows", type=int, default=1 << 20)
    arguments.add_argument("--files", type=int, default=8)
    arguments.add_argument("--corrupt", type=int, default=3)
    given = arguments.parse_args()
    for name in write(given.folder, given.rows, given.files, given.corrupt):
        print(name)


if __name__ == "__main__":
    main()
