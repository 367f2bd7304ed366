"""Mark order errors with their game, whose catalogue explains them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from rules.core.errors import OrderError
from rules.core.protocol import Setup

P = ParamSpec("P")
G = TypeVar("G", str, Setup)
T = TypeVar("T")


@contextmanager
def errors_of_game(system: str) -> Iterator[None]:
    try:
        yield
    except OrderError as error:
        error.system = system
        raise


def marks_errors(job: Callable[Concatenate[G, P], T]) -> Callable[Concatenate[G, P], T]:
    """Set `system` on `OrderError`s of a job whose first argument is a system's name or a `Setup`."""

    @wraps(job)
    def marked_job(game: G, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with errors_of_game(game.system if isinstance(game, Setup) else game):
            return job(game, *args, **kwargs)

    return marked_job
