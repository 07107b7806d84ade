"""Changed formulas, loops and digits of Ed25519 are found."""

import unittest
from dataclasses import replace

from gecc_proofs.compositions import check_compositions
from gecc_proofs.edwards_formulas import Formulas, check_edwards_formulas, check_law
from gecc_proofs.edwards_loops import check_loops
from gecc_proofs.edwards_statements import check_table_digits, check_window_digits
from gecc_proofs.project import CUDA, Wrong, curves, edwards

from .changed import changed_cuda

POINTS, MULTIPLY, TABLES = "curve/edwards.cuh", "curve/edwards_multiply.cuh", "curve/edwards_tables.cuh"
ROWS, SCHEME, FIELD = "kernels/niels_rows.cuh", "scheme/ed25519.cuh", "field/field.cuh"
# By check and file of the device code: the original text and its replacement.
CHANGES = {
    (check_edwards_formulas, POINTS): (
        ("{fe_mul(a.x, a.t), fe_mul(a.y, a.z), fe_mul(a.z, a.t)};", "{a.x, a.y, a.z};"),
        ("fe_mul(a.z, a.t), fe_mul(a.x, a.y)};", "fe_mul(a.z, a.t), fe_mul(a.x, a.t)};"),
        ("fe_one(), fe_mul(a.x, a.y)};", "fe_one(), fe_one()};"),
        ("{fe_zero(), fe_one(), fe_one(), fe_zero()};", "{fe_one(), fe_zero(), fe_one(), fe_zero()};"),
        ("fe_mul(a.t, ed_d2())}, fe_double(a.z)};", "fe_mul(a.t, ed_d2())}, a.z};"),
        ("const u32 d2[8] = GECC_FIELD_D2;", "const u32 d2[8] = GECC_FIELD_D;"),
        ("fe_select(mask, fe_neg(a.product), a.product)};", "a.product};"),
        ("fe_sub(fe_double(zz), difference)};", "fe_sub(zz, difference)};"),
        ("fe_sub(fe_sqr(fe_add(a.x, a.y)), sum)", "fe_sqr(fe_add(a.x, a.y))"),
        ("fe_add(zz2, product), fe_sub(zz2, product)};", "fe_sub(zz2, product), fe_add(zz2, product)};"),
        ("ed_negated(b, negative), fe_double(a.z));", "ed_negated(b, negative), a.z);"),
        ("fe_is_zero(a.x) & fe_equal(a.y, a.z);", "fe_is_zero(a.x);"),
        ("u = fe_sub(yy, fe_one())", "u = fe_add(yy, fe_one())"),
        ("fe_sqrt_candidate(fe_mul(factor, fe_mul(cube, v)))", "fe_sqrt_candidate(fe_mul(factor, cube))"),
        ("if (!fe_equal(found, fe_neg(u))) return kOffCurve;", ""),
        ("x = fe_mul(x, fe_constant(root_of_minus_one));", ""),
        ("if (canonical && is_odd && words_or", "if (canonical && words_or"),
        ("if (canonical && words_difference", "if (words_difference"),
        ("(plain.v[0] & 1) == is_odd", "(plain.v[0] & 1) != is_odd"),
        ("r.v[7] &= 0x7fffffff;", ""),
        ("| fe_equal(of_order_8, one);", ";"),
        ("fe_mul(fe_add(fe_mul(yy, fe_constant(d)), fe_double(one)), yy);", "fe_mul(yy, fe_constant(d));"),
        ("encoding[7] |= x.v[0] << 31;", "encoding[7] |= y.v[0] << 31;"),
        ("y = fe_canonical(fe_mul(a.y, z_inverse));", "y = fe_mul(a.y, z_inverse);"),
    ),
    (check_edwards_formulas, TABLES): (
        ("fe_double(x2), fe_double(y2)", "fe_double(x2), y2"),
        ("fe_double(fe_double(fe_one())), fe_mul(x2, y2)};", "fe_double(fe_one()), fe_mul(x2, y2)};"),
        ("of_t = fe_mul(inverse, a.z);", "of_t = inverse;"),
    ),
    (check_edwards_formulas, SCHEME): (
        ("if (words_difference(encoding, r) == 0)", "if (words_difference(encoding, r) != 0)"),
        ("fe_sqr(sum.z), fe_mul(sum.x, sum.y)};", "sum.z, fe_mul(sum.x, sum.y)};"),
        ("ed_add_affine(extended, to_niels(minus_r), 0);", "ed_add_affine(extended, to_niels(minus_r), ~0u);"),
    ),
    (check_loops, POINTS): (
        ("i < GECC_COFACTOR_DOUBLINGS", "i <= GECC_COFACTOR_DOUBLINGS"),
    ),
    (check_loops, MULTIPLY): (
        ("window = windows - 1; window >= 0", "window = windows - 1; window > 0"),
        ("window + 1 < windows ? 0", "window + 2 < windows ? 0"),
        ("point == 0 ? first : second;", "point == 1 ? first : second;"),
        ("if (digit != 0) {", "if (first != 0) {"),
        ("negative = (u32)(digit >> 31);", "negative = (u32)(first >> 31);"),
        ("first = ed_digit<kEdWindow>(of_k, window),", "first = ed_digit<kEdWindow>(of_l, window),"),
        ("store.get(point, ed_place(digit))", "store.get(0, ed_place(digit))"),
        ("return (bits + 1 + kEdWindow) / kEdWindow;", "return (bits + kEdWindow) / kEdWindow;"),
        ("multiple = to_extended(ed_add(multiple, step, 0));", "multiple = to_extended(ed_add(multiple, step, ~0u));"),
        ("for (int m = 1; m < kEdMultiples; m++)", "for (int m = 2; m < kEdMultiples; m++)"),
        ("table.get(window, absolute - 1);", "table.get(window, absolute);"),
        ("entry.difference.v[0] |= is_zero;", ""),
        ("u32 is_zero = (absolute - 1) >> 31;", "u32 is_zero = absolute >> 5;"),
        ("window < kEdUniformWindows; window++", "window + 1 < kEdUniformWindows; window++"),
    ),
    (check_loops, ROWS): (
        ("bit >= -doublings", "bit > -doublings"),
        ("for (int bit = 15;", "for (int bit = 14;"),
        ("fe_mul(multiple.y, inverse)", "multiple.y"),
    ),
    (check_compositions, SCHEME): (
        ("words_copy(of_high.v, r2);", "words_copy(of_high.v, r);"),
        ("sc_mont_mul(low, of_low)", "low"),  # any number, not below n
        ("return sc_add(nonce, sc_mul(k, scalar));", "return sc_add(k, sc_mul(nonce, scalar));"),
    ),
    (check_compositions, FIELD): (
        ("if (factor != 0) a = fe_mul", "if (factor != 1) a = fe_mul"),
    ),
}


DIGITS = (
    ("if (w == word) value = sum[w];", "if (w >= word) value = sum[w];"),
    (">> (bit & 31) & ((1u << kWidth) - 1);", ">> (bit & 31) & ((1u << kWidth) - 2);"),
    ("is_last = bit + kWidth >= kEdWindow * kEdWindows;", "is_last = bit + kWidth > kEdWindow * kEdWindows;"),
    ("(is_last ? 0 : 1 << (kWidth - 1));", "(1 << (kWidth - 1));"),
)
TABLE_DIGITS = (
    ("digit < 0 ? digit + (1 << bits) : digit;", "digit < 0 ? digit + (1 << (bits - 1)) : digit;"),
    ("i + 1 == ed_window_count(bits) && digit", "i == ed_window_count(bits) && digit"),
    ("(kEdScalarBits + bits - 1) / bits;", "kEdScalarBits / bits + 1;"),
)


class Edwards(unittest.TestCase):
    def test_changes_are_found(self):
        curve = next(filter(edwards, curves()))
        for (check, name), changes in CHANGES.items():
            for old, new in changes:
                with changed_cuda(name, old, new) as cuda:
                    with self.assertRaisesRegex(Wrong, "^(?!.*compile)", msg=f"{old} {new}"):
                        check(curve, cuda)

    def test_denominators_need_a_d_that_is_no_square(self):
        curve = next(filter(edwards, curves()))
        check_law(Formulas(curve, None))
        for d in (4, curve.d**2 % curve.p, curve.p - 1):
            with self.assertRaisesRegex(Wrong, "d is one"):
                check_law(Formulas(replace(curve, d=d), None))

    def test_changed_digits_are_found(self):
        curve = next(filter(edwards, curves()))
        text = (CUDA / MULTIPLY).read_text()
        for old, new in DIGITS:
            self.assertIn(old, text)
            with self.assertRaises(Wrong, msg=new):
                check_window_digits(curve, "compute_90", {MULTIPLY: text.replace(old, new)})

    def test_changed_digits_of_tables_are_found(self):
        curve = next(filter(edwards, curves()))
        text = (CUDA / TABLES).read_text()
        for old, new in TABLE_DIGITS:
            self.assertIn(old, text)
            with self.assertRaises(Wrong, msg=new):
                check_table_digits(curve, "compute_90", {TABLES: text.replace(old, new)})


if __name__ == "__main__":
    unittest.main()
