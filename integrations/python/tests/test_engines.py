"""Engines: their options, threads, processes and descriptions."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import gecc
import numpy as np
import pyarrow as pa
import pytest
from gecc import _gecc, arrow

from support import Bytes, random_rows, signed


def test_options() -> None:
    engine = gecc.Engine(backend="cpu", threads=3, max_memory=1 << 26, check_signatures=True, portable=True)
    assert (engine.backend, engine.threads, engine.devices) == ("cpu", 3, [])
    assert (engine.max_memory, engine.check_signatures) == (1 << 26, True)
    assert repr(engine) == "<gecc.Engine: CPU, 3 threads (asked for)>"
    assert engine.failures() == engine.self_test() == []
    assert engine.take_kernel_times() == []
    for curve in ("secp256k1", "p256", "brainpoolP256r1", "sm2"):
        engine.warm_up(curve)
    batch = signed("p256", 50)
    assert gecc.verify("p256", *batch[:3], engine=engine).tolist() == batch.valid.tolist()


def test_groups_change_no_answer() -> None:
    items = 3000
    one_by_one = gecc.Engine(backend="cpu", threads=1)
    together = gecc.Engine(backend="cpu", threads=1, batch_verification=True)
    assert (one_by_one.batch_verification, together.batch_verification) == (False, True)
    secret_keys, public_keys = gecc.generate_keys("secp256k1", items)
    digests = random_rows(items, 32)
    signatures, ids, ok = gecc.sign_recoverable("secp256k1", digests, secret_keys)
    assert ok.all()
    signatures[50, 40] ^= 1
    ids[[70, 80]] ^= 1
    listed: list[int | None] = [*ids.tolist()[:-2], None, 300]
    expected = gecc.verify("secp256k1", digests, signatures, public_keys, reasons=True)
    assert expected.astype(bool).sum() == 1
    for engine in (one_by_one, together):
        for hints in (ids, listed):
            arguments = (digests, signatures, hints, public_keys)
            codes = gecc.verify_recoverable("secp256k1", *arguments, reasons=True, engine=engine)
            assert codes.tobytes() == expected.tobytes()
    none_and_wrong = public_keys.copy()
    none_and_wrong[::10] = 0
    none_and_wrong[5] = public_keys[6]
    as_list: list[bytes | None] = [key.tobytes() for key in none_and_wrong]
    as_list[7:10] = [None, b"short", b""]
    keys, ok = gecc.recover("secp256k1", digests, signatures, ids)
    addresses, _ = gecc.recover_addresses("secp256k1", digests, signatures, ids)
    for engine in (one_by_one, together):
        for candidates in (none_and_wrong, as_list, public_keys[0]):
            found = gecc.recover("secp256k1", digests, signatures, ids, candidates=candidates, engine=engine)
            assert (found[0].tobytes(), found[1].tobytes()) == (keys.tobytes(), ok.tobytes())
            found = gecc.recover_addresses("secp256k1", digests, signatures, ids, candidates=candidates, engine=engine)
            assert (found[0].tobytes(), found[1].tobytes()) == (addresses.tobytes(), ok.tobytes())
    with pytest.raises(ValueError, match="candidates: 2 items, where digests has 3000"):
        gecc.recover("secp256k1", digests, signatures, ids, candidates=public_keys[:2])


def test_page_locked_memory_is_read_and_written_where_it_lies() -> None:
    engine = gecc.Engine.default()
    secret_keys, points = engine.page_locked((50, 32)), engine.page_locked((50, 64))
    assert not secret_keys.any()
    secret_keys[:] = gecc.generate_keys("p256", 50)[0]
    assert _gecc.place_of(secret_keys, 32) == (secret_keys.ctypes.data, 32, 50)
    found, ok = gecc.public_keys("p256", secret_keys, out=points)
    assert found is points
    assert ok.all()
    assert np.array_equal(gecc.public_keys("p256", secret_keys.copy())[0], points)
    # A view keeps the memory.
    half, expected = points[25:], points[25:].copy()
    del points, found
    assert np.array_equal(half, expected)
    assert engine.page_locked((0, 32)).shape == (0, 32)
    with pytest.raises(MemoryError):
        engine.page_locked((1 << 62, 32))
    with pytest.raises(MemoryError):
        engine.page_locked((1 << 50, 32))


def test_wrong_options_are_errors() -> None:
    with pytest.raises(ValueError, match='backend: "tpu" is not one of auto, cpu, gpu'):
        gecc.Engine(backend="tpu")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="threads"):
        gecc.Engine(threads=0)
    with pytest.raises(ValueError, match="chunk_items"):
        gecc.Engine(chunk_items=0)
    with pytest.raises(OverflowError):
        gecc.Engine(max_memory=-1)
    if not gecc.Engine.default().devices:
        with pytest.raises(gecc.NoDeviceError, match="no usable GPU"):
            gecc.Engine(backend="gpu")
    assert issubclass(gecc.NoDeviceError, gecc.GeccError)


def test_engines_cannot_be_pickled() -> None:
    with pytest.raises(TypeError, match="an Engine cannot be pickled: make one in each process"):
        pickle.dumps(gecc.Engine.default())


def test_nothing_shows_secrets() -> None:
    secret = b"\x5a" * 32
    secrets, _ = gecc.ecdh("p256", pa.table({"k": pa.array([secret], pa.binary(32))}), gecc.generate_keys("p256", 1)[1])
    with pytest.raises(ValueError, match="secret_keys") as error:
        gecc.public_keys("p256", secret[:31])
    assert "5a" not in str(error.value) and "Z" not in str(error.value)
    array, _ = gecc.public_keys("p256", Exporter(pa.array([secret], pa.binary(32))))
    assert repr(array) == "<gecc.ArrowArray: 1 of FixedSizeBinary(64)>"
    assert len(secrets) == len(array) == 1


class Exporter:
    """An array of a library that is neither pyarrow nor polars."""

    def __init__(self, array: pa.Array) -> None:
        self.array = array

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self.array.__arrow_c_array__(requested_schema)  # type: ignore[no-any-return]


def test_sixteen_threads_at_once() -> None:
    batches = [signed(curve, 700) for curve in ("secp256k1", "p256", "sm2", "brainpoolp256r1") * 4]
    start = threading.Barrier(16)

    def work(which: int) -> bool:
        curve = ("secp256k1", "p256", "sm2", "brainpoolp256r1")[which % 4]
        start.wait()
        found = [gecc.verify(curve, *batches[which][:3]).tolist() for _ in range(3)]
        return found == [batches[which].valid.tolist()] * 3

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(16)))


def test_other_threads_of_python_go_on_during_a_call() -> None:
    batch = signed("p256", 40_000)
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    before = time.monotonic()
    found = gecc.verify("p256", *batch[:3])
    seconds = time.monotonic() - before
    done.set()
    counter.join()
    assert counted > 20 * seconds
    assert found.tolist() == batch.valid.tolist()


def test_calls_in_pieces_answer_as_those_in_one() -> None:
    """An engine of one thread computes 2^14 items at a time, between which signals are looked at."""
    one, more = gecc.Engine(backend="cpu", threads=1), gecc.Engine(backend="cpu", threads=2)
    items = (1 << 14) + 7
    batch = signed("secp256k1", items)
    ids = np.arange(items, dtype=np.uint8) % 5
    keys = [key[:33].tobytes() if item % 2 else key.tobytes() for item, key in enumerate(batch.public_keys)]
    messages = [row[: item % 9].tobytes() for item, row in enumerate(batch.digests)]
    secret_keys = random_rows(items, 32)

    def answers(engine: gecc.Engine) -> list[bytes]:
        results = [
            gecc.verify("secp256k1", *batch[:3], reasons=True, engine=engine),
            gecc.verify("secp256k1", batch.digests, batch.signatures, keys, reasons=True, engine=engine),
            *gecc.recover("secp256k1", batch.digests, batch.signatures, ids, reasons=True, engine=engine),
            *gecc.add("secp256k1", batch.public_keys, batch.public_keys[::-1], reasons=True, engine=engine),
            *gecc.sign_messages("sm2", messages, secret_keys, user_ids=messages, engine=engine),
            *gecc.sign_recoverable("p256", batch.digests, secret_keys, engine=engine),
            gecc.sum("secp256k1", batch.public_keys[batch.valid], engine=engine),
            gecc.msm("secp256k1", batch.digests // 2, batch.public_keys[1], engine=engine),
        ]
        return [result.tobytes() for result in results]

    assert answers(one) == answers(more)
    corrupted = np.concatenate(
        [batch.public_keys[batch.valid], batch.public_keys[batch.valid], np.ones((1, 64), np.uint8)]
    )
    # Of the second piece.
    with pytest.raises(gecc.ItemError, match=f"^item {len(corrupted) - 1}: the point is not on the curve$"):
        gecc.sum("secp256k1", corrupted, engine=one)
    with pytest.raises(gecc.ItemError, match=f"^item {len(corrupted) - 1}: "):
        gecc.msm("secp256k1", bytes(31) + b"\2", corrupted, engine=one)


FORK = """
import gecc, os, sys
used = gecc.Engine(backend="cpu", threads=2)
if sys.argv[1] == "used":
    assert gecc.verify("p256", bytes(32), bytes(64), bytes(64)).tolist() == [False]
child = os.fork()
if child == 0:
    try:
        gecc.verify("p256", bytes(32), bytes(64), bytes(64), engine=used)
        os._exit(1)
    except gecc.ForkedError as error:
        assert "made before this process forked" in str(error), error
    try:
        secret_keys, public_keys = gecc.generate_keys("p256", 3000)
    except gecc.ForkedError as error:
        os._exit(3 if "forked from one that used GPUs" in str(error) else 1)
    signatures, ok = gecc.sign("p256", bytes(32), secret_keys)
    os._exit(0 if ok.all() and gecc.verify("p256", bytes(32), signatures, public_keys).all() else 1)
_, status = os.waitpid(child, 0)
assert gecc.verify("p256", bytes(32), bytes(64), bytes(64), engine=used).tolist() == [False]
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.parametrize("default", ["used", "unused"])
def test_children_make_engines_of_their_own(default: str) -> None:
    """But not where the parent has used GPUs."""
    expected = 3 if default == "used" and gecc.Engine.default().devices else 0
    done = subprocess.run([sys.executable, "-c", FORK, default], check=False, timeout=120)
    assert done.returncode == expected


def double(points: bytes) -> bytes:
    return bytes(gecc.double("p256", points)[0].tobytes())


def test_worker_processes() -> None:
    _, points = gecc.generate_keys("p256", 4)
    expected = [row.tobytes() for row in gecc.double("p256", points)[0]]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(double, [row.tobytes() for row in points]) == expected


ONE = bytes(31) + b"\1"
ROW = np.frombuffer(ONE, np.uint8)
SM2_BASE = gecc.public_keys("sm2", ONE)[0][0]
BASE = gecc.public_keys("brainpoolp256r1", ONE)[0]


def rows_of(row: Bytes, items: int) -> Bytes:
    """The same row for each item, which takes no memory."""
    return np.broadcast_to(row, (items, row.size))


def zeros(items: int, width: int) -> Bytes:
    return rows_of(np.zeros(width, np.uint8), items)


def long_rows(items: int) -> pa.RecordBatch:
    """Rows with the same message of a megabyte, which takes the memory of one."""
    message = pa.DictionaryArray.from_arrays(pa.array(np.zeros(items, np.int32)), pa.array([bytes(1 << 20)]))
    columns = {"message": message, "sig": [ONE + ONE] * items, "pubkey": [SM2_BASE.tobytes()] * items}
    return pa.record_batch(columns)


# The slowest: one thread, no vector instructions, and signatures are checked.
SLOW = gecc.Engine(backend="cpu", threads=1, portable=True, check_signatures=True)
LONG_CALLS: dict[str, Callable[[], object]] = {
    "sign": lambda: gecc.sign("brainpoolp256r1", zeros(1 << 22, 32), ONE, engine=SLOW),
    "by the default engine": lambda: gecc.sign("brainpoolp256r1", zeros(1 << 24, 32), ONE),
    "shared secrets": lambda: gecc.ecdh("brainpoolp256r1", ONE, rows_of(BASE, 1 << 22), engine=SLOW),
    "sum": lambda: gecc.sum("brainpoolp256r1", rows_of(BASE, 1 << 40), engine=SLOW),
    "long messages": lambda: gecc.verify_messages("sm2", zeros(1 << 14, 1 << 20), ONE + ONE, SM2_BASE, engine=SLOW),
    "a long message": lambda: gecc.sign_messages("sm2", bytes(1 << 20), rows_of(ROW, 1 << 14), engine=SLOW),
    "BIP 340": lambda: gecc.bip340_sign_messages(zeros(1 << 14, 1 << 20), ONE, engine=SLOW),
    "a batch": lambda: arrow.Verify("sm2", backend="cpu", threads=1)(long_rows(1 << 12)),
    "a list": lambda: gecc.verify_messages("p256", [b""] * (1 << 23), bytes(64), bytes(33), engine=SLOW),
    "DER": lambda: gecc.signatures_to_der(zeros(1 << 26, 64)),
}


@pytest.mark.parametrize("call", LONG_CALLS)
def test_ctrl_c_ends_a_long_call(call: str) -> None:
    # A clock's signal comes while no other thread of Python can run, as Ctrl-C does.
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    start = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            LONG_CALLS[call]()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    # About a second on an idle machine.
    assert time.monotonic() - start < 20
    # The engine and the arguments remain usable.
    assert gecc.sign("brainpoolp256r1", zeros(10, 32), ONE, engine=SLOW)[1].all()
