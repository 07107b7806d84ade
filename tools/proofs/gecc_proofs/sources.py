"""Which functions the device code has, so that none is without a proof unnoticed."""

import re

from .compositions import COMPOSITIONS
from .project import CUDA, Wrong
from .statements import everywhere

# Functions that are not straight-line arithmetic and have no statement of their own. Those that
# only call others are in compositions.py.
COMPOSED = {composition.name for composition in COMPOSITIONS if composition.curves is everywhere} | {
    "divsteps_30",  # shown in divsteps.py
    "divsteps_inverse",  # shown in inversion.py
    # Constants and words of them.
    "word",
    "r2_word",
    "r3_word",
    "neg_inv32",
    "inv30",
}
# Files that a curve has only with this reduction.
_OF_REDUCTION = {
    "fold.cuh": "FOLD",
    "fold_255.cuh": "FOLD_255",
    "montgomery_p256.cuh": "P256",
    "montgomery_sm2.cuh": "SM2",
}

_DECLARATION = re.compile(
    r"(?:template <([^<>]*)>\s*)?(?:static\s+)?(?:GECC_FN|GECC_MEMBER|GECC_SHARED_FN)\s+"
    r"(?:constexpr\s+)?[\w<> ]+?[&*]?\s*\b(\w+)(<\d+>)?\("
)


def functions(folder):
    """{name as statements give it: files} of the functions below cuda/FOLDER; templates over sizes by instances."""
    found = {}
    for path in sorted((CUDA / folder).rglob("*.cuh")):
        if path.name == "host.cuh":
            continue  # the host version of ptx.cuh, which kernels never see
        text = re.sub(r"//.*", "", path.read_text())
        for match in _DECLARATION.finditer(text):
            parameters, name, size = match.groups()
            after = text[match.end() :]
            declared_only = after.find(";") < after.find("{")
            if not declared_only:
                found.setdefault(name + (size or ""), set()).add(path.name)
    return found


def base(name):
    return re.split(r"[<(]", name)[0]


def check(statements, every_curve, folders=("primitives", "field")):
    """Every function has a statement, about a curve that has the function, or a reason not to; every statement and
    reason is about a function that exists."""
    found = {}
    for folder in folders:
        found |= functions(folder)
    for name, files in found.items():
        for file in files:
            stated = _stated(statements, every_curve, _OF_REDUCTION.get(file))
            known = name in stated if "<" in name else name in COMPOSED | {base(s) for s in stated}
            if not known:
                raise Wrong(f"{file}: {name} has no statement in tools/proofs/")
    everything = functions("curve") | functions("scheme") | found
    for name in {base(statement.name) for statement in statements} | COMPOSED:
        if name not in everything and not any(base(n) == name for n in everything):
            raise Wrong(f"a statement is about {name}, which the sources do not have")
    return found


def _stated(statements, every_curve, reduction):
    """The names of statements about curves with a reduction, or about any."""
    own = [curve for curve in every_curve if reduction in (None, curve.reduction)]
    return {statement.name for statement in statements if any(map(statement.curves, own))}
