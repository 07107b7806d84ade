"""Return values of calls that compute results in addition to verdicts."""

from typing import Any, NoReturn


class Answer(tuple[Any, ...]):
    """Columns of results, and verdicts last. A tuple without a truth value: each item has a verdict of its own.

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
