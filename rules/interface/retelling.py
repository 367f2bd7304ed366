"""What was seen before and after each group of events: films and sheets are drawn from these.

Each game's `retelling.py` has `seen(view)`, what of a view its events change; `carried_out(seen, event)`, the same
after an event; and `moments(view, events)`, the moments of a round whose outcome the view shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Generic, TypeVar

from rules.core.protocol import Event

T = TypeVar("T")
E = TypeVar("E", bound=Event)


@dataclass(frozen=True, kw_only=True)
class Moment(Generic[T]):
    """Events that are shown in one go."""

    before: T
    """What was seen as they began."""
    events: tuple[Event, ...]
    after: T

    def events_of(self, kind: type[E]) -> tuple[E, ...]:
        """Its events of a type, in order."""
        return tuple(event for event in self.events if isinstance(event, kind))


def fold_events(now: T, events: Iterable[Event], carried_out: Callable[[T, Event], T]) -> T:
    """What is seen after events, by what `carried_out` makes of each."""
    return reduce(carried_out, events, now)
