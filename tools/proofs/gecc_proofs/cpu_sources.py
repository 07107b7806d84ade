"""Which functions the CPU's fields have, so that none is without a proof unnoticed."""

import re

from .project import Wrong
from .rust_probes import EDWARDS, FIELD

_ELEMENTS = {
    "from_be_bytes": "that of words, the check against m, and from_plain in Montgomery form",
    "from_be_bytes_reduced": "that of words, then add_mod with 0, or from_plain in Montgomery form",
    "to_be_bytes": "that of words, in Montgomery form after to_plain",
    "fmt": "text",
    "new": "words as they are",
    "stored": "words as they are",
    "from_stored": "words as they are",
    "is_odd": "a bit, in Montgomery form of to_plain",
    "invert_var": "division steps, as many as it takes",
}
# Functions without a statement, with the reason, by file of src/cpu/field/ and for the field of
# Edwards curves.
WITHOUT = {
    "limbs": {
        "write_hex": "text",
    },
    "modular_portable": {},
    "modular_x86_64": {},
    "montgomery": _ELEMENTS,
    "p256": {},
    "sm2": {},
    "secp256k1": _ELEMENTS,
    "mod": {
        "is_zero": "compares words with those of 0",
        "square_times": "a loop of squares",
        "times": "mul",
        "squared": "square_times",
        "root_chain": "a loop over constants, which chains.py looks at",
        "sqrt_candidate": "root_chain",
        "sqrt_var": "sqrt_candidate, then square",
    },
    EDWARDS: {
        "fmt": "text",
        "eq": "sub, then is_zero",
        "times": "mul",
        "squared": "square_times, or a loop of squares",
        "from_limbs": "words as they are",
        "limbs": "words as they are",
        "to_le_bytes": "that of words, after canonical",
        "square_times": "a loop of squares",
        "root_power": "root_chain",
        "root_powers": "root_chain, of two at a time",
        "root_chain": "a loop over constants, which chains.py looks at",
        "invert": "root_power, then products",
        "is_zero": "compares words with 0, after canonical",
        "is_odd": "a bit, after canonical",
        "zero_mask": "a mask made of all bits, after canonical",
        "odd_mask": "a mask made of a bit, after canonical",
        "negate_masked": "neg, and words chosen by a mask",
        "even": "negate_masked, by odd_mask",
        "assign_masked": "words chosen by a mask",
        "new": "products",
        "root_var": "products, compared",
        "even_root": "products, compared",
        "invert_all": "a loop of products",
    },
    "vector/element": {
        "fold_by_complement": "in fold",
        "clone": "words as they are",
        "split": "constants, which the statements see",
        "all": "constants, which the statements see",
        "new": "words as they are",
        "words": "words as they are",
        "zeros": "compares words with those of 0, p and 2 p",
        "likely_zeros": "compares words with those of 0, p and 2 p",
        "multiples": "constants",
        "equals": "compares words",
        "sum": "words as they are",
        "add_product": "in mul and mul_add",
    },
    "vector/general": {"inverse": "a constant, in fold", "add_multiple": "in plus_multiple and canonical"},
    "vector/p256": {"add_multiple": "in plus_multiple and canonical"},
    "vector/secp256k1": {"add_multiple": "in plus_multiple and canonical"},
    "vector/sm2": {"add_multiple": "in plus_multiple and canonical"},
    "vector/words": {
        "detect": "asks the processor",
        "splat": "one instruction",
        "all": "one instruction",
        "load": "one instruction",
        "load_bytes": "one instruction",
        "store": "one instruction",
        "select": "one instruction",
        "select_difference": "one instruction",
        "zeros": "one instruction",
        "equals": "one instruction",
        "lookup": "one instruction, between lanes",
        "negatives": "one instruction",
        "transpose": "moves words between lanes",
        "transpose_quarters": "moves words between lanes",
    },
}
# Files whose functions other files' statements are about.
_SHARED = {
    EDWARDS: "edwards",
    "modular_portable": "modular",
    "modular_x86_64": "modular",
    "vector/general": "vector/element",
    "vector/p256": "vector/element",
    "vector/secp256k1": "vector/element",
    "vector/sm2": "vector/element",
}
_OTHER_FILES = {
    "invert": "division steps, as many as it takes: not proved",
    "moduli": "constants, which the statements see",
    "vector_absent": "no code",
    "vector/mod": "no code",
    "ark": "for tests",
    "random": "for tests",
    "tests": "for tests",
}
_FUNCTION = re.compile(r"^\s*(?:pub(?:\(super\))? )?(?:const )?fn (\w+)", re.M)


def functions(file, field=FIELD):
    """The names of the functions in a file of src/cpu/field/, without those that it only declares."""
    text = re.sub(r"//.*", "", (field / f"{file}.rs").read_text())
    found = set()
    for match in _FUNCTION.finditer(text):
        if "{" in text[match.end() :].split(";\n")[0]:
            found.add(match[1])
    return found


def _stated(statements):
    """The names of functions that statements are about, by the first part of their names."""
    result = {}
    for statement in statements:
        part, name = statement.name.split("(")[0].split("::")
        result.setdefault(part, set()).add(name)
    return result


def check(statements, field=FIELD):
    """Every function has a statement or a reason not to; every statement and reason is about a function that exists."""
    stated, found = _stated(statements), {}
    files = {str(path.relative_to(field).with_suffix("")) for path in field.rglob("*.rs")}
    if other := (files | {EDWARDS}) ^ set(WITHOUT) ^ set(_OTHER_FILES):
        raise Wrong(f"src/cpu/field/ and tools/proofs/ do not have the same files: {other}")
    for file, without in WITHOUT.items():
        about = stated.get(_SHARED.get(file, file), set())
        if without is _ELEMENTS or file == "mod":
            about = about | stated["Field"]  # what both implement, or have from the trait
        own = functions(file, field)
        for name in own - about - set(without):
            raise Wrong(f"src/cpu/field/{file}.rs: {name} has no statement in tools/proofs/")
        for name in set(without) - own:
            raise Wrong(f"src/cpu/field/{file}.rs: tools/proofs/ has a reason for {name}, which is not there")
        found |= {f"{file}::{name}": file for name in own}
    names = {key.split("::")[1] for key in found}
    for name in set().union(*stated.values()) - names:
        raise Wrong(f"a statement is about {name}, which src/cpu/field/ does not have")
    return found
