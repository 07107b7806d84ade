"""A place that writes a number, and is not listed, is found."""

import unittest

from gecc_proofs.callers import check_callers
from gecc_proofs.project import Wrong

from .changed import changed_cuda

# A file of the device code, the original text, and its replacement.
CHANGES = (
    ("kernels/edwards_batch.cuh", "    load_column(r.x.v, xy, n, i);", "    load_number(r.x.v, (const u8*)xy);"),
    ("kernels/fpmul.cu", "        load_column(k.v, scalars, n, i);", "        words_copy(k.v, scalars);"),
    ("scheme/sign.cuh", "    sc negated = sc_neg(s);", "    sc negated = {{s.v[0]}};"),
    ("scheme/bip340.cuh", "t[w] ^= d.v[w];", "t[w] ^= d.v[w], d.v[w] = 0;"),
    ("kernels/layout.cu", "sc_from_words(words).v);", "words);"),
)


class Callers(unittest.TestCase):
    def test_new_places_are_found(self):
        check_callers()
        for name, old, new in CHANGES:
            with changed_cuda(name, old, new) as cuda:
                with self.assertRaises(Wrong, msg=new):
                    check_callers(cuda)


if __name__ == "__main__":
    unittest.main()
