"""What of a plan is drawn above the ships, when they are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from render.drawing.canvas import Point
from render.marks.labels import Obstacle
from render.marks.tags import Tag

_SQUARE_CORNERS: Final = ((-1, -1), (1, -1), (1, 1), (-1, 1))


@dataclass
class UpperLayer:
    """Marks, tags and what these keep off; a plan adds to it while it draws what lies below the ships."""

    marks: list[Callable[[], None]] = field(default_factory=list)
    """Each draws a mark."""
    tags: list[Tag] = field(default_factory=list)
    """To be laid where there is room, with the names of ships."""
    obstacles: list[Obstacle] = field(default_factory=list)
    """What tags and names should not cover."""

    def add_obstacle(self, at: Point, r: float, weight: int) -> None:
        """Have names keep off a square of this half width about a point, both in px."""
        self.obstacles.append(Obstacle(tuple((at[0] + dx * r, at[1] + dy * r) for dx, dy in _SQUARE_CORNERS), weight))

    def draw_marks(self) -> None:
        """Draw the marks, in order."""
        for mark in self.marks:
            mark()
