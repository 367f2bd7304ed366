"""Whether somebody waits for what is being done: in the queues for workers and for the database it goes first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_unhurried: Final[ContextVar[bool]] = ContextVar("unhurried", default=False)


def is_hurried() -> bool:
    """Whether somebody waits for what is done just now; so it is where nothing else was said."""
    return not _unhurried.get()


def background() -> None:
    """Mark this task as one for which nobody waits."""
    _unhurried.set(True)


@contextmanager
def interactive() -> Iterator[None]:
    """Mark what is done in this block as waited for, although its task is not."""
    token = _unhurried.set(False)
    try:
        yield
    finally:
        _unhurried.reset(token)


@contextmanager
def unhurried() -> Iterator[None]:
    """Mark what is done in this block as something for which nobody waits, although its task may be waited for."""
    token = _unhurried.set(True)
    try:
        yield
    finally:
        _unhurried.reset(token)
