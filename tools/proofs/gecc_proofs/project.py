"""Where the project's sources are, and its curves. The constants of the device code are recomputed here."""

import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CUDA = ROOT / "cuda"
R = 1 << 256
# The curve in twisted Edwards form.
EDWARDS = "ed25519"
# What the other curves are together, in results.
SHORT_WEIERSTRASS = "short Weierstrass"


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
    generated: Path  # the folder with a folder for each curve
    d: int = 0  # of a twisted Edwards curve, which has no b; 0 in short Weierstrass form
    cofactor: int = 1

    def macro(self, name):
        """The text that a macro of the header stands for; None where it is not defined."""
        found = re.search(rf"^#define GECC_{name} (.*)$", self.header, re.M)
        return found[1] if found else None

    def constant(self, name):
        """A macro that is a list of words, as a number."""
        words = [int(word, 16) for word in re.findall(r"0x([0-9a-f]+)u", self.macro(name))]
        return sum(word << (32 * i) for i, word in enumerate(words))

    def word(self, name):
        """A macro that is one word, as a number."""
        return int(self.macro(name).rstrip("u"), 0)

    @property
    def reduction(self):
        shapes = ("FOLD", "FOLD_255", "P256", "SM2", "MONTGOMERY")
        return next(shape for shape in shapes if self.macro(f"REDUCTION_{shape}"))

    @property
    def factor(self):
        """What an element is multiplied by where it is stored: 1, or R in Montgomery form."""
        return 1 if self.reduction in ("FOLD", "FOLD_255") else R

    @property
    def open_words(self):
        return 10 if self.reduction == "FOLD" else 9

    @property
    def loose(self):
        """What an element is below."""
        return self.p if self.reduction == "MONTGOMERY" else R

    @property
    def opens(self):
        """Whether sums wait for their reduction (field/open.cuh)."""
        return self.reduction in ("FOLD", "P256", "SM2")

    @property
    def sparse_order(self):
        return self.macro("N_IS_SPARSE") is not None


def generated_headers():
    """The folder of headers that the build script wrote last: GECC_GENERATED_CUDA, or found where cargo builds."""
    named = os.environ.get("GECC_GENERATED_CUDA")
    if named:
        return Path(named)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    found = sorted(target.glob("*/build/gecc-*/out/cuda/*/curve.cuh"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise Wrong(f"no generated headers below {target}: build the library first")
    return found[-1].parent.parent


def weierstrass(curve):
    return not curve.d


def edwards(curve):
    return bool(curve.d)


def curves():
    """Every curve of curves/, with its header checked."""
    generated = generated_headers()
    result = []
    for path in sorted((ROOT / "curves").glob("*.toml")):
        text = tomllib.loads(path.read_text())
        header = (generated / text["name"] / "curve.cuh").read_text()
        endomorphism = text.get("endomorphism", {})
        curve = Curve(
            text["name"],
            *(int(text.get(key, "0"), 16) for key in ("p", "a", "b", "n")),
            (int(text["gx"], 16), int(text["gy"], 16)),
            tuple(int(endomorphism[key], 16) for key in ("beta", "lambda") if endomorphism),
            header,
            generated,
            int(text.get("d", "0"), 16),
            text.get("cofactor", 1),
        )
        check_constants(curve)
        result.append(curve)
    return result


def edwards_prime():
    """p of the curve in twisted Edwards form."""
    return int(tomllib.loads((ROOT / f"curves/{EDWARDS}.toml").read_text())["p"], 16)


def check_constants(curve):
    """Checks the value of every constant of the header that a proof uses."""
    least = (1 << 255) - 19, 1 << 252  # of the Edwards curve p is this
    for prefix, modulus, first in zip("PN", (curve.p, curve.n), least if edwards(curve) else (1 << 255,) * 2):
        if not (first <= modulus < R and modulus % 2):
            raise Wrong(f"{curve.name}: {prefix} has not its size, or is even")
        expected = {
            prefix: modulus,
            f"{prefix}_R": R % modulus,
            f"{prefix}_R2": R**2 % modulus,
            f"{prefix}_R3": R**3 % modulus,
        }
        for name, value in expected.items():
            _expect(curve, name, curve.constant(name), value)
        for name, bits, value in ((f"{prefix}_NEG_INV32", 32, -1), (f"{prefix}_INV30", 30, 1)):
            _expect(curve, name, curve.word(name) * modulus % (1 << bits), value % (1 << bits))
    one = curve.factor
    for name, value in (("ONE", 1), ("GX", curve.g[0]), ("GY", curve.g[1]), *_constants_of_form(curve)):
        _expect(curve, f"FIELD_{name}", curve.constant(f"FIELD_{name}"), value * one % curve.p)
    if curve.reduction == "FOLD":
        _expect(curve, "FOLD_C", curve.constant("FOLD_C"), R - curve.p)
    if curve.endomorphism:
        _expect(curve, "FIELD_BETA", curve.constant("FIELD_BETA"), curve.endomorphism[0] * one % curve.p)


def _constants_of_form(curve):
    """Checks the constants that are not elements, then yields (name, value) of the elements."""
    if edwards(curve):
        root = curve.constant("FIELD_ROOT_OF_MINUS_ONE")
        _expect(curve, "FIELD_ROOT_OF_MINUS_ONE, squared,", root**2 % curve.p, curve.p - 1)
        _expect(curve, "FOLD_255_C", curve.word("FOLD_255_C"), (1 << 255) - curve.p)
        _expect(curve, "COFACTOR_DOUBLINGS", 1 << int(curve.macro("COFACTOR_DOUBLINGS")), curve.cofactor)
        return ("D", curve.d), ("D2", 2 * curve.d)
    _expect(curve, "A_IS_ZERO", curve.macro("A_IS_ZERO"), str(int(curve.a == 0)))
    _expect(curve, "A_IS_MINUS_THREE", curve.macro("A_IS_MINUS_THREE"), str(int(curve.a == curve.p - 3)))
    return ("A", curve.a), ("B", curve.b)


def _expect(curve, name, found, expected):
    if found != expected:
        raise Wrong(f"{curve.name}: GECC_{name} is {found}, expected {expected}")
