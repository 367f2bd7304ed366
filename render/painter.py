"""Define what a game must implement to have its pictures drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources.abc import Traversable
from typing import Generic, TypeVar

from PIL import Image

from render.commission import Commission, PictureKind
from render.drawing import encode
from render.drawing.style import Colour, Livery
from render.drawing.viewport import PlanSight
from render.films.film import Frame
from rules.core.protocol import Event
from rules.core.view import View

V = TypeVar("V", bound=View)


@dataclass(frozen=True, kw_only=True)
class Painter(Generic[V]):
    view_type: type[View]  # of the game that it paints
    kinds: tuple[str, ...] = ()  # of pictures that only this game has
    palette_colours: tuple[Colour, ...] = ()
    """Colours of small things, such as liveries, that a computed palette must contain."""
    seat_colours: tuple[Colour, ...] = ()
    """Empty: the game gives seats no colours."""
    palette_file: Traversable | None = None
    """A file with the 256 colours of the game's stills and GIFs, read by `encode.read_levels`. None: a palette is
    computed for each picture, which takes several times as long. `python -m tests.pictures.palettes` computes the files
    of the games in this repository."""
    paint: Callable[[Commission[V]], Image.Image]  # draws a still
    film_frames: Callable[[Commission[V]], list[Frame]]  # draws a film
    has_content: Callable[[V, Sequence[Event], PictureKind], bool]  # whether a picture would show anything
    marks: tuple[str, ...] = ()
    """Names of all marks that its pictures can show, the most important first, each with a sentence `mark.<name>`.
    Every plan with a ship shows the first."""
    plan_sight: Callable[[Commission[V]], PlanSight] | None = None
    """Returns how much of the map a plan shows, and the nearest enemy, which the plan must show or point to from its
    edge. None: all plans of this game must show all ships."""
    seat_liveries: Callable[[V], Sequence[Livery]] = lambda _: ()
    """Returns the colours of each seat's side; empty: the game gives seats no colours."""
    is_turned: Callable[[Commission[V]], bool] = lambda _: False
    """Returns whether a picture is drawn from its viewer's own side, with south up."""

    has_small_map: bool = False
    """Whether pages show the whole map in all pictures, so that the same things stand at the same places."""

    @cached_property
    def palette_levels(self) -> bytes:  # of the palette file: red, green and blue of each colour
        return encode.read_levels(self.palette_file) if self.palette_file is not None else b""
