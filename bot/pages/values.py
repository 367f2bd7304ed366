"""Values of which pages are made. Files of steps never change and name captains by seat; heads have their names."""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec import Struct

from rules.core.view import Text
from rules.interface.outcomes import ShipHolder

NO_FILM: Final = "none"
"""In place of the name of a film: the game is too long to be filmed, or there is nothing to film."""


class PageSeat(Struct, frozen=True, kw_only=True):
    """A captain's side and its colours, as `#rrggbb`."""

    side: str  # key of the side's name, `side.<side>`; empty: no ship of the captain is public
    ships: tuple[str, ...]  # ids of the ships that the captain has or lost
    base: str  # of hulls and name bars
    mark: str  # of the pattern on it
    ink: str  # of letters on it
    letter: str = ""  # of the captain or the fleet, as the ships' names have it; empty: they have none


class Outline(Struct, frozen=True, array_like=True):
    """Where a picture shows a ship or a place."""

    id: str  # of the ship or place
    points: tuple[float, ...]  # of a polygon: parts of the picture's width and height, in turn


class PageMark(Struct, frozen=True, array_like=True):
    """A mark of a picture, and its sample in the file of the step's samples."""

    name: str
    box: tuple[int, int, int, int]  # left, top, width and height in pixels


class PageStep(Struct, frozen=True, kw_only=True):
    """All that everybody may see of the game after some steps. Stored under the hash of its content."""

    system: str  # key of the game
    round: int  # 0: before the first
    caption: Text | None  # replaces the phase of the view; None: it does not
    view: msgspec.Raw  # JSON of the game's own view, as a spectator has it
    events: msgspec.Raw  # JSON list of the events that everybody may see
    teams: tuple[int, ...]  # the side of each seat
    holders: tuple[ShipHolder, ...]  # who holds each ship, in games whose ships change sides
    seats: tuple[PageSeat, ...]  # empty: the game gives captains no colours
    size: tuple[int, int]  # width and height of the picture, in pixels
    outlines: tuple[Outline, ...]  # of what the picture shows, from below
    marks: tuple[PageMark, ...]  # those that the picture shows, the most important first
    late: dict[int, str]  # by seat: `mate`, `hold` or `stored`, which gave orders for a late captain
    missed: tuple[int, ...]  # seats that missed a deadline that several requests share
    awaits: bool  # whether a captain is asked in the middle of the round


class StepEntry(Struct, frozen=True, kw_only=True):
    """A step in the list of a game's steps."""

    message: str  # key of the thread's message that tells it
    last: int  # number of the last step that it tells
    round: int  # 0: before the first
    label: str  # round and count within it, such as `r5.2`; part of addresses
    data: str  # name of the file of its `PageStep`; empty: it has not been drawn
    picture: str  # name of the picture's file
    film: str = ""  # name of the film's file; empty: there is nothing to film
    samples: str = ""  # name of the file with samples of the picture's marks; empty: it shows none
    window: tuple[float, float, float, float] | None = None  # the part of the map that the picture shows
    keepsakes: tuple[int, ...] = ()  # numbers of the keepsakes whose names it tells
    is_undone: bool = False  # whether the game has gone back to before it


class RelatedPage(Struct, frozen=True, kw_only=True):
    """A game that belongs to another one and has a page, too."""

    relation: Literal["parent", "battle", "first", "second"]  # what it is to the other game
    number: int  # of the game
    key: str  # of its page


class GameHead(Struct, frozen=True, kw_only=True):
    """All that a game's page shows and that may change. Never kept by caches."""

    system: str
    language: str  # of its thread
    number: int  # of the game
    server: str  # name of the server; empty: unknown
    titles: dict[str, str]  # by language: the game and its players
    captains: dict[str, dict[int, str]]  # by language and seat; also names of keepsakes that steps tell, by number
    seat_count: int
    is_over: bool
    deadline: int | None  # Unix seconds; None: nobody is awaited
    ended: int | None = None  # Unix seconds; None: it is played
    steps: tuple[StepEntry, ...] = ()  # oldest first
    result: dict[str, tuple[str, ...]] = {}  # by language: headline and reasons in HTML; empty while it is played
    closing: dict[str, tuple[str, ...]] = {}  # by language: statistics and ratings in HTML
    proof: dict[str, str] = {}  # by language: how to check the dice and orders, in HTML
    seats_above: tuple[int, ...] = ()  # of a battle: by seat, the captain's seat in the game that it belongs to
    related: tuple[RelatedPage, ...] = ()
    film: str = ""  # name of the file of the whole game's film; empty: there is none yet; `NO_FILM`: there can be none
    record: str = ""  # hash of the game's record as its file has it; empty: it is played


class ArchivedCaptain(Struct, frozen=True, kw_only=True):
    token: str  # stands for the captain in addresses; empty: nobody's profile
    names: dict[str, str]  # by language


class ArchivedGame(Struct, frozen=True, kw_only=True):
    """A game in the archive of its server."""

    key: str  # of its page
    number: int
    system: str
    titles: dict[str, str]  # by language
    captains: tuple[ArchivedCaptain, ...]  # by seat
    is_over: bool
    rated: bool
    began: int  # Unix seconds
    ended: int | None  # Unix seconds; None: it is played
    result: dict[str, str]  # by language: headline in HTML; empty while it is played


class LadderLine(Struct, frozen=True, kw_only=True):
    rank: int | None  # None: too few games
    token: str  # the captain's profile
    name: str
    rating: int
    is_provisional: bool
    won: int
    lost: int
    drawn: int


class ArchiveHead(Struct, frozen=True, kw_only=True):
    """All that the archive of a server shows except profiles. Never kept by caches."""

    server: str  # name of the server; empty: unknown
    language: str
    games: tuple[ArchivedGame, ...]  # newest first
    ladder: dict[str, tuple[LadderLine, ...]]  # by key of the game, best captain first
    min_ranked_games: int  # rated games after which a captain has a rank


class CaptainProfile(Struct, frozen=True, kw_only=True):
    """A captain's results in the games of an archive. Never kept by caches."""

    name: str
    texts: dict[str, tuple[str, ...]]  # by language: lines in HTML
