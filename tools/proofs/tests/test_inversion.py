"""Changed inversions are rejected, and the statements about the pieces give inverses."""

import random
import unittest

from gecc_proofs.inversion import check_inversion
from gecc_proofs.project import Wrong, curves

from .changed import changed_cuda

INVERSE = "field/inverse.cuh"
# A text of inverse.cuh, and its replacement.
CHANGES = (
    ("kStepBlocks = 20;", "kStepBlocks = 19;"),
    ("for (int i = 0; i < 30; i++)", "for (int i = 0; i < 29; i++)"),
    ("theta = (theta ^ (i32)swap) - 1;", "theta = (theta ^ (i32)swap) - (i > 3);"),
    ("(u32)g[0] | (u32)g[1] << 30);", "(u32)g[0] | (u32)g[1] << 29);"),
    ("e[i] = i == 0;", "e[i] = i == 1;"),
    ("i32 theta = -1;", "i32 theta = 0;"),
    ("        apply_to_cofactors<M>(d, e, t, modulus);", "        apply_to_cofactors<M>(e, d, t, modulus);"),
    ("    negate_limbs(d, f[kLimbs - 1] >> 31);", "    negate_limbs(d, g[kLimbs - 1] >> 31);"),
    ("    add_modulus_if_negative(d, modulus);\n    GECC_UNROLL", "    GECC_UNROLL"),
    ("(u32)d[limb + 1] << (30 - shift);", "(u32)d[limb + 1] << (29 - shift);"),
    ("u <<= 1;\n        v <<= 1;", "u <<= 1;\n        v <<= i == 29 ? 0 : 1;"),
)


def inverse(modulus, a):
    """The inverse by what the statements say of each piece."""
    theta, f, g, d, e = -1, modulus, a, 0, 1
    for _ in range(20):
        u, v, q, r, low_f, low_g = 1, 0, 0, 1, f % 2**32, g % 2**32
        for _ in range(30):
            odd = low_g & 1
            if odd and theta < 0:
                theta, low_f, low_g = -theta - 2, low_g, (low_g - low_f) % 2**32 >> 1
                u, v, q, r = 2 * q, 2 * r, q - u, r - v
            else:
                theta, low_g = theta - 1, (low_g + odd * low_f) % 2**32 >> 1
                u, v, q, r = 2 * u, 2 * v, q + odd * u, r + odd * v
        f, g = (u * f + v * g) >> 30, (q * f + r * g) >> 30
        raised_d, raised_e = (x + modulus if x < 0 else x for x in (d, e))
        d, e = (s * raised_d + t * raised_e for s, t in ((u, v), (q, r)))
        d, e = ((x - x * pow(modulus, -1, 2**30) % 2**30 * modulus) >> 30 for x in (d, e))
        assert -2 * modulus < d < modulus and -2 * modulus < e < modulus and g is not None
    assert g == 0
    d = d + modulus if d < 0 else d
    d = -d if f < 0 else d
    return d + modulus if d < 0 else d


class Inversion(unittest.TestCase):
    def test_changed_inversions_are_found(self):
        for old, new in CHANGES:
            with changed_cuda(INVERSE, old, new) as cuda:
                with self.assertRaisesRegex(Wrong, "^(?!.*compile)", msg=new):
                    check_inversion(curves()[0], cuda)

    def test_the_pieces_give_inverses(self):
        source = random.Random()
        for curve in curves():
            for modulus in (curve.p, curve.n):
                for a in (1, 2, modulus - 1, *(source.randrange(1, modulus) for _ in range(20))):
                    self.assertEqual(inverse(modulus, a), pow(a, -1, modulus))
                self.assertEqual(inverse(modulus, 0), 0)


if __name__ == "__main__":
    unittest.main()
