"""The statements about the digits of curve/edwards_multiply.cuh, and the rows of curve/halves.cuh."""

import z3

from .bits import BitMachine, leading_zeros
from .edwards_loops import LIMIT, UNIFORM_WIDTH, WIDTH, halves, windows
from .nvrtc import compile_to_ptx
from .probes import kernel_name, source
from .project import Wrong, edwards
from .prove_bits import joined, solver_of_bits
from .ptx import instructions, kernels
from .recode_statements import digit_found, window_digit, window_of
from .statements import Congruent, Statement, equal


def _add_halves(width):
    return Statement(
        f"ed_add_halves<{width}>",
        "u32 value[8] -> u32 r[8]",
        f"ed_add_halves<{width}>(r, value)",
        "r = value + the sum of 2^(W i + W - 1) over all windows i but the last, for value < 2^253",
        lambda v, c: [equal(v.r - v.value - halves(width))],
        lambda v, c: [v.value - (LIMIT - 1)],
        edwards,
    )


PLACE = Statement(
    "ed_place",
    "u32 digit -> u32 r",
    "r = (u32)ed_place((i32)digit)",
    "r + 1 = |digit|",
    lambda v, c: [v.r + 1 == z3.If(v.digit < 0, -v.digit, v.digit)],
    curves=edwards,
    bits=True,
)

def _quotient_claim(v, c):
    """The quotient r from x, the highest 32 bits of d, and y, the bits of d' in the same places.

    r is x / (y + 1), rounded down, or 1 if that is 0; r is 0 if y is 0. So (y + 1) r is at most x,
    and d' r at most d, because the bits below the 32 contribute less than 1.
    """
    words = lambda number: [z3.Extract(32 * w + 31, 32 * w, number) for w in range(8)]
    d, other = words(v.d), words(v.other)
    pairs = [(z3.Concat(d[w], d[w - 1]), z3.Concat(other[w], other[w - 1])) for w in range(4, 8)]
    whole, part = pairs[0]
    for w in range(5, 8):
        whole, part = z3.If(d[w] != 0, pairs[w - 4][0], whole), z3.If(d[w] != 0, pairs[w - 4][1], part)
    shift = z3.ZeroExt(32, leading_zeros(z3.Extract(63, 32, whole)))
    x, y = (z3.Extract(63, 32, pair << shift) for pair in (whole, part))
    quotient = z3.UDiv(x, y + 1)
    at_least_once = z3.If(z3.Or(y == 2**32 - 1, quotient == 0), 1, quotient)
    return [v.r == z3.If(y == 0, z3.BitVecVal(0, 32), at_least_once)]


QUOTIENT = Statement(
    "ed_quotient",
    "u32 d[8], u32 other[8] -> u32 r",
    "r = ed_quotient(d, other)",
    "d' r is at most d, and r at least 1, for d' <= d and d >= 2^128; or r is 0",
    _quotient_claim,
    curves=edwards,
    bits=True,
)

REDUCE = Statement(
    "ed_reduce",
    "u32 c[5], u32 d[8], u32 other_c[5], u32 other_d[8], u32 times -> u32 new_c[5], u32 new_d[8]",
    "EdRow row, other; copy(row.c, c); copy(row.d, d); copy(other.c, other_c); copy(other.d, other_d); "
    "ed_reduce(row, other, times); copy(new_c, row.c); copy(new_d, row.d)",
    "c + times c' mod 2^160 and d - times d' mod 2^256",
    lambda v, c: [
        Congruent(v.new_c - v.c - v.times * v.other_c, 2**160),
        Congruent(v.new_d - v.d + v.times * v.other_d, 2**256),
    ],
    curves=edwards,
)

SCALAR_BITS = 253  # for which tables have windows
WIDTHS = (WIDTH, UNIFORM_WIDTH)
STATEMENTS = [*map(_add_halves, WIDTHS), PLACE, QUOTIENT, REDUCE]


def _digit(width):
    return Statement(
        f"ed_digit<{width}>",
        "u32 sum[8], u32 window -> u32 digit",
        f"digit = (u32)ed_digit<{width}>(sum, (int)window)",
        "a window of the sum, less half of 2^W but for the last",
        None,
        bits=True,
    )


TABLE_DIGIT = window_digit(
    "ed_window_digit",
    "window i and the bit below it, less 2^bits times the window's top bit, but for the last window",
)


def check_table_digits(curve, architecture, changed=None):
    """Every digit of every width of a scalar below n is the window, plus the bit below, less 2^bits times the bit on
    its top unless it is the last one, and at most 2^(bits - 1) either way: the entries of a table.

    The bits of a window and below cancel in the sum of digit_i 2^(bits i), and above the last window there is nothing.
    """
    text = '#include "curve/edwards_tables.cuh"\n' + source([TABLE_DIGIT], curve)
    code = instructions(kernels(compile_to_ptx(text, curve, architecture, changed))[kernel_name(TABLE_DIGIT)])
    k = [z3.BitVec(f"k{word}", 32) for word in range(8)]
    for bits in range(3, 31):
        last = -(-SCALAR_BITS // bits) - 1
        for i in range(last + 1):
            window, top = window_of(k, i, bits)
            expected = window - (0 if i == last else top)
            most, digit = 1 << (bits - 1), digit_found(code, k, i, bits)
            solver = solver_of_bits()
            solver.add(z3.ULT(joined(k), curve.n))
            solver.add(z3.Or(digit != expected, digit > most, digit < -most))
            if solver.check() != z3.unsat:
                raise Wrong(f"digit {i} of tables with windows of {bits} bits is another")


def check_window_digits(curve, architecture, changed=None):
    """Every window of every width: its bits, less half of 2^W but for the last one."""
    statements = {width: _digit(width) for width in WIDTHS}
    bodies = kernels(compile_to_ptx(source(statements.values(), curve), curve, architecture, changed))
    words = [z3.BitVec(f"sum{word}", 32) for word in range(8)]
    whole = joined(words)
    for width, statement in statements.items():
        code, last = instructions(bodies[kernel_name(statement)]), windows(width) - 1
        for i in range(last + 1):
            machine = BitMachine([*words, z3.BitVecVal(i, 32)])
            machine.run(code)
            window = z3.ZeroExt(32 - width, z3.Extract(width * (i + 1) - 1, width * i, whole))
            solver = solver_of_bits()
            solver.add(machine.results[0] != window - (0 if i == last else 1 << (width - 1)))
            if solver.check() != z3.unsat:
                raise Wrong(f"digit {i} of windows of {width} bits is another")
