"""The painter of the fleet game."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from render.commission import Commission, PictureKind
from render.drawing.viewport import PlanSight
from render.marks import sighting, signs
from render.marks.above import UpperLayer
from render.marks.labels import Obstacle
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


def paint(commission: Commission[FleetView]) -> Image.Image:
    acts = [act for act in retelling.split_moments(commission.view, commission.events) if act.has_visible_event]
    if commission.kind == "round" and acts:
        return draw_sheet(commission, acts)
    if commission.kind == "attacks" and any(act.has_attack for act in acts):
        return draw_details(commission, acts)
    planned, position, above = (
        plan_sight(commission) if commission.kind == "plan" else None,
        commission.view.position,
        UpperLayer(),
    )
    canvas = make_canvas(commission, planned.window if planned else shown_window(commission, acts), commission.width)
    if planned:
        position = position_at_speeds(commission.view)
        above = draw_plan(canvas, commission.view)
    else:
        draw_traces(canvas, acts)
    draw_ships(canvas, position)
    above.draw_marks()
    labels = list(above.labels)
    if not planned:
        labels += [label for act in acts for label in draw_attacks(canvas, act, dice=False)]
    others = list(above.obstacles)
    if planned:
        others += _draw_surroundings(canvas, commission.view, planned, [*hull_obstacles(canvas, position), *others])
    write_ids(canvas, position, commission, labels, others=others)
    return add_edge_and_legend(commission, canvas)


def _draw_surroundings(
    canvas: HexCanvas, view: FleetView, planned: PlanSight, obstacles: Sequence[Obstacle]
) -> list[Obstacle]:
    """Draw an arrow to the nearest enemy, if it is outside the plan, and a small map. Returns obstacles."""
    foe, arrow = planned.foe, list[Obstacle]()
    if foe is not None and not planned.is_foe_shown:
        enemy = view.position.ships_by_id[foe.id]
        livery = LIVERIES[side_of(enemy)]
        hexes = signs.draw_sign("hex", round(sighting.LETTER_PX * canvas.unit))
        plate = sighting.draw_foe_plate(canvas, livery, 60 * enemy.facing, enemy.id, f"{foe.distance:.0f}", hexes)
        arrow = sighting.point_out(canvas, foe, livery, plate, obstacles)
    return [*arrow, *draw_overview(canvas, view.position, [*obstacles, *arrow])]


def has_content(view: FleetView, events: Sequence[Event], kind: PictureKind) -> bool:
    if kind == "attacks":
        return any(act.has_attack for act in retelling.split_moments(view, events))
    return kind != "round" or any(act.has_visible_event for act in retelling.split_moments(view, events))
