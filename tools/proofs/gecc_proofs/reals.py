"""Linear arithmetic over the equations of a System: whether real numbers can satisfy them, by z3.

Monomials are variables of their own, tied to their factors only where one of these is Boolean. Leaving out equations
and relations is sound: what no real numbers satisfy, no integers do.
"""

from collections import deque

import z3

from .polynomial import Polynomial, is_boolean

# In z3's units of work, some hundred thousand per second: for the summed-up equations, and for all
# equations. A query that is not decided with one limit is tried with the next, because an undecided
# query uses up its limit.
EFFORTS = ((30_000, 150_000), (100_000, 500_000), (1_000_000, 5_000_000))


class Terms:
    """Monomials and equations of a System as z3 has them, each made once for all queries."""

    def __init__(self, system):
        self.system = system
        self._monomials = {}
        self._equations = {}

    def monomial(self, monomial):
        """(its variable, what holds of it, the monomials that it is tied to by that)."""
        if monomial not in self._monomials:
            real = z3.Real("_".join(self.system.names[v] for v in monomial))
            least, most = self.system.monomial_bounds(monomial)
            bounds = [real >= least, real <= most]
            booleans = [v for v in monomial if is_boolean(v)]
            ties, tied_to = self._ties(real, monomial, booleans[0]) if len(monomial) > 1 and booleans else ([], ())
            self._monomials[monomial] = real, bounds + ties, tied_to
        return self._monomials[monomial]

    def _ties(self, real, monomial, boolean):
        """real = boolean * rest, exactly where the Boolean is 0 or 1 (McCormick); and these two."""
        others = tuple(v for v in monomial if v != boolean)
        bit, rest = self.monomial((boolean,))[0], self.monomial(others)[0]
        least, most = self.system.monomial_bounds(others)
        ties = [real <= most * bit, real >= least * bit]
        ties += [real <= rest - least * (1 - bit), real >= rest - most * (1 - bit)]
        return ties, ((boolean,), others)

    def linear(self, polynomial):
        terms = [z3.RealVal(c) * (self.monomial(m)[0] if m else 1) for m, c in polynomial.terms.items()]
        return z3.Sum(terms) if terms else z3.RealVal(0)

    def equation(self, row):
        if row not in self._equations:
            self._equations[row] = self.linear(row.polynomial) == 0
        return self._equations[row]


class Query:
    """The equations from which some variables follow, for questions about these."""

    def __init__(self, terms, variables, most_work, most_rows=None, ends=(), fine=False):
        self.terms, self.system = terms, terms.system
        system = terms.system
        self.most_rows = most_rows  # those nearest to the variables are enough for some questions
        self.ends = set(ends).difference(variables)  # what these follow from is left out
        self.solver = z3.SolverFor("QF_LRA")
        self.solver.set("rlimit", most_work[fine])
        self.reals = {}
        rows = self._cone(variables, system.rows + system.fine_rows if fine else system.rows)
        for row in rows:
            self._know(row.polynomial)
            self._require(terms.equation(row))
        for guard, polynomial in system.conditions:
            if any(v in self.seen for m in list(guard.terms) + list(polynomial.terms) for v in m):
                bound = self.linear(polynomial) <= 0
                self._require(z3.Implies(self.linear(guard) >= 1, bound) if not guard.is_constant() else bound)

    def _require(self, claim):
        """Adds a claim without Solver.add, whose checks of its arguments take as long as z3 itself."""
        z3.Z3_solver_assert(self.solver.ctx.ref(), self.solver.solver, claim.as_ast())

    def _cone(self, variables, rows):
        """The equations that the variables follow from, and those that these need, and so on."""
        by_variable = {}
        for row in rows:
            for variable in row.defines:
                by_variable.setdefault(variable, []).append(row)
        guarded = {}
        for guard, polynomial in self.system.conditions:
            for variable in guard.variables():
                guarded.setdefault(variable, []).extend(polynomial.variables())
        self.seen, chosen, todo = set(), {}, deque(variables)
        while todo and (self.most_rows is None or len(chosen) < self.most_rows):
            variable = todo.popleft()
            if variable in self.seen:
                continue
            self.seen.add(variable)
            if variable in self.ends:
                continue
            todo += guarded.get(variable, ())
            for row in by_variable.get(variable, ()):
                if id(row) not in chosen:
                    chosen[id(row)] = row
                    todo += row.polynomial.variables()
        return [row for row in rows if id(row) in chosen]

    def linear(self, polynomial):
        self._know(polynomial)
        return self.terms.linear(polynomial)

    def _know(self, polynomial):
        for monomial in filter(None, polynomial.terms):
            self.real(monomial)

    def real(self, monomial):
        if monomial not in self.reals:
            real, holds, tied_to = self.terms.monomial(monomial)
            self.reals[monomial] = real
            for other in tied_to:
                self.real(other)
            for claim in holds:
                self._require(claim)
        return self.reals[monomial]

    def prepare(self, fixed, at_most_zero):
        for variable in fixed:
            self.real((variable,))
        for polynomial in at_most_zero:
            self.linear(polynomial)

    def impossible(self, fixed, at_most_zero, integral, last=False):
        """No real numbers do, with these Booleans fixed; with `integral`, none whose other Booleans are 0 or 1.

        `last` promises that no further query follows, which lets z3 simplify the equations first.
        """
        self.prepare(fixed, at_most_zero)  # bounds of new reals must outlive the pop below
        if not last:
            self.solver.push()
        for variable, value in fixed.items():
            self.solver.add(self.real((variable,)) == value)
        for polynomial in at_most_zero:
            self.solver.add(self.linear(polynomial) <= 0)
        answer = self.solver.check()
        if answer == z3.sat and integral:
            for (variable, *others), real in list(self.reals.items()):
                if not others and is_boolean(variable) and variable not in fixed:
                    self.solver.add(z3.Or(real == 0, real == 1))
            answer = self.solver.check()
        if not last:
            self.solver.pop()
        return answer == z3.unsat


class Refuter:
    """Shows that values of Boolean variables do not occur."""

    def __init__(self, system, most_work):
        self.system = system
        self.terms = Terms(system)
        self.most_work = most_work
        self.queries = {}
        self.ends = set()

    def work_at_most(self, most_work):
        """Questions that are asked from here on get so much."""
        if most_work != self.most_work:
            self.most_work = most_work
            self.queries.clear()

    def _query(self, variables):
        key = (frozenset(variables), len(self.system.rows))
        if key not in self.queries:
            if len(self.queries) > 8:
                self.queries.clear()
            self.queries[key] = Query(self.terms, variables, self.most_work)
        return self.queries[key]

    def refute_nearby(self, at_most_zero, rows, integral=False):
        """These polynomials are not all at most 0, by the `rows` equations that are nearest to them."""
        variables = [v for p in at_most_zero for v in p.variables()]
        query = Query(self.terms, variables, self.most_work, rows, self.ends)
        return query.impossible({}, at_most_zero, integral, last=True)

    def assume(self, polynomial):
        """Assumes that the polynomial is at most 0, which has been shown.

        `refute_nearby` does not look beyond its variables afterwards.
        """
        self.ends.update(polynomial.variables())
        self.system.conditions.append((Polynomial.constant(1), polynomial))
        self.queries.clear()

    def refute(self, fixed, at_most_zero=(), about=(), quick=False):
        """The Booleans in `fixed` do not have these values where all polynomials in `at_most_zero` are at most 0."""
        variables = set(fixed) | set(about) | {v for p in at_most_zero for v in p.variables()}
        if self._query(variables).impossible(fixed, at_most_zero, not quick):
            return True
        if quick:
            return False
        query = Query(self.terms, variables, self.most_work, fine=True)
        return query.impossible(fixed, at_most_zero, True, last=True)

    def refute_all(self, variables, wrong, fixed=None, at_most_zero=()):
        """Returns an assignment for which `wrong` is true and which was not excluded, or None.

        `wrong` is asked about partial assignments too: False means that no completion is wrong. Goes depth first, and
        leaves a branch as soon as the values so far are impossible.
        """
        variables, fixed = list(variables), dict(fixed or {})
        about = set(variables) | set(fixed)

        def visit(position, values):
            if not wrong(values):
                return None
            everything = {**fixed, **values}
            if position == len(variables):
                return None if self.refute(everything, at_most_zero, about) else values
            if position and self.refute(everything, at_most_zero, about, quick=True):
                return None
            for bit in (0, 1):
                found = visit(position + 1, {**values, variables[position]: bit})
                if found is not None:
                    return found
            return None

        return visit(0, {})
