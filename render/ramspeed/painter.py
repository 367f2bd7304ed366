"""The painter of Biremes … Oh My!: the sea, what happened, what is planned, a turn act by act."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from render import sighting
from render.above import Above
from render.canvas import Canvas
from render.commission import Commission, Kind
from render.labels import Obstacle
from render.ramspeed.liveries import livery
from render.ramspeed.plan import plan
from render.ramspeed.scene import afloat, blows, canvas_of, framed, hulls, names, overview, traces, wrecks
from render.ramspeed.sheet import sheet
from render.ramspeed.window import sight, window_of
from rules.protocol import Event
from rules.ramspeed import retelling
from rules.ramspeed.desk.view import SeaView
from rules.ramspeed.retelling import Fleet, losses_of


def paint(asked: Commission[SeaView]) -> Image.Image:
    """Draw any kind of picture of the sea."""
    acts = retelling.moments(asked.view, asked.events)
    stirring = [act for act in acts if act.stirs]
    if asked.kind == "round" and stirring:
        return sheet(asked, stirring)
    canvas = canvas_of(asked, window_of(asked, acts), asked.width)
    fleet = Fleet.of(asked.view.position)
    above = Above()
    if asked.kind == "plan":
        above = plan(canvas, asked.view, fleet)
    elif asked.kind in ("table", "attacks"):
        traces(canvas, stirring)
    wrecks(canvas, fleet)
    afloat(canvas, fleet)
    above.draw()
    tags = list(above.tags)
    if asked.kind in ("table", "attacks"):
        tags += [tag for act in stirring for tag in blows(canvas, act, dice=asked.kind == "attacks")]
    others = list(above.obstacles)
    if asked.kind == "plan":
        others += _beyond(canvas, asked, fleet, [*hulls(canvas, fleet), *others])
    names(canvas, fleet, asked.view, tags, losses=losses_of(acts) if asked.kind != "plan" else {}, others=others)
    return framed(asked, canvas)


def _beyond(canvas: Canvas, asked: Commission[SeaView], fleet: Fleet, taken: Sequence[Obstacle]) -> list[Obstacle]:
    """What is not in a plan: an arrow to the nearest enemy, and all of the table in a corner."""
    seen = sight(asked)
    arrow: list[Obstacle] = []
    if seen.foe is not None and not seen.shown:
        enemy = fleet.ships[seen.foe.id]
        colours = livery(fleet.side(enemy), enemy.nation)
        plate = sighting.plate_of(canvas, colours, canvas.heading(enemy.heading), enemy.id, f'{seen.foe.gap:.3g}"')
        arrow = sighting.point_out(canvas, seen.foe, colours, plate, taken)
    return [*arrow, *overview(canvas, asked.view, fleet, [*taken, *arrow])]


def shows(view: SeaView, events: Sequence[Event], kind: Kind) -> bool:
    """Whether events hold an attack, or anything that can be seen, for a picture of that."""
    if kind == "attacks":
        return any(act.kind in ("attack", "shot", "melee") for act in retelling.moments(view, events))
    return kind != "round" or any(act.stirs for act in retelling.moments(view, events))
