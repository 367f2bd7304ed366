"""Islands, moles and reefs on the table, and the goal of a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, cos, floor, hypot, sin, tau
from typing import Final

import numpy as np
import shapely
from msgspec import UNSET
from PIL import Image
from shapely import LineString, Polygon

from render.drawing.backgrounds import cache_background
from render.drawing.canvas import Canvas, Point, Rect
from render.drawing.marking import marking, note_ground, shows
from render.drawing.style import BRASS, CARD, CHALK, EMBER, FLAME, NAME_SIZE, SOOT, WARM, Colour
from render.seas import table_top
from rules.geometry.plane import Ring
from rules.matchbox.engine import scenarios
from rules.matchbox.engine.terrain import LandPiece
from rules.matchbox.interface.view import TableView

SAND: Final[Colour] = (233, 216, 178)
STONE: Final[Colour] = (132, 122, 115)
LIT_STONE: Final[Colour] = (169, 168, 168)
DARK_STONE: Final[Colour] = (68, 62, 68)
WALL: Final[Colour] = (189, 193, 200)
SHALLOWS: Final[Colour] = (100, 130, 172)
SHOAL: Final[Colour] = (151, 167, 186)
FOAM: Final[Colour] = (213, 231, 254)
INSET_LAND_COLOUR: Final[Colour] = LIT_STONE
_BEACH_MM: Final = 9.0  # width
_CLIFF_MM: Final = 17.0  # distance of an island's plateau from its coast
_RIPPLE_MM: Final = 13.0  # between two wavy lines over a reef
_WAVE_MM: Final = 26.0  # length of a wave in such a line
_SWELL_MM: Final = 2.6  # height of such a wave
_STONES_MM: Final = 22.0  # length of a mole's stones


def draw_table(
    size: tuple[int, int], window: Rect, table_mm: Point, land: tuple[LandPiece, ...], full_width: int, *, turned: bool
) -> Canvas:
    """Return a canvas with the table and its land in a window. `turned`: south is up."""
    image = _draw_table_with_land(size, window, table_mm, land, full_width, turned=turned)
    canvas = Canvas(image, window, full_width, turned=turned)
    for piece in land:
        xs, ys = zip(*_to_pixels(canvas, piece.corners), strict=True)
        note_ground(canvas, piece.kind, (min(xs), min(ys), max(xs), max(ys)))
    return canvas


def _turn_window(window: Rect, table_mm: Point) -> Rect:  # by 180 degrees around the table's middle
    west, south, east, north = window
    return table_mm[0] - east, table_mm[1] - north, table_mm[0] - west, table_mm[1] - south


@cache_background
def _draw_table_with_land(
    size: tuple[int, int], window: Rect, table_mm: Point, land: tuple[LandPiece, ...], full_width: int, *, turned: bool
) -> Image.Image:
    bare = table_top.draw_table(size, _turn_window(window, table_mm) if turned else window, table_mm)
    canvas = Canvas(bare, window, full_width, turned=turned)
    visible = shapely.box(*window)
    for kind, draw in (("reef", _draw_reef), ("mole", _draw_mole), ("island", _draw_island)):
        for piece in land:
            if piece.kind != kind:
                continue
            shape = Polygon(piece.corners)
            if shape.buffer(_BEACH_MM).intersects(visible):
                draw(canvas, shape)
    return canvas.image


def _draw_reef(canvas: Canvas, shape: Polygon) -> None:
    # Shallow water, brighter in the middle, with ripples and a broken line of foam around it.
    canvas.draw_haze([_to_pixels(canvas, ring) for ring in _shape_rings(shape)], SHALLOWS, 0.85, 3.0 * canvas.px)
    for ring in _shape_rings(shape.buffer(-_BEACH_MM)):
        canvas.draw_haze([_to_pixels(canvas, ring)], SHOAL, 0.6, 5.0 * canvas.px)
    width = max(1.5, 3.2 * canvas.px)
    for ripple in _ripple_lines(shape):
        canvas.draw_line(_to_pixels(canvas, ripple), FOAM, width, 0.9)
    edge = _to_pixels(canvas, list(shape.exterior.coords))
    canvas.draw_line(edge, FOAM, width, 0.9, dash=(2.5 * width, 2.5 * width))


def _ripple_lines(shape: Polygon) -> Iterator[list[Point]]:
    """Yield wavy lines over a reef, `_RIPPLE_MM` apart; their places depend on the table, not on the picture."""
    west, south, east, north = shape.bounds
    inner = shape.buffer(-4.0)
    for row in range(ceil(south / _RIPPLE_MM), floor(north / _RIPPLE_MM) + 1):
        points = [
            (x, row * _RIPPLE_MM + _SWELL_MM * sin(x * tau / _WAVE_MM + row * 2.1))
            for x in range(floor(west), ceil(east) + 1, 3)
        ]
        if len(points) < 2:
            continue
        for part in shapely.get_parts(LineString(points).intersection(inner)):
            if part.length > _RIPPLE_MM:
                yield list(part.coords)


def _draw_mole(canvas: Canvas, shape: Polygon) -> None:
    _draw_shadow(canvas, shape, 3.0, 0.5)
    _fill_shape(canvas, shape, DARK_STONE)
    _fill_shape(canvas, shape.buffer(-1.6), STONE)
    _fill_shape(canvas, shape.buffer(-3.2), WALL, chalk=True)
    width = max(1.0, 1.6 * canvas.px)
    for joint in _joint_lines(shape):
        canvas.draw_line(_to_pixels(canvas, joint), DARK_STONE, width, 0.8, chalk=False)


def _joint_lines(shape: Polygon) -> Iterator[list[Point]]:
    """Yield the joints between a mole's stones: lines across its longest side, `_STONES_MM` apart."""
    outline = shape.buffer(-1.6)
    longest_side = max(
        pairwise(shape.exterior.coords), key=lambda side: hypot(side[1][0] - side[0][0], side[1][1] - side[0][1])
    )
    (ax, ay), (bx, by) = longest_side
    length = hypot(bx - ax, by - ay)
    dx, dy = (bx - ax) / length, (by - ay) / length  # a unit vector along the side
    west, south, east, north = shape.bounds
    reach = hypot(east - west, north - south)
    for joint_no in range(-floor(reach / _STONES_MM), floor(reach / _STONES_MM) + 1):
        x, y = ax + dx * joint_no * _STONES_MM, ay + dy * joint_no * _STONES_MM
        across = LineString([(x - dy * reach, y + dx * reach), (x + dy * reach, y - dx * reach)])
        for part in shapely.get_parts(across.intersection(outline)):
            if part.length > 1.0:
                yield list(part.coords)


def _draw_island(canvas: Canvas, shape: Polygon) -> None:
    # A shadow, surf, a beach, and rock in three steps that look higher and higher.
    _draw_shadow(canvas, shape, 8.0, 0.75)
    for ring in _shape_rings(shape.buffer(3.0)):
        canvas.draw_line(_to_pixels(canvas, [*ring, ring[0]]), FOAM, max(1.5, 3.0 * canvas.px), 0.55)
    _fill_shape(canvas, shape, SAND)
    edge = _to_pixels(canvas, list(shape.exterior.coords))
    canvas.draw_line(edge, SOOT, max(1.5, 2.6 * canvas.px), 0.85, chalk=False)
    rock = shape.buffer(-_BEACH_MM)
    _fill_shape(canvas, rock, DARK_STONE)
    _fill_shape(canvas, _lift_shape(canvas, rock, 2.0), STONE)
    _fill_shape(canvas, _lift_shape(canvas, shape.buffer(-_CLIFF_MM), 4.0), LIT_STONE, chalk=True)
    for ring in _shape_rings(_lift_shape(canvas, shape.buffer(-_CLIFF_MM - 7.0), 5.0)):
        canvas.fill_polygon(_to_pixels(canvas, ring), CHALK, 0.35, chalk=True)


def _lift_shape(canvas: Canvas, shape: shapely.Geometry, high_mm: float) -> shapely.Geometry:
    """Return a shape moved towards the light, which falls from the picture's upper left, as if it stood higher."""
    shift = np.array((0.6, -0.8) if canvas.turned else (-0.6, 0.8)) * high_mm
    return shapely.transform(shape, lambda points: points + shift)


def _draw_shadow(canvas: Canvas, shape: Polygon, length_mm: float, opacity: float) -> None:
    length = length_mm * canvas.scale
    shadow = [(x + 0.6 * length, y + 0.8 * length) for x, y in _to_pixels(canvas, list(shape.exterior.coords))]
    canvas.draw_haze([shadow], SOOT, opacity, max(1.5, 0.5 * length))


def _fill_shape(canvas: Canvas, shape: shapely.Geometry, colour: Colour, *, chalk: bool = False) -> None:
    for ring in _shape_rings(shape):
        canvas.fill_polygon(_to_pixels(canvas, ring), colour, chalk=chalk)


def _shape_rings(shape: shapely.Geometry) -> list[list[Point]]:
    """Return the outlines of all parts of a shape. A shape that shrank to nothing has none."""
    return [list(part.exterior.coords) for part in shapely.get_parts(shape) if not part.is_empty]


def _to_pixels(canvas: Canvas, points: Sequence[Point]) -> list[Point]:
    return [canvas.to_pixels(point) for point in points]


@shows("sight")
def draw_sight_line(canvas: Canvas, start: Point, end: Point, hidden_at: Point | None) -> None:
    """Draw a dashed line between two masts, in mm. If an island blocks it, end it there with a cross."""
    width = max(2.0, 3.5 * canvas.px)
    a, b = canvas.to_pixels(start), canvas.to_pixels(hidden_at or end)
    canvas.draw_line([a, b], CHALK, width, 0.9, dash=(width, 2.6 * width), chalk=False, shadow=True)
    if hidden_at is not None:
        size = 13 * canvas.px
        for angle in (0.785, 2.356):  # the cross's arms
            dx, dy = size * cos(angle), size * sin(angle)
            ends = [(b[0] - dx, b[1] - dy), (b[0] + dx, b[1] + dy)]
            canvas.draw_line(ends, SOOT, 2.2 * width, 0.8, chalk=False)
            canvas.draw_line(ends, CHALK, 1.2 * width, chalk=False)


_SIGN_STEP_MM: Final = 300.0  # between two signs along an exit zone
_MIN_SEEN_PART: Final = 0.3
"""The score is written only if at least this part of the basin is visible."""
_HOUSE_SIZE_MM: Final = 30.0
_ARROW_SIZE_MM: Final = 14.0


def scenario_zones(view: TableView) -> list[Ring]:
    """Return the outline of the scenario's goal; empty in a game without a scenario."""
    return [] if view.scenario is UNSET else [scenarios.goal_zone(view.scenario, view.sea)]


def draw_scenario_goal(canvas: Canvas, view: TableView) -> None:
    """Draw a scenario's goal on the table, with the score so far; nothing in a game without a scenario."""
    if view.scenario is UNSET or view.score_so_far is UNSET:
        return
    goal_zone = Polygon(scenarios.goal_zone(view.scenario, view.sea))
    visible_part = goal_zone.intersection(shapely.box(*canvas.window))
    if visible_part.is_empty or visible_part.area < 1.0:
        return
    with marking(canvas, f"goal.{view.scenario}"):
        _draw_goal_zone(canvas, view, goal_zone, visible_part)


def _draw_goal_zone(canvas: Canvas, view: TableView, goal_zone: Polygon, visible_part: Polygon) -> None:
    if view.scenario is UNSET or view.score_so_far is UNSET:
        return
    scenario = scenarios.SCENARIOS[view.scenario]
    shape = [canvas.to_pixels(point) for point in visible_part.exterior.coords]
    canvas.fill_polygon(shape, WARM, 0.22, chalk=True)
    width = max(2.0, 4.0 * canvas.px)
    canvas.draw_line(shape, CHALK, width, 0.85, dash=(7 * width, 4 * width))
    score = view.score_so_far[scenario.score_keys[0]]
    if view.scenario == "raid":
        _draw_town(canvas, goal_zone, score, scenario.winning_score)
    elif view.scenario != "harbour":
        _draw_exit_zone(canvas, visible_part, f"{score}/{scenario.winning_score}")
    elif visible_part.area >= _MIN_SEEN_PART * goal_zone.area:  # there is room for the harbour's score
        x, y = visible_part.centroid.coords[0]
        words = f"{view.score_so_far['south']} : {view.score_so_far['north']} / {scenario.winning_score}"
        canvas.draw_centred_text(canvas.to_pixels((x, y)), words, round(NAME_SIZE * canvas.px), CHALK)


def _draw_exit_zone(canvas: Canvas, zone: Polygon, text: str) -> None:
    # Writes the score several times, each between two arrows that point north.
    west, south, east, north = zone.bounds
    middle = (south + north) / 2
    size = round(NAME_SIZE * 0.8 * canvas.px)
    count = max(1, round((east - west) / _SIGN_STEP_MM))
    for number in range(count):
        x = west + (east - west) * (number + 0.5) / count
        canvas.draw_centred_text(canvas.to_pixels((x, middle)), text, size, CHALK)
        for aside in (-3.2 * _ARROW_SIZE_MM, 3.2 * _ARROW_SIZE_MM):
            tip = middle + _ARROW_SIZE_MM
            base = middle - _ARROW_SIZE_MM
            arrow = ((x + aside, tip), (x + aside + _ARROW_SIZE_MM, base), (x + aside - _ARROW_SIZE_MM, base))
            canvas.fill_polygon([canvas.to_pixels(point) for point in arrow], CHALK, 0.9)


def _draw_town(canvas: Canvas, zone: Polygon, burnt: int, houses: int) -> None:  # a row of houses
    x, y = zone.centroid.coords[0]
    for number in range(houses):
        at = (x + (number - (houses - 1) / 2) * 1.5 * _HOUSE_SIZE_MM, y)
        _draw_house(canvas, at, burns=number < burnt)


def _draw_house(canvas: Canvas, at: Point, *, burns: bool) -> None:
    """Draw a house, which stands upright in the picture from either side of the table."""
    half = _HOUSE_SIZE_MM / 2 * canvas.scale
    height = _HOUSE_SIZE_MM * canvas.scale
    x, y = canvas.to_pixels(at)
    walls = [(x - half, y + half), (x + half, y + half), (x + half, y - half / 3), (x - half, y - half / 3)]
    roof = [(x - 1.25 * half, y - half / 3), (x + 1.25 * half, y - half / 3), (x, y - 1.4 * half)]
    canvas.fill_polygon([(px, py + 2) for px, py in walls], SOOT, 0.9)
    canvas.fill_polygon(walls, SOOT if burns else CARD)
    canvas.fill_polygon(roof, SOOT if burns else BRASS)
    if burns:
        flame = [(x - half, y + half / 2), (x + half, y + half / 2), (x + half / 2, y - half), (x, y - 1.3 * height)]
        canvas.fill_polygon([*flame, (x - half / 2, y - half / 2)], EMBER, 0.95)
        canvas.fill_polygon([(x - half / 2, y + half / 2), (x + half / 2, y + half / 2), (x, y - half)], FLAME, 0.95)
