"""The statements about functions that compare, select, shift and cut numbers into digits, by bit vectors."""

import z3

from .project import R, weierstrass
from .statements import Statement, everywhere

FULL = 2**32 - 1


def mask(condition):
    return z3.If(condition, z3.BitVecVal(FULL, 32), z3.BitVecVal(0, 32))


def bit(condition):
    return z3.If(condition, z3.BitVecVal(1, 32), z3.BitVecVal(0, 32))


def is_mask(word):
    return z3.Or(word == 0, word == FULL)


def _statement(name, signature, call, says, claim, needs=lambda v, c: [], curves=everywhere, **more):
    return Statement(name, signature, call, says, lambda v, c: [claim(v, c)], needs, curves, bits=True, **more)


WORDS = [
    _statement(
        "leading_zeros",
        "u32 a -> u32 r",
        "r = (u32)leading_zeros(a)",
        "2^31 <= a 2^r < 2^32, for a that is not 0",
        lambda v, c: z3.And(z3.ULT(v.r, 32), z3.LShR(v.a << v.r, v.r) == v.a, z3.Extract(31, 31, v.a << v.r) == 1),
        lambda v, c: [v.a != 0],
    ),
    _statement(
        "mask_if",
        "u32 a -> u32 r",
        "r = mask_if(a != 0)",
        "r is the mask of a condition",
        lambda v, c: v.r == mask(v.a != 0),
    ),
    _statement("opaque", "u32 a -> u32 r", "r = opaque(a)", "r = a", lambda v, c: v.r == v.a),
    _statement("words_set_zero", "u32 a -> u32 r[8]", "words_set_zero(r)", "r = 0", lambda v, c: v.r == 0),
    _statement("words_copy", "u32 a[8] -> u32 r[8]", "words_copy(r, a)", "r = a", lambda v, c: v.r == v.a),
    _statement(
        "words_or",
        "u32 a[8] -> u32 r",
        "r = words_or(a)",
        "r = 0 exactly where a = 0",
        lambda v, c: (v.r == 0) == (v.a == 0),
    ),
    _statement(
        "words_difference",
        "u32 a[8], u32 b[8] -> u32 r",
        "r = words_difference(a, b)",
        "r = 0 exactly where a = b",
        lambda v, c: (v.r == 0) == (v.a == v.b),
    ),
    _statement(
        "words_select",
        "u32 mask, u32 a[8], u32 b[8] -> u32 r[8]",
        "words_select(r, mask, a, b)",
        "r = a or b, by the mask",
        lambda v, c: v.r == z3.If(v.mask == FULL, v.a, v.b),
        lambda v, c: [is_mask(v.mask)],
        ranges={"mask": (-1, 0)},
    ),
    _statement(
        "words_less",
        "u32 a[8], u32 b[8] -> u32 r",
        "r = words_less(a, b)",
        "r = (a < b)",
        lambda v, c: v.r == bit(z3.ULT(v.a, v.b)),
    ),
]


def _residue_is_zero(a, c):
    return z3.Or(*(a == multiple for multiple in range(0, R, c.p)))


ELEMENTS = [
    _statement("fe_constant", "u32 a[8] -> fe r", "r = fe_constant(a)", "r = a", lambda v, c: v.r == v.a),
    _statement("fe_zero", "u32 a -> fe r", "r = fe_zero()", "r = 0", lambda v, c: v.r == 0),
    _statement("fe_one", "u32 a -> fe r", "r = fe_one()", "r = F mod p", lambda v, c: v.r == c.factor % c.p),
    _statement(
        "fe_select",
        "u32 mask, fe a, fe b -> fe r",
        "r = fe_select(mask, a, b)",
        "r = a or b, by the mask",
        lambda v, c: v.r == z3.If(v.mask == FULL, v.a, v.b),
        lambda v, c: [is_mask(v.mask)],
        ranges={"mask": (-1, 0)},
    ),
    _statement(
        "fe_is_zero",
        "fe a -> u32 r",
        "r = fe_is_zero(a)",
        "r = (a = 0 mod p)",
        lambda v, c: v.r == bit(_residue_is_zero(v.a, c)),
    ),
    # That fe_sub gives a residue of a - b is a statement of its own.
    _statement(
        "fe_equal",
        "fe a, fe b -> u32 r, fe d",
        "d = fe_sub(a, b); r = fe_equal(a, b)",
        "r = (a - b = 0 mod p), where a - b is what fe_sub gives",
        lambda v, c: v.r == bit(_residue_is_zero(v.d, c)),
    ),
    _statement("sc_is_zero", "sc a -> u32 r", "r = sc_is_zero(a)", "r = (a = 0)", lambda v, c: v.r == bit(v.a == 0)),
    _statement(
        "sc_is_canonical",
        "u32 a[8] -> u32 r",
        "r = sc_is_canonical(a)",
        "r = (a < n)",
        lambda v, c: v.r == bit(z3.ULT(v.a, c.n)),
    ),
]


def _plus_order(v, c):
    total = z3.ZeroExt(8, v.x) + c.n
    return z3.And(
        v.is_coordinate == bit(z3.ULT(total, c.p)), z3.Implies(v.is_coordinate == 1, z3.ZeroExt(8, v.r) == total)
    )


COMPARISONS = [
    _statement(
        "plus_order",
        "u32 x[8] -> u32 r[8], u32 is_coordinate",
        "is_coordinate = plus_order(r, x)",
        "says whether x + n < p, and r = x + n then",
        _plus_order,
        curves=weierstrass,
    )
]


def _limb(i):
    def claim(v, c):
        last = min(30 * i + 29, 255)
        return v.r == z3.ZeroExt(31 - (last - 30 * i), z3.Extract(last, 30 * i, v.a))

    return _statement(
        f"limb30({i})", "u32 a[8] -> u32 r", f"r = (u32)limb30(a, {i})", "r = bits 30 i .. 30 i + 29 of a", claim
    )


STATEMENTS = WORDS + ELEMENTS + COMPARISONS + [_limb(i) for i in range(9)]
