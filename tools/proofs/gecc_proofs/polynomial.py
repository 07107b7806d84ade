"""Polynomials with integer coefficients over integer variables, some of which are Boolean.

A variable is a number; the odd ones are Boolean, and b b = b for these.
"""

from itertools import product as assignments


def is_boolean(variable):
    return variable & 1 == 1


def _monomial(left, right):
    merged = []
    for variable in sorted(left + right):
        if not (merged and merged[-1] == variable and is_boolean(variable)):
            merged.append(variable)
    return tuple(merged)


class Polynomial:
    """A sum of monomials. `terms` has the coefficient, never 0, of each sorted tuple of variables. Do not change it."""

    __slots__ = ("terms", "_key")

    def __init__(self, terms=None):
        self.terms = terms if terms is not None else {}
        self._key = None

    @staticmethod
    def constant(value):
        return Polynomial({(): value} if value else {})

    @staticmethod
    def variable(variable):
        return Polynomial({(variable,): 1})

    @staticmethod
    def sum(polynomials):
        terms = {}
        for polynomial in polynomials:
            for monomial, coefficient in polynomial.terms.items():
                total = terms.get(monomial, 0) + coefficient
                if total:
                    terms[monomial] = total
                else:
                    del terms[monomial]
        return Polynomial(terms)

    def key(self):
        """Equal for equal polynomials, and hashable."""
        if self._key is None:
            self._key = frozenset(self.terms.items())
        return self._key

    def __eq__(self, other):
        return self.terms == as_polynomial(other).terms

    def __hash__(self):
        return hash(self.key())

    def __bool__(self):
        return bool(self.terms)

    def __add__(self, other):
        return Polynomial.sum((self, as_polynomial(other)))

    __radd__ = __add__

    def __neg__(self):
        return self.scaled(-1)

    def __sub__(self, other):
        return Polynomial.sum((self, as_polynomial(other).scaled(-1)))

    def __rsub__(self, other):
        return as_polynomial(other) - self

    def scaled(self, factor):
        return Polynomial({m: c * factor for m, c in self.terms.items()} if factor else {})

    def __mul__(self, other):
        if isinstance(other, int):
            return self.scaled(other)
        terms = {}
        for m, c in self.terms.items():
            for n, d in other.terms.items():
                monomial = _monomial(m, n)
                terms[monomial] = terms.get(monomial, 0) + c * d
        return Polynomial({m: c for m, c in terms.items() if c})

    __rmul__ = __mul__

    def divided(self, divisor):
        """The quotient by an integer that divides all coefficients."""
        return Polynomial({m: c // divisor for m, c in self.terms.items()})

    def modulo(self, modulus):
        return Polynomial({m: c % modulus for m, c in self.terms.items() if c % modulus})

    def is_constant(self):
        return not self.terms or list(self.terms) == [()]

    def constant_part(self):
        return self.terms.get((), 0)

    def variables(self):
        return sorted({v for m in self.terms for v in m})

    def is_boolean(self, most):
        """Whether only Boolean variables occur, at most `most` of them."""
        variables = {v for m in self.terms for v in m}
        return len(variables) <= most and all(map(is_boolean, variables))

    def trailing_zeros(self):
        """The largest power of two that divides all coefficients, as an exponent; 64 for the polynomial 0."""
        return min(((c & -c).bit_length() - 1 for c in self.terms.values()), default=64)

    def substituted(self, values):
        """With the variables that `values` names replaced by polynomials."""
        parts = []
        for monomial, coefficient in self.terms.items():
            part = Polynomial({tuple(v for v in monomial if v not in values): coefficient})
            for variable in monomial:
                if variable in values:
                    part = part * as_polynomial(values[variable])
            parts.append(part)
        return Polynomial.sum(parts)

    def evaluated(self, values):
        """The integer where each variable has its value. Arrays of values give an array."""
        total = 0
        for monomial, coefficient in self.terms.items():
            term = coefficient
            for variable in monomial:
                term = term * values[variable]
            total = total + term
        return total


def as_polynomial(value):
    return value if isinstance(value, Polynomial) else Polynomial.constant(value)


def number(words, bits=32):
    """The polynomial of a number from those of its words, least significant first."""
    return Polynomial.sum(as_polynomial(word).scaled(1 << (bits * i)) for i, word in enumerate(words))


def truth_table(polynomials):
    """(variables, [(bits, values)]): the values of Boolean polynomials at every assignment of 0 and 1."""
    variables = sorted({v for p in polynomials for m in p.terms for v in m})
    rows = []
    for bits in assignments((0, 1), repeat=len(variables)):
        on = {v for v, bit in zip(variables, bits) if bit}
        rows.append((bits, [sum(c for m, c in p.terms.items() if on.issuperset(m)) for p in polynomials]))
    return variables, rows


def interpolated(variables, values):
    """The one multilinear polynomial with these values, in the order of truth_table (Moebius transform)."""
    values, count = list(values), len(variables)
    for i in range(count):
        step = 1 << (count - 1 - i)
        for j in range(len(values)):
            if j & step:
                values[j] -= values[j ^ step]
    terms = {}
    for j, coefficient in enumerate(values):
        if coefficient:
            terms[tuple(v for i, v in enumerate(variables) if j >> (count - 1 - i) & 1)] = coefficient
    return Polynomial(terms)


MINUS_ONE = Polynomial.constant(-1)
