"""Changed loops over windows are found."""

import unittest

from gecc_proofs.project import Wrong, curves
from gecc_proofs.windows import check_base, check_entries, check_multiply_add, check_windows

from .changed import changed_cuda

MULTIPLES, ADD = "curve/multiples.cuh", "curve/multiply_add.cuh"
SUM, BASE = "curve/table_sum.cuh", "kernels/fpmul.cu"
# A check, a file of the device code, the original text, and its replacement.
CHANGES = (
    (check_windows, MULTIPLES, "int j = kWindows - 2; j >= 0; j--", "int j = kWindows - 1; j >= 0; j--"),
    (check_windows, MULTIPLES, "k < kWindowBits; k++", "k < kWindowBits - 1; k++"),
    (check_windows, MULTIPLES, "if (j > 0) sum = add_distinct", "if (j >= 0) sum = add_distinct"),
    (check_windows, MULTIPLES, "if (identity) sum.z = fe_zero();", ""),
    (check_windows, MULTIPLES, "which == 0 ? entry.x : entry.third", "which == 1 ? entry.x : entry.third"),
    (check_windows, MULTIPLES, "r.y = fe_select(negative, fe_neg(r.y), r.y);", "r.y = fe_neg(r.y);"),
    (check_multiply_add, ADD, "last = -base.windows();", "last = 1 - base.windows();"),
    (check_multiply_add, ADD, "j >= 0 && j < kWindows - 1 ?", "j > 0 && j < kWindows - 1 ?"),
    (check_multiply_add, ADD, "if (present) {", "{"),
    (check_multiply_add, ADD, "base.get(addend, -1 - j)", "base.get(addend, -2 - j)"),
    (check_multiply_add, ADD, "base.prefetch(-j)", "base.prefetch(1 - j)"),
    (check_multiply_add, ADD, "negative = mask_if(digit < 0);", "negative = mask_if(Sign{0});"),
    (check_base, BASE, "i > 0; i--) add_distinct", "i > 1; i--) add_distinct"),
    (check_base, BASE, "i = kUniformWindows - 2; i > 0", "i = kUniformWindows - 2; i >= 0"),
    (check_base, BASE, "return add_uniform(to_jacobian(sum), ", "return add_distinct(to_jacobian(sum), "),
    (check_base, BASE, "if (digit != 0) add_var", "add_var"),
    (check_base, BASE, "digit_point_var(table, i * entries, digit)", "digit_point_var(table, entries, digit)"),
    (check_base, BASE, "    if (identity) r.z = fe_zero();", ""),
    (check_entries, SUM, "if (place.digit == 0) continue;", ""),
    (check_entries, SUM, "next = source.find(term + 1)", "next = source.find(term)"),
    (check_entries, SUM, "return identity;", "return false;"),
)


class Windows(unittest.TestCase):
    def test_changed_loops_are_found(self):
        for curve in curves():
            if curve.name not in ("p256", "secp256k1"):
                continue
            for check, name, old, new in CHANGES:
                if "entry.third" in new and not curve.endomorphism:
                    continue  # the same without a second scalar, up to the name of a coordinate
                with changed_cuda(name, old, new) as cuda:
                    with self.assertRaisesRegex(Wrong, "^(?!.*compile)", msg=f"{curve.name} {new}"):
                        check(curve, cuda)


if __name__ == "__main__":
    unittest.main()
