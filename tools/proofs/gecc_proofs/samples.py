"""Arguments to run kernels on: random ones, and edges where carries run far."""

import numpy as np

from .probes import signature

EDGES = (0, 1, 2, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1)


def _number(random, words, curve):
    """A number: random, near a multiple of a modulus or a power of two, or made of edge words."""
    bits = 32 * words
    choice = random.integers(8)
    if choice < 3:
        value = int.from_bytes(random.bytes(4 * words), "little")
    elif choice < 6:
        near = (0, curve.p, curve.n, 1 << 256, 1 << bits, curve.p << 256, curve.n << 256)[random.integers(7)]
        value = near + int(random.integers(-4, 5))
    else:
        parts = [EDGES[random.integers(len(EDGES))] for _ in range(words)]
        if choice == 7:
            parts[random.integers(words)] = int(random.integers(1 << 32))
        value = sum(part << (32 * i) for i, part in enumerate(parts))
    return value % (1 << bits)


def _within(random, least, most):
    """A number of the range: an end of it, or of random size."""
    choice = random.integers(8)
    if choice < 2:
        return (least, most)[choice]
    value = int(random.integers(least, most + 1))
    shift = int(random.integers(0, max(32, most.bit_length())))
    return value if choice == 2 else max(least, min(most, value >> shift))


def arguments(statement, curve, items, seed):
    """An array (words, items) of arguments within the statement's ranges. Other preconditions they may not meet."""
    random = np.random.default_rng(seed)
    columns = []
    for _ in range(items):
        column = []
        for parameter in signature(statement, curve)[0]:
            if parameter.name in statement.ranges:
                least, most = statement.ranges[parameter.name]
                column += [_within(random, least, most) % (1 << parameter.bits) for _ in range(parameter.words)]
            else:
                bits = parameter.bits
                value = _number(random, parameter.words * bits // 32, curve)
                column += [value >> (bits * i) & ((1 << bits) - 1) for i in range(parameter.words)]
        columns.append(column)
    return np.array(columns, dtype=np.uint64).reshape(items, -1).T
