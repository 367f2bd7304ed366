"""Outlines of what a picture shows, so that a reader can point at it.

While outlines are recorded (`record_outlines`), painters note where they draw a ship or a place, and parts of the
picture that move what is already drawn say by how much. At other times nothing is noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from render.drawing.canvas import Point, Rect


class OutlineRecorder:
    """The outlines in one picture, in its pixels."""

    def __init__(self) -> None:
        self.outlines: dict[str, tuple[Point, ...]] = {}
        """Polygons by the id of a ship or place, in the order in which they were drawn."""
        self.window: Rect | None = None  # the part of the map that is shown; None: it is always the same

    def move(self, right: float, down: float) -> None:
        self.outlines = {
            name: tuple((x + right, y + down) for x, y in outline) for name, outline in self.outlines.items()
        }


_recorder: ContextVar[OutlineRecorder | None] = ContextVar("outline recorder", default=None)


@contextmanager
def record_outlines() -> Iterator[OutlineRecorder]:
    """Record the outlines of a picture that is painted in this context."""
    recorder = OutlineRecorder()
    token = _recorder.set(recorder)
    try:
        yield recorder
    finally:
        _recorder.reset(token)


def note_outline(name: str, outline: Iterable[Point]) -> None:
    """Note where a ship or place is drawn; the points are pixels of the canvas."""
    if recorder := _recorder.get():
        recorder.outlines[name] = tuple(outline)


def note_window(window: Rect) -> Rect:
    """Note the part of the map that the picture shows, in the map's unit, and return it."""
    if recorder := _recorder.get():
        recorder.window = window
    return window


def note_box(name: str, box: Rect) -> None:
    """Like `note_outline`, with left, top, right and bottom."""
    left, top, right, bottom = box
    note_outline(name, ((left, top), (right, top), (right, bottom), (left, bottom)))


def move_outlines(right: float, down: float) -> None:
    """Say that all that is drawn so far was put into a larger picture."""
    if recorder := _recorder.get():
        recorder.move(right, down)
