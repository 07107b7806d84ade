"""What a statement about a function is made of."""

from dataclasses import dataclass, field
from types import SimpleNamespace

from .languages import PTX
from .polynomial import Polynomial, as_polynomial, number
from .probes import signature


@dataclass(frozen=True)
class Congruent:
    """polynomial = 0 modulo the modulus, or exactly where the modulus is 0."""

    polynomial: Polynomial
    modulus: int

    def holds(self):
        """For a polynomial that is a constant."""
        value = self.polynomial.constant_part()
        return value % self.modulus == 0 if self.modulus else value == 0


@dataclass(frozen=True)
class AtMost:
    """polynomial <= bound."""

    polynomial: Polynomial
    bound: int

    def holds(self):
        """For a polynomial that is a constant."""
        return self.polynomial.constant_part() <= self.bound


def everywhere(_):
    return True


def nothing(*_):
    return []


@dataclass(frozen=True)
class Statement:
    name: str  # of the function with its template arguments, as `tested` finds it in the sources
    signature: str  # `fe a, u32 t[16] -> fe r`
    call: str  # C++ or Rust that sets what stands right of the arrow
    says: str  # the statement in words, for the table
    claims: object  # (values, curve) -> list of Congruent and AtMost
    needs: object = nothing  # (values, curve) -> list of polynomials that are at most 0: the preconditions
    curves: object = everywhere  # for which curves the function exists
    bits: bool = False  # by bit vectors, where claims and needs are formulas of z3; else by integer polynomials
    ranges: dict = field(default_factory=dict)  # name -> (least, most) of each word of an argument, which may be signed
    language: object = PTX


def values(statement, curve, inputs, outputs):
    """The numbers and words of arguments and results by name, from lists of words."""
    result = SimpleNamespace(words={})
    for side, words in zip(signature(statement, curve), (inputs, outputs)):
        offset = 0
        for parameter in side:
            own = [as_polynomial(word) for word in words[offset : offset + parameter.words]]
            offset += parameter.words
            result.words[parameter.name] = own
            setattr(result, parameter.name, number(own, parameter.position))
    return result


def equal(polynomial):
    return Congruent(polynomial, 0)


def below(polynomial, bound):
    return AtMost(polynomial, bound - 1)
