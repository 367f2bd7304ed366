"""A finished game as a story to be kept: how its captains stood, what happened round by round, and its best battle."""

from __future__ import annotations

from msgspec import Struct

from rules.core.protocol import Event, Seat
from rules.core.view import Text

ChronicleLine = tuple[Event | Text, ...]
"""Sentences that are told together."""


class FinalStanding(Struct, frozen=True, kw_only=True):
    """How a captain stood at the end."""

    seat: Seat
    place: int
    """From 1; equals share one."""
    sentence: Text
    """All of it in one sentence."""
    figures: dict[str, int | Text]
    """By column, as `standing.<key>`, in the order in which they are shown; a text stands below the captain's name."""


class ChronicleBattle(Struct, frozen=True, kw_only=True):
    """A battle within the game."""

    round: int
    """In which it met."""
    request: str
    """The question that its own game answered; empty: it had none."""
    sentences: ChronicleLine
    """How it met and how it ended."""


class ChronicleChapter(Struct, frozen=True, kw_only=True):
    """What all may know of a round."""

    round: int
    time: Text
    """The time of the story, such as a month."""
    lines: tuple[ChronicleLine, ...]


class Chronicle(Struct, frozen=True, kw_only=True):
    """A finished game as a story."""

    place: Text
    standings: tuple[FinalStanding, ...]
    """The best first."""
    chapters: tuple[ChronicleChapter, ...]
    score_name: Text
    """What is counted, round by round."""
    scores: tuple[dict[Seat, int], ...]
    """Before the first round, and after each chapter."""
    battles: tuple[ChronicleBattle, ...]
    """Those that were games of their own, in the order in which they met."""
    best_battle: ChronicleBattle | None
    """The fiercest of all battles; None: there was none."""
