"""The painter of Biremes … Oh My!: the sea, what happened, what is planned, a turn act by act."""

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


def paint(asked: Commission[SeaView]) -> Image.Image:
    """Draw any kind of picture of the sea."""
    acts = retelling.split_moments(asked.view, asked.events)
    stirring = [act for act in acts if act.has_visible_event]
    if asked.kind == "round" and stirring:
        return draw_sheet(asked, stirring)
    canvas = make_canvas(asked, shown_window(asked, acts), asked.width)
    fleet = VisibleState.from_position(asked.view.position)
    above = UpperLayer()
    if asked.kind == "plan":
        above = draw_plan(canvas, asked.view, fleet)
    elif asked.kind in ("table", "attacks"):
        draw_traces(canvas, stirring)
    draw_wrecks(canvas, fleet)
    draw_ships(canvas, fleet)
    above.draw_marks()
    tags = list(above.tags)
    if asked.kind in ("table", "attacks"):
        tags += [tag for act in stirring for tag in draw_attacks(canvas, act, dice=asked.kind == "attacks")]
    others = list(above.obstacles)
    if asked.kind == "plan":
        others += _draw_surroundings(canvas, asked, fleet, [*hull_obstacles(canvas, fleet), *others])
    write_badges(
        canvas, fleet, asked.view, tags, losses=count_losses(acts) if asked.kind != "plan" else {}, others=others
    )
    return add_edge_and_legend(asked, canvas)


def _draw_surroundings(
    canvas: Canvas, asked: Commission[SeaView], fleet: VisibleState, taken: Sequence[Obstacle]
) -> list[Obstacle]:
    """What is not in a plan: an arrow to the nearest enemy, and all of the table in a corner."""
    seen = plan_sight(asked)
    arrow: list[Obstacle] = []
    if seen.foe is not None and not seen.is_foe_shown:
        enemy = fleet.ships[seen.foe.id]
        colours = livery_of(fleet.side_of(enemy), enemy.nation)
        plate = sighting.draw_foe_plate(
            canvas, colours, canvas.to_picture_heading(enemy.heading), enemy.id, f'{seen.foe.distance:.3g}"'
        )
        arrow = sighting.point_out(canvas, seen.foe, colours, plate, taken)
    return [*arrow, *draw_overview(canvas, asked.view, fleet, [*taken, *arrow])]


def has_content(view: SeaView, events: Sequence[Event], kind: PictureKind) -> bool:
    """Whether events hold an attack, or anything that can be seen, for a picture of that."""
    if kind == "attacks":
        return any(act.kind in ("attack", "shot", "melee") for act in retelling.split_moments(view, events))
    return kind != "round" or any(act.has_visible_event for act in retelling.split_moments(view, events))
