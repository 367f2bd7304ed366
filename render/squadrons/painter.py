"""The painter of the fleet game: the sea, what happened, what is planned, a turn page by page."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from render.above import Above
from render.commission import Commission, Kind
from render.squadrons.ids import named
from render.squadrons.plan import at_speeds, plan
from render.squadrons.scene import afloat, blows, canvas_of, framed, hulls, overview, traces
from render.squadrons.sheet import details, sheet
from render.squadrons.window import window_of
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
    canvas, position = canvas_of(asked, window_of(asked, acts), asked.width), asked.view.position
    if asked.kind == "plan":
        position = at_speeds(asked.view)
    above = Above()
    if asked.kind == "plan":
        above = plan(canvas, asked.view)
    else:
        traces(canvas, acts)
    afloat(canvas, position)
    above.draw()
    tags = list(above.tags)
    if asked.kind != "plan":
        tags += [tag for act in acts for tag in blows(canvas, act, dice=False)]
    others = list(above.obstacles)
    if asked.kind == "plan":
        others += overview(canvas, position, [*hulls(canvas, position), *others])
    named(canvas, position, asked, tags, others=others)
    return framed(asked, canvas)


def shows(view: FleetView, events: Sequence[Event], kind: Kind) -> bool:
    """Whether events hold an attack, or anything that can be seen, for a picture of that."""
    if kind == "attacks":
        return any(act.strikes for act in retelling.moments(view, events))
    return kind != "round" or any(act.stirs for act in retelling.moments(view, events))
