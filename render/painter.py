"""What a game brings to be drawn: the doors between shared pictures and one game's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources.abc import Traversable
from typing import Generic, TypeVar

from PIL import Image

from render.commission import Commission, PictureKind
from render.drawing import palette
from render.drawing.style import Colour
from render.films.film import Frame
from render.marks.sighting import PlanSight
from rules.core.protocol import Event
from rules.core.view import View

V = TypeVar("V", bound=View)


@dataclass(frozen=True, kw_only=True)
class Painter(Generic[V]):
    """How one game is drawn."""

    view_type: type[View]
    """The views that it draws."""
    kinds: tuple[str, ...] = ()
    """Kinds of pictures that this game has besides those of every game."""
    palette_colours: tuple[Colour, ...] = ()
    """Colours of small things, such as its sides' liveries, which a palette must have."""
    seat_colours: tuple[Colour, ...] = ()
    """Each seat's colour, in a game in which seats have some."""
    palette_file: Traversable | None = None
    """A file of the 256 colours of its stills and GIFs (`palette.read_levels`); None: each picture finds its own, which
    takes several times as long. `python -m tests.pictures.palettes` finds those of the house's games."""
    paint: Callable[[Commission[V]], Image.Image]
    """A still, of every kind that there is."""
    film_frames: Callable[[Commission[V]], list[Frame]]
    """A film of a round; no frames if nothing of it can be seen."""
    has_content: Callable[[V, Sequence[Event], PictureKind], bool]
    """Whether events hold anything of what a kind of picture is about."""
    plan_sight: Callable[[Commission[V]], PlanSight] | None = None
    """How much of the map a plan shows, and the nearest enemy, who must be in it or be pointed at from its edge; None:
    the game doesn't say, and all of its plans must show everybody."""
    is_turned: Callable[[Commission[V]], bool] = lambda _: False
    """Whether a picture is seen from its viewer's own side, the other way round than everybody's."""

    @cached_property
    def palette_levels(self) -> bytes:
        """The palette's 768 levels; none without one."""
        return palette.read_levels(self.palette_file) if self.palette_file is not None else b""
