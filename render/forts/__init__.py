"""Naval Battle, as it is seen: ships and forts on a parchment of hexes."""

from data import file
from render.forts.film import frames
from render.forts.painter import paint, shows
from render.forts.ships import PURE
from render.forts.window import sight
from render.painter import Painter
from rules.forts.desk.view import HexView

PAINTER = Painter(
    view_type=HexView,
    kinds=("volley",),
    pure=PURE,
    palette=file("forts", "palette.txt"),
    paint=paint,
    sight=sight,
    frames=frames,
    shows=shows,
)
