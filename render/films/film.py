"""Moving pictures: frames, each shown for a while, and what the films of all games share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, TypeVar

from PIL import Image

from render.commission import Commission, FilmPace
from render.drawing.canvas import Canvas, Sprite, fade_sprite
from render.marks.legend import rail_height
from rules.core.view import View

MAX_FILM_MS: Final = 12_000
"""Milliseconds that a film of a round takes at most: nobody watches longer."""
MOTION_FRAME_MS: Final = 66
"""How long each frame of something that moves is shown."""
LAST_FRAME_MS: Final = 3500
"""How long the last frame of a whole game is shown."""

V = TypeVar("V", bound=View)
C = TypeVar("C", bound=Canvas)


@dataclass(frozen=True)
class Frame:
    """A still and how long it is shown."""

    image: Image.Image
    ms: int


class Tempo(NamedTuple):
    """How fast what happened is shown, in frames and in milliseconds."""

    move_frames: int
    """Most frames of a movement."""
    missile_frames: int
    """Frames of missiles in the air."""
    sink_frames: int
    """Frames of a ship going down."""
    begin_ms: int
    result_ms: int
    """How long dice, or the outcome of a step, are shown."""
    end_ms: int


def tempo_by_pace(*, calm: Tempo, brisk: Tempo) -> Mapping[FilmPace, Tempo]:
    """A game's tempo at each pace: the closing round is as brisk as those before it, and its end stays to be seen."""
    return MappingProxyType({"calm": calm, "brisk": brisk, "closing": brisk._replace(end_ms=LAST_FRAME_MS)})


class Film(Generic[V, C]):
    """A round in motion, on one window of what it is played on. Each game's own yields the frames, in order."""

    def __init__(self, asked: Commission[V], still: C, edge: Image.Image, tempo: Tempo, margin: int = 0) -> None:
        self.asked, self.tempo = asked, tempo
        self.still = still
        """All that lies still: what has happened so far is drawn on it."""
        self._edge = edge
        """The whole picture, of which frames replace the window; it stands this many px from the left, and from the
        rail at the top."""
        self._margin = margin

    def copy_still(self) -> C:
        """A copy of what lies still, to draw on what moves."""
        return self.still.copy()

    def complete_frame(self, canvas: Canvas, ms: int) -> Frame:
        """The whole picture with a canvas as its window, shown for so many ms."""
        image = self._edge.copy()
        image.paste(canvas.image, (self._margin, rail_height(self.asked.width) + self._margin))
        return Frame(image, ms)


def shorten_frames(frames: Iterable[Frame]) -> list[Frame]:
    """The frames, each shown so much shorter that all of them take `MAX_FILM_MS` at most."""
    every = list(frames)
    haste = min(1.0, MAX_FILM_MS / max(1, sum(frame.ms for frame in every)))
    return [Frame(frame.image, round(frame.ms * haste)) for frame in every]


def sinking_sprite(sprite: Sprite, part: float, *, turn: float = 28.0, dwindle: float = 0.45) -> Sprite:
    """A ship seen from above that has gone down so far, 0 to 1: she turns by degrees, dwindles and fades.

    Before she is gone she has turned by `turn` degrees, and lost `dwindle` of her length.
    """
    side = max(2, round(sprite.image.width * (1 - dwindle * part)))
    image = sprite.image.rotate(-turn * part, Image.Resampling.BILINEAR).resize((side, side))
    return fade_sprite(Sprite(image, (side / 2, side / 2)), 1 - part * part)
