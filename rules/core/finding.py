"""Find and replace items of tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

V = TypeVar("V")


def with_value_at(values: Sequence[V], at: int, value: V) -> tuple[V, ...]:
    return (*values[:at], value, *values[at + 1 :])


class HasId(Protocol):
    """An item with an id that is unique in its collection."""

    @property
    def id(self) -> str: ...


N = TypeVar("N", bound=HasId)
T = TypeVar("T")


def find_by_id(things: Iterable[N], name: str) -> N:
    """Return the item with this id. Raises `KeyError` if there is none."""
    for thing in things:
        if thing.id == name:
            return thing
    raise KeyError(name)


def with_updated(things: Iterable[N], new: N) -> tuple[N, ...]:
    """Return the items with `new` in place of the one with the same id."""
    return tuple(new if thing.id == new.id else thing for thing in things)


def find_nearest(things: Iterable[T], gap: Callable[[T], float]) -> tuple[float, T] | None:
    """Return the smallest gap and the first item that has it; None: there are no items."""
    return min(((gap(thing), thing) for thing in things), key=lambda pair: pair[0], default=None)
