"""The recodings of scalars in integers: that digits add up to the scalar, and how large its halves become."""

from fractions import Fraction

from .project import CUDA, Wrong


def check_odd_digits():
    """sum of (2 b_i + 1 - 2^W) 2^(W i) = K, where the b_i are the windows of (K - 1) / 2 + 2^(W T - 1).

    With B = sum of b_i 2^(W i), the sum is 2 B - (2^(W T) - 1): an identity for every W and T, which is checked for
    those in use, and that B, for K below the limit of the use, has no more than W T bits.
    """
    text = (CUDA / "curve/recode.cuh").read_text() + (CUDA / "kernels/uniform_table.cuh").read_text()
    for line in ("kWindowBits = 5;", "kFullWindows = 52;", "kWindows = 26;", "kUniformBits = 9,"):
        if line not in text:
            raise Wrong(f"the sources have no `{line}`")
    for width, windows, limit in ((5, 52, 1 << 256), (5, 26, 1 << 130), (9, 29, 1 << 256)):
        bits = width * windows
        offset = sum(((1 << width) - 1) << (width * i) for i in range(windows))
        # 2 ((K - 1) / 2 + 2^(bits - 1)) - offset = K
        if 2 * (1 << (bits - 1)) - 1 - offset != 0:
            raise Wrong("odd digits do not add up")
        if (limit - 1) // 2 + (1 << (bits - 1)) >= 1 << bits:
            raise Wrong("a scalar needs more windows")


def _signed(value, bits=160):
    return value - (1 << bits) if value >> (bits - 1) else value


def check_split(curve):
    """k = k1 + k2 lambda modulo n, and |k1|, |k2| < 2^129 before and < 2^130 after both are made odd.

    c_i = round(k g_i / 2^384) is off the rational solution of k = b1 v1 + b2 v2 by at most e_i, so (k1, k2) is at most
    e_1 v1 + e_2 v2 in size, with the lattice's basis v1, v2.
    """
    n, lam = curve.n, curve.endomorphism[1]
    a1, b1, a2, b2 = (_signed(curve.constant(f"GLV_{name}")) for name in ("A1", "B1", "A2", "B2"))
    g1, g2 = (curve.constant(f"GLV_{name}") for name in ("G1", "G2"))
    if (a1 + b1 * lam) % n or (a2 + b2 * lam) % n:
        raise Wrong("a vector of the basis is not in the lattice")
    determinant = a1 * b2 - a2 * b1
    if abs(determinant) != n:
        raise Wrong("the vectors are not a basis")
    errors = []
    for g, exact in ((g1, Fraction(b2, determinant)), (g2, Fraction(-b1, determinant))):
        errors.append(Fraction(1, 2) + (n - 1) * abs(Fraction(g, 1 << 384) - exact))
    sizes = [errors[0] * abs(x) + errors[1] * abs(y) for x, y in ((a1, a2), (b1, b2))]
    if max(sizes) >= 1 << 129:
        raise Wrong("a half can have more than 129 bits")
    if not (a1 % 2 and b1 % 2 and b2 % 2 and a2 % 2 == 0):
        raise Wrong("the parities of the basis are not odd, odd / even, odd")
    # Of (k1, k2) modulo 2, the vectors to add: first and second of split_scalar.
    for k1 in (0, 1):
        for k2 in (0, 1):
            first, use2 = int(k1 == 0), int((k1 == 0) != (k2 == 0))
            if (k1 + first * a1 + use2 * a2) % 2 == 0 or (k2 + first * b1 + use2 * b2) % 2 == 0:
                raise Wrong("a half stays even")
            added = (first * a1 + use2 * a2, first * b1 + use2 * b2)
            if any(size + abs(a) >= 1 << 130 for size, a in zip(sizes, added)):
                raise Wrong("a half can have more than 130 bits once it is odd")
    # k1 and k2 are computed modulo 2^160, in two's complement.
    if max(sizes) >= 1 << 158:
        raise Wrong("160 bits do not hold a half")


def shortest_relation(curve):
    """The square of the length of the shortest (a, b) other than (0, 0) with a + b lambda = 0 modulo n. Without the
    endomorphism, of the shortest a."""
    if not curve.endomorphism:
        return curve.n**2
    a1, b1, a2, b2 = (_signed(curve.constant(f"GLV_{name}")) for name in ("A1", "B1", "A2", "B2"))
    return _shortest_vector((a1, b1), (a2, b2))


def _shortest_vector(v, w):
    """The square of the length of the shortest vector (Lagrange and Gauss)."""

    def size(x):
        return x[0] * x[0] + x[1] * x[1]

    while True:
        if size(v) > size(w):
            v, w = w, v
        factor = round(Fraction(v[0] * w[0] + v[1] * w[1], size(v)))
        if factor == 0:
            return size(v)
        w = (w[0] - factor * v[0], w[1] - factor * v[1])
