"""Whether what is being sent is still ours to send, where another bot may have taken it over meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

OwnershipCheck = Callable[[], bool]
"""Tells whether what was ours when it was made has been so ever since."""


class LeaseLost(Exception):
    """What was to be sent is another bot's to send by now: nothing was asked of Discord."""


def always_owned() -> bool:
    """Where one bot plays alone."""
    return True


_current_check: ContextVar[OwnershipCheck] = ContextVar("sending", default=always_owned)


@contextmanager
def require_ownership(ours: OwnershipCheck) -> Iterator[None]:
    """What is asked of Discord within is asked only as long as this holds."""
    before = _current_check.set(ours)
    try:
        yield
    finally:
        _current_check.reset(before)


def raise_if_lost() -> None:
    """Raise `LeaseLost` if the message that is being sent is no longer ours. Called just before each request."""
    if not _current_check.get()():
        raise LeaseLost
