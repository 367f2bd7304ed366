"""Whether somebody waits for what is being done: in the queues for workers and for the database it goes first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from typing import Final


class Urgency(IntEnum):
    """Who goes first, the least."""

    AWAITED = 0
    """Somebody waits for it. So it is where nothing else was said."""
    STEP = 1
    """A game goes on with it; the captain whose press was the last has already been told that it counts."""
    UNHURRIED = 2
    """Nobody waits for it."""


_urgency: Final[ContextVar[Urgency]] = ContextVar("urgency", default=Urgency.AWAITED)


def current_urgency() -> Urgency:
    """How urgent is what is done just now."""
    return _urgency.get()


def is_awaited() -> bool:
    """Whether somebody waits for what is done just now, be it a game's next step."""
    return current_urgency() is not Urgency.UNHURRIED


def mark_unhurried() -> None:
    """Mark this task as one for which nobody waits."""
    _urgency.set(Urgency.UNHURRIED)


@contextmanager
def as_awaited() -> Iterator[None]:
    """Mark what is done in this block as waited for, although its task is not."""
    with _with_urgency(Urgency.AWAITED):
        yield


@contextmanager
def as_unhurried() -> Iterator[None]:
    """Mark what is done in this block as something for which nobody waits, although its task may be waited for."""
    with _with_urgency(Urgency.UNHURRIED):
        yield


@contextmanager
def as_step() -> Iterator[None]:
    """Mark what is done in this block as a step of a game."""
    with _with_urgency(max(Urgency.STEP, current_urgency())):
        yield


@contextmanager
def _with_urgency(how: Urgency) -> Iterator[None]:
    token = _urgency.set(how)
    try:
        yield
    finally:
        _urgency.reset(token)
