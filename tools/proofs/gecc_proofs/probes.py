"""A kernel for each statement: loads the words of its arguments, calls the function, stores the words of the result."""

import re
from dataclasses import dataclass

from .project import edwards

_WEIERSTRASS = ("curve/recode.cuh", "field/open.cuh", "field/scalar.cuh", "scheme/compare.cuh")
_EDWARDS = ("scheme/ed25519.cuh",)
_COPY = """
template <int N> GECC_FN void copy(u32 (&r)[N], const u32* a) {
    GECC_UNROLL
    for (int i = 0; i < N; i++) r[i] = a[i];
}
"""


@dataclass(frozen=True)
class Parameter:
    kind: str  # fe, sc, fe_open, u32, i32, bool; on the CPU: u64, u8, flag, w52 (a word of 52 bits of a longer number)
    name: str
    words: int
    array: bool

    @property
    def bits(self):
        """Of the register that holds a word."""
        return 64 if self.kind in ("u64", "u8", "flag", "w52") else 32

    @property
    def position(self):
        """How many bits higher each word counts than the one before."""
        return {"w52": 52, "u8": 8}.get(self.kind, self.bits)

    @property
    def declaration(self):
        return f"{self.kind} {self.name}" + (f"[{self.words}]" if self.array else "")

    def word(self, i):
        """The C++ expression for word i."""
        if self.kind in ("fe", "sc", "fe_open"):
            return f"{self.name}.v[{i}]"
        return f"{self.name}[{i}]" if self.array else self.name


def parameters(text, curve):
    """From `fe a, u32 t[16], u32 carry` to parameters."""
    result = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        kind, name, count = re.fullmatch(r"(\w+) (\w+)(?:\[(\d+)\])?", part).groups()
        words = {"fe": 8, "sc": 8, "fe_open": curve.open_words}.get(kind, int(count or 1))
        result.append(Parameter(kind, name, words, count is not None))
    return result


def signature(statement, curve):
    """(inputs, outputs) of a statement."""
    inputs, _, outputs = statement.signature.partition("->")
    return parameters(inputs, curve), parameters(outputs, curve)


def kernel_name(statement):
    return "probe_" + re.sub(r"\W+", "_", statement.name).strip("_")


def source(statements, curve):
    """One translation unit with a kernel for each statement."""
    headers = _EDWARDS if edwards(curve) else _WEIERSTRASS
    includes = "".join(f'#include "{header}"\n' for header in headers)
    return includes + _COPY + "".join(_kernel(statement, curve) for statement in statements)


def _kernel(statement, curve):
    inputs, outputs = signature(statement, curve)
    lines, offset = [], 0
    for parameter in inputs:
        lines.append(f"{parameter.declaration};")
        for i in range(parameter.words):
            lines.append(f"{parameter.word(i)} = arguments[{offset + i}];")
        offset += parameter.words
    lines += [f"{parameter.declaration};" for parameter in outputs]
    lines.append(statement.call + ";")
    offset = 0
    for parameter in outputs:
        for i in range(parameter.words):
            lines.append(f"results[{offset + i}] = {parameter.word(i)};")
        offset += parameter.words
    body = "\n    ".join(lines)
    head = f'extern "C" __global__ void {kernel_name(statement)}(u32* results, const u32* arguments)'
    return f"\n{head} {{\n    {body}\n}}\n"
