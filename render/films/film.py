"""Frames with durations, and what the films of all games share."""

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
MOTION_FRAME_MS: Final = 66
LAST_FRAME_MS: Final = 3500

V = TypeVar("V", bound=View)
C = TypeVar("C", bound=Canvas)


@dataclass(frozen=True)
class Frame:
    image: Image.Image
    ms: int


class Tempo(NamedTuple):
    """How long the parts of a film take, in frames and in milliseconds."""

    move_frames: int
    missile_frames: int
    sink_frames: int
    begin_ms: int
    result_ms: int
    end_ms: int


def tempo_by_pace(*, calm: Tempo, brisk: Tempo) -> Mapping[FilmPace, Tempo]:
    """Return a game's tempo for each pace. The closing round is as fast as `brisk` but holds its last frame longer."""
    return MappingProxyType({"calm": calm, "brisk": brisk, "closing": brisk._replace(end_ms=LAST_FRAME_MS)})


class Film(Generic[V, C]):
    """A film of one round in a fixed window of the map. Each game's subclass yields the frames."""

    def __init__(self, commission: Commission[V], still: C, edge: Image.Image, tempo: Tempo, margin: int = 0) -> None:
        self.asked, self.tempo = commission, tempo
        self.still = still
        """The background; the film adds lasting changes to it as they happen."""
        self._edge = edge
        """The whole picture with its frame. Each film frame replaces the window, which lies `margin` px from the left
        and below the rail."""
        self._margin = margin

    def copy_still(self) -> C:
        return self.still.copy()

    def complete_frame(self, canvas: Canvas, ms: int) -> Frame:
        image = self._edge.copy()
        image.paste(canvas.image, (self._margin, rail_height(self.asked.width) + self._margin))
        return Frame(image, ms)


def shorten_frames(frames: Iterable[Frame]) -> list[Frame]:
    """Return the frames, with all durations reduced by one factor if they exceed `MAX_FILM_MS` together."""
    all_frames = list(frames)
    factor = min(1.0, MAX_FILM_MS / max(1, sum(frame.ms for frame in all_frames)))
    return [Frame(frame.image, round(frame.ms * factor)) for frame in all_frames]


def sinking_sprite(sprite: Sprite, part: float, *, turn: float = 28.0, dwindle: float = 0.45) -> Sprite:
    """Return a ship seen from above that has sunk to a part from 0 to 1: it turns, shrinks and fades.

    At 1 it has turned by `turn` degrees and lost the part `dwindle` of its size.
    """
    side = max(2, round(sprite.image.width * (1 - dwindle * part)))
    image = sprite.image.rotate(-turn * part, Image.Resampling.BILINEAR).resize((side, side))
    return fade_sprite(Sprite(image, (side / 2, side / 2)), 1 - part * part)
