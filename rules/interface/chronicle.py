"""A finished game as a story: final standings, events round by round, and the best battle."""

from __future__ import annotations

from msgspec import Struct

from rules.core.protocol import Event, Seat
from rules.core.view import Text

ChronicleLine = tuple[Event | Text, ...]  # sentences of one paragraph


class FinalStanding(Struct, frozen=True, kw_only=True):
    """A captain's final standing, with the place (from 1, shared by equals) and a sentence that sums it up."""

    seat: Seat
    place: int
    sentence: Text
    figures: dict[str, int | Text]
    """Values by column `standing.<key>`, in display order. A text appears below the captain's name."""


class ChronicleBattle(Struct, frozen=True, kw_only=True):
    """A battle within the game, with the round in which it began and sentences on its start and end."""

    round: int
    request: str  # the request that its own game answered; empty: it was not a separate game
    sentences: ChronicleLine


class ChronicleChapter(Struct, frozen=True, kw_only=True):
    round: int
    time: Text  # the time within the story, such as a month
    lines: tuple[ChronicleLine, ...]


class Chronicle(Struct, frozen=True, kw_only=True):
    """A finished game as a story, with standings from the best to the worst."""

    place: Text
    standings: tuple[FinalStanding, ...]
    chapters: tuple[ChronicleChapter, ...]
    score_name: Text
    scores: tuple[dict[Seat, int], ...]  # scores before the first round and after each chapter
    battles: tuple[ChronicleBattle, ...]  # battles that were separate games, in the order in which they began
    best_battle: ChronicleBattle | None  # the fiercest of all battles; None: there was none
