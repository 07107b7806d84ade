"""Masks for private set intersection, with a key from a file."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support import ROOT, one, refused

VECTORS: list[dict[str, Any]] = json.loads((ROOT / "tests/vectors/hash_to_curve.json").read_text())
P256 = next(suite for suite in VECTORS if suite["suite"] == "P256_XMD:SHA-256_SSWU_RO_")
SUITE, DST = P256["suite"], bytes.fromhex(P256["dst"]).decode()
# The order of P-256.
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def use_key(db: duckdb.DuckDBPyConnection, folder: Path, key: str) -> Path:
    file = folder / "mask key.txt"
    file.write_text(key)
    db.execute(f"SET gecc_mask_key_file = '{file}'")
    return file


def curve_of(suite: str) -> str:
    return suite.split("_")[0].lower()


@pytest.mark.parametrize("vectors", VECTORS, ids=lambda vectors: vectors["suite"])
def test_masks_are_those_of_the_vectors(db: duckdb.DuckDBPyConnection, tmp_path: Path, vectors: dict[str, Any]) -> None:
    use_key(db, tmp_path, vectors["key"] + "\n")
    db.execute("CREATE TABLE items (message BLOB, point BLOB, masked BLOB)")
    columns = ["message", "point", "masked"]
    rows = [[bytes.fromhex(item[column]) for column in columns] for item in vectors["items"]]
    db.executemany("INSERT INTO items VALUES (?, ?, ?)", rows)
    suite, curve = vectors["suite"], curve_of(vectors["suite"])
    dst = bytes.fromhex(vectors["dst"] or "").decode()
    for call in [
        f"mask('{suite}', '{dst}', 'compressed', message) = masked",
        f"mask_points('{curve}', 'compressed', point) = masked",
        f"unmask('{curve}', 'compressed', masked) = point",
        f"mask('{suite}', '{dst}', '12', message) = masked[2:13]",
        f"mask_reason('{suite}', '{dst}', 'x', message) IS NULL",
    ]:
        assert one(db, f"SELECT count(*) FROM items WHERE {call}") == len(rows), call


def test_many_rows_in_many_threads(db: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    use_key(db, tmp_path, P256["key"])
    mask = f"mask('{SUITE}', '{DST}', 'compressed', encode('item ' || (i % 37)))"
    sql = f"SELECT count(*), count(DISTINCT {mask}), count({mask}) FROM range(5000) AS t(i)"
    assert db.execute(sql).fetchall() == [(5000, 37, 5000)]
    assert one(db, f"SELECT {mask} FROM range(1) AS t(i)").hex() == next(
        item["masked"] for item in P256["items"] if item["message"] == b"item 0".hex()
    )


def test_rows_that_cannot_be_masked_are_null_and_have_reasons(db: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    use_key(db, tmp_path, P256["key"])
    db.execute("CREATE TABLE points (id INTEGER, point BLOB)")
    point = bytes.fromhex(P256["items"][0]["point"])
    off_curve = next(
        candidate
        for candidate in (b"\x02" + bytes(31) + bytes([x]) for x in range(1, 50))
        if one(db, "SELECT mask_points('p256', 'x', $1)", candidate) is None
    )
    db.executemany("INSERT INTO points VALUES (?, ?)", [[0, point], [1, None], [2, off_curve], [3, point[:20]]])
    sql = "SELECT mask_points('p256', 'x', point) IS NULL, mask_points_reason('p256', 'x', point) FROM points ORDER BY id"
    found = db.execute(sql).fetchall()
    assert found[0] == (False, None)
    assert [is_null for is_null, _ in found[1:]] == [True] * 3
    assert found[1][1] == "`public_key` is null"
    assert len({reason for _, reason in found}) == 4


def test_arguments_in_the_statement(db: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    use_key(db, tmp_path, P256["key"])
    for call, problem in [
        (f"mask('{SUITE}', '', 'x', 'aa')", "requires a `dst`"),
        ("mask('SM2_SM3_REHASH_', 'a', 'x', 'aa')", "takes no `dst`"),
        ("mask('P384', 'a', 'x', 'aa')", "P256_XMD:SHA-256_SSWU_RO_"),
        (f"mask('{SUITE}', 'a', '33', 'aa')", "1 to 32"),
        (f"mask('{SUITE}', 'a', '0', 'aa')", "1 to 32"),
        ("mask_points('ed25519', 'x', 'aa')", "ed25519"),
    ]:
        assert problem in refused(db, f"SELECT {call}")


def test_keys_of_a_file(db: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    call = f"SELECT hex(mask('{SUITE}', '{DST}', 'compressed', ''::BLOB))"
    assert "names no file" in refused(db, call)
    key = P256["key"]
    file = use_key(db, tmp_path, key)
    assert one(db, call).lower() == P256["items"][0]["masked"]
    for text in ["", key[:-1], f"{key}\n{key}", key + "zz"]:
        file.write_text(text)
        message = refused(db, call)
        assert str(file) in message and key[:8] not in message
    for number in [0, ORDER, ORDER + 1]:
        file.write_text(f"{number:064x}")
        assert one(db, call) is None
        assert one(db, call.replace("hex(mask(", "(mask_reason(")) is not None
    file.unlink()
    assert "No such file" in refused(db, call)
    db.execute("RESET gecc_mask_key_file")
    assert "names no file" in refused(db, call)
