"""The integers that code computes: variables with bounds, and exact equations between them.

`split` is the one source of variables: it writes a sum as low + 2^bits quotient. It is memoised by the sum, so that a
carry that is computed twice is one variable.
"""

from .polynomial import Polynomial, interpolated, is_boolean, truth_table

MOST_BOOLEANS = 9  # Boolean functions of at most this number of variables use truth tables


class Row:
    """The equation polynomial = 0, from which the variables in `defines` follow."""

    def __init__(self, polynomial, defines):
        self.polynomial = polynomial
        self.defines = defines


class System:
    """`word` is the number of bits of a word of the code."""

    def __init__(self, word=32):
        self.word = word
        self.bounds = {}  # of each variable: (least, most)
        self.names = {}
        self.definitions = {}  # variable -> polynomial that it equals
        self.origins = {}  # variable -> its value from those of earlier variables, for comparison with real runs
        self.quotients = {}  # variable -> (total, bits, first): it is total >> bits, less first
        self.rows = []  # equations that suffice for most refutations
        self.fine_rows = []  # all others
        self.conditions = []  # (guard, polynomial): where the Boolean guard is 1, polynomial <= 0
        self.products = set()  # variables that are the low word of a product
        self.known_words = set()  # keys of polynomials that are words by their meaning
        self._splits = {}
        self._expanded = {}
        self._chain = None

    # Variables

    def variable(self, least, most, name):
        boolean = (least, most) == (0, 1)
        variable = 2 * len(self.bounds) + int(boolean)
        self.bounds[variable] = (least, most)
        self.names[variable] = f"{name}{len(self.bounds) - 1}"
        return variable

    def new(self, least, most, name):
        return Polynomial.variable(self.variable(least, most, name))

    def monomial_bounds(self, monomial):
        least = most = 1
        for variable in monomial:
            low, high = self.bounds[variable]
            corners = (least * low, least * high, most * low, most * high)
            least, most = min(corners), max(corners)
        return least, most

    def interval(self, polynomial):
        """Bounds that hold whatever the equations say."""
        if polynomial.key() in self.known_words:
            return 0, 2**self.word - 1
        # The monomials of the same words together: their Boolean factor has exact bounds.
        factors = {}
        for monomial, coefficient in polynomial.terms.items():
            words = tuple(v for v in monomial if not is_boolean(v))
            factors.setdefault(words, {})[tuple(v for v in monomial if is_boolean(v))] = coefficient
        least = most = 0
        for words, terms in factors.items():
            low, high = self._boolean_interval(Polynomial(terms))
            corners = [end * bound for end in (low, high) for bound in self.monomial_bounds(words)]
            least, most = least + min(corners), most + max(corners)
        return least, most

    @staticmethod
    def _boolean_interval(polynomial):
        if polynomial.is_constant():
            return (polynomial.constant_part(),) * 2
        if polynomial.is_boolean(MOST_BOOLEANS):
            values = [row[0] for _, row in truth_table([polynomial])[1]]
            return min(values), max(values)
        constant = polynomial.constant_part()
        others = [c for m, c in polynomial.terms.items() if m]
        return constant + sum(c for c in others if c < 0), constant + sum(c for c in others if c > 0)

    # Equations

    def define(self, variable, polynomial):
        """The variable is new and equals the polynomial."""
        self.definitions[variable] = polynomial
        self.origins[variable] = polynomial.evaluated
        self._add(Row(Polynomial.variable(variable) - polynomial, [variable]))

    def redefine(self, new, polynomial, variable, by):
        """A new variable that equals the polynomial; of the variables of this, one is expanded by the new one."""
        (name,) = new.variables()
        self.origins[name] = polynomial.evaluated
        self._add(Row(new - polynomial, [name]))
        if variable in self.definitions:
            self.definitions[name] = polynomial
        else:
            self.definitions[variable] = by
            self._expanded.clear()

    def _add(self, row):
        (self.rows if self._chain is None else self.fine_rows).append(row)

    def begin_chain(self):
        """From here to end_chain, splits are of one chain of words with carries, whose equations are also summed up."""
        self.end_chain()
        self._chain = []

    def chain_link(self, total, low, carry, bits):
        if self._chain is not None:
            self._chain.append((total, low, carry, bits))

    def end_chain(self):
        chain, self._chain = self._chain, None
        if not chain:
            return
        parts, position, defines = [], 0, []
        for total, low, carry, bits in chain:
            parts.append((low + carry.scaled(1 << bits) - total).scaled(1 << position))
            position += bits
            defines += low.variables()
        defines += chain[-1][2].variables()
        summed = self.products_together(Polynomial.sum(parts))
        if summed:
            self.rows.append(Row(summed, sorted(set(defines))))

    def products_together(self, polynomial):
        """With low words of products replaced by the product less its high word."""
        lows = [v for v in polynomial.variables() if v in self.products]
        return polynomial.substituted({v: self.definitions[v] for v in lows}) if lows else polynomial

    def expanded(self, polynomial):
        """With every variable that has a definition replaced by it, down to inputs and quotients."""
        parts = []
        for monomial, coefficient in polynomial.terms.items():
            parts.append(self._expanded_monomial(monomial).scaled(coefficient))
        return Polynomial.sum(parts)

    def _expanded_monomial(self, monomial):
        if monomial not in self._expanded:
            result = Polynomial.constant(1)
            for variable in monomial:
                definition = self.definitions.get(variable)
                one = Polynomial.variable(variable) if definition is None else self.expanded(definition)
                result = result * one
            self._expanded[monomial] = result
        return self._expanded[monomial]

    # Splits

    def split(self, total, bits):
        """Polynomials (low, quotient): total = low + 2^bits quotient and 0 <= low < 2^bits."""
        key = (total.key(), bits)
        if key not in self._splits:
            self._splits[key] = self._split(total, bits)
        return self._splits[key]

    def product(self, left, right):
        """(low, high) of the product of two words."""
        total = left * right
        known = (total.key(), self.word) in self._splits
        if not known:
            chain, self._chain = self._chain, []  # its equation is a fine one
        low, high = self.split(total, self.word)
        if not known:
            self._chain = chain
            if len(low.terms) == 1 and low.variables() and low.variables()[0] in self.definitions:
                self.products.add(low.variables()[0])
        return low, high

    def _split(self, total, bits):
        modulus = 1 << bits
        least, most = self.interval(total)
        if least >> bits == most >> bits:
            return total - (least >> bits << bits), Polynomial.constant(least >> bits)
        if total.is_boolean(MOST_BOOLEANS):
            variables, rows = truth_table([total])
            quotient = interpolated(variables, [row[0] >> bits for _, row in rows])
            return total - quotient.scaled(modulus), quotient
        # Multiples of 2^bits go into the quotient unchanged, unless that hides that it is a bit.
        whole = Polynomial({m: c for m, c in total.terms.items() if c % modulus == 0})
        if whole and (most >> bits) - (least >> bits) > 1:
            low, quotient = self.split(total - whole, bits)
            return low, quotient + whole.divided(modulus)
        zeros = total.trailing_zeros()
        if 0 < zeros < bits:
            low, quotient = self.split(total.divided(1 << zeros), bits - zeros)
            return low.scaled(1 << zeros), quotient
        separate = self._split_disjoint(total, bits) if self.word == 64 else None  # on PTX only slower
        if separate:
            return separate
        by_definition = self._split_by_definition(total, bits)
        if by_definition:
            return by_definition
        if bits == 2 * self.word:
            # In two steps, so that both words are variables.
            low, rest = self.split(total, self.word)
            high, quotient = self.split(rest, self.word)
            return low + high.scaled(1 << self.word), quotient
        return self._split_by_carries(total, bits, least, most) or self._split_by_quotient(total, bits, least, most)

    def _split_disjoint(self, total, bits):
        """Splits the upper terms alone if the bits of the other terms lie below them."""
        for zeros in sorted({(c & -c).bit_length() - 1 for c in total.terms.values()} - {0}):
            above = Polynomial({m: c for m, c in total.terms.items() if c % (1 << zeros) == 0})
            least, most = self.interval(total - above)
            if zeros < bits and least >= 0 and most < 1 << zeros:
                low, quotient = self.split(above.divided(1 << zeros), bits - zeros)
                return low.scaled(1 << zeros) + total - above, quotient
        return None

    def _split_by_definition(self, total, bits):
        """Splits if definitions of words leave multiples of 2^bits and a known quotient."""
        words = [m[0] for m in total.terms if len(m) == 1 and m[0] in self.definitions]
        for chosen in [[word] for word in words] + [words]:
            replaced = total.substituted({word: self.definitions[word] for word in chosen})
            whole = Polynomial({m: c for m, c in replaced.terms.items() if m and c % (1 << bits) == 0})
            rest = replaced - whole
            if rest.is_constant():
                continue  # all of it is divisible: a quotient with a name has narrower bounds
            least, most = self.interval(rest)
            if whole and (least >> bits == most >> bits or rest.is_boolean(MOST_BOOLEANS)):
                low, quotient = self.split(rest, bits)
                return low, quotient + whole.divided(1 << bits)
        return None

    def _split_by_carries(self, total, bits, least, most):
        """Where taking the part that is made of carries modulo 2^bits leaves fewer quotients."""
        carries = Polynomial({m: c for m, c in total.terms.items() if all(map(is_boolean, m))})
        if (most >> bits) - (least >> bits) < 2 or not carries.is_boolean(MOST_BOOLEANS):
            return None
        low, quotient = self.split(carries, bits)
        rest = total - carries + low
        least_of_rest, most_of_rest = self.interval(rest)
        if (most_of_rest >> bits) - (least_of_rest >> bits) != 1:
            return None
        rest_low, rest_quotient = self.split(rest, bits)
        return rest_low, rest_quotient + quotient

    def _split_by_quotient(self, total, bits, least, most):
        modulus, first = 1 << bits, least >> bits
        variable = self.variable(0, (most >> bits) - first, "q")
        quotient = Polynomial.variable(variable) + first
        self.quotients[variable] = (total, bits, first)
        self.origins[variable] = lambda values: (total.evaluated(values) >> bits) - first
        expanded = self.expanded(total)
        if all(c % modulus == 0 for c in expanded.terms.values()):
            # The low part vanishes, as in the words that Montgomery's reduction clears.
            self.definitions[variable] = expanded.divided(modulus) - first
            self._add(Row(total - quotient.scaled(modulus), [variable]))
            return Polynomial(), quotient
        low = self.variable(0, modulus - 1, "w")
        rest = total - quotient.scaled(modulus)
        self.origins[low] = rest.evaluated
        self._add(Row(Polynomial.variable(low) - rest, [low, variable]))
        if bits == 1 and self._is_free(total):
            # The bit remains a variable, because it selects; the number is defined by it.
            self.definitions[total.variables()[0]] = Polynomial.variable(low) + quotient.scaled(2)
            self._expanded.clear()
        else:
            self.definitions[low] = rest
        return Polynomial.variable(low), quotient

    def _is_free(self, polynomial):
        """Whether it is a variable that nothing defines."""
        variables = polynomial.variables()
        free = len(variables) == 1 and variables[0] not in self.definitions
        return free and polynomial == Polynomial.variable(variables[0])

    def known_word(self, polynomial):
        """Records that the polynomial is a word, where its interval does not show it."""
        least, most = self.interval(polynomial)
        if least < 0 or most >= 2**self.word:
            self.known_words.add(polynomial.key())
        return polynomial

    def named(self, polynomial):
        """The same value as a variable, where it is a long expression or only known to be a word."""
        if polynomial.is_boolean(MOST_BOOLEANS):
            return polynomial
        known = polynomial.key() in self.known_words
        if not known and len(polynomial.terms) <= 12:
            return polynomial
        return self.renamed(polynomial)

    def renamed(self, polynomial):
        """A word as a variable."""
        key = (polynomial.key(), "named")
        if key not in self._splits:
            variable = self.variable(0, 2**self.word - 1, "n")
            self.define(variable, polynomial)
            self._splits[key] = Polynomial.variable(variable)
        return self._splits[key]
