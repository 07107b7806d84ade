"""Sequences of calls that compute something else are found."""

import unittest

from gecc_proofs.compositions import check_compositions
from gecc_proofs.project import Wrong, curves

from .changed import changed_cuda

FIELD, SCALAR, OPEN = "field/field.cuh", "field/scalar.cuh", "field/open.cuh"
# A curve, a file of the device code, the original text, and its replacement.
CHANGES = (
    ("p256", FIELD, "a = fe_mul(a, power[factor - 1]);", "a = fe_mul(a, power[0]);"),
    ("p256", FIELD, "squarings = chain[step] & 0xffff", "squarings = chain[step] & 0xff1f"),
    ("brainpoolp256r1", FIELD, "if (factor != 0) a = fe_mul", "if (factor == 1) a = fe_mul"),
    ("sm2", FIELD, "fe canonical = fe_canonical(a), r;", "fe canonical = a, r;"),  # 256 bits, not below p
    ("p256", FIELD, "const u32 r3[8] = GECC_P_R3;", "const u32 r3[8] = GECC_P_R2;"),
    ("secp256k1", SCALAR, "return sc_mont_mul(sc_to_montgomery(a.v), b);", "return sc_mont_mul(a, b);"),
    ("secp256k1", SCALAR, "sc_to_montgomery(a.v), b);", "b, a);"),  # a is any number, the second factor below n
    ("sm2", SCALAR, "const u32 r3[8] = GECC_N_R3;", "const u32 r3[8] = GECC_N_R;"),
    ("brainpoolp256r1", OPEN, "return open_settle(open_sub(open_mul(a, b), c));", "return open_mul(a, b);"),
    ("brainpoolp256r1", OPEN, "return fe_sub(fe_mul(a, b), fe_sqr(c));", "return fe_sub(fe_mul(a, b), c);"),
    ("brainpoolp256r1", FIELD, "    r = fe_canonical(r);\n    words_copy(words, r.v);", "    words_copy(words, a.v);"),
)


class Compositions(unittest.TestCase):
    def test_changed_sequences_are_found(self):
        by_name = {curve.name: curve for curve in curves()}
        for name, file, old, new in CHANGES:
            with changed_cuda(file, old, new) as cuda:
                with self.assertRaisesRegex(Wrong, "^(?!.*compile)", msg=new):
                    check_compositions(by_name[name], cuda)


if __name__ == "__main__":
    unittest.main()
