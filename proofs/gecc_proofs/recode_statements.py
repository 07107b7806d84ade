"""The statements about cuda/curve/recode.cuh: digits, and the rounding of the endomorphism's halves."""

import z3

from .bit_statements import FULL, mask
from .statements import AtMost, Congruent, Statement, everywhere


def endomorphism(curve):
    return bool(curve.endomorphism)


def _bits(name, signature, call, says, claim, needs=lambda v, c: [], curves=everywhere):
    return Statement(name, signature, call, says, lambda v, c: [claim(v, c)], needs, curves, bits=True)


def _odd_digit(width):
    def claim(v, c):
        digit = 2 * v.index + 1
        return z3.If(v.negative == 0, digit, -digit) == 2 * v.window + 1 - (1 << width)

    return _bits(
        f"odd_digit<{width}>",
        "u32 window -> u32 index, u32 negative",
        f"OddDigit d = odd_digit<{width}>(window); index = d.index; negative = d.negative",
        "the digit of its magnitude and sign is 2 window + 1 - 2^W, for a window below 2^W",
        claim,
        lambda v, c: [z3.ULT(v.window, 1 << width)],
    )


def _next_odd_digit(windows, width):
    words = (windows * width + 31) // 32
    kind = f"OddScalar<{windows}, {width}>"

    def claim(v, c):
        size = 32 * words
        window = z3.ZeroExt(32 - width, z3.Extract(size - 1, size - width, v.s))
        digit = 2 * v.index + 1
        signed = z3.If(v.negative ^ v.sign == 0, digit, -digit)
        return z3.And(signed == 2 * window + 1 - (1 << width), v.r == v.s << width)

    return _bits(
        f"next_odd_digit<{windows}, {width}>",
        f"u32 s[{words}], u32 sign -> u32 r[{words}], u32 index, u32 negative",
        f"{kind} o; for (int i = 0; i < {words}; i++) o.windows[i] = s[i]; o.negative = sign; "
        f"OddDigit d = next_odd_digit<{windows}, {width}>(o); "
        "index = d.index; negative = d.negative; copy(r, o.windows)",
        "the odd digit of the window on top, with the scalar's sign; the next window is on top then",
        claim,
        lambda v, c: [z3.Or(v.sign == 0, v.sign == FULL)],
    )


def _odd_scalar(windows, width):
    kind = f"OddScalar<{windows}, {width}>"
    spare = 32 * 9 - windows * width

    def claim(v, c):
        k = z3.ZeroExt(32, v.k)
        even = z3.Extract(0, 0, v.k) == 0
        odd = z3.If(even, c.n - k, k)
        prepared = z3.LShR(odd, 1) + (1 << (windows * width - 1))
        return z3.And(v.r == prepared << spare, v.negative == mask(even))

    return _bits(
        f"odd_scalar<{windows}, {width}>",
        "sc k -> u32 r[9], u32 negative",
        f"{kind} o; odd_scalar(o, k); copy(r, o.windows); negative = o.negative",
        "the windows of (K - 1) / 2 + 2^(W T - 1), shifted up, for K = k, or n - k and the sign where k is even",
        claim,
        lambda v, c: [z3.ULT(v.k, c.n)],
    )


DIGITS = [
    _odd_digit(5),
    _odd_digit(9),
    _next_odd_digit(52, 5),
    _next_odd_digit(29, 9),
    _odd_scalar(52, 5),
    _odd_scalar(29, 9),
]


def _rounded(name):
    """(lower, upper) slack of r = round(k g / 2^384), as polynomials that are not negative."""

    def claims(v, c):
        exact = v.k * c.constant(f"GLV_{name}") + 2**383 - v.r * 2**384
        return [AtMost(-exact, 0), AtMost(exact, 2**384 - 1)]

    return Statement(
        f"multiply_round_384({name})",
        "sc k -> u32 r[5]",
        f"const u32 g[8] = GECC_GLV_{name}; multiply_round_384(r, k, g)",
        "r = k g / 2^384, rounded to the nearest integer",
        claims,
        curves=endomorphism,
    )


HALVES = [
    Statement(
        "sub_160",
        "u32 a[5], u32 b[5] -> u32 r[5]",
        "sub_160(r, a, b)",
        "r = a - b mod 2^160",
        lambda v, c: [Congruent(v.r - v.a + v.b, 2**160)],
        curves=endomorphism,
    ),
    _rounded("G1"),
    _rounded("G2"),
]

STATEMENTS = DIGITS + HALVES
