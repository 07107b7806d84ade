"""A function for each statement about the CPU's code, compiled with the library's own sources to LLVM's language.

The sources of src/cpu/field/ and the field of Edwards curves are copied, and to each file a module is added that
calls its functions, so that it can access private items. The sources are not changed. rustc runs a
few LLVM passes: calls are inlined, loops are unrolled, and variables in memory become values.
"""

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from .llvm import constants, functions, instructions
from .probes import kernel_name, signature
from .project import ROOT, Wrong

FIELD = ROOT / "src/cpu/field"
# Of Edwards curves, as a path from there.
EDWARDS = "../edwards/field"
_SIMPLER = "sroa,early-cse,simplifycfg,instsimplify"
# What loops over pairs need, with iterators in memory.
_COMBINED = "sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,jump-threading,simplifycfg,sroa,instsimplify"
_UNROLLED = "loop-simplify,lcssa,loop(loop-rotate,indvars,loop-unroll-full)"


def _passes(simpler):
    return f"cgscc(inline),function({simpler},{_UNROLLED},{simpler},{_UNROLLED},{simpler},adce),globaldce"


# What the fields are compiled for, and what makes them so. Miri's setting chooses the code without assembly.
LANES = "avx512"
BYTES = "bytes"
VARIANTS = {
    "x86_64": (),
    "portable": ("--cfg", "miri"),
    LANES: ("-C", "target-feature=+avx512f,+avx512ifma,+avx512vbmi2"),
    BYTES: (),
}
_OPTIONS = (
    *("--edition", "2024", "--cap-lints", "allow", "-o", "probe.out"),
    *("-C", "opt-level=3", "-C", "panic=abort", "-C", "codegen-units=1"),
)
_LLVM = (
    *("--crate-type", "lib", "--emit", "llvm-ir", "-C", "no-prepopulate-passes"),
    *("-C", "llvm-args=-inline-threshold=1000000 -unroll-threshold=1000000"),
)
_CRATE = """
mod curve { pub mod constants { include!(concat!(env!("OUT_DIR"), "/constants.rs")); } }
mod cpu { pub mod field; pub mod edwards { pub mod field; } }
// What the library's own wiping needs, without the crate: no function with a statement wipes.
extern crate self as zeroize;
pub trait DefaultIsZeroes: Copy + Default {}
pub struct Zeroizing<T>(T);
impl<T> Zeroizing<T> { pub fn new(value: T) -> Self { Zeroizing(value) } }
impl<T> core::ops::Deref for Zeroizing<T> { type Target = T; fn deref(&self) -> &T { &self.0 } }
impl<T> core::ops::DerefMut for Zeroizing<T> { fn deref_mut(&mut self) -> &mut T { &mut self.0 } }
"""
# Numbers in two halves, and elements from their words and back: they are these words, and nothing else.
_MODULE = """
pub mod probe {
    use super::*;
    fn joined((low, high): ([u64; 4], [u64; 4])) -> [u64; 8] {
        [low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]]
    }
    fn halves(a: [u64; 8]) -> ([u64; 4], [u64; 4]) { ([a[0], a[1], a[2], a[3]], [a[4], a[5], a[6], a[7]]) }
    fn element<F: Copy>(words: [u64; 4]) -> F {
        assert!(size_of::<F>() == 32);
        unsafe { core::mem::transmute_copy(&words) }
    }
    trait ShapeOf { type S; }
    impl<M, S> ShapeOf for crate::cpu::field::montgomery::Element<M, S> { type S = S; }
    fn words<F: Copy>(element: F) -> [u64; 4] {
        assert!(size_of::<F>() == 32);
        unsafe { core::mem::transmute_copy(&element) }
    }
"""


def module_of(statement):
    """The file that the probe is added to, without its ending: the first part of the name."""
    return statement.name.split("::")[0]


def in_lanes(statement):
    return module_of(statement).startswith("vector")


def _types(curve):
    """The types of the engine for a curve: its fields, and their moduli."""
    text = (ROOT / "src/cpu/curves.rs").read_text()
    pattern = r"impl CpuCurve for (\w+) \{\s+type Base = ([^;]+);\s+type Scalar = ([^;]+);"
    found = {name.lower(): types for name, *types in re.findall(pattern, text)}
    if curve.name not in found:
        raise Wrong(f"the CPU engine has no types for {curve.name}")
    base, scalar = (text.replace("field::", "crate::cpu::field::") for text in found[curve.name])
    moduli = (re.search(r"<([^<>]*)>", text)[1] for text in (base, scalar))
    return dict(zip(("$Fp", "$Fn", "$Mp", "$Mn"), (base, scalar, *moduli)))


def _load(parameter, offset, lanes):
    values = [f"arguments[{offset + i}]" for i in range(parameter.words)]
    if lanes:
        values = [f"Words::load(lanes, &{value})" for value in values]
    elif parameter.kind == "flag":
        values = [f"{value} == 1" for value in values]
    elif parameter.kind == "u8":
        values = [f"{value} as u8" for value in values]
    right = f"[{', '.join(values)}]" if parameter.array else values[0]
    return f"let {parameter.name} = {right};"


def _store(parameter, offset, lanes):
    lines = []
    for i in range(parameter.words):
        value = f"{parameter.name}[{i}]" if parameter.array else parameter.name
        if lanes:
            lines.append(f"{value}.store(&mut results[{offset + i}]);")
        else:
            lines.append(f"results[{offset + i}] = u64::from({value});")
    return " ".join(lines)


def probe_name(statement, curve):
    return f"{kernel_name(statement)}_{curve.name}"


def _function(statement, curve, types):
    inputs, outputs = signature(statement, curve)
    lanes, lines, offset = in_lanes(statement), [], 0
    for parameter in inputs:
        lines.append(_load(parameter, offset, lanes))
        offset += parameter.words
    call = statement.call
    for short, name in types.items():
        call = call.replace(short, name)
    lines.append(call + ";")
    taken, offset = offset, 0
    for parameter in outputs:
        lines.append(_store(parameter, offset, lanes))
        offset += parameter.words
    word = "[u64; 8]" if lanes else "u64"
    head = f"results: &mut [{word}; {offset}], arguments: &[{word}; {taken}]"
    if lanes:
        lines.insert(0, "let lanes: crate::cpu::field::vector::Lanes = unsafe { core::mem::transmute(()) };")
    body = "\n        ".join(lines)
    head = f'pub extern "C" fn {probe_name(statement, curve)}({head})'
    return f"    #[unsafe(no_mangle)]\n    {head} {{\n        {body}\n    }}\n"


def _file(folder, module, variant):
    if module == "modular":
        return folder / f"modular_{variant}.rs"
    if module == "edwards":
        return folder / f"{EDWARDS}.rs"
    return folder / ("mod.rs" if module == "Field" else f"{module.replace('-', '/')}.rs")


def _write(folder, statements, curves, variant, field):
    """The crate of the probes."""
    shutil.copytree(field, folder / "cpu/field")
    (folder / "cpu/edwards").mkdir()
    shutil.copy(field / f"{EDWARDS}.rs", folder / "cpu/edwards")
    (folder / "lib.rs").write_text(_CRATE)
    modules = {}
    for curve in curves:
        types = _types(curve)
        for statement in statements:
            if statement.curves(curve):
                modules.setdefault(module_of(statement), []).append(_function(statement, curve, types))
    for module, texts in modules.items():
        with _file(folder / "cpu/field", module, variant).open("a") as file:
            file.write(_MODULE + "".join(texts) + "}\n")


def compile_to_llvm(statements, curves, variant, field=FIELD):
    """{(statement name, curve name): instructions}. `field` is a folder like src/cpu/field/."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, statements, curves, variant, field)
        passes = _passes(_COMBINED if variant in (LANES, BYTES) else _SIMPLER)
        _compile(folder, curves, *VARIANTS[variant], *_LLVM, "-C", f"passes={passes}")
        text = (folder / "probe.out").read_text()
    bodies, known = functions(text), constants(text)
    return {
        (statement.name, curve.name): tuple(instructions(bodies[probe_name(statement, curve)], known))
        for curve in curves
        for statement in statements
        if statement.curves(curve)
    }


@contextmanager
def library(statements, curves, variant):
    """The probes in machine code, compiled as the library is."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, statements, curves, variant, FIELD)
        _compile(folder, curves, *VARIANTS[variant], "--crate-type", "cdylib")
        yield ctypes.CDLL(str(folder / "probe.out"))


def _compile(folder, curves, *settings):
    environment = {**os.environ, "OUT_DIR": str(curves[0].generated.parent)}
    command = [os.environ.get("RUSTC", "rustc"), *_OPTIONS, *settings, "lib.rs"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise Wrong(f"rustc: {done.stderr[:2000]}")
