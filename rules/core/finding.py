"""Things by their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar


class HasId(Protocol):
    """What has an id."""

    @property
    def id(self) -> str:
        """Unique among its like."""
        ...


N = TypeVar("N", bound=HasId)
T = TypeVar("T")


def find_by_id(things: Iterable[N], name: str) -> N:
    """The thing that has this id. Raises `KeyError` if none has."""
    for thing in things:
        if thing.id == name:
            return thing
    raise KeyError(name)


def with_updated(things: Iterable[N], new: N) -> tuple[N, ...]:
    """The things, with this one in the place of the one that has its id."""
    return tuple(new if thing.id == new.id else thing for thing in things)


def find_nearest(things: Iterable[T], gap: Callable[[T], float]) -> tuple[float, T] | None:
    """The least gap and the thing that has it, of equals the first; None: there are no things."""
    return min(((gap(thing), thing) for thing in things), key=lambda found: found[0], default=None)
