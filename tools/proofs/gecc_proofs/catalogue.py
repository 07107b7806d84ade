"""All statements about single functions, and the kernels that show them."""

import hashlib
from dataclasses import dataclass, replace

from . import (
    bit_statements,
    cpu_statements,
    edwards_statements,
    field_statements,
    inversion_statements,
    lane_statements,
    recode_statements,
    reduction_statements,
    word_statements,
)
from .nvrtc import compile_to_ptx
from .probes import kernel_name, source
from .project import weierstrass
from .ptx import instructions, kernels
from .rust_probes import VARIANTS, compile_to_llvm

GENERATIONS = ("compute_80", "compute_90", "compute_120")
ARCHITECTURES = GENERATIONS + tuple(VARIANTS)

DEVICE = (
    word_statements.STATEMENTS
    + reduction_statements.STATEMENTS
    + field_statements.STATEMENTS
    + bit_statements.STATEMENTS
    + inversion_statements.STATEMENTS
    + recode_statements.STATEMENTS
    + edwards_statements.STATEMENTS
)
CPU = cpu_statements.STATEMENTS + lane_statements.STATEMENTS
STATEMENTS = DEVICE + CPU


@dataclass(frozen=True)
class Task:
    """A statement about the code that one curve and one or more generations of GPUs have in common."""

    statement: object
    curve: object
    architectures: tuple
    instructions: tuple

    @property
    def title(self):
        generations = "+".join(name.removeprefix("compute_") for name in self.architectures)
        return f"{self.curve.name} {self.statement.name} {generations}"


def independent_of_curve(statement):
    on_device = word_statements.STATEMENTS + reduction_statements.PRODUCTS + bit_statements.WORDS
    return statement in on_device + cpu_statements.WORDS


def _device_codes(curves, architecture):
    """(statement, curve, instructions) of every probe for a generation of GPUs."""
    for curve in curves:
        statements = [s for s in DEVICE if s.curves(curve)]
        bodies = kernels(compile_to_ptx(source(statements, curve), curve, architecture))
        for statement in statements:
            yield statement, curve, tuple(instructions(bodies[kernel_name(statement)]))


def _cpu_codes(curves, variant):
    """The same for the CPU's code. That of Edwards curves has no type of a curve: it comes with the other curves'."""
    curves = [curve for curve in curves if weierstrass(curve)]
    if not curves:
        return
    statements = [s for s in CPU if cpu_statements.exists(s, variant)]
    codes = compile_to_llvm(statements, curves, variant)
    for (name, curve), code in codes.items():
        yield next(s for s in statements if s.name == name), next(c for c in curves if c.name == curve), code


def tasks(curves, architectures=ARCHITECTURES):
    """Compiles every probe. Kernels of the same instructions are one task, also those of different curves where the
    statement does not speak of the curve."""
    result = {}
    for architecture in architectures:
        codes = _device_codes if architecture in GENERATIONS else _cpu_codes
        for statement, curve, code in codes(curves, architecture):
            text = "\n".join(f"{e.block} {e.guard} {e.name} {e.operands} {e.label}" for e in code)
            digest = hashlib.sha256(text.encode()).hexdigest()
            scope = "" if independent_of_curve(statement) else curve.name
            key = (statement.name, statement.signature, scope, digest)
            first = result.get(key, Task(statement, curve, (), code))
            if architecture not in first.architectures:
                result[key] = replace(first, architectures=first.architectures + (architecture,))
    return list(result.values())
