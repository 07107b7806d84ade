"""Runs a kernel on bit vectors: for code that compares, selects and shifts, and does not multiply unknown words.

A branch is followed where its condition is a constant, as in loops over a counter; else both ways are.
"""

import z3

from .ptx import Unsupported, address, load


def leading_zeros(value):
    """The zeros above the highest bit, and all bits of 0."""
    count = z3.BitVecVal(value.size(), value.size())
    for position in range(value.size()):
        count = z3.If(z3.Extract(position, position, value) == 1, value.size() - 1 - position, count)
    return count


class BitMachine:
    def __init__(self, arguments):
        self.arguments = arguments  # bit vectors of 32 bits
        self.results = {}
        self.registers = {}
        self.local = {}  # words of the kernel's own memory, by the bytes before them
        self.carry = None

    def run(self, instructions, position=0, most_steps=20_000):
        labels = {entry.label: i for i, entry in enumerate(instructions) if entry.label}
        for _ in range(most_steps):
            if position == len(instructions):
                return
            entry = instructions[position]
            position += 1
            if entry.label:
                continue
            if entry.opcode[0] == "bra":
                condition = self._condition(entry.guard)
                if z3.is_true(condition):
                    position = labels[entry.operands[0]]
                elif not z3.is_false(condition):
                    return self._both(condition, instructions, labels[entry.operands[0]], position)
            elif entry.guard:
                raise Unsupported("a predicated instruction")
            elif entry.opcode[0] == "ret":
                return
            else:
                self.step(entry)
        raise Unsupported("a kernel that does not end")

    def _condition(self, guard):
        if not guard:
            return z3.BoolVal(True)
        condition = self.registers[guard.lstrip("!")]
        return z3.simplify(z3.Not(condition) if guard.startswith("!") else condition)

    def _both(self, condition, instructions, target, following):
        """Where a branch depends on the arguments: both ways to the end, and the results of either by the condition."""
        ways = []
        for position in (target, following):
            way = BitMachine(self.arguments)
            way.registers, way.results, way.carry = dict(self.registers), dict(self.results), self.carry
            way.local = dict(self.local)
            way.run(instructions, position)
            ways.append(way.results)
        if ways[0].keys() != ways[1].keys():
            raise Unsupported("a result that only one way gives")
        self.results = {word: z3.If(condition, ways[0][word], ways[1][word]) for word in ways[0]}

    def value(self, operand, width=32):
        if operand in self.registers:
            return self.registers[operand]
        return z3.BitVecVal(0 if operand.startswith("__local_depot") else int(operand, 0), width)

    def write(self, entry, value, register=None):
        self.registers[register or entry.operands[0]] = z3.simplify(value)

    def step(self, entry):
        opcode, operands = entry.opcode, entry.operands
        if opcode[0] == "cvta" or entry.name.startswith("ld.param"):
            return
        if "local" in opcode:
            return self._local(entry)
        if opcode[0] == "ld":
            word, first, count = load(entry)
            part = z3.Extract(first + count - 1, first, self.arguments[word])
            return self.write(entry, z3.ZeroExt(32 - count, part) if count < 32 else part)
        if opcode[0] == "st":
            self.results[address(operands[0])[1] // 4] = self.value(operands[1])
            return
        kind = opcode[-1]
        width = 64 if kind.endswith("64") else 32
        if opcode[0] == "mov" and isinstance(operands[0], tuple):
            whole = self.value(operands[1], 64)
            self.write(entry, z3.Extract(31, 0, whole), operands[0][0])
            return self.write(entry, z3.Extract(63, 32, whole), operands[0][1])
        if opcode[0] == "mov" and isinstance(operands[1], tuple):
            return self.write(entry, z3.Concat(self.value(operands[1][1]), self.value(operands[1][0])))
        if opcode[0] in ("add", "addc", "sub", "subc"):
            return self._sum(entry, width)
        if kind == "pred":
            return self._predicate(entry)
        self.write(entry, self._result(entry, kind, width))

    def _local(self, entry):
        """A load or store of words at an address that is known."""
        loads = entry.opcode[0] == "ld"
        registers, place = entry.operands if loads else reversed(entry.operands)
        if entry.opcode[0] not in ("ld", "st") or entry.opcode[-1] not in ("u32", "b32"):
            raise Unsupported(entry.name)
        register, offset = address(place)
        base = self.registers[register]
        if not z3.is_bv_value(base):
            raise Unsupported("an address that depends on the arguments")
        for i, one in enumerate(registers if isinstance(registers, tuple) else (registers,)):
            place = base.as_long() + offset + 4 * i
            if loads:
                self.write(entry, self.local[place], one)
            else:
                self.local[place] = self.value(one)

    def _sum(self, entry, width):
        x, y = (self.value(operand, width) for operand in entry.operands[1:])
        adds = entry.opcode[0].startswith("add")
        if entry.opcode[0][-1] != "c" and "cc" not in entry.opcode:
            return self.write(entry, x + y if adds else x - y)
        x, y = z3.ZeroExt(1, x), z3.ZeroExt(1, y)
        total = x + y if adds else x - y
        if entry.opcode[0][-1] == "c":
            carry = z3.ZeroExt(width, self.carry)
            total = total + carry if adds else total - carry
        self.write(entry, z3.Extract(width - 1, 0, total))
        self.carry = z3.Extract(width, width, total) if "cc" in entry.opcode else None

    def _predicate(self, entry):
        sources = [self.registers[operand] for operand in entry.operands[1:]]
        functions = {"and": z3.And, "or": z3.Or, "xor": z3.Xor, "not": z3.Not, "mov": lambda x: x}
        self.write(entry, functions[entry.opcode[0]](*sources))

    def _result(self, entry, kind, width):
        opcode, operands = entry.opcode, entry.operands
        if opcode[0] == "setp" and len(opcode) == 3:
            x, y = (self.value(operand, width) for operand in operands[1:])
            return self._compared(opcode[1], kind[0] == "s", x, y)
        if opcode[0] == "selp":
            one, other = (self.value(operand, width) for operand in operands[1:3])
            return z3.If(self.registers[operands[3]], one, other)
        if opcode[0] == "cvt":
            return self._converted(opcode[-2], opcode[-1], self.value(operands[1], width))
        if opcode[0] == "mul" and opcode[1] == "wide":
            x, y = (self.value(operand) for operand in operands[1:])
            extend = z3.SignExt if kind[0] == "s" else z3.ZeroExt
            return extend(32, x) * extend(32, y)
        if opcode[0] == "shf":
            low, high, count = (self.value(operand) for operand in operands[1:])
            whole, count = z3.Concat(high, low), z3.ZeroExt(32, count & 31)
            if opcode[1] == "r":
                return z3.Extract(31, 0, z3.LShR(whole, count))
            return z3.Extract(63, 32, whole << count)
        if opcode[0] == "mad" and opcode[1] == "lo" and "cc" not in opcode:
            x, y, addend = (self.value(operand) for operand in operands[1:])
            return x * y + addend
        if opcode[0] == "bfi":
            return self._inserted(*operands[1:], width)
        sources = [self.value(operands[1], width)]
        sources += [self.value(operand, width) for operand in operands[2:]]
        if opcode[0] in ("shl", "shr") and width == 64:
            sources[1] = z3.ZeroExt(32, self.value(operands[2]))
        functions = {
            "and": lambda x, y: x & y,
            "or": lambda x, y: x | y,
            "xor": lambda x, y: x ^ y,
            "not": lambda x: ~x,
            "neg": lambda x: -x,
            "abs": lambda x: z3.If(x < 0, -x, x),
            "mov": lambda x: x,
            "clz": leading_zeros,
            "shl": lambda x, y: x << y,
            "shr": (lambda x, y: x >> y) if kind[0] == "s" else z3.LShR,
            "mul": lambda x, y: x * y,
            "max": lambda x, y: z3.If(self._compared("ge", kind[0] == "s", x, y), x, y),
            # Towards zero, as C has it.
            "div": lambda x, y: x / y if kind[0] == "s" else z3.UDiv(x, y),
            "min": lambda x, y: z3.If(self._compared("le", kind[0] == "s", x, y), x, y),
        }
        if opcode[0] not in functions or (opcode[0] == "mul" and opcode[1] != "lo"):
            raise Unsupported(entry.name)
        return functions[opcode[0]](*sources)

    def _inserted(self, low, into, first, count, width):
        """Bits from `first` on replaced by the lowest ones of another word."""
        first, count = int(first), int(count)
        if not 0 < count <= width - first:
            raise Unsupported("bits beyond the word")
        whole, part = self.value(into, width), z3.Extract(count - 1, 0, self.value(low, width))
        kept = [z3.Extract(width - 1, first + count, whole)] if first + count < width else []
        kept += [part] + ([z3.Extract(first - 1, 0, whole)] if first else [])
        return z3.Concat(*kept) if len(kept) > 1 else part

    @staticmethod
    def _compared(relation, signed, x, y):
        if relation in ("eq", "ne"):
            return x == y if relation == "eq" else x != y
        if signed:
            return {"lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[relation]
        return {"lt": z3.ULT(x, y), "le": z3.ULE(x, y), "gt": z3.UGT(x, y), "ge": z3.UGE(x, y)}[relation]

    @staticmethod
    def _converted(to, source, value):
        if to.endswith("64") and source.endswith("32"):
            return z3.SignExt(32, value) if source[0] == "s" else z3.ZeroExt(32, value)
        return z3.Extract(31, 0, value) if to.endswith("32") and source.endswith("64") else value
