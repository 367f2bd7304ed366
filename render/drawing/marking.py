"""The names of marks: painters name each mark that they draw, so that a legend can show all marks of a picture.

While a legend is made (`record_marks`), a sample of each mark is cut from the picture when the mark is drawn first.
At other times naming a mark does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from render.drawing.canvas import Canvas, Point, Rect

P = ParamSpec("P")
Q = TypeVar("Q")
C = TypeVar("C", bound=Canvas)
_MAX_SAMPLE_PX: Final = (300, 170)
"""Greatest width and height of a sample, in pixels at full width. Of a larger mark, the sample is the busiest part."""
_MIN_SAMPLE_SCALE: Final = 0.45  # of a larger mark that is shown whole
_MIN_SAMPLE_PX: Final = (84, 84)
_SPARE_PX: Final = 8  # around a mark
_SEARCH_PX: Final = 10  # the busiest part of a mark is searched in steps of this many pixels


class MarkRecorder:
    """The marks of one picture."""

    def __init__(self) -> None:
        self.samples: dict[str, Image.Image] = {}
        """A sample for each mark that is visible, by the mark's name."""
        self.open_marks: list[str] = []  # names of the marks that are being drawn

    @contextmanager
    def drawing(self, canvas: Canvas, mark: str) -> Iterator[None]:
        before = None if mark in self.samples else canvas.image.copy()
        self.open_marks.append(mark)
        try:
            yield
        finally:
            self.open_marks.pop()
        if before is not None and (sample := _cut_changed(before, canvas.image, canvas.px)):
            self.samples.setdefault(mark, sample)


_recorder: ContextVar[MarkRecorder | None] = ContextVar("mark recorder", default=None)


@contextmanager
def record_marks() -> Iterator[MarkRecorder]:
    """Record the marks of pictures that are painted in this context."""
    recorder = MarkRecorder()
    token = _recorder.set(recorder)
    try:
        yield recorder
    finally:
        _recorder.reset(token)


@contextmanager
def marking(canvas: Canvas, mark: str) -> Iterator[None]:
    """Name the mark that is drawn in this context. An empty name: none, the drawing belongs to no legend."""
    recorder = _recorder.get()
    if recorder is None or not mark:
        yield
        return
    with recorder.drawing(canvas, mark):
        yield


def shows(mark: str) -> Callable[[Callable[Concatenate[C, P], Q]], Callable[Concatenate[C, P], Q]]:
    """Name the mark that a function draws on the canvas that is its first argument."""

    def decorate(draw: Callable[Concatenate[C, P], Q]) -> Callable[Concatenate[C, P], Q]:
        @wraps(draw)
        def draw_named(canvas: C, /, *args: P.args, **kwargs: P.kwargs) -> Q:
            if _recorder.get() is None:
                return draw(canvas, *args, **kwargs)
            with marking(canvas, mark):
                return draw(canvas, *args, **kwargs)

        return draw_named

    return decorate


def note_sign(mark: str, image: Image.Image) -> None:
    """Record a mark that is drawn as a whole, such as a sign of a badge."""
    recorder = _recorder.get()
    if recorder is not None and mark:
        recorder.samples.setdefault(mark, image)


def note_ground(canvas: Canvas, mark: str, box: Rect) -> None:
    """Record a part of the ground, such as land; `box` is in pixels. Nothing if it is outside the picture."""
    recorder = _recorder.get()
    if recorder is None or mark in recorder.samples:
        return
    width, height = canvas.image.size
    left, top, right, bottom = max(0, box[0]), max(0, box[1]), min(width, box[2]), min(height, box[3])
    if right - left > 1 and bottom - top > 1:
        max_width, max_height = (side * canvas.px for side in _MAX_SAMPLE_PX)
        half_width, half_height = min(right - left, max_width) / 2, min(bottom - top, max_height) / 2
        x, y = (left + right) / 2, (top + bottom) / 2
        area = (round(x - half_width), round(y - half_height), round(x + half_width), round(y + half_height))
        recorder.samples[mark] = canvas.image.crop(area)


def cached_image(maxsize: int) -> Callable[[Callable[P, Q]], Callable[P, Q]]:
    """Cache a function's images, except while marks are recorded: then it draws its signs again, and they are noted."""

    def decorate(draw: Callable[P, Q]) -> Callable[P, Q]:
        cached = lru_cache(maxsize=maxsize)(draw)

        @wraps(draw)
        def draw_or_reuse(*args: P.args, **kwargs: P.kwargs) -> Q:
            if _recorder.get() is None:
                return cached(*args, **kwargs)  # type: ignore[arg-type] # its arguments are values of plates
            return draw(*args, **kwargs)

        return draw_or_reuse

    return decorate


def _cut_changed(before: Image.Image, after: Image.Image, px: float) -> Image.Image | None:
    """Return the part of a picture that a drawing has changed, with a little around it; None: nothing has changed."""
    change = ImageChops.difference(before, after).convert("L")
    box = change.getbbox()
    if box is None:
        return None
    spare = _SPARE_PX * px
    left, top, right, bottom = box[0] - spare, box[1] - spare, box[2] + spare, box[3] + spare
    max_width, max_height = (side * px for side in _MAX_SAMPLE_PX)
    scale = min(1.0, max_width / (right - left), max_height / (bottom - top))
    if scale >= _MIN_SAMPLE_SCALE:  # a whole ship, smaller, says more than her middle
        min_width, min_height = (side * px / scale for side in _MIN_SAMPLE_PX)
        width, height = max(right - left, min_width), max(bottom - top, min_height)
        sample = after.crop(_area_around(((left + right) / 2, (top + bottom) / 2), (width, height), after.size))
        return sample if scale == 1.0 else sample.resize((round(sample.width * scale), round(sample.height * scale)))
    x, y = _busiest_point(change.filter(ImageFilter.FIND_EDGES), (max_width, max_height), px)
    if right - left <= max_width:
        x = (left + right) / 2
    if bottom - top <= max_height:
        y = (top + bottom) / 2
    return after.crop(_area_around((x, y), (min(right - left, max_width), min(bottom - top, max_height)), after.size))


def _area_around(middle: Point, size: Point, image_size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return a part of an image around a point, moved into the image if it would reach beyond its edge."""
    x, y = (
        min(max(at, side / 2), max(whole - side / 2, side / 2))
        for at, side, whole in zip(middle, size, image_size, strict=True)
    )
    half_width, half_height = size[0] / 2, size[1] / 2
    return round(x - half_width), round(y - half_height), round(x + half_width), round(y + half_height)


def _busiest_point(edges: Image.Image, size: tuple[float, float], px: float) -> tuple[float, float]:
    """Return the middle of the part of a drawing that has most edges in it; all in pixels."""
    step = max(1, round(_SEARCH_PX * px))
    cells = np.asarray(edges.reduce(step), dtype=np.float64)
    total = np.zeros((cells.shape[0] + 1, cells.shape[1] + 1))
    total[1:, 1:] = cells.cumsum(axis=0).cumsum(axis=1)
    width, height = (max(1, round(side / step)) for side in size)
    width, height = min(width, cells.shape[1]), min(height, cells.shape[0])
    sums = total[height:, width:] - total[:-height, width:] - total[height:, :-width] + total[:-height, :-width]
    row, column = np.unravel_index(int(sums.argmax()), sums.shape)
    return (float(column) + width / 2) * step, (float(row) + height / 2) * step
