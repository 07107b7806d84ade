"""Silent payments. GECC_EXTENSION names the extension's file."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support import ANSWERS, KEYS, LABELS, PREFIXES, ROOT, SCAN, SPEND, connect, one, refused, scan

BIP352 = ROOT / "tests/vectors/bip352_send_and_receive_test_vectors.json"

P = 2**256 - 2**32 - 977
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)
# No point has x = 5.
OFF_CURVE = bytes([2, *[0] * 31, 5])
# hash_BIP0352/Label(b_scan || m) G of the labels.
POINTS = [
    "0322494c4f6391f1d9b75096b6787fa98538b6e35edd9795273b17bb958cf6db04",
    "0384a67dd40aa6433339a014b5d5daf1b85df34d128bda02a5df8f995d39f4a0d0",
    "03c6943255d92d6615545010ce38da44f28c0f8f46548e50ffd39442b1beadd67e",
]

Affine = tuple[int, int] | None


def add(a: Affine, b: Affine) -> Affine:
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and (a[1] + b[1]) % P == 0:
        return None
    slope = 3 * a[0] ** 2 * pow(2 * a[1], -1, P) if a == b else (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (slope**2 - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def public_key(secret: int) -> bytes:
    total: Affine = None
    power: Affine = G
    while secret:
        total = add(total, power) if secret & 1 else total
        power, secret = add(power, power), secret >> 1
    assert total is not None
    return bytes([2 + total[1] % 2]) + total[0].to_bytes(32, "big")


def little_endian(key: bytes) -> bytes:
    """A compressed point as Frigate stores it."""
    x = int.from_bytes(key[1:], "big")
    y = pow(x**3 + 7, (P + 1) // 4, P)
    y = P - y if y % 2 != key[0] % 2 else y
    return x.to_bytes(32, "little") + y.to_bytes(32, "little")


def expected() -> list[tuple[str, list[dict[str, Any]]]]:
    """Returns the matches of each row in the format of the function."""

    def found(row: dict[str, Any]) -> list[dict[str, Any]]:
        kept = [{name: one[name] for name in ["output", "k", "label"]} for one in row["found"]]
        tweaks = [{"tweak": bytes.fromhex(one["tweak"])} for one in row["found"]]
        return sorted((one | tweak for one, tweak in zip(kept, tweaks, strict=True)), key=lambda one: one["k"])

    return sorted((row["txid"], found(row)) for row in ANSWERS["rows"])


@pytest.mark.parametrize("table", [KEYS, PREFIXES])
def test_payments_are_found(db: duckdb.DuckDBPyConnection, table: str) -> None:
    rows = f"SELECT lower(hex(txid)) AS id, {scan()} AS found FROM {table}"
    found = db.execute(f"SELECT id, found FROM ({rows}) WHERE len(found) > 0 ORDER BY 1", [SCAN, SPEND]).fetchall()
    known = expected()
    if table == KEYS:
        assert found == known
    else:
        # Some rows share only the first eight bytes with the expected output.
        assert len(found) > len(known) > 20
        assert [row for row in found if row[0] in dict(known)] == known
    assert one(db, f"SELECT count({scan()}) FROM {table}", SCAN, SPEND) == 1000


def test_a_statement_of_frigate(db: duckdb.DuckDBPyConnection) -> None:
    rows = db.execute(f"SELECT txid, tweak_key, outputs FROM {PREFIXES}").fetchall()
    db.execute("CREATE TABLE tweak (txid BLOB, height INTEGER, tweak_key BLOB, compressed BLOB, outputs BIGINT[])")
    tweaks = [[txid, 800_000, little_endian(key), key, outputs] for txid, key, outputs in rows]
    db.executemany("INSERT INTO tweak VALUES (?, ?, ?, ?, ?)", tweaks)
    for labels in [[], [0], [0, 1, 2]]:
        own = scan(tweak_key="compressed", labels=[LABELS[label] for label in labels])
        known = one(db, f"SELECT list(txid ORDER BY txid) FROM tweak WHERE len({own}) > 0", SCAN, SPEND)
        for column, form in [("tweak_key", little_endian), ("compressed", bytes)]:
            call = f"scan_silent_payments(outputs, [?, ?, {column}], [{', '.join('?' for _ in labels)}])"
            sql = f"SELECT txid, tweak_key, height FROM tweak WHERE {call} AND height >= ? ORDER BY txid"
            points = [form(bytes.fromhex(POINTS[label])) for label in labels]
            found = db.execute(sql, [SCAN, form(SPEND), *points, 0]).fetchall()
            assert [txid for txid, *_ in found] == known
            assert len(found) > 20


def test_the_vectors_of_bip352(db: duckdb.DuckDBPyConnection) -> None:
    count = 0
    for case in (receiving for case in json.loads(BIP352.read_text()) for receiving in case["receiving"]):
        given, known = case["given"], case["expected"]
        if known.get("tweak") is None or known.get("outputs") is None:
            continue
        keys = given["key_material"]
        outputs = [bytes.fromhex(output) for output in given["outputs"]]
        spend = public_key(int(keys["spend_priv_key"], 16))
        sql = "SELECT " + scan("$3::BLOB[]", "$4", given["labels"])
        found = one(db, sql, bytes.fromhex(keys["scan_priv_key"]), spend, outputs, bytes.fromhex(known["tweak"]))
        pairs = sorted((outputs[one["output"]].hex(), one["tweak"].hex()) for one in found)
        assert pairs == sorted((output["pub_key"], output["priv_key_tweak"]) for output in known["outputs"])
        count += len(found)
    assert count > 30


def test_keys_of_a_file(db: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    def found(arguments: str) -> str:
        return f"SELECT sum(len(silent_payments_scan({arguments}))) FROM {KEYS}"

    file = tmp_path / "it's a key.txt"
    assert "gecc_key_file" in refused(db, found("outputs, tweak_key"))
    for second in [SPEND.hex(), ANSWERS["address"]]:
        file.write_text(f"# a wallet\n{SCAN.hex()} {second}\n")
        db.execute("SET gecc_key_file = '" + str(file).replace("'", "''") + "'")
        for labels in [[], LABELS]:
            given = one(db, f"SELECT sum(len({scan(labels=labels)})) FROM {KEYS}", SCAN, SPEND)
            assert one(db, found(f"outputs, tweak_key, {labels}::BIGINT[]")) == given > 0
        without_labels = one(db, f"SELECT sum(len({scan(labels=[])})) FROM {KEYS}", SCAN, SPEND)
        assert one(db, found("outputs, tweak_key")) == without_labels
    # A setting belongs to its connection.
    assert "gecc_key_file" in refused(connect(), found("outputs, tweak_key"))
    key = SCAN.hex()
    for text in ["", key, f"{key}0 {SPEND.hex()}", f"{key} {SPEND.hex()[:-2]}zz", f"{key} {ANSWERS['address']}q"]:
        file.write_text(text)
        message = refused(db, found("outputs, tweak_key"))
        assert str(file) in message and key[:8] not in message
    file.unlink()
    assert "No such file" in refused(db, found("outputs, tweak_key"))
    db.execute("RESET gecc_key_file")
    assert "names no file" in refused(db, found("outputs, tweak_key"))


def test_rows_that_cannot_be_read_are_null(db: duckdb.DuckDBPyConnection) -> None:
    tweak, outputs = db.execute(f"SELECT tweak_key, outputs FROM {KEYS} LIMIT 1").fetchall()[0]
    good: list[Any] = [outputs, SCAN, SPEND, tweak, [0]]

    def of(place: int, value: Any) -> list[Any]:
        return [value if at == place else known for at, known in enumerate(good)]

    call = "SELECT silent_payments_scan(?::BLOB[], ?, ?, ?, ?::BIGINT[])"
    assert isinstance(one(db, call, *good), list)
    assert one(db, call, *of(0, [])) == []
    for place in range(5):
        assert one(db, call, *of(place, None)) is None
    for bad in [[None], [*outputs, b""], [b"\1" * 31], [b"\1" * 33]]:
        assert one(db, call, *of(0, bad)) is None
    for bad in [b"", b"\2" * 32, OFF_CURVE, b"\0" * 64, b"\4" + b"\1" * 64, b"\0", b"\2" * 1000]:
        assert one(db, call, *of(3, bad)) is None
    # The keys of a receiver apply to all rows, so invalid ones are an error.
    wrong = [(1, b""), (1, b"\0" * 32), (1, b"\xff" * 32), (1, SCAN + b"\0"), (2, b""), (2, OFF_CURVE)]
    for place, value in [*wrong, (2, SPEND + b"\0"), (4, [-1]), (4, [2**32]), (4, [None])]:
        message = refused(db, call, *of(place, value))
        assert "silent_payments_scan" in message and SCAN.hex()[:8] not in message.lower()
    for lists in ["['a']", "1", "[1.5]"]:
        assert "list of BIGINT" in refused(
            db, f"SELECT silent_payments_scan({lists}, ''::BLOB, ''::BLOB, ''::BLOB, [])"
        )


def test_invalid_arguments_of_frigates_function(db: duckdb.DuckDBPyConnection) -> None:
    tweak = one(db, f"SELECT tweak_key FROM {KEYS} LIMIT 1")
    call = "SELECT scan_silent_payments(?::BIGINT[], ?::BLOB[], ?::BLOB[])"
    outputs, keys = [1, -1, 2**63 - 1], [SCAN, little_endian(SPEND), little_endian(tweak)]
    assert one(db, call, outputs, keys, []) is False
    for bad in [None, [None]]:
        assert one(db, call, bad, keys, []) is None
    for bad in [None, [], keys[:2], [*keys, b""], [*keys[:2], None], [*keys[:2], b"\1" * 64]]:
        assert one(db, call, outputs, bad, []) is None
    assert one(db, call, outputs, keys, None) is None
    for label in [None, b"", b"\1" * 64, OFF_CURVE]:
        refused(db, call, outputs, keys, [label])
    # A scan key in the format of another function of Frigate.
    assert one(db, call, outputs, [SCAN[::-1], *keys[1:]], []) is False


def test_lists_of_every_layout(db: duckdb.DuckDBPyConnection) -> None:
    db.execute(f"CREATE TABLE t AS SELECT *, row_number() OVER () AS row FROM {PREFIXES}")

    def counts(outputs: str, source: str = "t") -> list[int]:
        """Returns the number of matches in each row; -1 for null."""
        return one(db, f"SELECT list(coalesce(len({scan(outputs)}), -1) ORDER BY row) FROM {source}", SCAN, SPEND)

    plain = counts("outputs")
    assert max(plain) > 1 and min(plain) == 0
    for same in [
        "list_filter(outputs, lambda x: true)",
        "list_concat(outputs, [])",
        "outputs[:]",
        "list_transform(outputs, lambda x: x)",
        "CASE WHEN row % 2 = 0 THEN outputs ELSE outputs END",
        "outputs::HUGEINT[]::BIGINT[]",
    ]:
        assert counts(same) == plain, same
    # Rows that are joined, sorted, selected, without outputs, null, or the same in a whole chunk.
    assert counts("outputs", "t JOIN (SELECT row AS other FROM t ORDER BY hash(row)) ON row = other") == plain
    assert counts("outputs", "(FROM t ORDER BY hash(row))") == plain
    assert counts("outputs", "t WHERE row % 3 = 1") == plain[::3]
    gathered = "SELECT row, any_value(tweak_key) AS tweak_key, list(o) AS outputs FROM unnested GROUP BY row"
    with_one = f"(WITH unnested AS (SELECT row, tweak_key, unnest(outputs) AS o FROM t) {gathered})"
    assert sum(counts("outputs", with_one)) == sum(plain)
    for other, count in [("NULL", -1), ("[]", 0)]:
        known = [count if row % 2 == 0 else of_row for row, of_row in enumerate(plain, start=1)]
        assert counts(f"CASE WHEN row % 2 = 0 THEN {other} ELSE outputs END") == known
    best = db.execute("SELECT outputs, tweak_key FROM t WHERE row = ?", [1 + plain.index(max(plain))]).fetchall()[0]
    repeated = f"SELECT DISTINCT len({scan('$3::BIGINT[]', '$4')}) FROM range(5000)"
    assert one(db, repeated, SCAN, SPEND, *best) == max(plain)


def test_receivers_of_rows(db: duckdb.DuckDBPyConnection) -> None:
    """Rows with keys of their own: many receivers in a chunk, and each gets its own."""
    db.execute("CREATE TABLE wallets (wallet INTEGER, scan BLOB, spend BLOB, labels BIGINT[])")
    others = [[wallet, (wallet + 1).to_bytes(32, "big"), SPEND, [wallet]] for wallet in range(30)]
    wallets = [*others, [100, SCAN, SPEND, LABELS], [101, SCAN, SPEND, []]]
    db.executemany("INSERT INTO wallets VALUES (?, ?, ?, ?)", wallets)
    call = "silent_payments_scan(outputs, scan, spend, tweak_key, labels)"
    found = dict(db.execute(f"SELECT wallet, sum(len({call})) FROM {KEYS}, wallets GROUP BY wallet").fetchall())
    assert found[100] == sum(len(row["found"]) for row in ANSWERS["rows"]) > found[101] > 0
    assert all(found[wallet] == 0 for wallet in range(30))
    # Keys of other lengths are different, even if their concatenation is the same.
    keys = SCAN + SPEND
    db.execute("CREATE TABLE pairs (scan BLOB, spend BLOB)")
    db.executemany("INSERT INTO pairs VALUES (?, ?)", [[SCAN, SPEND], [keys[:33], keys[33:]]])
    call = "silent_payments_scan(outputs, scan, spend, tweak_key, []::BIGINT[])"
    assert "the scan key has 32 bytes" in refused(db, f"SELECT {call} FROM {KEYS}, pairs")


def test_prepared_statements(db: duckdb.DuckDBPyConnection) -> None:
    db.execute(f"PREPARE found AS SELECT sum(len({scan()})) FROM {KEYS}")

    def literal(key: bytes) -> str:
        return f"unhex('{key.hex()}')"

    def found(key: bytes) -> int:
        return one(db, f"EXECUTE found({literal(key)}, {literal(SPEND)})")

    first = found(SCAN)
    assert first > 0 and found(b"\1" * 32) == 0 and found(SCAN) == first
    call = f"silent_payments_scan(outputs, {literal(SCAN)}, {literal(SPEND)}, tweak_key, {LABELS})"
    db.execute(f"CREATE VIEW v AS SELECT len({call}) AS n FROM {KEYS}")
    assert one(db, "SELECT sum(n) FROM v") == one(db, "SELECT sum(n) FROM v") == first
