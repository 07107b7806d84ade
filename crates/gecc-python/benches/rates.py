"""Rates of calls from numpy and from Arrow, beside those of the library's own calls on the same arrays, in one process.

    python benches/rates.py [--items N] [--repeats N] [--curve NAME] [--backend auto|cpu|gpu]

Needs gecc and numpy alone. Items are fresh and random, with a key of its own each; one in a thousand is spoiled, and
every verdict is checked. A round is one call of each kind, one after the other; the first rounds warm up, and medians
are of the others. Each rate is beside that of the library's own call on the same arrays, which takes memory for its
results where the other does. So "numpy, out", which writes to memory that was used before, is beside "Rust", and
"Arrow" beside the same call in Rust on the memory of the Arrow arrays.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import gecc
import numpy as np
from gecc import _gecc

WARM_UP = 2
SPOILED = 1000
# What each kind of call is beside. Those that are beside nothing are the library's own.
BESIDE = {
    "Rust": None,
    "numpy, out": "Rust",
    "Rust, fresh": None,
    "numpy": "Rust, fresh",
    "Rust on Arrow": None,
    "Arrow": "Rust on Arrow",
}


def seconds_of(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    results = call()
    return time.perf_counter() - start, results


def passed_of(results: Any) -> int:
    """How many items passed: the verdicts are the last of a call's results."""
    verdicts = results[-1] if isinstance(results, tuple) else results
    return int(verdicts.sum()) if isinstance(verdicts, np.ndarray) else _gecc.count_true(verdicts)


def measure(name: str, items: int, passed: int, repeats: int, calls: dict[str, Callable[[], Any]]) -> None:
    seconds: dict[str, list[float]] = {kind: [] for kind in calls}
    for round_ in range(WARM_UP + repeats):
        for kind, call in calls.items():
            if kind.startswith("Rust"):
                (taken,), found = call()
            else:
                taken, results = seconds_of(call)
                found = passed_of(results)
                del results
            assert found == passed, f"{name}, {kind}: {found} items passed, not {passed}"
            if round_ >= WARM_UP:
                seconds[kind].append(taken)
    rates = {kind: items / statistics.median(of_kind) / 1e6 for kind, of_kind in seconds.items()}
    cells = []
    for kind, beside in BESIDE.items():
        share = f" ({rates[kind] / rates[beside]:.3f})" if beside and kind in rates else ""
        cells.append(f"{rates[kind]:.3f}{share}" if kind in rates else "")
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--items", type=int, default=1 << 22)
    arguments.add_argument("--repeats", type=int, default=9)
    arguments.add_argument("--curve", default="secp256k1")
    arguments.add_argument("--backend", default="auto", choices=["auto", "cpu", "gpu"])
    given = arguments.parse_args()
    items, curve, repeats = given.items, given.curve, given.repeats
    engine = gecc.Engine(backend=given.backend)
    print(f"{engine}; {items} items on {curve}; medians of {repeats} in millions a second (and of the call in Rust)\n")
    print(f"| call | {' | '.join(BESIDE)} |\n|---|{'---|' * len(BESIDE)}")

    secret_keys, keys = gecc.generate_keys(curve, items, engine=engine)
    digests = np.frombuffer(os.urandom(32 * items), np.uint8).reshape(items, 32)
    signatures, ids, ok = gecc.sign_recoverable(curve, digests, secret_keys, engine=engine)
    assert ok.all()
    out = np.ones((items, 64), np.uint8)
    arrow_digests, arrow_keys = _gecc.to_arrow(digests), _gecc.to_arrow(keys)
    measure(
        "sign",
        items,
        items,
        repeats,
        {
            "Rust": lambda: _gecc.time_sign(engine, curve, digests, secret_keys, 1, False),
            "Rust, fresh": lambda: _gecc.time_sign(engine, curve, digests, secret_keys, 1, True),
            "numpy": lambda: gecc.sign(curve, digests, secret_keys, engine=engine),
            "numpy, out": lambda: gecc.sign(curve, digests, secret_keys, out=out, engine=engine),
            "Rust on Arrow": lambda: _gecc.time_sign(engine, curve, arrow_digests, secret_keys, 1, True),
            "Arrow": lambda: gecc.sign(curve, arrow_digests, secret_keys, engine=engine),
        },
    )
    secret_keys.fill(0)
    assert np.array_equal(out, signatures)

    # For recovery a value that no r has, as other spoiled signatures give other keys.
    spoiled = signatures.copy()
    spoiled[::SPOILED, :32] = 0
    passed = items - len(spoiled[::SPOILED])
    arrow_signatures = _gecc.to_arrow(spoiled)
    measure(
        "recover",
        items,
        passed,
        repeats,
        {
            "Rust": lambda: _gecc.time_recover(engine, curve, digests, spoiled, ids, 1, False),
            "Rust, fresh": lambda: _gecc.time_recover(engine, curve, digests, spoiled, ids, 1, True),
            "numpy": lambda: gecc.recover(curve, digests, spoiled, ids, engine=engine),
            "numpy, out": lambda: gecc.recover(curve, digests, spoiled, ids, out=out, engine=engine),
            "Rust on Arrow": lambda: _gecc.time_recover(engine, curve, arrow_digests, arrow_signatures, ids, 1, True),
            "Arrow": lambda: gecc.recover(curve, arrow_digests, arrow_signatures, ids, engine=engine),
        },
    )
    out[::SPOILED] = keys[::SPOILED]
    assert np.array_equal(out, keys)

    spoiled[::SPOILED] = signatures[::SPOILED]
    spoiled[::SPOILED, 63] ^= 1
    arrow_signatures = _gecc.to_arrow(spoiled)
    measure(
        "verify",
        items,
        passed,
        repeats,
        {
            "Rust, fresh": lambda: _gecc.time_verify(engine, curve, digests, spoiled, keys, 1),
            "numpy": lambda: gecc.verify(curve, digests, spoiled, keys, engine=engine),
            "Rust on Arrow": lambda: _gecc.time_verify(engine, curve, arrow_digests, arrow_signatures, arrow_keys, 1),
            "Arrow": lambda: gecc.verify(curve, arrow_digests, arrow_signatures, arrow_keys, engine=engine),
        },
    )


if __name__ == "__main__":
    main()
