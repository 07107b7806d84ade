"""The statements about src/cpu/field/vector/: one lane of the elements of eight, in words of 52 bits.

Lanes are in Montgomery form with R = 2^260 where p has no fold; L is that R there, and 1 elsewhere.
"""

import re

from .languages import LLVM
from .project import ROOT
from .statements import AtMost, Congruent, Statement, below, equal, everywhere, nothing

R52 = 1 << 260
WORD = (0, 2**52 - 1)
SUM = (1 - 2**57, 2**57 - 1)
COLUMN = (0, 2**58 - 1)


def _lanes_factor(curve):
    return 1 if curve.factor == 1 else R52


def _statement(name, signature, call, says, claims, needs=nothing, ranges=None, curves=everywhere):
    ranges = {parameter: WORD for parameter in "abcd"} if ranges is None else ranges
    return Statement(f"vector/element::{name}", signature, call, says, claims, needs, curves, False, ranges, LLVM)


def _words(v, count=5):
    """That the words of a result have 52 bits."""
    return [AtMost(word, 2**52 - 1) for word in v.words["r"][:count]]


def _element(name):
    return f"Element::<$Fp>::new({name})"


def _product(name, signature, call, says, product):
    def claims(v, c):
        return [below(v.r, 2 * c.p), *_words(v), Congruent(v.r * _lanes_factor(c) - product(v), c.p)]

    return _statement(
        name,
        f"{signature} -> w52 r[5]",
        f"let r = {call}.words()",
        f"r L = {says} mod p, r < 2 p, for {says} <= 16 p^2",
        claims,
        lambda v, c: [product(v) - 16 * c.p**2],
    )


PRODUCTS = [
    _product("mul", "w52 a[5], w52 b[5]", f"{_element('a')}.mul({_element('b')})", "a b", lambda v: v.a * v.b),
    _product("square", "w52 a[5]", f"{_element('a')}.square()", "a^2", lambda v: v.a * v.a),
    _product(
        "mul_add",
        "w52 a[5], w52 b[5], w52 c[5], w52 d[5]",
        f"{_element('a')}.mul_add({_element('b')}, {_element('c')}, {_element('d')})",
        "a b + c d",
        lambda v: v.a * v.b + v.c * v.d,
    ),
]


def _reduced(v, c):
    bound = AtMost(v.r * 100, 101 * c.p) if c.factor == 1 else AtMost((v.r - c.p) * R52 - v.t, -1)
    return [bound, *_words(v, 4), Congruent(v.r * _lanes_factor(c) - v.t, c.p)]


def _multiples():
    """The factors of p that the engine adds to sums."""
    found = set()
    for path in (ROOT / "src/cpu").rglob("*.rs"):
        found |= set(map(int, re.findall(r"plus_multiple\((\d+)\)", path.read_text())))
    return sorted(found)


def _plus_multiple(k):
    return _statement(
        f"plus_multiple({k})",
        "w52 a[5] -> w52 r[5]",
        f"let r = Sum::<$Fp>(a, PhantomData).plus_multiple({k}).words()",
        "r = a + k p, where that is in 0..16 p",
        lambda v, c: [equal(v.r - v.a - k * c.p), *_words(v)],
        lambda v, c: [-(v.a + k * c.p), v.a + k * c.p - (16 * c.p - 1)],
        ranges={"a": SUM},
    )


REDUCTIONS = [
    _statement(
        "reduce",
        "w52 t[10] -> w52 r[5]",
        "let r = <$Fp as Prime>::reduce(t)",
        "r L = t mod p, r < t / 2^260 + p, or r <= 1.01 p where L is 1, for t < 2^520 in columns below 2^58",
        _reduced,
        lambda v, c: [v.t - (2**520 - 1)],
        ranges={"t": COLUMN},
    ),
    _statement(
        "fold",
        "w52 a[5] -> w52 r[5]",
        "let r = Sum::<$Fp>(a, PhantomData).fold().words()",
        "r = a mod p, 0 <= r <= 2.01 p, for words with signs below 2^57",
        lambda v, c: [AtMost(v.r * 100, 201 * c.p), *_words(v), Congruent(v.r - v.a, c.p)],
        ranges={"a": SUM},
    ),
    _statement(
        "canonical",
        "w52 a[5] -> w52 r[5]",
        f"let r = {_element('a')}.canonical().words()",
        "r = a mod p, r < p, for a < 2 p",
        lambda v, c: [below(v.r, c.p), *_words(v), Congruent(v.r - v.a, c.p)],
        lambda v, c: [v.a - (2 * c.p - 1)],
    ),
    _statement(
        "carry",
        "w52 a[5] -> w52 r[5]",
        "let r = carry(a)",
        "r = a modulo 2^272, words 0 to 3 of r have 52 bits",
        lambda v, c: [Congruent(v.r - v.a, 2**272), *_words(v, 4)],
        ranges={"a": (-(2**62), 2**62)},
    ),
    *map(_plus_multiple, _multiples()),
]


def _unpack(shift):
    return _statement(
        f"unpack({shift})",
        "u64 a[4] -> w52 r[5]",
        f"let r = Element::<$Fp>::unpack::<{shift}>(a).words()",
        "r = 2^N a",
        lambda v, c: [equal(v.r - v.a * 2**shift), *_words(v)],
        ranges={},
    )


def _each_word(name, signature, call, says, word):
    """A statement about each word by itself, modulo 2^64; `word` is a word minus its expected value."""

    def claims(v, c):
        parts = [v.words[name] for name in v.words if len(v.words[name]) == 5]
        return [Congruent(word(v, *(part[i] for part in parts)), 2**64) for i in range(5)]

    ranges = {"a": SUM, "b": SUM, "m": (0, 1)}
    return _statement(name, f"{signature} -> w52 r[5]", f"let r = {call}", says, claims, ranges=ranges)


_SUMS = "Sum::<$Fp>(a, PhantomData)"
_OTHER = "Sum::<$Fp>(b, PhantomData)"
_MASK = "m.equals(m.all(1))"
MOVES = [
    _unpack(0),
    _unpack(4),
    _statement(
        "pack",
        "w52 a[4], w52 b -> u64 r[4]",
        f"let r = {_element('[a[0], a[1], a[2], a[3], b]')}.pack()",
        "r = a, for a < 2^256",
        lambda v, c: [equal(v.r - v.a - v.b * 2**208)],
        ranges={"a": WORD, "b": (0, 2**48 - 1)},
    ),
    _each_word(
        "select",
        "w52 m, w52 a[5], w52 b[5]",
        f"select(a, {_MASK}, b)",
        "r = b where the mask is set, else a",
        lambda v, a, b, r: r - a - v.m * (b - a),
    ),
    _each_word(
        "negate",
        "w52 m, w52 a[5]",
        f"{_SUMS}.negate({_MASK}).0",
        "r = -a where the mask is set, else a",
        lambda v, a, r: r - a + v.m * a * 2,
    ),
    _each_word("add", "w52 a[5], w52 b[5]", f"({_SUMS} + {_OTHER}).0", "r = a + b", lambda v, a, b, r: r - a - b),
    _each_word("sub", "w52 a[5], w52 b[5]", f"({_SUMS} - {_OTHER}).0", "r = a - b", lambda v, a, b, r: r - a + b),
    _each_word("neg", "w52 a[5]", f"(-{_SUMS}).0", "r = -a", lambda v, a, r: r + a),
    *(
        _each_word(f"shl({n})", "w52 a[5]", f"{_SUMS}.shl::<{n}>().0", "r = 2^N a", lambda v, a, r, n=n: r - a * 2**n)
        for n in (1, 2, 3)
    ),
]

STATEMENTS = PRODUCTS + REDUCTIONS + MOVES
