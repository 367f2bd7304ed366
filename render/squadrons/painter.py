"""The painter of the fleet game: the sea, what happened, what is planned, a turn page by page."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from render.commission import Commission, PictureKind
from render.marks import sighting, signs
from render.marks.above import UpperLayer
from render.marks.labels import Obstacle
from render.marks.sighting import PlanSight
from render.seas.hexmap import HexCanvas
from render.squadrons.ids import write_ids
from render.squadrons.liveries import LIVERIES
from render.squadrons.marks import side_of
from render.squadrons.plan import draw_plan, position_at_speeds
from render.squadrons.scene import (
    add_edge_and_legend,
    draw_attacks,
    draw_overview,
    draw_ships,
    draw_traces,
    hull_obstacles,
    make_canvas,
)
from render.squadrons.sheet import draw_details, draw_sheet
from render.squadrons.window import plan_sight, shown_window
from rules.core.protocol import Event
from rules.squadrons import retelling
from rules.squadrons.interface.preview.view import FleetView


def paint(asked: Commission[FleetView]) -> Image.Image:
    """Draw any kind of picture of the sea."""
    acts = [act for act in retelling.split_moments(asked.view, asked.events) if act.has_visible_event]
    if asked.kind == "round" and acts:
        return draw_sheet(asked, acts)
    if asked.kind == "attacks" and any(act.has_attack for act in acts):
        return draw_details(asked, acts)
    planned, position, above = plan_sight(asked) if asked.kind == "plan" else None, asked.view.position, UpperLayer()
    canvas = make_canvas(asked, planned.window if planned else shown_window(asked, acts), asked.width)
    if planned:
        position = position_at_speeds(asked.view)
        above = draw_plan(canvas, asked.view)
    else:
        draw_traces(canvas, acts)
    draw_ships(canvas, position)
    above.draw_marks()
    tags = list(above.tags)
    if not planned:
        tags += [tag for act in acts for tag in draw_attacks(canvas, act, dice=False)]
    others = list(above.obstacles)
    if planned:
        others += _draw_surroundings(canvas, asked.view, planned, [*hull_obstacles(canvas, position), *others])
    write_ids(canvas, position, asked, tags, others=others)
    return add_edge_and_legend(asked, canvas)


def _draw_surroundings(
    canvas: HexCanvas, view: FleetView, planned: PlanSight, taken: Sequence[Obstacle]
) -> list[Obstacle]:
    """What is not in a plan: an arrow to the nearest enemy, and all of the map in a corner."""
    foe, arrow = planned.foe, list[Obstacle]()
    if foe is not None and not planned.is_foe_shown:
        enemy = view.position.ships_by_id[foe.id]
        livery = LIVERIES[side_of(enemy)]
        hexes = signs.draw_sign("hex", round(sighting.LETTER_PX * canvas.unit))
        plate = sighting.draw_foe_plate(canvas, livery, 60 * enemy.facing, enemy.id, f"{foe.distance:.0f}", hexes)
        arrow = sighting.point_out(canvas, foe, livery, plate, taken)
    return [*arrow, *draw_overview(canvas, view.position, [*taken, *arrow])]


def has_content(view: FleetView, events: Sequence[Event], kind: PictureKind) -> bool:
    """Whether events hold an attack, or anything that can be seen, for a picture of that."""
    if kind == "attacks":
        return any(act.has_attack for act in retelling.split_moments(view, events))
    return kind != "round" or any(act.has_visible_event for act in retelling.split_moments(view, events))
