"""Functions that only call functions with statements: what the sequence of their calls computes.

The source of the function itself is compiled with numbers that record the operations on them
(trace/numbers). The effect of each call is taken from the statement about the called function,
whose preconditions are checked too.
"""

from dataclasses import dataclass
from typing import Callable

from .extract import Program, function, preprocessed
from .project import CUDA, R, Wrong, edwards
from .statements import everywhere


class Terms(dict):
    """A sum of terms: {((variable, exponent), ...): coefficient}. Exponents may be negative."""

    @staticmethod
    def power(name, exponent, coefficient=1):
        return Terms({((name, exponent),): coefficient})

    def times(self, other, modulus):
        result = {}
        for one, c in self.items():
            for two, d in other.items():
                exponents = dict(one)
                for name, exponent in two:
                    exponents[name] = exponents.get(name, 0) + exponent
                key = tuple(sorted((name, e) for name, e in exponents.items() if e))
                result[key] = (result.get(key, 0) + c * d) % modulus
        return Terms({key: c for key, c in result.items() if c})

    def plus(self, other, modulus, sign=1):
        result = dict(self)
        for key, c in other.items():
            result[key] = (result.get(key, 0) + sign * c) % modulus
        return Terms({key: c for key, c in result.items() if c})

    def inverse(self, modulus):
        if len(self) != 1:
            raise Wrong("a sum of terms is inverted")
        ((key, c),) = self.items()
        return Terms({tuple((name, -e) for name, e in key): pow(c, -1, modulus)})


@dataclass(frozen=True)
class Number:
    terms: Terms  # of the stored value, modulo p or n
    bound: int  # it is below this


def _need(condition, what):
    if not condition:
        raise Wrong(what)


def _constant(value, modulus):
    return Number(Terms({(): value % modulus} if value % modulus else {}), value + 1)


class Meaning:
    """The effects of calls, by the statements in field_statements.py and divsteps.py."""

    def __init__(self, curve, modulus):
        self.curve, self.modulus = curve, modulus

    def _product(self, a, b, factor):
        terms = a.terms.times(b.terms, self.modulus)
        return terms.times(Terms({(): pow(factor, -1, self.modulus)}), self.modulus)

    def _elements(self, *numbers):
        _need(self.modulus == self.curve.p, "an element where a scalar should be")
        _need(all(number.bound <= self.curve.loose for number in numbers), "an element is not below its bound")

    def fe_mul(self, a, b):
        self._elements(a, b)
        return Number(self._product(a, b, self.curve.factor), self.curve.loose)

    def fe_sub(self, a, b):
        self._elements(a, b)
        return Number(a.terms.plus(b.terms, self.modulus, -1), self.curve.loose)

    def fe_canonical(self, a):
        self._elements(a)
        return Number(a.terms, self.curve.p)

    def fe_reduce(self, a):
        """t / F for t of eight words, which is below R p."""
        _need(self.modulus == self.curve.p, "an element where a scalar should be")
        return Number(self._product(a, Number(Terms({(): 1}), 2), self.curve.factor), self.curve.loose)

    def _inverse(self, a, modulus):
        _need(self.modulus == modulus and a.bound <= modulus, "an inversion of a number that is not below the modulus")
        return Number(a.terms.inverse(modulus), modulus)

    def inverse_modulo_p(self, a):
        return self._inverse(a, self.curve.p)

    def inverse_modulo_n(self, a):
        return self._inverse(a, self.curve.n)

    def sc_add(self, a, b):
        _need(self.modulus == self.curve.n, "an element where a scalar should be")
        _need(max(a.bound, b.bound) <= self.curve.n, "a scalar that is not below n")
        return Number(a.terms.plus(b.terms, self.modulus), self.curve.n)

    def sc_mont_mul(self, a, b):
        _need(self.modulus == self.curve.n and b.bound <= self.curve.n, "a factor that is not below n")
        return Number(self._product(a, b, R), self.curve.n)

    def sc_to_montgomery(self, a):
        _need(self.modulus == self.curve.n, "a scalar where an element should be")
        return Number(a.terms.times(Terms({(): R % self.modulus}), self.modulus), self.curve.n)

    def evaluated(self, trace, bounds):
        """The number of every line."""
        numbers = []
        for operation, operands in trace.lines:
            if operation == "constant":
                numbers.append(_constant(int(operands[0], 16), self.modulus))
            elif operation == "variable":
                numbers.append(Number(Terms.power(operands[0], 1), bounds[operands[0]]))
            else:
                numbers.append(getattr(self, operation)(*(numbers[int(operand)] for operand in operands)))
        return numbers


@dataclass(frozen=True)
class Composition:
    name: str
    says: str
    header: str  # where the function is
    call: str  # C++ that gives the words of the result, from fe or sc a, b, c, d
    kind: str  # fe or sc
    expected: Callable  # of the curve and of terms a, b, c, d: the terms of the result
    bound: Callable  # of the curve: the exclusive upper bound of the result
    curves: Callable = everywhere  # for which curves the function is not a straight line
    uses: tuple = ()  # other functions that only call, which are compiled too
    any_number: str = ""  # arguments that may be any number of eight words


def _root_exponent(curve):
    if curve.p % 4 == 3:
        return (curve.p + 1) // 4
    _need(curve.p % 8 == 5, "p is 1 modulo 8")
    return (curve.p - 5) // 8


def _sqrt(curve, a, *_):
    exponent = _root_exponent(curve)
    # In Montgomery form (a F)^e is stored as a^e F, that is (a F)^e F^(1 - e).
    return Terms.power("a", exponent, pow(curve.factor, 1 - exponent, curve.p))


def _inverse(factor, modulus):
    """The inverse of a times the factor, given a times the factor as stored."""

    def terms(curve, a, *_):
        m = modulus(curve)
        return Terms.power("a", -1, pow(factor(curve), 2, m))

    return terms


def _unshaped(curve):
    return curve.loose == curve.p


def _products(*parts):
    """The sum of sign * product of names, each stored with one factor."""

    def terms(curve, *names):
        p = curve.p
        total = Terms()
        for sign, *factors in parts:
            values = [names["abcd".index(name)] for name in factors]
            product = values[0]
            for value in values[1:]:
                product = product.times(value, p).times(Terms({(): pow(curve.factor, -1, p)}), p)
            total = total.plus(product, p, sign)
        return total

    return terms


_OPENED = ("open_mul", "open_sqr", "open_sub", "open_settle", "open_mul_less_mul", "open_mul_less_sqr")


def _unopened(name, arguments, says, *parts):
    return Composition(
        name,
        says,
        "field/open.cuh",
        f"{name}({', '.join(arguments)}).v",
        "fe",
        _products(*parts),
        lambda curve: curve.p,
        _unshaped,
        _OPENED,
    )


COMPOSITIONS = [
    Composition(
        "fe_sqrt_candidate",
        "a^((p + 1) / 4), so that its square is a where a is a square; a^((p - 5) / 8) where p is 5 modulo 8",
        "field/field.cuh",
        "fe_sqrt_candidate(a).v",
        "fe",
        _sqrt,
        lambda curve: curve.loose,
    ),
    Composition(
        "fe_inv",
        "1 / a, and 0 for 0",
        "field/field.cuh",
        "fe_inv(a).v",
        "fe",
        _inverse(lambda curve: curve.factor, lambda curve: curve.p),
        lambda curve: curve.loose,
    ),
    Composition(
        "sc_mul",
        "a b mod n, below n, for any a and b < n",
        "field/scalar.cuh",
        "sc_mul(a, b).v",
        "sc",
        lambda curve, a, b, *_: a.times(b, curve.n),
        lambda curve: curve.n,
        any_number="a",
    ),
    Composition(
        "sc_from_wide",
        "low + 2^256 high mod n, below n, for any halves",
        "scheme/ed25519.cuh",
        "sc_from_wide(joined(a, b).v).v",
        "sc",
        lambda curve, a, b, *_: a.plus(b.times(Terms({(): R}), curve.n), curve.n),
        lambda curve: curve.n,
        edwards,
        any_number="ab",
    ),
    Composition(
        "ed25519_sign",
        "r + k a mod n, below n, for r, k, a < n",
        "scheme/ed25519.cuh",
        "ed25519_sign(a, b, c).v",
        "sc",
        lambda curve, a, b, c, _: a.plus(b.times(c, curve.n), curve.n),
        lambda curve: curve.n,
        edwards,
        ("sc_mul",),
    ),
    Composition(
        "sc_mont_inv",
        "1 / a in Montgomery form, below n, and 0 for 0, for a < n",
        "field/scalar.cuh",
        "sc_mont_inv(a).v",
        "sc",
        _inverse(lambda curve: R, lambda curve: curve.n),
        lambda curve: curve.n,
    ),
    Composition(
        "fe_to_words",
        "r F = a mod p, r < p",
        "field/field.cuh",
        "words_of(a)",
        "fe",
        lambda curve, a, *_: a.times(Terms({(): pow(curve.factor, -1, curve.p)}), curve.p),
        lambda curve: curve.p,
        _unshaped,
    ),
    _unopened("fe_mul_sub", "abc", "a b - c mod p", (1, "a", "b"), (-1, "c")),
    _unopened("fe_sqr_sub_twice", "ab", "a^2 - 2 b mod p", (1, "a", "a"), (-2, "b")),
    _unopened("fe_sqr_sub_sub_twice", "abc", "a^2 - b - 2 c mod p", (1, "a", "a"), (-1, "b"), (-2, "c")),
    _unopened("fe_mul_sub_mul", "abcd", "a b - c d mod p", (1, "a", "b"), (-1, "c", "d")),
    _unopened("fe_mul_sub_sqr", "abc", "a b - c^2 mod p", (1, "a", "b"), (-1, "c", "c")),
]

_MAIN = """#include "calls.cuh"
{declarations}
{functions}
static EightWords words;
[[maybe_unused]] static const u32* words_of(const fe& a) {{
    {words_of}
    return words.v;
}}
int main(int, char** arguments) {{
    switch (std::atoi(arguments[1])) {{
{cases}
    }}
}}
"""


def _program(curve, compositions, cuda):
    texts = {header: preprocessed(curve, header, cuda) for header in {c.header for c in compositions}}
    functions = {}
    for composition in compositions:
        for name in (*composition.uses, composition.name):
            text = function(texts[composition.header], name)
            if text is None:
                raise Wrong(f"{composition.header} has no {name}")
            functions[name] = text
    cases = []
    for number, composition in enumerate(compositions):
        kind = composition.kind
        names = ", ".join(f'{name} = variable<{kind}>("{name}")' for name in "abcd")
        cases.append(f"    case {number}: {{ {kind} {names}; give({composition.call}); break; }}")
    main = _MAIN.format(
        declarations="" if curve.opens else "using fe_open = fe;",
        functions="\n".join(functions.values()),
        words_of="fe_to_words(words.v, a);" if "fe_to_words" in functions else "(void)a;",
        cases="\n".join(cases),
    )
    return Program(main, curve, ("numbers",), cuda)


def check_compositions(curve, cuda=CUDA, compositions=COMPOSITIONS):
    """These compositions of a curve; raises Wrong."""
    chosen = [c for c in compositions if c.curves(curve)]
    if not chosen:
        return
    with _program(curve, chosen, cuda) as program:
        for number, composition in enumerate(chosen):
            _check(curve, composition, program.run(number))


def _check(curve, composition, trace):
    modulus = curve.p if composition.kind == "fe" else curve.n
    below = curve.loose if composition.kind == "fe" else curve.n
    bounds = {name: R if name in composition.any_number else below for name in "abcd"}
    numbers = Meaning(curve, modulus).evaluated(trace, bounds)
    ((line,),) = trace.results
    found = numbers[int(line)]
    expected = composition.expected(curve, *(Terms.power(name, 1) for name in "abcd"))
    if found.terms != expected or found.bound > composition.bound(curve):
        raise Wrong(f"{curve.name} {composition.name}: the calls do not give {composition.says}")
