"""Marks of battles: those that are being played, and those that ended in the turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from typing import Final

from render.campaign.colours import SIEGE_COLOUR, captain_colour
from render.campaign.layout import LETTER_PX, MarkSizes, letter_px, point_near
from render.drawing.canvas import Canvas, Point, text_size
from render.drawing.marking import shows
from render.drawing.style import Colour
from render.marks.strikes import draw_edged_line
from render.seas.parchment import INK, PAPER
from rules.campaign.engine.events import BattleEnded
from rules.campaign.engine.sea.maps import Place
from rules.campaign.engine.sea.naming import battle_number
from rules.campaign.engine.sea.state import SeaBattle
from rules.core.protocol import Event

# In px at full width.
_CROSS_ARM_PX: Final = 20  # half the width of the cross of a battle that is being played
_SWORD_ARM_PX: Final = 30  # half the width of crossed swords
_SIEGE_ROOM_PX: Final = 50
_BATTLE_STEP_PX: Final = 132  # between the marks of two battles in one place


def draw_battles(
    canvas: Canvas,
    places: Mapping[str, Place],
    marks: MarkSizes,
    running: Iterable[SeaBattle],
    events: Iterable[Event],
    *,
    besieged: Container[str],
) -> None:
    """Draw the battles that are being played and those that ended, side by side if they are in one place.

    Above ports in `besieged` they leave room for what is written about the siege.
    """
    counts: Counter[str] = Counter()  # battles drawn at each place

    def next_spot(code: str) -> Point:
        left = counts[code] * _BATTLE_STEP_PX  # pennants stand on the right of most places
        counts[code] += 1
        top = marks.mark_rects(places[code])[0][1] - (_SIEGE_ROOM_PX if code in besieged else 0)
        return point_near(canvas, places[code], -left - 20, top - 30)

    for battle in running:
        _draw_running_battle(canvas, next_spot(battle.place), marks, battle_number(battle.id))
    for event in events:
        if isinstance(event, BattleEnded):
            winner = captain_colour(event.holds[0] if event.holds else "")
            _draw_fought_battle(canvas, next_spot(event.place), marks, battle_number(event.id), winner)


@shows("battle")
def _draw_running_battle(canvas: Canvas, at: Point, marks: MarkSizes, number: str) -> None:
    x, y = at
    arm = _CROSS_ARM_PX * canvas.px
    for sign in (-1, 1):
        ends = [(x - arm, y - sign * arm), (x + arm, y + sign * arm)]
        draw_edged_line(canvas, ends, SIEGE_COLOUR, 7 * canvas.px, 11 * canvas.px, edge=INK, edge_opacity=1.0)
    _write_number(canvas, (x + arm + 6 * canvas.px, y), marks, number, SIEGE_COLOUR)


@shows("fought")
def _draw_fought_battle(canvas: Canvas, at: Point, marks: MarkSizes, number: str, winner: Colour) -> None:
    """Draw crossed swords with their points up."""
    x, y = at
    arm = _SWORD_ARM_PX * canvas.px
    for right in (-1, 1):  # towards which each sword points
        blade = [(x - right * arm, y + arm), (x + right * arm, y - arm)]
        guard = [(x - right * 0.94 * arm, y + 0.3 * arm), (x - right * 0.3 * arm, y + 0.94 * arm)]
        draw_edged_line(canvas, blade, winner, 9 * canvas.px, 16 * canvas.px, edge=INK, edge_opacity=1.0)
        draw_edged_line(canvas, guard, winner, 6 * canvas.px, 13 * canvas.px, edge=INK, edge_opacity=1.0)
    _write_number(canvas, (x + arm + 8 * canvas.px, y), marks, number, INK)


def _write_number(canvas: Canvas, left_middle: Point, marks: MarkSizes, number: str, colour: Colour) -> None:
    size = letter_px(canvas, marks.pennant_scale * LETTER_PX)
    x, y = left_middle
    canvas.draw_text((x, y - text_size(number, size)[1] / 2), number, size, colour, rim=PAPER)
