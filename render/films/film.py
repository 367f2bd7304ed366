"""Frames with durations, what the films of all games share, and their encoding within the size that a chat accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, TypeVar

from PIL import Image

from render.commission import Commission, FilmPace
from render.drawing.canvas import Canvas, Point, Sprite, fade_sprite
from render.drawing.encode import FilmFormat, Picture, map_to_palette
from render.drawing.style import BRASS, CARD, CHALK, EMBER, FLAME, SOOT, WARM, Colour
from render.films.splice import film_of_still
from render.marks import strikes
from render.marks.legend import name_bar_height
from rules.core.view import View

MAX_FILM_MS: Final = 12_000
MOTION_FRAME_MS: Final = 66  # of a frame in which something moves
LAST_FRAME_MS: Final = 3500  # of the end of a whole game's film

V = TypeVar("V", bound=View)
C = TypeVar("C", bound=Canvas)


@dataclass(frozen=True)
class Frame:
    image: Image.Image  # the whole picture
    ms: int  # how long it is shown


class Tempo(NamedTuple):
    """Lengths of a film's parts, in frames and in milliseconds."""

    move_frames: int  # for each move
    missile_frames: int  # for each shot
    sink_frames: int  # for each ship that sinks or leaves
    begin_ms: int  # of the first frame, the position before the round
    result_ms: int  # of a frame with a new result of dice
    end_ms: int  # of the last frame


def tempo_by_pace(*, calm: Tempo, brisk: Tempo) -> Mapping[FilmPace, Tempo]:
    """Return a game's tempo for each pace. The closing round is as fast as `brisk` but holds its last frame longer."""
    return MappingProxyType({"calm": calm, "brisk": brisk, "closing": brisk._replace(end_ms=LAST_FRAME_MS)})


Effect = Callable[[Canvas], None]


class Film(Generic[V, C]):
    """A film of one round in a fixed window of the map. Each game's subclass yields the frames."""

    def __init__(
        self, commission: Commission[V], still: C, framed_still: Image.Image, tempo: Tempo, margin: int = 0
    ) -> None:
        self.commission = commission
        self.tempo = tempo
        self.still = still
        """The background; the film adds lasting changes to it as they happen."""
        self._framed_still = framed_still
        """The background with its frame. Each film frame replaces the window, which lies `margin` px from the left and
        below the name bar."""
        self._margin = margin

    def copy_still(self) -> C:
        return self.still.copy()

    def complete_frame(self, canvas: Canvas, ms: int) -> Frame:
        image = self._framed_still.copy()
        image.paste(canvas.image, (self._margin, name_bar_height(self.commission.width) + self._margin))
        return Frame(image, ms)

    def ram_effects(self, at: Point, size: float, grow: float) -> Iterator[Effect]:
        """Yield drawings of a ram's burst and splinters, whose size grows from frame to frame."""
        for part in (1 / 3, 2 / 3, 1.0):
            yield partial(strikes.draw_ram, at=at, size=size + grow * part, part=part)

    def missile_effects(self, a: Point, b: Point, *, fire: bool) -> Iterator[Effect]:
        for tick in range(1, self.tempo.missile_frames + 1):
            yield partial(strikes.draw_missiles, a=a, b=b, fire=fire, part=tick / self.tempo.missile_frames)

    def vanish_canvases(self, sprite: Sprite, at: Point, *, sinks: bool) -> Iterator[C]:
        """Yield copies of the background with a ship that sinks, or fades as it leaves."""
        for tick in range(1, self.tempo.sink_frames + 1):
            progress = tick / (self.tempo.sink_frames + 1)
            canvas = self.copy_still()
            remainder = sinking_sprite(sprite, progress) if sinks else fade_sprite(sprite, 1 - progress)
            canvas.place_sprite(remainder, at)
            yield canvas


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


MAX_FILM_BYTES: Final = 3_000_000
_GIF_HEADER_BYTES: Final = 13  # before the palette
COMMON_COLOURS: Final = (CHALK, WARM, FLAME, EMBER, SOOT, BRASS, CARD)
"""Colours that every palette contains in addition to those of its game. Fire is rare in a film, but it must be red."""


def encode_film(
    frames: Sequence[Frame],
    form: FilmFormat,
    *,
    palette: bytes = b"",
    fixed_colours: Sequence[Colour] = (),
) -> Picture:
    """Encode frames as a looping film of at most `MAX_FILM_BYTES`, if need be with fewer frames or at a smaller size.

    A GIF uses `palette`, or if that is empty a computed one that contains the `fixed_colours`.
    """
    while True:
        picture = encode_fewer_frames(
            frames, form, MAX_FILM_BYTES, max_divisor=2, palette=palette, fixed_colours=fixed_colours
        )
        if len(picture.data) <= MAX_FILM_BYTES:
            return picture
        frames = _shrink_frames(frames)


def encode_fewer_frames(
    frames: Sequence[Frame],
    form: FilmFormat,
    max_bytes: int,
    *,
    max_divisor: int = 4,
    palette: bytes = b"",
    fixed_colours: Sequence[Colour] = (),
) -> Picture:
    """Encode frames as a looping film. While it has more than `max_bytes`, drop every other frame.

    At least one frame in `max_divisor` is left, even if the film is still too large. A GIF uses `palette`, or if that
    is empty a computed one that contains the `fixed_colours`.
    """
    first = frames[0].image
    original_count = len(frames)
    divisor = 1  # one in `divisor` frames is left
    data = _encode_frames(frames, form, palette, fixed_colours)
    while len(data) > max_bytes and divisor < max_divisor and len(frames) > 1:
        frames = _drop_frames(frames)
        divisor *= 2
        data = _encode_frames(frames, form, palette, fixed_colours)
    reduced = len(frames) < original_count
    return Picture(data=data, format=form, width=first.width, height=first.height, reduced=reduced)


def gif_palette(gif: bytes) -> bytes:
    """Return the palette of a GIF that `encode_film` wrote."""
    return gif[_GIF_HEADER_BYTES : _GIF_HEADER_BYTES + 768]


def _encode_frames(frames: Sequence[Frame], form: FilmFormat, palette: bytes, fixed_colours: Sequence[Colour]) -> bytes:
    out = BytesIO()
    images = [frame.image for frame in frames]
    durations_ms = [frame.ms for frame in frames]
    if form == "webp":
        images[0].save(
            out, "WEBP", save_all=True, append_images=images[1:], duration=durations_ms, loop=0, quality=72, method=1
        )
        return film_of_still(out.getvalue(), images[0].size, sum(durations_ms))
    # With one palette for all frames, still parts do not flicker and take no bytes.
    levels = palette or _build_palette(images, (*COMMON_COLOURS, *fixed_colours))
    mapped = [map_to_palette(image, levels) for image in images]
    mapped[0].save(out, "GIF", save_all=True, append_images=mapped[1:], duration=durations_ms, loop=0, optimize=False)
    return out.getvalue()


def _build_palette(images: Sequence[Image.Image], fixed_colours: Sequence[Colour]) -> bytes:
    """Return a palette of the `fixed_colours` and of the commonest colours in six frames spread over the film."""
    samples = [images[number * (len(images) - 1) // 5] for number in range(6)]
    small_samples = [image.resize((image.width // 2, image.height // 2)) for image in samples]
    sheet = Image.new("RGB", (small_samples[0].width, small_samples[0].height * len(small_samples)))
    for number, image in enumerate(small_samples):
        sheet.paste(image, (0, number * image.height))
    computed = sheet.quantize(256 - len(fixed_colours), method=Image.Quantize.MEDIANCUT).getpalette() or []
    levels = [level for colour in fixed_colours for level in colour]
    return bytes([*levels, *computed][:768]).ljust(768, b"\0")


def _drop_frames(frames: Sequence[Frame]) -> list[Frame]:
    """Drop every other frame; the ones that stay last as long as both."""
    pairs = [frames[i : i + 2] for i in range(0, len(frames), 2)]
    return [Frame(pair[-1].image, sum(frame.ms for frame in pair)) for pair in pairs]


def _shrink_frames(frames: Sequence[Frame]) -> list[Frame]:
    width, height = (side * 3 // 4 for side in frames[0].image.size)
    return [Frame(frame.image.resize((width, height), Image.Resampling.LANCZOS), frame.ms) for frame in frames]
