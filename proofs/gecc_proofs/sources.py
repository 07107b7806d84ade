"""Which functions the device code has, so that none is without a proof unnoticed."""

import re

from .project import CUDA, Wrong

# What is no straight line of arithmetic, or calls functions with statements and does nothing else. The reason stands in
# docs/proofs.md.
COMPOSED = {
    "sc_mul": "sc_mont_mul of sc_to_montgomery(a), which is below n, and b",
    "fe_inv": "fe_canonical, the division steps, and fe_mul by R^3",
    "sc_mont_inv": "the division steps, and sc_mont_mul by R^3, which is below n",
    "fe_sqrt_candidate": "fe_sqr and fe_mul in the order of a chain whose exponent build.rs checks",
    "divsteps_30": "shown in gecc_proofs/divsteps.py",
    "divsteps_inverse": "twenty rounds of the pieces that have statements; see gecc_proofs/divsteps.py",
    "word": "a word of a constant",
    "r2_word": "a word of a constant",
    "r3_word": "a word of a constant",
    "neg_inv32": "a constant",
    "inv30": "a constant",
}

_DECLARATION = re.compile(
    r"(?:template <([^<>]*)>\s*)?(?:static\s+)?(?:GECC_FN|GECC_MEMBER|GECC_SHARED_FN)\s+"
    r"(?:constexpr\s+)?[\w ]+?[&*]?\s*\b(\w+)(<\d+>)?\("
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
    for name in bases | set(COMPOSED):
        if name not in everything and not any(base(n) == name for n in everything):
            raise Wrong(f"a statement is about {name}, which the sources do not have")
    return found
