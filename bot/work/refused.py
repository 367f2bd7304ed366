"""Which game's words tell why a job about it refuses something."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from rules.errors import OrderError
from rules.protocol import Setup

P = ParamSpec("P")
G = TypeVar("G", str, Setup)
T = TypeVar("T")


@contextmanager
def told_by(system: str) -> Iterator[None]:
    """Whatever `OrderError` is raised meanwhile is one of this game."""
    try:
        yield
    except OrderError as refused:
        refused.system = system
        raise


def of_game(job: Callable[Concatenate[G, P], T]) -> Callable[Concatenate[G, P], T]:
    """A job about a game, whose first value is its name or a setup: its `OrderError`s are told in that game's words."""

    @wraps(job)
    def carried_out(game: G, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with told_by(game.system if isinstance(game, Setup) else game):
            return job(game, *args, **kwargs)

    return carried_out
