"""Reads an asm statement of x86-64 (Intel, Software Developer's Manual, volume 2) into instructions on named registers.

`carry` and `not zero` stand for the flags in between. A register of 32 bits that is written has its upper half zero.
"""

import re

from .ptx import Unsupported

_SUMS = {"add", "adc", "sub", "sbb"}
_PLACE = re.compile(r"\[\$\{(\d+):q\}(?: \+ (\d+))?\]")
_REGISTER = re.compile(r"\$\{(\d+):([qk])\}")
_WIDTHS = {"q": "64", "k": "32"}


def expanded(text, constraints, operands, name):
    """([(opcode, operands)], registers of the results).

    `operands` are what goes in, in order: (type, register or constant), or ("ptr", the words at the address)."""
    outputs = [c for c in constraints if c.startswith("=")]
    inputs = [c for c in constraints if not c.startswith(("=", "~"))]
    if any(c != "=&r" for c in outputs) or len(inputs) != len(operands):
        raise Unsupported(f"an asm statement with {constraints}")
    reader = _Statement(name)
    for i in range(len(outputs)):
        reader.registers[i] = f"{name}.{i}"
    for position, (constraint, (kind, operand)) in enumerate(zip(inputs, operands), len(outputs)):
        if constraint.isdigit() and kind in ("i32", "i64"):
            reader.emit(("copy", kind), f"{name}.{constraint}", operand)
            if kind == "i32":
                reader.narrow.add(f"{name}.{constraint}")
        elif constraint == "r" and kind == "ptr":
            reader.memory[position] = operand
        else:
            raise Unsupported(f"an asm operand {constraint}")
    for line in text.split("\\0A"):
        reader.instruction(line)
    return reader.lines, [reader.registers[i] for i in range(len(outputs))]


class _Statement:
    def __init__(self, name):
        self.registers = {}  # operand number -> register
        self.memory = {}  # operand number -> the words at this address
        self.narrow = set()  # registers whose upper halves are not known
        self.lines = []

    def emit(self, opcode, *operands):
        self.lines.append((opcode, operands))

    def instruction(self, line):
        opcode, _, rest = line.strip().partition(" ")
        parts = [part.strip() for part in rest.split(",")]
        target, width = self._register(parts[0])
        sources = [self._source(part, width) for part in parts[1:]]
        count = len(sources)
        if opcode in _SUMS | {"and", "test", "mov"} and count == 1:
            self.emit(("x86", opcode, width), target, target, sources[0])
        elif opcode in ("cmovc", "cmovnz") and count == 1 and width == "64":
            self.emit(("x86", opcode, width), target, target, sources[0])
        elif opcode == "neg" and count == 0:
            self.emit(("x86", opcode, width), target, target)
        elif opcode == "rcr" and sources == ["1"] and width == "64":
            self.emit(("x86", opcode, width), target, target)
        else:
            raise Unsupported(line)
        if opcode != "test":
            self.narrow.discard(target)

    def _register(self, text):
        match = _REGISTER.fullmatch(text)
        if not match or int(match[1]) not in self.registers:
            raise Unsupported(f"an asm operand {text}")
        register, width = self.registers[int(match[1])], _WIDTHS[match[2]]
        if register in self.narrow and width != "32":
            raise Unsupported(f"an asm operand {text}")
        return register, width

    def _source(self, text, width):
        if match := _PLACE.fullmatch(text):
            offset = int(match[2] or 0)
            if width != "64" or offset % 8 or int(match[1]) not in self.memory:
                raise Unsupported(f"an asm operand {text}")
            return self.memory[int(match[1])][offset // 8]
        if re.fullmatch(r"-?\d+", text):
            return str(int(text) % (1 << int(width)))
        register, own = self._register(text)
        if own != width:
            raise Unsupported(f"an asm operand {text}")
        return register
