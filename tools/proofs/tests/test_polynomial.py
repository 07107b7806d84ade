"""Polynomials against evaluation at random values."""

import random
import unittest

from gecc_proofs.polynomial import Polynomial, interpolated, number, truth_table

WORDS, BITS = (0, 2, 4), (1, 3)


def random_polynomial(source):
    result = Polynomial.constant(source.randrange(-5, 6))
    for _ in range(4):
        factors = source.choices(WORDS + BITS, k=source.randrange(1, 3))
        term = Polynomial.constant(source.randrange(-9, 10))
        for variable in factors:
            term = term * Polynomial.variable(variable)
        result = result + term
    return result


class Polynomials(unittest.TestCase):
    def setUp(self):
        self.source = random.Random()

    def values(self):
        found = {v: self.source.randrange(1 << 32) for v in WORDS}
        return found | {v: self.source.randrange(2) for v in BITS}

    def test_arithmetic_is_that_of_values(self):
        for _ in range(200):
            p, q, values = random_polynomial(self.source), random_polynomial(self.source), self.values()
            x, y = p.evaluated(values), q.evaluated(values)
            self.assertEqual((p + q).evaluated(values), x + y)
            self.assertEqual((p - q).evaluated(values), x - y)
            self.assertEqual((p * q).evaluated(values), x * y)
            self.assertEqual(p.substituted({0: q}).evaluated(values), p.evaluated(values | {0: y}))

    def test_a_boolean_is_its_square(self):
        b = Polynomial.variable(1)
        self.assertEqual(b * b, b)
        w = Polynomial.variable(2)
        self.assertNotEqual(w * w, w)

    def test_interpolation_gives_back_the_table(self):
        for _ in range(50):
            values = [self.source.randrange(-9, 10) for _ in range(8)]
            p = interpolated([1, 3, 5], values)
            variables, rows = truth_table(
                [p + Polynomial.variable(1) + Polynomial.variable(3) + Polynomial.variable(5)]
            )
            self.assertEqual(variables, [1, 3, 5])
            self.assertEqual([found - sum(bits) for bits, (found,) in rows], values)

    def test_numbers_are_made_of_words(self):
        self.assertEqual(number([1, 2, 3]), Polynomial.constant(1 + (2 << 32) + (3 << 64)))


if __name__ == "__main__":
    unittest.main()
