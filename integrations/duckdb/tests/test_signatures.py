"""Verification, recovery and addresses. GECC_EXTENSION names the extension's file."""

import csv
import gzip
import hashlib
import json

import duckdb
from support import ROOT, SIGNATURES, one, refused, verify

VERDICTS = ROOT / "crates/gecc-arrow/tests/data/signatures_verdicts.csv.gz"
BIP340 = ROOT / "tests/vectors/bip340_test_vectors.csv"
ED25519 = ROOT / "tests/vectors/ed25519_edge_random.jsonl.gz"
# Rules of Ed25519, and their names in the file.
RULES = {
    "cofactorless": "cofactorless",
    "strict": "dalek_strict",
    "libsodium": "libsodium",
    "zip215": "zip215",
    "rfc8032": "rfc8032",
    "rfc8032-cofactored": "rfc8032_cofactored",
}


def test_verdicts_of_the_shipped_signatures(db: duckdb.DuckDBPyConnection) -> None:
    with gzip.open(VERDICTS, "rt") as file:
        expected = [row["valid"] == "1" for row in csv.DictReader(file)]
    assert len(expected) == 1702 and 100 < sum(expected) < 1700

    def cases(ending: str) -> str:
        curves = ["secp256k1", "p256", "sm2"]
        return "CASE tag " + " ".join(f"WHEN '{curve}' THEN {verify(curve, ending)}" for curve in curves) + " END"

    texts = "hex(digest) AS digest, '0x' || lower(hex(signature)) AS signature, hex(public_key) AS public_key"
    for cells in ["digest, signature, public_key", texts]:
        source = f"(SELECT {cells}, tag, row_number() OVER () AS row FROM '{SIGNATURES}')"
        rows = db.execute(f"SELECT {cases('')}, {cases('_reason')} FROM {source} ORDER BY row").fetchall()
        assert [valid for valid, _ in rows] == expected
        assert [reason is None for _, reason in rows] == expected
        assert any(reason == "the signature does not match" for _, reason in rows)


def test_the_table_of_bip340(db: duckdb.DuckDBPyConnection) -> None:
    with BIP340.open() as file:
        table = list(csv.DictReader(file))
    names = ["message", "signature", "public key"]
    rows = [[*(bytes.fromhex(row[name]) for name in names), row["verification result"] == "TRUE"] for row in table]
    # Alone, and in a chunk whose messages have several lengths.
    call = "SELECT bip340_verify(?::BLOB, ?, ?), bip340_verify_reason(?::BLOB, ?, ?) IS NULL"
    for *items, valid in rows:
        assert db.execute(call, items + items).fetchall() == [(valid, valid)], items
    db.execute("CREATE TABLE t (m BLOB, s BLOB, k BLOB, valid BOOLEAN)")
    db.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    assert one(db, "SELECT count(*) FROM t WHERE bip340_verify(m, s, k) = valid") == len(rows) == 19


def test_ed25519_by_every_rule(db: duckdb.DuckDBPyConnection) -> None:
    with gzip.open(ED25519, "rt") as file:
        cases = [json.loads(line) for line in file]
    # Messages of 32 bytes only, for the coalescer, and of all lengths.
    for among in [[case for case in cases if len(case["message"]) == 64], cases]:
        names = ["message", "signature", "public"]
        rows = [
            [bytes.fromhex(case[name]) for name in names] + [case[column] for column in RULES.values()]
            for case in among
        ]
        columns = [f'"{rule}" INT' for rule in RULES]
        db.execute(f"CREATE OR REPLACE TABLE t (m BLOB, s BLOB, k BLOB, {', '.join(columns)})")
        db.executemany(f"INSERT INTO t VALUES ({', '.join('?' * (3 + len(RULES)))})", rows)
        for rule in RULES:
            call = f"ed25519_verify('{rule}', m, s, k) = (\"{rule}\" = 1)"
            assert one(db, f"SELECT count(*) FROM t WHERE {call}") == len(rows) > 400
            reason = f"ed25519_verify_reason('{rule}', m, s, k)"
            assert one(db, f'SELECT count(*) FROM t WHERE ({reason} IS NULL) = ("{rule}" = 1)') == len(rows)
    small = "SELECT ed25519_verify_reason('strict', '', repeat('00', 64), '01' || repeat('00', 31))"
    assert "small order" in one(db, small)


def test_ed25519_in_the_variants_of_the_standard(db: duckdb.DuckDBPyConnection) -> None:
    cases = json.loads((ROOT / "tests/vectors/ed25519_rfc8032.json").read_text())
    names = ["message", "signature", "public"]
    rows = [[case["instance"], case["context"], *(bytes.fromhex(case[name]) for name in names)] for case in cases]
    db.execute("CREATE TABLE t (instance VARCHAR, context VARCHAR, m BLOB, s BLOB, k BLOB)")
    db.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
    assert len(rows) == 10
    contexts = {case["context"] for case in cases}
    for instance in ["Ed25519ctx", "Ed25519ph"]:
        for context in contexts:
            own = f"(instance = '{instance}' AND context = '{context}')"
            verify = f"{instance.lower()}_verify('strict', '{context}', m, s, k)"
            reason = f"{instance.lower()}_verify_reason('strict', '0x{context}', m, s, k)"
            assert one(db, f"SELECT count(*) FROM t WHERE {verify} = {own} AND ({reason} IS NULL) = {own}") == 10
    assert one(db, "SELECT count(*) FROM t WHERE ed25519_verify('strict', m, s, k)") == 5
    assert one(db, "SELECT bool_or(ed25519ph_verify('zip215', '', NULL, s, k)) FROM t") is False
    items = f"'', '{'ab' * 64}', '{'ab' * 32}'"
    assert one(db, f"SELECT ed25519ctx_verify('zip215', repeat('00', 255), {items})") is False
    assert "256 bytes" in refused(db, f"SELECT ed25519ctx_verify('zip215', repeat('00', 256), {items})")
    for context in ["'context'", "'abc'", "NULL", "c"]:
        error = refused(db, f"SELECT ed25519ph_verify('strict', {context}, {items}) FROM (VALUES ('beef')) t(c)")
        assert "`context` must be a text in the statement of hexadecimal digits" in error
    refused(db, f"SELECT ed25519ph_verify('strict', {items})")
    refused(db, f"SELECT ed25519cxt_verify('strict', '', {items})")


def test_digests_of_messages(db: duckdb.DuckDBPyConnection) -> None:
    message = b"Hello World"
    for name, digest in {
        "sha256": hashlib.sha256(message).digest(),
        "SHA-384": hashlib.sha384(message).digest()[:32],
        # The example in ethers' documentation.
        "eip191": bytes.fromhex("a1de988600a42c4b4ab089b619297c17d53cffae5d5120d82d8a92d0bb3b78f2"),
    }.items():
        for column in ["encode('Hello World')", f"'{message.hex()}'", f"'0x{message.hex()}'"]:
            assert one(db, f"SELECT message_digest('{name}', {column})") == digest
    db.execute("CREATE TABLE t AS SELECT encode('message ' || i) AS m, sha256('message ' || i) AS d FROM range(9000) r(i)")
    assert one(db, "SELECT count(*) FROM t WHERE hex(message_digest('sha256', m)) = upper(d)") == 9000
    assert one(db, "SELECT message_digest('none', unhex(repeat('ab', 32)))") == b"\xab" * 32
    assert one(db, "SELECT message_digest('none', unhex(repeat('ab', 31)))") is None
    assert one(db, "SELECT message_digest_reason('none', encode('a'))") == "`message` has the wrong length"
    assert one(db, "SELECT message_digest('sha256', NULL)") is None
    # The types of subqueries are known late.
    assert one(db, "SELECT message_digest('sha256', (SELECT ''::BLOB))") == hashlib.sha256().digest()
    assert "`message` is neither" in refused(db, "SELECT message_digest('sha256', (SELECT 0.5))")
    assert one(db, "SELECT message_digest_reason('sha256', 'Hello World')") == "`message` is not hexadecimal"
    assert "no hash is called `md5`; the hashes are sha256" in refused(db, "SELECT message_digest('md5', '')")


def test_signatures_in_der(db: duckdb.DuckDBPyConnection) -> None:
    # r and s in DER: without leading zeros, except one if the first bit is set.
    db.execute("""CREATE MACRO number(x) AS (WITH d AS (SELECT ltrim(hex(x), '0') AS h),
        e AS (SELECT CASE WHEN length(h) % 2 = 1 THEN '0' || h WHEN h[1] >= '8' THEN '00' || h ELSE h END AS h FROM d)
        SELECT '02' || printf('%02x', length(h) // 2) || h FROM e)""")
    db.execute("""CREATE MACRO der(s) AS (WITH n AS (SELECT number(s[1:32]) || number(s[33:64]) AS h)
        SELECT unhex('30' || printf('%02x', length(h) // 2) || h) FROM n)""")
    for curve in ["secp256k1", "sm2"]:
        source = f"(SELECT *, der(signature) AS der FROM '{SIGNATURES}' WHERE tag = '{curve}')"
        both = f"SELECT {verify(curve)} AS v, {verify(curve, form='der')} AS d FROM {source}"
        counts = f"SELECT count(*), count(*) FILTER (v), count(*) FILTER (v = d) FROM ({both})"
        rows, valid, equal = db.execute(counts).fetchall()[0]
        assert rows == equal and 10 < valid < rows
    reason = one(db, "SELECT ecdsa_verify_der_reason('p256', repeat('ab', 32), 'beef', repeat('ab', 33))")
    assert "strict DER" in reason


def test_keys_are_recovered(db: duckdb.DuckDBPyConnection) -> None:
    db.execute(f"CREATE TABLE t AS FROM '{SIGNATURES}' WHERE tag = 'secp256k1' AND {verify('secp256k1')}")

    def key(v: str) -> str:
        return f"ecdsa_recover('secp256k1', digest, signature, {v})"

    def is_signer(v: str) -> str:
        return f"eth_address(public_key) = eth_address({key(v)})"

    assert one(db, f"SELECT bool_and({is_signer('0')} OR {is_signer('true')}) FROM t")
    valid = f"SELECT DISTINCT ecdsa_verify('secp256k1', digest, signature, {key('27')}) FROM t"
    assert one(db, valid)
    assert one(db, f"SELECT DISTINCT octet_length({key('28')}) FROM t") == 65
    with_v = "ecdsa_recover('secp256k1', digest, signature || '\\x1B'::BLOB)"
    assert one(db, f"SELECT bool_and({with_v} = {key('27::UTINYINT')}) FROM t")
    assert one(db, f"SELECT count({key('NULL')}) FROM t") == 0
    assert one(db, "SELECT DISTINCT ecdsa_recover_reason('secp256k1', digest, signature, 9) FROM t") is not None
    # The public key of the secret key 1.
    generator = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    assert one(db, f"SELECT hex(eth_address('{generator}'))") == "7E5F4552091A69125D5DFCB7B8C2659029395BDF"
    assert one(db, f"SELECT eth_address(unhex('{generator}')[1:32])") is None


def test_signatures_of_other_forms(db: duckdb.DuckDBPyConnection) -> None:
    # The example of a signed message in the README of bitcoinjs-message, whose key is compressed.
    message = "'This is an example of a signed message.'"
    exported = "H9L5yLFjti0QTHhPyFrZCT1V/MMnBtXKmoiKDZ78NDBjERki6ZTQZdSMCtkgoNmp17By9ItJr8o7ChX0XxY91nk="
    signature = f"from_base64('{exported}')"
    digest = f"message_digest('bitcoin-message', encode({message}))"
    key = f"ecdsa_recover_form('secp256k1', 'header-first', {digest}, {signature})"
    known = "04A34B99F22C790C4E36B2B3C2C35A36DB06226E41C692FC82B8B56AC1C540C5BD"
    known += "5B8DEC5235A0FA8722476C7709C02559E3AA73AA03918BA2D492EEA75ABEA235"
    assert one(db, f"SELECT hex({key})") == known
    assert one(db, f"SELECT ecdsa_verify_form('secp256k1', 'header-first', {digest}, {signature}, '{known}')")
    assert one(db, f"SELECT ecdsa_recover('secp256k1', {digest}, {signature})") is None
    reason = one(db, f"SELECT ecdsa_recover_reason('secp256k1', {digest}, {signature})")
    assert "looks like a header-first signature" in reason
    # EIP-2098: the recovery id of the other is the top bit of s.
    eip191 = "message_digest('eip191', encode('It''s a small(er) world'))"
    compact = "9328da16089fcba9bececa81663203989f2df5fe1faa6291a45381c81bd17f76"
    compact += "939c6d6b623b42da56557e5e734a43dc83345ddfadec52cbe24d0cc64f550793"
    signer = f"eth_address(ecdsa_recover_form('secp256k1', 'eip2098', {eip191}, '{compact}'))"
    assert one(db, f"SELECT hex({signer})") == "2E988A386A799F506693793C6A5AF6B54DFAABFB"


def test_malformed_items_are_not_valid(db: duckdb.DuckDBPyConnection) -> None:
    names = ["digest", "signature", "public_key"]
    source = f"SELECT {', '.join(names)} FROM '{SIGNATURES}' WHERE tag = 'p256' AND {verify('p256')} LIMIT 1"
    good = db.execute(source).fetchall()[0]
    for place, name in enumerate(names):
        for bad in [None, b"", b"\0" * 31, b"\xff" * 500]:
            row = [bad if at == place else cell for at, cell in enumerate(good)]
            db.execute("CREATE OR REPLACE TABLE bad (digest BLOB, signature BLOB, public_key BLOB)")
            db.executemany("INSERT INTO bad VALUES (?, ?, ?)", [row, good, row])
            rows = db.execute(f"SELECT {verify('p256')}, {verify('p256', '_reason')} FROM bad").fetchall()
            assert [valid for valid, _ in rows] == [False, True, False]
            assert rows[1][1] is None
            if bad is None:
                assert rows[0][1] == f"`{name}` is null"
            elif name != "public_key":
                assert rows[0][1] == f"`{name}` has the wrong length"
            assert one(db, f"SELECT count(*) FROM bad WHERE NOT {verify('p256')}") == 2
    texts = [cell.hex() for cell in good]
    call = "SELECT ecdsa_verify('p256', ?, ?, ?)"
    assert one(db, call, *texts)
    assert one(db, call, "0x" + texts[0].upper(), *texts[1:])
    for bad in ["", "0x", "g" * 64, texts[0][:-1], "é" * 32]:
        assert one(db, call, bad, *texts[1:]) is False
    assert one(db, "SELECT ecdsa_verify_reason('p256', NULL, NULL, NULL)") == "`digest` is null"
    assert db.execute(f"SELECT {verify('p256')} FROM '{SIGNATURES}' WHERE false").fetchall() == []


def test_statements_that_are_wrong(db: duckdb.DuckDBPyConnection) -> None:
    items = f"'{'ab' * 32}', '{'ab' * 64}', '{'ab' * 33}'"
    known = "the curves are 'brainpoolp256r1', 'p256', 'secp256k1'"
    assert known in refused(db, f"SELECT ecdsa_verify('p384', {items})")
    assert "sm2_verify" in refused(db, f"SELECT ecdsa_verify('sm2', {items})")
    for curve in ["c", "NULL"]:
        error = refused(db, f"SELECT ecdsa_verify({curve}, {items}) FROM (VALUES ('p256')) t(c)")
        assert "must be a text in the statement" in error
    assert "`digest` is Int64, but must be" in refused(db, "SELECT sm2_verify(1, 'ab', 'ab')")
    recover = f"SELECT ecdsa_recover('p256', '{'ab' * 32}', '{'ab' * 64}', '\\x01'::BLOB)"
    assert "`recovery_id` is LargeBinary" in refused(db, recover)
    form = f"'{'ab' * 32}', '{'ab' * 65}', '{'ab' * 33}'"
    unknown = f"SELECT ecdsa_verify_form('p256', 'compact', {form})"
    assert "no signature form is called `compact`" in refused(db, unknown)
    assert "on secp256k1" in refused(db, f"SELECT ecdsa_verify_form('p256', 'der-hash-type', {form})")
    message = f"'{'ab' * 3}', '{'ab' * 64}', '{'ab' * 32}'"
    known = "no rule of Ed25519 is called `go`; the rules are cofactorless, strict, libsodium, zip215, rfc8032"
    assert known in refused(db, f"SELECT ed25519_verify('go', {message})")
    for rule in ["c", "NULL"]:
        error = refused(db, f"SELECT ed25519_verify({rule}, {message}) FROM (VALUES ('strict')) t(c)")
        assert "`rule` must be a text in the statement" in error
    # There is no default rule.
    refused(db, f"SELECT ed25519_verify({message})")
    refused(db, "SELECT eth_address([1])")
    refused(db, "SELECT eth_address(1.5)")
    refused(db, "SELECT ecdsa_verify('p256')")
