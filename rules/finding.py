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
