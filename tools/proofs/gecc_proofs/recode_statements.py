"""The statements about cuda/curve/recode.cuh: digits, and the rounding of the endomorphism's halves."""

import itertools

import z3

from .bit_statements import FULL, mask
from .bits import BitMachine
from .nvrtc import compile_to_ptx
from .probes import kernel_name, source
from .prove_bits import named, numbers, solver_of_bits
from .project import Wrong, weierstrass
from .ptx import instructions, kernels
from .statements import AtMost, Congruent, Statement


def endomorphism(curve):
    return bool(curve.endomorphism)


def _bits(name, signature, call, says, claim, needs=lambda v, c: [], curves=weierstrass, **more):
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


def _next_odd_digit(windows, width, curves=weierstrass):
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
        curves,
        ranges={"sign": (-1, 0)},
    )


def _prepare_windows(windows, width):
    words = (windows * width + 31) // 32
    spare = 32 * words - windows * width

    def claim(v, c):
        return v.r == (z3.LShR(z3.Concat(v.top, v.low), 1) + (1 << (windows * width - 1))) << spare

    return _bits(
        f"prepare_windows<{windows}, {width}>",
        f"u32 low[{words - 1}], u32 top -> u32 r[{words}]",
        f"OddScalar<{windows}, {width}> o; for (int i = 0; i < {words - 1}; i++) o.windows[i] = low[i]; "
        f"o.windows[{words - 1}] = top; prepare_windows(o); copy(r, o.windows)",
        "the windows of (a - 1) / 2 + 2^(W T - 1), shifted up, for an odd a < 2^(W T)",
        claim,
        lambda v, c: [z3.Extract(0, 0, v.low) == 1, z3.ULT(v.top, 1 << (32 - spare))],
        endomorphism,
        ranges={"top": (0, (1 << (32 - spare)) - 1)},
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
    _prepare_windows(26, 5),
    _next_odd_digit(26, 5, endomorphism),
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

def window_digit(name, says):
    """The digit of a window, by a function that asks for the words of the number."""
    return Statement(
        name,
        "u32 k[8], u32 i, u32 bits -> u32 digit",
        f"digit = (u32){name}([&k](int j) {{ return "
        + "".join(f"j == {word} ? k[{word}] : " for word in range(7))
        + "k[7]; }, (int)i, (int)bits)",
        says,
        None,
        bits=True,
    )


def digit_found(code, k, i, bits):
    """What the code of such a statement gives."""
    machine = BitMachine([*k, *numbers([i, bits])])
    machine.run(code)
    return machine.results[0]


def window_of(k, i, bits):
    """Window i plus the bit below it, and 2^bits times the bit on the window's top."""
    extended = z3.Concat(z3.BitVecVal(0, 64), *reversed(k), z3.BitVecVal(0, 1))  # bit j of k is bit j + 1
    low = bits * i
    window = z3.ZeroExt(32 - bits, z3.Extract(low + bits, low + 1, extended))
    below = z3.ZeroExt(31, z3.Extract(low, low, extended))
    top = z3.ZeroExt(31, z3.Extract(low + bits, low + bits, extended))
    return window + below, top << bits


WINDOW_DIGIT = window_digit("window_digit", "window i and the bit below it, less 2^bits times the window's top bit")


def check_window_digits(curve, architecture):
    """Every digit of every width is the window, plus the bit below, less 2^bits times the bit on its top.

    The bits of a window and below cancel in the sum of digit_i 2^(bits i), which is k: what stands above the last
    window's top bit is 0, unless bits divides 256.
    """
    text = '#include "curve/multiply_add.cuh"\n' + source([WINDOW_DIGIT], curve)
    code = instructions(kernels(compile_to_ptx(text, curve, architecture))[kernel_name(WINDOW_DIGIT)])
    k = [z3.BitVec(f"k{word}", 32) for word in range(8)]
    for bits in range(1, 31):
        for i in range(-(-256 // bits)):
            window, top = window_of(k, i, bits)
            solver = z3.Solver()
            solver.add(digit_found(code, k, i, bits) != window - top)
            if solver.check() != z3.unsat:
                raise Wrong(f"digit {i} of windows of {bits} bits is another")


def _next_digit(words):
    return Statement(
        f"next_digit<{words}>",
        f"u32 k[{words}], u32 carry, u32 negative, u32 bits -> u32 r[{words}], u32 carry_out, u32 digit",
        f"SignedDigits<{words}> s; for (int i = 0; i < {words}; i++) s.rest[i] = k[i]; "
        "s.carry = carry; s.negate = negative; s.bits = (int)bits; digit = (u32)next_digit(s); "
        "copy(r, s.rest); carry_out = s.carry",
        "what was left is the digit, plus 2^W times what is left then",
        None,
        bits=True,
    )


NEXT_DIGIT = [_next_digit(words) for words in (5, 8)]
WIDTHS = range(1, 31)


def _is_next_digit(v, width):
    """With k = 2^W r + low: low + carry = d + 2^W carry_out, so that k + carry = d + 2^W (r + carry_out)."""
    half = 1 << (width - 1)
    digit = z3.If(v.negative == 1, -v.digit, v.digit)
    low = z3.ZeroExt(32 - width, z3.Extract(width - 1, 0, v.k))
    return [
        v.r == z3.LShR(v.k, width),
        low + v.carry == digit + (v.carry_out << width),
        z3.And(digit > -half, digit <= half),
        z3.ULE(v.carry_out, 1),
    ]


def check_next_digits(curve, architecture, changed=None):
    """Checks every width: the rest is a digit plus 2^W times the next rest.

    If the rest is 0, the digit is 0 too.
    """
    text = source(NEXT_DIGIT, curve)
    bodies = kernels(compile_to_ptx(text, curve, architecture, changed))
    for statement, words in zip(NEXT_DIGIT, (5, 8)):
        code = instructions(bodies[kernel_name(statement)])
        k = [z3.BitVec(f"k{word}", 32) for word in range(words)]
        for width, carry, negative in itertools.product(WIDTHS, (0, 1), (0, 1)):
            arguments = k + numbers([carry, negative, width])
            machine = BitMachine(arguments)
            machine.run(code)
            results = [machine.results[i] for i in range(words + 2)]
            for claim in _is_next_digit(named(statement, curve, arguments, results), width):
                solver = solver_of_bits()
                solver.add(z3.simplify(z3.Not(claim)))
                if solver.check() != z3.unsat:
                    raise Wrong(f"a digit of {width} bits is another")


def check_number_of_digits(curve):
    """Checks that the digits represent the whole number.

    A number up to n / 2 has ceil(256 / W) digits, and one below 2^129 has ceil(130 / W). Before the
    last digit, the rest is k / 2^(W (T - 1)), rounded down, plus at most a carry. That is at most
    2^(W-1), so that the last digit has no carry and the final rest is 0.
    """
    for limit, bits in ((curve.n // 2, 256), *([((1 << 129) - 1, 130)] if curve.endomorphism else [])):
        for width in WIDTHS:
            count = -(-bits // width)
            if (limit >> (width * (count - 1))) + 1 > 1 << (width - 1):
                raise Wrong(f"{count} digits of {width} bits are not enough")
