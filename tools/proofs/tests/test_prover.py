"""The prover on small kernels written here: true statements are proved, false ones are not."""

import unittest

from gecc_proofs.catalogue import Task
from gecc_proofs.crosscheck import crosscheck, holds
from gecc_proofs.prove import Unproved, prove
from gecc_proofs.ptx import Unsupported, instructions
from gecc_proofs.samples import arguments
from gecc_proofs.statements import AtMost, Statement, equal


class Curve:
    """What samples need of a curve."""

    name, p, n, open_words = "test", 2**256 - 189, 2**256 - 2**32 - 977, 9


HEAD = "ld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\n"
ADD = (
    HEAD
    + """
ld.global.u32 %r1, [%rd2];
ld.global.u32 %r2, [%rd2+4];
ld.global.u32 %r3, [%rd2+8];
ld.global.u32 %r4, [%rd2+12];
// begin inline asm
add.cc.u32 %r5, %r1, %r3;
addc.cc.u32 %r6, %r2, %r4;
addc.u32 %r7, 0, 0;
// end inline asm
st.global.u32 [%rd1], %r5;
st.global.u32 [%rd1+4], %r6;
st.global.u32 [%rd1+8], %r7;
ret;
"""
)
SUM = Statement(
    "sum",
    "u32 a[2], u32 b[2] -> u32 r[2], u32 out",
    "",
    "",
    lambda v, c: [equal(v.r + v.out * 2**64 - v.a - v.b), AtMost(v.out, 1)],
)


def proves(statement, text):
    try:
        prove(statement, Curve, tuple(instructions(text)))
        return True
    except Unproved:
        return False


class Prover(unittest.TestCase):
    def task(self, statement, text):
        return Task(statement, Curve, (), tuple(instructions(text)))

    def test_a_sum_with_carry(self):
        self.assertTrue(proves(SUM, ADD))
        task = self.task(SUM, ADD)
        self.assertGreater(crosscheck(task, prove(SUM, Curve, task.instructions), 50), 0)

    def test_a_dropped_carry_is_seen(self):
        dropped = ADD.replace("addc.cc.u32 %r6", "add.cc.u32 %r6")
        self.assertFalse(proves(SUM, dropped))
        columns = arguments(SUM, Curve, 300, 1)
        self.assertTrue(holds(self.task(SUM, ADD), columns))
        self.assertFalse(holds(self.task(SUM, dropped), columns))

    def test_a_carry_that_a_precondition_excludes(self):
        no_carry = Statement(
            "sum",
            SUM.signature,
            "",
            "",
            lambda v, c: [equal(v.r - v.a - v.b)],
            lambda v, c: [v.a + v.b - (2**64 - 1)],
        )
        self.assertTrue(proves(no_carry, ADD))
        too_weak = Statement("sum", SUM.signature, "", "", no_carry.claims, lambda v, c: [v.a + v.b - 2**64])
        self.assertFalse(proves(too_weak, ADD))

    def test_a_wrong_bound_is_not_proved(self):
        wrong = Statement("sum", SUM.signature, "", "", lambda v, c: [AtMost(v.r, 2**64 - 2)])
        self.assertFalse(proves(wrong, ADD))

    def test_a_carry_does_not_cross_asm_statements(self):
        parted = ADD.replace("addc.u32 %r7", "// end inline asm\n// begin inline asm\naddc.u32 %r7")
        with self.assertRaises(Unsupported):
            proves(SUM, parted)

    def test_instructions_without_a_meaning_are_refused(self):
        for line in ("popc.b32 %r7, %r1;", "@%p1 bra $L1;", "ld.shared.u32 %r7, [%rd2];"):
            with self.assertRaises(Unsupported):
                proves(SUM, ADD.replace("addc.u32 %r7, 0, 0;", line))


if __name__ == "__main__":
    unittest.main()
