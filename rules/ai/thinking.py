"""When a captain who searches has thought enough, although it could try more.

Rules know no clock. How much is tried is counted, and follows from the position; but the one who asks for an answer may
say that it takes too long, as on a busy or slow machine. Then a captain takes the best that it has found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final


def _never_enough() -> bool:
    return False


_is_enough_check: Final[ContextVar[Callable[[], bool]]] = ContextVar("enough", default=_never_enough)


def is_enough() -> bool:
    """Return whether to try nothing more. To be asked before each piece of a search that takes its time."""
    return _is_enough_check.get()()


@contextmanager
def thinking_until(enough: Callable[[], bool]) -> Iterator[None]:
    """Let `enough` say in this block when captains have thought enough."""
    token = _is_enough_check.set(enough)
    try:
        yield
    finally:
        _is_enough_check.reset(token)
