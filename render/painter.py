"""What a game brings to be drawn: the doors between shared pictures and one game's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources.abc import Traversable
from typing import Generic, TypeVar

from PIL import Image

from render import palette
from render.commission import Commission, PictureKind
from render.film import Frame
from render.sighting import PlanSight
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
    """Colours of small things, such as its sides' liveries, which a palette must have."""
    seats: tuple[Colour, ...] = ()
    """Each seat's colour, in a game in which seats have some."""
    palette: Traversable | None = None
    """A file of the 256 colours of its stills and GIFs (`palette.read_levels`); None: each picture finds its own, which
    takes several times as long. `python -m tests.pictures.palettes` finds those of the house's games."""
    paint: Callable[[Commission[V]], Image.Image]
    """A still, of every kind that there is."""
    frames: Callable[[Commission[V]], list[Frame]]
    """A film of a round; no frames if nothing of it can be seen."""
    shows: Callable[[V, Sequence[Event], PictureKind], bool]
    """Whether events hold anything of what a kind of picture is about."""
    sight: Callable[[Commission[V]], PlanSight] | None = None
    """How much of the map a plan shows, and the nearest enemy, who must be in it or be pointed at from its edge; None:
    the game doesn't say, and all of its plans must show everybody."""
    turned: Callable[[Commission[V]], bool] = lambda _: False
    """Whether a picture is seen from its viewer's own side, the other way round than everybody's."""

    @cached_property
    def levels(self) -> bytes:
        """The palette's 768 levels; none without one."""
        return palette.read_levels(self.palette) if self.palette is not None else b""
