from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from render.drawing.canvas import Point
from render.marks.labels import Label, Obstacle

_SQUARE_CORNERS: Final = ((-1, -1), (1, -1), (1, 1), (-1, 1))


@dataclass
class UpperLayer:
    """Marks, labels and obstacles for both that a plan collects while it draws what lies below the ships."""

    marks: list[Callable[[], None]] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    obstacles: list[Obstacle] = field(default_factory=list)

    def add_obstacle(self, at: Point, r: float, weight: int) -> None:
        """Add a square around a point as an obstacle; `r` is half its side, in px."""
        self.obstacles.append(Obstacle(tuple((at[0] + dx * r, at[1] + dy * r) for dx, dy in _SQUARE_CORNERS), weight))

    def draw_marks(self) -> None:
        for mark in self.marks:
            mark()
