"""Views: the part of a game that one seat, or a spectator, may see. Chat and pictures are made from views alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Concatenate, ParamSpec, TypeVar

from msgspec import Struct

from rules.core.errors import Scalar


class Text(Struct, frozen=True):
    """A sentence as a catalogue key and parameters. A tuple of sentences among the parameters is shown as a list."""

    key: str  # key of the sentence in the catalogue
    params: Mapping[str, Param] = {}  # values for its placeholders


Param = Scalar | tuple[Text | int, ...]


class NearestEnemy(Text, frozen=True):
    """A sentence that says which enemy is nearest to a piece, with its distance and direction, for alt text."""

    gap: float = 0.0  # distance of the enemy, in the game's own unit


class Gauge(Struct, frozen=True):
    """The remaining amount of something, such as port oars. The catalogue key of its name is `gauge.<key>`."""

    key: str  # what is measured
    current: int  # the amount left
    maximum: int  # the amount of a new ship


class Piece(Struct, frozen=True, kw_only=True):
    """A ship, fort or squadron in terms that every game shares. The catalogue key of its side is `side.<side>`."""

    id: str  # id of the ship, fort or squadron
    seat: int  # the captain who commands it
    side: str  # the side that it fights for
    afloat: bool = True  # false for lost ships, and those that left the table
    has_left: bool = False  # whether the piece is no longer afloat because it left the table, not because it was lost
    gauges: tuple[Gauge, ...] = ()  # what is left of its parts
    place: Text  # its place in words, for alt text
    nearest_enemy: NearestEnemy | None = None  # the nearest enemy, for alt text; None: none in the game or not afloat


class View(Struct, frozen=True, kw_only=True, tag=True):
    seat: int | None  # the viewer; None: a spectator
    round: int  # number of the present round; 0: before the first
    phase: Text  # the current phase, as a caption of the picture
    ground_text: Text | None = None  # kind and size of the map, for alt text
    pieces: tuple[Piece, ...]  # all visible ships, forts and squadrons
    note_lines: tuple[Text, ...] = ()
    """Sentences about other things that the picture shows, such as standings or what is in sight."""
    group_lines: tuple[Text, ...] = ()
    """Sentences about groups of pieces such as squadrons, the viewer's own first, for places too small to list each
    piece."""
    score: Text | None = None  # points of the viewer and the enemy; None: none, or none yet
    goal: Text | None = None  # the viewer's goal in a few words; None: the usual goal of the game
    plan_lines: tuple[Text, ...] = ()  # the viewer's own draft, piece by piece, for alt text; empty in a public view

    @property
    def nearest_enemy(self) -> tuple[str, NearestEnemy] | None:
        """The viewer's piece that is nearest to an enemy, by id, and a sentence about it; None: there is none."""
        own_pieces = (piece for piece in self.pieces if piece.afloat and piece.seat == self.seat)
        sentences = [(piece.id, piece.nearest_enemy) for piece in own_pieces if piece.nearest_enemy]
        return min(sentences, key=lambda sentence: sentence[1].gap, default=None)

    @property
    def standing_lines(self) -> tuple[Text, ...]:
        """Sentences on what each captain has, if their pieces do not say it; empty: they do."""
        return () if self.pieces else self.note_lines

    @property
    def place_lines(self) -> Mapping[str, Text]:
        """Sentences about places of the map by their codes, for a reader who points at one."""
        return {}

    @property
    def captured_ships(self) -> frozenset[str]:
        """Ids of ships held by the opponents of their first owner, in games whose events do not report captures."""
        return frozenset()


V = TypeVar("V", bound=View)


def require_view(view: View, kind: type[V]) -> V:
    """Return the view as its game's own type. Raises `TypeError` for a view of another game."""
    if not isinstance(view, kind):
        raise TypeError(f"not a view of this game: {type(view).__name__}")
    return view


P = ParamSpec("P")
T = TypeVar("T")


def accepts_any_view(kind: type[V], function: Callable[Concatenate[V, P], T]) -> Callable[Concatenate[View, P], T]:
    """Adapt a function of one game's view so that it takes any view and raises `TypeError` for another game's."""

    def checked(view: View, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return function(require_view(view, kind), *args, **kwargs)

    return checked
