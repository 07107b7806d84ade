"""How the recodings of scalars put their proved parts together: the calls of split_scalar, signed_parts_var and
signed_digits_var, in every case of the parities and comparisons that they ask about."""

import itertools

from .compositions import Terms
from .extract import Program, function, preprocessed
from .project import CUDA, Wrong

SIZE = 1 << 160

_MAIN = """#include "halves.cuh"
static void words_copy(u32* r, const u32* a) {{
    for (int i = 0; i < 8; i++) r[i] = a[i];
}}
{functions}
int main(int count, char** arguments) {{
    decisions = arguments[2];
    sc k = variable<sc>("k");
    switch (std::atoi(arguments[1])) {{
{cases}
    }}
}}
"""
_HALVES = """    case 0: {
        OddScalar<kWindows> s[2];
        split_scalar(s, k);
        for (int i = 0; i < 2; i++) give_part(s[i].windows, 5, ~s[i].negative);
        break;
    }
    case 1: {
        SignedDigits<5> s[2];
        signed_parts_var(s, k, 7);
        for (int i = 0; i < 2; i++) give_digits(s[i]);
        break;
    }"""
_DIGITS = """    case 2: {
        SignedDigits<8> s = signed_digits_var(k, 7);
        if (s.carry != 0 || s.bits != 7) fail("digits that do not begin with the first");
        give_part(s.rest, 8, s.negate);
        break;
    }"""


def _program(curve, cuda):
    text = preprocessed(curve, "curve/recode.cuh", cuda)
    names = ["signed_digits_var"]
    if curve.endomorphism:
        names += ["scalar_halves", "split_scalar", "signed_parts_var"]
    functions = [function(text, name) for name in names]
    if None in functions:
        raise Wrong(f"recode.cuh has not all of {', '.join(names)}")
    functions = [f.replace("GECC_HAS_ENDOMORPHISM", "1") for f in functions]
    cases = _DIGITS + ("\n" + _HALVES if curve.endomorphism else "")
    return Program(_MAIN.format(functions="\n".join(functions), cases=cases), curve, ("numbers",), cuda)


def _need(condition, what):
    if not condition:
        raise Wrong(what)


def _evaluated(trace):
    """(terms of every line modulo 2^160, {line: (a call other than a sum, its operands)})."""
    values, calls = [], {}
    for number, (operation, operands) in enumerate(trace.lines):
        if operation == "constant":
            value = int(operands[0], 16) % SIZE
            values.append(Terms({(): value} if value else {}))
            calls[number] = ("constant", [int(operands[0], 16)])
            continue
        if operation == "variable":
            values.append(Terms.power(operands[0], 1))
            continue
        arguments = [int(operand) for operand in operands]
        if operation in ("add", "sub"):
            sign = 1 if operation == "add" else -1
            values.append(values[arguments[0]].plus(values[arguments[1]], SIZE, sign))
        elif operation == "mul":
            values.append(values[arguments[0]].times(values[arguments[1]], SIZE))
        else:
            values.append(Terms.power(f"line{number}", 1))
            calls[number] = (operation, arguments)
    return values, calls


def _halves(curve, values, calls):
    """k1 and k2 as the guide has them, from the rounded quotients, which are checked to be of the right constants."""
    rounded = {}
    for number, (operation, arguments) in calls.items():
        if operation == "round":
            _need(values[arguments[0]] == Terms.power("k", 1), "something else than k is divided")
            rounded[calls[arguments[1]][1][0]] = values[number]
    divisors = {curve.constant("GLV_G1"), curve.constant("GLV_G2")}
    _need(rounded.keys() == divisors, "other quotients than those by the vectors of the basis")
    c1, c2 = (rounded[curve.constant(f"GLV_{name}")] for name in ("G1", "G2"))
    constants = {name: Terms({(): curve.constant(f"GLV_{name}") % SIZE}) for name in ("A1", "B1", "A2", "B2")}

    def less(start, one, two):
        return start.plus(c1.times(constants[one], SIZE), SIZE, -1).plus(c2.times(constants[two], SIZE), SIZE, -1)

    return (less(Terms.power("k", 1), "A1", "A2"), less(Terms(), "B1", "B2")), constants


def _check_halves(curve, program, which):
    """The four differences are asked whether they are odd, of which the second and the last are k1 and k2."""
    for odd1, odd2 in itertools.product((0, 1), (0, 1)):
        trace = program.run(which, f"0{odd1}0{odd2}")
        values, calls = _evaluated(trace)
        expected, constants = _halves(curve, values, calls)
        asked = [i for i, (operation, _) in enumerate(trace.lines) if operation == "sub"]
        parities = {i: int(trace.lines[i][1][2]) for i in asked}
        _need(len(asked) == 4, "other differences than those of the halves")
        for i, half, odd in ((asked[1], expected[0], odd1), (asked[3], expected[1], odd2)):
            _need(values[i] == half and parities[i] == odd, "other halves")
        added = [Terms(), Terms()]
        if which == 0:
            # What recoding.check_split shows to make both odd.
            first, use2 = int(not odd1), int(odd1 != odd2)
            for i, names in enumerate((("A1", "A2"), ("B1", "B2"))):
                for use, name in zip((first, use2), names):
                    added[i] = added[i].plus(constants[name], SIZE) if use else added[i]
        for i, (line, sign) in enumerate(trace.results):
            line = int(line)
            if which == 0:
                _need(calls[line][0] == "windows", "windows that are not prepared")
                line = calls[line][1][0]
            operation, (of,) = calls[line]
            _need(operation == "magnitude" and int(sign) == of, "no magnitude with its sign")
            _need(values[of] == expected[i].plus(added[i], SIZE), "another half")


def _check_digits(program):
    for less in (0, 1):
        trace = program.run(2, str(less))
        values, calls = _evaluated(trace)
        ((negative, k),) = [(i, a[0]) for i, (operation, a) in calls.items() if operation == "negative"]
        _need(values[k] == Terms.power("k", 1), "the negative of something else")
        _need(("less", [negative, k, less]) in calls.values(), "another comparison")
        _need(trace.results == [[str(negative if less else k), str(less)]], "digits of another number")


def check_halves(curve, cuda=CUDA):
    with _program(curve, cuda) as program:
        _check_digits(program)
        if curve.endomorphism:
            _check_halves(curve, program, 0)
            _check_halves(curve, program, 1)
            return
    bodies = {"split_scalar": "odd_scalar(*s, k);", "signed_parts_var": "*s = signed_digits_var(k, bits);"}
    for name, body in bodies.items():
        text = function(preprocessed(curve, "curve/recode.cuh", cuda), name)
        _need(text.split("{")[1].rstrip("}").strip() == body, f"{name} is not one call")
