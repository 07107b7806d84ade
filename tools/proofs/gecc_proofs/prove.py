"""Proves a statement about a kernel: runs the kernel on polynomials, then shows each claim."""

from dataclasses import dataclass

from .polynomial import Polynomial
from .probes import signature
from .ptx import Unsupported
from .reals import EFFORTS, Refuter
from .statements import AtMost, Congruent, values
from .system import System


class Unproved(Exception):
    """A claim was not shown. That alone does not say that it is false."""


@dataclass(frozen=True)
class Reading:
    """A kernel that has run on any arguments that meet the preconditions."""

    system: object
    refuter: object
    machine: object
    values: object


FEW_VALUES = 9  # an argument with at most this number of values is a sum of Booleans


def _argument(system, name, bounds):
    least, most = bounds
    if most - least < FEW_VALUES:
        return Polynomial.sum([Polynomial.constant(least)] + [system.new(0, 1, name) for _ in range(most - least)])
    return system.new(least, most, name)


def run_symbolically(statement, curve, instructions, most_work):
    language = statement.language
    system = System(language.word)
    refuter = Refuter(system, most_work)
    taken, given = signature(statement, curve)
    inputs = []
    for parameter in taken:
        bounds = statement.ranges.get(parameter.name, (0, 2**parameter.bits - 1))
        inputs += [_argument(system, parameter.name, bounds) for _ in range(parameter.words)]
    outside = Polynomial.constant(1)
    for needed in statement.needs(values(statement, curve, inputs, []), curve):
        system.conditions.append((outside, needed))
    machine = language.machine(system, refuter, inputs)
    machine.run(instructions)
    count = sum(parameter.words for parameter in given)
    if sorted(machine.outputs) != list(range(count)):
        raise Unproved("not every word of the result is written")
    outputs = [machine.outputs[i] for i in range(count)]
    return Reading(system, refuter, machine, values(statement, curve, inputs, outputs))


def prove(statement, curve, instructions):
    """Returns the reading with which all is shown; raises Unproved or Unsupported. Shown bounds help later claims."""
    return _first_enough(
        [EFFORTS[first:] for first in range(len(EFFORTS))],
        lambda efforts: _prove(statement, curve, instructions, efforts),
    )


def _prove(statement, curve, instructions, efforts):
    """The kernel is read with the first of the efforts, and each claim shown with the first that is enough."""
    reading = run_symbolically(statement, curve, instructions, efforts[0])
    for claim in statement.claims(reading.values, curve):
        _first_enough(efforts, lambda most_work: _show(reading, claim, statement.language.near, most_work))
    return reading


def _first_enough(efforts, attempt):
    """What the attempt returns with the first of the efforts that is enough for it."""
    for effort in efforts[:-1]:
        try:
            return attempt(effort)
        except (Unproved, Unsupported):
            pass
    return attempt(efforts[-1])


def _show(reading, claim, near, most_work):
    system, refuter = reading.system, reading.refuter
    refuter.work_at_most(most_work)
    if isinstance(claim, Congruent):
        _congruent(system, refuter, claim)
    elif isinstance(claim, AtMost):
        _at_most(system, refuter, claim, near)
        refuter.assume(claim.polynomial - claim.bound)


def _names(system, assignment):
    return ", ".join(f"{system.names[v]} = {value}" for v, value in assignment.items())


def _congruent(system, refuter, claim):
    """Expands the claim; the remaining terms are dropped carries, which must not affect the result."""

    def reduced(polynomial):
        return polynomial.modulo(claim.modulus) if claim.modulus else polynomial

    rest = reduced(system.expanded(claim.polynomial))
    rest = reduced(rest.substituted(_at_their_least(system, refuter, rest)))
    left = [v for v in rest.variables() if not v & 1]
    if left:
        raise Unproved(f"{len(rest.terms)} terms are left, with {', '.join(system.names[v] for v in left[:5])}")
    fixed = {}
    for variable in rest.variables():
        for bit in (1, 0):
            if variable not in fixed and refuter.refute({variable: bit}, quick=True):
                fixed[variable] = 1 - bit
    rest = reduced(rest.substituted(fixed))

    def wrong(assigned):
        return bool(reduced(rest.substituted(assigned)))

    variables = rest.variables()
    found = refuter.refute_all(variables, wrong, fixed)
    if found is not None:
        found = _with_shared_carries(system, refuter, variables, wrong, fixed)
    if found is not None:
        raise Unproved(f"not congruent when {_names(system, {**fixed, **found})}")


def _at_their_least(system, refuter, rest):
    """The numbers among the variables that equations hold at their lower bound, such as what a word was cut by."""
    found = {}
    for variable in rest.variables():
        least, _ = system.bounds[variable]
        if not variable & 1 and variable in system.quotients:
            if refuter.refute({}, [least + 1 - Polynomial.variable(variable)]):
                found[variable] = least
    return found


def _with_shared_carries(system, refuter, variables, wrong, fixed):
    """As refute_all, in cases also of the carries that many equations share."""
    counts = {}
    for row in system.rows + system.fine_rows:
        for variable in row.polynomial.variables():
            if variable & 1:
                counts[variable] = counts.get(variable, 0) + 1
    shared = sorted(v for v, n in counts.items() if n >= 5 and v not in fixed and v not in variables)[:10]

    def wrong_or_open(assigned):
        own = {v: bit for v, bit in assigned.items() if v in variables}
        return wrong(own) if own or not variables else True

    return refuter.refute_all(shared + variables, wrong_or_open, fixed)


def _at_most(system, refuter, claim, near):
    if system.interval(claim.polynomial)[1] <= claim.bound:
        return
    beyond = [claim.bound + 1 - claim.polynomial]
    about = claim.polynomial.variables()
    if any(refuter.refute_nearby(beyond, rows, integral=True) for rows in near):
        return
    if refuter.refute({}, beyond, about, quick=True):
        return
    # In cases of the carries that the words of the number have in common, which takes less than all equations at once.
    counts = {}
    for variable in about:
        definition = system.definitions.get(variable)
        if definition is not None:
            for factor in {v for m in definition.terms for v in m if v & 1}:
                counts[factor] = counts.get(factor, 0) + 1
    shared = sorted(v for v, n in counts.items() if n >= 4)
    found = refuter.refute_all(shared, lambda _: True, {}, beyond)
    if found is not None and not (shared and refuter.refute({}, beyond, about)):
        raise Unproved(f"the bound may not hold when {_names(system, found)}")
