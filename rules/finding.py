"""Things by their ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar


class Named(Protocol):
    """What has an id."""

    @property
    def id(self) -> str:
        """Unique among its like."""
        ...


N = TypeVar("N", bound=Named)


def by_id(things: Iterable[N], name: str) -> N:
    """The thing that has this id. Raises `KeyError` if none has."""
    for thing in things:
        if thing.id == name:
            return thing
    raise KeyError(name)


def updated(things: Iterable[N], new: N) -> tuple[N, ...]:
    """The things, with this one in the place of the one that has its id."""
    return tuple(new if thing.id == new.id else thing for thing in things)


def in_hand(things: Iterable[N], name: str) -> N | None:
    """The thing that has this id, otherwise the first; None: there are none."""
    every = tuple(things)
    return next((thing for thing in every if thing.id == name), every[0] if every else None)
