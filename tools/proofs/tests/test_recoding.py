"""Changed recodings are found."""

import unittest

from gecc_proofs.halves import check_halves
from gecc_proofs.project import CUDA, Wrong, curves
from gecc_proofs.recode_statements import check_next_digits

from .changed import changed_cuda

RECODE = "curve/recode.cuh"
# A text in a line of recode.cuh, and its replacement.
HALVES = (
    ("product_160(t, c2, a2);", "product_160(t, c2, a1);"),
    ("sub_160(k1, k1, t);", "sub_160(k1, t, k1);"),
    ("u32 use2 = first ^ second;", "u32 use2 = second;"),
    ("add_masked_160(k2, b1, first);", "add_masked_160(k2, b1, second);"),
    ("s[1].negative = to_magnitude_160(s[1]", "s[0].negative = to_magnitude_160(s[1]"),
    ("    prepare_windows(s[1]);", ""),
    ("multiply_round_384(c2, k, g2);", "multiply_round_384(c2, k, g1);"),
    ("words_copy(s.rest, s.negate ? opposite.v : k.v);", "words_copy(s.rest, k.v);"),
    ("s.negate = words_less(opposite.v, k.v);", "s.negate = words_less(k.v, opposite.v);"),
    ("to_magnitude_160(s[half].rest, halves[half]);", "to_magnitude_160(s[half].rest, halves[0]);"),
)
DIGITS = (
    ("s.carry = window > 1u << (s.bits - 1);", "s.carry = window >= 1u << (s.bits - 1);"),
    ("& ((1u << s.bits) - 1)) + s.carry;", "& ((1u << s.bits) - 1)) | s.carry;"),
    ("return s.negate ? -digit : digit;", "return digit;"),
    ("shift_right<N>(s.rest, s.bits);", "shift_right<N>(s.rest, s.bits - 1);"),
)


class Recoding(unittest.TestCase):
    def test_changed_halves_are_found(self):
        curve = next(curve for curve in curves() if curve.endomorphism)
        for old, new in HALVES:
            with changed_cuda(RECODE, old, new) as cuda:
                with self.assertRaisesRegex(Wrong, "^(?!.*compile)", msg=new):
                    check_halves(curve, cuda)

    def test_changed_digits_are_found(self):
        text = (CUDA / RECODE).read_text()
        for old, new in DIGITS:
            self.assertIn(old, text)
            with self.assertRaisesRegex(Wrong, "^(?!.*compile)", msg=new):
                check_next_digits(curves()[0], "compute_90", {RECODE: text.replace(old, new)})


if __name__ == "__main__":
    unittest.main()
