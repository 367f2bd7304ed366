"""Lessons: positions with a goal, against a captain who acts by a script."""

from __future__ import annotations

from msgspec import Struct

from rules.view import Text


class Lesson(Struct, frozen=True, kw_only=True):
    """One round for one captain, in seat 0. Its words stand in the catalogues under `lesson.<system>.<key>`."""

    key: str
    position: str
    """In the game's notation."""
    options: dict[str, str] = {}
    """Of the game, so that seat 0 is whoever learns."""
    script: dict[str, str]
    """What the other captains answer, by request."""
    hides: tuple[str, ...] = ()
    """Keys of groups, and tokens of options, that it does not show yet: what is for later."""
    hint: str
    """Orders that reach the goal, for those who are at a loss; of open turns a line an act."""


class Verdict(Struct, frozen=True, kw_only=True):
    """What came of a lesson."""

    reached: bool
    why: Text
