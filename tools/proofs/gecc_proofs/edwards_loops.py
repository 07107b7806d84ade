"""The loops that multiply points of a twisted Edwards curve: curve/edwards_multiply.cuh, ed_base_multiple, which makes
its tables, and ed_is_of_small_order.

The source of a function is compiled with points that record the operations on them
(trace/group/edwards.cuh). A point is a sum of digits, of P and of B, with integer factors. A
theorem of its own shows that additions have no exceptional cases (edwards_formulas.py).
"""

import re

from .extract import Program, function, preprocessed
from .project import CUDA, Wrong

MULTIPLY, ROWS, POINTS = "curve/edwards_multiply.cuh", "kernels/niels_rows.cuh", "curve/edwards.cuh"
_FUNCTIONS = {
    "ed_put_multiples": MULTIPLY,
    "ed_multiply_two_var": MULTIPLY,
    "ed_windows": MULTIPLY,
    "ed_multiply_uniform": MULTIPLY,
    "ed_base_multiple": ROWS,
    "ed_is_of_small_order": POINTS,
}
_MAIN = """#include "edwards.cuh"
{constants}
{functions}
int main(int, char** arguments) {{
    u32 k[8], l[8];
    name_scalar(k, 0);
    name_scalar(l, 1);
    decisions = arguments[2];
    switch (std::atoi(arguments[1])) {{
    case 0:
        for (run_of_values = 0; run_of_values < 256; run_of_values++)
            give(ed_multiply_uniform(Uniform{{kEdUniformMultiples}}, k).line);
        break;
    case 1: {{
        Store store;
        give(ed_multiply_two_var(store, k, l, std::atoi(arguments[3])).line);
        break;
    }}
    case 2: {{
        Store store;
        for (int point = 0; point < 2; point++) ed_put_multiples(store, point, affine(made("point")));
        break;
    }}
    case 3:
        for (int bit = 0; bit <= 16; bit++) {{
            u32 m = bit < 16 ? 1u << bit : 0xffff;
            give(ed_base_multiple(m, std::atoi(arguments[3])).line);
        }}
        break;
    case 4: give(ed_is_of_small_order(ed_projective{{made("point")}})); break;
    case 5:
        for (int bits = 0; bits <= 253; bits++) give(ed_windows(bits));
        break;
    }}
}}
"""
# The width of the windows of public numbers, and of those of secret scalars.
WIDTH, UNIFORM_WIDTH = 4, 8
BITS = 256  # of all windows
LIMIT = 1 << 253  # of scalars


def _need(condition, what):
    if not condition:
        raise Wrong(what)


def windows(width):
    return -(-BITS // width)


def halves(width):
    """The number that is added to a scalar to obtain digits with signs."""
    return sum(1 << (width * i + width - 1) for i in range(windows(width) - 1))


def check_digits(curve):
    """The windows of a number plus the halves, less half of 2^width each but the last one, are digits of it.

    The halves subtracted from the digits are those that were added to the number. It remains to
    check that the sum has no bits above the last window, and that the table has every digit: the
    last one is the sum without the windows below.
    """
    _need(curve.n < LIMIT, "scalars have more bits")
    for width in (WIDTH, UNIFORM_WIDTH):
        above = width * (windows(width) - 1)
        largest = (LIMIT - 1 + halves(width)) >> above
        _need(largest <= 1 << (width - 1), "the last digit is not a multiple in the table")
        _need((largest + 1) << above <= 1 << 256, "a carry")


def program(curve, cuda=CUDA):
    texts = {header: preprocessed(curve, header, cuda) for header in set(_FUNCTIONS.values())}
    constants = re.findall(r"static constexpr int kEd\w+ = [^;]*;", texts[MULTIPLY])
    functions = []
    for name, header in _FUNCTIONS.items():
        found = function(texts[header], name)
        _need(found is not None, f"{header} has no {name}")
        functions.append(re.sub(r"\bi32(?= (digit|first)\b)", "Digit", found))
    main = _MAIN.format(constants="\n".join(constants), functions="\n".join(functions))
    return Program(main, curve, ("group",), cuda)


class Sums:
    """The value of every line of a trace: {P, B or a digit, by its line: factor}."""

    def __init__(self, trace):
        self.values = []
        self.digits = {}  # line -> (which scalar, window)
        self.present = {}  # digit -> whether the code has seen that it is not 0
        self.put = []  # (which entry, its value)
        self.identities = []  # values of which it is asked whether they are the identity
        for number, (operation, operands) in enumerate(trace.lines):
            self.values.append(getattr(self, "_" + operation)(number, *map(int, operands)))

    def _identity(self, number):
        return {}

    def _generator(self, number):
        return {"B": 1}

    def _point(self, number):
        return {"P": 1}

    def _multiple(self, number, window, m):
        return {"B": (m + 1) << (UNIFORM_WIDTH * window)}

    def _digit(self, number, which, window):
        self.digits[number] = (which, window)

    def _present(self, number, digit, answer):
        self.present[digit] = bool(answer)

    def _entry(self, number, point, digit):
        _need(self.present.get(digit), "an entry for a digit that may be 0")
        _need(self.digits[digit][0] == point, "a digit of the other point's number")
        return {digit: 1}

    def _double(self, number, point):
        return {key: 2 * factor for key, factor in self.values[point].items()}

    def _add(self, number, point, addend, negative):
        total = dict(self.values[point])
        for key, factor in self.values[addend].items() if addend >= 0 else ():
            total[key] = total.get(key, 0) + (-factor if negative else factor)
        return {key: factor for key, factor in total.items() if factor}

    def _put(self, number, point, m, addend):
        self.put.append((point, m, self.values[addend]))

    def _is_identity(self, number, point, answer):
        self.identities.append(self.values[point])


def _decisions(count):
    """Answers: all no, all yes, and each one by itself no and yes."""
    yield "0" * count
    yield "1" * count
    for i in range(count):
        for one, others in ("10", "01"):
            yield others * i + one + others * (count - 1 - i)


def _check_multiply_two(compiled, count):
    expected = {(which, i): 1 << (WIDTH * i) for which in range(2) for i in range(count)}
    for decisions in _decisions(len(expected)):
        trace = compiled.run(1, decisions, count)
        sums = Sums(trace)
        _need(sorted(sums.digits.values()) == sorted(expected), "a window is left out, or taken twice")
        _need(sums.present.keys() == sums.digits.keys(), "of a digit it is not asked whether it is 0")
        ((line,),) = trace.results
        found = {sums.digits[digit]: factor for digit, factor in sums.values[int(line)].items()}
        there = {sums.digits[digit] for digit, present in sums.present.items() if present}
        _need(found == {key: factor for key, factor in expected.items() if key in there}, "another sum")


def _check_uniform(compiled):
    trace = compiled.run(0, "")
    sums = Sums(trace)
    count = windows(UNIFORM_WIDTH)
    _need(sorted(sums.digits.values()) == sorted(256 * [(0, i) for i in range(count)]), "a window is left out")
    for run, (line,) in enumerate(trace.results):
        # As the digits of this run are made.
        expected = sum(((run + 37 * i) % 256 - 128) << (UNIFORM_WIDTH * i) for i in range(count))
        _need(sums.values[int(line)] == {"B": expected}, "another sum")
    _need(len(trace.results) == 256, "not every digit is tried")


def _check_tables(compiled):
    sums = Sums(compiled.run(2, ""))
    count = 1 << (WIDTH - 1)
    expected = [(point, m, {"P": m + 1}) for point in range(2) for m in range(count)]
    _need(sums.put == expected, "other multiples of P")
    factors = [*(1 << i for i in range(16)), (1 << 16) - 1]  # each bit by itself, and all
    for doublings in range(0, UNIFORM_WIDTH * windows(UNIFORM_WIDTH), UNIFORM_WIDTH):
        trace = compiled.run(3, "", doublings)
        values = Sums(trace).values
        found = [values[int(line)] for (line,) in trace.results]
        _need(found == [{"B": m << doublings} for m in factors], "another multiple of B")


def _check_windows(compiled):
    """Checks that digits above the windows are 0: adding the halves gives no carry out of them."""
    counts = [int(line) for (line,) in compiled.run(5, "").results]
    _need(len(counts) == 254, "not every length is tried")
    for bits, count in enumerate(counts):
        limit = 1 << (WIDTH * count)
        _need(count <= windows(WIDTH), "more windows than there are")
        _need((1 << bits) - 1 + halves(WIDTH) % limit < limit or count == windows(WIDTH), "a digit is left out")


def _check_small_order(curve, compiled):
    for answer in "01":
        trace = compiled.run(4, answer)
        _need(Sums(trace).identities == [{"P": curve.cofactor}], "another multiple than by the cofactor")
        _need(trace.results == [[answer]], "another answer")


def check_loops(curve, cuda=CUDA):
    """Raises Wrong where a loop gives another multiple."""
    with program(curve, cuda) as compiled:
        for count in (1, 2, 33, windows(WIDTH)):
            _check_multiply_two(compiled, count)
        _check_windows(compiled)
        _check_uniform(compiled)
        _check_tables(compiled)
        _check_small_order(curve, compiled)
