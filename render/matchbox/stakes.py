"""The goal of a scenario, drawn on the table: the exit, the basin, the town with its houses (MX part 5).

The score is shown by numbers, arrows and houses without words, because pictures are the same in all languages.
"""

from __future__ import annotations

from typing import Final

import shapely
from msgspec import UNSET
from shapely import Polygon

from render.drawing.canvas import Canvas, Point
from render.drawing.style import BRASS, CARD, CHALK, EMBER, FLAME, NAME_SIZE, SOOT, WARM
from rules.geometry.plane import Ring
from rules.matchbox.engine import scenarios
from rules.matchbox.interface.view import TableView

_SIGN_STEP_MM: Final = 300.0
_MIN_SEEN_PART: Final = 0.3
"""The score is written only if at least this part of the basin is visible."""
_HOUSE_SIZE_MM: Final = 30.0
_ARROW_SIZE_MM: Final = 14.0


def scenario_zones(view: TableView) -> list[Ring]:
    """Return the outline of the scenario's goal; empty in a game without a scenario."""
    return [] if view.scenario is UNSET else [scenarios.goal_zone(view.scenario, view.sea)]


def draw_stakes(canvas: Canvas, view: TableView) -> None:
    if view.scenario is UNSET or view.score_so_far is UNSET:
        return
    played = scenarios.SCENARIOS[view.scenario]
    zone = Polygon(scenarios.goal_zone(view.scenario, view.sea))
    visible = zone.intersection(shapely.box(*canvas.window))
    if visible.is_empty or visible.area < 1.0:
        return
    shape = [canvas.to_pixels(point) for point in visible.exterior.coords]
    canvas.fill_polygon(shape, WARM, 0.22, chalk=True)
    width = max(2.0, 4.0 * canvas.unit)
    canvas.draw_line(shape, CHALK, width, 0.85, dash=(7 * width, 4 * width))
    score = view.score_so_far[played.score_keys[0]]
    if view.scenario == "raid":
        _draw_town(canvas, zone, score, played.winning_score)
    elif view.scenario == "harbour" and visible.area >= _MIN_SEEN_PART * zone.area:
        x, y = visible.centroid.coords[0]
        words = f"{view.score_so_far['south']} : {view.score_so_far['north']} / {played.winning_score}"
        canvas.draw_centred_text(canvas.to_pixels((x, y)), words, round(NAME_SIZE * canvas.unit), CHALK)
    elif view.scenario != "harbour":
        _draw_way_out(canvas, visible, f"{score}/{played.winning_score}")


def _draw_way_out(canvas: Canvas, zone: Polygon, words: str) -> None:
    west, south, east, north = zone.bounds
    middle, size = (south + north) / 2, round(NAME_SIZE * 0.8 * canvas.unit)
    count = max(1, round((east - west) / _SIGN_STEP_MM))
    for number in range(count):
        x = west + (east - west) * (number + 0.5) / count
        canvas.draw_centred_text(canvas.to_pixels((x, middle)), words, size, CHALK)
        for aside in (-3.2 * _ARROW_SIZE_MM, 3.2 * _ARROW_SIZE_MM):
            tip, low = middle + _ARROW_SIZE_MM, middle - _ARROW_SIZE_MM
            arrow = ((x + aside, tip), (x + aside + _ARROW_SIZE_MM, low), (x + aside - _ARROW_SIZE_MM, low))
            canvas.fill_polygon([canvas.to_pixels(point) for point in arrow], CHALK, 0.9)


def _draw_town(canvas: Canvas, zone: Polygon, burnt: int, houses: int) -> None:
    x, y = zone.centroid.coords[0]
    for number in range(houses):
        at = (x + (number - (houses - 1) / 2) * 1.5 * _HOUSE_SIZE_MM, y)
        _draw_house(canvas, at, burns=number < burnt)


def _draw_house(canvas: Canvas, at: Point, *, burns: bool) -> None:
    """Draw a house, which stands upright in the picture from either side of the table."""
    half, up = _HOUSE_SIZE_MM / 2 * canvas.scale, _HOUSE_SIZE_MM * canvas.scale
    x, y = canvas.to_pixels(at)
    walls = [(x - half, y + half), (x + half, y + half), (x + half, y - half / 3), (x - half, y - half / 3)]
    roof = [(x - 1.25 * half, y - half / 3), (x + 1.25 * half, y - half / 3), (x, y - 1.4 * half)]
    canvas.fill_polygon([(px, py + 2) for px, py in walls], SOOT, 0.9)
    canvas.fill_polygon(walls, SOOT if burns else CARD)
    canvas.fill_polygon(roof, SOOT if burns else BRASS)
    if burns:
        flame = [(x - half, y + half / 2), (x + half, y + half / 2), (x + half / 2, y - half), (x, y - 1.3 * up)]
        canvas.fill_polygon([*flame, (x - half / 2, y - half / 2)], EMBER, 0.95)
        canvas.fill_polygon([(x - half / 2, y + half / 2), (x + half / 2, y + half / 2), (x, y - half)], FLAME, 0.95)
