"""Reasons why an item is rejected, and why there is no result for all items."""

import enum

from gecc._gecc import reason_texts

_TEXTS = {code: text for code, _, text in reason_texts()}


class Reason(enum.IntEnum):
    """The meaning of an item's code: `VALID`, or the first check that failed.

    Calls return codes with `reasons=True`. Numbers are never changed; later versions may add some. 0 means that the
    item passed, so `codes.any()` is true if an item was rejected. Codes from 64 are for values that could not be read:
    they are null, or not hexadecimal, have the wrong length or another form, or contradict another value.

    >>> Reason(5)
    <Reason.HIGH_S: 5>
    >>> Reason.HIGH_S.text
    's is above n/2, which the low-s policy forbids'
    """

    VALID = 0
    MALFORMED_SIGNATURE = 2
    R_OUT_OF_RANGE = 3
    S_OUT_OF_RANGE = 4
    HIGH_S = 5
    ZERO_T = 6
    MALFORMED_POINT = 7
    NOT_ON_CURVE = 8
    IDENTITY_KEY = 9
    IDENTITY_RESULT = 10
    MISMATCH = 11
    RECOVERY_ID_OUT_OF_RANGE = 12
    NO_SUCH_R = 13
    SCALAR_OUT_OF_RANGE = 14
    SECRET_KEY_OUT_OF_RANGE = 15
    USER_ID_TOO_LONG = 16
    FAULTY_SIGNATURE = 18
    SMALL_ORDER_KEY = 19
    SMALL_ORDER_R = 20
    DIGEST_NULL = 64
    MESSAGE_NULL = 65
    SIGNATURE_NULL = 66
    DER_NULL = 69
    RECOVERY_ID_NULL = 70
    PUBLIC_KEY_NULL = 71
    SECRET_KEY_NULL = 72
    DIGEST_NOT_HEXADECIMAL = 80
    MESSAGE_NOT_HEXADECIMAL = 81
    SIGNATURE_NOT_HEXADECIMAL = 82
    DER_NOT_HEXADECIMAL = 85
    PUBLIC_KEY_NOT_HEXADECIMAL = 87
    SECRET_KEY_NOT_HEXADECIMAL = 88
    DIGEST_WRONG_LENGTH = 96
    SIGNATURE_WRONG_LENGTH = 98
    SECRET_KEY_WRONG_LENGTH = 104
    SIGNATURE_UNDEFINED_V = 130
    SIGNATURE_LOOKS_HEADER_FIRST = 146
    SIGNATURE_AMBIGUOUS = 162
    SIGNATURE_TRAILING_BYTE = 178
    RECOVERY_ID_DIFFERS_FROM_SIGNATURE = 198

    @property
    def text(self) -> str:
        """The meaning of the code, in English."""
        return _TEXTS[self.value]


class ItemError(ValueError):
    """An item without which a sum has no meaning.

    Attributes:
        item: its index, counted from 0. It is the first such item.
        reason: the problem of the item.

    >>> import gecc
    >>> try:
    ...     gecc.sum("p256", [bytes(64), bytes(63)])
    ... except ItemError as problem:
    ...     print(problem.item, problem.reason.name, "|", problem)
    1 MALFORMED_POINT | item 1: the point's encoding is malformed
    """

    def __init__(self, item: int, reason: Reason) -> None:
        super().__init__(item, reason)
        self.item = item
        self.reason = reason

    def __str__(self) -> str:
        return f"item {self.item}: {self.reason.text}"
