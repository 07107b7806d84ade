"""Adversarial arguments: calls raise errors, and the process continues.

All run in one child with little address space, so that an argument that is not rejected ends only the child.
"""

import json
import subprocess
import sys

import pytest

PRELUDE = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
import gecc, numpy as np, pyarrow as pa, pyarrow.ipc as ipc
from gecc import arrow
from numpy.lib.stride_tricks import as_strided

engine = gecc.Engine(backend="cpu", threads=2)
secret_keys, keys = gecc.generate_keys("p256", 3, engine=engine)
row, signature, key = bytes(32), bytes(64), keys[0]
digest = np.zeros(32, np.uint8)

def many(array, items):
    return np.broadcast_to(array, (items, len(array)))

def verify(digests, signatures=signature, keys=key):
    return gecc.verify("p256", digests, signatures, keys, engine=engine)

def array(kind, items, *buffers):
    buffers = [buffer.tobytes() if isinstance(buffer, np.ndarray) else buffer for buffer in buffers]
    return pa.Array.from_buffers(kind, items, [None, *map(pa.py_buffer, buffers)])

def offsets(*values, kind=np.int32):
    return np.array(values, kind)

def views(*last):
    return np.array([[32, 0, 0, 0], last], np.int32)

def through_a_file(column, claimed=None):
    # pyarrow believes what a file claims, also of the number of rows.
    items, others = len(column), [pa.array([bytes(width)] * len(column), pa.binary(width)) for width in (64, 33)]
    batch = pa.record_batch([column, *others], ["digest", "signature", "public_key"])
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    file = sink.getvalue().to_pybytes().replace(items.to_bytes(8, "little"), (claimed or items).to_bytes(8, "little"))
    return ipc.open_stream(file).read_next_batch()

class Given:
    def __init__(self, array):
        self.capsules = array.__arrow_c_array__()

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules

class Stream:
    def __init__(self, array):
        self.capsule = pa.chunked_array([array]).__arrow_c_stream__()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule

def twice(argument):
    verify(argument)
    verify(argument)

long_text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(2**16, np.int32)), pa.array(["00" * 2**19]))
lost = array(pa.binary(), 3, offsets(0, 10**9, 10**9 + 32, 96), bytes(96))
short = through_a_file(pa.array([row] * 37, pa.binary(32)), 10**6)
numbers = through_a_file(pa.array([0] * 37, pa.int64()), 10**8)
"""

# More memory than exists, or addresses outside of all memory.
SIZES = {
    "page-locked, no rows": "engine.page_locked((0, 2**63))",
    "page-locked, no rows of the greatest width": "engine.page_locked((0, 2**64 - 1))",
    "page-locked, no width": "engine.page_locked((2**63, 0))",
    "page-locked, a product too large": "engine.page_locked((2**62, 4))",
    "page-locked": "engine.page_locked((2**20, 2**20))",
    "keys": "gecc.generate_keys('p256', 2**40, engine=engine)",
    "digests that are one": "verify(many(digest, 2**40))",
    "digests that are one, backwards": "verify(many(digest, 2**40)[:, ::-1])",
    "digests that are one, backwards, beyond all memory": "verify(many(digest, 2**57)[:, ::-1])",
    "keys that are one, backwards": "verify(row, signature, many(key, 2**45)[:, ::-1])",
    "signatures that are one, with v": "gecc.recover('p256', row, many(np.zeros(65, np.uint8), 2**45), engine=engine)",
    "ids that are one": "gecc.recover('p256', row, signature, np.broadcast_to(np.uint8(27), 2**45), engine=engine)",
    "wide ids that are one": "gecc.recover('p256', row, signature, np.broadcast_to(27, 2**45), engine=engine)",
    "products": "gecc.mul_base('p256', many(digest, 2**50), engine=engine)",
    "messages of no length": "gecc.verify_messages('p256', np.zeros((2**40, 0), np.uint8), signature, key, engine=engine)",
    "most messages": "gecc.verify_messages('p256', np.zeros((2**62, 0), np.uint8), signature, key, engine=engine)",
    "messages to sign": "gecc.bip340_sign_messages(np.zeros((2**40, 0), np.uint8), row, engine=engine)",
    "messages that are one": "gecc.verify_messages('p256', many(digest, 2**40), signature, key, engine=engine)",
    "ids of users": "gecc.sign_messages('sm2', b'', row, user_ids=np.zeros((2**40, 0), np.uint8), engine=engine)",
    "signatures in DER": "gecc.signatures_from_der(np.zeros((2**40, 0), np.uint8))",
    "messages of Arrow of no length": (
        "gecc.verify_messages('p256', array(pa.binary(0), 2**40, b''), signature, key, engine=engine)"
    ),
    "messages of a long text": "gecc.verify_messages('p256', long_text, signature, key, engine=engine)",
    "DER of a long text": "gecc.signatures_from_der(long_text)",
    "strides": "verify(as_strided(digest, (4, 32), (2**62, 1)))",
    "strides back": "verify(as_strided(digest, (4, 32), (-2**62, 1)))",
    "strides of bytes": "verify(as_strided(digest, (1, 32), (1, 2**61)))",
}

# Arrow arrays that point outside their memory, or are already consumed.
ARROW = {
    "offsets": "verify(lost)",
    "offsets in a file": "verify(through_a_file(lost).column(0))",
    "offsets in pieces": "verify(pa.chunked_array([pa.array([row]), lost]))",
    "offsets of signatures": "verify(row, lost)",
    "offsets of keys": "verify(row, signature, lost)",
    "offsets of messages": "gecc.verify_messages('p256', lost, signature, key, engine=engine)",
    "offsets below zero": "verify(array(pa.binary(), 3, offsets(0, -64, -32, 96), bytes(96)))",
    "large offsets": (
        "verify(array(pa.large_binary(), 3, offsets(0, 2**62, 2**62 + 32, 96, kind=np.int64), bytes(96)))"
    ),
    "a view beyond its buffer": "verify(array(pa.binary_view(), 2, views(32, 0, 0, 10**9), bytes(64)))",
    "a view of no buffer": "verify(array(pa.binary_view(), 2, views(32, 0, 1000, 0), bytes(64)))",
    "a view of a length below zero": "verify(array(pa.binary_view(), 2, views(-5, 0, 0, 0), bytes(64)))",
    "rows beyond the buffer": "verify(short.column(0))",
    "rows beyond the buffer, in pieces": "verify(pa.chunked_array([short.column(0)]))",
    "rows beyond the buffer, in a table": "verify(pa.Table.from_batches([short]).select(['digest']))",
    "rows beyond the buffer, in a reader": ("verify(pa.Table.from_batches([short]).select(['digest']).to_reader())"),
    "numbers beyond the buffer": "gecc.recover('p256', row, signature, numbers.column(0), engine=engine)",
    "places in a dictionary": (
        "verify(pa.DictionaryArray.from_arrays(pa.array([0, 10**6, -5], pa.int32()), pa.array([row]), safe=False))"
    ),
    "capsules used twice": "twice(Given(pa.array([row])))",
    "a stream used twice": "twice(Stream(pa.array([row])))",
    "capsules given for two arguments": "given = Given(pa.array([row])); verify(given, signature, given)",
    "a batch with offsets": "arrow.Verify('p256')(through_a_file(lost))",
    "a batch with rows beyond the buffer": "arrow.Verify('p256')(short)",
    "a table with rows beyond the buffer": "arrow.Verify('p256')(pa.Table.from_batches([short]))",
    "a reader with rows beyond the buffer": (
        "arrow.Verify('p256')(pa.RecordBatchReader.from_batches(short.schema, [short]))"
    ),
    "a table with offsets": "arrow.Verify('p256')(pa.Table.from_batches([through_a_file(lost)]))",
}

# Values that no item can have, many times.
VERDICTS = {
    "keys of a long text": "assert not np.asarray(verify(row, signature, long_text)).any()",
    "signatures of a long text": "assert not np.asarray(verify(row, long_text)).any()",
}

CHILD = """
for name, code in json.load(sys.stdin).items():
    print(json.dumps(name), end=" ", flush=True)
    try:
        exec(code)
        found = "no error"
    except BaseException as error:
        found = [kind.__name__ for kind in type(error).__mro__]
    print(json.dumps(found), flush=True)
"""


@pytest.fixture(scope="module")
def found() -> dict[str, list[str]]:
    """For each case the classes of its exception."""
    command = [sys.executable, "-X", "faulthandler", "-c", PRELUDE + CHILD]
    cases = json.dumps(SIZES | ARROW | VERDICTS)
    child = subprocess.run(command, input=cases, capture_output=True, text=True, timeout=300)
    decode = json.JSONDecoder().raw_decode
    results = {}
    for line in child.stdout.splitlines():
        name, end = decode(line)
        results[name] = decode(line, end + 1)[0] if len(line) > end + 1 else child.stderr
    return results


@pytest.mark.parametrize("case", SIZES)
def test_sizes_beyond_all_memory_are_errors(case: str, found: dict[str, list[str]]) -> None:
    assert {"MemoryError", "ValueError"} & set(found[case]), found[case]


@pytest.mark.parametrize("case", ARROW)
def test_arrays_of_arrow_that_lead_elsewhere_are_errors(case: str, found: dict[str, list[str]]) -> None:
    assert "ValueError" in found[case], found[case]


@pytest.mark.parametrize("case", VERDICTS)
def test_long_values_of_arrow_are_rejected(case: str, found: dict[str, list[str]]) -> None:
    assert found[case] == "no error"
