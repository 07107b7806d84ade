"""The extension in DuckDB. GECC_EXTENSION names its file."""

import csv
import gzip
import json
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest

ROOT = Path(__file__).parents[3]
SIGNATURES = ROOT / "crates/gecc-arrow/tests/data/signatures.parquet"
VERDICTS = ROOT / "crates/gecc-arrow/tests/data/signatures_verdicts.csv.gz"
BIP340 = ROOT / "tests/vectors/bip340_test_vectors.csv"
BIP352 = ROOT / "tests/vectors/bip352_send_and_receive_test_vectors.json"
SILENT = ROOT / "crates/gecc-cli/tests/data"

# The labels in use of `silent_answers.json`.
LABELS = [0, 1, 7]


def connect(threads: int = 4) -> duckdb.DuckDBPyConnection:
    config = {"allow_unsigned_extensions": "true", "threads": str(threads)}
    connection = duckdb.connect(config=config)
    connection.load_extension(os.environ["GECC_EXTENSION"])
    return connection


@pytest.fixture
def db() -> duckdb.DuckDBPyConnection:
    return connect()


def one(db: duckdb.DuckDBPyConnection, sql: str, *parameters: Any) -> Any:
    rows = db.execute(sql, parameters).fetchall()
    assert len(rows) == 1 and len(rows[0]) == 1
    return rows[0][0]


def refused(db: duckdb.DuckDBPyConnection, sql: str, *parameters: Any) -> str:
    with pytest.raises(duckdb.Error) as said:
        db.execute(sql, parameters).fetchall()
    # The connection goes on.
    assert one(db, "SELECT 1") == 1
    return str(said.value)


# Signatures


def call(curve: str, ending: str = "", form: str = "signature") -> str:
    der = "_der" if form == "der" else ""
    if curve == "sm2":
        return f"sm2_verify{der}{ending}(digest, {form}, public_key)"
    return f"ecdsa_verify{der}{ending}('{curve}', digest, {form}, public_key)"


def test_verdicts_of_the_shipped_signatures(db: duckdb.DuckDBPyConnection) -> None:
    with gzip.open(VERDICTS, "rt") as file:
        expected = [row["valid"] == "1" for row in csv.DictReader(file)]
    assert len(expected) == 1702 and 100 < sum(expected) < 1700
    curves = ["secp256k1", "p256", "sm2"]
    for cells in ["digest, signature, public_key", "hex(digest) AS digest, '0x' || lower(hex(signature)) AS signature, hex(public_key) AS public_key"]:
        source = f"(SELECT {cells}, tag, row_number() OVER () AS row FROM '{SIGNATURES}')"
        cases = lambda ending: "CASE tag " + " ".join(f"WHEN '{c}' THEN {call(c, ending)}" for c in curves) + " END"
        rows = db.execute(f"SELECT {cases('')}, {cases('_reason')} FROM {source} ORDER BY row").fetchall()
        assert [valid for valid, _ in rows] == expected
        assert [reason is None for _, reason in rows] == expected
        assert any(reason == "the signature does not match" for _, reason in rows)


def test_the_table_of_bip340(db: duckdb.DuckDBPyConnection) -> None:
    with BIP340.open() as file:
        rows = list(csv.DictReader(file))
    verify = "SELECT bip340_verify(?::BLOB, ?, ?), bip340_verify_reason(?::BLOB, ?, ?) IS NULL"
    for row in rows:
        items = [bytes.fromhex(row[name]) for name in ["message", "signature", "public key"]]
        valid = row["verification result"] == "TRUE"
        assert db.execute(verify, items + items).fetchall() == [(valid, valid)], row
    db.execute("CREATE TABLE t (m BLOB, s BLOB, k BLOB, valid BOOLEAN)")
    cells = [[bytes.fromhex(row[name]) for name in ["message", "signature", "public key"]] for row in rows]
    db.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [[*c, r["verification result"] == "TRUE"] for c, r in zip(cells, rows)])
    assert one(db, "SELECT count(*) FROM t WHERE bip340_verify(m, s, k) = valid") == len(rows) == 19


def test_signatures_in_der(db: duckdb.DuckDBPyConnection) -> None:
    # r and s as DER has them: without leading zeros, but with one where the first bit is set.
    db.execute("""CREATE MACRO number(x) AS (WITH d AS (SELECT ltrim(hex(x), '0') AS h),
        e AS (SELECT CASE WHEN length(h) % 2 = 1 THEN '0' || h WHEN h[1] >= '8' THEN '00' || h ELSE h END AS h FROM d)
        SELECT '02' || printf('%02x', length(h) // 2) || h FROM e)""")
    db.execute("""CREATE MACRO der(s) AS (WITH n AS (SELECT number(s[1:32]) || number(s[33:64]) AS h)
        SELECT unhex('30' || printf('%02x', length(h) // 2) || h) FROM n)""")
    for curve in ["secp256k1", "sm2"]:
        source = f"(SELECT digest, signature, public_key, der(signature) AS der FROM '{SIGNATURES}' WHERE tag = '{curve}')"
        same = f"SELECT count(*), count(*) FILTER (v), count(*) FILTER (v = d) FROM (SELECT {call(curve)} AS v, {call(curve, form='der')} AS d FROM {source})"
        rows, valid, equal = db.execute(same).fetchall()[0]
        assert rows == equal and 10 < valid < rows
    assert "strict DER" in one(db, "SELECT ecdsa_verify_der_reason('p256', repeat('ab', 32), 'beef', repeat('ab', 33))")


def test_keys_are_recovered(db: duckdb.DuckDBPyConnection) -> None:
    source = f"(SELECT * FROM '{SIGNATURES}' WHERE tag = 'secp256k1' AND {call('secp256k1')})"
    key = lambda v: f"ecdsa_recover('secp256k1', digest, signature, {v})"
    address = "eth_address(public_key)"
    same = f"SELECT count(*) = count(*) FILTER ({address} = eth_address({key('0')}) OR {address} = eth_address({key('true')})) FROM {source}"
    assert one(db, same)
    recovered = f"SELECT DISTINCT ecdsa_verify('secp256k1', digest, signature, {key('27')}), octet_length({key('28')}) FROM {source}"
    assert db.execute(recovered).fetchall() == [(True, 65)]
    with_v = f"SELECT bool_and(ecdsa_recover('secp256k1', digest, signature || '\\x1B'::BLOB) = {key('27::UTINYINT')}) FROM {source}"
    assert one(db, with_v)
    assert one(db, f"SELECT count(*) FROM {source} WHERE {key('NULL')} IS NOT NULL") == 0
    assert one(db, f"SELECT DISTINCT ecdsa_recover_reason('secp256k1', digest, signature, 9) FROM {source}") is not None
    # The key of the secret key 1.
    one_g = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    assert one(db, f"SELECT hex(eth_address('{one_g}'))") == "7E5F4552091A69125D5DFCB7B8C2659029395BDF"
    assert one(db, f"SELECT eth_address(unhex('{one_g}')[1:32])") is None


def test_what_cannot_be_read_is_not_valid(db: duckdb.DuckDBPyConnection) -> None:
    db.execute(f"CREATE TABLE t AS SELECT digest, signature, public_key FROM '{SIGNATURES}' WHERE tag = 'p256' AND {call('p256')} LIMIT 1")
    good = db.execute("SELECT * FROM t").fetchall()[0]
    names = ["digest", "signature", "public_key"]
    for place, name in enumerate(names):
        for bad, reason in [(None, f"`{name}` is null"), (b"", "length"), (b"\0" * 31, "length"), (b"\xff" * 500, "length")]:
            row = [bad if at == place else cell for at, cell in enumerate(good)]
            db.execute("CREATE OR REPLACE TABLE bad (digest BLOB, signature BLOB, public_key BLOB)")
            db.executemany("INSERT INTO bad VALUES (?, ?, ?)", [row, good, row])
            rows = db.execute(f"SELECT {call('p256')}, {call('p256', '_reason')} FROM bad").fetchall()
            assert [valid for valid, _ in rows] == [False, True, False]
            assert rows[1][1] is None
            if name != "public_key" or bad is None:
                assert reason in rows[0][1], rows
            assert one(db, f"SELECT count(*) FROM bad WHERE NOT {call('p256')}") == 2
    texts = [cell.hex() for cell in good]
    verify = "SELECT ecdsa_verify('p256', ?, ?, ?)"
    assert one(db, verify, *texts)
    assert one(db, verify, "0x" + texts[0].upper(), *texts[1:])
    for bad in ["", "0x", "g" * 64, texts[0][:-1], "é" * 32]:
        assert one(db, verify, bad, *texts[1:]) is False
    assert one(db, "SELECT ecdsa_verify_reason('p256', NULL, NULL, NULL)") == "`digest` is null"
    assert db.execute(f"SELECT {call('p256')} FROM t WHERE false").fetchall() == []


def test_statements_that_are_wrong(db: duckdb.DuckDBPyConnection) -> None:
    items = f"'{'ab' * 32}', '{'ab' * 64}', '{'ab' * 33}'"
    assert "the curves are 'brainpoolp256r1', 'p256', 'secp256k1'" in refused(db, f"SELECT ecdsa_verify('p384', {items})")
    assert "sm2_verify" in refused(db, f"SELECT ecdsa_verify('sm2', {items})")
    assert "must be a text in the statement" in refused(db, f"SELECT ecdsa_verify(c, {items}) FROM (VALUES ('p256')) t(c)")
    assert "must be a text in the statement" in refused(db, f"SELECT ecdsa_verify(NULL, {items})")
    assert "`digest` is Int64, but must be" in refused(db, "SELECT eth_address('ab'), sm2_verify(1, 'ab', 'ab')")
    assert "`recovery_id` is LargeUtf8" in refused(db, f"SELECT ecdsa_recover('p256', '{'ab' * 32}', '{'ab' * 64}', 'x')")
    refused(db, "SELECT eth_address([1])")
    refused(db, "SELECT eth_address(1.5)")
    refused(db, "SELECT ecdsa_verify('p256')")


# Silent payments

P = 2**256 - 2**32 - 977
# No point has x = 5.
OFF_CURVE = bytes([2, *[0] * 31, 5])


def little_endian(key: bytes) -> bytes:
    """A compressed point as Frigate stores it."""
    x = int.from_bytes(key[1:], "big")
    y = pow(x**3 + 7, (P + 1) // 4, P)
    y = P - y if y % 2 != key[0] % 2 else y
    return x.to_bytes(32, "little") + y.to_bytes(32, "little")


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    return json.loads((SILENT / "silent_answers.json").read_text())


def keys_of(answers: dict[str, Any]) -> tuple[bytes, bytes]:
    return bytes.fromhex(answers["scan_secret"]), bytes.fromhex(answers["spend_public"])


def expected_of(answers: dict[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    """What is found in each row, as the function says it."""
    found = lambda one: {"output": one["output"], "k": one["k"], "label": one["label"], "tweak": bytes.fromhex(one["tweak"])}
    return sorted((row["txid"], sorted(map(found, row["found"]), key=lambda f: f["k"])) for row in answers["rows"])


@pytest.mark.parametrize("table", ["silent_keys", "silent_prefixes"])
def test_payments_are_found(db: duckdb.DuckDBPyConnection, answers: dict[str, Any], table: str) -> None:
    scan, spend = keys_of(answers)
    sql = f"""SELECT lower(hex(txid)), found FROM (
        SELECT txid, silent_payments_scan(outputs, ?, ?, tweak_key, {LABELS}) AS found FROM '{SILENT}/{table}.parquet')
        WHERE len(found) > 0 ORDER BY 1"""
    found = db.execute(sql, [scan, spend]).fetchall()
    known = expected_of(answers)
    if table == "silent_keys":
        assert found == known
    else:
        # Some rows have the first eight bytes of what is expected, and nothing else of it.
        assert len(found) > len(known) > 20
        assert [row for row in found if row[0] in dict(known)] == known
    rows = one(db, f"SELECT count(silent_payments_scan(outputs, ?, ?, tweak_key, {LABELS})) FROM '{SILENT}/{table}.parquet'", scan, spend)
    assert rows == 1000


def test_a_statement_of_frigate(db: duckdb.DuckDBPyConnection, answers: dict[str, Any]) -> None:
    scan, spend = keys_of(answers)
    rows = db.execute(f"SELECT txid, tweak_key, outputs FROM '{SILENT}/silent_prefixes.parquet'").fetchall()
    db.execute("CREATE TABLE tweak (txid BLOB, height INTEGER, tweak_key BLOB, compressed BLOB, outputs BIGINT[])")
    db.executemany("INSERT INTO tweak VALUES (?, 800000, ?, ?, ?)", [[t, little_endian(k), k, o] for t, k, o in rows])
    points = [bytes.fromhex(point) for point in POINTS]
    for labels in [[], [0], [0, 1, 2]]:
        numbers = [LABELS[label] for label in labels]
        own = f"len(silent_payments_scan(outputs, ?, ?, compressed, {numbers}::BIGINT[])) > 0"
        expected = one(db, f"SELECT list(txid ORDER BY txid) FROM tweak WHERE {own}", scan, spend)
        for spend_key, tweak, convert in [(little_endian(spend), "tweak_key", little_endian), (spend, "compressed", bytes)]:
            marks = ", ".join("?" for _ in labels)
            sql = f"SELECT txid, tweak_key, height FROM tweak WHERE scan_silent_payments(outputs, [?, ?, {tweak}], [{marks}]) AND height >= ? ORDER BY txid"
            found = db.execute(sql, [scan, spend_key, *[convert(points[label]) for label in labels], 0]).fetchall()
            assert [txid for txid, *_ in found] == expected
            assert len(found) > 20


# hash_BIP0352/Label(b_scan || m) G of the labels.
POINTS = [
    "0322494c4f6391f1d9b75096b6787fa98538b6e35edd9795273b17bb958cf6db04",
    "0384a67dd40aa6433339a014b5d5daf1b85df34d128bda02a5df8f995d39f4a0d0",
    "03c6943255d92d6615545010ce38da44f28c0f8f46548e50ffd39442b1beadd67e",
]


def test_the_vectors_of_bip352(db: duckdb.DuckDBPyConnection) -> None:
    found_of, cases = 0, json.loads(BIP352.read_text())
    for case in (receiving for case in cases for receiving in case["receiving"]):
        given, expected = case["given"], case["expected"]
        if expected.get("tweak") is None or expected.get("outputs") is None:
            continue
        scan = bytes.fromhex(given["key_material"]["scan_priv_key"])
        outputs = [bytes.fromhex(output) for output in given["outputs"]]
        tweak, spend = bytes.fromhex(expected["tweak"]), bytes.fromhex(spend_public(expected, given))
        sql = f"SELECT silent_payments_scan(?::BLOB[], ?, ?, ?, {given['labels']}::BIGINT[])"
        found = one(db, sql, outputs, scan, spend, tweak)
        pairs = sorted((outputs[one["output"]].hex(), one["tweak"].hex()) for one in found)
        assert pairs == sorted((output["pub_key"], output["priv_key_tweak"]) for output in expected["outputs"])
        found_of += len(found)
    assert found_of > 30


N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def spend_public(_: Any, given: dict[str, Any]) -> str:
    """The public key of the spend private key."""
    secret, total, power = int(given["key_material"]["spend_priv_key"], 16), None, G
    while secret:
        total = add(total, power) if secret & 1 else total
        power, secret = add(power, power), secret >> 1
    assert total is not None
    return bytes([2 + total[1] % 2]).hex() + total[0].to_bytes(32, "big").hex()


Affine = tuple[int, int] | None


def add(a: Affine, b: Affine) -> Affine:
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and (a[1] + b[1]) % P == 0:
        return None
    slope = 3 * a[0] ** 2 * pow(2 * a[1], -1, P) if a == b else (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (slope**2 - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def test_keys_of_a_file(db: duckdb.DuckDBPyConnection, answers: dict[str, Any], tmp_path: Path) -> None:
    table = f"'{SILENT}/silent_keys.parquet'"
    found = lambda arguments: f"SELECT sum(len(silent_payments_scan({arguments}))) FROM {table}"
    scan, spend = keys_of(answers)
    file = tmp_path / "it's a key.txt"
    assert "gecc_key_file" in refused(db, found("outputs, tweak_key"))
    for second in [spend.hex(), answers["address"]]:
        file.write_text(f"# a wallet\n{scan.hex()} {second}\n")
        db.execute("SET gecc_key_file = '" + str(file).replace("'", "''") + "'")
        for labels in [[], LABELS]:
            given = one(db, found(f"outputs, ?, ?, tweak_key, {labels}::BIGINT[]"), scan, spend)
            assert one(db, found(f"outputs, tweak_key, {labels}::BIGINT[]")) == given > 0
        assert one(db, found("outputs, tweak_key")) == one(db, found("outputs, ?, ?, tweak_key, []"), scan, spend)
    # A setting is of its connection.
    assert "gecc_key_file" in refused(connect(), found("outputs, tweak_key"))
    for text in ["", scan.hex(), f"{scan.hex()}0 {spend.hex()}", f"{scan.hex()} {spend.hex()[:-2]}zz", "\0\xff"]:
        file.write_text(text)
        said = refused(db, found("outputs, tweak_key"))
        assert "key" in said and scan.hex()[:8] not in said
    file.unlink()
    assert "No such file" in refused(db, found("outputs, tweak_key"))
    db.execute("RESET gecc_key_file")
    assert "names no file" in refused(db, found("outputs, tweak_key"))


def test_rows_that_cannot_be_read_are_null(db: duckdb.DuckDBPyConnection, answers: dict[str, Any]) -> None:
    scan, spend = keys_of(answers)
    row = db.execute(f"SELECT tweak_key, outputs FROM '{SILENT}/silent_keys.parquet' LIMIT 1").fetchall()[0]
    keys = "SELECT silent_payments_scan(?::BLOB[], ?, ?, ?, ?::BIGINT[])"
    good = [row[1], scan, spend, row[0], [0]]
    assert isinstance(one(db, keys, *good), list)
    assert one(db, keys, [], *good[1:]) == []
    for place in range(5):
        assert one(db, keys, *[None if at == place else value for at, value in enumerate(good)]) is None
    for outputs in [[None], [*row[1], b""], [b"\1" * 31], [b"\1" * 33]]:
        assert one(db, keys, outputs, *good[1:]) is None
    for tweak in [b"", b"\2" * 32, OFF_CURVE, b"\0" * 64, b"\4" + b"\1" * 64, b"\0", b"\2" * 1000]:
        assert one(db, keys, *good[:3], tweak, good[4]) is None
    # The keys of a receiver are for all rows, and an error where they are none.
    for at, bad in [(1, b""), (1, b"\0" * 32), (1, b"\xff" * 32), (1, scan + b"\0"), (2, b""), (2, b"\5" * 33), (2, spend + b"\0"), (4, [-1]), (4, [2**32]), (4, [None])]:
        said = refused(db, keys, *[bad if place == at else value for place, value in enumerate(good)])
        assert "silent_payments_scan" in said and scan.hex()[:8] not in said.lower()
    prefixes = "SELECT scan_silent_payments(?::BIGINT[], ?::BLOB[], ?::BLOB[])"
    good = [[1, -1, 2**63 - 1], [scan, little_endian(spend), little_endian(row[0])], []]
    assert one(db, prefixes, *good) is False
    assert one(db, prefixes, None, *good[1:]) is None
    assert one(db, prefixes, [None], *good[1:]) is None
    assert one(db, prefixes, good[0], None, []) is None
    assert one(db, prefixes, good[0], [*good[1][:2], None], []) is None
    assert one(db, prefixes, good[0], [*good[1][:2], b"\1" * 64], []) is None
    for lists in [[], good[1][:2], [*good[1], b""]]:
        assert one(db, prefixes, good[0], lists, []) is None
    for label in [None, b"", b"\1" * 64, OFF_CURVE]:
        refused(db, prefixes, *good[:2], [label])
    assert "list of BIGINT" in refused(db, f"SELECT silent_payments_scan(['a'], ''::BLOB, ''::BLOB, ''::BLOB, [])")
    assert "list of BIGINT" in refused(db, f"SELECT silent_payments_scan(1, ''::BLOB, ''::BLOB, ''::BLOB, [])")


def test_lists_of_every_layout(db: duckdb.DuckDBPyConnection, answers: dict[str, Any]) -> None:
    scan, spend = keys_of(answers)
    db.execute(f"CREATE TABLE t AS SELECT *, row_number() OVER () AS row FROM '{SILENT}/silent_prefixes.parquet'")
    found = "coalesce(len(silent_payments_scan({}, ?, ?, tweak_key, [0, 1, 7])), -1)"
    plain = one(db, f"SELECT list({found.format('outputs')} ORDER BY row) FROM t", scan, spend)
    assert max(plain) > 1 and min(plain) == 0
    same = [
        "list_filter(outputs, lambda x: true)",
        "list_concat(outputs, [])",
        "outputs[:]",
        "list_transform(outputs, lambda x: x)",
        "CASE WHEN row % 2 = 0 THEN outputs ELSE outputs END",
        "outputs::HUGEINT[]::BIGINT[]",
    ]
    for how in same:
        assert one(db, f"SELECT list({found.format(how)} ORDER BY row) FROM t", scan, spend) == plain, how
    gathered = f"(SELECT row, any_value(tweak_key) AS tweak_key, list(o) AS outputs FROM (SELECT row, tweak_key, unnest(outputs) AS o FROM t) GROUP BY row)"
    counts = one(db, f"SELECT sum({found.format('outputs')}) FROM {gathered}", scan, spend)
    assert counts == sum(plain)
    # Rows that are chosen, joined, sorted, repeated, without outputs, or null.
    joined = f"SELECT list({found.format('outputs')} ORDER BY row) FROM t JOIN (SELECT row AS other FROM t ORDER BY hash(row)) ON row = other"
    assert one(db, joined, scan, spend) == plain
    some = f"SELECT list({found.format('outputs')} ORDER BY row) FROM t WHERE row % 3 = 1"
    assert one(db, some, scan, spend) == plain[::3]
    for how, expected in [("CASE WHEN row % 2 = 0 THEN NULL ELSE outputs END", -1), ("CASE WHEN row % 2 = 0 THEN [] ELSE outputs END", 0)]:
        assert one(db, f"SELECT list({found.format(how)} ORDER BY row) FROM t", scan, spend) == [
            expected if row % 2 == 0 else count for row, count in enumerate(plain, start=1)
        ]
    constant = db.execute("SELECT outputs, tweak_key FROM t WHERE row = ?", [1 + plain.index(max(plain))]).fetchall()[0]
    repeated = f"SELECT DISTINCT len(silent_payments_scan(?::BIGINT[], ?, ?, ?, [0, 1, 7])) FROM range(5000)"
    assert one(db, repeated, constant[0], scan, spend, constant[1]) == max(plain)


def test_receivers_of_rows(db: duckdb.DuckDBPyConnection, answers: dict[str, Any]) -> None:
    """Each row has keys of its own: as many receivers as fit a chunk, and each of their payments is found."""
    scan, spend = keys_of(answers)
    db.execute("CREATE TABLE wallets (wallet INTEGER, scan BLOB, spend BLOB, labels BIGINT[])")
    others = [[i, (i + 1).to_bytes(32, "big"), spend, [i]] for i in range(30)]
    db.executemany("INSERT INTO wallets VALUES (?, ?, ?, ?)", [*others, [100, scan, spend, LABELS], [101, scan, spend, []]])
    table = f"'{SILENT}/silent_keys.parquet'"
    sql = f"""SELECT wallet, sum(len(silent_payments_scan(outputs, scan, spend, tweak_key, labels)))
        FROM {table}, wallets GROUP BY wallet ORDER BY wallet"""
    found = dict(db.execute(sql).fetchall())
    assert found[100] == sum(len(row["found"]) for row in answers["rows"]) > found[101] > 0
    assert all(found[i] == 0 for i in range(30))


# Threads


def rows_of(db: duckdb.DuckDBPyConnection, count: int) -> None:
    db.execute(f"CREATE TABLE many AS SELECT t.* FROM '{SILENT}/silent_prefixes.parquet' t, range({count // 1000})")


def test_connections_at_once(answers: dict[str, Any]) -> None:
    db = connect(threads=8)
    rows_of(db, 20_000)
    db.execute(f"CREATE TABLE signed AS SELECT s.* FROM '{SIGNATURES}' s, range(20) WHERE tag = 'secp256k1'")
    scan, spend = keys_of(answers)
    silent = (f"SELECT sum(len(silent_payments_scan(outputs, ?, ?, tweak_key, {LABELS}))) FROM many", [scan, spend])
    verify = (f"SELECT count(*) FILTER ({call('secp256k1')}) FROM signed", [])
    expected = [db.execute(*statement).fetchall() for statement in [silent, verify]]
    assert expected[0][0][0] > 1000 and expected[1][0][0] > 1000

    def work(which: int) -> bool:
        connection = db.cursor()
        return all(connection.execute(*[silent, verify][i % 2]).fetchall() == expected[i % 2] for i in range(which, which + 4))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def is_cancelled(db: duckdb.DuckDBPyConnection, statement: Callable[[], Any]) -> float:
    """Seconds until a statement that goes on for minutes has ended."""
    began: list[float] = []

    def cancel() -> None:
        time.sleep(1)
        began.append(time.monotonic())
        db.interrupt()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(duckdb.InterruptException):
        statement()
    canceller.join()
    return time.monotonic() - began[0]


def test_a_statement_is_cancelled(db: duckdb.DuckDBPyConnection, answers: dict[str, Any]) -> None:
    scan, spend = keys_of(answers)
    rows_of(db, 50_000)
    table = "(SELECT many.* FROM many, range(100000))"
    silent = f"SELECT sum(len(silent_payments_scan(outputs, ?, ?, tweak_key, []))) FROM {table}"
    assert is_cancelled(db, lambda: db.execute(silent, [scan, spend]).fetchall()) < 20
    verify = f"SELECT count(*) FROM (SELECT s.* FROM '{SIGNATURES}' s, range(10000000)) WHERE {call('p256')}"
    assert is_cancelled(db, lambda: db.execute(verify).fetchall()) < 20
    # What it used is free again, and other statements go on.
    assert one(db, f"SELECT count(silent_payments_scan(outputs, ?, ?, tweak_key, [])) FROM many", scan, spend) == 50_000


def test_databases_of_one_process(answers: dict[str, Any]) -> None:
    scan, spend = keys_of(answers)
    sql = f"SELECT sum(len(silent_payments_scan(outputs, ?, ?, tweak_key, {LABELS}))) FROM '{SILENT}/silent_keys.parquet'"
    first, second = connect(), connect()
    expected = one(first, sql, scan, spend)
    first.close()
    assert one(second, sql, scan, spend) == expected
    second.load_extension(os.environ["GECC_EXTENSION"])
    assert one(second, sql, scan, spend) == expected


def test_prepared_statements(db: duckdb.DuckDBPyConnection, answers: dict[str, Any]) -> None:
    scan, spend = keys_of(answers)
    db.execute(f"PREPARE found AS SELECT sum(len(silent_payments_scan(outputs, $1, $2, tweak_key, {LABELS}))) FROM '{SILENT}/silent_keys.parquet'")
    literal = lambda key: f"unhex('{key.hex()}')"
    of = lambda scan: one(db, f"EXECUTE found({literal(scan)}, {literal(spend)})")
    first = of(scan)
    assert first > 0 and of(b"\1" * 32) == 0 and of(scan) == first
    # A view computes it again for each statement.
    db.execute(f"CREATE VIEW v AS SELECT len(silent_payments_scan(outputs, {literal(scan)}, {literal(spend)}, tweak_key, {LABELS})) AS n FROM '{SILENT}/silent_keys.parquet'")
    assert one(db, "SELECT sum(n) FROM v") == one(db, "SELECT sum(n) FROM v") == first
