"""The check of the point formulas rejects changed formulas."""

import unittest

from gecc_proofs.formulas import check_formulas
from gecc_proofs.project import Wrong, curves

from .changed import changed_cuda

# A file of the device code, the original text, and its replacement.
CHANGES = (
    ("curve/jacobian.cuh", "r.z = fe_mul(p.z, d.h);", "r.z = fe_mul(p.z, d.slope);"),
    ("curve/jacobian.cuh", "fe_sqr_sub_sub_twice(d.slope, hhh, v)", "fe_sqr_sub_sub_twice(d.slope, v, hhh)"),
    ("curve/jacobian.cuh", "r.x = fe_sqr_sub_twice(l, t);", "r.x = fe_sqr_sub_twice(l, s);"),
    (
        "curve/jacobian.cuh",
        "if (fe_is_zero(d.slope)) p = jacobian_double(p);",
        "if (fe_is_zero(d.slope)) p = mixed_sum(p, d);",
    ),
    ("curve/jacobian.cuh", "mask_if(fe_is_zero(d.h) & fe_is_zero(d.slope))", "mask_if(fe_is_zero(d.h))"),
    ("curve/affine_add.cuh", "denominator = twice;", "denominator = ay;"),
    ("curve/affine_add.cuh", "if (!b_finite) return kSumIsFirst;", "if (!b_finite) return kSumIsSecond;"),
    ("curve/multiples.cuh", "step.y = fe_mul(step.y, fe_sub(step.x, v));", "step.y = fe_mul(step.y, hh);"),
    ("curve/multiples.cuh", "z_inverse = fe_mul(z_inverse, entry.third);", "z_inverse = fe_mul(z_inverse, entry.x);"),
    ("curve/table_sum.cuh", "p.zzz = fe_mul(p.zzz, hhh);", "p.zzz = fe_mul(p.zzz, hh);"),
    ("curve/table_sum.cuh", "fe hhh = fe_mul(hh, h);", "fe hhh = fe_mul(hh, hh);"),
    ("curve/xyzz.cuh", "p.zz = fe_mul(fe_mul(p.zz, q.zz), hh);", "p.zz = fe_mul(p.zz, hh);"),
    ("curve/xyzz.cuh", "if (fe_is_zero(q.zz)) return p;", "if (fe_is_zero(q.zz)) return q;"),
    ("curve/xyzz.cuh", "? xyzz_double(p) : xyzz_identity()", "? xyzz_identity() : xyzz_double(p)"),
    ("curve/xyzz.cuh", "r.zzz = fe_mul(p.zzz, cube);", "r.zzz = fe_mul(p.zzz, square);"),
    ("curve/xyzz.cuh", "fe_mul(square, power.z)}", "fe_mul(square, square)}"),
    ("curve/point.cuh", "!= y_is_odd", "== y_is_odd"),
    ("scheme/compare.cuh", "x_matches(point.x, fe_sqr(point.z), x)", "x_matches(point.x, point.z, x)"),
)


class Formulas(unittest.TestCase):
    def test_changed_formulas_are_found(self):
        curve = curves()[0]
        for name, old, new in CHANGES:
            with changed_cuda(name, old, new) as cuda:
                with self.assertRaisesRegex(Wrong, "^(?!.*compile)", msg=new):
                    check_formulas(curve, cuda)


if __name__ == "__main__":
    unittest.main()
