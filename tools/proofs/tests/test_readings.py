"""Each instruction, on bit vectors and by the interpreter, against the PTX manual's definition."""

import random
import unittest

import numpy as np
import z3

from gecc_proofs.bits import BitMachine
from gecc_proofs.interpret import Interpreter
from gecc_proofs.ptx import instructions

W = 1 << 32


def signed(x):
    return x - W if x >> 31 else x


# One instruction from %r1, %r2, %r3 to %r4, and its result.
CASES = {
    "add.s32 %r4, %r1, %r2": lambda x, y, z: x + y,
    "sub.s32 %r4, %r1, %r2": lambda x, y, z: x - y,
    "mul.lo.s32 %r4, %r1, %r2": lambda x, y, z: x * y,
    "neg.s32 %r4, %r1": lambda x, y, z: -x,
    "abs.s32 %r4, %r1": lambda x, y, z: abs(signed(x)),
    "not.b32 %r4, %r1": lambda x, y, z: ~x,
    "and.b32 %r4, %r1, %r2": lambda x, y, z: x & y,
    "or.b32 %r4, %r1, %r2": lambda x, y, z: x | y,
    "xor.b32 %r4, %r1, %r2": lambda x, y, z: x ^ y,
    "shl.b32 %r4, %r1, 7": lambda x, y, z: x << 7,
    "shr.u32 %r4, %r1, 7": lambda x, y, z: x >> 7,
    "shr.s32 %r4, %r1, 7": lambda x, y, z: signed(x) >> 7,
    "shf.l.wrap.b32 %r4, %r1, %r2, 3": lambda x, y, z: (y << 3) | (x >> 29),
    "shf.r.wrap.b32 %r4, %r1, %r2, 3": lambda x, y, z: (x >> 3) | (y << 29),
    "setp.lt.u32 %p1, %r1, %r2;\nselp.b32 %r4, %r2, %r3, %p1": lambda x, y, z: y if x < y else z,
    "setp.ge.s32 %p1, %r1, %r2;\nselp.b32 %r4, %r2, %r3, %p1": lambda x, y, z: y if signed(x) >= signed(y) else z,
    "max.s32 %r4, %r1, %r2": lambda x, y, z: max(x, y, key=signed),
    "min.u32 %r4, %r1, %r2": lambda x, y, z: min(x, y),
    "add.cc.u32 %r5, %r1, %r2;\naddc.u32 %r4, %r3, 0": lambda x, y, z: z + (x + y >= W),
    "sub.cc.u32 %r5, %r1, %r2;\nsubc.u32 %r4, %r3, 0": lambda x, y, z: z - (x < y),
    "mul.wide.s32 %rd1, %r1, %r2;\nshr.s64 %rd2, %rd1, 30;\ncvt.u32.u64 %r4, %rd2": (
        lambda x, y, z: signed(x) * signed(y) >> 30
    ),
    "mul.wide.u32 %rd1, %r1, %r2;\nmov.b64 {%r5, %r4}, %rd1": lambda x, y, z: x * y >> 32,
}
# Products with carries, which bit vectors are not used for.
PRODUCTS = {
    "mad.lo.cc.u32 %r5, %r1, %r2, %r3;\naddc.u32 %r4, 0, 0": lambda x, y, z: (x * y % W + z) // W,
    "mad.hi.cc.u32 %r5, %r1, %r2, %r3;\nmadc.lo.u32 %r4, %r1, %r2, 0": (
        lambda x, y, z: x * y % W + ((x * y >> 32) + z) // W
    ),
}
# What only bit vectors are used for.
BITS = {
    "bfi.b32 %r4, %r1, %r2, 5, 9": lambda x, y, z: y & ~(511 << 5) | (x & 511) << 5,
    "bfi.b32 %r4, %r1, %r2, 0, 32": lambda x, y, z: x,
    "bfi.b32 %r4, %r1, %r2, 31, 1": lambda x, y, z: y & (W // 2 - 1) | x << 31,
    "mov.u64 %rd1, __local_depot1;\nst.local.v2.u32 [%rd1+8], {%r1, %r2};\nst.local.u32 [%rd1], %r3;\n"
    "mov.u32 %r5, 3;\nmul.wide.s32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.local.u32 %r4, [%rd3]": (
        lambda x, y, z: y
    ),
}
EDGES = (0, 1, 2, W // 2 - 1, W // 2, W - 2, W - 1)


def items(count):
    source = random.Random()
    return [tuple(source.choice(EDGES + (source.randrange(W),) * 7) for _ in range(3)) for _ in range(count)]


class Readings(unittest.TestCase):
    def test_the_interpreter(self):
        columns = np.array(items(2000), dtype=np.uint64).T
        for text, meaning in (CASES | PRODUCTS).items():
            machine = Interpreter(columns)
            machine.registers = {"%r1": columns[0], "%r2": columns[1], "%r3": columns[2]}
            machine.run(instructions(text + ";"))
            expected = [meaning(*map(int, column)) % W for column in columns.T]
            self.assertEqual([int(word) for word in machine.registers["%r4"]], expected, text)

    def test_bit_vectors(self):
        for text, meaning in (CASES | BITS).items():
            for item in items(60):
                machine = BitMachine([])
                machine.registers = {f"%r{i + 1}": z3.BitVecVal(word, 32) for i, word in enumerate(item)}
                machine.run(instructions(text + ";"))
                found = z3.simplify(machine.registers["%r4"]).as_long()
                self.assertEqual(found, meaning(*item) % W, f"{text} of {item}")


if __name__ == "__main__":
    unittest.main()
