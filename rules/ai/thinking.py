"""A time limit for computer captains that search, although rules know no clock.

The number of trials follows from the position. The caller may stop a search early, as on a slow or busy machine. The
captain then returns the best answer so far.
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
    """Return whether to stop the search. Call it before each expensive part."""
    return _is_enough_check.get()()


@contextmanager
def thinking_until(enough: Callable[[], bool]) -> Iterator[None]:
    """Use `enough` inside this block to decide whether a search should stop."""
    token = _is_enough_check.set(enough)
    try:
        yield
    finally:
        _is_enough_check.reset(token)
