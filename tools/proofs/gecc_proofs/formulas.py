"""The point formulas of cuda/curve/ and cuda/scheme/ against the group law, as identities of polynomials modulo p.

Points are (x1, y1) and (x2, y2) on the curve; a first point in Jacobian coordinates is (x1 z1^2, y1 z1^3, z1) with z1
not 0. Polynomials are reduced by y^2 = x^3 + a x + b, so that equal ones have equal terms. Every sequence of answers to
the questions that a formula asks is one case; what a question asks is recognised by its polynomial.
"""

import re

from .polynomial import Polynomial
from .project import CUDA, Wrong
from .trace import Program

NAMES = ("x1", "y1", "x2", "y2", "z1", "inverse", "number1", "number2", "X1", "Y1", "ZZ1", "ZZZ1", "root", "z2")
# Variables of Polynomial: the even ones are not Boolean.
VARIABLES = {name: 2 * i for i, name in enumerate(NAMES)}


class Algebra:
    """Polynomials modulo p and the equations of the points."""

    def __init__(self, curve):
        self.p, self.a, self.b = curve.p, curve.a, curve.b
        self.curve = curve

    def variable(self, name):
        return Polynomial.variable(VARIABLES[name])

    def right_side(self, x):
        return self.normal(x * x * x + x.scaled(self.a) + self.b)

    def equation(self, x, y):
        """The curve equation for x and y: a monomial, and the polynomial that replaces it."""
        return (y, y), Polynomial({(x, x, x): 1, (x,): self.a, (): self.b}).modulo(self.p)

    def normal(self, polynomial):
        """Reduced by the points' equations and modulo p."""
        polynomial = polynomial.modulo(self.p)
        for which in ("1", "2"):
            leading, same = self.equation(VARIABLES["x" + which], VARIABLES["y" + which])
            counts = [(variable, leading.count(variable)) for variable in set(leading)]
            while any(_is_multiple(m, counts) for m in polynomial.terms):
                polynomial = self._once(polynomial, leading, counts, same)
        return polynomial

    def _once(self, polynomial, leading, counts, same):
        kept, parts = {}, []
        for monomial, coefficient in polynomial.terms.items():
            if _is_multiple(monomial, counts):
                rest = list(monomial)
                for variable in leading:
                    rest.remove(variable)
                parts.append(Polynomial({tuple(rest): coefficient}) * same)
            else:
                kept[monomial] = coefficient
        return Polynomial.sum([Polynomial(kept), *parts]).modulo(self.p)

    def mul(self, *factors):
        result = Polynomial.constant(1)
        for factor in factors:
            result = self.normal(result * factor)
        return result

    def power(self, base, exponent):
        return self.mul(*[base] * exponent)

    def same(self, left, right):
        return not self.normal(left - right)

    def multiple_of(self, polynomial, base):
        """Whether polynomial = c z1^k z2^l base with a constant c that is not 0 and some k and l."""
        z = self.variable("z1")
        polynomial = self._without(polynomial, VARIABLES["z2"])
        for k in range(20):
            candidate = self.mul(self.power(z, k), base)
            if candidate.terms.keys() == polynomial.terms.keys() and polynomial:
                monomial = next(iter(candidate.terms))
                c = polynomial.terms[monomial] * pow(candidate.terms[monomial], -1, self.p) % self.p
                if self.same(polynomial, candidate.scaled(c)):
                    return True
        return False

    @staticmethod
    def _without(polynomial, variable):
        """Divided by the highest power of a variable that divides it."""
        power = min((m.count(variable) for m in polynomial.terms), default=0)
        divided = {}
        for monomial, coefficient in polynomial.terms.items():
            rest = list(monomial)
            for _ in range(power):
                rest.remove(variable)
            divided[tuple(rest)] = coefficient
        return Polynomial(divided)

    def put(self, polynomial, **values):
        return self.normal(polynomial.substituted({VARIABLES[name]: value for name, value in values.items()}))


def _is_multiple(monomial, counts):
    return all(monomial.count(variable) >= count for variable, count in counts)


def evaluate(algebra, lines, inputs, known=None):
    """The polynomial of every line. `known` has those of some lines, which are then not computed."""
    values = []
    half = pow(2, -1, algebra.p)
    for number, (operation, operands) in enumerate(lines):
        if known and number in known:
            values.append(known[number])
            continue
        if operation == "constant":
            stored = int(operands[0], 16) * pow(algebra.curve.factor, -1, algebra.p) % algebra.p
            values.append(Polynomial.constant(stored))
        elif operation == "variable":
            values.append(inputs.get(operands[0]) or algebra.variable(operands[0]))
        elif operation == "root":
            values.append(algebra.variable("root"))
        elif operation in ("zero", "odd"):
            values.append(None)
        else:
            a, b = (values[int(o)] if int(o) >= 0 else None for o in operands)
            functions = {
                "mul": lambda: a * b,
                "add": lambda: a + b,
                "sub": lambda: a - b,
                "half": lambda: a.scaled(half),
            }
            values.append(algebra.normal(functions[operation]()))
    return values


def inputs(algebra):
    """Coordinates of both points from their affine ones, z1 and z2."""
    found = {}
    for point in "12":
        x, y, z = (algebra.variable(name + point) for name in "xyz")
        square, cube = algebra.power(z, 2), algebra.power(z, 3)
        found |= {f"X{point}": algebra.mul(x, square), f"Y{point}": algebra.mul(y, cube)}
        found |= {f"ZZ{point}": square, f"ZZZ{point}": cube}
    return found


class Law:
    """The sum of two affine points as fractions: x = nx / d^2, y = ny / d^3."""

    def __init__(self, algebra, numerator, d, x1, y1, x2):
        self.d = d
        d2 = algebra.power(d, 2)
        self.nx = algebra.normal(numerator * numerator - algebra.mul(d2, x1 + x2))
        self.ny = algebra.normal(algebra.mul(numerator, algebra.mul(x1, d2) - self.nx) - algebra.mul(y1, d2, d))

    @staticmethod
    def chord(algebra):
        x1, y1, x2, y2 = (algebra.variable(name) for name in ("x1", "y1", "x2", "y2"))
        return Law(algebra, y2 - y1, x2 - x1, x1, y1, x2)

    @staticmethod
    def tangent(algebra):
        x1, y1 = algebra.variable("x1"), algebra.variable("y1")
        return Law(algebra, algebra.normal((x1 * x1).scaled(3) + algebra.a), y1.scaled(2), x1, y1, x1)


class Facts(dict):
    """The answers to the questions of a case. To look up one that was not asked is an error of the formula."""

    def __init__(self, name):
        super().__init__()
        self.name = name

    def __missing__(self, question):
        raise Wrong(f"{self.name}: it does not ask: {question}?")


class Check:
    """One formula on one curve: every case of it."""

    def __init__(self, program, formula):
        self.algebra = Algebra(program.curve)
        self.formula = formula
        self.name = f"{program.curve.name} {formula}"
        self.paths = program.paths(formula)
        self.cases = []

    def require(self, condition, what):
        if not condition:
            raise Wrong(f"{self.name}: {what}")

    def each(self):
        """Yields (path, values of its lines, facts) of every case.

        `facts` has the questions and their answers.
        """
        for path in self.paths:
            values = evaluate(self.algebra, path.lines, inputs(self.algebra))
            facts = Facts(self.name)
            for kind, line, answer in path.questions:
                facts[self.question(kind, values[line])] = bool(answer)
            self.cases.append(facts)
            yield path, values, facts

    def question(self, kind, polynomial):
        """Returns the question that is asked when the polynomial is compared with 0."""
        a = self.algebra
        v = a.variable
        known = {
            "same x": v("x2") - v("x1"),
            "same y": v("y2") - v("y1"),
            "first is the identity": Polynomial.constant(1),
            "y1 = 0": v("y1"),
            "x1 = number1": v("number1") - v("x1"),
            "x1 = number2": v("number2") - v("x1"),
            # Of a point that may not be on the curve, too: these two names have no equation.
            "root is a square root": v("root") * v("root") - a.right_side(v("number1")),
        }
        if kind == "odd":
            self.require(a.same(polynomial, v("root")), "the parity of something else is asked")
            return "root is odd"
        if a.same(polynomial, a.power(v("z2"), 2)):
            return "second is the identity"
        for name, base in known.items():
            if a.multiple_of(polynomial, base):
                # c z1^k alone must have a z1: a constant is never asked about.
                self.require(polynomial.variables(), "a constant is compared with 0")
                return name
        raise Wrong(f"{self.name}: a question that is not known")

    def is_sum(self, law, x, y, zz, zzz, substitute=None):
        """x / zz and y / zzz are the sum that the law gives, and zz, zzz are not 0 where d is not."""
        a = self.algebra
        put = (lambda q: a.put(q, **substitute)) if substitute else (lambda q: q)
        x, y, zz, zzz = put(x), put(y), put(zz), put(zzz)
        d2 = a.power(law.d, 2)
        self.require(a.same(x * d2, law.nx * zz), "x is not that of the sum")
        self.require(a.same(a.mul(y, d2, law.d), law.ny * zzz), "y is not that of the sum")

    def is_jacobian_sum(self, law, values, path, substitute=None):
        a = self.algebra
        x, y, z = (values[path.results[name]] for name in "xyz")
        zz = a.power(z, 2)
        self.is_sum(law, x, y, zz, a.mul(zz, z), substitute)
        put = a.put(z, **substitute) if substitute else z
        self.require(a.multiple_of(put, law.d), "z can be 0")


def _same_point(algebra):
    return {"x2": algebra.variable("x1"), "y2": algebra.variable("y1")}


def _opposite_point(algebra):
    return {"x2": algebra.variable("x1"), "y2": -algebra.variable("y1")}


def _doublings(program):
    for formula in ("jacobian_double", "affine_to_jacobian_double"):
        check = Check(program, formula)
        for path, values, _ in check.each():
            check.is_jacobian_sum(Law.tangent(check.algebra), values, path)
        yield check
    # The identity, z = 0 with any x and y, gives the identity.
    algebra = check.algebra
    path = program.run("jacobian_double")
    raw = evaluate(algebra, path.lines, {})
    check.require(not algebra.put(raw[path.results["z"]], z1=Polynomial()), "twice the identity is not the identity")
    check = Check(program, "xyzz_double")
    for path, values, _ in check.each():
        _is_xyzz_sum(check, Law.tangent(check.algebra), path, values)
    yield check


def _jacobian_additions(program):
    check = Check(program, "add_distinct")
    for path, values, _ in check.each():
        check.is_jacobian_sum(Law.chord(check.algebra), values, path)
        opposite = check.algebra.put(values[path.results["z"]], **_opposite_point(check.algebra))
        check.require(not opposite, "a point and its opposite do not give the identity")
    yield check
    for formula in ("add_var", "add_uniform"):
        check = Check(program, formula)
        for path, values, facts in check.each():
            _mixed_sum(check, path, values, facts)
        yield check
    check = Check(program, "add_var_to_identity")
    for path, values, _ in check.each():
        _is_second(check, path, values)
        check.require(path.verdicts["identity"] == 0, "the sum counts as the identity")
    yield check


def _is_second(check, path, values):
    a = check.algebra
    expected = {"x": a.variable("x2"), "y": a.variable("y2")}
    expected |= {name: Polynomial.constant(1) for name in ("z", "zz", "zzz") if name in path.results}
    for name, value in expected.items():
        check.require(a.same(values[path.results[name]], value), "the sum with the identity is not the other point")


def _mixed_sum(check, path, values, facts):
    """Every case of a complete mixed addition."""
    a = check.algebra
    if facts.get("first is the identity"):
        return _is_second(check, path, values)
    uniform = "identity" not in path.verdicts
    if not facts["same x"]:
        check.require(uniform or path.verdicts["identity"] == 0, "the sum counts as the identity")
        return check.is_jacobian_sum(Law.chord(a), values, path)
    if facts["same y"]:
        check.require(uniform or path.verdicts["identity"] == 0, "the double counts as the identity")
        return check.is_jacobian_sum(Law.tangent(a), values, path, _same_point(a))
    if uniform:
        z = a.put(values[path.results["z"]], **_opposite_point(a))
        return check.require(not z, "opposite points do not give the identity")
    return check.require(path.verdicts["identity"] == 1, "opposite points do not count as the identity")


def _xyzz_additions(program):
    check = Check(program, "xyzz_add_var")
    for path, values, facts in check.each():
        a = check.algebra
        identity = facts["same x"] and not facts["same y"]
        check.require(path.verdicts["identity"] == int(identity), "the sum is wrongly taken for the identity, or not")
        if identity:
            continue
        law = Law.tangent(a) if facts["same x"] else Law.chord(a)
        put = _same_point(a) if facts["same x"] else None
        x, y, zz, zzz = (values[path.results[name]] for name in ("x", "y", "zz", "zzz"))
        check.is_sum(law, x, y, zz, zzz, put)
        zz, zzz = (a.put(q, **put) if put else q for q in (zz, zzz))
        check.require(a.same(a.power(zz, 3), a.power(zzz, 2)) and a.multiple_of(zz, a.power(law.d, 2)), "zz")
    yield check
    check = Check(program, "xyzz_add_var_to_identity")
    for path, values, _ in check.each():
        _is_second(check, path, values)
    yield check
    check = Check(program, "xyzz_add_distinct")
    for path, values, _ in check.each():
        _is_xyzz_sum(check, Law.chord(check.algebra), path, values)
    yield check
    yield from _sums_of_sums(program)
    check = Check(program, "xyzz_to_jacobian")
    for path, values, _ in check.each():
        a = check.algebra
        x, y, z = (values[path.results[name]] for name in "xyz")
        check.require(a.same(x, a.mul(a.variable("x1"), z, z)), "x")
        check.require(a.same(y, a.mul(a.variable("y1"), z, z, z)), "y")
        check.require(a.multiple_of(z, Polynomial.constant(1)), "z can be 0")
    yield check


def _sums_of_sums(program):
    """curve/xyzz.cuh, where both points are sums."""
    check = Check(program, "xyzz_double_sum")
    for path, values, _ in check.each():
        _is_xyzz_sum(check, Law.tangent(check.algebra), path, values)
    yield check
    check = Check(program, "xyzz_add_sums")
    for path, values, facts in check.each():
        a = check.algebra
        given = inputs(a)
        results = {name: values[path.results[name]] for name in ("x", "y", "zz", "zzz")}
        unchanged = "1" if facts["second is the identity"] else "2" if facts["first is the identity"] else None
        if unchanged:
            same = all(a.same(results[name], given[name.upper() + unchanged]) for name in results)
            check.require(same, "the sum with the identity is not the other point")
        elif not facts["same x"]:
            _is_xyzz_sum(check, Law.chord(a), path, values)
        elif facts["same y"]:
            _is_xyzz_sum(check, Law.tangent(a), path, values)
        else:
            check.require(not results["zz"], "opposite points do not give the identity")
    yield check
    # The loop of doublings, of which every round is jacobian_double: without a round, and with one.
    for rounds in (0, 1):
        check = Check(program, f"double_times_{rounds}")
        for path, values, _ in check.each():
            a = check.algebra
            x, y, zz, zzz = (values[path.results[name]] for name in ("x", "y", "zz", "zzz"))
            if rounds:
                _is_xyzz_sum(check, Law.tangent(a), path, values)
                continue
            same = a.same(x, a.mul(a.variable("x1"), zz)) and a.same(y, a.mul(a.variable("y1"), zzz))
            check.require(same and a.same(a.power(zz, 3), a.power(zzz, 2)), "another point without a doubling")
            check.require(a.multiple_of(zz, Polynomial.constant(1)), "zz can be 0")
        yield check


def _is_xyzz_sum(check, law, path, values):
    a = check.algebra
    x, y, zz, zzz = (values[path.results[name]] for name in ("x", "y", "zz", "zzz"))
    check.is_sum(law, x, y, zz, zzz)
    check.require(a.same(a.power(zz, 3), a.power(zzz, 2)) and a.multiple_of(zz, a.power(law.d, 2)), "zz")


CHORD, TANGENT, IDENTITY, FIRST, SECOND = range(5)  # AdditionCase of curve/affine_add.cuh


def _affine_additions(program):
    check = Check(program, "affine_sum")
    for path, values, facts in check.each():
        a = check.algebra
        denominator, case = values[path.results["denominator"]], path.verdicts["case"]
        if not facts["same x"]:
            check.require(case == CHORD, "no chord where there is one")
            _on_line(check, path, values, Law.chord(a), denominator, None)
        elif facts["same y"] and not facts.get("y1 = 0"):
            check.require(case == TANGENT, "no tangent where there is one")
            _on_line(check, path, values, Law.tangent(a), denominator, _same_point(a))
        else:
            check.require(case == IDENTITY, "the sum is not taken for the identity")
            check.require(a.same(denominator, Polynomial.constant(1)), "a denominator where no inverse is needed")
    yield check
    for formula, expected in (("first", FIRST), ("second", SECOND), ("neither", FIRST)):
        check = Check(program, f"affine_sum_with_{formula}")
        for path, values, _ in check.each():
            check.require(path.verdicts["case"] == expected, "the sum with the identity is another")
            one = values[path.results["denominator"]]
            check.require(check.algebra.same(one, Polynomial.constant(1)), "the denominator is not 1")
        yield check
    check = Check(program, "double_on_line")
    for path, values, _ in check.each():
        _on_line(check, path, values, Law.tangent(check.algebra), check.algebra.variable("y1").scaled(2), None)
    yield check
    check = Check(program, "scale_by_inverse")
    for path, values, _ in check.each():
        a = check.algebra
        inverse = a.variable("inverse")
        # With X1 = x1 z1^2, Y1 = y1 z1^3 and inverse z1 = 1.
        check.require(a.same(values[path.results["x"]], a.mul(inputs(a)["X1"], inverse, inverse)), "x")
        check.require(a.same(values[path.results["y"]], a.mul(inputs(a)["Y1"], inverse, inverse, inverse)), "y")
    yield check


def _on_line(check, path, values, law, denominator, substitute):
    """The sum by a line, given the inverse of its denominator, which is d."""
    a = check.algebra
    check.require(a.same(denominator, law.d), "another denominator")
    inverse = a.variable("inverse")
    put = (lambda q: a.put(q, **substitute)) if substitute else (lambda q: q)
    x, y = (put(values[path.results[name]]) for name in "xy")
    # With d inverse = 1 both sides are polynomials in the inverse: those of x have degree 2 in it, those of y 3.
    check.require(_equal_with_inverse(a, x, law.nx, law.d, inverse, 2), "x is not that of the sum")
    check.require(_equal_with_inverse(a, y, law.ny, law.d, inverse, 3), "y is not that of the sum")


def _equal_with_inverse(a, value, numerator, d, inverse, degree):
    """value d^degree = numerator once d inverse is 1: each power of the inverse is cleared by as many factors d."""
    variable = inverse.variables()[0]
    cleared = []
    for monomial, coefficient in value.terms.items():
        count = monomial.count(variable)
        rest = Polynomial({tuple(v for v in monomial if v != variable): coefficient})
        if count > degree:
            return False
        cleared.append(a.mul(rest, a.power(d, degree - count)))
    return a.same(Polynomial.sum(cleared), numerator)


def _multiples(program):
    """The table of odd multiples: each put is one step of a proof by induction, with new names for its sum."""
    check = Check(program, "multiples")
    a, (path,) = check.algebra, check.paths
    v = a.variable
    values = evaluate(a, path.lines[: path.put[0][3]], {})
    # Of the first step: 2 P over z, and P over the same z.
    step_x, sum_x, step_y, sum_y = _coordinates(path, 0)
    law, z = Law.tangent(a), values[_z_before(path, 0)]
    zz = a.power(z, 2)
    check.require(a.same(a.mul(values[step_x], law.d, law.d), a.mul(law.nx, zz)), "2 P")
    check.require(a.same(a.mul(values[step_y], law.d, law.d, law.d), a.mul(law.ny, zz, z)), "2 P")
    check.require(a.same(values[sum_x], a.mul(v("x1"), zz)), "P")
    check.require(a.same(values[sum_y], a.mul(v("y1"), zz, z)), "P")
    check.require(a.multiple_of(z, v("y1")), "z can be 0")
    # Of a further step: (x1, y1) is the sum so far, (x2, y2) is 2 P, both over z1.
    count = (len(path.put) - 1) // 2
    check.require([entry for entry, *_ in path.put] == [*range(1, count + 1), *range(count, -1, -1)], "the entries put")
    for number in range(count):
        _multiples_step(check, path, number, number + 1 < count)
    _finished_multiples(check, path, count)
    yield check


def _coordinates(path, number):
    """The lines of step.x, sum.x, step.y, sum.y, which the two differences at the start of a step name."""
    start = 0 if number == 0 else path.put[number - 1][4]
    end = path.put[number][4]
    h_line = path.put[number][3]
    slope_line = next(i for i in range(h_line + 1, end) if path.lines[i][0] == "sub")
    (_, (a, b)), (_, (c, d)) = path.lines[h_line], path.lines[slope_line]
    if path.lines[h_line][0] != "sub" or h_line < start:
        raise Wrong("a step of the multiples begins otherwise")
    return int(a), int(b), int(c), int(d)


def _z_before(path, number):
    """The line of z before a step: z h is the only product with h by itself that does not enter the sum."""
    h_line, end = path.put[number][3], path.put[number][4]
    products = [ops for kind, ops in path.lines[end - 1 : end] if kind == "mul"]
    return next(int(a) if int(b) == h_line else int(b) for a, b in products if h_line in (int(a), int(b)))


def _multiples_step(check, path, number, has_next):
    _, x, y, third, end = path.put[number]
    a = check.algebra
    v = a.variable
    step_x, sum_x, step_y, sum_y = _coordinates(path, number)
    z_line = _z_before(path, number)
    z = v("z1")
    z2, z3 = a.power(z, 2), a.power(z, 3)
    known = {
        step_x: a.mul(v("x2"), z2),
        step_y: a.mul(v("y2"), z3),
        sum_x: a.mul(v("x1"), z2),
        sum_y: a.mul(v("y1"), z3),
        z_line: z,
    }
    values = evaluate_from(a, path.lines, known, min(path.put[number][3], end), end)
    law = Law.chord(a)
    new_z = values[end - 1]
    check.require(a.multiple_of(new_z, law.d), "z can be 0")
    zz = a.power(new_z, 2)
    check.require(a.same(a.mul(values[x], law.d, law.d), a.mul(law.nx, zz)), "x of a multiple")
    check.require(a.same(a.mul(values[y], law.d, law.d, law.d), a.mul(law.ny, zz, new_z)), "y of a multiple")
    check.require(a.same(a.mul(z, values[third]), new_z), "the quotient of the entry's z by its predecessor's")
    if has_next:
        next_x, next_sum_x, next_y, next_sum_y = _coordinates(path, number + 1)
        check.require((next_sum_x, next_sum_y) == (x, y), "the sum is not taken over")
        check.require(a.same(values[next_x], a.mul(v("x2"), zz)), "2 P is not kept over the same z")
        check.require(a.same(values[next_y], a.mul(v("y2"), zz, new_z)), "2 P is not kept over the same z")
        check.require(_z_before(path, number + 1) == end - 1, "z is not taken over")


def _finished_multiples(check, path, count):
    """From the last entry down: (X1, Y1) over z1, `inverse` is 1 / z1, and number1 the quotient to the z before."""
    a = check.algebra
    v = a.variable
    beta = a.curve.endomorphism[0] if a.curve.endomorphism else 1
    inverse = next(i for i, line in enumerate(path.lines) if line == ("variable", ["inverse"]))
    for number in range(count, 2 * count):
        entry, x, y, third, _ = path.put[number]
        _, sum_x, sum_y, quotient, _ = path.put[entry - 1]
        product = ("mul", [str(inverse), str(quotient)])
        following = [i for i in range(inverse + 1, len(path.lines)) if path.lines[i] == product]
        check.require(len(following) == 1, "the inverse of the z before")
        known = {sum_x: v("X1"), sum_y: v("Y1"), quotient: v("number1"), inverse: v("inverse")}
        # Constants are made anew for each entry, so that these lines need nothing else.
        values = evaluate_from(a, path.lines, known, inverse + 1, following[0])
        expected = a.mul(v("X1"), a.power(v("inverse"), 2))
        check.require(a.same(values[x], expected), "x of an entry")
        check.require(a.same(values[third], expected.scaled(beta)), "beta x of an entry")
        check.require(a.same(values[y], a.mul(v("Y1"), a.power(v("inverse"), 3))), "y of an entry")
        inverse = following[0]
    _, x, y, third, end = path.put[-1]
    values = evaluate_from(a, path.lines, {0: v("x1"), 1: v("y1")}, inverse + 1, end)
    check.require((x, y) == (0, 1) and a.same(values[third], v("x1").scaled(beta)), "the first entry")


def evaluate_from(algebra, lines, known, first, end):
    """The polynomials of the lines first .. end - 1 and of the known ones."""
    padded = [None] * first
    for line, value in known.items():
        if line < first:
            padded[line] = value
    rest = evaluate(algebra, [("known", ())] * first + lines[first:end], {}, dict(enumerate(padded)) | known)
    return rest


def verdict_codes():
    text = (CUDA / "codes.cuh").read_text()
    return {name: int(value) for name, value in re.findall(r"(k\w+) = (\d+)", text)}


def _comparisons(program):
    codes = verdict_codes()
    check = Check(program, "compare_result")
    for path, _, facts in check.each():
        if facts["first is the identity"]:
            expected = "kIdentityResult"
        elif facts["x1 = number1"] or facts.get("x1 = number2"):
            expected = "kValid"
        else:
            check.require("x1 = number2" in facts or 1 + program.curve.n >= program.curve.p, "x + n is not compared")
            expected = "kMismatch"
        check.require(path.verdicts["verdict"] == codes[expected], f"not {expected}")
    yield check
    check = Check(program, "is_on_curve")
    for path, _, facts in check.each():
        check.require(facts == {"root is a square root": bool(path.verdicts["on_curve"])}, "another equation")
    yield check
    for formula, odd in (("recovery", False), ("recovery_of_odd", True)):
        check = Check(program, formula)
        for path, values, facts in check.each():
            _recovered(check, path, values, facts, odd, codes)
        yield check


def _recovered(check, path, values, facts, odd, codes):
    a = check.algebra
    x, y = (values[path.results[name]] for name in "xy")
    if not facts["root is a square root"]:
        check.require(path.verdicts["verdict"] == codes["kNoSuchR"], "a point where there is none")
        g = [Polynomial.constant(value) for value in check.algebra.curve.g]
        return check.require(a.same(x, g[0]) and a.same(y, g[1]), "not the point that stands for none")
    check.require(path.verdicts["verdict"] == codes["kPending"], "no point where there is one")
    root = a.variable("root")
    expected = root if facts["root is odd"] == odd else -root
    return check.require(a.same(x, a.variable("number1")) and a.same(y, expected), "another point")


GROUPS = (_doublings, _jacobian_additions, _xyzz_additions, _affine_additions, _multiples, _comparisons)


def check_formulas(curve, cuda=CUDA):
    """[(formula, number of cases)] of a curve; raises Wrong where one differs from the group law."""
    program = Program(curve, cuda)
    try:
        return [(check.formula, len(check.paths)) for group in GROUPS for check in group(program)]
    finally:
        program.folder.cleanup()
