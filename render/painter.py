"""What a game brings to be drawn: the doors between shared pictures and one game's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from PIL import Image

from render.commission import Commission, Kind
from render.film import Frame
from render.style import Colour
from rules.protocol import Event
from rules.view import View

V = TypeVar("V", bound=View)


@dataclass(frozen=True, kw_only=True)
class Painter(Generic[V]):
    """How one game is drawn."""

    view_type: type[View]
    """The views that it draws."""
    kinds: tuple[str, ...] = ()
    """Kinds of pictures that this game has besides those of every game."""
    pure: tuple[Colour, ...] = ()
    """Colours of small things, such as its sides' liveries: a film must not mix them with others."""
    paint: Callable[[Commission[V]], Image.Image]
    """A still, of every kind that there is."""
    frames: Callable[[Commission[V]], list[Frame]]
    """A film of a round; no frames where its events tell of nothing."""
    shows: Callable[[V, Sequence[Event], Kind], bool]
    """Whether events hold anything of what a kind of picture is about."""
    turned: Callable[[Commission[V]], bool] = lambda _: False
    """Whether a picture is seen from its viewer's own side, the other way round than everybody's."""
