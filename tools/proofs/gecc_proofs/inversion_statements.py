"""The statements about cuda/field/inverse.cuh: the pieces that the inversion by division steps is made of.

Numbers are nine limbs of 30 bits, the top one with the sign. Where a result's top limb is negative, the kernel adds TOP
to it, so that it is stored as a number without a sign.
"""

from .polynomial import number
from .statements import AtMost, Statement, equal

FULL = 2**32 - 1
LIMB = 2**30
TOP = 2**24
# What the top limb of a number between -2 M and 2 M can be.
TOP_RANGE = (-(2**17), 2**17)

MATRIX = "i32 u, i32 v, i32 q, i32 r"
MATRIX_RANGES = {name: (-LIMB, LIMB) for name in "uvqr"}


def _take(name):
    return f"i32 {name}[9]; for (int i = 0; i < 8; i++) {name}[i] = {name}_low[i]; {name}[8] = {name}_top; "


def _give(name):
    return f"; for (int i = 0; i < 8; i++) {name}_out[i] = {name}[i]; {name}_out[8] = (u32){name}[8] + {TOP}u"


def _before(v, name):
    return number(v.words[f"{name}_low"], 30) + getattr(v, f"{name}_top") * 2**240


def _after(v, name):
    return number(v.words[f"{name}_out"], 30) - 2**240 * TOP


def _limb_bounds(v, name):
    return [AtMost(word, LIMB - 1) for word in v.words[f"{name}_out"][:8]]


def _row_bounds(v):
    """|u| + |v| and |q| + |r| are at most 2^30, which divsteps_30 keeps."""
    rows = ((v.u, v.v), (v.q, v.r))
    return [a * s + b * t - LIMB for a, b in rows for s in (1, -1) for t in (1, -1)]


def _values(v, c):
    rest_f = v.u * _before(v, "f") + v.v * _before(v, "g") - _after(v, "f") * LIMB
    rest_g = v.q * _before(v, "f") + v.r * _before(v, "g") - _after(v, "g") * LIMB
    return [equal(rest_f - v.dropped_f), equal(rest_g - v.dropped_g)] + _limb_bounds(v, "f") + _limb_bounds(v, "g")


def _cofactors(modulus):
    def claims(v, c):
        m = modulus(c)
        # Inputs below 0 are raised by M first, so that both are between -M and M. All is times FULL, for the masks.
        d = _before(v, "d") * FULL + v.d_negative * m
        e = _before(v, "e") * FULL + v.e_negative * m
        return (
            [
                equal(v.u * d + v.v * e - (v.k_d * m + _after(v, "d") * LIMB) * FULL),
                equal(v.q * d + v.r * e - (v.k_e * m + _after(v, "e") * LIMB) * FULL),
                AtMost(v.k_d, LIMB - 1),
                AtMost(v.k_e, LIMB - 1),
            ]
            + _limb_bounds(v, "d")
            + _limb_bounds(v, "e")
        )

    return claims


def _limbs_of(type_name):
    return (
        f"u32 words[8]; i32 modulus[9]; for (int i = 0; i < 8; i++) words[i] = {type_name}::word(i); "
        "for (int i = 0; i < 9; i++) modulus[i] = limb30(words, i); "
    )


def _two(first, second):
    return ", ".join(f"i32 {name}_low[8], i32 {name}_top" for name in (first, second))


def _ranges(*names):
    result = {}
    for name in names:
        result |= {f"{name}_low": (0, LIMB - 1), f"{name}_top": TOP_RANGE}
    return result


APPLY_TO_VALUES = Statement(
    "apply_to_values",
    f"{_two('f', 'g')}, {MATRIX} -> u32 f_out[9], u32 g_out[9], u32 dropped_f, u32 dropped_g",
    "DivstepMatrix t = {u, v, q, r}; "
    + _take("f")
    + _take("g")
    + "dropped_f = (u32)((i64)u * f[0] + (i64)v * g[0]) & kLimbMask; "
    "dropped_g = (u32)((i64)q * f[0] + (i64)r * g[0]) & kLimbMask; "
    "apply_to_values(f, g, t)" + _give("f") + _give("g"),
    "2^30 (f', g') = (u f + v g, q f + r g) less what is left of the lowest limbs modulo 2^30; limbs below 2^30",
    _values,
    ranges=_ranges("f", "g") | MATRIX_RANGES,
)


def _multiple(k, first, second, type_name):
    """C++ that sets k to the multiple of M that makes the division exact."""
    return (
        f"{k} = ({type_name}::inv30() * (u32)((i64){first} * d[0] + (i64){second} * e[0]) + "
        f"(u32)(({first} & (d[8] >> 31)) + ({second} & (e[8] >> 31)))) & kLimbMask; "
    )


def _apply_to_cofactors(type_name, modulus):
    return Statement(
        f"apply_to_cofactors<{type_name}>",
        f"{_two('d', 'e')}, {MATRIX} -> u32 d_out[9], u32 e_out[9], u32 d_negative, u32 e_negative, u32 k_d, u32 k_e",
        "DivstepMatrix t = {u, v, q, r}; "
        + _limbs_of(type_name)
        + _take("d")
        + _take("e")
        + "d_negative = (u32)(d[8] >> 31); e_negative = (u32)(e[8] >> 31); "
        + _multiple("k_d", "u", "v", type_name)
        + _multiple("k_e", "q", "r", type_name)
        + f"apply_to_cofactors<{type_name}>(d, e, t, modulus)"
        + _give("d")
        + _give("e"),
        "2^30 (d', e') = (u D + v E, q D + r E) - (k, l) M with 0 <= k, l < 2^30, where D and E are d and e, "
        "raised by M where negative; limbs below 2^30",
        _cofactors(modulus),
        lambda v, c: _row_bounds(v),
        ranges=_ranges("d", "e") | MATRIX_RANGES,
    )


def _add_modulus(type_name, modulus):
    return Statement(
        f"add_modulus_if_negative({type_name})",
        "i32 d_low[8], i32 d_top -> u32 d_out[9], u32 negative",
        _limbs_of(type_name)
        + _take("d")
        + "negative = (u32)d[8] >> 31; add_modulus_if_negative(d, modulus)"
        + _give("d"),
        "d' = d, or d + M where d is negative; limbs below 2^30",
        lambda v, c: [equal(_after(v, "d") - _before(v, "d") - v.negative * modulus(c))] + _limb_bounds(v, "d"),
        ranges=_ranges("d"),
    )


NEGATE = Statement(
    "negate_limbs",
    "i32 d_low[8], i32 d_top, u32 mask -> u32 d_out[9]",
    _take("d") + "negate_limbs(d, mask)" + _give("d"),
    "d' = d or -d, by the mask; limbs below 2^30",
    # A mask of m is read as -m.
    lambda v, c: [equal(_after(v, "d") - _before(v, "d") - v.mask * _before(v, "d") * 2)] + _limb_bounds(v, "d"),
    ranges=_ranges("d") | {"mask": (-1, 0)},
)

STATEMENTS = [
    APPLY_TO_VALUES,
    _apply_to_cofactors("FieldModulus", lambda c: c.p),
    _apply_to_cofactors("OrderModulus", lambda c: c.n),
    _add_modulus("FieldModulus", lambda c: c.p),
    _add_modulus("OrderModulus", lambda c: c.n),
    NEGATE,
]
