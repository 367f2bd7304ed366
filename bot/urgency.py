"""Mark work by whether a user waits for it. Queues for workers and for the database put such work first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from typing import Final

IsWanted = Callable[[], bool]  # returns whether somebody still waits for the result of a job


class Urgency(IntEnum):
    """The urgency of work, most urgent first."""

    AWAITED = 0
    """A user waits for it. This is the default."""
    STEP = 1
    """A step of a game. The captain whose press caused it has already been answered."""
    UNHURRIED = 2  # nobody waits for it


_urgency: Final[ContextVar[Urgency]] = ContextVar("urgency", default=Urgency.AWAITED)


def current_urgency() -> Urgency:
    return _urgency.get()


def is_awaited() -> bool:
    return current_urgency() is not Urgency.UNHURRIED


def mark_unhurried() -> None:
    _urgency.set(Urgency.UNHURRIED)


@contextmanager
def as_awaited() -> Iterator[None]:
    with _with_urgency(Urgency.AWAITED):
        yield


@contextmanager
def as_unhurried() -> Iterator[None]:
    with _with_urgency(Urgency.UNHURRIED):
        yield


@contextmanager
def as_step() -> Iterator[None]:
    with _with_urgency(max(Urgency.STEP, current_urgency())):
        yield


@contextmanager
def _with_urgency(urgency: Urgency) -> Iterator[None]:
    token = _urgency.set(urgency)
    try:
        yield
    finally:
        _urgency.reset(token)
