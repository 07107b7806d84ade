"""Bit operations on the values of a System: masks, Boolean functions, disjoint bits."""

from .polynomial import MINUS_ONE, Polynomial, interpolated, is_boolean, truth_table
from .ptx import Unsupported
from .system import MOST_BOOLEANS


def as_signed(value, bits=32):
    """The signed reading of an integer modulo 2^bits."""
    value %= 1 << bits
    return value - (1 << bits) if value >> (bits - 1) else value


class Masks:
    def __init__(self, system, refuter):
        self.system = system
        self.end = 1 << system.word
        self.refuter = refuter
        self._bits = {}  # keys of Boolean polynomials that were shown to be 0 or 1 -> the variable that names them
        self._masks = {}

    def function(self, function, *polynomials):
        """The Boolean polynomial function(values) of Boolean polynomials."""
        variables, rows = truth_table(polynomials)
        if len(variables) > MOST_BOOLEANS:
            raise Unsupported("a function of too many carries")
        return interpolated(variables, [function(*values) for _, values in rows])

    def bit_of_mask(self, value):
        """The polynomial B of values 0 and 1 with value = -B modulo a word; None if not a mask."""
        if not value.is_boolean(MOST_BOOLEANS):
            return None
        if value.key() not in self._masks:
            self._masks[value.key()] = self._bit_of_mask(value)
        return self._masks[value.key()]

    def _bit_of_mask(self, value):
        variables, rows = truth_table([value])
        values = [-as_signed(row[0], self.system.word) for _, row in rows]
        bit = interpolated(variables, values)
        impossible = {bits for (bits, _), v in zip(rows, values) if v not in (0, 1)}
        if not impossible:
            return bit
        if bit.is_constant():
            return None
        for known, negated in ((bit, False), (1 - bit, True)):
            if known.key() in self._bits:
                return 1 - self._bits[known.key()] if negated else self._bits[known.key()]

        def wrong(assigned):
            return any(all(assigned.get(v, b) == b for v, b in zip(variables, bits)) for bits in impossible)

        if self.refuter.refute_all(variables, wrong) is not None:
            return None
        variable = self.system.variable(0, 1, "t")
        self.system.define(variable, bit)
        self._bits[bit.key()] = Polynomial.variable(variable)
        return self._bits[bit.key()]

    def conjunction(self, left, right):
        """left and right, words."""
        for one, other in ((left, right), (right, left)):
            bit = self.bit_of_mask(one)
            if bit is not None:
                second = None if other.is_constant() else self.bit_of_mask(other)
                if second is not None:
                    return -(bit * second)
                least, most = self.system.interval(other)
                if -(self.end // 2) <= least < 0 and most < self.end // 2:
                    return bit * other
                return self.system.known_word(bit * self._word(other))
        if (left + right).is_boolean(MOST_BOOLEANS):
            return self.function(lambda a, b: (a % self.end) & (b % self.end), left, right)
        for one, other in ((left, right), (right, left)):
            if other.is_constant():
                return self._constant_conjunction(one, other.constant_part() % self.end)
        raise Unsupported("and of two words")

    def _constant_conjunction(self, value, constant):
        for bit in filter(is_boolean, set.intersection(*map(set, value.terms)) if value else ()):
            # A bit times a number: apply the constant to the number, and multiply by the bit.
            number = Polynomial({tuple(v for v in m if v != bit): c for m, c in value.terms.items()})
            return Polynomial.variable(bit) * self._constant_conjunction(number, constant)
        if constant & (constant + 1) == 0:
            return self.system.split(value, constant.bit_length())[0]
        zeros = self.end - constant
        if zeros & (zeros - 1) == 0:
            return self._word(value) - self.system.split(value, zeros.bit_length() - 1)[0]
        first = (constant & -constant).bit_length() - 1
        ones = constant >> first
        if ones & (ones + 1) == 0:
            above = self.system.split(self._word(value), first)[1]
            return self.system.split(above, ones.bit_length())[0].scaled(1 << first)
        raise Unsupported(f"and with {constant:#x}")

    def disjunction(self, left, right):
        """left or right, words."""
        one, other = self.bit_of_mask(left), self.bit_of_mask(right)
        if one is not None and other is not None:
            return one * other - one - other
        x, y = self._word(left), self._word(right)
        if not x * y:  # one of them is zero
            return self.system.known_word(x + y)
        joined = self._joined(x, y)
        if joined is not None:
            return self.system.known_word(joined)
        if (x + y).is_boolean(MOST_BOOLEANS):
            return self.function(lambda a, b: (a % self.end) | (b % self.end), x, y)
        for bit, value in ((one, y), (other, x)):
            if bit is not None:
                return self.system.known_word((1 - bit) * value + bit.scaled(self.end - 1))
        raise Unsupported("or of two words")

    def _joined(self, x, y):
        """x or y, where one has its bits below those of the other."""
        for a, b in ((x, y), (y, x)):
            if self.system.interval(a)[1] < 1 << b.trailing_zeros():
                return a + b
        return None

    def joined(self, x, y):
        """x or y, of any width."""
        result = self._joined(x, y)
        if result is None:
            raise Unsupported("or of two numbers")
        return result

    def difference(self, left, right):
        """left xor right, words: of masks, or a word and a mask."""
        one, other = self.bit_of_mask(left), self.bit_of_mask(right)
        if one is not None and other is not None:
            return (one * other).scaled(2) - one - other
        for bit, value in ((one, right), (other, left)):
            if bit is not None:  # not value = -1 - value
                return value + bit * (MINUS_ONE - value.scaled(2))
        raise Unsupported("xor of two words")

    def _word(self, value):
        least, most = self.system.interval(value)
        return value if least >= 0 and most < self.end else self.system.split(value, self.system.word)[0]
