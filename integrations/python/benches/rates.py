"""Compares calls from numpy and Arrow with the C library's calls on the same arrays, in one process.

    cargo build --release -p gecc-capi
    python benches/rates.py [--library FILE] [--items N] [--repeats N] [--curve NAME] [--backend auto|cpu|gpu]

Needs gecc, numpy and pyarrow, and the C library, whose calls pass their arguments on unchanged and
which has an engine of its own. Items are fresh and random, each with its own key; one in a thousand
is corrupted, and every verdict is checked. A round makes one call of each kind in turn. The first
rounds warm up; medians are of the others. Each rate is divided by that of the C library's call on
the same memory. That call allocates its results if the compared one does, so "numpy, out", which
writes to memory that was used before, is compared with "library".
"""

import argparse
import ctypes
import os
import pathlib
import statistics
import time
from collections.abc import Callable
from typing import Any

import gecc
import numpy as np
import numpy.typing as npt
import pyarrow as pa

Rows = npt.NDArray[np.uint8]

WARM_UP = 2
CORRUPTED = 1000
# The kind that each kind of call is compared with; None for the library's own calls.
BASELINES = {
    "library": None,
    "numpy, out": "library",
    "library, fresh": None,
    "numpy": "library, fresh",
    "Arrow": "library, fresh",
}
LIBRARY = pathlib.Path(__file__).parents[3] / "target/release/libgecc.so"
BACKENDS = {"auto": 0, "cpu": 1, "gpu": 2}


class Options(ctypes.Structure):
    """GeccEngineOptions of gecc.h."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("backend", ctypes.c_int32),
        ("threads", ctypes.c_uint32),
        ("max_memory", ctypes.c_uint64),
        ("check_signatures", ctypes.c_int32),
        ("batch_verification", ctypes.c_int32),
    ]


class Column(ctypes.Structure):
    """GeccRows of gecc.h."""

    _fields_ = [("data", ctypes.c_void_p), ("stride", ctypes.c_size_t)]


class Keys(ctypes.Structure):
    """GeccKeys of gecc.h."""

    _fields_ = [*Column._fields_, ("encoding", ctypes.c_int32)]


def column(rows: Rows | None) -> Column:
    return Column(None, 0) if rows is None else Column(rows.ctypes.data, rows.strides[0])


class Library:
    """Calls of the C library. Each gives how many items passed, of codes that it takes memory for."""

    def __init__(self, path: pathlib.Path, backend: str, curve: str) -> None:
        self.calls = ctypes.CDLL(str(path))
        self.calls.gecc_last_error.restype = ctypes.c_char_p
        self.calls.gecc_count_valid.restype = ctypes.c_size_t
        self.engine, self.curve = ctypes.c_void_p(), ctypes.c_int32()
        options = Options(ctypes.sizeof(Options), BACKENDS[backend])
        self.call("engine_new", ctypes.byref(options), ctypes.byref(self.engine))
        self.call("curve_by_name", curve.encode(), ctypes.byref(self.curve))

    def call(self, name: str, *arguments: Any) -> None:
        if getattr(self.calls, f"gecc_{name}")(*arguments) != 0:
            raise RuntimeError(f"{name}: {self.calls.gecc_last_error().decode()}")

    def passed(self, name: str, items: int, *arguments: Any) -> int:
        codes = np.empty(items, np.uint8)
        self.call(f"ecdsa_{name}", self.engine, self.curve, ctypes.c_size_t(items), *arguments, pointer(codes))
        return int(self.calls.gecc_count_valid(pointer(codes), ctypes.c_size_t(items)))

    def sign(self, digests: Rows, secret_keys: Rows, out: Rows | None) -> int:
        out = np.empty((len(digests), 64), np.uint8) if out is None else out
        columns = column(digests), column(secret_keys), column(None)
        return self.passed("sign", len(digests), *columns, ctypes.c_int32(0), pointer(out))

    def recover(self, digests: Rows, signatures: Rows, ids: Rows, out: Rows | None) -> int:
        out = np.empty((len(digests), 64), np.uint8) if out is None else out
        columns = column(digests), column(signatures), column(ids)
        return self.passed("recover", len(digests), *columns, pointer(out))

    def verify(self, digests: Rows, signatures: Rows, keys: Rows) -> int:
        columns = column(digests), column(signatures), Keys(keys.ctypes.data, keys.strides[0], keys.shape[1])
        return self.passed("verify", len(digests), *columns, ctypes.c_int32(0))


def pointer(rows: Rows) -> ctypes.c_void_p:
    return ctypes.c_void_p(rows.ctypes.data)


def to_arrow(rows: Rows) -> pa.Array:
    """The same memory as an Arrow array."""
    return pa.Array.from_buffers(pa.binary(rows.shape[1]), len(rows), [None, pa.py_buffer(rows)])


def seconds_of(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    results = call()
    return time.perf_counter() - start, results


def passed_of(results: Any) -> int:
    """How many items passed: the verdicts are the last of a call's results."""
    if isinstance(results, int):
        return results
    verdicts = results[-1] if isinstance(results, tuple) else results
    return int(verdicts.sum()) if isinstance(verdicts, np.ndarray) else pa.array(verdicts).true_count


def measure(name: str, items: int, passed: int, repeats: int, calls: dict[str, Callable[[], Any]]) -> None:
    seconds: dict[str, list[float]] = {kind: [] for kind in calls}
    for round_ in range(WARM_UP + repeats):
        for kind, call in calls.items():
            taken, results = seconds_of(call)
            found = passed_of(results)
            del results
            assert found == passed, f"{name}, {kind}: {found} items passed, not {passed}"
            if round_ >= WARM_UP:
                seconds[kind].append(taken)
    rates = {kind: items / statistics.median(of_kind) / 1e6 for kind, of_kind in seconds.items()}
    cells = []
    for kind, baseline in BASELINES.items():
        share = f" ({rates[kind] / rates[baseline]:.3f})" if baseline and kind in rates else ""
        cells.append(f"{rates[kind]:.3f}{share}" if kind in rates else "")
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--items", type=int, default=1 << 22)
    arguments.add_argument("--repeats", type=int, default=9)
    arguments.add_argument("--curve", default="secp256k1")
    arguments.add_argument("--backend", default="auto", choices=["auto", "cpu", "gpu"])
    arguments.add_argument("--library", type=pathlib.Path, default=LIBRARY)
    given = arguments.parse_args()
    items, curve, repeats = given.items, given.curve, given.repeats
    engine = gecc.Engine(backend=given.backend)
    library = Library(given.library, given.backend, curve)
    print(f"{engine}; {items} items on {curve}; medians of {repeats} in millions per second (of the library's rate)\n")
    print(f"| call | {' | '.join(BASELINES)} |\n|---|{'---|' * len(BASELINES)}")

    secret_keys, keys = gecc.generate_keys(curve, items, engine=engine)
    digests = np.frombuffer(os.urandom(32 * items), np.uint8).reshape(items, 32)
    signatures, ids, ok = gecc.sign_recoverable(curve, digests, secret_keys, engine=engine)
    assert ok.all()
    out = np.ones((items, 64), np.uint8)
    arrow_digests, arrow_keys = to_arrow(digests), to_arrow(keys)
    measure(
        "sign",
        items,
        items,
        repeats,
        {
            "library": lambda: library.sign(digests, secret_keys, out),
            "library, fresh": lambda: library.sign(digests, secret_keys, None),
            "numpy": lambda: gecc.sign(curve, digests, secret_keys, engine=engine),
            "numpy, out": lambda: gecc.sign(curve, digests, secret_keys, out=out, engine=engine),
            "Arrow": lambda: gecc.sign(curve, arrow_digests, secret_keys, engine=engine),
        },
    )
    secret_keys.fill(0)
    assert np.array_equal(out, signatures)

    # For recovery, an r without a point: other corrupted signatures recover other keys.
    corrupted = signatures.copy()
    corrupted[::CORRUPTED, :32] = 0
    passed = items - len(corrupted[::CORRUPTED])
    arrow_signatures = to_arrow(corrupted)
    measure(
        "recover",
        items,
        passed,
        repeats,
        {
            "library": lambda: library.recover(digests, corrupted, ids, out),
            "library, fresh": lambda: library.recover(digests, corrupted, ids, None),
            "numpy": lambda: gecc.recover(curve, digests, corrupted, ids, engine=engine),
            "numpy, out": lambda: gecc.recover(curve, digests, corrupted, ids, out=out, engine=engine),
            "Arrow": lambda: gecc.recover(curve, arrow_digests, arrow_signatures, ids, engine=engine),
        },
    )
    out[::CORRUPTED] = keys[::CORRUPTED]
    assert np.array_equal(out, keys)

    corrupted[::CORRUPTED] = signatures[::CORRUPTED]
    corrupted[::CORRUPTED, 63] ^= 1
    arrow_signatures = to_arrow(corrupted)
    measure(
        "verify",
        items,
        passed,
        repeats,
        {
            "library, fresh": lambda: library.verify(digests, corrupted, keys),
            "numpy": lambda: gecc.verify(curve, digests, corrupted, keys, engine=engine),
            "Arrow": lambda: gecc.verify(curve, arrow_digests, arrow_signatures, arrow_keys, engine=engine),
        },
    )


if __name__ == "__main__":
    main()
