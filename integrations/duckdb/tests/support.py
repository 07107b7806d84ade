"""What the tests share."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

ROOT = Path(__file__).parents[3]
CASES: dict[str, Any] = json.loads((ROOT / "tests/cases/signatures.json").read_text())
SIGNATURES = ROOT / "crates/gecc-arrow/tests/data/signatures.parquet"
SILENT = ROOT / "crates/gecc-cli/tests/data"
KEYS = f"'{SILENT}/silent_keys.parquet'"
PREFIXES = f"'{SILENT}/silent_prefixes.parquet'"

# The keys of a receiver who is paid in some rows of these tables, and the matches of each row.
ANSWERS: dict[str, Any] = json.loads((SILENT / "silent_answers.json").read_text())
SCAN, SPEND = (bytes.fromhex(ANSWERS[name]) for name in ["scan_secret", "spend_public"])
# The labels in use.
LABELS = [0, 1, 7]


def connect(threads: int = 4) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": str(threads)})
    connection.load_extension(os.environ["GECC_EXTENSION"])
    return connection


def one(db: duckdb.DuckDBPyConnection, sql: str, *parameters: Any) -> Any:
    """The value that a statement gives."""
    rows = db.execute(sql, parameters).fetchall()
    assert len(rows) == 1 and len(rows[0]) == 1
    return rows[0][0]


def refused(db: duckdb.DuckDBPyConnection, sql: str, *parameters: Any) -> str:
    """Returns the error of a statement that fails. The connection remains usable."""
    with pytest.raises(duckdb.Error) as error:
        db.execute(sql, parameters).fetchall()
    assert one(db, "SELECT 1") == 1
    return str(error.value)


def verify(curve: str, ending: str = "", form: str = "signature") -> str:
    """A call for columns that are named as its arguments."""
    der = "_der" if form == "der" else ""
    arguments = f"digest, {form}, public_key"
    if curve == "sm2":
        return f"sm2_verify{der}{ending}({arguments})"
    return f"ecdsa_verify{der}{ending}('{curve}', {arguments})"


def scan(outputs: str = "outputs", tweak_key: str = "tweak_key", labels: Sequence[int] = LABELS) -> str:
    """A call with the keys as the first two parameters."""
    return f"silent_payments_scan({outputs}, $1, $2, {tweak_key}, {list(labels)}::BIGINT[])"
