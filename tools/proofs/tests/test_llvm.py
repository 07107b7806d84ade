"""Each LLVM instruction against its meaning, by the prover and the interpreter."""

import random
import unittest

import numpy as np

from gecc_proofs.catalogue import Task
from gecc_proofs.crosscheck import crosscheck
from gecc_proofs.languages import LLVM
from gecc_proofs.llvm import constants, functions, instructions
from gecc_proofs.prove import prove
from gecc_proofs.ptx import Unsupported
from gecc_proofs.statements import Statement

W = 1 << 64
LOW = (1 << 52) - 1


def signed(x, bits=64):
    return x - (1 << bits) if x >> (bits - 1) else x


# Instructions from %x, %y, %z to %r, and their result.
CASES = {
    "%r = add i64 %x, %y": lambda x, y, z: x + y,
    "%r = sub i64 %x, %y": lambda x, y, z: x - y,
    "%r = mul i64 %x, %y": lambda x, y, z: x * y,
    "%r = and i64 %x, 4095": lambda x, y, z: x & 4095,
    "%r = and i64 %x, %y": lambda x, y, z: x & y,
    "%r = xor i64 %x, %y": lambda x, y, z: x ^ y,
    "%r = xor i64 %x, -1": lambda x, y, z: ~x,
    "%r = shl nuw i64 %x, 7": lambda x, y, z: x << 7,
    "%r = lshr exact i64 %x, 7": lambda x, y, z: x >> 7,
    "%r = ashr i64 %x, 7": lambda x, y, z: signed(x) >> 7,
    "%a = lshr i64 %x, 9\n%b = shl i64 %y, 55\n%r = or disjoint i64 %a, %b": lambda x, y, z: x >> 9 | y << 55,
    "%r = call i64 @llvm.bswap.i64(i64 %x)": lambda x, y, z: int.from_bytes(x.to_bytes(8, "little"), "big"),
    "%a = trunc i64 %x to i32\n%r = sext i32 %a to i64": lambda x, y, z: signed(x % 2**32, 32),
    "%a = trunc i64 %x to i32\n%r = zext nneg i32 %a to i64": lambda x, y, z: x % 2**32,
    "%a = trunc i64 %x to i1\n%r = select i1 %a, i64 %y, i64 %z": lambda x, y, z: y if x & 1 else z,
    "%a = zext i64 %x to i128\n%b = zext i64 %y to i128\n%c = mul nuw i128 %a, %b\n%d = lshr i128 %c, 64\n"
    "%r = trunc i128 %d to i64": lambda x, y, z: x * y >> 64,
    "%a = add i64 %x, %y\n%b = icmp ult i64 %a, %y\n%r = zext i1 %b to i64": lambda x, y, z: x + y >= W,
    "%a = add i64 %x, %y\n%b = icmp ult i64 %a, %z\n%r = zext i1 %b to i64": lambda x, y, z: (x + y) % W < z,
    # The two carries of a sum of three, of which one at most is set.
    "%m = and i64 %z, 1\n%a = add i64 %x, %y\n%b = icmp ult i64 %a, %x\n%c = add i64 %a, %m\n"
    "%d = icmp ult i64 %c, %a\n%e = or i1 %b, %d\n%r = zext i1 %e to i64": lambda x, y, z: x + y + (z & 1) >= W,
    "%m = and i64 %z, 1\n%a = sub i64 %x, %y\n%b = icmp ult i64 %x, %y\n%c = icmp ult i64 %a, %m\n"
    "%e = or i1 %b, %c\n%r = zext i1 %e to i64": lambda x, y, z: x - y - (z & 1) < 0,
    "%a = icmp slt i64 %x, %y\n%r = zext i1 %a to i64": lambda x, y, z: signed(x) < signed(y),
    "%a = icmp samesign uge i64 %x, %y\n%r = zext i1 %a to i64": lambda x, y, z: x >= y,
    "%a = icmp ne i64 %x, %y\n%b = xor i1 %a, true\n%r = zext i1 %b to i64": lambda x, y, z: x == y,
    "%a = icmp ugt i64 %x, %y\n%b = icmp eq i64 %y, %z\n%c = and i1 %a, %b\n%r = zext i1 %c to i64": (
        lambda x, y, z: x > y and y == z
    ),
    # A choice by a mask.
    "%a = icmp ult i64 %x, %y\n%b = zext i1 %a to i64\n%m = sub i64 0, %b\n%c = xor i64 %y, %z\n%d = and i64 %m, %c\n"
    "%r = xor i64 %z, %d": lambda x, y, z: y if x < y else z,
    # A branch, as a choice.
    "%a = icmp ult i64 %x, %y\nbr i1 %a, label %yes, label %end\nyes: ; preds = %start\n%b = add i64 %x, %z\n"
    "br label %end\nend: ; preds = %yes, %start\n%r = phi i64 [ %b, %yes ], [ %y, %start ]": (
        lambda x, y, z: x + z if x < y else y
    ),
    "%r = load i64, ptr @known, align 8": lambda x, y, z: 0x2A01,
}
V = "<8 x i64>"
LANES = {
    f"%r = add {V} %x, splat (i64 -1)": lambda x, y, z: x - 1,
    f"%r = call {V} @llvm.x86.avx512.vpmadd52l.uq.512({V} %x, {V} %y, {V} %z)": (
        lambda x, y, z: x + ((y & LOW) * (z & LOW) & LOW)
    ),
    f"%r = call {V} @llvm.x86.avx512.vpmadd52h.uq.512({V} zeroinitializer, {V} %y, {V} splat (i64 977))": (
        lambda x, y, z: (y & LOW) * 977 >> 52
    ),
    f"%r = call {V} @llvm.fshr.v8i64({V} %x, {V} %y, {V} splat (i64 40))": lambda x, y, z: x << 24 | y >> 40,
    f"%r = call {V} @llvm.fshl.v8i64({V} %x, {V} %y, {V} splat (i64 40))": lambda x, y, z: x << 40 | y >> 24,
    f"%a = bitcast {V} %x to <16 x i32>\n%b = and <16 x i32> %a, <"
    + ", ".join(["i32 -1, i32 1048575"] * 8)
    + f">\n%r = bitcast <16 x i32> %b to {V}": lambda x, y, z: x & LOW,
    f"%a = icmp slt {V} %x, zeroinitializer\n%b = bitcast <8 x i1> %a to i8\n%c = bitcast i8 %b to <8 x i1>\n"
    f"%r = select <8 x i1> %c, {V} %y, {V} %z": lambda x, y, z: y if signed(x) < 0 else z,
}
ASM = '%r.all = call {{ i64, i64, i32 }} asm inteldialect "{}", "=&r,=&r,=&r,0,1,{}"(i64 %x, i64 %y, {}) #1'
ASM += "\n%r = extractvalue {{ i64, i64, i32 }} %r.all, 0"


def asm(*lines, carry="i64 %z", constraint="r"):
    return ASM.format("\\0A".join(lines), constraint + ",~{flags}", carry)


AT = "ptr @known"
ASSEMBLY = {
    asm("add ${0:q}, ${1:q}", carry=AT): lambda x, y, z: x + y,
    asm("add ${0:q}, ${1:q}", "adc ${1:q}, ${1:q}", "mov ${0:q}, ${1:q}", carry=AT): (
        lambda x, y, z: 2 * y + (x + y >= W)
    ),
    asm("sub ${0:q}, ${1:q}", "sbb ${2:k}, ${2:k}", "mov ${0:k}, ${2:k}", carry=AT): (
        lambda x, y, z: 2**32 - 1 if x < y else 0
    ),
    asm("sub ${0:q}, [${5:q}]", "cmovc ${0:q}, ${1:q}", carry=AT): lambda x, y, z: y if x < 0x2A01 else x - 0x2A01,
    asm("and ${1:k}, 1", "neg ${1:q}", "sbb ${0:q}, 0", carry=AT): lambda x, y, z: x - (y & 1),
    asm("and ${1:k}, 1", "test ${1:k}, ${1:k}", "cmovnz ${0:q}, [${5:q} + 8]", carry=AT): (
        lambda x, y, z: 7 if y & 1 else x
    ),
    asm("add ${0:q}, ${1:q}", "rcr ${0:q}, 1", carry=AT): lambda x, y, z: x + y >> 1,
    # A register of 32 bits whose upper half is not known.
    asm("add ${2:k}, -1", "sbb ${0:q}, ${1:q}", constraint="2", carry="i32 %carry"): (
        lambda x, y, z: x - y - (z % 2**32 > 0)
    ),
}
KNOWN = "\\01*" + "\\00" * 6 + "\\07" + "\\00" * 7
MODULE = f'@known = private unnamed_addr constant [16 x i8] c"{KNOWN}", align 8\n'
EDGES = (0, 1, 2, W // 2 - 1, W // 2, W - 2, W - 1, LOW, LOW + 1, 2**32, 2**32 - 1)
THREE = Statement("three", "u64 a[3] -> u64 r", "", "", lambda v, c: [], language=LLVM)


class Curve:
    """What samples need of a curve."""

    name, p, n, open_words = "test", 2**256 - 189, 2**256 - 2**32 - 977, 9


def read(text, kind="i64"):
    place = "i64, ptr %arguments, i64" if kind == "i64" else "[8 x i64], ptr %arguments, i64"
    lines = []
    for i, name in enumerate("xyz"):
        lines.append(f"%at.{name} = getelementptr inbounds nuw {place} {i}")
        lines.append(f"%{name} = load {kind}, ptr %at.{name}, align 8")
    lines += ["%carry = trunc i64 %z to i32"] if "%carry" in text else []
    lines += [text, f"store {kind} %r, ptr %results, align 8", "ret void"]
    body = "start:\n" + "\n".join(lines) + "\n}\n"
    module = MODULE + "define void @three(ptr %results, ptr %arguments) {\n" + body
    return tuple(instructions(functions(module)["three"], constants(module)))


def cases():
    for text, meaning in (CASES | ASSEMBLY).items():
        yield text, read(text), meaning
    for text, meaning in LANES.items():
        yield text, read(text, V), meaning


def compared(code, items):
    return crosscheck(Task(THREE, Curve, (), code), prove(THREE, Curve, code), items)


class Meanings(unittest.TestCase):
    def test_the_interpreter(self):
        source = random.Random()
        items = [[source.choice(EDGES + (source.randrange(W),) * 9) for _ in range(3)] for _ in range(500)]
        columns = np.array(items, dtype=np.uint64).T
        for text, code, meaning in cases():
            machine = LLVM.interpreter(columns)
            machine.run(code)
            self.assertEqual([int(word) for word in machine.results[0]], [int(meaning(*i)) % W for i in items], text)

    def test_the_prover(self):
        for text, code, _ in cases():
            self.assertGreater(compared(code, 60), 0, text)

    def test_unsupported_code_is_rejected(self):
        for text in (
            "%r = udiv i64 %x, %y",
            "%r = call i64 @other(i64 %x)",
            "%r = load i64, ptr @elsewhere, align 8",
            "%r = shl i64 %x, %y",
            "%l = alloca [8 x i8], align 8\n%r = load i64, ptr %l, align 8",
            "br label %again\nagain: ; preds = %again, %start\n%r = phi i64 [ %x, %start ], [ %y, %again ]\n"
            "br label %again\nend:",
            "%a = icmp eq i64 %x, %y\nbr i1 %a, label %yes, label %end\nyes: ; preds = %start\n"
            "store i64 %x, ptr %results, align 8\nbr label %end\nend: ; preds = %yes, %start\n%r = add i64 %x, 0",
            asm("mul ${1:q}", carry=AT),
            asm("cmovnz ${0:q}, ${1:q}", carry=AT),
            asm("test ${1:q}, ${1:q}", "sub ${1:q}, 1", "cmovnz ${0:q}, ${1:q}", carry=AT),
            asm("adc ${0:q}, ${1:q}", carry=AT),
            asm("add ${0:q}, ${2:q}", carry=AT),
            asm("add ${0:q}, ${2:q}", constraint="2", carry="i32 %carry"),
        ):
            with self.assertRaises(Unsupported, msg=text):
                compared(read(text), 5)
        for text in (
            f"%r = shufflevector {V} %x, {V} %y, <8 x i32> <i32 1, i32 0, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>",
            f"%a = bitcast {V} %x to <16 x i32>\n%b = add <16 x i32> %a, %a\n%r = bitcast <16 x i32> %b to {V}",
            f"%a = icmp slt {V} %x, %y\n%b = bitcast <8 x i1> %a to i8\n%c = icmp eq i8 %b, 0\n%r = add {V} %x, %y",
            f"%r = add {V} %x, <i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8>",
        ):
            with self.assertRaises(Unsupported, msg=text):
                read(text, V)


if __name__ == "__main__":
    unittest.main()
