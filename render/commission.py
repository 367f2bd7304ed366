"""What a painter is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from rules.core.protocol import Event
from rules.core.view import View

V = TypeVar("V", bound=View)
PictureKind = str
"""What a picture is about. `table`, `plan` and `round` are every game's; its own are named by its `Painter.kinds`."""
CropArea = Literal["whole", "action"]
FilmPace = Literal["calm", "brisk", "closing"]
"""Of a film: a round by itself; one of a game's many, shown faster and without a pause; the last of these."""


@dataclass(frozen=True, kw_only=True)
class Commission(Generic[V]):
    """One picture to be drawn of what a seat may see."""

    view: V
    events: Sequence[Event] = ()
    kind: PictureKind = "table"
    caption: str = ""
    names: Mapping[int, str] = field(default_factory=dict)
    """Captains' names by seat."""
    width: int = 1600
    """Pixels."""
    crop: CropArea = "whole"
    focus: tuple[str, ...] = ()
    """Ids of pieces that a crop must show; empty: all that matters."""
    pace: FilmPace = "calm"
    viewpoint_seat: int | None = None
    """The seat from whose side it is seen, where a game has sides of the table; a plan always from its viewer's own."""
    before: V | None = None
    """How it was before the events, where a film of a game that is over may show more than they tell."""
