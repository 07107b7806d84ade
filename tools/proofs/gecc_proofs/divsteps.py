"""The division steps of cuda/field/inverse.cuh: enough of them, and each as it should be.

Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (2019), in the variant that begins with
delta = 1/2. That 590 steps are enough for 256 bits is the bound of the convex hulls that P. Wuille's safegcd-bounds
introduced; it is computed here anew, exactly, for 0 <= g <= f < 2^256.
"""

import z3

from .nvrtc import compile_to_ptx
from .probes import kernel_name, source
from .project import CUDA, Wrong
from .prove_bits import run_on_bits
from .ptx import instructions, kernels
from .statements import Statement

BITS = 256
CLAIMED = 590  # the number in the comment of inverse.cuh
PERFORMED = 600  # kStepBlocks blocks of 30


FRACTION = 64  # bits that are kept after the binary point
ROUNDED_EVERY = 32  # steps


def _left_turn(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) >= (a[1] - o[1]) * (b[0] - o[0])


def upper_chain(points):
    """The corners of the upper half of the convex hull, by rising f (A. Andrew's monotone chain)."""
    chain = []
    for point in sorted(points):
        while len(chain) > 1 and _left_turn(chain[-2], chain[-1], point):
            chain.pop()
        if chain and chain[-1][0] == point[0]:
            chain.pop()  # straight below
        chain.append(point)
    return chain


def _rounded(chain, bits):
    """A chain around the given one whose corners have `bits` bits less."""
    outer = []
    for f, g in chain:
        above = -(-g >> bits)
        outer += [(f >> bits, above), (-(-f >> bits), above)]
    return upper_chain(outer)


def steps_until_zero(bits=BITS, most=PERFORMED + 100):
    """A number of steps after which g = 0, whatever odd f and g with 0 <= g <= f < 2^bits they begin with.

    For each delta, a convex set that contains every pair (f, g) that can occur. (f, g) and (-f, -g) go together, so the
    upper half of the hull is enough: the lower one is its opposite. Instead of halving g, a step doubles f and the
    unit; now and then both are rounded, outwards. A set in which |g| < 1 has g = 0, and is left out.
    """
    start = 1 << (bits + FRACTION)
    sets = {1: upper_chain([(0, 0), (start, 0), (start, start), (-start, 0), (-start, -start)])}  # the key is 2 delta
    scale = FRACTION
    for step in range(1, most + 1):
        following = {}
        for delta, chain in sets.items():
            following.setdefault(delta + 2, []).append([(2 * f, g) for f, g in chain])
            if delta > 0:
                around = chain + [(-f, -g) for f, g in chain]
                following.setdefault(2 - delta, []).append([(2 * g, g - f) for f, g in around])
            else:
                following[delta + 2].append([(2 * f, g + f) for f, g in chain])
        scale += 1
        rounds = step % ROUNDED_EVERY == 0
        sets = {}
        for delta, parts in following.items():
            chain = parts[0] if len(parts) == 1 and delta > 1 else upper_chain(sum(parts, []))
            # The largest g of a set that is its own opposite.
            if max(max(g for _, g in chain), -chain[0][1], -chain[-1][1]) >= 1 << scale:
                sets[delta] = _rounded(chain, ROUNDED_EVERY) if rounds else chain
        if rounds:
            scale -= ROUNDED_EVERY
        if not sets:
            return step
    raise Wrong("g need not become 0")


def _step(v, _):
    """One division step on words, as the paper has it, with theta = -delta - 1/2 and the matrix doubled."""
    odd = z3.Extract(0, 0, v.g) == 1
    swap = z3.And(odd, v.theta < 0)

    def lower(own, other):
        return z3.If(odd, z3.If(swap, own - other, own + other), own)

    return [
        v.f_out == z3.If(swap, v.g, v.f),
        v.g_out == z3.LShR(lower(v.g, v.f), 1),
        v.u_out == z3.If(swap, v.q, v.u) << 1,
        v.v_out == z3.If(swap, v.r, v.v) << 1,
        v.q_out == lower(v.q, v.u),
        v.r_out == lower(v.r, v.v),
        v.theta_out == z3.If(swap, -v.theta - 1, v.theta) - 1,
    ]


STEP = Statement(
    "divsteps_30",
    "u32 f, u32 g, u32 u, u32 v, u32 q, u32 r, u32 theta -> "
    "u32 f_out, u32 g_out, u32 u_out, u32 v_out, u32 q_out, u32 r_out, u32 theta_out",
    "DivstepMatrix t = {(i32)u, (i32)v, (i32)q, (i32)r}; theta_out = divsteps_30(t, (i32)theta, f, g); "
    "f_out = f; g_out = g; u_out = t.u; v_out = t.v; q_out = t.q; r_out = t.r",
    "one round of the loop is one division step",
    _step,
    bits=True,
)

# The loop is made one of a single round that begins with any matrix and gives f and g back, by these changes.
CHANGES = (
    ("i32 theta, u32 f, u32 g)", "i32 theta, u32& f, u32& g)"),
    ("u32 u = 1, v = 0, q = 0, r = 1;", "u32 u = t.u, v = t.v, q = t.q, r = t.r;"),
    ("for (int i = 0; i < 30; i++)", "for (int i = 0; i < 1; i++)"),
    ("theta = divsteps_30(t, theta, (u32)f[0] | (u32)f[1] << 30, (u32)g[0] | (u32)g[1] << 30);", ""),
)


def prove_step(curve, architecture):
    text = (CUDA / "field/inverse.cuh").read_text()
    for old, new in CHANGES:
        if text.count(old) != 1:
            raise Wrong(f"inverse.cuh has no line `{old}`, of which one step is cut out here")
        text = text.replace(old, new)
    ptx = compile_to_ptx(source([STEP], curve), curve, architecture, {"field/inverse.cuh": text})
    found = run_on_bits(STEP, curve, instructions(kernels(ptx)[kernel_name(STEP)]))
    # In cases of the two bits that decide, which are then constants.
    for odd in (0, 1):
        for negative in (0, 1):
            case = [
                (found.g, z3.Concat(z3.BitVec("rest of g", 31), z3.BitVecVal(odd, 1))),
                (found.theta, z3.Concat(z3.BitVecVal(negative, 1), z3.BitVec("rest of theta", 31))),
            ]
            for claim in STEP.claims(found, curve):
                solver = z3.Solver()
                solver.add(z3.Not(z3.simplify(z3.substitute(claim, *case))))
                if solver.check() != z3.unsat:
                    raise Wrong("one round of divsteps_30 is not a division step")


def check_rows():
    """If |u| + |v| and |q| + |r| are at most B, a step makes rows of at most 2 B: after thirty steps at most 2^30,
    which fits a word. And what stays between -M and M as the matrix is applied does so again (see docs/proofs.md)."""
    u, v, q, r, bound = z3.Reals("u v q r bound")

    def size(a, b):
        return z3.If(a < 0, -a, a) + z3.If(b < 0, -b, b)

    before = [size(u, v) <= bound, size(q, r) <= bound]
    for row in ((2 * q, 2 * r), (2 * u, 2 * v), (q, r), (q + u, r + v), (q - u, r - v)):
        solver = z3.Solver()
        solver.add(*before, size(*row) > 2 * bound)
        if solver.check() != z3.unsat:
            raise Wrong("a row of the matrix can grow beyond 2^30")


def check_cofactors():
    """2^30 d' = u D + v E - k M with |u| + |v| <= 2^30, 0 <= k < 2^30 and D, E between -M and M: so -2 M < d' < M.

    u D + v E is between its values at the extreme matrices, of which every other is a mean: at these it is 2^30 times
    something between -M and M. And k M is less than 2^30 M.
    """
    d, e, m, mean, share = z3.Reals("d e m mean share")
    scale = 1 << 30
    for u, v in ((scale, 0), (-scale, 0), (0, scale), (0, -scale)):
        solver = z3.Solver()
        solver.add(d > -m, d < m, e > -m, e < m)
        solver.add(scale * mean == u * d + v * e, z3.Or(mean <= -m, mean >= m))
        if solver.check() != z3.unsat:
            raise Wrong("a cofactor can leave its range")
    solver = z3.Solver()
    solver.add(mean > -m, mean < m, share >= 0, share < m, z3.Or(mean - share <= -2 * m, mean - share >= m))
    if solver.check() != z3.unsat:
        raise Wrong("a cofactor can leave its range")


def check_start():
    """The constants of the code are those of the proof."""
    text = (CUDA / "field/inverse.cuh").read_text()
    for line in ("kStepBlocks = 20;", "i32 theta = -1;", "kLimbs = 9;"):
        if line not in text:
            raise Wrong(f"inverse.cuh has no `{line}`")
