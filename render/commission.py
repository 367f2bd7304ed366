"""A picture to be drawn: the value that painters receive."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from render.drawing.canvas import Rect
from render.drawing.legible import legible_text
from rules.core.protocol import Event
from rules.core.view import View

V = TypeVar("V", bound=View)
PictureKind = str
"""`table`, `plan` or `round` (every game has them), or a game's own kind (`Painter.kinds`)."""
CropArea = Literal["whole", "action"]
FilmPace = Literal["calm", "brisk", "closing"]
"""A film's tempo: `calm` for a single round; `brisk`, without a pause at the end, for a round in a whole game's film;
`closing` for the last of those rounds."""


@dataclass(frozen=True, kw_only=True)
class Commission(Generic[V]):
    view: V  # the table after the events, as one seat or a spectator sees it
    events: Sequence[Event] = ()  # of the round, or of the captain's turn, that led to the view
    kind: PictureKind = "table"  # what the picture shows
    caption: str = ""  # text below the picture
    names: Mapping[int, str] = field(default_factory=dict)  # captains' names by seat
    width: int = 1600  # pixels
    crop: CropArea = "whole"  # the whole map, or only where something happens
    focus: tuple[str, ...] = ()
    """Ids of pieces that `crop="action"` must show. Empty: the painter decides what matters."""
    kept_window: Rect | None = None
    """The part of the map that the picture before showed: kept if it shows all that matters, and not much more."""
    named: frozenset[str] = frozenset()
    """Ids of ships and places that the text beside a plan names. The plan shows them, or points to them."""
    pace: FilmPace = "calm"  # how fast a film runs
    viewpoint_seat: int | None = None
    """The seat from whose side the table is drawn. A plan is always drawn from its viewer's own side."""
    told_round: int = 0  # number of the round that the text beside the picture tells; 0: the view's round
    before: V | None = None
    """The view before the events: of the same viewer or, if the game is over, of all that its events leave out."""

    def is_turn_of(self, side: object, active: object | None, movers: Collection[object]) -> bool:
        """Return whether it is a side's turn; beside the text of an earlier round, whether only this side moved then.

        `active` is the side whose turn it is now (None: nobody's), `movers` are those that moved in the events.
        """
        if active is None or self.told_round in (0, self.view.round):
            return side == active
        return {*movers} == {side}

    def __post_init__(self) -> None:
        """Transliterate what the fonts cannot show of names and caption."""
        object.__setattr__(self, "names", {seat: legible_text(name) for seat, name in self.names.items()})
        object.__setattr__(self, "caption", legible_text(self.caption))
