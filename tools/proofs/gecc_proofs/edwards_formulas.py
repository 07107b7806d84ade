"""The point formulas of curve/edwards.cuh and curve/edwards_tables.cuh and comparisons of scheme/ed25519.cuh against
the group law, as identities of polynomials modulo p and the equations of the points, -x^2 + y^2 = 1 + d x^2 y^2.

The law (RFC 8032, section 5.1.4) has no exceptions, and no Z of a sum is 0:

    x3 = (x1 y2 + y1 x2) / (1 + e), y3 = (y1 y2 + x1 x2) / (1 - e), e = d x1 x2 y1 y2

Why e is neither 1 nor -1 (Bernstein and Lange 2007): if e^2 = 1, no coordinate is 0, and with i^2 = -1, which is there,

    (i x1 + s e y1)^2 = d x1^2 y1^2 (i x2 + s y2)^2 for s of 1 and of -1.

If i x2 + s y2 is not 0, d is a square, which is a contradiction. For one s it is not 0, because
the sum of both is 2 i x2. For the same reason v = d y^2 + 1 is never 0: otherwise d would be
-1 / y^2, a square. `check_law` checks the steps of this argument that are computations.
"""

from .extract import TRACE, Program
from .formulas import Algebra, verdict_codes
from .polynomial import Polynomial
from .project import CUDA, Wrong
from .sources import functions

FILES = {"edwards.cuh", "edwards_tables.cuh"}
# Functions of these files without a formula of their own: in those of others, constants, or a loop (edwards_loops.py).
_INNER = {"ed_d2", "ed_negated", "ed_add_with", "ed_encoded_y", "ed_is_of_small_order", "ed_add_entries_var"}
# Of digits (edwards_statements.py).
_INNER |= {"ed_window_count", "ed_window_digit", "ed_order_is_just_above_2_252"}
_QUESTIONS = ("zero", "canonical", "differ", "nonzero", "small_order")


class EdwardsAlgebra(Algebra):
    """Polynomials modulo p and the equations of the points."""

    def equation(self, x, y):
        inverse = pow(self.curve.d, -1, self.p)
        return (x, x, y, y), Polynomial({(y, y): inverse, (x, x): -inverse, (): -inverse}).modulo(self.p)

    def constant(self, value):
        return Polynomial.constant(value % self.p)


class Law:
    """The sum of the first point and another as two fractions: nx / dx and ny / dy."""

    def __init__(self, algebra, x2, y2):
        x1, y1 = algebra.variable("x1"), algebra.variable("y1")
        e = algebra.mul(x1, y1, x2, y2).scaled(algebra.curve.d)
        self.e = algebra.normal(e)
        self.nx, self.ny = algebra.normal(x1 * y2 + y1 * x2), algebra.normal(y1 * y2 + x1 * x2)
        self.dx, self.dy = algebra.normal(1 + e), algebra.normal(1 - e)


def _inputs(algebra):
    """What the variables of trace/edwards.cpp are, from affine coordinates and from denominators that are not 0."""
    x1, y1, z1, x2, y2, z2 = (algebra.variable(name) for name in ("x1", "y1", "z1", "x2", "y2", "z2"))
    found = {"X1": x1 * z1, "Y1": y1 * z1, "Z1": z1, "T1": algebra.mul(x1, y1, z1)}
    found |= {"completed.x": x1 * z1, "completed.z": z1, "completed.y": y1 * z2, "completed.t": z2}
    niels = {"sum": y2 + x2, "difference": y2 - x2, "product": (x2 * y2).scaled(2 * algebra.curve.d)}
    found |= {f"niels.{name}": value for name, value in niels.items()}
    found |= {f"addend.{name}": value * z2 for name, value in niels.items()}
    return found | {"addend.z2": z2.scaled(2)}


def _evaluated(algebra, lines):
    """The polynomial of every line."""
    values, given = [], _inputs(algebra)
    operations = {"mul": lambda a, b: a * b, "add": lambda a, b: a + b, "sub": lambda a, b: a - b}
    for operation, operands in lines:
        if operation == "constant":
            value = algebra.constant(int(operands[0], 16))
        elif operation == "variable":
            value = given.get(operands[0]) or algebra.variable(operands[0])
        elif operation == "root":
            value = algebra.variable("root")
        elif operation in operations:
            value = operations[operation](*(values[int(operand)] for operand in operands))
        else:  # a question; a canonical number is the same modulo p
            value = values[int(operands[0])]
        values.append(algebra.normal(value))
    return values


class Path:
    """What one sequence of answers leads to."""

    def __init__(self, algebra, trace):
        self.lines = trace.lines
        self.values = _evaluated(algebra, trace.lines)
        self.numbers = {name: int(number) for name, number in trace.results}

    def __getitem__(self, name):
        """The polynomial of a result."""
        return self.values[self.numbers[name]]

    @property
    def verdict(self):
        return self.numbers["verdict"]

    def questions(self):
        """(kind, operands, answer) of each."""
        for operation, operands in self.lines:
            if operation in _QUESTIONS:
                *about, answer = map(int, operands)
                yield operation, about, bool(answer)


class Formulas:
    def __init__(self, curve, program):
        self.curve, self.program = curve, program
        self.algebra = EdwardsAlgebra(curve)
        self.name = ""

    def need(self, condition, what):
        if not condition:
            raise Wrong(f"{self.curve.name} {self.name}: {what}")

    def paths(self, name):
        """Every sequence of answers."""
        self.name = name
        todo = [""]
        while todo:
            decisions = todo.pop()
            path = Path(self.algebra, self.program.run(name, decisions))
            yield path
            answers = "".join(str(int(answer)) for *_, answer in path.questions())
            todo += [answers[:position] + "1" for position in range(len(decisions), len(answers))]

    def only(self, name):
        (path,) = self.paths(name)
        return path

    def same(self, found, expected, what):
        self.need(self.algebra.same(found, expected), what)

    def is_nonzero_multiple(self, value, base, what):
        """value = c z1^k z2^l base, for a constant c that is not 0."""
        self.need(self.algebra.multiple_of(value, base), what)

    def is_fraction(self, numerator, denominator, law_numerator, law_denominator, what):
        """Both fractions are the same, and the denominator is not 0 where that of the law is not."""
        self.same(numerator * law_denominator, law_numerator * denominator, what)
        self.is_nonzero_multiple(denominator, law_denominator, f"the denominator of {what} can be 0")

    def is_extended(self, path, x, y):
        """The projective or extended point with these coordinates."""
        one = Polynomial.constant(1)
        self.is_fraction(path["x"], path["z"], x, one, "x")
        self.is_fraction(path["y"], path["z"], y, one, "y")
        if "t" in path.numbers:
            self.same(path["t"], self.algebra.mul(x, y, path["z"]), "t")

    def is_completed(self, path, law):
        self.is_fraction(path["x"], path["z"], law.nx, law.dx, "x")
        self.is_fraction(path["y"], path["t"], law.ny, law.dy, "y")


def _check_representations(f):
    a = f.algebra
    x1, y1 = a.variable("x1"), a.variable("y1")
    identity = f.only("identity")
    f.is_extended(identity, Polynomial(), Polynomial.constant(1))
    f.is_extended(f.only("completed identity"), Polynomial(), Polynomial.constant(1))
    generator = f.only("generator")
    x, y = (Polynomial.constant(value) for value in f.curve.g)
    f.same(generator["x"], x, "another generator")
    f.same(generator["y"], y, "another generator")
    f.same(a.mul(y, y) - a.mul(x, x), a.mul(x, x, y, y).scaled(f.curve.d) + 1, "the generator is not on the curve")
    names = ("affine to extended", "extended to projective", "completed to projective", "completed to extended")
    for name in names:
        f.is_extended(f.only(name), x1, y1)
    f.is_extended(f.only("niels to extended"), a.variable("x2"), a.variable("y2"))
    one, z1 = Polynomial.constant(1), a.variable("z1")
    # The inverse is that of both denominators: their product with it is 1.
    inverted = a.mul(z1, a.variable("z2"), a.variable("inverse"))
    # Once in both coordinates, and twice in their product.
    for name, z, z_of_product in (
        ("affine to niels", one, one),
        ("extended to addend", z1, z1),
        ("completed to niels", inverted, a.mul(inverted, inverted)),
    ):
        path = f.only(name)
        f.same(path["sum"], z * (y1 + x1), "the sum")
        f.same(path["difference"], z * (y1 - x1), "the difference")
        f.same(path["product"], a.mul(x1, y1, z_of_product).scaled(2 * f.curve.d), "the product")
        if "z2" in path.numbers:
            f.same(path["z2"], z.scaled(2), "twice Z")


def _check_sums(f):
    a = f.algebra
    x1, y1, x2, y2 = (a.variable(name) for name in ("x1", "y1", "x2", "y2"))
    f.is_completed(f.only("double"), Law(a, x1, y1))
    for name in ("add", "add affine"):
        f.is_completed(f.only(name), Law(a, x2, y2))
    for name in ("subtract", "subtract affine"):
        f.is_completed(f.only(name), Law(a, -x2, y2))


def check_law(f):
    """Checks that sums of two points are on the curve, the identity (0, 1) and the opposite (-x, y).

    Also checks the computations of the argument at the top of this file, and its conditions on p
    and d.
    """
    a, p, d = f.algebra, f.curve.p, f.curve.d
    x1, y1, x2, y2 = (a.variable(name) for name in ("x1", "y1", "x2", "y2"))
    f.name = "the law"
    law = Law(a, x2, y2)
    squares = [a.mul(value, value) for value in (law.nx, law.ny, law.dx, law.dy)]
    nx, ny, dx, dy = squares
    f.same(a.mul(ny, dx) - a.mul(nx, dy), a.mul(dx, dy) + a.mul(nx, ny).scaled(d), "a sum is not on the curve")
    neutral, opposite = Law(a, Polynomial(), Polynomial.constant(1)), Law(a, -x1, y1)
    f.need((neutral.nx, neutral.dx, neutral.ny, neutral.dy) == (x1, 1, y1, 1), "the identity")
    f.need(not opposite.nx and a.same(opposite.ny, opposite.dy), "the opposite")
    f.need(p % 4 == 1 and pow(d, (p - 1) // 2, p) == p - 1 and f.curve.a == p - 1, "-1 is not a square, or d is one")
    i = f.curve.constant("FIELD_ROOT_OF_MINUS_ONE")
    f.need(i * i % p == p - 1, "no root of -1")
    for s in (1, -1):
        left, right = x1.scaled(i) + a.mul(law.e, y1).scaled(s), a.mul(x2.scaled(i) + y2.scaled(s), x1, y1)
        difference = a.mul(left, left) - a.mul(right, right).scaled(d)
        # 0 where e^2 = 1.
        f.same(difference, a.mul(a.mul(law.e, law.e) - 1, y1 * y1 - 1), "a square that is not d times another")


def _check_comparisons(f):
    a = f.algebra
    x1, y1 = a.variable("x1"), a.variable("y1")
    for path in f.paths("is identity"):
        answers = []
        for expected, (kind, (line,), answer) in zip((x1, y1 - 1), path.questions()):
            f.is_nonzero_multiple(path.values[line], expected, "another question")
            answers.append(answer)
        f.need(len(answers) == 2 and path.verdict == all(answers), "another answer")
    codes = verdict_codes()
    for path in f.paths("encode"):
        line, top = path.numbers["line"], path.numbers["top"]
        _is_encoding(f, path, line, top)
    for path in f.paths("compare"):
        ((line, top, other, other_top, differs),) = [
            (*about, answer) for kind, about, answer in path.questions() if kind == "differ"
        ]
        _is_encoding(f, path, line, top)
        f.need(path.lines[other] == ("variable", ["number1"]) and not other_top, "compared with something else")
        f.need(path.verdict == codes["kMismatch" if differs else "kValid"], "another verdict")
    law = Law(a, a.variable("x2"), a.variable("y2"))
    for path in f.paths("compare cofactored"):
        ((kind, (x, y, z), small),) = path.questions()
        x, y, z = (path.values[line] for line in (x, y, z))
        f.same(a.mul(x, law.dx), a.mul(law.nx, z), "x of another point")
        f.same(a.mul(y, law.dy), a.mul(law.ny, z), "y of another point")
        f.is_nonzero_multiple(z, a.mul(law.dx, law.dy), "z can be 0")
        f.need(path.verdict == codes["kValid" if small else "kMismatch"], "another verdict")


def _is_encoding(f, path, line, top):
    """The line is that of y, canonical, and the bit that of x: both coordinates times the inverse of z1, if it is."""
    a = f.algebra
    z = a.mul(a.variable("z1"), a.variable("inverse"))
    canonical = _canonical(path)
    f.need(len(canonical) == 2, "a coordinate that is not below p")
    (x_line, odd), (y_line, _) = canonical
    f.same(path.values[x_line], a.mul(a.variable("x1"), z), "another x")
    f.same(path.values[y_line], a.mul(a.variable("y1"), z), "another y")
    f.need(line == y_line and top == odd, "another encoding")


def _canonical(path):
    """(line, whether it is odd) of the canonical numbers."""
    return [
        (number, bool(int(operands[-1])))
        for number, (operation, operands) in enumerate(path.lines)
        if operation == "canonical"
    ]


def _check_decoding(f):
    """A point that is given back is on the curve, and has the y and the parity of the encoding, or x = 0. With
    u = y^2 - 1 and v = d y^2 + 1, which is not 0, it is on the curve exactly if v x^2 = u.

    If no point is returned, there is none: the candidate for the root is u v^3 (u v^7)^e with
    e = (p - 5) / 8, and v times its square is u w with w = (u v^7)^((p - 1) / 4). If u is 0, so is
    this. Otherwise u v^7 is a square exactly if u / v is. If it is a square, w^2 is 1, so that w is
    1 or -1; if not, w^2 is -1, so that w is a root of -1.
    """
    p, a = f.curve.p, f.algebra
    f.name = "the root"
    f.need(p % 8 == 5 and 2 * ((p - 5) // 8) + 1 == (p - 1) // 4, "another exponent")
    y, root = a.variable("number1"), a.variable("root")
    u, v = a.normal(y * y - 1), a.normal((y * y).scaled(f.curve.d) + 1)
    candidate = a.mul(u, a.power(v, 3), root)
    found = a.mul(candidate, candidate, v)
    # v times the square of the candidate is u (u v^7) root^2.
    f.same(found, a.mul(u, u, a.power(v, 7), root, root), "another power")
    for canonical in (False, True):
        for odd in (False, True):
            name = f"decode {'canonical ' * canonical}{'odd' if odd else 'even'}"
            for path in f.paths(name):
                _check_decoded(f, path, canonical, odd, (y, u, v, candidate, found))


def _check_decoded(f, path, canonical, odd, numbers):
    a, codes = f.algebra, verdict_codes()
    y, u, v, candidate, found = numbers
    answers = {}
    for kind, about, answer in path.questions():
        value = path.values[about[0]]
        if kind == "zero":
            name = next((n for n, w in (("u", found - u), ("-u", found + u)) if a.same(value, w)), None)
        elif kind == "differ":
            of_y = path.lines[about[0]][0] == "canonical" and about[2] == int(path.lines[about[0]][1][0])
            name = "y >= p" if of_y and about[1] == about[3] == 0 and a.same(value, y) else None
        elif kind == "nonzero":
            name = "x"
        else:
            continue  # whether a canonical number is odd
        f.need(name is not None and name not in answers, "a question that is not known")
        answers[name] = answer
    roots = [operands for operation, operands in path.lines if operation == "root"]
    if canonical and answers.pop("y >= p"):
        return f.need(not roots and path.verdict == codes["kBadEncoding"], "a y of p or more")
    f.same(path.values[int(roots[0][0])], a.mul(u, a.power(v, 7)), "a root of something else")
    if not answers.get("u") and not answers.get("-u"):
        f.need(len(answers) == 2, "a question that is not asked")
        return f.need(path.verdict == codes["kOffCurve"], "a point where there is none")
    x_line, x_odd = _canonical(path)[-1]
    x = path.values[x_line]
    # By the question, the right side is 0.
    right = found - u if answers.get("u") else -(found + u)
    f.same(a.mul(x, x, v) - u, right, "x is not of the curve")
    if canonical and odd:
        ((about, nonzero),) = [(about, answer) for kind, about, answer in path.questions() if kind == "nonzero"]
        f.need(about == [x_line], "something else is compared with 0")
        if not nonzero:
            return f.need(path.verdict == codes["kBadEncoding"], "an odd 0")
    f.need(answers.keys() <= {"u", "-u", "x"} and ("x" in answers) == (canonical and odd), "another question")
    f.need(path.verdict == codes["kFinite"], "no point where there is one")
    f.same(path["y"], y, "another y")
    # p less an odd number is even, as p is odd.
    f.same(path["x"], x if x_odd == odd else -x, "x of the other parity")
    return None


def _check_small_order(f):
    """A point has an order that divides 8 exactly if y^2 is 0 or 1, or d y^4 + 2 y^2 is 1.

    The double's x is 2 x y, and its y is x^2 + y^2, over denominators that are not 0. With v = d y^2 + 1, which is not
    0, x^2 v = y^2 - 1: so x = 0 means y^2 = 1, and such a point's double is the identity. Where y = 0, the double is
    (0, -1). So twice a point is the identity exactly if x = 0; four times it if x or y is 0; eight times it if that
    is so of the double: if x or y is 0, or x^2 + y^2 = 0, and (x^2 + y^2) v = d y^4 + 2 y^2 - 1.
    """
    a, d = f.algebra, f.curve.d
    x1, y1 = a.variable("x1"), a.variable("y1")
    f.name = "small order"
    xx, yy = a.mul(x1, x1), a.mul(y1, y1)
    law = Law(a, x1, y1)
    f.same(law.nx, a.mul(x1, y1).scaled(2), "the double's x")
    f.same(law.ny, xx + yy, "the double's y")
    # Where y = 0, the equation is x^2 + 1 = 0, and so the double's y -1. Where x = 0 and y^2 = 1, it is 1.
    f.same(a.put(law.ny + law.dy, y1=Polynomial()), (xx + 1).scaled(2), "the double where y = 0")
    f.same(a.put(law.ny - law.dy, x1=Polynomial()), (yy - 1).scaled(2), "the double where x = 0")
    v = yy.scaled(d) + 1
    f.same(a.mul(xx + yy, v), a.mul(yy, yy).scaled(d) + yy.scaled(2) - 1, "x^2 + y^2")
    f.same(a.mul(xx, v), yy - 1, "x = 0")
    f.need(f.curve.cofactor == 8, "another cofactor")
    y = a.variable("number1")
    square = a.mul(y, y)
    expected = [square, square - 1, a.mul(square, square).scaled(d) + square.scaled(2) - 1]
    for path in f.paths("encodes small order"):
        asked = [path.values[line] for _, (line,), _ in path.questions()]
        f.need(len(asked) == 3 and all(map(a.same, asked, expected)), "another question")
        f.need(path.verdict == any(answer for *_, answer in path.questions()), "another answer")


# Functions of these files that have a formula of their own.
_CHECKED = {
    "ed_generator",
    "ed_identity",
    "ed_completed_identity",
    "to_extended",
    "to_projective",
    "to_niels",
    "to_addend",
    "ed_double",
    "ed_add",
    "ed_add_affine",
    "ed_is_identity",
    "ed_decode_var",
    "ed_encodes_small_order_var",
    "ed_encode",
}


def check_edwards_formulas(curve, cuda=CUDA):
    """Raises Wrong where a formula differs from the group law, or a function of the files has none."""
    found = {name for name, files in functions("curve").items() if FILES & files}
    if unknown := found ^ _CHECKED ^ _INNER:
        names = ", ".join(sorted(unknown))
        raise Wrong(f"curve/edwards*.cuh and edwards_formulas.py do not have the same functions: {names}")
    with Program((TRACE / "edwards.cpp").read_text(), curve, ("edwards", "numbers"), cuda) as program:
        f = Formulas(curve, program)
        check_law(f)
        for check in (_check_representations, _check_sums, _check_comparisons, _check_decoding, _check_small_order):
            check(f)
