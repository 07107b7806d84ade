"""The loops that multiply points: curve/multiples.cuh, curve/multiply_add.cuh and curve/table_sum.cuh.

The source of a function is compiled with points that record the operations on them (trace/group).
Every digit is a variable; a point is a sum of digits with integer factors. For every question that
the code asks, both answers are followed.
"""

import itertools
import re

from .extract import Program, function, preprocessed
from .project import CUDA, Wrong
from .recoding import shortest_relation

_MAIN = """#include "group.cuh"
{constants}
{functions}
int main(int, char** arguments) {{
    decisions = arguments[2];
    int windows = std::atoi(arguments[3]);
    OddScalar<kWindows> s[] = {{{{0}}, {{1}}}};
    Table table;
    switch (std::atoi(arguments[1])) {{
    case 4: give(fpmul_uniform(nullptr, sc())); break;
    case 5: give(fpmul_var(nullptr, sc(), kTestBits)); break;
    case 0: give(multiply_by_windows<false>(table, s)); break;
    case 1: give(multiply_by_windows<true>(table, s)); break;
    case 2: give(multiply_add_var(table, s, Base{{windows}})); break;
    case 3: {{
        jacobian sum;
        Flag identity = sum_entries_var(sum, Source{{windows}});
        if (identity) sum.z = fe_zero();
        give(sum);
        break;
    }}
    }}
}}
"""
_SOURCES = {
    "signed_multiple": "curve/multiply_add.cuh",
    "multiply_by_windows": "curve/multiply_add.cuh",
    "multiply_add_var": "curve/multiply_add.cuh",
    "sum_entries_var": "curve/table_sum.cuh",
    "fpmul_uniform": "kernels/fpmul.cu",
    "fpmul_var": "kernels/fpmul.cu",
}
_CONSTANTS = {
    "kWindowBits": "curve/multiply_add.cuh",
    "kFullWindows": "curve/multiply_add.cuh",
    "kScalars": "curve/multiply_add.cuh",
    "kWindows": "curve/multiply_add.cuh",
}
# What stands in kernels/uniform_table.cuh, and the width that fpmul_var is run with.
UNIFORM_BITS, UNIFORM_WINDOWS = 9, 29
TEST_BITS = 11


def _need(condition, what):
    if not condition:
        raise Wrong(what)


def program(curve, cuda=CUDA):
    """(the compiled loops, their constants by name)."""
    texts = {header: preprocessed(curve, header, cuda) for header in set(_SOURCES.values())}
    constants = []
    for name, header in _CONSTANTS.items():
        found = re.findall(rf"static constexpr int {name} = \w+;", texts[header])
        _need(len(found) == 1, f"{name} is not one constant")
        constants += found
    found = re.search(r"kUniformBits = (\d+),\s*kUniformWindows = (.*?);", texts["kernels/fpmul.cu"])
    _need(found is not None, "uniform_table.cuh has no widths")
    constants.append(f"static constexpr int kUniformBits = {found[1]}, kUniformWindows = {found[2]};")
    functions = []
    for name, header in _SOURCES.items():
        one = function(texts[header], name)
        _need(one is not None, f"{header} has no {name}")
        one = re.sub(r"\bbool(?= (identity|present|sum_entries_var)\b)", "Flag", one)
        one = re.sub(r"\bi32(?= digit\b)", "Digit", one)
        functions.append(one.replace("xyzz&", "jacobian&"))
    values = {}
    for name, value in re.findall(r"int (\w+) = (\w+);", " ".join(constants)):
        values[name] = int(value) if value.isdigit() else value
    values = {name: values.get(value, value) for name, value in values.items()}
    main = _MAIN.format(constants="\n".join(constants), functions="\n".join(functions))
    return Program(main, curve, ("group",), cuda), values


class Sums:
    """The value of every line of a trace: {digit: factor}, where a digit is the line that took it."""

    def __init__(self, trace):
        self.values = []
        self.digits = {}  # line -> (which scalar or `window`, number)
        self.scale = {}  # digit of a table of G -> what its entry is a multiple of
        self.taken = {}  # which scalar -> lines of its digits, from the top
        self.present = {}  # digit of a table of G -> whether the code has seen that it is not 0
        self.identities = {}  # line of a point -> whether it is the identity
        self.distinct = []  # (sum so far, addend) of additions that leave cases out
        for number, (operation, operands) in enumerate(trace.lines):
            self.values.append(getattr(self, "_" + operation)(number, *map(int, operands)))

    def _digit(self, number, which):
        lines = self.taken.setdefault(which, [])
        self.digits[number] = (which, len(lines))
        lines.append(number)

    def _window(self, number, window):
        self.digits[number] = ("window", window)

    def _exchange(self, number, window, digit):
        which, place = self.digits[digit]
        if which != "window":
            place = UNIFORM_WINDOWS - 1 - place
            self.scale[digit] = 1 << (UNIFORM_BITS * window)
        _need(window == place, "an entry of another window")
        return digit

    def _entry(self, number, digit):
        return digit

    def _addend(self, number, entry, third, sign):
        digit = self.values[entry]
        which, _ = self.digits[digit]
        _need(sign == digit, "an entry with the sign of another digit")
        _need(third == (which == 1), "an entry of another point")
        _need(which != "window" or self.present.get(digit), "an entry for a digit that may be 0")
        return {digit: self.scale.get(digit, 1)}

    def _point(self, number, addend):
        return self.values[addend]

    def _identity(self, number):
        return {}

    def _double(self, number, point):
        return {digit: 2 * factor for digit, factor in self.values[point].items()}

    def _sum(self, point, addend):
        total = dict(self.values[point]) if point >= 0 else {}
        for digit, factor in self.values[addend].items():
            total[digit] = total.get(digit, 0) + factor
        return total

    def _add_distinct(self, number, point, addend):
        self.distinct.append((self.values[point], self.values[addend]))
        return self._sum(point, addend)

    def _add_uniform(self, number, point, addend):
        _need(self.values[point], "add_uniform of no sum")
        return self._sum(point, addend)

    def _add_var(self, number, point, addend, flag):
        if flag == -1:
            # Known not to be the identity: it must be a sum that add_distinct could take.
            self.distinct.append((self.values[point], None))
        elif flag >= 0:
            # The flag of a point is that of its doubles, as the order is odd.
            _need(self._is_doubling(self.values[flag], self.values[point]), "the flag of another point")
        return self._sum(point, addend)

    @staticmethod
    def _is_doubling(value, doubled):
        if value.keys() != doubled.keys() or not value:
            return False
        quotients = {divmod(doubled[digit], factor) for digit, factor in value.items()}
        return len(quotients) == 1 and all(rest == 0 and bin(q).count("1") == 1 for q, rest in quotients)

    def _present(self, number, digit, answer):
        self.present[digit] = bool(answer)

    def _is_identity(self, number, point, answer):
        self.identities[point] = bool(answer)


def _expected(sums, bits, windows, entries):
    """The factors of the digits: 2^(bits j) for digit j of a scalar, 1 for an entry of a table of G."""
    expected = {}
    for which, lines in sums.taken.items():
        _need(len(lines) == windows, "another number of digits is taken")
        expected |= {line: 1 << (bits * (windows - 1 - i)) for i, line in enumerate(lines)}
    seen = []
    for line, (which, window) in sums.digits.items():
        if which == "window":
            seen.append(window)
            if sums.present.get(line, True):
                expected[line] = 1
    _need(sorted(seen) == list(range(len(seen))) and len(seen) == entries, "a window is left out, or taken twice")
    return expected


def _check_result(sums, trace, expected):
    """Checks that the result is the sum, or the identity if the code found the sum to be that."""
    ((line,),) = trace.results
    result = sums.values[int(line)]
    if any(sums.identities.values()):
        (point,) = sums.identities
        _need(result == {} and sums.values[point] == expected, "the identity where there is another sum")
    else:
        _need(result == expected, "another sum")
        asked = any(operation == "add_var" for operation, _ in trace.lines)
        _need(list(sums.identities) == [int(line)] * asked, "the sum is not asked whether it is the identity")


def _check_distinct(curve, sums, bits):
    """The sum so far is not the identity, and neither the addend nor its opposite.

    As pairs of integers (the factors of P and lambda P) they differ: where the addend has its odd digit, the sum is
    even. The sum is not (0, 0): of the digits of a scalar, all odd, one has the smallest power of 2 alone.
    All are shorter than the shortest relation between P and lambda P.
    """
    largest = (1 << bits) - 1
    for total, addend in sums.distinct:
        _need(total, "a sum of nothing")
        # A power of 2 that all factors share may be left out, as n is odd.
        common = min(factor & -factor for value in (total, addend or total) for factor in value.values())
        sizes = [0, 0]
        for which in (0, 1):
            factors = [factor for digit, factor in total.items() if sums.digits[digit][0] == which]
            powers = [factor & -factor for factor in factors]
            _need(not powers or powers.count(min(powers)) == 1, "a sum may be the identity")
            sizes[which] = largest * sum(factors) // common
        if addend:
            ((digit, factor),) = addend.items()
            which = sums.digits[digit][0]
            even = all(f % (2 * factor) == 0 for d, f in total.items() if sums.digits[d][0] == which)
            _need(factor == common and even, "the sum may be the addend")
            sizes[which] += largest
        # Without a multiple of lambda P, the shortest relation is n.
        shortest = shortest_relation(curve) if sizes[1] else curve.n**2
        _need(sum(size * size for size in sizes) < shortest, "a sum may be the addend, modulo n")


def _decisions(count):
    """Answers for the windows: all combinations if few, else all yes, all no, and each one no."""
    if count <= 5:
        yield from ("".join(answers) for answers in itertools.product("01", repeat=count))
        return
    yield "1" * count
    yield "0" * count
    yield from ("1" * i + "0" + "1" * (count - 1 - i) for i in range(count))


# Windows of the tables of G: few, for every case, and as many as there are with 8 and with 22 bits.
TABLE_WINDOWS = (1, 2, 3, 4, 5, 12, 32)


def check_windows(curve, cuda=CUDA):
    """multiply_by_windows, for public and for secret scalars; raises Wrong."""
    compiled, constants = program(curve, cuda)
    with compiled:
        for which, decisions in ((0, "0"), (0, "1"), (1, "")):
            _check_loop(curve, compiled.run(which, decisions, 0), constants, 0)


def _check_tables(curve, which, cuda):
    compiled, constants = program(curve, cuda)
    with compiled:
        for count in TABLE_WINDOWS:
            for decisions in _decisions(count):
                for identity in "01":
                    _check_loop(curve, compiled.run(which, decisions + identity, count), constants, count)


def check_multiply_add(curve, cuda=CUDA):
    """multiply_add_var, for tables of several sizes; raises Wrong."""
    _check_tables(curve, 2, cuda)


def check_entries(curve, cuda=CUDA):
    """sum_entries_var, for several numbers of terms; raises Wrong."""
    _check_tables(curve, 3, cuda)


def check_base(curve, cuda=CUDA):
    """fpmul_uniform and fpmul_var of kernels/fpmul.cu; raises Wrong."""
    compiled, constants = program(curve, cuda)
    with compiled:
        uniform = {"kWindowBits": UNIFORM_BITS, "kWindows": UNIFORM_WINDOWS}
        _check_loop(curve, compiled.run(4, "", 0), uniform, 0)
        count = -(-256 // TEST_BITS)
        for decisions in _decisions(count):
            for identity in "01":
                _check_loop(curve, compiled.run(5, decisions + identity, 0), constants, count)


def _check_loop(curve, trace, constants, count):
    sums = Sums(trace)
    bits = constants["kWindowBits"]
    _check_result(sums, trace, _expected(sums, bits, constants["kWindows"], count))
    _check_distinct(curve, sums, bits)
