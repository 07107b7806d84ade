"""The CPU's fields: changed sources are not proved, and functions need a statement."""

import shutil
import tempfile
import unittest
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from gecc_proofs import catalogue, cpu_sources
from gecc_proofs.chains import check_chain, check_edwards_chain, exponent
from gecc_proofs.project import Wrong, curves, edwards_prime, weierstrass
from gecc_proofs.prove import Unproved, prove
from gecc_proofs.rust_probes import EDWARDS, FIELD, LANES, compile_to_llvm

# A statement, a variant, a file, the original text, and its replacement.
CHANGES = (
    ("limbs::mul_wide", "portable", "limbs.rs", "a[2].carrying_add(b[2], carry)", "a[2].overflowing_add(b[2])"),
    ("secp256k1::reduce", "portable", "secp256k1.rs", "if carry ||", "if"),
    ("modular::add_mod(p)", "x86_64", "modular_x86_64.rs", '"adc {r2}, {t2}"', '"add {r2}, {t2}"'),
    ("modular::half_mod(p)", "x86_64", "modular_x86_64.rs", '"rcr {h2}, 1",', ""),
    ("modular::sub_mod(p)", "portable", "modular_portable.rs", "select(borrow, &wrapped", "select(!borrow, &wrapped"),
    ("vector/element::mul", LANES, "vector/secp256k1.rs", "h2.add(h1.shr::<BITS>())", "h2"),
    ("vector/element::fold", LANES, "vector/element.rs", ".sub(t4.all(1))", ""),
    ("edwards::fold", "portable", f"{EDWARDS}.rs", "s0 + 2 * C * u64::from(carry)", "s0"),
    ("edwards::add", "x86_64", f"{EDWARDS}.rs", "fold(&sum, 2 * C * u64::from(carry))", "fold(&sum, 0)"),
    ("edwards::sub", "portable", f"{EDWARDS}.rs", "d0 - 2 * C * u64::from(borrow)", "d0"),
    ("edwards::mul", "portable", f"{EDWARDS}.rs", "2 * C * top", "C * top"),
    ("edwards::canonical", "portable", f"{EDWARDS}.rs", "limbs::add(&once, &[C, 0", "limbs::add(&once, &[C - 1, 0"),
)


@contextmanager
def changed(file, old, new):
    """A folder like src/cpu/field/ in which `old`, which must stand in the file, is `new`."""
    with tempfile.TemporaryDirectory() as folder:
        field = Path(folder) / "field"
        shutil.copytree(FIELD, field)
        (field / EDWARDS).parent.mkdir()
        shutil.copy(FIELD / f"{EDWARDS}.rs", field / f"{EDWARDS}.rs")
        text = (field / file).read_text()
        if old not in text:
            raise AssertionError(f"{file} has no `{old}`")
        (field / file).write_text(text.replace(old, new))
        yield field


class Changes(unittest.TestCase):
    def test_changed_source_is_not_proved(self):
        curve = next(curve for curve in curves() if curve.name == "secp256k1")
        for name, variant, file, old, new in CHANGES:
            (statement,) = (s for s in catalogue.CPU if s.name == name)
            with self.subTest(name), changed(file, old, new) as field:
                right = compile_to_llvm([statement], [curve], variant)[name, curve.name]
                wrong = compile_to_llvm([statement], [curve], variant, field)[name, curve.name]
                prove(statement, curve, right)
                with self.assertRaises(Unproved):
                    prove(statement, curve, wrong)


class Chains(unittest.TestCase):
    def test_exponents(self):
        self.assertEqual(exponent([(1, 0), (3, None), (0, 1), (2, 0)]), ((3 << 3) + 3 << 2) + 1)
        for curve in filter(weierstrass, curves()):
            check_chain(curve)
            with self.assertRaises(Wrong):
                check_chain(replace(curve, p=curve.p + 4))
        check_edwards_chain(curves())
        with self.assertRaises(Wrong):
            check_edwards_chain(curves(), edwards_prime() + 8)


class Sources(unittest.TestCase):
    def test_every_statement_is_needed(self):
        cpu_sources.check(catalogue.CPU)
        needed = ("limbs::add", "modular::select", "sm2::reduce_limb", "secp256k1::reduce", "edwards::mul")
        for name in (*needed, "vector/element::fold"):
            with self.assertRaises(Wrong):
                cpu_sources.check([s for s in catalogue.CPU if s.name != name])

    def test_a_new_function_is_seen(self):
        function = "\npub(super) const fn another(a: u64, b: [u64; 7]) -> [u64; 7] {\n    b\n}\n"
        for file in ("limbs.rs", "vector/sm2.rs"):
            last = (FIELD / file).read_text()[-3:]
            with changed(file, last, last + function) as field, self.assertRaises(Wrong):
                cpu_sources.check(catalogue.CPU, field)


if __name__ == "__main__":
    unittest.main()
