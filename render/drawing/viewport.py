"""The part of the world that a picture shows: a window around what matters, in a shape that suits a chat.

Windows and boxes are west, south, east and north in the map's unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, inf
from typing import Final, Protocol, TypeVar

from render.drawing.canvas import Point, Rect

PLAN_MAX_ASPECT: Final = 0.52
"""Height of a plan's window as a part of its width. A phone has room below it for orders and buttons."""
PLAN_MAX_TALL_ASPECT: Final = 0.57
"""Greatest aspect where ships would be too small otherwise, or the nearest enemy out of sight."""
_AMPLE_WIDTH_PART: Final = 0.75  # own ships that need more of the greatest width get a taller window


def bounds_of(points: Iterable[Point]) -> Rect:
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def contains_points(window: Rect, points: Iterable[Point]) -> bool:
    west, south, east, north = window
    return all(west <= x <= east and south <= y <= north for x, y in points)


def width_of(window: Rect) -> float:
    return window[2] - window[0]


def pad_to_aspect(box: Rect, min_aspect: float, max_aspect: float) -> Rect:
    """Return a box with space on two sides, so that its height is between two parts of its width."""
    west, south, east, north = box
    side_space = max(0.0, (north - south) / max_aspect - (east - west)) / 2
    top_space = max(0.0, (east - west) * min_aspect - (north - south)) / 2
    return west - side_space, south - top_space, east + side_space, north + top_space


@dataclass(frozen=True, kw_only=True)
class Viewport:
    """The limits of a game's windows of its map."""

    whole: Rect
    """The window that shows the whole map. No window reaches beyond it."""
    margin: float
    """Space around what is shown."""
    min_width: float  # a window is never narrower
    max_width: float = inf
    """A window does not grow wider than this only to avoid that its edge cuts a piece."""
    min_aspect: float  # least height of a window as a part of its width
    max_aspect: float
    """Limits of a window's height as a part of its width. A window that needs all of the map's width may be taller."""
    step: float = 0.0
    """Edges lie at multiples of this where possible, so that similar views give the same window and a drawn background
    can be reused. 0: anywhere."""

    def fit_window(self, boxes: Iterable[Rect], pieces: Sequence[Rect] = ()) -> Rect:
        """Return a window around boxes, enlarged until its edge cuts no piece; the whole map without boxes."""
        shown_boxes = list(boxes)
        if not shown_boxes:
            return self.whole
        window = self._smallest_window(shown_boxes)
        while cut_pieces := [piece for piece in pieces if _is_cut(window, piece)]:
            shown_boxes += cut_pieces
            larger = self._smallest_window(shown_boxes)
            if larger == window or width_of(larger) > max(self.max_width, width_of(window)):
                break
            window = larger
        return window

    def _smallest_window(self, boxes: Sequence[Rect]) -> Rect:
        """Return the smallest window around boxes that keeps to all limits."""
        whole_west, whole_south, whole_east, whole_north = self.whole
        west, south, east, north = bounds_of([corner for box in boxes for corner in (box[:2], box[2:])])
        if self.step:
            west, south = (floor(edge / self.step) * self.step for edge in (west, south))
            east, north = (ceil(edge / self.step) * self.step for edge in (east, north))
        west, south = max(whole_west, west - self.margin), max(whole_south, south - self.margin)
        east, north = min(whole_east, east + self.margin), min(whole_north, north + self.margin)
        max_width, max_height = whole_east - whole_west, whole_north - whole_south
        # The aspect is height by width; the smaller side grows until it fits.
        width = min(max(east - west, self.min_width, (north - south) / self.max_aspect), max_width)
        height = min(max(north - south, width * min(self.min_aspect, self.max_aspect)), max_height)
        if width == max_width and height == max_height:
            return self.whole
        left = min(max((west + east - width) / 2, whole_west), whole_east - width)
        low = min(max((south + north - height) / 2, whole_south), whole_north - height)
        right = min(round(left + width, 2), whole_east)
        top = min(round(low + height, 2), whole_north)
        return max(round(left, 2), whole_west), max(round(low, 2), whole_south), right, top


def _is_cut(window: Rect, piece: Rect) -> bool:
    inside = piece[0] >= window[0] and piece[1] >= window[1] and piece[2] <= window[2] and piece[3] <= window[3]
    meets = piece[0] < window[2] and piece[2] > window[0] and piece[1] < window[3] and piece[3] > window[1]
    return meets and not inside


@dataclass(frozen=True)
class Foe:
    """The enemy that a plan should show.

    Points are in the map's unit, `distance` is in the game's own unit. `start` is the middle of the captain's ship
    nearest to the enemy.
    """

    id: str  # of the enemy ship or fort
    middle: Point  # of the enemy, on the map
    hull: tuple[Point, ...]
    """Points that a picture must contain to show the enemy."""
    start: Point  # where a line to the enemy begins
    distance: float  # by the game's rules, in its unit


class _Named(Protocol):
    @property
    def id(self) -> str: ...


S = TypeVar("S", bound=_Named)


def nearest_foe(
    own_ships: Sequence[S],
    current_id: str | None,
    enemies: Iterable[S],
    *,
    gap: Callable[[S, S], float],
    middle: Callable[[S], Point],
    hull: Callable[[S], Iterable[Point]],
) -> Foe | None:
    """Return the enemy nearest to the current ship, or if none is current, to any of the viewer's ships."""
    candidates = [ship for ship in own_ships if ship.id == current_id] or own_ships
    pairs = [(ship, enemy) for enemy in enemies for ship in candidates]
    if not pairs:
        return None
    ship, enemy = min(pairs, key=lambda pair: gap(*pair))
    return Foe(enemy.id, middle(enemy), tuple(hull(enemy)), middle(ship), gap(ship, enemy))


@dataclass(frozen=True)
class PlanSight:
    """The part of the map that a plan shows, and the nearest enemy. None: no enemy, or nothing planned yet."""

    window: Rect  # the part of the map that is shown
    foe: Foe | None = None

    @property
    def is_foe_shown(self) -> bool:
        return self.foe is not None and contains_points(self.window, self.foe.hull)


def choose_sight(
    viewport: Viewport, boxes: Sequence[Rect], pieces: Sequence[Rect], foe: Foe | None, max_width: float
) -> PlanSight:
    """Return a window around the captain's own ships and an enemy, or only the own ships if it would be too wide.

    A window that includes the enemy is at most `max_width` wide, unless the own ships alone need more. This keeps ships
    large enough for a phone. Without boxes it is the whole map.
    """

    def fit(shown_boxes: Sequence[Rect], aspect: float) -> Rect:
        return replace(viewport, max_aspect=aspect).fit_window(shown_boxes, pieces)

    own_window = fit(boxes, PLAN_MAX_ASPECT)
    if width_of(own_window) > _AMPLE_WIDTH_PART * max_width:
        own_window = fit(boxes, PLAN_MAX_TALL_ASPECT)
    if foe is None or not boxes or contains_points(own_window, foe.hull):
        return PlanSight(own_window, foe)
    boxes_with_foe = [*boxes, bounds_of(foe.hull)]
    windows_with_foe = (fit(boxes_with_foe, aspect) for aspect in (PLAN_MAX_ASPECT, PLAN_MAX_TALL_ASPECT))
    limit = max(max_width, width_of(own_window))
    window = next((window for window in windows_with_foe if width_of(window) <= limit), own_window)
    return PlanSight(window, foe)
