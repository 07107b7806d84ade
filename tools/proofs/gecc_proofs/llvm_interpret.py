"""Runs what llvm.py reads on real numbers, many items side by side. It shares the reader with the prover alone.

A register is an array of Python's integers, one for each item.
"""

import numpy as np

from .ptx import Unsupported

_RELATIONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
}


def _signed(value, width):
    return np.where(value >> (width - 1) == 1, value - (1 << width), value)


class Interpreter:
    """`arguments` is an array of shape (words, items); `results` are words by their number."""

    def __init__(self, arguments):
        self.arguments = arguments.astype(object)
        self.items = arguments.shape[1]
        self.registers = {}
        self.results = {}
        self.carry = self.zero = None
        self.written = []  # (instruction, register, array) in the order of execution

    def run(self, instructions):
        for entry in instructions:
            opcode = entry.opcode[0]
            if opcode == "x86":
                self._x86(entry, entry.opcode[1], int(entry.opcode[2]))
            elif opcode == "store":
                self.results[int(entry.operands[0])] = self.value(entry.operands[1])
            elif opcode == "load":
                self.write(entry, self.arguments[int(entry.operands[1])], 64)
            elif opcode == "icmp":
                self._compare(entry)
            else:
                self._compute(entry)

    def value(self, operand):
        if operand in self.registers:
            return self.registers[operand]
        return np.full(self.items, int(operand), dtype=object)

    def write(self, entry, value, width):
        value = value % (1 << width)
        self.registers[entry.operands[0]] = value
        self.written.append((entry, entry.operands[0], value))

    def _compare(self, entry):
        _, relation, kind = entry.opcode
        x, y = (self.value(operand) for operand in entry.operands[1:])
        if relation[0] == "s":
            x, y = (_signed(value, int(kind[1:])) for value in (x, y))
        relation = relation if relation in ("eq", "ne") else relation[1:]
        self.write(entry, _RELATIONS[relation](x, y).astype(int).astype(object), 1)

    def _compute(self, entry):
        opcode, width = entry.opcode[0], int(entry.opcode[-1][1:])
        operands = [self.value(operand) for operand in entry.operands[1:]]
        if opcode == "sext":
            operands.append(int(entry.opcode[1][1:]))
        function = _FUNCTIONS.get(opcode)
        if function is None:
            raise Unsupported(opcode)
        self.write(entry, function(width, *operands), width)

    def _x86(self, entry, opcode, width):
        end = 1 << width
        if opcode in ("add", "adc", "sub", "sbb"):
            first, second = entry.operands[1:]
            # A register less itself may have any content.
            same = first == second and opcode in ("sub", "sbb")
            x, y = (self.value("0" if same else operand) % end for operand in (first, second))
            carry = self.carry if opcode in ("adc", "sbb") else 0
            total = x + y + carry if opcode[0] == "a" else x - y - carry
            self.carry, self.zero = (total // end) % 2, None
            return self.write(entry, total % end, 64)
        if opcode == "mov":
            return self.write(entry, self.value(entry.operands[2]) % end, 64)
        values = [self.value(operand) % end for operand in entry.operands[1:]]
        if opcode == "test":
            self.zero, self.carry = values[0] & values[1] == 0, values[0] * 0
        elif opcode == "and":
            self.carry, self.zero = values[0] * 0, None
            self.write(entry, values[0] & values[1], 64)
        elif opcode == "neg":
            self.carry, self.zero = np.where(values[0] == 0, 0, 1).astype(object), None
            self.write(entry, -values[0] % end, 64)
        elif opcode == "rcr":
            carry, self.carry = self.carry, values[0] & 1
            self.write(entry, values[0] // 2 + carry * (end // 2), 64)
        elif opcode == "cmovc":
            self.write(entry, np.where(self.carry == 1, values[1], values[0]), 64)
        elif opcode == "cmovnz" and self.zero is not None:
            self.write(entry, np.where(self.zero, values[0], values[1]), 64)
        else:
            raise Unsupported(opcode)


def _swapped(_, value):
    return sum((value >> (8 * i) & 255) << (56 - 8 * i) for i in range(8))


def _funnel(width, high, low):
    return high << width | low


_FUNCTIONS = {
    "copy": lambda w, x: x,
    "add": lambda w, x, y: x + y,
    "sub": lambda w, x, y: x - y,
    "mul": lambda w, x, y: x * y,
    "and": lambda w, x, y: x & y,
    "or": lambda w, x, y: x | y,
    "xor": lambda w, x, y: x ^ y,
    "shl": lambda w, x, n: x << n,
    "lshr": lambda w, x, n: x >> n,
    "ashr": lambda w, x, n: _signed(x, w) >> n,
    "trunc": lambda w, x: x,
    "zext": lambda w, x: x,
    "sext": lambda w, x, source: _signed(x, source),
    "select": lambda w, c, x, y: np.where(c == 1, x, y),
    "madd52lo": lambda w, c, x, y: c + (x % 2**52 * (y % 2**52)) % 2**52,
    "madd52hi": lambda w, c, x, y: c + (x % 2**52 * (y % 2**52) >> 52),
    "fshl": lambda w, high, low, n: _funnel(w, high, low) << n >> w,
    "fshr": lambda w, high, low, n: _funnel(w, high, low) >> n,
    "bswap": _swapped,
}
