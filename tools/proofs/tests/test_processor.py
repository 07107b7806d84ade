"""The interpreter of LLVM's language against this processor, on the probes compiled as the library is."""

import ctypes
import platform
import unittest
from pathlib import Path

import numpy as np

from gecc_proofs import catalogue, cpu_statements
from gecc_proofs.languages import LLVM
from gecc_proofs.probes import signature
from gecc_proofs.project import curves, weierstrass
from gecc_proofs.rust_probes import BYTES, LANES, compile_to_llvm, library, probe_name
from gecc_proofs.samples import arguments

ITEMS = 64
X86_64 = platform.machine() == "x86_64"


def has_lanes():
    flags = Path("/proc/cpuinfo")
    return flags.exists() and {"avx512ifma", "avx512_vbmi2"} <= set(flags.read_text().split())


def on_processor(function, columns, outputs, lanes):
    """The words that the probe gives, one column for each of arguments."""
    width = 8 if lanes else 1
    found = []
    for first in range(0, columns.shape[1], width):
        taken = np.ascontiguousarray(columns[:, first : first + width])
        given = np.zeros((outputs, width), dtype=np.uint64)
        function(given.ctypes.data_as(ctypes.c_void_p), taken.ctypes.data_as(ctypes.c_void_p))
        found.append(given)
    return np.concatenate(found, axis=1)


class Processor(unittest.TestCase):
    def compare(self, variant):
        every_curve = list(filter(weierstrass, curves()))
        statements = [s for s in catalogue.CPU if cpu_statements.exists(s, variant)]
        codes = compile_to_llvm(statements, every_curve, variant)
        with library(statements, every_curve, variant) as compiled:
            for statement in statements:
                for curve in filter(statement.curves, every_curve):
                    columns = arguments(statement, curve, ITEMS, 1)
                    machine = LLVM.interpreter(columns)
                    machine.run(codes[statement.name, curve.name])
                    words = [np.broadcast_to(machine.results[i], ITEMS) for i in sorted(machine.results)]
                    expected = [list(map(int, word)) for word in words]
                    outputs = sum(parameter.words for parameter in signature(statement, curve)[1])
                    function = getattr(compiled, probe_name(statement, curve))
                    found = on_processor(function, columns, outputs, variant == LANES)
                    self.assertEqual(found.tolist(), expected, f"{curve.name} {statement.name}")

    @unittest.skipUnless(X86_64, "the assembly is that of x86-64")
    def test_assembly(self):
        self.compare("x86_64")

    @unittest.skipUnless(X86_64, "the probes are those for x86-64")
    def test_portable(self):
        self.compare("portable")
        self.compare(BYTES)

    @unittest.skipUnless(X86_64 and has_lanes(), "this processor has no AVX-512 IFMA")
    def test_lanes(self):
        self.compare(LANES)


if __name__ == "__main__":
    unittest.main()
