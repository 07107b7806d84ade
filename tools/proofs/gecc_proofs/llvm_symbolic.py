"""Runs what llvm.py reads on polynomials: every instruction becomes an exact equation between integers.

A register holds a polynomial that is congruent to its content modulo 2^width. An instruction that needs the unsigned or
the signed number takes it by a split.
"""

from .masks import Masks, as_signed
from .polynomial import Polynomial
from .ptx import Unsupported
from .system import MOST_BOOLEANS, Row

WORD = 64
NEAR = 60  # equations that show that the highest word of a product takes a carry
_RELATIONS = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "ult": lambda a, b: a < b,
    "uge": lambda a, b: a >= b,
    "ugt": lambda a, b: a > b,
    "ule": lambda a, b: a <= b,
    "slt": lambda a, b: a < b,
    "sge": lambda a, b: a >= b,
    "sgt": lambda a, b: a > b,
    "sle": lambda a, b: a <= b,
}


def _width(kind):
    return int(kind[1:])


def _bit(polynomial):
    """(variable, the value of it at which the polynomial is 1), of a Boolean or its opposite."""
    variables = polynomial.variables()
    for value in (0, 1):
        if len(variables) == 1 and polynomial.terms == ({(): 1, (variables[0],): -1}, {(variables[0],): 1})[value]:
            return variables[0], value
    return None


def _ones(mask):
    """(first, end) of the bits of a mask that has them side by side."""
    first, end = (mask & -mask).bit_length() - 1, mask.bit_length()
    return (first, end) if mask and mask == (1 << end) - (1 << first) and end < WORD else None


class Machine:
    """From `inputs`, the polynomials of the words that are loaded, to `outputs`."""

    def __init__(self, system, refuter, inputs):
        self.system = system
        self.refuter = refuter
        self.masks = Masks(system, refuter)
        self.inputs = inputs
        self.outputs = {}
        self.registers = {}
        self.differences = {}  # variable -> the two words whose exclusive or it is
        self.overflows = {}  # (sum, addend) -> the carry of the sum, which is 1 where it is below the addend
        self.compared = set()  # sums whose carry is asked for
        self.carries = {}  # keys of sums of carries that exclude each other -> the variable that names them
        self.carry = None
        self.not_zero = None
        self.defined = []  # (instruction, register, polynomial, width) of all that is written

    def run(self, instructions):
        self.compared = {i.operands[1] for i in instructions if i.opcode[0] == "icmp"}
        for instruction in instructions:
            getattr(self, "_" + instruction.opcode[0])(instruction)

    # Readings

    def value(self, operand):
        if operand in self.registers:
            return self.registers[operand]
        if operand.startswith("%"):
            raise Unsupported(f"{operand}, which nothing has written")
        return Polynomial.constant(int(operand))

    def unsigned(self, operand, width):
        value = self.value(operand)
        if width == 1:
            return value  # 0 or 1 wherever it is written
        if value.key() in self.system.known_words:
            return self.system.named(value)
        least, most = self.system.interval(value)
        return value if least >= 0 and most < 1 << width else self.system.split(value, width)[0]

    def signed(self, operand, width):
        value = self.value(operand)
        least, most = self.system.interval(value)
        if least >= -(1 << (width - 1)) and most < 1 << (width - 1):
            return value
        low = self.unsigned(operand, width)
        return low - self.system.split(low, width - 1)[1].scaled(1 << width)

    def write(self, instruction, polynomial, width, register=None):
        register = register or instruction.operands[0]
        self.registers[register] = polynomial
        self.defined.append((instruction, register, polynomial, width))

    def _settled(self, total, width):
        """A sum as it is, where it fits as a number with or without a sign."""
        least, most = self.system.interval(total)
        if least >= -(1 << (width - 1)) and most < 1 << width and (least >= 0 or most < 1 << (width - 1)):
            return total
        return self.system.split(total, width)[0]

    # Words

    def _load(self, instruction):
        if self.outputs:
            raise Unsupported("a load after a store")
        self.write(instruction, self.inputs[int(instruction.operands[1])], WORD)

    def _store(self, instruction):
        place, register = instruction.operands
        self.outputs[int(place)] = self.unsigned(register, WORD)

    def _copy(self, instruction):
        self.write(instruction, self.value(instruction.operands[1]), _width(instruction.opcode[1]))

    def _near_zero(self, operand, width):
        """As value(), a constant by its signed reading."""
        value = self.value(operand)
        return Polynomial.constant(as_signed(value.constant_part(), width)) if value.is_constant() else value

    def _sum(self, instruction, sign):
        width = _width(instruction.opcode[1])
        left, right = instruction.operands[1:]
        if width == 1:
            raise Unsupported("a sum of bits")
        total = self._near_zero(left, width) + self._near_zero(right, width).scaled(sign)
        least, most = self.system.interval(total)
        if least < 0 and -(1 << (width - 1)) <= least and most < 1 << (width - 1):
            return self.write(instruction, total, width)
        total = self.value(left) + self.value(right).scaled(sign)
        least, most = self.system.interval(total)
        if most >= 1 << width or least < -(1 << (width - 1)):
            total = self.unsigned(left, width) + self.unsigned(right, width).scaled(sign)
            if sign > 0 and instruction.operands[0] not in self.compared and self._fits(total, width):
                return self.write(instruction, self.system.named(self.system.known_word(total)), width)
            if sign > 0:
                carry = self.system.split(total, width)[1]
                self.overflows |= {(instruction.operands[0], addend): carry for addend in (left, right)}
        self.write(instruction, self._settled(total, width), width)

    def _fits(self, total, width):
        """Whether the highest word of a product, with a carry added, is a word, where its interval is larger."""
        most = self.system.interval(total)[1]
        if width != WORD or not 0 <= most - (1 << width) < 8:
            return False
        return self.refuter.refute_nearby([(1 << width) - total], NEAR)

    def _add(self, instruction):
        self._sum(instruction, 1)

    def _sub(self, instruction):
        self._sum(instruction, -1)

    def _mul(self, instruction):
        width = _width(instruction.opcode[1])
        left, right = (self._near_zero(operand, width) for operand in instruction.operands[1:])
        self.write(instruction, self._settled(left * right, width), width)

    def _count(self, operand, width):
        count = self.value(operand)
        if not count.is_constant() or not 0 <= count.constant_part() < width:
            raise Unsupported("a shift by a variable")
        return count.constant_part()

    def _shl(self, instruction):
        width = _width(instruction.opcode[1])
        count = self._count(instruction.operands[2], width)
        self.write(instruction, self.value(instruction.operands[1]).scaled(1 << count), width)

    def _lshr(self, instruction):
        width = _width(instruction.opcode[1])
        count = self._count(instruction.operands[2], width)
        self.write(instruction, self._shifted_right(self.unsigned(instruction.operands[1], width), count), width)

    def _shifted_right(self, value, count):
        return self.system.split(value, count)[1]

    def _ashr(self, instruction):
        width = _width(instruction.opcode[1])
        count = self._count(instruction.operands[2], width)
        self.write(instruction, self.system.split(self.signed(instruction.operands[1], width), count)[1], width)

    def _funnel(self, instruction, left):
        """The upper word of (high, low) shifted left, or the lower word of it shifted right."""
        high, low, count = instruction.operands[1:]
        width = _width(instruction.opcode[1])
        count = self._count(count, width)
        bits = width - count if left else count
        below = self.system.split(self.unsigned(low, width), bits)[1]
        self.write(instruction, self.unsigned(high, width).scaled(1 << (width - bits)) + below, width)

    def _fshl(self, instruction):
        self._funnel(instruction, True)

    def _fshr(self, instruction):
        self._funnel(instruction, False)

    def _bswap(self, instruction):
        rest, result = self.unsigned(instruction.operands[1], WORD), Polynomial()
        for _ in range(8):
            byte, rest = self.system.split(rest, 8)
            result = result.scaled(256) + byte
        self.write(instruction, result, WORD)

    def _trunc(self, instruction):
        source, to = (_width(kind) for kind in instruction.opcode[1:])
        value = self.value(instruction.operands[1])
        if source > to:
            least, most = self.system.interval(value)
            if to == 1 or least < -(1 << (to - 1)) or most >= 1 << to:
                value = self.system.split(value, to)[0]
        self.write(instruction, value, to)

    def _zext(self, instruction):
        source, to = (_width(kind) for kind in instruction.opcode[1:])
        self.write(instruction, self.unsigned(instruction.operands[1], source), to)

    def _sext(self, instruction):
        source, to = (_width(kind) for kind in instruction.opcode[1:])
        value = -self.value(instruction.operands[1]) if source == 1 else self.signed(instruction.operands[1], source)
        self.write(instruction, value, to)

    def _ifma(self, instruction, high):
        addend, left, right = instruction.operands[1:]
        factors = [self.system.split(self.value(operand), 52)[0] for operand in (left, right)]
        product = self.system.split(factors[0] * factors[1], 52)[high]
        total = self.value(addend) + product
        self.write(instruction, self._settled(total, WORD), WORD)

    def _madd52lo(self, instruction):
        self._ifma(instruction, 0)

    def _madd52hi(self, instruction):
        self._ifma(instruction, 1)

    # Bits

    def _and(self, instruction):
        if instruction.opcode[1] == "i1":
            one, other = (self.value(operand) for operand in instruction.operands[1:])
            return self.write(instruction, one * other, 1)
        self.write(instruction, self._conjunction(*instruction.operands[1:]), WORD)

    def _conjunction(self, left, right):
        one, other = (self.value(operand) for operand in (left, right))
        if one.is_constant():
            one, other = other, one
        if other.is_constant() and (ones := _ones(other.constant_part())):
            first, end = ones
            return self.system.split(one, end)[0] - self.system.split(one, first)[0]
        try:
            return self.masks.conjunction(one, other)
        except Unsupported:
            if other.is_constant():
                raise
            return self._common_bits(self.unsigned(left, WORD), self.unsigned(right, WORD))

    def _common_bits(self, one, other):
        """A word of which is known: at most either, and what lies in either is a word too."""
        full = (1 << WORD) - 1
        common = self.system.variable(0, full, "c")
        self.system.origins[common] = lambda values: one.evaluated(values) & other.evaluated(values)
        result, defines, rows = Polynomial.variable(common), [common], []
        for rest in (one - result, other - result, full - one - other + result):
            slack = self.system.variable(0, full, "s")
            self.system.origins[slack] = rest.evaluated
            defines.append(slack)
            rows.append(rest - Polynomial.variable(slack))
        self.system.rows += [Row(row, defines) for row in rows]
        return result

    def _or(self, instruction):
        left, right = instruction.operands[1:]
        one, other = self.value(left), self.value(right)
        if instruction.opcode[1] == "i1":
            return self.write(instruction, self._either(one, other), 1)
        self.write(instruction, self.masks.disjunction(one, other), WORD)

    def _either(self, one, other):
        if not self._exclude(one, other):
            return one + other - one * other
        total = one + other
        if total.key() not in self.carries:
            carry = self.system.new(0, 1, "o")
            variable, at = _bit(other)
            second = carry - one if at else 1 - carry + one
            self.system.redefine(carry, total, variable, second)
            self.carries[total.key()] = carry
        return self.carries[total.key()]

    def _exclude(self, one, other):
        """Whether two carries of one sum in two steps are never both 1: the second sum, where the first has a carry."""
        first, second = _bit(one), _bit(other)
        if first is None or second is None or second[0] not in self.system.quotients:
            return False
        total, bits, least = self.system.quotients[second[0]]
        words = {v: self.system.definitions[v] for v in total.variables() if v in self.system.definitions}
        words = {v: definition for v, definition in words.items() if first[0] in definition.variables()}
        low, high = self.system.interval(total.substituted(words).substituted(dict([first])))
        return not low >> bits <= second[1] + least <= high >> bits

    def _xor(self, instruction):
        left, right = instruction.operands[1:]
        one, other = self.value(left), self.value(right)
        if instruction.opcode[1] == "i1":
            return self.write(instruction, one + other - (one * other).scaled(2), 1)
        self.write(instruction, self._difference(one, other, left, right), WORD)

    def _difference(self, one, other, left, right):
        """Exclusive or: of a word and a mask, or, in `b xor (mask and (a xor b))`, a choice between two words."""
        for word, masked in ((one, other), (other, one)):
            chosen = self._chosen(word, masked)
            if chosen is not None:
                return self.system.known_word(chosen)
        try:
            return self.masks.difference(one, other)
        except Unsupported:
            words = self.unsigned(left, WORD), self.unsigned(right, WORD)
        variable = self.system.variable(0, (1 << WORD) - 1, "x")
        self.system.origins[variable] = lambda values: words[0].evaluated(values) ^ words[1].evaluated(values)
        self.differences[variable] = words
        return Polynomial.variable(variable)

    def _chosen(self, word, masked):
        found = [v for v in masked.variables() if v in self.differences]
        if len(found) != 1 or word not in self.differences[found[0]]:
            return None
        bit = Polynomial({tuple(v for v in m if v != found[0]): c for m, c in masked.terms.items()})
        if not all(found[0] in m for m in masked.terms) or not bit.is_boolean(MOST_BOOLEANS):
            return None
        one, other = self.differences[found[0]]
        return word + bit * ((one if word == other else other) - word)

    def _select(self, instruction):
        width = _width(instruction.opcode[1])
        chosen, one, other = (self.value(operand) for operand in instruction.operands[1:])
        if width == WORD and not (one + other).is_boolean(MOST_BOOLEANS):
            ends = [self.system.interval(value) for value in (one, other)]
            if any(least < 0 for least, _ in ends) and all(most < 1 << (WORD - 1) for _, most in ends):
                return self.write(instruction, other + chosen * (one - other), width)
            one, other = (self.unsigned(operand, WORD) for operand in instruction.operands[2:])
            return self.write(instruction, self.system.known_word(other + chosen * (one - other)), width)
        self.write(instruction, other + chosen * (one - other), width)

    def _icmp(self, instruction):
        _, relation, kind = instruction.opcode
        if relation == "ult" and instruction.operands[1:] in self.overflows:
            return self.write(instruction, self.overflows[instruction.operands[1:]], 1)
        width = _width(kind)
        read = self.signed if relation[0] == "s" else self.unsigned
        left, right = (read(operand, width) for operand in instruction.operands[1:])
        if (left + right).is_boolean(MOST_BOOLEANS):
            result = self.masks.function(lambda a, b: int(_RELATIONS[relation](a, b)), left, right)
        elif relation in ("eq", "ne"):
            equal = self._equal(left, right)
            result = equal if relation == "eq" else 1 - equal
        else:
            if relation[1:] in ("gt", "le"):
                left, right = right, left
            less = -self.system.split(left - right, width)[1]
            result = less if relation[1:] in ("lt", "gt") else 1 - less
        self.write(instruction, result, 1)

    def _equal(self, left, right):
        """The Boolean that is 1 where two unsigned words are equal."""
        difference = left - right
        variable = self.system.variable(0, 1, "e")
        equal = Polynomial.variable(variable)
        self.system.origins[variable] = lambda values: int(difference.evaluated(values) == 0)
        apart, _ = self.system.split(difference, WORD)
        self.system.conditions += [(equal, difference), (equal, -difference), (1 - equal, 1 - apart)]
        return equal

    # Instructions of asm statements

    def _x86(self, instruction):
        _, name, width = instruction.opcode
        getattr(self, "_x86_" + name)(instruction, int(width))

    def _operands(self, instruction, width):
        return [self.unsigned(operand, width) for operand in instruction.operands[1:]]

    def _x86_sum(self, instruction, width, sign, carry):
        left, right = instruction.operands[1:]
        total = carry.scaled(sign)
        if not (sign < 0 and left == right):  # a register less itself is 0, whatever is in it
            one, other = self._operands(instruction, width)
            total = total + one + other.scaled(sign)
        low, quotient = self.system.split(total, width)
        self.write(instruction, low, WORD)
        self.carry, self.not_zero = quotient.scaled(sign), None

    def _carry_in(self):
        if self.carry is None:
            raise Unsupported("a carry flag that nothing has set")
        return self.carry

    def _x86_add(self, instruction, width):
        self._x86_sum(instruction, width, 1, Polynomial())

    def _x86_adc(self, instruction, width):
        self._x86_sum(instruction, width, 1, self._carry_in())

    def _x86_sub(self, instruction, width):
        self._x86_sum(instruction, width, -1, Polynomial())

    def _x86_sbb(self, instruction, width):
        self._x86_sum(instruction, width, -1, self._carry_in())

    def _x86_mov(self, instruction, width):
        self.write(instruction, self.unsigned(instruction.operands[2], width), WORD)

    def _x86_and(self, instruction, width):
        value = self._conjunction(*instruction.operands[1:])
        self.write(instruction, value if width == WORD else self.system.split(value, width)[0], WORD)
        self.carry, self.not_zero = Polynomial(), None

    def _x86_test(self, instruction, width):
        if instruction.operands[1] != instruction.operands[2]:
            raise Unsupported("a test of two registers")
        self.carry = Polynomial()
        self.not_zero = 1 - self._is_zero(self.unsigned(instruction.operands[1], width))

    def _is_zero(self, value):
        if value.is_boolean(MOST_BOOLEANS):
            return self.masks.function(lambda a: int(a == 0), value)
        return self._equal(value, Polynomial())

    def _x86_neg(self, instruction, width):
        (value,) = self._operands(instruction, width)
        self.carry, self.not_zero = 1 - self._is_zero(value), None
        low = -value if width == WORD else self.system.split(-value, width)[0]
        self.write(instruction, low, WORD)

    def _x86_rcr(self, instruction, width):
        (value,) = self._operands(instruction, width)
        carry = self._carry_in()
        self.carry, half = self.system.split(value, 1)
        self.write(instruction, half + carry.scaled(1 << (width - 1)), WORD)

    def _x86_choice(self, instruction, width, chosen):
        other, one = self._operands(instruction, width)
        self.write(instruction, self.system.known_word(other + chosen * (one - other)), WORD)

    def _x86_cmovc(self, instruction, width):
        self._x86_choice(instruction, width, self._carry_in())

    def _x86_cmovnz(self, instruction, width):
        if self.not_zero is None:
            raise Unsupported("a zero flag that nothing has set")
        self._x86_choice(instruction, width, self.not_zero)


class ByteMachine(Machine):
    """For code that splits words into bytes: all shifts of a word use the same bytes."""

    def _shifted_right(self, value, count):
        for step in [8] * (count // 8) + [count % 8]:
            value = self.system.split(value, step)[1] if step else value
        return value
