"""The painter of Biremes … Oh My!."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from render.commission import Commission, PictureKind
from render.drawing.canvas import Canvas
from render.marks import sighting
from render.marks.above import UpperLayer
from render.marks.labels import Obstacle
from render.ramspeed.liveries import livery_of
from render.ramspeed.plan import draw_plan
from render.ramspeed.scene import (
    add_edge_and_legend,
    draw_attacks,
    draw_overview,
    draw_ships,
    draw_traces,
    draw_wrecks,
    hull_obstacles,
    make_canvas,
    write_badges,
)
from render.ramspeed.sheet import draw_sheet
from render.ramspeed.window import plan_sight, shown_window
from rules.core.protocol import Event
from rules.ramspeed import retelling
from rules.ramspeed.interface.view import SeaView
from rules.ramspeed.retelling import VisibleState, count_losses


def paint(commission: Commission[SeaView]) -> Image.Image:
    acts = retelling.split_moments(commission.view, commission.events)
    stirring = [act for act in acts if act.has_visible_event]
    if commission.kind == "round" and stirring:
        return draw_sheet(commission, stirring)
    canvas = make_canvas(commission, shown_window(commission, acts), commission.width)
    fleet = VisibleState.from_position(commission.view.position)
    above = UpperLayer()
    if commission.kind == "plan":
        above = draw_plan(canvas, commission.view, fleet)
    elif commission.kind in ("table", "attacks"):
        draw_traces(canvas, stirring)
    draw_wrecks(canvas, fleet)
    draw_ships(canvas, fleet)
    above.draw_marks()
    labels = list(above.labels)
    if commission.kind in ("table", "attacks"):
        labels += [label for act in stirring for label in draw_attacks(canvas, act, dice=commission.kind == "attacks")]
    others = list(above.obstacles)
    if commission.kind == "plan":
        others += _draw_surroundings(canvas, commission, fleet, [*hull_obstacles(canvas, fleet), *others])
    write_badges(
        canvas,
        fleet,
        commission.view,
        labels,
        losses=count_losses(acts) if commission.kind != "plan" else {},
        others=others,
    )
    return add_edge_and_legend(commission, canvas)


def _draw_surroundings(
    canvas: Canvas, commission: Commission[SeaView], fleet: VisibleState, obstacles: Sequence[Obstacle]
) -> list[Obstacle]:
    """Draw an arrow to the nearest enemy, if it is outside the plan, and a small map. Returns obstacles."""
    sight = plan_sight(commission)
    arrow: list[Obstacle] = []
    if sight.foe is not None and not sight.is_foe_shown:
        enemy = fleet.ships[sight.foe.id]
        colours = livery_of(fleet.side_of(enemy), enemy.nation)
        plate = sighting.draw_foe_plate(
            canvas, colours, canvas.to_picture_heading(enemy.heading), enemy.id, f'{sight.foe.distance:.3g}"'
        )
        arrow = sighting.point_out(canvas, sight.foe, colours, plate, obstacles)
    return [*arrow, *draw_overview(canvas, commission.view, fleet, [*obstacles, *arrow])]


def has_content(view: SeaView, events: Sequence[Event], kind: PictureKind) -> bool:
    if kind == "attacks":
        return any(act.kind in ("attack", "shot", "melee") for act in retelling.split_moments(view, events))
    return kind != "round" or any(act.has_visible_event for act in retelling.split_moments(view, events))
