"""The bound of the division steps for small numbers, against every pair."""

import unittest

from gecc_proofs.divsteps import steps_until_zero


def steps(f, g):
    """How many division steps make g = 0."""
    delta, count = 1, 0  # delta is doubled
    while g:
        if g & 1 and delta > 0:
            delta, f, g = 2 - delta, g, (g - f) // 2
        else:
            delta, g = delta + 2, (g + (g & 1) * f) // 2
        count += 1
    return count


class Bound(unittest.TestCase):
    def test_it_holds_for_every_pair_of_few_bits(self):
        for bits in (4, 6, 8):
            bound = steps_until_zero(bits)
            worst = max(steps(f, g) for f in range(1, 1 << bits, 2) for g in range(f + 1))
            self.assertLessEqual(worst, bound)
            self.assertGreater(worst, bound // 2)  # the bound is not far from what occurs


if __name__ == "__main__":
    unittest.main()
