"""Biremes … Oh My!, as it is seen: oared ships to scale on a deep sea."""

from data import file
from render.painter import Painter
from render.ramspeed.film import frames
from render.ramspeed.liveries import PURE
from render.ramspeed.painter import paint, shows
from render.ramspeed.scene import from_north
from render.ramspeed.window import sight
from rules.ramspeed.desk.view import SeaView

PAINTER = Painter(
    view_type=SeaView,
    kinds=("attacks",),
    pure=PURE,
    palette=file("ramspeed", "palette.txt"),
    paint=paint,
    sight=sight,
    frames=frames,
    shows=shows,
    turned=from_north,
)
