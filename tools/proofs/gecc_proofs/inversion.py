"""divsteps_30 and divsteps_inverse of cuda/field/inverse.cuh: their loops, and how the proved pieces fit together.

The source of each is compiled with words and limbs that record the operations on them
(trace/inversion).

Why the result is the inverse, with M the modulus and a the argument: f = d a and g = e a modulo M at the start, as
(f, g) = (M, a) and (d, e) = (0, 1). The matrix of a round takes (f, g) to (u f + v g, q f + r g) / 2^30 and (d, e) to
the same modulo M, so it stays true (`check_linear`). Division steps keep gcd(f, g), as f is odd. At the end g = 0, and
f is 1 or -1 where a is not 0, as M is prime: so f d a = 1. Where a = 0, every step halves g = 0, and d stays 0.
"""

import z3

from .divsteps import CLAIMED
from .extract import Program, function, preprocessed
from .inversion_statements import LIMB, TOP_RANGE
from .polynomial import Polynomial
from .project import CUDA, Wrong

LIMBS = 9
STEPS = 30  # of one round

_MAIN = """#include "inversion.cuh"
static constexpr int kLimbs = 9;
{blocks}
#define divsteps_30 steps_30
{steps}
#undef divsteps_30
#define divsteps_30 steps
{inverse}
int main(int, char** arguments) {{
    if (std::atoi(arguments[1]) == 0) {{
        DivstepMatrix t;
        Limb theta = variable<Limb>("theta");
        Word f = variable<Word>("f"), g = variable<Word>("g");
        theta = steps_30(t, theta, f, g);
        for (const Limb& limb : {{theta, t.u, t.v, t.q, t.r}}) give(limb);
        return 0;
    }}
    EightWords a;
    for (int i = 0; i < 8; i++) a.v[i] = variable<Word>("a", i);
    EightWords r = divsteps_inverse<Modulus>(a);
    for (const Word& word : r.v) give(word);
}}
"""


def _need(condition, what):
    if not condition:
        raise Wrong(what)


def program(curve, cuda=CUDA):
    text = preprocessed(curve, "field/inverse.cuh", cuda)
    functions = {}
    for name in ("divsteps_30", "divsteps_inverse"):
        found = function(text, name)
        _need(found is not None, f"inverse.cuh has no {name}")
        functions[name] = found.replace("u32", "Word").replace("i32", "Limb")
    blocks = next(line for line in text.splitlines() if "kStepBlocks =" in line)
    main = _MAIN.format(blocks=blocks, steps=functions["divsteps_30"], inverse=functions["divsteps_inverse"])
    return Program(main, curve, ("inversion",), cuda)


def check_rounds(trace):
    """The thirty rounds are the same: each does to what the one before left what the first does to the arguments."""
    count = len(trace.lines) - 3
    _need(count % STEPS == 0, "rounds of different lengths")
    length = count // STEPS
    # For each operand: a line of its own round, a line of the round before, or what the first round begins with.
    shapes, begun = [], {}
    for number in range(STEPS):
        start, shape = 3 + number * length, []
        for operation, operands in trace.lines[start : start + length]:
            places = []
            for operand in operands:
                if not operand.startswith("#") and int(operand) >= start:
                    places.append(("own", int(operand) - start))
                elif not operand.startswith("#") and number > 0:
                    _need(int(operand) >= start - length, "something older than the round before")
                    places.append(("before", int(operand) - start + length))
                else:
                    places.append(("given", operand))
            shape.append((operation, places))
        shapes.append(shape)
    for (operation, places), (other_operation, other) in zip(shapes[0], shapes[1]):
        _need(operation == other_operation, "a round of other operations")
        for place, now in zip(places, other):
            if now[0] == "before":
                _need(place[0] == "given" and begun.setdefault(now[1], place[1]) == place[1], "another beginning")
            else:
                _need(place == now, "a round of other operands")
    _need(all(shape == shapes[1] for shape in shapes[2:]), "a round of other operations")
    # Of theta, u, v, q and r, what the last round leaves is where the next would begin. v and q both begin with 0, u
    # and r with 1: that they are not exchanged is in the statement about one round, which is proved for any beginning.
    last = 3 + (STEPS - 1) * length
    for (result,), beginning in zip(trace.results, ("0", "#1", "#0", "#0", "#1")):
        _need(begun.get(int(result) - last) == beginning, "a result is something else than the round's")
    return begun


def _tree(trace, operand):
    """What an operand is, down to variables and to limbs of numbers that functions give."""
    if operand.startswith("#"):
        return ("number", int(operand[1:]))
    operation, operands = trace.lines[int(operand)]
    if operation == "variable":
        given = operands[0] in ("part", "entry")
        return ("line", int(operand)) if given else ("variable", operands[0], int(operands[1]))
    if operation == "steps":
        return ("line", int(operand))
    return (operation, *(_tree(trace, o) for o in operands))


def _words(name):
    return [("variable", name, i) for i in range(8)]


def _given(line):
    """The limbs that a call of a line gives first, and second."""
    return [("line", line + 1 + i) for i in range(2 * LIMBS)]


def _low(limbs):
    return ("or", limbs[0], ("shl", limbs[1], ("number", STEPS)))


def check_composition(trace):
    """Twenty rounds of the pieces with statements, and the end. Returns the number of steps."""
    calls = [
        (number, operation, [_tree(trace, operand) for operand in operands])
        for number, (operation, operands) in enumerate(trace.lines)
        if operation in ("steps", "values", "of", "cofactors", "raised", "negated")
    ]
    modulus = [("limb", ("number", i), *_words("modulus")) for i in range(LIMBS)]
    f, g = modulus, [("limb", ("number", i), *_words("a")) for i in range(LIMBS)]
    d, e = [("number", 0)] * LIMBS, [("number", int(i == 0)) for i in range(LIMBS)]
    theta, rounds = ("number", -1), 0
    end = calls[-3:]
    for i in range(0, len(calls) - 3, 4):
        (steps, *first), (values, *second), (_, *third), (cofactors, *fourth) = calls[i : i + 4]
        _need(first == ["steps", [theta, _low(f), _low(g)]], "division steps of something else")
        theta = ("line", steps)
        matrix = [("line", steps + 1 + k) for k in range(4)]
        _need(second == ["values", f + g + matrix], "the matrix is applied to other values")
        _need(third == ["of", modulus], "another modulus")
        _need(fourth == ["cofactors", d + e + matrix], "the matrix is applied to other cofactors")
        f, g = _given(values)[:LIMBS], _given(values)[LIMBS:]
        d, e = _given(cofactors)[:LIMBS], _given(cofactors)[LIMBS:]
        rounds += 1
    sign = ("sar", f[LIMBS - 1], ("number", 31))
    for (line, *call), expected in zip(
        end, (lambda: ["raised", d + modulus], lambda: ["negated", d + [sign]], lambda: ["raised", d + modulus])
    ):
        _need(call == expected(), "another end")
        d = _given(line)[:LIMBS]
    _check_packing([_tree(trace, operand) for (operand,) in trace.results], d)
    return STEPS * rounds


def _check_packing(words, limbs):
    """The eight words are the number of nine limbs, where that is below 2^256 and the limbs are below 2^30."""
    known = {limb: z3.ZeroExt(2, z3.BitVec(f"limb{i}", 30)) for i, limb in enumerate(limbs[:-1])}
    known[limbs[-1]] = z3.ZeroExt(16, z3.BitVec("limb8", 16))
    functions = {
        "or": lambda x, y: x | y,
        "shl": lambda x, y: x << y,
        "shr": z3.LShR,
    }

    def value(tree):
        if tree in known:
            return known[tree]
        if tree[0] == "number":
            return z3.BitVecVal(tree[1], 32)
        _need(tree[0] in functions, "a word of other parts")
        return functions[tree[0]](*map(value, tree[1:]))

    number = z3.Concat(*(value(word) for word in reversed(words)))
    whole = z3.Concat(
        z3.Extract(15, 0, known[limbs[-1]]), *(z3.Extract(29, 0, known[limb]) for limb in reversed(limbs[:-1]))
    )
    solver = z3.SolverFor("QF_BV")
    solver.add(number != whole)
    _need(len(words) == 8 and solver.check() == z3.unsat, "the words are not those of the limbs")


def check_low_words():
    """Thirty steps need no more than the low words: what agrees modulo 2^m agrees modulo 2^(m - 1) after a step.

    A step asks whether g is odd, which m > 0 bits tell; then g, g + f or g - f is halved.
    """
    f, g, more_f, more_g = (Polynomial.variable(2 * i) for i in range(4))
    for m in range(32, 32 - STEPS, -1):
        other_f, other_g = f + more_f * 2**m, g + more_g * 2**m
        for factor in (0, 1, -1):
            difference = (other_g + other_f * factor) - (g + f * factor)
            _need(not (difference - (more_g + more_f * factor) * 2 * 2 ** (m - 1)), "the low words are not enough")


def check_linear():
    """With 2^i f = u f0 + v g0 and 2^i g = q f0 + r g0, a step's matrix gives the same for i + 1; and what f = d a and
    g = e a modulo M are, (u f + v g) = (u d + v e) a."""
    u, v, q, r, f, g, a = (Polynomial.variable(2 * i) for i in range(7))
    before_f, before_g = u * f + v * g, q * f + r * g
    cases = (
        # (the matrix after the step, 2^(i + 1) f', 2^(i + 1) g')
        ((u * 2, v * 2, q, r), before_f * 2, before_g),  # g even
        ((u * 2, v * 2, q + u, r + v), before_f * 2, before_g + before_f),  # g odd, theta >= 0
        ((q * 2, r * 2, q - u, r - v), before_g * 2, before_g - before_f),  # g odd, theta < 0
    )
    for (new_u, new_v, new_q, new_r), expected_f, expected_g in cases:
        _need(not (new_u * f + new_v * g - expected_f) and not (new_q * f + new_r * g - expected_g), "a matrix")
    d, e = f, g  # the same letters
    _need(not (u * (d * a) + v * (e * a) - (u * d + v * e) * a), "the cofactors")


def check_sizes(curve):
    """f and g stay between -M and M, and every top limb is in the range that the statements about the pieces have."""
    f, g, m, mean = z3.Reals("f g m mean")
    for u, v in ((LIMB, 0), (-LIMB, 0), (0, LIMB), (0, -LIMB)):  # of which every row is a mean
        solver = z3.Solver()
        solver.add(f >= -m, f <= m, g >= -m, g <= m)
        solver.add(LIMB * mean == u * f + v * g, z3.Or(mean < -m, mean > m))
        _need(solver.check() == z3.unsat, "f and g can grow")
    for modulus in (curve.p, curve.n):
        for value in (-2 * modulus, 2 * modulus):
            _need(TOP_RANGE[0] <= value >> 240 <= TOP_RANGE[1], "a top limb")
    # The end: from (-2 M, M) to [0, M), by the sign of f.
    d, sign = z3.Reals("d sign")

    def raised(x):
        return z3.If(x < 0, x + m, x)

    solver = z3.Solver()
    end = raised(z3.If(sign < 0, -raised(d), raised(d)))
    solver.add(m > 0, d > -2 * m, d < m, z3.Or(end < 0, end >= m))
    _need(solver.check() == z3.unsat, "the result is not between 0 and M")


def check_inversion(curve, cuda=CUDA):
    with program(curve, cuda) as compiled:
        check_rounds(compiled.run(0))
        if check_composition(compiled.run(1)) < CLAIMED:
            raise Wrong("fewer division steps than are needed")
    check_low_words()
    check_linear()
    check_sizes(curve)
