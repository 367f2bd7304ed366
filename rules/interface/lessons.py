"""Lessons: positions with a goal, against a captain who acts by a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec import Struct

from rules.core.protocol import Event
from rules.core.view import Param, Text

E = TypeVar("E", bound=Event)


class LessonVerdict(Struct, frozen=True, kw_only=True):
    """What came of a lesson."""

    is_reached: bool
    reason: Text


class Lesson(Struct, frozen=True, kw_only=True):
    """One round for one captain, in seat 0. Its words stand in the catalogues under `lesson.<system>.<key>`."""

    key: str
    position: str
    """In the game's notation."""
    options: dict[str, str] = {}
    """The game's setup; seat 0 is the pupil."""
    script: dict[str, str] = {}
    """What the other captains answer, by request."""
    hidden_tokens: tuple[str, ...] = ()
    """Keys of groups, and tokens of options, that it does not show yet: what is for later."""
    solution: str
    """Orders that reach the goal, for those who are at a loss; of open turns a line an act."""
    solution_seed: str = ""
    """Seed of the dice (hex) for the `hint`, so that anyone who looks it up sees it come off; empty: any dice."""
    judge: Callable[[Any, tuple[Event, ...]], LessonVerdict]
    """What came of it, from the game's state after its round and all that happened in it."""


def events_of_type(events: Iterable[Event], kind: type[E]) -> list[E]:
    """The events of one type, in order."""
    return [event for event in events if isinstance(event, kind)]


def first_event_by(events: Iterable[Event], kind: type[E], ship: str) -> E | None:
    """The first event of one type that a ship did (`by`); None: there is none."""
    return next((event for event in events_of_type(events, kind) if getattr(event, "by", "") == ship), None)


def goal_reached(word: str = "reached", /, **params: Param) -> LessonVerdict:
    """The goal is reached: `lesson.<key>.<word>`."""
    return LessonVerdict(is_reached=True, reason=Text(word, params))


def goal_missed(reason: str, **params: Param) -> LessonVerdict:
    """The goal is missed, for this reason: `lesson.<key>.<reason>`."""
    return LessonVerdict(is_reached=False, reason=Text(reason, params))
