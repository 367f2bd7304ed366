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


def urgency() -> Urgency:
    """How urgent is what is done just now."""
    return _urgency.get()


def is_hurried() -> bool:
    """Whether somebody waits for what is done just now, be it a game's next step."""
    return urgency() is not Urgency.UNHURRIED


def background() -> None:
    """Mark this task as one for which nobody waits."""
    _urgency.set(Urgency.UNHURRIED)


@contextmanager
def interactive() -> Iterator[None]:
    """Mark what is done in this block as waited for, although its task is not."""
    with _marked(Urgency.AWAITED):
        yield


@contextmanager
def unhurried() -> Iterator[None]:
    """Mark what is done in this block as something for which nobody waits, although its task may be waited for."""
    with _marked(Urgency.UNHURRIED):
        yield


@contextmanager
def after_presses() -> Iterator[None]:
    """Mark what is done in this block as a step of a game."""
    with _marked(max(Urgency.STEP, urgency())):
        yield


@contextmanager
def _marked(how: Urgency) -> Iterator[None]:
    token = _urgency.set(how)
    try:
        yield
    finally:
        _urgency.reset(token)
