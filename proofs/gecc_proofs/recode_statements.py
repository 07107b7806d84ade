"""The statements about cuda/curve/recode.cuh: digits, and the rounding of the endomorphism's halves."""

import z3

from .bit_statements import FULL, mask
from .bits import BitMachine
from .nvrtc import compile_to_ptx
from .probes import kernel_name, source
from .project import Wrong
from .ptx import instructions, kernels
from .statements import AtMost, Congruent, Statement, everywhere


def endomorphism(curve):
    return bool(curve.endomorphism)


def _bits(name, signature, call, says, claim, needs=lambda v, c: [], curves=everywhere, **more):
    return Statement(name, signature, call, says, lambda v, c: [claim(v, c)], needs, curves, bits=True, **more)


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
        ranges={"window": (0, (1 << width) - 1)},
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
        ranges={"sign": (-1, 0)},
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
        "product_160",
        "u32 a[5], u32 b[5] -> u32 r[5]",
        "product_160(r, a, b)",
        "r = a b mod 2^160",
        lambda v, c: [Congruent(v.r - v.a * v.b, 2**160)],
        curves=endomorphism,
    ),
    Statement(
        "sub_160",
        "u32 a[5], u32 b[5] -> u32 r[5]",
        "sub_160(r, a, b)",
        "r = a - b mod 2^160",
        lambda v, c: [Congruent(v.r - v.a + v.b, 2**160)],
        curves=endomorphism,
    ),
    Statement(
        "add_masked_160",
        "u32 s[5], u32 a[5], u32 mask -> u32 r[5]",
        "copy(r, s); add_masked_160(r, a, mask)",
        "r = s + a mod 2^160, or s, by the mask",
        # A mask of m is read as -m.
        lambda v, c: [Congruent(v.r - v.s + v.mask * v.a, 2**160)],
        curves=endomorphism,
        ranges={"mask": (-1, 0)},
    ),
    _bits(
        "to_magnitude_160",
        "u32 a[5] -> u32 r[5], u32 negative",
        "negative = to_magnitude_160(r, a)",
        "r = |a| for a in two's complement, and the mask of a < 0",
        lambda v, c: z3.And(v.r == z3.If(v.a < 0, -v.a, v.a), v.negative == mask(v.a < 0)),
        curves=endomorphism,
    ),
    _rounded("G1"),
    _rounded("G2"),
]

STATEMENTS = DIGITS + HALVES

WINDOW_DIGIT = Statement(
    "window_digit",
    "u32 k[8], u32 i, u32 bits -> u32 digit",
    "digit = (u32)window_digit([&k](int j) { return "
    + "".join(f"j == {word} ? k[{word}] : " for word in range(7))
    + "k[7]; }, (int)i, (int)bits)",
    "window i and the bit below it, less 2^bits times the window's top bit",
    None,
    bits=True,
)


def check_window_digits(curve, architecture):
    """Every digit of every width is the window, plus the bit below, less 2^bits times the bit on its top.

    The bits of a window and below cancel in the sum of digit_i 2^(bits i), which is k: what stands above the last
    window's top bit is 0, unless bits divides 256.
    """
    text = '#include "curve/multiply_add.cuh"\n' + source([WINDOW_DIGIT], curve)
    code = instructions(kernels(compile_to_ptx(text, curve, architecture))[kernel_name(WINDOW_DIGIT)])
    k = [z3.BitVec(f"k{word}", 32) for word in range(8)]
    extended = z3.Concat(z3.BitVecVal(0, 64), *reversed(k), z3.BitVecVal(0, 1))  # bit j of k is bit j + 1
    for bits in range(1, 31):
        for i in range(-(-256 // bits)):
            machine = BitMachine([*k, z3.BitVecVal(i, 32), z3.BitVecVal(bits, 32)])
            machine.run(code)
            low = bits * i
            window = z3.ZeroExt(32 - bits, z3.Extract(low + bits, low + 1, extended))
            below = z3.ZeroExt(31, z3.Extract(low, low, extended))
            top = z3.ZeroExt(31, z3.Extract(low + bits, low + bits, extended))
            solver = z3.Solver()
            solver.add(machine.results[0] != window + below - (top << bits))
            if solver.check() != z3.unsat:
                raise Wrong(f"digit {i} of windows of {bits} bits is another")
