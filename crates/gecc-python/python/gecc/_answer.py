"""What calls give that compute something besides verdicts."""

from typing import Any, NoReturn


class Answer(tuple[Any, ...]):
    """Columns of results, and verdicts last. A tuple, but neither true nor false: each item has a verdict of its own.

    >>> import gecc
    >>> answer = gecc.public_keys("p256", bytes(32))
    >>> points, ok = answer
    >>> bool(answer)
    Traceback (most recent call last):
    ...
    ValueError: the truth value of an answer is ambiguous: its last part has a verdict for each item
    """

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise ValueError("the truth value of an answer is ambiguous: its last part has a verdict for each item")
