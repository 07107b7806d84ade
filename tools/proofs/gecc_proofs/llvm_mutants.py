"""Changes of what llvm.py reads, one instruction at a time."""

from dataclasses import replace

_OTHER = {
    "add": "sub",
    "sub": "add",
    "and": "or",
    "or": "and",
    "xor": "or",
    "lshr": "ashr",
    "ashr": "lshr",
    "madd52lo": "madd52hi",
    "madd52hi": "madd52lo",
}
_OTHER_ASSEMBLY = {"add": "adc", "adc": "add", "sub": "sbb", "sbb": "sub", "cmovc": "cmovnz", "cmovnz": "cmovc"}
_OTHER_RELATION = {"ult": "ule", "uge": "ugt", "slt": "sle", "eq": "ne", "ne": "eq"}
_KEPT = ("load", "store", "copy", "zext", "trunc", "sext")


def _variants(entry, earlier):
    """Yields (description, the changed instruction). `earlier` is a word written before."""
    opcode, operands = entry.opcode, entry.operands
    if opcode[0] in _OTHER:
        yield "another operation", replace(entry, opcode=(_OTHER[opcode[0]],) + opcode[1:])
    if opcode[0] == "x86" and opcode[1] in _OTHER_ASSEMBLY:
        yield "another operation", replace(entry, opcode=("x86", _OTHER_ASSEMBLY[opcode[1]]) + opcode[2:])
    if opcode[0] == "icmp" and opcode[1] in _OTHER_RELATION:
        yield "another relation", replace(entry, opcode=("icmp", _OTHER_RELATION[opcode[1]], opcode[2]))
    if opcode[0] == "select":
        yield "the other choice", replace(entry, operands=operands[:2] + (operands[3], operands[2]))
    first = 2 if opcode[0] in ("x86", "select") else 1
    for i, operand in enumerate(operands[first:], first):
        if not operand.startswith("%"):
            changed = str(int(operand) + 1)
            yield "another constant", replace(entry, operands=operands[:i] + (changed,) + operands[i + 1 :])
        elif opcode[-1] in ("i64", "64") and earlier and earlier != operand:
            yield "another register", replace(entry, operands=operands[:i] + (earlier,) + operands[i + 1 :])


def mutants(instructions):
    """Yields (position, description, instructions) of every change."""
    earlier = None
    for position, entry in enumerate(instructions):
        if entry.opcode[0] not in _KEPT:
            for what, changed in _variants(entry, earlier):
                yield position, what, instructions[:position] + (changed,) + instructions[position + 1 :]
        if entry.opcode[-1] in ("i64", "64") and entry.opcode[0] not in ("store", "icmp"):
            earlier = entry.operands[0]
