"""The loops that multiply points of a twisted Edwards curve: curve/edwards_multiply.cuh, ed_base_multiple, which makes
its tables, and ed_is_of_small_order.

The text of a function is compiled with points that write down what is done with them (trace/group/edwards.cuh). A point
is a sum of digits, of P and of B, with integer factors. That additions leave out no case is a theorem of its own
(edwards_formulas.py).
"""

import re

from .extract import Program, function, preprocessed
from .project import CUDA, Wrong

MULTIPLY, ROWS, POINTS = "curve/edwards_multiply.cuh", "kernels/niels_rows.cuh", "curve/edwards.cuh"
_FUNCTIONS = {
    "ed_put_multiples": MULTIPLY,
    "ed_multiply_add_var": MULTIPLY,
    "ed_multiply_uniform": MULTIPLY,
    "ed_base_multiple": ROWS,
    "ed_is_of_small_order": POINTS,
}
_MAIN = """#include "edwards.cuh"
{constants}
{functions}
int main(int, char** arguments) {{
    u32 k[8], s[8];
    name_scalar(k, 0);
    name_scalar(s, 1);
    decisions = arguments[2];
    switch (std::atoi(arguments[1])) {{
    case 0:
        for (run_of_values = 0; run_of_values < 256; run_of_values++)
            give(ed_multiply_uniform(Uniform{{kEdUniformMultiples}}, k).line);
        break;
    case 1: {{
        Store store;
        give(ed_multiply_add_var(store, k, Base(), s).line);
        break;
    }}
    case 2: {{
        Store store;
        ed_put_multiples(store, affine(made("point")));
        break;
    }}
    case 3:
        for (int bit = 0; bit <= 16; bit++) {{
            u32 m = bit < 16 ? 1u << bit : 0xffff;
            give(ed_base_multiple(m, std::atoi(arguments[3])).line);
        }}
        break;
    case 4: give(ed_is_of_small_order(ed_projective{{made("point")}})); break;
    }}
}}
"""
# The width of the windows of k, how many of these are as wide as one of s, and the width of those of secret scalars.
WIDTH, OF_BASE, UNIFORM_WIDTH = 5, 3, 8
BITS = 255  # of the 51 windows of k; the others have as many windows as these bits need
LIMIT = 1 << 253  # of scalars


def _need(condition, what):
    if not condition:
        raise Wrong(what)


def windows(width):
    return -(-BITS // width)


def halves(width):
    """What is added to a scalar, for digits with signs."""
    return sum(1 << (width * i + width - 1) for i in range(windows(width) - 1))


def check_digits(curve):
    """The windows of k plus the halves, less half of 2^width each but the last one, are digits of k.

    The sum of what is taken off is the sum of what was put on. What is left to see is that the sum has no bits above
    the last window, and that the table has every digit: the last one is the sum without the windows below.
    """
    _need(curve.n < LIMIT, "scalars have more bits")
    for width in (WIDTH, OF_BASE * WIDTH, UNIFORM_WIDTH):
        above = width * (windows(width) - 1)
        largest = (LIMIT - 1 + halves(width)) >> above
        _need(largest <= 1 << (width - 1), "the last digit is no multiple of the table")
        _need((largest + 1) << above <= 1 << 256, "a carry")


def program(curve, cuda=CUDA):
    texts = {header: preprocessed(curve, header, cuda) for header in set(_FUNCTIONS.values())}
    constants = re.findall(r"static constexpr int kEd\w+ = [^;]*;", texts[MULTIPLY])
    functions = []
    for name, header in _FUNCTIONS.items():
        found = function(texts[header], name)
        _need(found is not None, f"{header} has no {name}")
        functions.append(re.sub(r"\bi32(?= (digit|wide)\b)", "Digit", found))
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

    def _entry(self, number, digit):
        _need(self.present.get(digit), "an entry for a digit that may be 0")
        return {digit: 1}

    def _double(self, number, point):
        return {key: 2 * factor for key, factor in self.values[point].items()}

    def _add(self, number, point, addend, negative):
        total = dict(self.values[point])
        for key, factor in self.values[addend].items() if addend >= 0 else ():
            total[key] = total.get(key, 0) + (-factor if negative else factor)
        return {key: factor for key, factor in total.items() if factor}

    def _put(self, number, m, addend):
        self.put.append((m, self.values[addend]))

    def _is_identity(self, number, point, answer):
        self.identities.append(self.values[point])


def _decisions(count):
    """Answers: all no, all yes, and each one by itself no and yes."""
    yield "0" * count
    yield "1" * count
    for i in range(count):
        for one, others in ("10", "01"):
            yield others * i + one + others * (count - 1 - i)


def _check_multiply_add(compiled):
    expected = {(0, i): 1 << (WIDTH * i) for i in range(windows(WIDTH))}
    expected |= {(1, i): 1 << (OF_BASE * WIDTH * i) for i in range(windows(OF_BASE * WIDTH))}
    for decisions in _decisions(len(expected)):
        trace = compiled.run(1, decisions)
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
    _need(sums.put == [(m, {"P": m + 1}) for m in range(count)], "other multiples of P")
    factors = [*(1 << i for i in range(16)), (1 << 16) - 1]  # each bit by itself, and all
    for doublings in range(0, UNIFORM_WIDTH * windows(UNIFORM_WIDTH), UNIFORM_WIDTH):
        trace = compiled.run(3, "", doublings)
        values = Sums(trace).values
        found = [values[int(line)] for (line,) in trace.results]
        _need(found == [{"B": m << doublings} for m in factors], "another multiple of B")


def _check_small_order(curve, compiled):
    for answer in "01":
        trace = compiled.run(4, answer)
        _need(Sums(trace).identities == [{"P": curve.cofactor}], "another multiple than by the cofactor")
        _need(trace.results == [[answer]], "another answer")


def check_loops(curve, cuda=CUDA):
    """Raises Wrong where a loop gives another multiple."""
    with program(curve, cuda) as compiled:
        _check_multiply_add(compiled)
        _check_uniform(compiled)
        _check_tables(compiled)
        _check_small_order(curve, compiled)
