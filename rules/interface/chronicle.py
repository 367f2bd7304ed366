"""A finished game as a story: final standings, events round by round, and the best battle."""

from __future__ import annotations

from msgspec import Struct

from rules.core.protocol import Event, Seat
from rules.core.view import Text

ChronicleLine = tuple[Event | Text, ...]  # sentences of one paragraph


class FinalStanding(Struct, frozen=True, kw_only=True):
    """A captain's final standing, with the place (from 1, shared by equals) and a sentence that sums it up."""

    seat: Seat  # the captain's seat
    place: int  # final place, 1 for the winner
    sentence: Text  # sums up how the captain fared
    figures: dict[str, int | Text]
    """Values by column `standing.<key>`, in display order. A text appears below the captain's name."""


class ChronicleBattle(Struct, frozen=True, kw_only=True):
    """A battle within the game, with the round in which it began and sentences on its start and end."""

    round: int  # the round in which the battle began
    request: str  # the request that its own game answered; empty: it was not a separate game
    sentences: ChronicleLine  # how the battle began and ended


class ChronicleChapter(Struct, frozen=True, kw_only=True):
    round: int  # number of the round
    time: Text  # the time within the story, such as a month
    lines: tuple[ChronicleLine, ...]  # what happened in the round


class Chronicle(Struct, frozen=True, kw_only=True):
    """A finished game as a story, with standings from the best to the worst."""

    place: Text  # where the story takes place
    standings: tuple[FinalStanding, ...]  # from the best to the worst
    chapters: tuple[ChronicleChapter, ...]  # one for each round
    score_name: Text  # what scores count, such as laurels
    scores: tuple[dict[Seat, int], ...]  # scores before the first round and after each chapter
    battles: tuple[ChronicleBattle, ...]  # battles that were separate games, in the order in which they began
    best_battle: ChronicleBattle | None  # the fiercest of all battles; None: there was none
