"""Proves a statement about a kernel that is run on bit vectors."""

from types import SimpleNamespace

import z3

from .bits import BitMachine
from .probes import signature
from .prove import Unproved

# What z3 may do for an answer, in its own units of work: a limit in seconds would be another one on a machine that is
# busy or slow. These are used at a rate of a million a second or less.
MOST_WORK = 20_000_000


def solver_of_bits():
    solver = z3.SolverFor("QF_BV")
    solver.set("rlimit", MOST_WORK)
    return solver


def joined(words):
    """The number of these words, least significant first."""
    return z3.Concat(*reversed(words)) if len(words) > 1 else words[0]


def named(statement, curve, inputs, outputs):
    """Arguments and results by name, and their words, from lists of words that are bit vectors."""
    found = SimpleNamespace(words={})
    for side, words in zip(signature(statement, curve), (inputs, outputs)):
        offset = 0
        for parameter in side[: len(words)]:
            own = words[offset : offset + parameter.words]
            offset += parameter.words
            found.words[parameter.name] = own
            setattr(found, parameter.name, joined(own))
    return found


def run_on_bits(statement, curve, instructions):
    """The names of `named`, for any arguments, after a run."""
    taken, given = signature(statement, curve)
    arguments = [z3.BitVec(f"{parameter.name}{i}", 32) for parameter in taken for i in range(parameter.words)]
    machine = BitMachine(arguments)
    machine.run(instructions)
    results = [machine.results[i] for i in range(sum(parameter.words for parameter in given))]
    return named(statement, curve, arguments, results)


def true_of_numbers(formulas):
    """Whether formulas without variables hold."""
    return all(z3.is_true(z3.simplify(formula)) for formula in formulas)


def numbers(words):
    return [z3.BitVecVal(int(word), 32) for word in words]


def prove_on_bits(statement, curve, instructions):
    """Returns the number of questions to z3; raises Unproved or Unsupported."""
    found = run_on_bits(statement, curve, instructions)
    claims = statement.claims(found, curve)
    for claim in claims:
        solver = solver_of_bits()
        solver.add(*statement.needs(found, curve))
        solver.add(z3.Not(claim))
        answer = solver.check()
        if answer != z3.unsat:
            raise Unproved("a counterexample" if answer == z3.sat else "no answer within the limit")
    return len(claims)
