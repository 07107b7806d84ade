"""Runs a kernel's PTX on real numbers, many items side by side. It shares the parser with the prover, and nothing else.

A register is a numpy array of uint64, one entry for each item; a word has its upper half zero.
"""

import numpy as np

from .ptx import Unsupported, address, load

MASK = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
ONE = np.uint64(1)


def _signed(value, width):
    return (value.astype(np.uint32).astype(np.int32).astype(np.int64)) if width == 32 else value.astype(np.int64)


def _unsigned(value, width):
    value = value.astype(np.int64).astype(np.uint64)
    return value & MASK if width == 32 else value


def _width(kind):
    return 64 if kind.endswith("64") else 32


class Interpreter:
    """`arguments` is an array of shape (words, items); `results` are words by their number."""

    def __init__(self, arguments):
        self.arguments = arguments.astype(np.uint64)
        self.items = arguments.shape[1]
        self.registers = {}
        self.results = {}
        self.carry = None
        self.written = []  # (instruction, register, array) in the order of execution

    def run(self, instructions, most_steps=1_000_000):
        labels = {entry.label: i for i, entry in enumerate(instructions) if entry.label}
        position = 0
        for _ in range(most_steps):
            if position == len(instructions):
                return
            entry = instructions[position]
            position += 1
            if entry.label:
                continue
            if entry.opcode[0] == "bra":
                if self._taken(entry.guard):
                    position = labels[entry.operands[0]]
            elif entry.guard:
                raise Unsupported("a predicated instruction")
            else:
                self.step(entry)
        raise Unsupported("a kernel that does not end")

    def _taken(self, guard):
        if not guard:
            return True
        condition = self.registers[guard.lstrip("!")] ^ np.uint64(guard.startswith("!"))
        if condition.min() != condition.max():
            raise Unsupported("a branch that depends on the arguments")
        return bool(condition[0])

    def value(self, operand, width=32):
        if operand in self.registers:
            return self.registers[operand]
        return np.full(self.items, int(operand, 0) % (1 << width), dtype=np.uint64)

    def write(self, entry, register, value, width=32):
        value = value & MASK if width == 32 else value
        self.registers[register] = value
        self.written.append((entry, register, value))

    def step(self, entry):
        opcode, operands = entry.opcode, entry.operands
        if opcode[0] in ("ret", "cvta") or entry.name.startswith("ld.param"):
            return
        if opcode[0] == "ld":
            word, first, count = load(entry)
            value = self.arguments[word] >> np.uint64(first) & np.uint64((1 << count) - 1)
            return self.write(entry, operands[0], value)
        if opcode[0] == "st":
            self.results[address(operands[0])[1] // 4] = self.value(operands[1]) & MASK  # also of a wider register
            return
        if opcode[0] == "mov" and isinstance(operands[0], tuple):
            whole = self.value(operands[1], 64)
            self.write(entry, operands[0][0], whole & MASK)
            return self.write(entry, operands[0][1], whole >> HALF)
        if opcode[0] == "mov" and isinstance(operands[1], tuple):
            low, high = (self.value(half) for half in operands[1])
            return self.write(entry, operands[0], low | high << HALF, 64)
        kind = opcode[-1]
        if opcode[0] in ("add", "addc", "sub", "subc") and _width(kind) == 32:
            return self._sum(entry)
        if opcode[0] in ("mad", "madc") and opcode[1] != "wide":
            return self._multiply_add(entry)
        function = getattr(self, "_" + opcode[0], None)
        if function is None:
            raise Unsupported(entry.name)
        function(entry, kind, _width(kind))

    def _sum(self, entry):
        x, y = (self.value(operand) for operand in entry.operands[1:])
        carry = self.carry if entry.opcode[0][-1] == "c" else np.uint64(0)
        total = x + y + carry if entry.opcode[0].startswith("add") else x - y - carry
        self.write(entry, entry.operands[0], total)
        # A negative difference wraps modulo 2^64, and has bit 32 set like a sum that overflows.
        self.carry = total >> HALF & ONE if "cc" in entry.opcode else None

    def _multiply_add(self, entry):
        x, y, addend = (self.value(operand) for operand in entry.operands[1:])
        product = x * y
        half = product & MASK if entry.opcode[1] == "lo" else product >> HALF
        total = half + addend + (self.carry if entry.opcode[0] == "madc" else np.uint64(0))
        self.write(entry, entry.operands[0], total)
        self.carry = total >> HALF if "cc" in entry.opcode else None

    def _add(self, entry, kind, width):
        x, y = (self.value(operand, width) for operand in entry.operands[1:])
        self.write(entry, entry.operands[0], x + y, width)

    def _sub(self, entry, kind, width):
        x, y = (self.value(operand, width) for operand in entry.operands[1:])
        self.write(entry, entry.operands[0], x - y, width)

    def _wide(self, entry, kind):
        x, y = (self.value(operand) for operand in entry.operands[1:3])
        return _unsigned(_signed(x, 32) * _signed(y, 32), 64) if kind[0] == "s" else x * y

    def _mad(self, entry, kind, width):
        self.write(entry, entry.operands[0], self._wide(entry, kind) + self.value(entry.operands[3], 64), 64)

    def _mul(self, entry, kind, width):
        if entry.opcode[1] == "wide":
            return self.write(entry, entry.operands[0], self._wide(entry, kind), 64)
        x, y = (self.value(operand, width) for operand in entry.operands[1:])
        if entry.opcode[1] == "hi":
            if kind != "u32":
                raise Unsupported(entry.name)
            return self.write(entry, entry.operands[0], x * y >> HALF)
        self.write(entry, entry.operands[0], x * y, width)

    def _neg(self, entry, kind, width):
        self.write(entry, entry.operands[0], np.uint64(0) - self.value(entry.operands[1], width), width)

    def _clz(self, entry, kind, width):
        value = self.value(entry.operands[1], width)
        bits = np.uint64(width) - np.sum([value >> np.uint64(k) != 0 for k in range(width)], axis=0, dtype=np.uint64)
        self.write(entry, entry.operands[0], bits, 32)

    def _abs(self, entry, kind, width):
        value = _signed(self.value(entry.operands[1], width), width)
        self.write(entry, entry.operands[0], _unsigned(np.abs(value), width), width)

    def _not(self, entry, kind, width):
        value = self.value(entry.operands[1], width)
        self.write(entry, entry.operands[0], value ^ ONE if kind == "pred" else ~value, width)

    def _mov(self, entry, kind, width):
        self.write(entry, entry.operands[0], self.value(entry.operands[1], width), width)

    def _cvt(self, entry, kind, width):
        value = self.value(entry.operands[1])
        if entry.opcode[-1] == "s32" and _width(entry.opcode[-2]) == 64:
            value = _unsigned(_signed(value, 32), 64)
        self.write(entry, entry.operands[0], value, _width(entry.opcode[-2]))

    def _shifts(self, entry, width):
        # PTX clamps counts above the width; those never occur here.
        value, count = self.value(entry.operands[1], width), self.value(entry.operands[2])
        if count.max() >= width:
            raise Unsupported("a shift by the whole width")
        return value, count

    def _shl(self, entry, kind, width):
        value, count = self._shifts(entry, width)
        self.write(entry, entry.operands[0], value << count, width)

    def _shr(self, entry, kind, width):
        value, count = self._shifts(entry, width)
        if kind[0] == "s":
            shifted = _unsigned(_signed(value, width) >> count.astype(np.int64), width)
        else:
            shifted = value >> count
        self.write(entry, entry.operands[0], shifted, width)

    def _shf(self, entry, kind, width):
        low, high, count = (self.value(operand) for operand in entry.operands[1:])
        whole, count = low | high << HALF, count & np.uint64(31)
        self.write(entry, entry.operands[0], whole >> count if entry.opcode[1] == "r" else (whole << count) >> HALF)

    def _bitwise(self, entry, width, function):
        self.write(entry, entry.operands[0], function(*(self.value(o, width) for o in entry.operands[1:])), width)

    def _and(self, entry, kind, width):
        self._bitwise(entry, width, np.bitwise_and)

    def _or(self, entry, kind, width):
        self._bitwise(entry, width, np.bitwise_or)

    def _xor(self, entry, kind, width):
        self._bitwise(entry, width, np.bitwise_xor)

    def _max(self, entry, kind, width):
        self._extreme(entry, kind, width, np.maximum)

    def _min(self, entry, kind, width):
        self._extreme(entry, kind, width, np.minimum)

    def _extreme(self, entry, kind, width, function):
        x, y = (self.value(operand, width) for operand in entry.operands[1:])
        if kind[0] == "s":
            x, y = _signed(x, width), _signed(y, width)
        value = function(x, y)
        self.write(entry, entry.operands[0], _unsigned(value, width) if kind[0] == "s" else value, width)

    def _selp(self, entry, kind, width):
        one, other = (self.value(operand, width) for operand in entry.operands[1:3])
        self.write(entry, entry.operands[0], np.where(self.registers[entry.operands[3]] == 1, one, other), width)

    def _setp(self, entry, kind, width):
        if len(entry.opcode) != 3:
            raise Unsupported(entry.name)
        x, y = (self.value(operand, width) for operand in entry.operands[1:])
        if kind[0] == "s":
            x, y = _signed(x, width), _signed(y, width)
        relations = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
        relations |= {"eq": np.equal, "ne": np.not_equal}
        self.write(entry, entry.operands[0], relations[entry.opcode[1]](x, y).astype(np.uint64))
