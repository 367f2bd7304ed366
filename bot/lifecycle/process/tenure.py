"""Check that a message is still this bot's to send; another bot may have taken over its shard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

OwnershipCheck = Callable[[], bool]


class LeaseLost(Exception):
    pass


def always_owned() -> bool:
    return True


_current_check: ContextVar[OwnershipCheck] = ContextVar("sending", default=always_owned)


@contextmanager
def require_ownership(ours: OwnershipCheck) -> Iterator[None]:
    token = _current_check.set(ours)
    try:
        yield
    finally:
        _current_check.reset(token)


def raise_if_lost() -> None:
    """Raise `LeaseLost` if the current message is no longer this bot's. Called just before each request."""
    if not _current_check.get()():
        raise LeaseLost
