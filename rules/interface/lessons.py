"""Lessons: positions with a goal, against a captain who follows a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec import Struct

from rules.core.protocol import Event
from rules.core.view import Param, Text

E = TypeVar("E", bound=Event)


class LessonVerdict(Struct, frozen=True, kw_only=True):
    is_reached: bool  # whether the goal is reached
    reason: Text  # why the goal is reached or missed


class Lesson(Struct, frozen=True, kw_only=True):
    """A lesson of one round for one captain in seat 0. Its texts have keys `lesson.<system>.<key>`."""

    key: str  # names the lesson within its game
    position: str  # where the lesson begins, in the game's notation
    options: dict[str, str] = {}  # options of the game, with defaults for missing ones
    script: dict[str, str] = {}  # answers of the other captains, by request
    hidden_tokens: tuple[str, ...] = ()
    """Keys of groups and tokens of options that are hidden because they belong to later lessons."""
    solution: str  # orders that reach the goal. Where every move is a step, one line is one action.
    solution_seed: str = ""  # dice seed (hex) with which the solution succeeds; empty: any dice
    judge: Callable[[Any, tuple[Event, ...]], LessonVerdict]
    """Returns the verdict from the state after the round and all its events."""


def events_of_type(events: Iterable[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def first_event_by(events: Iterable[Event], kind: type[E], ship: str) -> E | None:
    """Return the first event of a type whose field `by` is this ship, or None."""
    return next((event for event in events_of_type(events, kind) if getattr(event, "by", "") == ship), None)


def goal_reached(word: str = "reached", /, **params: Param) -> LessonVerdict:
    """Return a success with the reason `lesson.<key>.<word>`."""
    return LessonVerdict(is_reached=True, reason=Text(word, params))


def goal_missed(reason: str, **params: Param) -> LessonVerdict:
    """Return a failure with the reason `lesson.<key>.<reason>`."""
    return LessonVerdict(is_reached=False, reason=Text(reason, params))
