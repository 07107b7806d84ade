"""Runs a kernel without branches on polynomials: every instruction becomes an exact equation between integers.

A register holds a polynomial that is congruent to its content modulo 2^32 (2^64), not more: additions, negations and
low products need no other reading. An instruction that needs the unsigned or the signed number takes it by a split.
"""

from .masks import Masks, as_signed
from .polynomial import MINUS_ONE, Polynomial
from .ptx import Unsupported, address
from .system import MOST_BOOLEANS

_COMPARISONS = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}
_WIDTHS = {"u32": 32, "s32": 32, "b32": 32, "u64": 64, "s64": 64, "b64": 64, "pred": 1}


class Machine:
    """Runs a kernel `(results, arguments)`: from `inputs`, the polynomials of the words that it loads, to `outputs`."""

    def __init__(self, system, refuter, inputs):
        self.system = system
        self.masks = Masks(system, refuter)
        self.inputs = inputs
        self.outputs = {}
        self.registers = {}
        self.pointers = {}  # register -> the parameter whose address it holds
        self.fitting = {}  # what _fits_by_preconditions has found
        self.carry = None  # of the last .cc instruction of this asm statement, 0 or 1
        self.defined = []  # (instruction, polynomial, width) of every register written, for comparison with a real run

    def run(self, instructions):
        block = 0
        for instruction in instructions:
            if instruction.block != block or instruction.block == 0:
                # A carry flag does not live from one asm statement to the next.
                if instruction.block != block:
                    self.carry = None
                block = instruction.block
            if instruction.label or instruction.guard:
                raise Unsupported("a branch")
            self.step(instruction)
        self.system.end_chain()

    def step(self, instruction):
        opcode = instruction.opcode
        if instruction.name in ("ret", "ld.param.u64", "ld.param.b64", "cvta.to.global.u64"):
            self._pointer(instruction)
        elif opcode[0] in ("ld", "st"):
            self._memory(instruction)
        elif opcode[0] in ("add", "addc", "sub", "subc"):
            self._sum(instruction)
        elif opcode[0] in ("mad", "madc"):
            self._multiply_add(instruction)
        else:
            handler = getattr(self, "_" + opcode[0], None)
            if handler is None:
                raise Unsupported(instruction.name)
            self.system.end_chain()
            handler(instruction)

    # Readings of a register

    def value(self, operand):
        """Congruent to the operand modulo its width."""
        if operand in self.registers:
            return self.registers[operand]
        return Polynomial.constant(int(operand, 0))

    def near_zero(self, operand):
        """As value(), for a word: a function of carries by its signed reading, whose values are small."""
        value = self.value(operand)
        if not value.is_boolean(MOST_BOOLEANS):
            return value
        return self.masks.function(as_signed, value)

    def long_value(self, operand):
        """As value(), for 64 bits: unsigned where a sum may have wrapped, of which a comparison finds the carry."""
        value = self.value(operand)
        least, most = self.system.interval(value)
        return value if least >= -(2**63) and most < 2**64 else self.unsigned(value, 64)

    def unsigned(self, value, width=32):
        least, most = self.system.interval(value)
        low = value if least >= 0 and most < 1 << width else self.system.split(value, width)[0]
        return self.system.named(low) if width == 32 else low

    def signed(self, value, width=32):
        least, most = self.system.interval(value)
        if least >= -(1 << (width - 1)) and most < 1 << (width - 1):
            return value
        if self._fits_by_preconditions(value, width):
            return value
        low = self.unsigned(value, width)
        return low - self.system.split(low, width - 1)[1].scaled(1 << width)

    def _fits_by_preconditions(self, value, width):
        """Whether the preconditions keep a sum of signed numbers within the signed range."""
        if not any(self.system.bounds[v][0] < 0 for v in value.variables()):
            return False
        if value.key() not in self.fitting:
            end = 1 << (width - 1)
            beyond = ([end - value], [value + end + 1])
            about = value.variables()
            self.fitting[value.key()] = all(self.masks.refuter.refute({}, p, about) for p in beyond)
        return self.fitting[value.key()]

    def reading(self, operand, kind):
        width = _WIDTHS[kind]
        return self.signed(self.value(operand), width) if kind[0] == "s" else self.unsigned(self.value(operand), width)

    def write(self, instruction, polynomial, width=32, operand=None):
        operand = operand or instruction.operands[0]
        self.registers[operand] = polynomial
        self.defined.append((instruction, operand, polynomial, width))

    # Instructions

    def _pointer(self, instruction):
        if instruction.opcode[0] == "ld":
            self.pointers[instruction.operands[0]] = instruction.operands[1][1:-1]
        elif instruction.opcode[0] == "cvta":
            self.pointers[instruction.operands[0]] = self.pointers[instruction.operands[1]]

    def _memory(self, instruction):
        load = instruction.opcode[0] == "ld"
        if instruction.opcode[1:] not in (("global", "u32"), ("global", "b32")):
            raise Unsupported(instruction.name)
        register, offset = address(instruction.operands[load])
        if offset % 4 or not self.pointers[register].endswith("_1" if load else "_0"):
            raise Unsupported("an address")
        if load:
            if self.outputs:
                raise Unsupported("a load after a store")
            self.write(instruction, self.inputs[offset // 4])
        else:
            self.outputs[offset // 4] = self.unsigned(self.value(instruction.operands[1]))

    def _carry_in(self):
        if self.carry is None:
            raise Unsupported("a carry flag that was not set in the same asm statement")
        return self.carry

    def _sum(self, instruction):
        opcode = instruction.opcode
        takes, gives = opcode[0].endswith("c"), "cc" in opcode
        sign = 1 if opcode[0].startswith("add") else -1
        left, right = instruction.operands[1:]
        if not takes and not gives:
            self.system.end_chain()
            width = _WIDTHS[opcode[-1]]
            read = self.near_zero if width == 32 else self.long_value
            total = read(left) + read(right).scaled(sign)
            return self.write(instruction, self._settled(total, width), width)
        if opcode[-1] != "u32":
            raise Unsupported(instruction.name)
        if not takes:
            self.system.begin_chain()
        total = self.unsigned(self.value(left)) + self.unsigned(self.value(right)).scaled(sign)
        if takes:
            total = total + self._carry_in().scaled(sign)
        low, quotient = self._link(total)
        self.write(instruction, low)
        self.carry = quotient.scaled(sign) if gives else None

    def _settled(self, total, width):
        """A sum as it is, unless it grows long."""
        return total if len(total.terms) <= 40 or width == 64 else self.unsigned(total, width)

    def _link(self, total):
        low, quotient = self.system.split(total, 32)
        self.system.chain_link(total, low, quotient, 32)
        return low, quotient

    def _multiply_add(self, instruction):
        opcode = instruction.opcode
        left, right, addend = instruction.operands[1:]
        if opcode[1] == "wide":
            self.system.end_chain()
            product = self.reading(left, opcode[2]) * self.reading(right, opcode[2])
            return self.write(instruction, product + self.value(addend), 64)
        takes, gives = opcode[0] == "madc", "cc" in opcode
        if not takes and not gives and opcode[1] == "lo":
            self.system.end_chain()
            return self.write(instruction, self._low_product(left, right) + self.value(addend))
        if opcode[-1] != "u32":
            raise Unsupported(instruction.name)
        if not takes and gives:
            self.system.begin_chain()
        low, high = self.system.product(self.unsigned(self.value(left)), self.unsigned(self.value(right)))
        total = (low if opcode[1] == "lo" else high) + self.unsigned(self.value(addend))
        if takes:
            total = total + self._carry_in()
        low, quotient = self._link(total)
        self.write(instruction, low)
        self.carry = quotient if gives else None

    def _odd_word(self, value):
        """A word, as a variable where all its coefficients are even: the shift below is that of a constant alone."""
        word = self.unsigned(value)
        return self.system.renamed(word) if not word.is_constant() and word.trailing_zeros() else word

    def _low_product(self, left, right):
        """Congruent to a product modulo 2^32."""
        x, y = self.near_zero(left), self.near_zero(right)
        if (x * y).is_boolean(MOST_BOOLEANS):
            return x * y
        if any(self.system.interval(z)[0] < 0 for z in (x, y) if not z.is_constant()):
            return x * y  # numbers with a sign, as the signed products of the same operands have them
        total = self._odd_word(x) * self._odd_word(y)
        shift = total.trailing_zeros()
        if 0 < shift < 32:
            # Twice a number whose low word occurs by itself: that word is the variable.
            low = self.system.split(total.divided(1 << shift), 32)[0]
            return self.system.split(low, 32 - shift)[0].scaled(1 << shift)
        return self.system.split(total, 32)[0]

    def _mul(self, instruction):
        left, right = instruction.operands[1:]
        how, kind = instruction.opcode[1:]
        if how == "lo" and _WIDTHS[kind] == 32:
            self.write(instruction, self._low_product(left, right))
        elif how == "lo":
            self.write(instruction, self.value(left) * self.value(right), 64)
        elif how == "wide":
            self.write(instruction, self.reading(left, kind) * self.reading(right, kind), 64)
        elif how == "hi" and kind == "u32":
            x, y = self.unsigned(self.value(left)), self.unsigned(self.value(right))
            self.write(instruction, self.system.product(x, y)[1])
        else:
            raise Unsupported(instruction.name)

    def _neg(self, instruction):
        self.write(instruction, -self.value(instruction.operands[1]), _WIDTHS[instruction.opcode[1]])

    def _not(self, instruction):
        if instruction.opcode[1] == "pred":
            self.write(instruction, 1 - self.value(instruction.operands[1]), 1)
        else:
            self.write(instruction, MINUS_ONE - self.value(instruction.operands[1]), _WIDTHS[instruction.opcode[1]])

    def _mov(self, instruction):
        target, source = instruction.operands
        width = _WIDTHS[instruction.opcode[1]]
        if isinstance(target, tuple):
            low, high = self._halves(self.unsigned(self.value(source), 64))
            self.write(instruction, low, 32, target[0])
            self.write(instruction, high, 32, target[1])
        elif isinstance(source, tuple):
            low, high = (self.unsigned(self.value(half)) for half in source)
            self.write(instruction, low + high.scaled(1 << 32), 64)
        else:
            self.write(instruction, self.value(source), width)

    def _halves(self, value):
        if len(value.terms) == 1 and sum(map(len, value.terms)) == 2:
            return self.system.product(value, Polynomial.constant(1))
        return self.system.split(value, 32)

    def _cvt(self, instruction):
        to, source = instruction.opcode[-2:]
        if to in ("u64", "s64", "b64") and source in ("u32", "s32"):
            self.write(instruction, self.reading(instruction.operands[1], source), 64)
        elif to in ("u32", "s32", "b32") and source in ("u64", "s64", "b64"):
            self.write(instruction, self.value(instruction.operands[1]), 32)
        else:
            raise Unsupported(instruction.name)

    def _shl(self, instruction):
        width = _WIDTHS[instruction.opcode[1]]
        value, count = (self.value(o) for o in instruction.operands[1:])
        if count.is_constant():
            if width == 32 and not value.is_boolean(MOST_BOOLEANS):
                value = self.unsigned(value)  # so that a shift to the right of it has the same parts
            return self.write(instruction, value.scaled(1 << count.constant_part()), width)
        shifted = self.masks.function(lambda a, k: (a << k) % (1 << width), value, count)
        self.write(instruction, shifted, width)

    def _shr(self, instruction):
        kind = instruction.opcode[1]
        width = _WIDTHS[kind]
        value, count = self.value(instruction.operands[1]), self.value(instruction.operands[2])
        if not count.is_constant():
            raise Unsupported("a shift by a variable")
        bits = count.constant_part()
        if kind[0] == "s":
            return self.write(instruction, self.system.split(self.signed(value, width), bits)[1], width)
        quotient = self.system.split(self.unsigned(value) if width == 32 else value, bits)[1]
        self.write(instruction, self.unsigned(quotient, width - bits), width)

    def _shf(self, instruction):
        """The upper word of (high, low) shifted left, or the lower word of it shifted right."""
        low, high, count = (self.value(o) for o in instruction.operands[1:])
        if not count.is_constant() or instruction.opcode[2] not in ("wrap", "clamp"):
            raise Unsupported(instruction.name)
        bits = count.constant_part() % 32
        if instruction.opcode[1] == "r":
            bits = 32 - bits
        below = self.system.split(self.unsigned(low), 32 - bits)[1]
        above = self.system.split(self.unsigned(high), 32 - bits)[0]
        self.write(instruction, above.scaled(1 << bits) + below)

    def _and(self, instruction):
        self._bits(instruction, self.masks.conjunction, lambda a, b: a * b)

    def _or(self, instruction):
        self._bits(instruction, self.masks.disjunction, lambda a, b: a + b - a * b)

    def _xor(self, instruction):
        self._bits(instruction, self.masks.difference, lambda a, b: a + b - (a * b).scaled(2))

    def _bits(self, instruction, of_words, of_predicates):
        kind = instruction.opcode[1]
        operands = [self.value(o) for o in instruction.operands[1:]]
        if kind == "pred":
            self.write(instruction, of_predicates(*operands), 1)
        elif kind == "b32":
            self.write(instruction, of_words(*operands))
        elif kind == "b64" and instruction.opcode[0] == "or":
            one, other = (self.unsigned(operand, 64) for operand in operands)
            self.write(instruction, self.masks.joined(one, other), 64)
        elif kind == "b64" and instruction.opcode[0] == "and" and operands[1].is_constant():
            mask = operands[1].constant_part()
            if mask & (mask + 1):
                raise Unsupported(instruction.name)
            self.write(instruction, self.system.split(operands[0], mask.bit_length())[0], 64)
        else:
            raise Unsupported(instruction.name)

    def _selp(self, instruction):
        one, other, chosen = (self.value(o) for o in instruction.operands[1:])
        if not (one + other).is_boolean(MOST_BOOLEANS):
            one, other = self.unsigned(one), self.unsigned(other)
            return self.write(instruction, self.system.known_word(chosen * one + (1 - chosen) * other))
        self.write(instruction, chosen * one + (1 - chosen) * other)

    def _setp(self, instruction):
        if len(instruction.opcode) != 3:
            raise Unsupported(instruction.name)
        _, relation, kind = instruction.opcode
        if relation in ("eq", "ne"):
            kind = "u" + kind[1:]
        left, right = (self.reading(o, kind) for o in instruction.operands[1:])
        if (left + right).is_boolean(MOST_BOOLEANS):
            result = self.masks.function(lambda a, b: int(_COMPARISONS[relation](a, b)), left, right)
        elif relation in ("eq", "ne"):
            equal = self._equal(left - right)
            result = equal if relation == "eq" else 1 - equal
        else:
            if relation in ("gt", "le"):
                left, right = right, left
            less = -self.system.split(left - right, _WIDTHS[kind])[1]
            result = less if relation in ("lt", "gt") else 1 - less
        self.write(instruction, result, 1)

    def _equal(self, difference):
        """The Boolean that is 1 where a difference of words is 0."""
        variable = self.system.variable(0, 1, "e")
        equal = Polynomial.variable(variable)
        self.system.origins[variable] = lambda values: int(difference.evaluated(values) == 0)
        low, _ = self.system.split(difference, 32)
        self.system.conditions += [(equal, difference), (equal, -difference), (1 - equal, 1 - low)]
        return equal
