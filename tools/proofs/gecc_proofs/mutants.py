"""Changes kernels one instruction at a time, to check that the prover rejects wrong kernels."""

import random
from dataclasses import replace

import z3

from . import llvm_mutants
from .crosscheck import holds, samples
from .languages import LLVM
from .prove import Unproved, prove
from .prove_bits import prove_on_bits
from .ptx import Unsupported

_ARITHMETIC = set("add addc sub subc mad madc mul and or xor shl shr shf setp selp neg".split())


def _without(opcode, part):
    return tuple(p for p in opcode if p != part)


def _variants(entry, earlier):
    """Yields (description, the changed instruction). `earlier` is a register written before."""
    opcode, operands = entry.opcode, entry.operands
    if opcode[0] in ("addc", "subc", "madc"):
        yield "no carry in", replace(entry, opcode=(opcode[0][:-1],) + opcode[1:])
    if "cc" in opcode:
        yield "no carry out", replace(entry, opcode=_without(opcode, "cc"))
    for one, other in (("lo", "hi"), ("hi", "lo")):
        if opcode[0] in ("mad", "madc") and opcode[1] == one:
            yield f"{one} for {other}", replace(entry, opcode=(opcode[0], other) + opcode[2:])
    if opcode[0] in ("add", "addc", "sub", "subc"):
        other = {"a": "sub", "s": "add"}[opcode[0][0]] + opcode[0][3:]
        yield "the other sign", replace(entry, opcode=(other,) + opcode[1:])
    for i, operand in enumerate(operands[1:], 1):
        if isinstance(operand, str) and operand.startswith("%r") and not operand.startswith("%rd"):
            if earlier and earlier != operand:
                yield "another register", replace(entry, operands=operands[:i] + (earlier,) + operands[i + 1 :])
        elif isinstance(operand, str) and operand.lstrip("-").isdigit():
            changed = str(int(operand) + 1)
            yield "another constant", replace(entry, operands=operands[:i] + (changed,) + operands[i + 1 :])


def mutants(instructions, language):
    """Yields (position, description, instructions) of every change."""
    if language.word == LLVM.word:
        yield from llvm_mutants.mutants(instructions)
        return
    earlier = None
    for position, entry in enumerate(instructions):
        if entry.opcode and entry.opcode[0] in _ARITHMETIC:
            for what, changed in _variants(entry, earlier):
                yield position, what, instructions[:position] + (changed,) + instructions[position + 1 :]
        if entry.operands and isinstance(entry.operands[0], str) and entry.operands[0].startswith("%r"):
            if not entry.operands[0].startswith("%rd"):
                earlier = entry.operands[0]


def _proved(task):
    try:
        if task.statement.bits:
            prove_on_bits(task.statement, task.curve, task.instructions)
            return True
        prove(task.statement, task.curve, task.instructions)
        return True
    except (Unproved, Unsupported, KeyError, TypeError, AttributeError, ValueError, z3.Z3Exception):
        return False


def try_mutants(task, count, items=150, seed=1):
    """Returns how many mutants were tried, how many rejected, and how many wrongly proved.

    A mutant is wrongly proved if it is proved although real runs contradict the statement. A mutant
    that is proved and that no run contradicts computes the same results as far as the statement
    covers them, for example because it omits a carry that is always 0. Tries all mutants if `count`
    is None.
    """
    columns = samples(task.statement, task.curve, items, seed)
    everything = list(mutants(task.instructions, task.statement.language))
    random.Random(seed).shuffle(everything)
    tried = rejected = wrong = 0
    for _, _, instructions in everything:
        if tried == count:
            break
        if not _runs(instructions, columns, task.statement.language):
            continue
        mutant = replace(task, instructions=instructions)
        tried += 1
        if not _proved(mutant):
            rejected += 1
        elif _contradicted(mutant, columns):
            wrong += 1
    return tried, rejected, wrong


def _contradicted(mutant, columns):
    try:
        return not holds(mutant, columns)
    except Unsupported:
        return False  # items that branch differently do not run side by side


def _runs(instructions, columns, language):
    """Whether it is a program at all."""
    try:
        language.interpreter(columns[:, :1]).run(instructions)
    except (Unsupported, KeyError, TypeError, AttributeError, ValueError):
        return False
    return True
