"""No function of the device code is without a statement unnoticed."""

import unittest

from gecc_proofs import catalogue, sources
from gecc_proofs.project import Wrong, curves, edwards


class Sources(unittest.TestCase):
    def test_functions_of_every_kind_are_found(self):
        found = sources.functions("primitives") | sources.functions("field")
        # A specialisation, a function, a template over moduli, a member, a function that is not inlined.
        for name in ("add<8>", "fe_mul", "add_modulo", "inv30", "fe_sqrt_candidate"):
            self.assertIn(name, found)

    def test_every_statement_is_needed(self):
        every_curve = curves()
        sources.check(catalogue.DEVICE, every_curve)
        for name in ("add<8>", "fe_mul", "montgomery_row", "words_less"):
            without = [s for s in catalogue.DEVICE if s.name != name and sources.base(s.name) != name]
            with self.assertRaises(Wrong):
                sources.check(without, every_curve)

    def test_statements_about_other_curves_are_not_enough(self):
        every_curve = curves()
        of_edwards = next(filter(edwards, every_curve))
        for name in ("fold_carry", "fold_reduce", "fold_canonical"):
            without = [s for s in catalogue.DEVICE if s.name != name or not s.curves(of_edwards)]
            with self.assertRaises(Wrong):
                sources.check(without, every_curve)


if __name__ == "__main__":
    unittest.main()
