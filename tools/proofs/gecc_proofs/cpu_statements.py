"""The statements about the CPU's fields: words, elements modulo p and scalars modulo n."""

from .languages import LLVM, LLVM_OF_BYTES
from .polynomial import number
from .project import R, edwards_prime
from .rust_probes import BYTES, LANES, in_lanes
from .statements import AtMost, Congruent, Statement, below, equal, everywhere, nothing


def exists(statement, variant):
    """Whether the code for a variant (rust_probes.py) has the function."""
    if in_lanes(statement) or variant == LANES:
        return in_lanes(statement) and variant == LANES
    if statement in CONVERSIONS or variant == BYTES:
        return statement in CONVERSIONS and variant == BYTES
    return statement is not SELECT or variant == "portable"


def _statement(name, signature, call, says, claims, needs=nothing, curves=everywhere, ranges=None, language=LLVM):
    return Statement(name, signature, call, says, claims, needs, curves, ranges=ranges or {}, language=language)


def _product_above_diagonal(words):
    return number([]) + sum(
        (words[i] * words[j]).scaled(1 << 64 * (i + j)) for i in range(4) for j in range(i + 1, 4)
    )


LIMBS = [
    _statement(
        "limbs::add",
        "u64 a[4], u64 b[4] -> u64 r[4], flag out",
        "let (r, out) = add(&a, &b)",
        "a + b = r + 2^256 carry",
        lambda v, c: [equal(v.r + v.out * R - v.a - v.b)],
    ),
    _statement(
        "limbs::sub",
        "u64 a[4], u64 b[4] -> u64 r[4], flag out",
        "let (r, out) = sub(&a, &b)",
        "a - b = r - 2^256 borrow",
        lambda v, c: [equal(v.r - v.out * R - v.a + v.b)],
    ),
    _statement(
        "limbs::mul_wide_limb",
        "u64 a, u64 b -> u64 low, u64 high",
        "let (low, high) = mul_wide_limb(a, b)",
        "low + 2^64 high = a b",
        lambda v, c: [equal(v.low + v.high * 2**64 - v.a * v.b)],
    ),
    _statement(
        "limbs::mul_limb",
        "u64 a[4], u64 b -> u64 r[5]",
        "let r = mul_limb(&a, b)",
        "r = a b",
        lambda v, c: [equal(v.r - v.a * v.b)],
    ),
    _statement(
        "limbs::mul_limb_add",
        "u64 s[4], u64 a[4], u64 b -> u64 r[5]",
        "let r = mul_limb_add(&s, &a, b)",
        "r = s + a b",
        lambda v, c: [equal(v.r - v.s - v.a * v.b)],
    ),
    _statement(
        "limbs::mul_wide",
        "u64 a[4], u64 b[4] -> u64 r[8]",
        "let r = joined(mul_wide(&a, &b))",
        "r = a b",
        lambda v, c: [equal(v.r - v.a * v.b)],
    ),
    _statement(
        "limbs::square_wide",
        "u64 a[4] -> u64 r[8]",
        "let r = joined(square_wide(&a))",
        "r = a^2",
        lambda v, c: [equal(v.r - v.a * v.a)],
    ),
    _statement(
        "limbs::add_six",
        "u64 a[7], u64 b[6] -> u64 r[7]",
        "let r = add_six(&a, &b)",
        "r = a + b, for a sum below 2^448",
        lambda v, c: [equal(v.r - v.a - v.b)],
        lambda v, c: [v.a + v.b - (2**448 - 1)],
    ),
    _statement(
        "limbs::products_above_diagonal",
        "u64 a[4] -> u64 r[6]",
        "let r = products_above_diagonal(&a)",
        "2^64 r is the sum of a_i a_j 2^(64 (i + j)) over i < j",
        lambda v, c: [equal(v.r * 2**64 - _product_above_diagonal(v.words["a"]))],
    ),
]


# Loops over bytes.
CONVERSIONS = [
    _statement(
        "limbs::from_be_bytes",
        "u8 a[32] -> u64 r[4]",
        "let r = from_be_bytes(&a)",
        "r is the number whose bytes are a, the highest first",
        lambda v, c: [equal(v.r - number(v.words["a"][::-1], 8))],
        ranges={"a": (0, 255)},
    ),
    _statement(
        "limbs::to_be_bytes",
        "u64 a[4] -> u8 r[32]",
        "let r = to_be_bytes(&a)",
        "r are the bytes of a, the highest first",
        lambda v, c: [equal(v.a - number(v.words["r"][::-1], 8)), *(AtMost(byte, 255) for byte in v.words["r"])],
    ),
    _statement(
        "limbs::from_le_bytes",
        "u8 a[32] -> u64 r[4]",
        "let r = from_le_bytes(&a)",
        "r is the number whose bytes are a, the lowest first",
        lambda v, c: [equal(v.r - number(v.words["a"], 8))],
        ranges={"a": (0, 255)},
    ),
    _statement(
        "limbs::to_le_bytes",
        "u64 a[4] -> u8 r[32]",
        "let r = to_le_bytes(&a)",
        "r are the bytes of a, the lowest first",
        lambda v, c: [equal(v.a - number(v.words["r"], 8)), *(AtMost(byte, 255) for byte in v.words["r"])],
        language=LLVM_OF_BYTES,
    ),
]


def _p(curve):
    return curve.p


def _n(curve):
    return curve.n


# Of each modulus: its letter in names of statements and of types, and its value.
_MODULI = (("p", _p), ("n", _n))


def _folds(curve):
    return curve.factor == 1


def _p256(curve):
    return curve.reduction == "P256"


def _sm2(curve):
    return curve.reduction == "SM2"


def _in_montgomery_form(letter):
    return (lambda curve: not _folds(curve)) if letter == "p" else everywhere


def _general(letter):
    return (lambda curve: curve.reduction == "MONTGOMERY") if letter == "p" else everywhere


def _of_modulus(letter, m):
    """Statements that are the same for every modulus m: additions in either form."""
    modulus = f"&<$M{letter} as crate::cpu::field::moduli::Modulus>::M"
    return [
        _statement(
            f"modular::add_mod({letter})",
            "u64 a[4], u64 b[4] -> u64 r[4]",
            f"let r = add_mod(&a, &b, {modulus})",
            "r = a + b mod m, r < m, for a, b < 2^256 with a + b < 2 m",
            lambda v, c: [Congruent(v.r - v.a - v.b, m(c)), below(v.r, m(c))],
            lambda v, c: [v.a + v.b - (2 * m(c) - 1)],
        ),
        _statement(
            f"modular::sub_mod({letter})",
            "u64 a[4], u64 b[4] -> u64 r[4]",
            f"let r = sub_mod(&a, &b, {modulus})",
            "r = a - b mod m, r < m, for a, b < m",
            lambda v, c: [Congruent(v.r - v.a + v.b, m(c)), below(v.r, m(c))],
            lambda v, c: [v.a - (m(c) - 1), v.b - (m(c) - 1)],
        ),
        _statement(
            f"modular::sub_wide_mod({letter})",
            "u64 a[8], u64 b[8] -> u64 r[8]",
            f"let r = joined(sub_wide_mod(&halves(a), &halves(b), {modulus}))",
            "r = a - b mod 2^256 m, r < 2^256 m, for a, b < 2^256 m",
            lambda v, c: [Congruent(v.r - v.a + v.b, R * m(c)), below(v.r, R * m(c))],
            lambda v, c: [v.a - (R * m(c) - 1), v.b - (R * m(c) - 1)],
        ),
        _statement(
            f"modular::half_mod({letter})",
            "u64 a[4] -> u64 r[4]",
            f"let r = half_mod(&a, {modulus})",
            "2 r = a mod m, r < m, for a < m",
            lambda v, c: [Congruent(v.r * 2 - v.a, m(c)), below(v.r, m(c))],
            lambda v, c: [v.a - (m(c) - 1)],
        ),
    ]


SELECT = _statement(
    "modular::select",
    "flag choice, u64 a[4], u64 b[4] -> u64 r[4]",
    "let r = select(choice, &a, &b)",
    "r = a where the choice is true, else b",
    lambda v, c: [equal(v.r - v.b - v.choice * (v.a - v.b))],
    ranges={"choice": (0, 1)},
)
MODULAR = [statement for letter, m in _MODULI for statement in _of_modulus(letter, m)] + [SELECT]


def _limb_reduced(name, call, m, curves):
    """2^64 r = t + k m for a k below 2^64."""
    return _statement(
        name,
        "u64 t[4] -> u64 r[4]",
        f"let r = {call}(&t)",
        "2^64 r = t mod m, r <= m + (t - m) / 2^64",
        lambda v, c: [Congruent(v.r * 2**64 - v.t, m(c)), AtMost((v.r - m(c)) * 2**64 - v.t + m(c), 0)],
        curves=curves,
    )


def _of_montgomery(letter, m):
    shape = f"$M{letter}, <$F{letter} as ShapeOf>::S"
    return [
        _limb_reduced(
            f"montgomery::reduce_limb({letter})", f"General::reduce_limb::<$M{letter}>", m, _general(letter)
        ),
        _statement(
            f"montgomery::reduce_low({letter})",
            "u64 low[4] -> u64 r[4]",
            f"let r = reduce_low::<{shape}>(&low)",
            "r R = low mod m, r <= m + (low - m) / R",
            lambda v, c: [Congruent(v.r * R - v.low, m(c)), AtMost((v.r - m(c)) * R - v.low + m(c), 0)],
            curves=_in_montgomery_form(letter),
        ),
        _statement(
            f"montgomery::reduce_wide({letter})",
            "u64 low[4], u64 high[4] -> u64 r[4]",
            f"let r = reduce_wide::<{shape}>((low, high))",
            "r R = low + 2^256 high mod m, r < m, for high < m",
            lambda v, c: [Congruent((v.r - v.high) * R - v.low, m(c)), below(v.r, m(c))],
            lambda v, c: [v.high - (m(c) - 1)],
            curves=_in_montgomery_form(letter),
        ),
        _statement(
            f"montgomery::from_plain({letter})",
            "u64 a[4] -> u64 r[4]",
            f"let r = words(<$F{letter}>::from_plain(&a))",
            "r = a R mod m, r < m, for any a",
            lambda v, c: [Congruent(v.r - v.a * R, m(c)), below(v.r, m(c))],
            curves=_in_montgomery_form(letter),
        ),
        _statement(
            f"montgomery::to_plain({letter})",
            "u64 a[4] -> u64 r[4]",
            f"let r = element::<$F{letter}>(a).to_plain()",
            "r R = a mod m, r < m, for a < m",
            lambda v, c: [Congruent(v.r * R - v.a, m(c)), below(v.r, m(c))],
            lambda v, c: [v.a - (m(c) - 1)],
            curves=_in_montgomery_form(letter),
        ),
    ]


MONTGOMERY = [statement for letter, m in _MODULI for statement in _of_montgomery(letter, m)] + [
    _limb_reduced("p256::reduce_limb", "Prime::reduce_limb::<$Mp>", _p, _p256),
    _limb_reduced("sm2::reduce_limb", "Prime::reduce_limb::<$Mp>", _p, _sm2),
]

FOLD = [
    _statement(
        "secp256k1::reduce",
        "u64 low[4], u64 high[4] -> u64 r[4]",
        "let r = reduce::<$Mp>((low, high))",
        "r = low + 2^256 high mod p, r < p",
        lambda v, c: [Congruent(v.r - v.low - v.high * R, c.p), below(v.r, c.p)],
        curves=_folds,
    ),
    _statement(
        "secp256k1::fold",
        "u64 low[4], u64 high[4] -> u64 r[4], u64 s[2]",
        "let (r, s) = fold::<$Mp>((low, high))",
        "r + s = low + 2^256 high mod p, s < 2^66",
        lambda v, c: [Congruent(v.r + v.s - v.low - v.high * R, c.p), below(v.s, 1 << 66)],
        curves=_folds,
    ),
    _statement(
        "secp256k1::reduce_uniform",
        "u64 low[4], u64 high[4] -> u64 r[4]",
        "let r = reduce_uniform::<$Mp>((low, high))",
        "r = low + 2^256 high mod p, r < p",
        lambda v, c: [Congruent(v.r - v.low - v.high * R, c.p), below(v.r, c.p)],
        curves=_folds,
    ),
    _statement(
        "secp256k1::is_reducible",
        "u64 a[4] -> flag out",
        "let out = is_reducible::<$Mp>(&a)",
        "says whether p <= a",
        lambda v, c: [AtMost(v.out * c.p - v.a, 0), AtMost(v.a - v.out * R, c.p - 1)],
        curves=_folds,
    ),
    _statement(
        "secp256k1::add_c",
        "u64 a[4] -> u64 r[4]",
        "let r = add_c::<$Mp>(&a)",
        "r = a + 2^256 - p mod 2^256",
        lambda v, c: [Congruent(v.r - v.a + c.p, R)],
        curves=_folds,
    ),
]


def _element(
    function, arguments, says, difference, letter, m, *, products=(), difference_of="", trait="Field", curves=everywhere
):
    """A function of elements below m to an element below m. `difference` is 0 modulo m. `difference_of` are two
    products whose difference is reduced: it is given out as well, and the bound of its high half shown first."""
    call = ", ".join(f"&element({a})" for a in arguments)

    def needs(v, c):
        ends = [getattr(v, a) - (m(c) - 1) for a in arguments]
        # These follow from the ends, but z3 knows single words only.
        return ends + [getattr(v, a) * getattr(v, b) - (m(c) - 1) ** 2 for a, b in products]

    def claims(v, c):
        w = v.words.get("w", [])
        bounds = [below(number(w[4:], 64), m(c)), below(number(w[:4], 64), R)] if w else []
        factor = R if letter == "n" else c.factor
        return bounds + [below(v.r, m(c)), Congruent(difference(v, c, factor), m(c))]

    taken = ", ".join(f"u64 {a}[4]" for a in arguments)
    first_call, given = "", "u64 r[4]"
    if difference_of:
        modulus = f"<$M{letter} as crate::cpu::field::moduli::Modulus>::M"
        first_call = f"let w = joined(modular::sub_wide_mod({difference_of}, &{modulus})); "
        given += ", u64 w[8]"
    return _statement(
        f"Field::{function}({letter})",
        f"{taken} -> {given}",
        f"{first_call}let r = words(<$F{letter} as {trait}>::{function}({call}))",
        says,
        claims,
        needs,
        curves=curves,
    )


def _of_field(letter, m):
    def element(function, arguments, says, difference, **more):
        return _element(function, arguments, says, difference, letter, m, **more)

    return [
        element("add", "ab", "r = a + b mod m", lambda v, c, f: v.r - v.a - v.b),
        element("sub", "ab", "r = a - b mod m", lambda v, c, f: v.r - v.a + v.b),
        element("neg", "a", "r = -a mod m", lambda v, c, f: v.r + v.a),
        element("double", "a", "r = 2 a mod m", lambda v, c, f: v.r - v.a * 2),
        element("half", "a", "2 r = a mod m", lambda v, c, f: v.r * 2 - v.a),
        *_products(element, ""),
    ]


def _products(element, suffix):
    """The products among the functions of elements, with `suffix` at the end of their names."""
    return [
        element("mul" + suffix, "ab", "r F = a b mod m", lambda v, c, f: v.r * f - v.a * v.b, products=["ab"]),
        element("square" + suffix, "a", "r F = a^2 mod m", lambda v, c, f: v.r * f - v.a * v.a, products=["aa"]),
        element(
            "mul_sub_mul" + suffix,
            "abcd",
            "r F = a b - c d mod m",
            lambda v, c, f: v.r * f - v.a * v.b + v.c * v.d,
            products=["ab", "cd"],
            difference_of="&limbs::mul_wide(&a, &b), &limbs::mul_wide(&c, &d)",
        ),
        element(
            "mul_sub_square" + suffix,
            "abc",
            "r F = a b - c^2 mod m",
            lambda v, c, f: v.r * f - v.a * v.b + v.c * v.c,
            products=["ab", "cc"],
            difference_of="&limbs::mul_wide(&a, &b), &limbs::square_wide(&c)",
        ),
    ]


def _uniform(function, arguments, says, difference, **more):
    """A constant-time product, where it is another function than the product in variable time."""
    return _element(function, arguments, says, difference, "p", _p, trait="Coordinate", curves=_folds, **more)


FIELDS = [statement for letter, m in _MODULI for statement in _of_field(letter, m)] + _products(_uniform, "_uniform")


# p = 2^255 - 19.
_Q = edwards_prime()


def _of_edwards(function, arguments, says, difference):
    """A function of any numbers below 2^256 to such a number. `difference` is 0 modulo p."""
    first, *others = (f"element::<Element>({a})" for a in arguments)
    return _statement(
        f"edwards::{function}",
        ", ".join(f"u64 {a}[4]" for a in arguments) + " -> u64 r[4]",
        f"let r = words({first}.{function}({', '.join('&' + other for other in others)}))",
        f"{says}, for p = 2^255 - 19",
        lambda v, c: [Congruent(difference(v), _Q)],
    )


EDWARDS = [
    _statement(
        "edwards::fold",
        "u64 a[4], u64 extra -> u64 r[4]",
        "let r = words(fold(&a, extra))",
        "r = a + extra mod p, for extra + 38 < 2^64 and p = 2^255 - 19",
        lambda v, c: [Congruent(v.r - v.a - v.extra, _Q)],
        lambda v, c: [v.extra - (2**64 - 39)],
    ),
    _statement(
        "edwards::reduce",
        "u64 low[4], u64 high[4] -> u64 r[4]",
        "let r = words(reduce((low, high)))",
        "r = low + 2^256 high mod p, for p = 2^255 - 19",
        lambda v, c: [Congruent(v.r - v.low - v.high * R, _Q)],
    ),
    _of_edwards("add", "ab", "r = a + b mod p", lambda v: v.r - v.a - v.b),
    _of_edwards("sub", "ab", "r = a - b mod p", lambda v: v.r - v.a + v.b),
    _of_edwards("neg", "a", "r = -a mod p", lambda v: v.r + v.a),
    _of_edwards("double", "a", "r = 2 a mod p", lambda v: v.r - v.a * 2),
    _of_edwards("mul", "ab", "r = a b mod p", lambda v: v.r - v.a * v.b),
    _of_edwards("square", "a", "r = a^2 mod p", lambda v: v.r - v.a * v.a),
    _statement(
        "edwards::mul_small",
        "u64 a[4], u64 factor -> u64 r[4]",
        "let r = words(element::<Element>(a).mul_small(factor))",
        "r = factor a mod p, for factor < 2^58 and p = 2^255 - 19",
        lambda v, c: [Congruent(v.r - v.a * v.factor, _Q)],
        ranges={"factor": (0, 2**58 - 1)},
    ),
    _statement(
        "edwards::canonical",
        "u64 a[4] -> u64 r[4]",
        "let r = element::<Element>(a).canonical()",
        "r = a mod p, r < p, for p = 2^255 - 19",
        lambda v, c: [Congruent(v.r - v.a, _Q), below(v.r, _Q)],
    ),
]

WORDS = LIMBS + CONVERSIONS + [SELECT] + EDWARDS
STATEMENTS = LIMBS + CONVERSIONS + MODULAR + MONTGOMERY + FOLD + FIELDS + EDWARDS
