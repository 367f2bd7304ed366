"""Whether what is being sent is still ours to send, where another bot may have taken it over meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Tenure = Callable[[], bool]
"""Tells whether what was ours when it was made has been so ever since."""


class NotOurs(Exception):
    """What was to be sent is another bot's to send by now: nothing was asked of Discord."""


def always() -> bool:
    """Where one bot plays alone."""
    return True


_sending: ContextVar[Tenure] = ContextVar("sending", default=always)


@contextmanager
def as_long_as(ours: Tenure) -> Iterator[None]:
    """What is asked of Discord within is asked only as long as this holds."""
    before = _sending.set(ours)
    try:
        yield
    finally:
        _sending.reset(before)


def check() -> None:
    """Raise `NotOurs` if the message that is being sent is no longer ours. Called just before each request."""
    if not _sending.get()():
        raise NotOurs
