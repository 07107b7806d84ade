"""Record batches: the answers are those of the command on the same files."""

import csv
import multiprocessing
import pickle
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import gecc
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from gecc import arrow

from support import ROOT, compressed, random_rows, records, signed, vectors

SIGNATURES = ROOT / "crates" / "gecc-arrow" / "tests" / "data" / "signatures.parquet"


def column(rows: Any, data_type: pa.DataType) -> pa.Array:
    return pa.array([None if row is None else bytes(row) for row in rows], data_type)


def batch_of(curve: str, items: int) -> pa.RecordBatch:
    """Signed and corrupted items, with nulls, malformed cells and keys of two widths."""
    batch = signed(curve, items)
    digests, signatures = list(batch.digests), list(batch.signatures)
    keys = [
        short if item % 2 else key
        for item, (short, key) in enumerate(zip(compressed(batch.public_keys), batch.public_keys))
    ]
    digests[3::17] = [None] * len(digests[3::17])
    signatures[5::19] = [None] * len(signatures[5::19])
    keys[7::23] = [b"\2"] * len(keys[7::23])
    columns = {
        "row": pa.array(range(items)),
        "digest": column(digests, pa.binary(32)),
        "signature": column(signatures, pa.binary(64)),
        "public_key": column(keys, pa.binary()),
        "v": pa.array([item % 5 for item in range(items)], pa.uint8()),
    }
    return pa.record_batch(columns)


def as_chains_store_it(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same with other names and types: hexadecimal text, r and s, 27 and 28."""
    halves: list[list[bytes | None]] = [
        [cell and cell[part] for cell in batch["signature"].to_pylist()] for part in (slice(32), slice(32, 64))
    ]
    columns = {
        "hash": pa.array([cell and "0x" + cell.hex() for cell in batch["digest"].to_pylist()], pa.large_string()),
        "r": column(halves[0], pa.binary_view()),
        "s": column(halves[1], pa.large_binary()),
        "V": pa.array([27 + v for v in batch["v"].to_pylist()], pa.int64()),
        "pk": batch["public_key"],
    }
    return pa.record_batch(columns)


def private_keys(items: int) -> pa.RecordBatch:
    keys = list(random_rows(items, 32))
    keys[2::5] = [None] * len(keys[2::5])
    keys[3::7] = [bytes(32)] * len(keys[3::7])
    return pa.record_batch({"message": column(random_rows(items, 9), pa.binary()), "sk": column(keys, pa.binary())})


def seeds(items: int) -> pa.RecordBatch:
    """All of which are private keys of Ed25519, but for nulls and those of another length."""
    keys = list(random_rows(items, 32))
    keys[2::5] = [None] * len(keys[2::5])
    keys[3::7] = [bytes(31)] * len(keys[3::7])
    return pa.record_batch({"message": column(random_rows(items, 9), pa.binary()), "sk": column(keys, pa.binary())})


def messages(items: int) -> pa.RecordBatch:
    """Messages and ids for SM2, some of them the default id."""
    texts, ids = random_rows(items, 20), [None if item % 3 else f"user {item}" for item in range(items)]
    secret_keys, public_keys = gecc.generate_keys("sm2", items)
    signatures, _ = gecc.sign_messages("sm2", [text.tobytes() for text in texts], secret_keys, user_ids=ids)
    signatures[::4, 9] ^= 1
    columns = {
        "message": column(texts, pa.binary()),
        "sm2_id": pa.array(ids),
        "sig": column(signatures, pa.binary(64)),
        "pubkey": column(public_keys, pa.binary(64)),
    }
    return pa.record_batch(columns)


def signed_texts(texts: list[bytes], signatures: Any, keys: list[bytes]) -> pa.RecordBatch:
    """Some of the messages are null."""
    messages: list[bytes | None] = list(texts)
    messages[3::17] = [None] * len(messages[3::17])
    columns = {
        "message": column(messages, pa.binary()),
        "signature": column(signatures, pa.binary(64)),
        "public_key": column(keys, pa.binary()),
    }
    return pa.record_batch(columns)


def of_ed25519(texts: list[bytes], context: bytes | None = None, prehashed: bool = False) -> pa.RecordBatch:
    """Signatures of Ed25519 over messages, a quarter of them corrupted, with nulls, keys in PEM and of small order."""
    seeds = random_rows(len(texts), 32)
    signatures, ok = gecc.ed25519_sign(texts, seeds, context=context, prehashed=prehashed)
    assert ok.all()
    signatures[::4, 40] ^= 1
    public = gecc.ed25519_public_keys(seeds)[0]
    header = bytes.fromhex("302a300506032b6570032100")
    keys = [header + row.tobytes() if item % 5 == 0 else row.tobytes() for item, row in enumerate(public)]
    keys[1] = bytes([1]) + bytes(31)
    return signed_texts(texts, signatures, keys)


def of_bip340(texts: list[bytes]) -> pa.RecordBatch:
    """Signatures of BIP 340 over messages, a quarter of them corrupted, with nulls and keys of two widths."""
    secret_keys, points = gecc.generate_keys("secp256k1", len(texts))
    signatures, ok = gecc.bip340_sign_messages(texts, secret_keys)
    assert ok.all()
    signatures[::4, 40] ^= 1
    short = compressed(points)
    keys = [row if item % 5 == 0 else row[1:] for item, row in enumerate(short)]
    return signed_texts(texts, signatures, keys)


CHAIN = "digest=hash,r=r,s=s,v=V,public_key=pk"
CASES: dict[str, tuple[arrow.Operation, pa.RecordBatch, list[str]]] = {
    "verify": (arrow.Verify("secp256k1"), batch_of("secp256k1", 300), ["verify"]),
    "verify, low s": (arrow.Verify("p256", low_s=True), batch_of("p256", 300), ["verify", "--low-s"]),
    "verify, brainpool": (arrow.Verify("brainpoolp256r1"), batch_of("brainpoolp256r1", 50), ["verify"]),
    "verify, SM2": (arrow.Verify("sm2"), batch_of("sm2", 300), ["verify"]),
    "verify, SM2 messages": (arrow.Verify("sm2"), messages(90), ["verify"]),
    "verify, columns": (
        arrow.Verify("secp256k1", columns=CHAIN),
        as_chains_store_it(batch_of("secp256k1", 300)),
        ["verify", "--columns", CHAIN],
    ),
    "verify, BIP 340": (
        arrow.VerifyBip340(),
        of_bip340([row.tobytes() for row in random_rows(300, 32)]),
        ["verify", "--scheme", "bip340"],
    ),
    "verify, BIP 340, messages of any length": (
        arrow.VerifyBip340(),
        of_bip340([row[: item % 90].tobytes() for item, row in enumerate(random_rows(300, 90))]),
        ["verify", "--scheme", "bip340"],
    ),
    "verify, in groups": (
        arrow.Verify("secp256k1", threads=1, batch_verification=True),
        batch_of("secp256k1", 3000),
        ["verify", "--batch-verification"],
    ),
    "verify, SM2": (
        arrow.Verify("sm2p256v1"),
        batch_of("sm2", 50),
        ["verify"],
    ),
    "verify, BIP 340, in groups": (
        arrow.VerifyBip340(threads=1, batch_verification=True),
        of_bip340([row.tobytes() for row in random_rows(3000, 32)]),
        ["verify", "--scheme", "bip340", "--batch-verification"],
    ),
    "verify, Ed25519": (
        arrow.VerifyEd25519(rule="strict"),
        of_ed25519([row[: item % 90].tobytes() for item, row in enumerate(random_rows(300, 90))]),
        ["verify", "--scheme", "ed25519", "--rule", "strict"],
    ),
    "verify, Ed25519, in groups": (
        arrow.VerifyEd25519(rule="zip215", threads=1, batch_verification=True),
        of_ed25519([row.tobytes() for row in random_rows(3000, 32)]),
        ["verify", "--scheme", "ed25519", "--rule", "zip215", "--batch-verification"],
    ),
    "verify, Ed25519ctx": (
        arrow.VerifyEd25519(rule="strict", context=b"of rows"),
        of_ed25519([row[: item % 90].tobytes() for item, row in enumerate(random_rows(300, 90))], b"of rows"),
        ["verify", "--scheme", "ed25519", "--rule", "strict", "--context", b"of rows".hex()],
    ),
    "verify, Ed25519ph, in groups": (
        arrow.VerifyEd25519(rule="zip215", prehashed=True, threads=1, batch_verification=True),
        of_ed25519([row.tobytes() for row in random_rows(3000, 32)], prehashed=True),
        ["verify", "--scheme", "ed25519", "--rule", "zip215", "--prehashed", "--batch-verification"],
    ),
    "recover": (arrow.Recover("p256"), batch_of("p256", 100), ["recover"]),
    "recover, columns": (
        arrow.Recover("secp256k1", columns=CHAIN),
        as_chains_store_it(batch_of("secp256k1", 100)),
        ["recover", "--columns", CHAIN],
    ),
    "addresses": (arrow.RecoverAddresses(), batch_of("secp256k1", 300), ["recover", "--addresses"]),
    "sign": (arrow.Sign("p256"), private_keys(60), ["sign"]),
    "sign, DER": (arrow.Sign("sm2", der=True), private_keys(60), ["sign", "--der"]),
    "sign, recoverable": (
        arrow.Sign("secp256k1", recoverable=True, check_signatures=True),
        private_keys(60),
        ["sign", "--recoverable", "--check-signatures"],
    ),
    "sign, additional data": (
        arrow.Sign("p256", additional_data=bytes(range(32))),
        private_keys(60),
        ["sign", "--additional-data", bytes(range(32)).hex()],
    ),
    "sign, BIP 340": (
        arrow.SignBip340(auxiliary=bytes(range(32)), check_signatures=True),
        private_keys(60),
        ["sign", "--scheme", "bip340", "--auxiliary", bytes(range(32)).hex(), "--check-signatures"],
    ),
    "sign, Ed25519": (
        arrow.SignEd25519(check_signatures=True),
        seeds(60),
        ["sign", "--scheme", "ed25519", "--check-signatures"],
    ),
    "sign, Ed25519ctx": (
        arrow.SignEd25519(context=b""),
        seeds(60),
        ["sign", "--scheme", "ed25519", "--context", ""],
    ),
    "sign, Ed25519ph": (
        arrow.SignEd25519(context=bytes(255), prehashed=True),
        seeds(60),
        ["sign", "--scheme", "ed25519", "--context", bytes(255).hex(), "--prehashed"],
    ),
    "public keys, Ed25519": (arrow.PublicKeysEd25519(), seeds(60), ["pubkey", "--scheme", "ed25519"]),
    "public keys, X25519": (arrow.PublicKeysX25519(), seeds(60), ["pubkey"]),
    "public keys": (arrow.PublicKeys("p256", compressed=True), private_keys(60), ["pubkey", "--compressed"]),
}


def of_command(arguments: list[str], curve: str, file: Path) -> pa.Table:
    """The command's answers for the rows of a Parquet file."""
    answers = file.with_suffix(".answers.parquet")
    on = [] if curve == "ed25519" else ["--curve", curve]
    done = subprocess.run(["gecc", *arguments, *on, "--quiet", "-o", str(answers), str(file)], check=False)
    assert done.returncode in (0, 1)
    return pq.read_table(answers)


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_answers_are_those_of_the_command(case: str, beside: bool, tmp_path: Path) -> None:
    operation, batch, arguments = CASES[case]
    operation = replace(operation, beside=beside)
    file = tmp_path / "items.parquet"
    pq.write_table(pa.Table.from_batches([batch]), file)
    expected = of_command([*arguments, *(["--beside"] if beside else [])], operation.curve, file)
    found = operation(batch)
    assert found.schema.names == expected.schema.names
    assert found.to_pylist() == expected.to_pylist()
    assert found.num_rows == batch.num_rows
    assert len(set(found["reason"].to_pylist()) - {None}) >= (1 if "SM2 messages" in case else 2)
    assert found["reason"].null_count > 0
    assert found.schema == operation.schema(batch.schema)
    assert "sk" not in found.schema.names


@pytest.mark.parametrize("curve", ["secp256k1", "p256", "sm2"])
def test_real_signatures(curve: str, tmp_path: Path) -> None:
    file = tmp_path / SIGNATURES.name
    shutil.copy(SIGNATURES, file)
    expected = of_command(["verify"], curve, file)
    found = arrow.Verify(curve)(pq.read_table(file))
    assert found.to_pylist() == expected.to_pylist()
    assert 0 < sum(found["valid"].to_pylist()) < found.num_rows == 1702


def test_the_table_of_bip340() -> None:
    with (ROOT / "tests" / "vectors" / "bip340_test_vectors.csv").open() as file:
        rows = list(csv.DictReader(file))
    columns = {"msg": "message", "sig": "signature", "pk": "public key"}
    batch = pa.record_batch({name: pa.array([row[of] for row in rows]) for name, of in columns.items()})
    found = arrow.VerifyBip340()(batch)
    assert found["valid"].to_pylist() == [row["verification result"] == "TRUE" for row in rows]
    signers = [row for row in rows if row["secret key"]]
    assert len(signers) == 8
    for row in signers:
        operation = arrow.SignBip340(auxiliary=bytes.fromhex(row["aux_rand"]))
        made = operation(pa.record_batch({"msg": [row["message"]], "sk": [row["secret key"]]}))
        assert made["signature"].to_pylist() == [bytes.fromhex(row["signature"])]


def test_bip340_with_fresh_auxiliary_data() -> None:
    secret_keys, points = gecc.generate_keys("secp256k1", 20)
    batch = pa.record_batch(
        {"digest": column(random_rows(20, 32), pa.binary(32)), "sk": column(secret_keys, pa.binary())}
    )
    first, second = (arrow.SignBip340(beside=True)(batch) for _ in range(2))
    assert all(a != b for a, b in zip(first["signature"].to_pylist(), second["signature"].to_pylist(), strict=True))
    signed = first.append_column("pk", column(points[:, :32], pa.binary(32)))
    assert arrow.VerifyBip340()(signed)["valid"].to_pylist() == [True] * 20
    with pytest.raises(ValueError, match="auxiliary: 31 bytes, not 32"):
        arrow.SignBip340(auxiliary=bytes(31))
    assert "auxiliary" not in repr(arrow.SignBip340(auxiliary=bytes(32)))
    with pytest.raises(ValueError, match="additional_data: 33 bytes, not 32"):
        arrow.Sign("p256", additional_data=bytes(33))
    assert "additional_data" not in repr(arrow.Sign("p256", additional_data=bytes(32)))


def test_groups_are_refused_where_they_have_no_effect() -> None:
    batch = batch_of("sm2", 20)
    with pytest.raises(ValueError, match="batch_verification: for ECDSA; SM2 has none"):
        arrow.Verify("sm2p256v1", batch_verification=True)(batch)


def test_ed25519_takes_its_rule_and_no_other_signatures() -> None:
    batch = of_ed25519([b"text"] * 20)
    with pytest.raises(TypeError, match="rule"):
        arrow.VerifyEd25519()  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="rule: no rule of Ed25519 is called `go`; the rules are cofactorless, strict"):
        arrow.VerifyEd25519(rule="go")(batch)
    with pytest.raises(ValueError, match="batch_verification: for rules with the cofactor, and strict has none"):
        arrow.VerifyEd25519(rule="strict", batch_verification=True)(batch)
    longer = pa.array([row + b"\0" for row in batch["signature"].to_pylist()])
    found = arrow.VerifyEd25519(rule="zip215")(batch.set_column(1, "signature", longer))
    assert set(found["reason"].to_pylist()) == {"`message` is null", "`signature` has the wrong length"}


@pytest.mark.parametrize("case", vectors("ed25519_rfc8032.json")[5:])
def test_ed25519_in_the_variants_of_the_standard(case: dict[str, str]) -> None:
    prehashed = case["instance"] == "Ed25519ph"
    context = None if prehashed else bytes.fromhex(case["context"])
    fields = {"message": "message", "secret_key": "secret", "public_key": "public", "signature": "signature"}
    batch = pa.record_batch({field: pa.array([bytes.fromhex(case[name])]) for field, name in fields.items()})
    signed = arrow.SignEd25519(context=context, prehashed=prehashed)(batch)
    assert signed["signature"].to_pylist() == batch["signature"].to_pylist()
    verify = arrow.VerifyEd25519(rule="strict", context=context, prehashed=prehashed)
    others = [replace(verify, context=b"other"), replace(verify, prehashed=not prehashed)]
    others.append(arrow.VerifyEd25519(rule="strict"))
    assert [operation(batch)["valid"].to_pylist() for operation in [verify, *others]] == [[True], *[[False]] * 3]
    assert pickle.loads(pickle.dumps(verify)) == verify


def test_contexts_of_ed25519_have_at_most_255_bytes() -> None:
    batch = of_ed25519([b"text"] * 2)
    for operation in (arrow.VerifyEd25519(rule="strict", context=bytes(256)), arrow.SignEd25519(context=bytes(256))):
        with pytest.raises(ValueError, match="context: .*256 bytes"):
            operation.schema(batch.schema)
    with pytest.raises(TypeError, match="context"):
        arrow.SignEd25519(context="text")(batch)  # type: ignore[arg-type]


@pytest.mark.parametrize("change", [0, 1, 9])
def test_recovery_ids_decide_no_verdict(change: int) -> None:
    items = 2500
    secret_keys, points = gecc.generate_keys("p256", items)
    digests = random_rows(items, 32)
    signatures, ids, _ = gecc.sign_recoverable("p256", digests, secret_keys)
    digests[1234, 5] ^= 1
    batch = pa.record_batch(
        {
            "digest": column(digests, pa.binary(32)),
            "signature": column(signatures, pa.binary(64)),
            "public_key": column(points, pa.binary(64)),
            "recovery_id": pa.array(ids ^ change),
        }
    )
    verdicts = arrow.Verify("p256", threads=1, batch_verification=True)(batch)["valid"].to_pylist()
    assert verdicts == [item != 1234 for item in range(items)]


def test_keys_in_their_short_form() -> None:
    batch = batch_of("secp256k1", 60)
    keys = arrow.Recover("secp256k1")(batch)["public_key"].to_pylist()
    points = [key and bytes([2 + (key[64] & 1)]) + key[1:33] for key in keys]
    assert arrow.Recover("secp256k1", compressed=True)(batch)["public_key"].to_pylist() == points


class Read:
    """Batches, and how many of them were read."""

    def __init__(self, batches: list[pa.RecordBatch]) -> None:
        self.batches = batches
        self.count = 0

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for batch in self.batches:
            self.count += 1
            yield batch


@pytest.mark.parametrize("gather", [1, 100, 1 << 18])
def test_each_gathers_and_answers_in_order(gather: int) -> None:
    batch = batch_of("p256", 400)
    places = [0, 0, 7, 7, 90, 91, 200, 399, 400, 400]
    batches = Read([batch.slice(start, end - start) for start, end in pairwise(places)])
    operation = arrow.Verify("p256", beside=True, gather=gather)
    answers = operation.each(batches)
    found = [next(answers)]
    # The number of batches with 1, 100 or all rows in total.
    assert batches.count == {1: 2, 100: 6}.get(gather, 9)
    found += answers
    assert [answer.num_rows for answer in found] == [piece.num_rows for piece in batches.batches]
    assert pa.Table.from_batches(found).to_pylist() == operation(batch).to_pylist()
    assert list(operation.each([])) == []


def test_batches_with_private_keys_are_computed_one_by_one() -> None:
    batch = private_keys(50)
    operation = arrow.Sign("p256")
    found = list(operation.each([batch.slice(0, 20), batch.slice(20)]))
    assert [answer.num_rows for answer in found] == [20, 30]
    assert pa.Table.from_batches(found).to_pylist() == operation(batch).to_pylist()


def test_large_batches_are_computed_in_pieces() -> None:
    """An engine of one thread computes 2^14 rows at a time."""
    batch = pa.concat_batches([batch_of("secp256k1", 900)] * 19)
    one, more = arrow.Verify("secp256k1", threads=1), arrow.Verify("secp256k1", threads=2)
    assert batch.num_rows > 1 << 14
    assert one(batch).equals(more(batch))


def test_columns_of_more_than_2_gib_are_computed_batch_by_batch() -> None:
    length = 1200 << 20
    offsets, value = pa.py_buffer(bytes(4) + length.to_bytes(4, "little")), pa.py_buffer(bytes(length))
    long = pa.Array.from_buffers(pa.binary(), 1, [None, offsets, value])
    batch = pa.record_batch([pa.array([bytes(32)]), long, pa.array([bytes(64)])], ["digest", "signature", "public_key"])
    answers = pa.Table.from_batches(arrow.Verify("p256").each([batch, batch]))
    assert answers["reason"].to_pylist() == ["`signature` has the wrong length"] * 2


def test_tables_frames_and_relations() -> None:
    batch = batch_of("p256", 300)
    operation = arrow.Verify("p256", gather=50)
    expected = operation(batch).to_pylist()
    table = pa.Table.from_batches([batch.slice(0, 10), batch.slice(10, 280), batch.slice(290)])
    for rows in (table, polars.DataFrame(table), duckdb.from_arrow(table)):
        assert operation(rows).to_pylist() == expected
    assert operation(table.schema.empty_table()).schema == operation.schema(batch.schema)
    struct = Exporter(batch.to_struct_array())
    assert operation(struct).to_pylist() == expected
    named = batch.replace_schema_metadata({"made by": "a test"})
    assert arrow.Verify("p256", beside=True)(named).schema.metadata == named.schema.metadata


class Exporter:
    """A batch of a library that is neither pyarrow nor polars."""

    def __init__(self, array: pa.Array) -> None:
        self.array = array

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self.array.__arrow_c_array__(requested_schema)  # type: ignore[no-any-return]


def test_plain_answers() -> None:
    batch = batch_of("secp256k1", 90)
    found = arrow.RecoverAddresses(plain=True, beside=True)(batch)
    types = {field.name: field.type for field in found.schema}
    assert (types["address"], types["reason"], types["digest"]) == (pa.binary(), pa.string(), pa.binary())
    assert found.to_pylist() == arrow.RecoverAddresses(beside=True)(batch).to_pylist()


def test_names_that_are_taken() -> None:
    batch = batch_of("p256", 9).append_column("valid", pa.array(range(9)))
    found = arrow.Verify("p256", beside=True)(batch)
    assert found.schema.names[-3:] == ["valid", "gecc_valid", "reason"]
    assert found["valid"].to_pylist() == list(range(9))


def test_errors_that_concern_all_rows_are_raised() -> None:
    batch = batch_of("p256", 20)
    with pytest.raises(ValueError, match="no column has the name of `public_key`; the columns are digest, signature"):
        arrow.Verify("p256")(batch.drop_columns("public_key"))
    with pytest.raises(ValueError, match="no column `x` for `digest`; the columns are row, digest"):
        arrow.Verify("p256", columns="digest=x")(batch)
    with pytest.raises(ValueError, match="no field `nothing`"):
        arrow.Verify("p256", columns="nothing=x").schema(batch.schema)
    with pytest.raises(ValueError, match="`row` is Int64, but `digest` is 32 bytes"):
        arrow.Verify("p256", columns="digest=row").schema(batch.schema)
    with pytest.raises(ValueError, match="curve: no curve is called `p255`"):
        arrow.Verify("p255")(batch)
    with pytest.raises(ValueError, match="SM2 has no recovery"):
        arrow.Recover("sm2")(batch)
    with pytest.raises(ValueError, match="batch 1 has other columns, or other types, than batch 0"):
        list(arrow.Verify("p256").each([batch, batch.drop_columns("row")]))
    with pytest.raises(ValueError, match="gather"):
        arrow.Verify("p256", gather=0)


def test_operations_are_values() -> None:
    for operation, batch, _ in CASES.values():
        copy = pickle.loads(pickle.dumps(operation))
        assert copy == operation
        assert hash(copy) == hash(operation)
        assert copy(batch).equals(operation(batch))
    assert arrow.Verify("p256") != arrow.Verify("p256", low_s=True)


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("threads", [None, 1])
def test_workers_make_engines_of_their_own(method: str, threads: int | None) -> None:
    if method == "fork" and gecc.Engine.default().devices:
        pytest.skip("a process that uses GPUs cannot fork workers that do")
    batch = batch_of("p256", 3000)
    operation = arrow.Verify("p256", threads=threads)
    expected = operation(batch).to_pylist()
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map(operation, [batch.slice(0, 1500), batch.slice(1500)])
    assert [row for part in found for row in part.to_pylist()] == expected


GPUS = """
import os, gecc, pyarrow as pa
from gecc import arrow
operation, batch = arrow.PublicKeys("p256"), pa.record_batch({"sk": [bytes(31) + bytes([7])]})
operation.schema(batch.schema)
arrow.use_gpus([])
arrow.use_gpus(iter([]))
assert os.environ["CUDA_VISIBLE_DEVICES"] == ""
assert operation(batch)["reason"].to_pylist() == [None]
assert gecc.Engine.default().backend == "cpu"
arrow.use_gpus([])
try:
    arrow.use_gpus([1, "2"])
    raise SystemExit("chosen too late")
except gecc.GeccError as problem:
    assert "with other GPUs than '1,2'" in str(problem), problem
child = os.fork()
if child == 0:
    arrow.use_gpus([1, "2"])
    os._exit(0 if os.environ["CUDA_VISIBLE_DEVICES"] == "1,2" else 1)
assert os.waitpid(child, 0)[1] == 0
"""


def test_a_column_without_a_type_has_no_values() -> None:
    table = pa.Table.from_batches([batch_of("p256", 4)])
    table = table.set_column(table.schema.get_field_index("signature"), "signature", pa.nulls(4))
    assert arrow.Verify("p256")(table)["valid"].to_pylist() == [False] * 4


def test_threads_that_come_at_once_have_one_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def make(**options: Any) -> gecc.Engine:
        time.sleep(0.1)
        made.append(gecc.Engine(**options))
        return made[-1]

    monkeypatch.setattr(arrow, "Engine", make)
    batch, verify = batch_of("p256", 4), arrow.Verify("p256", backend="cpu", threads=7)
    with ThreadPoolExecutor(4) as pool:
        assert len(list(pool.map(verify, [batch] * 4))) == 4
    assert len(made) == 1


STREAM = """
import gecc, io, pyarrow as pa, pyarrow.dataset as ds, pyarrow.parquet as pq, time

class Slow(io.BytesIO):
    def read(self, *size):
        time.sleep(0.02)
        return super().read(*size)

file = io.BytesIO()
pq.write_table(pa.table({"digest": pa.array([bytes(32)] * 3000, pa.binary(32))}), file, row_group_size=100)
options = ds.ParquetFragmentScanOptions(pre_buffer=False)
fragment = ds.ParquetFileFormat().make_fragment(Slow(file.getvalue()))
reader = fragment.scanner(fragment_scan_options=options).to_reader()

class Stream:
    def __arrow_c_stream__(self, requested_schema=None):
        return reader.__arrow_c_stream__()

assert len(gecc.verify("p256", Stream(), bytes(64), bytes(64))) == 3000
"""


def test_streams_may_read_by_python_in_other_threads() -> None:
    subprocess.run([sys.executable, "-c", STREAM], check=True, timeout=120)


def test_gpus_are_chosen_before_the_first_operation() -> None:
    subprocess.run([sys.executable, "-c", GPUS], check=True, timeout=120)


def test_real_blocks_in_hexadecimal() -> None:
    items = records("ethereum_blocks.jsonl")
    batch = pa.RecordBatch.from_pylist(items)
    assert arrow.Verify("secp256k1")(batch)["valid"].to_pylist() == [True] * 530
    keys = arrow.Recover("secp256k1")(batch)["public_key"].to_pylist()
    assert [key.hex() for key in keys] == [item["public_key"] for item in items]
