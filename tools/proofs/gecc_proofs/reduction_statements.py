"""The statements about the parts of cuda/field/: products, reductions, and numbers whose reduction is put off."""

from .polynomial import number
from .project import R
from .statements import AtMost, Congruent, Statement, below, equal, everywhere

FULL = 2**32 - 1


def folds(curve):
    return curve.reduction == "FOLD"


def folds_255(curve):
    return curve.reduction == "FOLD_255"


def plain(curve):
    """Whether elements are stored as they are."""
    return curve.factor == 1


def loose(curve):
    """Whether an element is any number below R."""
    return curve.loose == R


def shapeless(curve):
    return curve.reduction == "MONTGOMERY"


def p256(curve):
    return curve.reduction == "P256"


def sm2(curve):
    return curve.reduction == "SM2"


def top_word(curve):
    """Whether open numbers have one word above 2^256."""
    return p256(curve) or sm2(curve)


def opens(curve):
    return curve.opens


def sparse(curve):
    return curve.sparse_order


def dense(curve):
    return not curve.sparse_order


PRODUCTS = [
    Statement(
        "product",
        "u32 a[8], u32 b[8] -> u32 r[16]",
        "product(r, a, b)",
        "r = a b",
        lambda v, c: [equal(v.r - v.a * v.b)],
    ),
    Statement(
        "square",
        "u32 a[8] -> u32 r[16]",
        "square(r, a)",
        "r = a^2",
        lambda v, c: [equal(v.r - v.a * v.a)],
    ),
    Statement(
        "merge_even_odd",
        "u32 even[16], u32 odd[15] -> u32 r[16]",
        "merge_even_odd(r, even, odd)",
        "r = even + 2^32 odd, where that is below 2^512",
        lambda v, c: [equal(v.r - v.even - v.odd * 2**32)],
        lambda v, c: [v.even + v.odd * 2**32 - (2**512 - 1)],
    ),
]


def _modular(name, modulus_of, type_name, sign, curves):
    says = f"r = a {'+' if sign > 0 else '-'} b mod M, r < M, for a, b < M"
    return Statement(
        f"{name}<{type_name}>",
        "u32 a[8], u32 b[8] -> u32 r[8]",
        f"{name}<{type_name}>(r, a, b)",
        says,
        lambda v, c: [Congruent(v.r - v.a - v.b * sign, modulus_of(c)), below(v.r, modulus_of(c))],
        lambda v, c: [v.a - (modulus_of(c) - 1), v.b - (modulus_of(c) - 1)],
        curves,
    )


def _reduce(name, modulus_of, curves, call=None):
    return Statement(
        name,
        "u32 t[16] -> u32 r[8]",
        call or f"{name}(r, t)",
        "r R = t mod M, r < M, for t < R M",
        lambda v, c: [Congruent(v.r * R - v.t, modulus_of(c)), below(v.r, modulus_of(c))],
        lambda v, c: [v.t - (R * modulus_of(c) - 1)],
        curves,
    )


def _row(type_name, modulus_of, curves):
    def claims(v, c):
        before = v.own + v.below + (v.other + v.carry * 2**192).scaled(2**32)
        return [Congruent(v.r + v.s * 2**32 - before, modulus_of(c)), AtMost(v.words["r"][0], 0)]

    return Statement(
        f"montgomery_row<{type_name}>",
        "u32 own[8], u32 other[6], u32 carry, u32 below -> u32 r[9], u32 s[8]",
        "u32 modulus[8]; for (int i = 0; i < 8; i++) { modulus[i] = %s::word(i); r[i] = own[i]; } "
        "for (int i = 0; i < 6; i++) s[i] = other[i]; s[6] = carry; s[7] = 0; "
        "montgomery_row<%s>(r, s, below, modulus)" % (type_name, type_name),
        "own + 2^32 other + below is kept modulo M, and its lowest word becomes 0",
        claims,
        curves=curves,
        ranges={"carry": (0, 1)},
    )


def _field(curve):
    return curve.p


def _order(curve):
    return curve.n


MODULI = [
    _modular("add_modulo", _order, "OrderModulus", 1, everywhere),
    _modular("sub_modulo", _order, "OrderModulus", -1, everywhere),
    _modular("add_modulo", _field, "FieldModulus", 1, shapeless),
    _modular("sub_modulo", _field, "FieldModulus", -1, shapeless),
    _row("FieldModulus", _field, shapeless),
    _row("OrderModulus", _order, dense),
    _reduce("montgomery_reduce<FieldModulus>", _field, shapeless),
    _reduce("montgomery_reduce<OrderModulus>", _order, dense),
    _reduce("sparse_reduce", _order, sparse),
    _reduce("sc_reduce", _order, everywhere),
]

LOW = "const u32 n[8] = GECC_N; const u32 low[4] = {n[0], n[1], n[2], n[3]}; "

SPARSE = [
    Statement(
        "sparse_row",
        "u32 own[4], u32 other[2], u32 carry, u32 below -> u32 r[5], u32 s[4], u32 m",
        LOW + "for (int i = 0; i < 4; i++) r[i] = own[i]; s[0] = other[0]; s[1] = other[1]; s[2] = carry; s[3] = 0; "
        "m = sparse_row(r, s, below, low)",
        "r + 2^32 s = own + 2^32 other + below + m low, and the lowest word of r is 0",
        lambda v, c: [
            equal(v.r + v.s * 2**32 - v.own - v.below - (v.other + v.carry * 2**64) * 2**32 - v.m * (c.n % 2**128)),
            AtMost(v.words["r"][0], 0),
        ],
        curves=sparse,
        ranges={"carry": (0, 1)},
    ),
    Statement(
        "sparse_block",
        "u32 t[4] -> u32 m[4], u32 above[4], u32 carry",
        "carry = sparse_block(m, above, t)",
        "t + m low = 2^128 (above + 2^128 carry)",
        lambda v, c: [equal(v.t + v.m * (c.n % 2**128) - (v.above + v.carry * 2**128) * 2**128)],
        curves=sparse,
    ),
]


def _fold_carry(which, curves, most):
    return Statement(
        "fold_carry",
        "u32 a[8], u32 carry -> u32 r[8]",
        "copy(r, a); fold_carry(r, carry)",
        f"r = a + 2^256 carry mod p, for a carry {which}",
        lambda v, c: [Congruent(v.r - v.a - v.carry * R, c.p)],
        curves=curves,
        ranges={"carry": (0, most)},
    )


FOLD = [
    _fold_carry("of 0 or 1", folds, 1),
    _fold_carry("below 2^26", folds_255, 2**26 - 1),
    Statement(
        "fold_borrow",
        "u32 a[8], u32 borrow -> u32 r[8]",
        "copy(r, a); fold_borrow(r, borrow)",
        "r = a - 2^256 d mod p where borrow is the mask of d",
        lambda v, c: [Congruent(v.r - v.a - v.borrow * R, c.p)],
        curves=plain,
        ranges={"borrow": (-1, 0)},
    ),
    Statement(
        "fold_high_half",
        "u32 t[16] -> u32 r[10]",
        "fold_high_half(r, t)",
        "r = t mod p, its words 8 and 9 are at most 2^256 - p",
        lambda v, c: [Congruent(v.r - v.t, c.p), AtMost(number(v.words["r"][8:]), R - c.p)],
        curves=folds,
    ),
    Statement(
        "fold_reduce",
        "u32 t[16] -> u32 r[8]",
        "fold_reduce(r, t)",
        "r = t mod p",
        lambda v, c: [Congruent(v.r - v.t, c.p)],
        curves=plain,
    ),
    Statement(
        "fold_multiply",
        "u32 a[8], u32 factor -> u32 r[8]",
        "fold_multiply(r, a, factor)",
        "r = factor a mod p, for a factor below 2^26",
        lambda v, c: [Congruent(v.r - v.a * v.factor, c.p)],
        curves=folds_255,
        ranges={"factor": (0, 2**26 - 1)},
    ),
    Statement(
        "fold_canonical",
        "u32 a[8] -> u32 r[8]",
        "fold_canonical(r, a)",
        "r = a mod p, r < p",
        lambda v, c: [Congruent(v.r - v.a, c.p), below(v.r, c.p)],
        curves=folds_255,
    ),
    Statement(
        "fold_settle",
        "u32 low[8], u32 eighth, u32 ninth -> u32 r[8]",
        "u32 open[10]; for (int i = 0; i < 8; i++) open[i] = low[i]; open[8] = eighth; open[9] = ninth; "
        "fold_settle(r, open)",
        "r = open mod p, for words 8 and 9 between -2^33 and 2^33 in two's complement",
        lambda v, c: [Congruent(v.r - v.low - (v.eighth + v.ninth * 2**32) * R, c.p)],
        lambda v, c: [v.eighth + v.ninth * 2**32 - 2**33, -(2**33) - v.eighth - v.ninth * 2**32],
        folds,
        ranges={"ninth": (-2, 2)},
    ),
]

TOP_WORD = [
    Statement(
        "p_subtract",
        "u32 a[8], u32 top -> u32 r[8], u32 carry",
        "copy(r, a); carry = p_subtract(r, top)",
        "r + 2^256 carry = a + top (2^256 - p), for top of 0 or 1",
        lambda v, c: [equal(v.r + v.carry * R - v.a - v.top * (R - c.p))],
        curves=top_word,
        ranges={"top": (0, 1)},
    ),
    Statement(
        "p_reduce_open",
        "u32 t[16] -> u32 r[9]",
        "p_reduce_open(r, t)",
        "r R = t mod p, r < R + p, its top word at most 1",
        lambda v, c: [Congruent(v.r * R - v.t, c.p), below(v.r, R + c.p), AtMost(v.words["r"][8], 1)],
        curves=top_word,
    ),
    Statement(
        "p_complement",
        "u32 q -> u32 r[8]",
        "p_complement(r, q)",
        "r = q (2^256 - p) mod 2^256, for q from -5 to 2",
        lambda v, c: [Congruent(v.r - v.q * (R - c.p), R)],
        curves=top_word,
        ranges={"q": (-5, 2)},
    ),
    Statement(
        "fe_complement",
        "u32 carry, u32 twice -> u32 r[8]",
        "fe_complement(r, twice ? carry + carry : carry, 0 - carry)",
        "r = q (2^256 - p), for q of 0, 1 or 2 and the mask of q not 0",
        lambda v, c: [equal(v.r - (v.carry + v.carry * v.twice) * (R - c.p))],
        curves=top_word,
        ranges={"carry": (0, 1), "twice": (0, 1)},
    ),
]

ELEMENT_REDUCTION = Statement(
    "fe_reduce",
    "u32 t[16] -> u32 r[8]",
    "fe_reduce(r, t)",
    "r F = t mod p (and r < p for t < R p, where p has no shape)",
    lambda v, c: [Congruent(v.r * c.factor - v.t, c.p), below(v.r, c.loose)],
    lambda v, c: [] if loose(c) else [v.t - (R * c.p - 1)],
)


def _open(name, signature, call, says, difference, subtracted, ranges=None):
    """A function that returns an open number, in two's complement, and its sign as a mask."""

    def claims(v, c):
        unit = 1 << (32 * c.open_words)
        signed = v.r * FULL - v.sign * unit  # FULL times the number
        above = R * (R - c.p + 1) if folds(c) else 2 * R
        least = -R * (R - c.p) if folds(c) else -R
        return [
            Congruent(signed * c.factor - difference(v) * FULL, c.p),
            AtMost(signed, FULL * (above - 1)),
            AtMost(-signed, -FULL * least if subtracted else 0),
        ]

    call = call + "; sign = (u32)((i32)r.v[kOpenWords - 1] >> 31)"
    return Statement(name, signature + " -> fe_open r, u32 sign", call, says, claims, curves=opens, ranges=ranges or {})


OPEN = [
    _open("open_mul", "fe a, fe b", "r = open_mul(a, b)", "r F = a b mod p, 0 <= r < A", lambda v: v.a * v.b, False),
    _open("open_sqr", "fe a", "r = open_sqr(a)", "r F = a^2 mod p, 0 <= r < A", lambda v: v.a * v.a, False),
    _open(
        "open_mul_less_mul",
        "fe a, fe b, fe c, fe d",
        "r = open_mul_less_mul(a, b, c, d)",
        "r F = a b - c d mod p, -B <= r < A",
        lambda v: v.a * v.b - v.c * v.d,
        True,
    ),
    _open(
        "open_mul_less_sqr",
        "fe a, fe b, fe c",
        "r = open_mul_less_sqr(a, b, c)",
        "r F = a b - c^2 mod p, -B <= r < A",
        lambda v: v.a * v.b - v.c * v.c,
        True,
    ),
    _open(
        "open_reduce",
        "u32 t[16], u32 borrow",
        "r = open_reduce(t, borrow)",
        "r F = t - 2^512 d mod p where borrow is the mask of d, -B <= r < A",
        lambda v: v.t + v.borrow * R * R,
        True,
        {"borrow": (-1, 0)},
    ),
    Statement(
        "open_sub",
        "fe_open a, fe b -> fe_open r",
        "r = open_sub(a, b)",
        "r = a - b in two's complement",
        lambda v, c: [Congruent(v.r - v.a + v.b, 1 << (32 * c.open_words))],
        curves=opens,
    ),
    Statement(
        "open_settle",
        "u32 low[8], u32 top -> fe r",
        "fe_open a; for (int i = 0; i < 8; i++) a.v[i] = low[i]; a.v[8] = top; r = open_settle(a)",
        "r = a mod p, for -4 R <= a < 2 R",
        lambda v, c: [Congruent(v.r - v.low - v.top * R, c.p)],
        curves=top_word,
        ranges={"top": (-4, 1)},
    ),
    Statement(
        "open_settle",
        "u32 low[8], u32 eighth, u32 ninth -> fe r",
        "fe_open a; for (int i = 0; i < 8; i++) a.v[i] = low[i]; a.v[8] = eighth; a.v[9] = ninth; r = open_settle(a)",
        "r = a mod p, for -2^289 <= a < 2^289",
        lambda v, c: [Congruent(v.r - v.low - (v.eighth + v.ninth * 2**32) * R, c.p)],
        lambda v, c: [v.eighth + v.ninth * 2**32 - 2**33, -(2**33) - v.eighth - v.ninth * 2**32],
        folds,
        ranges={"ninth": (-2, 2)},
    ),
]

STATEMENTS = PRODUCTS + MODULI + SPARSE + FOLD + TOP_WORD + [ELEMENT_REDUCTION] + OPEN
