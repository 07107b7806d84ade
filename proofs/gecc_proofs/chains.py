"""The power that square roots on the CPU are: the constants that build.rs wrote, with exponents for elements."""

import re

from .project import Wrong

_CHAIN = r"mod %s \{.*?const SQRT_CHAIN: [^=]*= &\[(.*?)\];"


def exponent(steps):
    """As `root_chain` takes steps: square the last power this many times, and multiply by an earlier one."""
    powers, last = [], 1
    for squarings, factor in steps:
        powers.append(last)
        last <<= squarings
        if factor is not None:
            last += powers[factor]
    return last


def check_chain(curve):
    """The chain of a curve gives the power (p + 1) / 4, whose square is the base or its opposite."""
    text = (curve.generated.parent / "constants.rs").read_text()
    found = re.search(_CHAIN % curve.name, text, re.S)[1]
    steps = [
        (int(squarings), int(factor) if factor else None)
        for squarings, factor in re.findall(r"\((\d+), (?:None|Some\((\d+)\))\)", found)
    ]
    if len(steps) != found.count("), (") + 1 or curve.p % 4 != 3 or 4 * exponent(steps) != curve.p + 1:
        raise Wrong(f"{curve.name}: the chain for square roots gives another power")
