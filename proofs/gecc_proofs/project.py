"""Where the project's sources are, and its curves. The constants of the device code are recomputed here."""

import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CUDA = ROOT / "cuda"
R = 1 << 256
# The curve in twisted Edwards form.
EDWARDS = "ed25519"


class Wrong(Exception):
    """Something that had to hold does not."""


@dataclass(frozen=True)
class Curve:
    name: str
    p: int
    a: int
    b: int
    n: int
    g: tuple
    endomorphism: tuple  # (beta, lambda), or empty
    header: str  # the generated curve.cuh
    generated: Path  # the folder with codes.cuh and a folder for each curve

    def macro(self, name):
        """The text that a macro of the header stands for; None where it is not defined."""
        found = re.search(rf"^#define GECC_{name} (.*)$", self.header, re.M)
        return found[1] if found else None

    def constant(self, name):
        """A macro that is a list of words, as a number."""
        words = [int(word, 16) for word in re.findall(r"0x([0-9a-f]+)u", self.macro(name))]
        return sum(word << (32 * i) for i, word in enumerate(words))

    @property
    def reduction(self):
        return next(shape for shape in ("FOLD", "P256", "SM2", "MONTGOMERY") if self.macro(f"REDUCTION_{shape}"))

    @property
    def factor(self):
        """What an element is multiplied by where it is stored: 1, or R in Montgomery form."""
        return 1 if self.reduction == "FOLD" else R

    @property
    def open_words(self):
        return 10 if self.reduction == "FOLD" else 9

    @property
    def opens(self):
        """Whether sums wait for their reduction (field/open.cuh)."""
        return self.reduction != "MONTGOMERY"

    @property
    def sparse_order(self):
        return self.macro("N_IS_SPARSE") is not None


def generated_headers():
    """The folder of headers that build.rs wrote last: GECC_GENERATED_CUDA, or found where cargo builds."""
    named = os.environ.get("GECC_GENERATED_CUDA")
    if named:
        return Path(named)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    found = sorted(target.glob("*/build/gecc-*/out/cuda/codes.cuh"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise Wrong(f"no generated headers below {target}: build the library first")
    return found[-1].parent


def curves():
    """Every curve of curves/ in short Weierstrass form, with its header checked. The device code of others is not proved."""
    generated = generated_headers()
    result = []
    for path in sorted((ROOT / "curves").glob("*.toml")):
        text = tomllib.loads(path.read_text())
        if "form" in text:
            continue
        header = (generated / text["name"] / "curve.cuh").read_text()
        endomorphism = text.get("endomorphism", {})
        curve = Curve(
            text["name"],
            *(int(text[key], 16) for key in ("p", "a", "b", "n")),
            (int(text["gx"], 16), int(text["gy"], 16)),
            tuple(int(endomorphism[key], 16) for key in ("beta", "lambda") if endomorphism),
            header,
            generated,
        )
        check_constants(curve)
        result.append(curve)
    return result


def edwards_prime():
    """p of the curve in twisted Edwards form."""
    return int(tomllib.loads((ROOT / f"curves/{EDWARDS}.toml").read_text())["p"], 16)


def check_constants(curve):
    """Every constant of the header that a proof uses is what its name says."""
    for prefix, modulus in (("P", curve.p), ("N", curve.n)):
        if not (1 << 255 < modulus < R and modulus % 2):
            raise Wrong(f"{curve.name}: {prefix} has not 256 bits, or is even")
        expected = {
            prefix: modulus,
            f"{prefix}_R": R % modulus,
            f"{prefix}_R2": R**2 % modulus,
            f"{prefix}_R3": R**3 % modulus,
        }
        for name, value in expected.items():
            _expect(curve, name, curve.constant(name), value)
        for name, bits, value in ((f"{prefix}_NEG_INV32", 32, -1), (f"{prefix}_INV30", 30, 1)):
            found = int(curve.macro(name).rstrip("u"), 16)
            _expect(curve, name, found * modulus % (1 << bits), value % (1 << bits))
    one = curve.factor
    for name, value in (("ONE", 1), ("A", curve.a), ("B", curve.b), ("GX", curve.g[0]), ("GY", curve.g[1])):
        _expect(curve, f"FIELD_{name}", curve.constant(f"FIELD_{name}"), value * one % curve.p)
    _expect(curve, "A_IS_ZERO", curve.macro("A_IS_ZERO"), str(int(curve.a == 0)))
    _expect(curve, "A_IS_MINUS_THREE", curve.macro("A_IS_MINUS_THREE"), str(int(curve.a == curve.p - 3)))
    if curve.reduction == "FOLD":
        _expect(curve, "FOLD_C", curve.constant("FOLD_C"), R - curve.p)
    if curve.endomorphism:
        _expect(curve, "FIELD_BETA", curve.constant("FIELD_BETA"), curve.endomorphism[0] * one % curve.p)


def _expect(curve, name, found, expected):
    if found != expected:
        raise Wrong(f"{curve.name}: GECC_{name} is {found}, expected {expected}")
