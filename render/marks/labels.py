"""Placement of labels: near what they name, never on each other, and on a hull only if no other place is free."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor, hypot
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from render.drawing.canvas import Canvas, Point, Rect, Sprite
from render.drawing.marking import marking, note_sign, shows
from render.drawing.style import CHALK, INK, Colour

_CELL_PX: Final = 6  # places for labels are searched in cells of this width and height
_TAKEN_COST: Final = 1e9  # of a cell under a placed label
_DISTANCE_COST: Final = 3.0  # for each cell that a label is too far from its point, or too near
_SEARCH_CELLS: Final = (10, 40)  # how far around the best distance is searched first
_MAX_KEPT: Final = 3
_LEAD_STEPS: Final = 8  # points of a pair's line to which a lead may go
NO_OFFSETS: Mapping[str, Point] = MappingProxyType({})


@dataclass(frozen=True)
class Pair:
    """Two ships that a badge speaks about, which a line joins; points in pixels."""

    start: Point  # of the ship that would attack
    end: Point  # of the other ship
    colour: Colour  # of the line


@dataclass(frozen=True)
class Label:
    """An image to place near a point; all in pixels."""

    key: str  # identifies the label between pictures
    image: Image.Image
    near: Point  # the point that it names
    distance: float  # best distance of its box from that point
    has_lead: bool = True
    """Whether a line connects the label with its point if it is not close to it."""
    offset: Point | None = None
    """Where the label's middle should be, right and down of its point. None: anywhere."""
    smaller: Image.Image | None = None
    """An image that is shown if there is no room for the whole one."""
    pair: Pair | None = None  # the ships that it speaks about, which it is joined to; None: none or one
    mark: str = ""  # name of the mark that it is, for the legend


@dataclass(frozen=True)
class Obstacle:
    """A polygon that labels should not cover."""

    shape: tuple[Point, ...]  # in pixels
    weight: int  # cost of covering a pixel of it: 1 for a line, 100 for a hull


PlacedLabels = Sequence[tuple[Label, Rect]]


def box_obstacle(box: Rect, weight: int) -> Obstacle:
    left, top, right, bottom = box
    return Obstacle(((left, top), (right, top), (right, bottom), (left, bottom)), weight)


def box_between(start: Rect, end: Rect, part: float) -> Rect:
    left, top, right, bottom = (a + (b - a) * part for a, b in zip(start, end, strict=True))
    return left, top, right, bottom


def middle_offset(near: Point, box: Rect) -> Point:
    """Return how far right and down of a point the middle of a box is, in px."""
    left, top, right, bottom = box
    return (left + right) / 2 - near[0], (top + bottom) / 2 - near[1]


def place_labels(
    canvas: Canvas,
    labels: Iterable[Label],
    obstacles: Iterable[Obstacle],
    preferred_offsets: Mapping[str, Point] = NO_OFFSETS,
) -> PlacedLabels:
    """Return a box (left, top, right, bottom in pixels) for each label; labels for which no room is left are omitted.

    Boxes never overlap and lie within the canvas. `preferred_offsets` maps labels' keys to offsets, as in
    `Label.offset`.
    """
    candidates = [replace(label, offset=preferred_offsets.get(label.key, label.offset)) for label in labels]
    cell_costs = _cell_costs(list(obstacles), canvas.image.size)
    # Labels with the least free room around them are placed first.
    costs_around = [_cost_around(cell_costs, label) for label in candidates]
    order = sorted(range(len(candidates)), key=lambda index: -costs_around[index])
    placed: dict[int, tuple[Label, Rect]] = {}
    for is_whole in (True, False):  # labels that found no room try again with their smaller image
        for index in order:
            label = candidates[index]
            image = label.image if is_whole else label.smaller
            if index in placed or image is None:
                continue
            box = _best_box(cell_costs, replace(label, image=image))
            if box is not None:
                placed_label = label if is_whole else replace(label, image=image, smaller=None)
                placed[index] = (placed_label, box)
                left, top, right, bottom = (int(edge) // _CELL_PX for edge in box)
                cell_costs[top:bottom, left:right] = _TAKEN_COST
    return [placed[index] for index in sorted(placed)]


def add_label(canvas: Canvas, placed: PlacedLabels, label: Label, obstacles: Iterable[Obstacle]) -> PlacedLabels:
    """Return the last `_MAX_KEPT` of the placed labels and one more, which overlaps none of them, if it finds room."""
    occupied = [*obstacles, *(box_obstacle(box, 4000) for _, box in placed)]
    return [*placed, *place_labels(canvas, [label], occupied)][-_MAX_KEPT:]


def draw_leads(canvas: Canvas, placed: PlacedLabels) -> None:
    """Draw lines from labels that are not close to their points, and from all that have a pair to the pair's line."""
    for pair in dict.fromkeys(label.pair for label, _ in placed if label.pair):
        dash = (12 * canvas.px, 9 * canvas.px)
        with marking(canvas, "pair"):
            canvas.draw_line([pair.start, pair.end], INK, 8 * canvas.px, 0.6, dash=dash, chalk=False)
            canvas.draw_line([pair.start, pair.end], pair.colour, 4.4 * canvas.px, dash=dash, chalk=False)
    for label, (left, top, right, bottom) in placed:
        if label.pair:
            _draw_lead(canvas, *_shortest_line((left, top, right, bottom), label.pair))
            continue
        x, y = label.near
        nearest_edge_point = (min(max(x, left), right), min(max(y, top), bottom))
        if (
            label.has_lead
            and hypot(nearest_edge_point[0] - x, nearest_edge_point[1] - y) > label.distance * 1.35 + 6 * canvas.px
        ):
            _draw_lead(canvas, nearest_edge_point, (x, y))


@shows("lead")
def _draw_lead(canvas: Canvas, start: Point, end: Point) -> None:
    canvas.draw_line([start, end], INK, 7 * canvas.px, 0.5, chalk=False)
    canvas.draw_line([start, end], CHALK, 3.4 * canvas.px, 0.8, chalk=False)


def _shortest_line(box: Rect, pair: Pair) -> tuple[Point, Point]:
    """Return the nearest points of a box and of a pair's line."""
    left, top, right, bottom = box
    best: tuple[float, Point, Point] | None = None
    for step in range(_LEAD_STEPS + 1):
        # A lead ends on the middle part of the line, off both hulls.
        part = 0.3 + 0.4 * step / _LEAD_STEPS
        x = pair.start[0] + (pair.end[0] - pair.start[0]) * part
        y = pair.start[1] + (pair.end[1] - pair.start[1]) * part
        edge_point = (min(max(x, left), right), min(max(y, top), bottom))
        distance = hypot(edge_point[0] - x, edge_point[1] - y)
        if best is None or distance < best[0]:
            best = (distance, edge_point, (x, y))
    return (best[1], best[2]) if best else (pair.start, pair.end)


def lay_labels(canvas: Canvas, placed: PlacedLabels) -> None:
    for label, (left, top, _, _) in placed:
        note_sign(label.mark, label.image)
        with marking(canvas, label.mark):
            canvas.place_sprite(Sprite(label.image, (0, 0)), (left, top))


def _cell_costs(obstacles: Sequence[Obstacle], size: tuple[int, int]) -> NDArray[np.float64]:
    """Return the cost of covering each cell of a picture, with shape (rows, columns)."""
    columns = size[0] // _CELL_PX
    rows = size[1] // _CELL_PX
    cell_costs = np.zeros((rows, columns), dtype=np.float64)
    for weight in sorted({obstacle.weight for obstacle in obstacles}):
        cover = Image.new("L", (columns, rows))
        draw = ImageDraw.Draw(cover)
        for obstacle in obstacles:
            if obstacle.weight == weight:
                draw.polygon([(x / _CELL_PX, y / _CELL_PX) for x, y in obstacle.shape], fill=1, outline=1)
        cell_costs = np.maximum(cell_costs, np.asarray(cover, dtype=np.float64) * weight)
    return cell_costs


def _cost_around(cell_costs: NDArray[np.float64], label: Label) -> float:
    """Return the cost of all cells that a label could cover at its best distance. Hulls count as 100 at most."""
    x, y = label.near[0] / _CELL_PX, label.near[1] / _CELL_PX
    reach = (label.distance + label.image.width) / _CELL_PX
    part = cell_costs[max(0, int(y - reach)) : int(y + reach) + 1, max(0, int(x - reach)) : int(x + reach) + 1]
    return float(np.minimum(part, 100.0).sum())


def _best_box(cell_costs: NDArray[np.float64], label: Label) -> Rect | None:
    """Return the box (in pixels) where a label costs least; None if no free place is left."""
    width, height = ceil(label.image.width / _CELL_PX), ceil(label.image.height / _CELL_PX)
    rows, columns = cell_costs.shape
    if width > columns or height > rows:
        return None
    x, y = label.near[0] / _CELL_PX, label.near[1] / _CELL_PX
    reach = label.distance / _CELL_PX
    for extra in _SEARCH_CELLS:
        max_distance = reach + extra
        west = max(0, floor(x - max_distance) - width)
        north = max(0, floor(y - max_distance) - height)
        east = min(columns, ceil(x + max_distance) + width)
        south = min(rows, ceil(y + max_distance) + height)
        if east - west >= width and south - north >= height:
            cost, box = _cheapest_box(cell_costs[north:south, west:east], label, (west, north))
            # Every box farther away costs more by its distance alone.
            if cost < _DISTANCE_COST * extra:
                return box
    cost, box = _cheapest_box(cell_costs, label, (0, 0))
    return box if cost < _TAKEN_COST / 2 else None


def _cheapest_box(cell_costs: NDArray[np.float64], label: Label, corner: tuple[int, int]) -> tuple[float, Rect]:
    """Return the least cost of a label in a part of the picture, and the box (in pixels of the picture) with that cost.

    `corner` is the column and the row of the part's first cell.
    """
    width, height = ceil(label.image.width / _CELL_PX), ceil(label.image.height / _CELL_PX)
    rows, columns = cell_costs.shape
    # `total` holds sums from the corner on. The cost of any box follows from four of them.
    total = np.zeros((rows + 1, columns + 1))
    total[1:, 1:] = cell_costs.cumsum(axis=0).cumsum(axis=1)
    covered = total[height:, width:] - total[:-height, width:] - total[height:, :-width] + total[:-height, :-width]
    left = corner[0] + np.arange(columns - width + 1)
    top = corner[1] + np.arange(rows - height + 1)
    # Everything below is in cells, in arrays over the possible upper left corners of the box.
    x, y = label.near[0] / _CELL_PX, label.near[1] / _CELL_PX
    across = np.maximum(np.maximum(left - x, x - (left + width)), 0.0)[None, :]
    down = np.maximum(np.maximum(top - y, y - (top + height)), 0.0)[:, None]
    gap = np.hypot(across, down)  # between the label's point and the box
    middle_x, middle_y = (left + width / 2)[None, :], (top + height / 2)[:, None]
    wrong_distance = np.abs(gap - label.distance / _CELL_PX)
    cost = covered + _DISTANCE_COST * wrong_distance + 0.05 * (np.abs(middle_x - x) + np.abs(middle_y - y))
    if label.offset is not None:
        offset_x, offset_y = label.offset[0] / _CELL_PX, label.offset[1] / _CELL_PX
        cost = cost + 1.5 * np.hypot(middle_x - x - offset_x, middle_y - y - offset_y)
    row, column = np.unravel_index(int(cost.argmin()), cost.shape)
    box_left, box_top = float(left[column] * _CELL_PX), float(top[row] * _CELL_PX)
    box = (box_left, box_top, box_left + width * _CELL_PX, box_top + height * _CELL_PX)
    return float(cost[row, column]), box


_SQUARE_CORNERS: Final = ((-1, -1), (1, -1), (1, 1), (-1, 1))


@dataclass
class UpperLayer:
    """Marks, labels and obstacles for both that a plan collects while it draws what lies below the ships."""

    marks: list[Callable[[], None]] = field(default_factory=list)  # drawings to be called later
    labels: list[Label] = field(default_factory=list)  # to be placed when all marks are drawn
    obstacles: list[Obstacle] = field(default_factory=list)  # what labels should not cover

    def add_obstacle(self, at: Point, r: float, weight: int) -> None:
        """Add a square around a point as an obstacle; `r` is half its side, in px."""
        self.obstacles.append(Obstacle(tuple((at[0] + dx * r, at[1] + dy * r) for dx, dy in _SQUARE_CORNERS), weight))

    def draw_marks(self) -> None:
        for mark in self.marks:
            mark()
