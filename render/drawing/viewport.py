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
_MAX_KEPT_PART: Final = 1.6  # width of a kept window as a part of the width that is needed
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

    def without_margin(self, window: Rect) -> Rect:
        """Return the part of a window that is at least half of the margin away from its edges, except at the map's."""
        west, south, east, north = window
        whole_west, whole_south, whole_east, whole_north = self.whole
        least = self.margin / 2
        return (
            west if west <= whole_west else west + least,
            south if south <= whole_south else south + least,
            east if east >= whole_east else east - least,
            north if north >= whole_north else north - least,
        )

    def fit_window(self, boxes: Iterable[Rect], pieces: Sequence[Rect] = (), kept: Rect | None = None) -> Rect:
        """Return a window around boxes, enlarged until its edge cuts no piece; the whole map without boxes.

        It is `kept`, the window of an earlier picture, if that shows the boxes with some space around, cuts no piece,
        and is not much wider than needed.
        """
        shown_boxes = list(boxes)
        if not shown_boxes:
            return self.whole
        window = self._uncut_window(shown_boxes, pieces)
        if kept is None or width_of(kept) > _MAX_KEPT_PART * width_of(window):
            return window
        corners = [corner for box in shown_boxes for corner in (box[:2], box[2:])]
        shows_all = contains_points(self.without_margin(kept), corners)
        return kept if shows_all and not any(_is_cut(kept, piece) for piece in pieces) else window

    def _uncut_window(self, boxes: Sequence[Rect], pieces: Sequence[Rect]) -> Rect:
        """Return a window around boxes, enlarged until its edge cuts no piece."""
        shown_boxes = list(boxes)
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
class Landmark:
    """A ship or place that a plan shows, or to which it points from its edge.

    Points are in the map's unit, `distance` is in the game's own unit. `start` is the middle of the captain's ship
    nearest to it.
    """

    id: str  # of the ship, fort or place
    middle: Point  # on the map
    hull: tuple[Point, ...]
    """Points that a picture must contain to show it."""
    start: Point  # where a line to it begins
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
) -> Landmark | None:
    """Return the enemy nearest to the current ship, or if none is current, to any of the viewer's ships."""
    landmarks = ship_landmarks(own_ships, current_id, enemies, gap=gap, middle=middle, hull=hull)
    return min(landmarks, key=lambda landmark: landmark.distance, default=None)


def ship_landmarks(
    own_ships: Sequence[S],
    current_id: str | None,
    targets: Iterable[S],
    *,
    gap: Callable[[S, S], float],
    middle: Callable[[S], Point],
    hull: Callable[[S], Iterable[Point]],
) -> list[Landmark]:
    """Return landmarks of ships, with their distances from the current ship or, if none is current, the nearest own."""
    candidates = [ship for ship in own_ships if ship.id == current_id] or own_ships
    landmarks = []
    for target in targets:
        others = [ship for ship in candidates if ship.id != target.id] or ([target] if target in candidates else [])
        if others:
            start = min(others, key=lambda ship: gap(ship, target))
            distance = gap(start, target) if start is not target else 0.0
            landmarks.append(Landmark(target.id, middle(target), tuple(hull(target)), middle(start), distance))
    return landmarks


@dataclass(frozen=True)
class PlanSight:
    """The part of the map that a plan shows, and what it points to."""

    window: Rect  # the part of the map that is shown
    foe: Landmark | None = None  # the nearest enemy; None: no enemy, or nothing planned yet
    named: tuple[Landmark, ...] = ()  # ships and places that the text beside the picture names
    inner_window: Rect | None = None  # the window without its margins; None: equal to it

    @property
    def is_foe_shown(self) -> bool:
        return self.foe is not None and contains_points(self.window, self.foe.hull)

    @property
    def landmarks_outside(self) -> tuple[Landmark, ...]:
        """The nearest enemy and all that the text names, as far as they are not shown."""
        landmarks = {landmark.id: landmark for landmark in (*filter(None, [self.foe]), *self.named)}
        return tuple(
            each for each in landmarks.values() if not contains_points(self.inner_window or self.window, each.hull)
        )


def choose_sight(
    viewport: Viewport,
    boxes: Sequence[Rect],
    pieces: Sequence[Rect],
    foe: Landmark | None,
    *,
    max_width: float,
    named: Sequence[Landmark] = (),
    wishes: Sequence[Rect] = (),
) -> PlanSight:
    """Return a window around boxes, and around what the text names, `wishes` and an enemy, as far as there is room.

    A window that includes more than `boxes` is at most `max_width` wide, unless these alone need more, or its edge
    would cut one of the `pieces`. This keeps ships large enough for a phone. Without boxes it is the whole map.
    """

    def fit(shown_boxes: Sequence[Rect], aspect: float) -> Rect:
        return replace(viewport, max_aspect=aspect).fit_window(shown_boxes, pieces)

    window = fit(boxes, PLAN_MAX_ASPECT)
    if width_of(window) > _AMPLE_WIDTH_PART * max_width:
        window = fit(boxes, PLAN_MAX_TALL_ASPECT)
    limit = max(max_width, width_of(window))
    shown_boxes = list(boxes)
    landmark_boxes = [bounds_of(landmark.hull) for landmark in named]
    foe_boxes = [bounds_of(foe.hull)] if foe else []
    for box in (*landmark_boxes, *wishes, *foe_boxes):
        corners = (box[:2], box[2:])
        if not boxes or contains_points(viewport.without_margin(window), corners):
            continue
        windows = (fit([*shown_boxes, box], aspect) for aspect in (PLAN_MAX_ASPECT, PLAN_MAX_TALL_ASPECT))
        is_at_edge = contains_points(window, corners)  # a margin needs little more width
        if wider_window := next((wider for wider in windows if is_at_edge or width_of(wider) <= limit), None):
            window = wider_window
            shown_boxes.append(box)
    return PlanSight(window, foe, tuple(named), viewport.without_margin(window))
