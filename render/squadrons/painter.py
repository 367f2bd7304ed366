"""The painter of the fleet game: the sea, what happened, what is planned, a turn page by page."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from render import sighting, signs
from render.above import Above
from render.commission import Commission, Kind
from render.hexmap import HexCanvas
from render.labels import Obstacle
from render.sighting import Sight
from render.squadrons.ids import named
from render.squadrons.liveries import LIVERIES
from render.squadrons.marks import side_of
from render.squadrons.plan import at_speeds, plan
from render.squadrons.scene import afloat, blows, canvas_of, framed, hulls, overview, traces
from render.squadrons.sheet import details, sheet
from render.squadrons.window import sight, window_of
from rules.protocol import Event
from rules.squadrons import retelling
from rules.squadrons.desk.preview.view import FleetView


def paint(asked: Commission[FleetView]) -> Image.Image:
    """Draw any kind of picture of the sea."""
    acts = [act for act in retelling.moments(asked.view, asked.events) if act.stirs]
    if asked.kind == "round" and acts:
        return sheet(asked, acts)
    if asked.kind == "attacks" and any(act.strikes for act in acts):
        return details(asked, acts)
    planned, position, above = sight(asked) if asked.kind == "plan" else None, asked.view.position, Above()
    canvas = canvas_of(asked, planned.window if planned else window_of(asked, acts), asked.width)
    if planned:
        position = at_speeds(asked.view)
        above = plan(canvas, asked.view)
    else:
        traces(canvas, acts)
    afloat(canvas, position)
    above.draw()
    tags = list(above.tags)
    if not planned:
        tags += [tag for act in acts for tag in blows(canvas, act, dice=False)]
    others = list(above.obstacles)
    if planned:
        others += _beyond(canvas, asked.view, planned, [*hulls(canvas, position), *others])
    named(canvas, position, asked, tags, others=others)
    return framed(asked, canvas)


def _beyond(canvas: HexCanvas, view: FleetView, planned: Sight, taken: Sequence[Obstacle]) -> list[Obstacle]:
    """What is not in a plan: an arrow to the nearest enemy, and all of the map in a corner."""
    foe, arrow = planned.foe, list[Obstacle]()
    if foe is not None and not planned.shown:
        enemy = view.position.by_id[foe.id]
        livery = LIVERIES[side_of(enemy)]
        hexes = signs.sign("hex", round(sighting.LETTERS * canvas.unit))
        plate = sighting.plate_of(canvas, livery, 60 * enemy.facing, enemy.id, f"{foe.gap:.0f}", hexes)
        arrow = sighting.point_out(canvas, foe, livery, plate, taken)
    return [*arrow, *overview(canvas, view.position, [*taken, *arrow])]


def shows(view: FleetView, events: Sequence[Event], kind: Kind) -> bool:
    """Whether events hold an attack, or anything that can be seen, for a picture of that."""
    if kind == "attacks":
        return any(act.strikes for act in retelling.moments(view, events))
    return kind != "round" or any(act.stirs for act in retelling.moments(view, events))
