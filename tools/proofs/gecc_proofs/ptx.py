"""Reads the PTX of a kernel (NVIDIA, Parallel Thread Execution ISA) into a list of instructions."""

import re
from dataclasses import dataclass


class Unsupported(Exception):
    """The text has something that nothing here gives a meaning to."""


@dataclass(frozen=True)
class Instruction:
    opcode: tuple  # ("add", "cc", "u32")
    operands: tuple  # as written; a vector in braces is a tuple
    guard: str = ""  # "%p1" or "!%p1" where the instruction is predicated
    label: str = ""  # a label that stands here; such an entry has no opcode
    block: int = 0  # the number of the asm statement it belongs to, 0 for the compiler's own code
    line: int = 0

    @property
    def name(self):
        return ".".join(self.opcode)


_OPERAND = re.compile(r"\{[^}]*\}|\[[^\]]*\]|[^,\s]+")


def _operand(text):
    if text.startswith("{"):
        return tuple(part.strip() for part in text[1:-1].split(","))
    return text


def _statement(text, block, line):
    guard = ""
    if text.startswith("@"):
        guard, text = text[1:].split(None, 1)
    opcode, _, rest = text.partition(" ")
    operands = tuple(_operand(o) for o in _OPERAND.findall(rest.replace("\t", " ")))
    return Instruction(tuple(opcode.split(".")), operands, guard, "", block, line)


def instructions(body):
    """The instructions of a kernel's body, in order."""
    result, block, blocks = [], 0, 0
    for line, text in enumerate(body.splitlines()):
        if "begin inline asm" in text:
            blocks += 1
            block = blocks
        elif "end inline asm" in text:
            block = 0
        text = text.split("//")[0].strip()
        # An asm statement may open a scope with registers of its own.
        text = re.sub(r"^\{?\s*\.reg[^;]*;", "", text).strip()
        text = re.sub(r";\s*\}$", ";", text)
        if text in ("", "{", "}") or text.startswith("."):
            continue
        if text.endswith(":"):
            result.append(Instruction((), (), "", text[:-1], block, line))
            continue
        result.append(_statement(text.rstrip(";").replace("\t", " "), block, line))
    return result


def kernels(text):
    """The bodies of all kernels of a module, by name."""
    found = re.finditer(r"\.entry (\w+)\([^)]*\)[^{]*\{(.*?)^\}", text, re.S | re.M)
    return {match[1]: match[2] for match in found}


def address(operand):
    """(register, byte offset) of an operand in brackets."""
    register, _, offset = operand[1:-1].partition("+")
    return register, int(offset or 0)


def load(instruction):
    """(number of the word, first bit, number of bits) that a load from the arguments reads."""
    sizes = {"u32": 32, "b32": 32, "u16": 16, "u8": 8}
    if instruction.opcode[1] != "global" or instruction.opcode[-1] not in sizes or len(instruction.opcode) != 3:
        raise Unsupported(instruction.name)
    _, offset = address(instruction.operands[1])
    return offset // 4, 8 * (offset % 4), sizes[instruction.opcode[-1]]
