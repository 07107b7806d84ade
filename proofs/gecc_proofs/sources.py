"""Which functions the device code has, so that none is without a proof unnoticed."""

import re

from .compositions import COMPOSITIONS
from .project import CUDA, Wrong
from .statements import everywhere

# What is no straight line of arithmetic and has no statement of its own. compositions.py has those that only call.
COMPOSED = {composition.name for composition in COMPOSITIONS if composition.curves is everywhere} | {
    "divsteps_30",  # shown in divsteps.py
    "divsteps_inverse",  # shown in inversion.py
    # Constants and words of them.
    "word",
    "r2_word",
    "r3_word",
    "neg_inv32",
    "inv30",
    # Of field/fold_255.cuh, of which nothing is proved: tests/cuda_twin_edwards.rs compares it with big integers.
    "fold_canonical",
}

_DECLARATION = re.compile(
    r"(?:template <([^<>]*)>\s*)?(?:static\s+)?(?:GECC_FN|GECC_MEMBER|GECC_SHARED_FN)\s+"
    r"(?:constexpr\s+)?[\w<> ]+?[&*]?\s*\b(\w+)(<\d+>)?\("
)


def functions(folder):
    """{name as statements give it: file} of the functions below cuda/FOLDER; templates over sizes by instances."""
    found = {}
    for path in sorted((CUDA / folder).rglob("*.cuh")):
        if path.name == "host.cuh":
            continue  # the twin of ptx.cuh, which kernels never see
        text = re.sub(r"//.*", "", path.read_text())
        for match in _DECLARATION.finditer(text):
            parameters, name, size = match.groups()
            after = text[match.end() :]
            declared_only = after.find(";") < after.find("{")
            if not declared_only:
                found[name + (size or "")] = path.name
    return found


def base(name):
    return re.split(r"[<(]", name)[0]


def check(statements, folders=("primitives", "field")):
    """Every function has a statement or a reason not to; every statement and reason is about a function that exists."""
    found = {}
    for folder in folders:
        found |= functions(folder)
    stated = {statement.name for statement in statements}
    bases = {base(name) for name in stated}
    for name, path in found.items():
        sized = "<" in name
        if not (name in stated if sized else name in bases or name in COMPOSED):
            raise Wrong(f"{path}: {name} has no statement in proofs/")
    everything = functions("curve") | functions("scheme") | found
    for name in bases | COMPOSED:
        if name not in everything and not any(base(n) == name for n in everything):
            raise Wrong(f"a statement is about {name}, which the sources do not have")
    return found
