"""What one seat, or a spectator, may see of a game: the only thing chat and pictures are built from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Concatenate, ParamSpec, TypeVar

from msgspec import Struct

from rules.core.errors import Scalar


class Text(Struct, frozen=True):
    """A sentence by its catalogue key and parameters; the words stand in the locale files."""

    key: str
    params: Mapping[str, Param] = {}
    """Sentences among them are named one after the other, as a list is."""


Param = Scalar | tuple[Text | int, ...]
"""A value of a sentence."""


class NearestEnemy(Text, frozen=True):
    """Which enemy is nearest to a piece, how far and in which direction, for those who cannot see the picture."""

    gap: float = 0.0
    """How far, in the game's own unit."""


class Gauge(Struct, frozen=True):
    """How much is left of something, such as port oars."""

    key: str
    """Catalogue key of its name, as `gauge.<key>`."""
    current: int
    maximum: int


class Piece(Struct, frozen=True, kw_only=True):
    """One ship, fort or squadron in the terms that every game shares."""

    id: str
    seat: int
    """Whose it is."""
    side: str
    """Catalogue key of its side, as `side.<side>`."""
    afloat: bool = True
    has_left: bool = False
    """Not afloat, but not lost either: it has left what the picture shows."""
    gauges: tuple[Gauge, ...] = ()
    place: Text
    """Where it is, for those who cannot see the picture."""
    nearest_enemy: NearestEnemy | None = None


class View(Struct, frozen=True, kw_only=True, tag=True):
    """Base of each game's view. A game adds what its own painter needs."""

    seat: int | None
    """Who looks; None is a spectator."""
    round: int
    phase: Text
    """What is going on: the caption of the picture."""
    ground_text: Text | None = None
    """What the game is played on, and how large it is, for those who can't see the picture."""
    pieces: tuple[Piece, ...]
    note_lines: tuple[Text, ...] = ()
    """What else the picture shows, a sentence each: how captains stand, what is in sight."""
    group_lines: tuple[Text, ...] = ()
    """Pieces told together, such as a squadron in a sentence, the viewer's own first; they are told where there is no
    room for each piece."""
    score: Text | None = None
    """How points stand, the viewer's own and the enemy's; None: there are none, or none yet."""
    goal: Text | None = None
    """What the viewer has to do to win, in a few words; None: what everybody has who plays this game."""
    plan_lines: tuple[Text, ...] = ()
    """The viewer's own unfinished orders, described piece by piece for alt text; empty in a public view."""

    @property
    def nearest_enemy(self) -> tuple[str, NearestEnemy] | None:
        """The viewer's piece that has an enemy nearest to it, by its id, and which; None: none has any near."""
        own = [
            (piece.nearest_enemy.gap, piece.id, piece.nearest_enemy)
            for piece in _own_pieces(self)
            if piece.nearest_enemy
        ]
        return min(own, key=_nearest_gap)[1:] if own else None

    @property
    def captured_ships(self) -> frozenset[str]:
        """Ids of ships that the side opposed to their first one holds, in a game whose events don't say so: none."""
        return frozenset()


def _own_pieces(view: View) -> list[Piece]:
    return [piece for piece in view.pieces if piece.afloat and piece.seat == view.seat]


def _nearest_gap(found: tuple[float, str, NearestEnemy]) -> float:
    return found[0]


V = TypeVar("V", bound=View)


def require_view(view: View, kind: type[V]) -> V:
    """A view as a game knows its own. Raises `TypeError` for one of another game."""
    if not isinstance(view, kind):
        raise TypeError(f"not a view of this game: {type(view).__name__}")
    return view


P = ParamSpec("P")
T = TypeVar("T")


def accepts_any_view(kind: type[V], function: Callable[Concatenate[V, P], T]) -> Callable[Concatenate[View, P], T]:
    """A function of a game's own view, to be called with any view; `TypeError` for one of another game."""

    def checked(view: View, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return function(require_view(view, kind), *args, **kwargs)

    return checked
