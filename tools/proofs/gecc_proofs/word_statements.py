"""The statements about cuda/primitives/: carry chains and wide products, in every size that there is."""

import re

from .polynomial import number
from .project import CUDA
from .statements import Statement, equal

FULL = 2**32 - 1


def instances(function):
    """The sizes for which primitives/ptx.cuh has a function."""
    text = (CUDA / "primitives/ptx.cuh").read_text()
    return sorted(int(n) for n in re.findall(rf"^template <> GECC_MEMBER \w+ {function}<(\d+)>", text, re.M))


def _sum(size):
    end = 1 << (32 * size)
    return Statement(
        f"add<{size}>",
        f"u32 a[{size}], u32 b[{size}] -> u32 r[{size}], u32 out",
        f"out = add<{size}>(r, a, b)",
        "r + 2^(32N) out = a + b",
        lambda v, c: [equal(v.r + v.out * end - v.a - v.b)],
    )


def _sum_with_carry(size):
    end = 1 << (32 * size)
    return Statement(
        f"add_carry<{size}>",
        f"u32 a[{size}], u32 b[{size}], u32 carry -> u32 r[{size}], u32 out",
        f"out = add_carry<{size}>(r, a, b, carry)",
        "r + 2^(32N) out = a + b + carry, for a carry of 0 or 1",
        lambda v, c: [equal(v.r + v.out * end - v.a - v.b - v.carry)],
        ranges={"carry": (0, 1)},
    )


def _difference(size):
    end = 1 << (32 * size)
    return Statement(
        f"sub<{size}>",
        f"u32 a[{size}], u32 b[{size}] -> u32 r[{size}], u32 out",
        f"out = sub<{size}>(r, a, b)",
        "r - 2^(32N) e = a - b, and out is the mask of e",
        lambda v, c: [equal((v.r - v.a + v.b) * FULL - v.out * end)],
    )


def _difference_with_borrow(size):
    end = 1 << (32 * size)
    return Statement(
        f"sub_borrow<{size}>",
        f"u32 a[{size}], u32 b[{size}], u32 borrow -> u32 r[{size}], u32 out",
        f"out = sub_borrow<{size}>(r, a, b, borrow)",
        "r - 2^(32N) e = a - b - d where borrow is the mask of d, and out is the mask of e",
        # A mask of d is read as -d.
        lambda v, c: [equal((v.r - v.a + v.b - v.borrow) * FULL - v.out * end)],
        ranges={"borrow": (-1, 0)},
    )


def _every_other(words, size):
    """The number made of words 0, 2, 4, ... at the positions where they stand."""
    return number([words[2 * k] for k in range(size)], 64)


def _products(size):
    return Statement(
        f"products<{size}>",
        f"u32 a[{2 * size}], u32 b -> u32 r[{2 * size}]",
        f"products<{size}>(r, a, b)",
        "r = b times the even words of a",
        lambda v, c: [equal(v.r - _every_other(v.words["a"], size) * v.b)],
    )


def _added_products(size):
    end = 1 << (64 * size)
    return Statement(
        f"add_products<{size}>",
        f"u32 acc[{2 * size}], u32 a[{2 * size}], u32 b -> u32 r[{2 * size}], u32 out",
        f"copy(r, acc); out = add_products<{size}>(r, a, b)",
        "r + 2^(64N) out = acc + b times the even words of a",
        lambda v, c: [equal(v.r + v.out * end - v.acc - _every_other(v.words["a"], size) * v.b)],
    )


def _added_products_after(size):
    end = 1 << (64 * size)

    # Uses the low word w of x + y, which the kernel computes: the function does not return it.
    def claims(v, c):
        rest = v.acc + _every_other(v.words["a"], size) * v.b - v.r - v.out * end
        return [equal(rest.scaled(1 << 32) + v.x + v.y - v.w)]

    return Statement(
        f"add_products_after<{size}>",
        f"u32 acc[{2 * size}], u32 a[{2 * size}], u32 b, u32 x, u32 y -> u32 r[{2 * size}], u32 out, u32 w",
        f"copy(r, acc); w = x + y; out = add_products_after<{size}>(r, a, b, x, y)",
        "r + 2^(64N) out = acc + b times the even words of a + carry of x + y",
        claims,
    )


def _squares():
    full = 2**512 - 1

    def total(v):
        return v.acc + number([word * word for word in v.words["a"]], 64)

    return Statement(
        "add_squares",
        "u32 acc[16], u32 a[8] -> u32 r[16]",
        "copy(r, acc); add_squares(r, a)",
        "r = acc + the squares of the words of a, where that is below 2^512",
        lambda v, c: [equal(v.r - total(v))],
        lambda v, c: [total(v) - full],
    )


_FAMILIES = {
    "add": _sum,
    "add_carry": _sum_with_carry,
    "sub": _difference,
    "sub_borrow": _difference_with_borrow,
    "products": _products,
    "add_products": _added_products,
    "add_products_after": _added_products_after,
}


def _statements():
    result = []
    for function, family in _FAMILIES.items():
        for size in instances(function):
            result.append(family(size))
    return result + [_squares()]


STATEMENTS = _statements()
