"""Changed batches of inverses are found."""

import unittest

from gecc_proofs.batches import check_batches
from gecc_proofs.project import Wrong, curves

from .changed import changed_cuda

INVERSE, BLOCK, BATCHED = "curve/batch_inverse.cuh", "kernels/block_inverse.cuh", "kernels/batched.cuh"
# A file of the device code, the original text, and its replacement.
CHANGES = (
    (INVERSE, "inverse = Invertible<N>::mul(inverse, value);", "inverse = Invertible<N>::mul(inverse, prefix);"),
    (INVERSE, "for (int k = count - 1; k >= 0; k--)", "for (int k = count - 1; k > 0; k--)"),
    (INVERSE, "prefix.v[w] = prefixes[w * pitch + k * stride];", "prefix.v[w] = prefixes[w * pitch + k];"),
    (BLOCK, "threads / 32, 32, threads);", "threads / 32 - 1, 32, threads);"),
    (BLOCK, "int lane = thread % 32;", "int lane = 0;"),
    (BATCHED, "if (k > 0) inverse =", "if (k > 1) inverse ="),
    (BATCHED, "(n - first + step - 1) / step", "(n - first) / step"),
)


class Batches(unittest.TestCase):
    def test_changed_batches_are_found(self):
        for name, old, new in CHANGES:
            with changed_cuda(name, old, new) as cuda:
                with self.assertRaisesRegex(Wrong, "^(?!.*compile)", msg=new):
                    check_batches(curves()[0], cuda)


if __name__ == "__main__":
    unittest.main()
