"""A plan to drop a volley: expected hits as a glow over the table, and numbered points to choose from."""

from __future__ import annotations

from math import ceil
from typing import Final

import numpy as np
from PIL import Image, ImageChops

from render.drawing.canvas import Canvas, Point, Rect, cut_dust
from render.drawing.style import CHALK, EMBER, FLAME, NAME_SIZE, SOOT
from render.marks.labels import Obstacle
from rules.matchbox.engine import aim
from rules.matchbox.engine.hull import hull_corners
from rules.matchbox.engine.state import Galley

_NUMBER_SIZE: Final = round(NAME_SIZE * 0.9)
_DUST_LEVELS: Final = [round(255 - 0.16 * (255 - level)) for level in range(256)]


def shown_points(volley: aim.AimedVolley) -> list[Point]:
    points = [(x, y) for _, x, y in aim.aim_points(volley.target)]
    near: list[Galley] = [volley.firer, volley.target]
    return points + [corner for ship in near for corner in hull_corners(ship.pose, ship.kind)]


def draw_glow(canvas: Canvas, chart: aim.AimMap) -> None:
    """Draw light where hits are expected, and soot where the volley would be spoiled."""
    # Points far below the best are not worth choosing and stay dark.
    hits = np.clip(chart.expected_hits / max(1e-9, float(chart.expected_hits.max())) * 1.7 - 0.7, 0, 1)
    part = _MapWindow(canvas, chart)
    # Dust hides the steps that smooth light would have in the few colours of a still.
    for values, colour, strength in ((chart.misfire, SOOT, 0.55), (hits, EMBER, 0.6), (hits**3, FLAME, 0.75)):
        rows = values.T[:, ::-1] if canvas.turned else values.T[::-1]
        levels = (np.clip(rows, 0, 1) * 255 * strength).astype(np.uint8)
        small = Image.fromarray(levels)
        mask = small.resize(part.size, Image.Resampling.BILINEAR, box=part.map_rect(small.size))
        # Most of the mask is empty, because the light is near one point.
        if box := mask.getbbox():
            corner = part.corner[0] + box[0], part.corner[1] + box[1]
            lit = mask.crop(box)
            canvas.lay_colour(colour, corner, ImageChops.multiply(lit, cut_dust(*corner, lit.size).point(_DUST_LEVELS)))


class _MapWindow:
    def __init__(self, canvas: Canvas, chart: aim.AimMap) -> None:
        ends = (
            canvas.to_pixels((float(chart.xs[0]), float(chart.ys[-1]))),
            canvas.to_pixels((float(chart.xs[-1]), float(chart.ys[0]))),
        )
        (left, right), (top, bottom) = map(sorted, zip(*ends, strict=True))
        self.whole = (left, top, right - left, bottom - top)
        self.corner = (max(0, ceil(left)), max(0, ceil(top)))
        end = min(canvas.image.width, int(right)), min(canvas.image.height, int(bottom))
        self.size = (max(1, end[0] - self.corner[0]), max(1, end[1] - self.corner[1]))

    def map_rect(self, cells: tuple[int, int]) -> Rect:
        left, top, width, height = self.whole
        across, down = cells[0] / width, cells[1] / height
        x, y = (self.corner[0] - left) * across, (self.corner[1] - top) * down
        return x, y, min(cells[0], x + self.size[0] * across), min(cells[1], y + self.size[1] * down)


def draw_points(canvas: Canvas, volley: aim.AimedVolley, chart: aim.AimMap) -> list[Obstacle]:
    """Draw the best points with rings, and the numbered points. Returns the obstacles that names must avoid."""
    obstacles: list[Obstacle] = []
    size = round(_NUMBER_SIZE * canvas.unit)
    for kind, radius in (("safe", 30.0), ("steady", 42.0)):
        spot = canvas.to_pixels(aim.best_point(chart, "safe" if kind == "safe" else "steady"))
        canvas.draw_ring(spot, radius * canvas.unit, CHALK if kind == "safe" else FLAME, 6 * canvas.unit)
        half_side = radius * canvas.unit
        square = tuple(
            (spot[0] + half_side * a, spot[1] + half_side * b) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        )
        obstacles.append(Obstacle(square, 90))
    for number, x, y in aim.aim_points(volley.target):
        if 0 <= x <= volley.sea.width_mm and 0 <= y <= volley.sea.height_mm:
            at = canvas.to_pixels((x, y))
            canvas.draw_centred_text(at, number, size, CHALK)
            corners_of = ((-0.6, -0.5), (0.6, -0.5), (0.6, 0.5), (-0.6, 0.5))
            obstacles.append(Obstacle(tuple((at[0] + size * a, at[1] + size * b) for a, b in corners_of), 60))
    return obstacles
