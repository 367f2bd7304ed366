"""Split events into moments, with the visible state before and after each, for films and overview pictures.

Each game's `retelling.py` has `visible_state(view)`, the part of a view that events change, `apply_event(state,
event)`, that part after an event, and `split_moments(view, events)`, the moments of a round whose outcome the view
shows.
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
    """Events that are shown at once, with what was seen before and after them."""

    before: T  # what was seen before the events
    events: tuple[Event, ...]  # events that are shown at once
    after: T  # what is seen after the events

    def events_of(self, kind: type[E]) -> tuple[E, ...]:
        return tuple(event for event in self.events if isinstance(event, kind))


def fold_events(before: T, events: Iterable[Event], apply_event: Callable[[T, Event], T]) -> T:
    """Return what is seen after all events, by applying each in turn."""
    return reduce(apply_event, events, before)
