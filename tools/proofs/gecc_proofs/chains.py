"""The power that square roots on the CPU are: the constants that the build script wrote, with exponents for elements."""

import re

from .project import EDWARDS, Wrong, edwards_prime

_CHAIN = r"mod %s \{.*?const %s: [^=]*= &\[(.*?)\];"


def exponent(steps):
    """Returns the exponent that the steps of a `root_chain` compute.

    Each step squares the last power `squarings` times and multiplies by an earlier one.
    """
    powers, last = [], 1
    for squarings, factor in steps:
        powers.append(last)
        last <<= squarings
        if factor is not None:
            last += powers[factor]
    return last


def check_chain(curve):
    """The chain of a curve gives the power (p + 1) / 4, whose square is the base or its opposite."""
    steps = _steps(curve.generated, curve.name, "SQRT_CHAIN")
    if curve.p % 4 != 3 or 4 * exponent(steps) != curve.p + 1:
        raise Wrong(f"{curve.name}: the chain for square roots gives another power")


def check_edwards_chain(curves, prime=None):
    """That of the Edwards curve gives the power (p - 5) / 8."""
    p = prime or edwards_prime()
    steps = _steps(curves[0].generated, EDWARDS, "ROOT_CHAIN")
    if p % 8 != 5 or 8 * exponent(steps) != p - 5:
        raise Wrong(f"{EDWARDS}: the chain for square roots gives another power")


def _steps(generated, name, constant):
    text = (generated.parent / "constants.rs").read_text()
    found = re.search(_CHAIN % (name, constant), text, re.S)[1]
    steps = [
        (int(squarings), int(factor) if factor else None)
        for squarings, factor in re.findall(r"\((\d+), (?:None|Some\((\d+)\))\)", found)
    ]
    if len(steps) != found.count("), (") + 1:
        raise Wrong(f"{name}: a step of {constant} is not read")
    return steps
