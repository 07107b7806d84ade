"""The statements about cuda/field/: elements modulo p and scalars modulo n."""

from .project import R
from .reduction_statements import folds_255, loose, opens
from .statements import Congruent, Statement, below, everywhere


def _element(name, arguments, says, difference, *, curves=everywhere, canonical=False, call=None, product=""):
    """A function of elements to an element. `difference` is 0 modulo p. Loose, or below p where p has no shape."""

    def claims(v, curve):
        bound = curve.p if canonical else curve.loose
        return [Congruent(difference(v, curve), curve.p), below(v.r, bound)]

    def needs(v, curve):
        if loose(curve):
            return []
        result = [getattr(v, a) - (curve.p - 1) for a in arguments]
        if product:  # follows from the two bounds, but z3 knows single words only
            result.append(getattr(v, product[0]) * getattr(v, product[1]) - (curve.p - 1) ** 2)
        return result

    signature = ", ".join(f"fe {a}" for a in arguments) + " -> fe r"
    call = call or f"r = {name}({', '.join(arguments)})"
    return Statement(name, signature, call, says, claims, needs, curves)


ELEMENTS = [
    _element("fe_mul", "ab", "r F = a b mod p", lambda v, c: v.r * c.factor - v.a * v.b, product="ab"),
    _element("fe_sqr", "a", "r F = a^2 mod p", lambda v, c: v.r * c.factor - v.a * v.a, product="aa"),
    _element("fe_add", "ab", "r = a + b mod p", lambda v, c: v.r - v.a - v.b),
    _element("fe_sub", "ab", "r = a - b mod p", lambda v, c: v.r - v.a + v.b),
    _element("fe_neg", "a", "r = -a mod p", lambda v, c: v.r + v.a),
    _element("fe_double", "a", "r = 2 a mod p", lambda v, c: v.r - v.a * 2),
    _element("fe_triple", "a", "r = 3 a mod p", lambda v, c: v.r - v.a * 3),
    Statement(
        "fe_mul_small",
        "fe a, u32 factor -> fe r",
        "r = fe_mul_small(a, factor)",
        "r = factor a mod p, for a factor below 2^26",
        lambda v, c: [Congruent(v.r - v.a * v.factor, c.p), below(v.r, c.loose)],
        curves=folds_255,
        ranges={"factor": (0, 2**26 - 1)},
    ),
    _element("fe_half", "a", "2 r = a mod p", lambda v, c: v.r * 2 - v.a),
    _element("fe_canonical", "a", "r = a mod p, r < p", lambda v, c: v.r - v.a, canonical=True),
    _element(
        "fe_mul_sub", "abc", "r F = a b - c F mod p", lambda v, c: (v.r + v.c) * c.factor - v.a * v.b, curves=opens
    ),
    _element(
        "fe_sqr_sub_twice",
        "ab",
        "r F = a^2 - 2 b F mod p",
        lambda v, c: (v.r + v.b * 2) * c.factor - v.a * v.a,
        curves=opens,
    ),
    _element(
        "fe_sqr_sub_sub_twice",
        "abc",
        "r F = a^2 - (b + 2 c) F mod p",
        lambda v, c: (v.r + v.b + v.c * 2) * c.factor - v.a * v.a,
        curves=opens,
    ),
    _element(
        "fe_mul_sub_mul",
        "abcd",
        "r F = a b - c d mod p",
        lambda v, c: v.r * c.factor - v.a * v.b + v.c * v.d,
        curves=opens,
    ),
    _element(
        "fe_mul_sub_sqr",
        "abc",
        "r F = a b - c^2 mod p",
        lambda v, c: v.r * c.factor - v.a * v.b + v.c * v.c,
        curves=opens,
    ),
]


CONVERSIONS = [
    Statement(
        "fe_from_words",
        "u32 a[8] -> fe r",
        "r = fe_from_words(a)",
        "r = a F mod p, for any a",
        lambda v, c: [Congruent(v.r - v.a * c.factor, c.p), below(v.r, c.loose)],
    ),
    Statement(
        "fe_to_words",
        "fe a -> u32 r[8]",
        "fe_to_words(r, a)",
        "r F = a mod p, r < p",
        lambda v, c: [Congruent(v.r * c.factor - v.a, c.p), below(v.r, c.p)],
        curves=loose,
    ),
    # As curve/affine_add.cuh and curve/multiples.cuh write it.
    _element(
        "open_settle(a^2 - b - c)",
        "abc",
        "r F = a^2 - (b + c) F mod p",
        lambda v, c: (v.r + v.b + v.c) * c.factor - v.a * v.a,
        call="r = open_settle(open_sub(open_sub(open_sqr(a), b), c))",
        curves=opens,
    ),
]


def _scalar(name, arguments, says, difference, *, any_number="", needs_more=None, curves=everywhere):
    """A function of scalars to a scalar below n. Arguments in `any_number` may be any number of eight words."""

    def claims(v, curve):
        return [Congruent(difference(v, curve), curve.n), below(v.r, curve.n)]

    def needs(v, curve):
        result = [getattr(v, a) - (curve.n - 1) for a in arguments if a not in any_number]
        return result + ([needs_more(v, curve)] if needs_more else [])

    words = name in ("sc_to_montgomery", "sc_from_words")
    signature = ", ".join(f"u32 {a}[8]" if words else f"sc {a}" for a in arguments) + " -> sc r"
    return Statement(name, signature, f"r = {name}({', '.join(arguments)})", says, claims, needs, curves)


def _reduced_once(curve):
    """Whether any number of eight words is below 2 n."""
    return 2 * curve.n > R


SCALARS = [
    _scalar("sc_add", "ab", "r = a + b mod n, r < n", lambda v, c: v.r - v.a - v.b),
    _scalar("sc_sub", "ab", "r = a - b mod n, r < n", lambda v, c: v.r - v.a + v.b),
    _scalar("sc_neg", "a", "r = -a mod n, r < n", lambda v, c: v.r + v.a),
    _scalar(
        "sc_mont_mul",
        "ab",
        "r R = a b mod n, r < n, for any a and b < n",
        lambda v, c: v.r * R - v.a * v.b,
        any_number="a",
        needs_more=lambda v, c: v.a * v.b - (R - 1) * (c.n - 1),
    ),
    _scalar(
        "sc_mont_sqr",
        "a",
        "r R = a^2 mod n, r < n",
        lambda v, c: v.r * R - v.a * v.a,
        needs_more=lambda v, c: v.a * v.a - (c.n - 1) ** 2,
    ),
    _scalar("sc_from_montgomery", "a", "r R = a mod n, r < n", lambda v, c: v.r * R - v.a),
    _scalar("sc_to_montgomery", "a", "r = a R mod n, r < n, for any a", lambda v, c: v.r - v.a * R, any_number="a"),
    _scalar(
        "sc_from_words",
        "a",
        "r = a mod n, r < n, for any a",
        lambda v, c: v.r - v.a,
        any_number="a",
        curves=_reduced_once,
    ),
]

STATEMENTS = ELEMENTS + CONVERSIONS + SCALARS
