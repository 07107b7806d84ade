"""All statements about single functions, and the kernels that show them."""

import hashlib
from dataclasses import dataclass

from . import (
    bit_statements,
    field_statements,
    inversion_statements,
    recode_statements,
    reduction_statements,
    word_statements,
)
from .nvrtc import compile_to_ptx
from .probes import kernel_name, source
from .ptx import instructions, kernels

ARCHITECTURES = ("compute_80", "compute_90", "compute_120")

STATEMENTS = (
    word_statements.STATEMENTS
    + reduction_statements.STATEMENTS
    + field_statements.STATEMENTS
    + bit_statements.STATEMENTS
    + inversion_statements.STATEMENTS
    + recode_statements.STATEMENTS
)


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
    return statement in word_statements.STATEMENTS or statement in bit_statements.WORDS


def tasks(curves, architectures=ARCHITECTURES):
    """Compiles every probe. Kernels of the same instructions are one task, also those of different curves where the
    statement does not speak of the curve."""
    result, seen = {}, {}
    for curve in curves:
        statements = [s for s in STATEMENTS if s.curves(curve)]
        for architecture in architectures:
            bodies = kernels(compile_to_ptx(source(statements, curve), curve, architecture))
            for statement in statements:
                body = bodies[kernel_name(statement)]
                code = tuple(instructions(body))
                text = "\n".join(f"{e.block} {e.guard} {e.name} {e.operands} {e.label}" for e in code)
                digest = hashlib.sha256(text.encode()).hexdigest()
                scope = "" if independent_of_curve(statement) else curve.name
                key = (statement.name, statement.signature, scope, digest)
                if key in seen:
                    first = result[seen[key]]
                    if architecture not in first.architectures:
                        result[seen[key]] = Task(
                            statement, first.curve, first.architectures + (architecture,), first.instructions
                        )
                else:
                    seen[key] = len(result)
                    result[len(result)] = Task(statement, curve, (architecture,), code)
    return list(result.values())
