"""Silent payments (BIP 352): the payments to a receiver, found by a scan key, and the tweak points for that.

A server computes a tweak point for each transaction once (`index`), from public data only. The owner of a scan key
compares the outputs of each transaction with those that a payment to this receiver would have (`scan`).

>>> from gecc import silent_payments
>>> scan_key = "0f694e068028a717f8af6b9411f9a133dd3565258714cc226594b34db90c1f2c"
>>> spend_key = "025cc9856d6f8375350e123978daac200c260cb5b5ae83106cab90484dcd8fcf36"
>>> receiver = silent_payments.Receiver(scan_key, spend_key)
>>> tweak_points = ["024ac253c216532e961988e2a8ce266a447c894c781e52ef6cee902361db960004"]
>>> outputs = [["3e9fce73d4e77a4809908e3c3a2e54ee147b9312dc5044a193d1fc85de46e3c1"]]
>>> matches, ok = silent_payments.scan([receiver], tweak_points, outputs)
>>> matches.row, matches.output, matches.label
(array([0], dtype=uint64), array([0], dtype=uint64), array([-1]))
>>> matches.tweak[0, :4].tobytes().hex(), ok
('f438b401', array([ True]))
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gecc import _gecc
from gecc._answer import Answer
from gecc._gecc import Engine, Receiver
from gecc._types import Arrow, NumpyRows, Rows

__all__ = ["Matches", "Receiver", "index", "scan"]


class Matches(NamedTuple):
    """Outputs that are paid to receivers, by row, receiver and k: numpy columns, or Arrow columns if tweak points are.

    Attributes:
        row: the row of the scan.
        receiver: the receiver, as an index into the call's list.
        output: the output, as an index into the row's outputs.
        k: the counter of the sender, from 0.
        label: the label of the address that was paid; -1, or null in Arrow, for the address without one.
        tweak: rows of 32 bytes, to be added to the spend private key, modulo n, to get the output's private key. They
            are secret, and the caller has to wipe them; in Arrow arrays they are wiped when the last array that refers
            to them is dropped.
    """

    row: Any
    receiver: Any
    output: Any
    k: Any
    label: Any
    tweak: Any


def scan(
    receivers: Sequence[Receiver],
    tweak_points: Rows,
    outputs: Arrow | NumpyRows | Sequence[Sequence[bytes | str | int]],
    offsets: Any = None,
    *,
    reasons: bool = False,
    engine: Engine | None = None,
) -> Any:
    """Finds the outputs that are paid to receivers.

    Constant-time in scan keys: no branch and no address depends on them, on shared points or on tweaks. The duration of
    a call may reveal which rows match, and how many outputs of each.

    Args:
        receivers: the receivers to search for.
        tweak_points: n rows of 33, 64 or 65 bytes.
        outputs: the taproot outputs of each row: an Arrow column of lists, or a list of lists. Outputs are x-only keys
            of 32 bytes or hexadecimal text, or the first eight bytes of these as a number; matches are then only
            candidates, because another output has the same eight bytes with a probability of 2^-64.
        offsets: n + 1 numbers, if outputs are those of all rows one after another: rows of 32 bytes, or an array
            of `uint64` or `int64`. Row i has the outputs from `offsets[i]` to before `offsets[i + 1]`.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        `Matches`, and n verdicts. In each row, k is incremented from 0 while an output matches, up to 2322. Codes:
        MALFORMED_POINT, NOT_ON_CURVE, IDENTITY_KEY. Such rows have no matches.
    """
    if offsets is None and isinstance(outputs, (list, tuple)):
        outputs, offsets = _flat(outputs)
    elif isinstance(offsets, Sequence):
        offsets = np.array(offsets, np.uint64)
    columns, verdicts = _gecc.scan_silent_payments(engine, list(receivers), tweak_points, outputs, offsets, reasons)
    return Answer((Matches(*columns), verdicts))


def _flat(lists: Any) -> tuple[Any, Any]:
    """Flattens lists, and returns the offset of each."""
    flat = [output for outputs in lists for output in outputs]
    offsets = np.cumsum([0, *(len(outputs) for outputs in lists)], dtype=np.uint64)
    if flat and all(isinstance(output, int) for output in flat):
        return np.array(flat, np.uint64), offsets
    return flat, offsets


def index(
    outpoints: Rows, input_keys: Rows, *, out: Any = None, reasons: bool = False, engine: Engine | None = None
) -> Any:
    """Computes the tweak point of each transaction, `T = hash_BIP0352/Inputs(outpoint || A) A`.

    Not constant-time: all data here is public.

    Args:
        outpoints: n rows of 36 bytes, the smallest outpoint of each transaction, in the encoding of transactions.
        input_keys: n rows of 33, 64 or 65 bytes, the sums A of the public keys of eligible inputs.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes `x || y`, and n verdicts. Codes: MALFORMED_POINT, NOT_ON_CURVE, IDENTITY_KEY, and
        SCALAR_OUT_OF_RANGE if the hash is 0 or not below n.

    >>> outpoint = "169e1e83e930853391bc6f35f605c6754cfead57cf8387639d3b4096c54f18f400000000"
    >>> points, ok = index(outpoint, "032562c1ab2d6bd45d7ca4d78f569999e5333dffd3ac5263924fd00d00dedc4bee")
    >>> points[0, :4].tobytes().hex(), ok
    ('4ac253c2', array([ True]))
    """
    return _gecc.index_silent_payments(engine, outpoints, input_keys, out, reasons)
