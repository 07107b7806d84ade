"""Proves a statement about a kernel that is run on bit vectors."""

from types import SimpleNamespace

import z3

from .bits import BitMachine
from .probes import signature
from .prove import Unproved

MILLISECONDS = 60000


def joined(words):
    """The number of these words, least significant first."""
    return z3.Concat(*reversed(words)) if len(words) > 1 else words[0]


def run_on_bits(statement, curve, instructions):
    """Arguments and results as bit vectors by name, and their words."""
    taken, given = signature(statement, curve)
    found = SimpleNamespace(words={})
    arguments = []
    for parameter in taken:
        words = [z3.BitVec(f"{parameter.name}{i}", 32) for i in range(parameter.words)]
        arguments += words
        found.words[parameter.name] = words
        setattr(found, parameter.name, joined(words))
    machine = BitMachine(arguments)
    machine.run(instructions)
    offset = 0
    for parameter in given:
        words = [machine.results[offset + i] for i in range(parameter.words)]
        offset += parameter.words
        found.words[parameter.name] = words
        setattr(found, parameter.name, joined(words))
    return found


def prove_on_bits(statement, curve, instructions):
    """Returns the number of questions to z3; raises Unproved or Unsupported."""
    found = run_on_bits(statement, curve, instructions)
    claims = statement.claims(found, curve)
    for claim in claims:
        solver = z3.SolverFor("QF_BV")
        solver.set("timeout", MILLISECONDS)
        solver.add(*statement.needs(found, curve))
        solver.add(z3.Not(claim))
        answer = solver.check()
        if answer != z3.unsat:
            raise Unproved("a counterexample" if answer == z3.sat else "no answer in time")
    return len(claims)
