"""Theorems about more than single functions: formulas, recodings, the division steps."""

from dataclasses import dataclass
from typing import Callable

from . import divsteps, edwards_statements, recoding
from .batches import check_batches
from .callers import PLACES, check_callers
from .catalogue import GENERATIONS
from .chains import check_chain, check_edwards_chain
from .compositions import COMPOSITIONS, check_compositions
from .edwards_formulas import check_edwards_formulas
from .edwards_loops import check_digits, check_loops
from .formulas import check_formulas
from .halves import check_halves
from .inversion import check_inversion
from .project import Wrong, edwards, weierstrass
from .recode_statements import check_next_digits, check_number_of_digits, check_window_digits, endomorphism
from .statements import everywhere
from .windows import check_base, check_entries, check_multiply_add, check_windows


@dataclass(frozen=True)
class Theorem:
    name: str
    says: str
    show: Callable  # of the curves; raises Wrong
    about: Callable = everywhere  # whether the theorem applies to a curve


def _enough_steps(_):
    enough = divsteps.steps_until_zero()
    if enough > divsteps.CLAIMED:
        raise Wrong(f"{enough} division steps may be needed")


def _steps(curves):
    divsteps.check_start()
    divsteps.check_rows()
    divsteps.check_cofactors()
    for architecture in GENERATIONS:
        divsteps.prove_step(curves[0], architecture)


def _digits(_):
    recoding.check_odd_digits()


def _each(check):
    """To show something of every curve by itself."""

    def show(curves):
        for curve in curves:
            check(curve)

    return show


def _window_digits(curves):
    for architecture in GENERATIONS:
        check_window_digits(curves[0], architecture)


def _edwards_digits(curves):
    for architecture in GENERATIONS:
        edwards_statements.check_window_digits(curves[0], architecture)


def _edwards_table_digits(curves):
    for architecture in GENERATIONS:
        edwards_statements.check_table_digits(curves[0], architecture)


def _batches(curves):
    check_batches(curves[0])  # the functions have nothing of the curve


def _next_digits(curves):
    for curve in curves:
        check_number_of_digits(curve)
    for architecture in GENERATIONS:
        check_next_digits(curves[0], architecture)


def _composition(composition):
    show = _each(lambda curve: check_compositions(curve, compositions=[composition]))
    return Theorem(f"`{composition.name}`", composition.says, show, composition.curves)


# The longest first.
THEOREMS = (
    Theorem("division steps", "590 steps reach g = 0 for 0 <= g <= f < 2^256", _enough_steps),
    Theorem(
        "`divsteps_30`",
        "one round is one division step; rows of the matrix stay within 2^30, cofactors between -2 M and M",
        _steps,
    ),
    Theorem(
        "`divsteps_inverse`",
        "1 / a modulo M, below M, for a < M, and 0 for 0: its rounds, those of `divsteps_30`, its end, and its words",
        _each(check_inversion),
    ),
    Theorem(
        "point formulas", "each is the group law in every case that it asks about", _each(check_formulas), weierstrass
    ),
    Theorem(
        "formulas of Ed25519",
        "each is the group law for all points of the curve: the denominators are never 0, as -1 is a square and d is "
        "none; a point that is decoded is on the curve and has the encoding's y and parity of x, where there is one; "
        "points of small order; encodings, and comparisons",
        _each(check_edwards_formulas),
        edwards,
    ),
    Theorem(
        "digits of Ed25519",
        "windows of a scalar below 2^253 and halves, less the halves, add up to it; each is in the tables",
        _each(check_digits),
        edwards,
    ),
    Theorem(
        "`ed_digit`",
        "a window, less half of 2^W but for the last, for every window of the widths 4 and 8",
        _edwards_digits,
        edwards,
    ),
    Theorem(
        "`ed_window_digit`",
        "window i of a scalar below n, plus the bit below it, less 2^bits times its top bit but for the last window, "
        "and an entry of the table, for every window and width from 3 to 30",
        _edwards_table_digits,
        edwards,
    ),
    Theorem(
        "`ed_multiply_two_var`, `ed_windows`, `ed_multiply_uniform`, `ed_put_multiples`, `ed_base_multiple`, "
        "`ed_is_of_small_order`",
        "k P + l Q and k B for all digits; that numbers have no digits above their windows; the multiples in the tables; whether 8 P is the identity",
        _each(check_loops),
        edwards,
    ),
    Theorem(
        "arguments of callers",
        f"the {len(PLACES)} places outside `cuda/field/` that write words of numbers are listed, each with the reason "
        "why the number is in its range: read, not proved",
        lambda _: check_callers(),
    ),
    Theorem("odd digits", "they add up to the scalar", _digits, weierstrass),
    Theorem(
        "`multiply_by_windows`",
        "k P, or the identity where k = 0, for all digits; `add_distinct` meets no exception",
        _each(check_windows),
        weierstrass,
    ),
    Theorem(
        "`multiply_add_var`",
        "u2 Q + u1 G, or the identity, for all digits of u2, and of u1 whether they are 0 or not",
        _each(check_multiply_add),
        weierstrass,
    ),
    Theorem(
        "`invert_all`, `block_invert`, `run_batched`",
        "each item gets the inverse of its own value, where none is 0, in batches and grids of several sizes",
        _batches,
    ),
    Theorem(
        "`fpmul_uniform`, `fpmul_var`",
        "k G, or the identity where k = 0, for all digits; `add_distinct` meets no exception",
        _each(check_base),
        weierstrass,
    ),
    Theorem(
        "`sum_entries_var`",
        "the sum of the entries whose digits are not 0, or the identity",
        _each(check_entries),
        weierstrass,
    ),
    Theorem(
        "`window_digit`",
        "window i, plus the bit below it, less 2^bits times its top bit, for every window and width below 31",
        _window_digits,
        weierstrass,
    ),
    Theorem(
        "`next_digit`",
        "what is left is a digit d and 2^W times what is left then, -2^(W-1) < d <= 2^(W-1); ceil(256 / W) digits, or "
        "ceil(130 / W) of a half, leave nothing, for every width W below 31",
        _next_digits,
        weierstrass,
    ),
    Theorem(
        "`split_scalar`",
        "k = k1 + k2 lambda mod n with |k1|, |k2| < 2^130, both odd",
        _each(recoding.check_split),
        endomorphism,
    ),
    Theorem(
        "`split_scalar`, `signed_parts_var`, `signed_digits_var`",
        "their calls give the windows of k1 and k2, the magnitudes of these before they are made odd, or k or n - k",
        _each(check_halves),
        weierstrass,
    ),
    Theorem("`root_chain`", "a^((p + 1) / 4): its constants, as its loop takes them", _each(check_chain), weierstrass),
    Theorem("`edwards::root_chain`", "a^((p - 5) / 8) for p = 2^255 - 19: the same", check_edwards_chain, edwards),
    *map(_composition, COMPOSITIONS),
)
