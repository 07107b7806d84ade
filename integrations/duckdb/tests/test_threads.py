"""Concurrent connections, databases and statements, and cancellation. GECC_EXTENSION is the extension's file."""

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import duckdb
import pytest
from support import KEYS, PREFIXES, SCAN, SIGNATURES, SPEND, connect, one, scan, verify


def test_connections_at_once() -> None:
    db = connect(threads=8)
    db.execute(f"CREATE TABLE many AS SELECT t.* FROM {PREFIXES} t, range(10)")
    db.execute(f"CREATE TABLE signed AS SELECT s.* FROM '{SIGNATURES}' s, range(10) WHERE tag = 'secp256k1'")
    silent = (f"SELECT sum(len({scan()})) FROM many", [SCAN, SPEND])
    signed = (f"SELECT count(*) FILTER ({verify('secp256k1')}) FROM signed", [])
    expected = [db.execute(*statement).fetchall() for statement in [silent, signed]]
    assert expected[0][0][0] > 1000 and expected[1][0][0] > 1000

    def work(first: int) -> bool:
        connection = db.cursor()
        turns = [number % 2 for number in range(first, first + 4)]
        return all(connection.execute(*[silent, signed][turn]).fetchall() == expected[turn] for turn in turns)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_databases_of_one_process() -> None:
    sql = f"SELECT sum(len({scan()})) FROM {KEYS}"
    first, second = connect(), connect()
    expected = one(first, sql, SCAN, SPEND)
    first.close()
    assert one(second, sql, SCAN, SPEND) == expected > 0
    second.load_extension(os.environ["GECC_EXTENSION"])
    assert one(second, sql, SCAN, SPEND) == expected


def seconds_to_cancel(db: duckdb.DuckDBPyConnection, statement: Callable[[], Any]) -> float:
    """How long a statement of hours goes on after it is cancelled."""
    cancelled: list[float] = []

    def cancel() -> None:
        time.sleep(1)
        cancelled.append(time.monotonic())
        db.interrupt()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(duckdb.InterruptException):
        statement()
    canceller.join()
    return time.monotonic() - cancelled[0]


def test_a_statement_is_cancelled(db: duckdb.DuckDBPyConnection) -> None:
    db.execute(f"CREATE TABLE many AS SELECT t.* FROM {PREFIXES} t, range(50)")
    silent = f"SELECT sum(len({scan()})) FROM (SELECT many.* FROM many, range(100000))"
    assert seconds_to_cancel(db, lambda: db.execute(silent, [SCAN, SPEND]).fetchall()) < 20
    signed = f"SELECT s.* FROM '{SIGNATURES}' s, range(10000000)"
    statement = f"SELECT count(*) FROM ({signed}) WHERE {verify('p256')}"
    assert seconds_to_cancel(db, lambda: db.execute(statement).fetchall()) < 20
    # Other statements continue.
    assert one(db, f"SELECT count({scan()}) FROM many", SCAN, SPEND) == 50_000
