"""War Galley with matchboxes, as it is seen: boxes, matches and volleys on a coffee table."""

from data import file
from render.matchbox.film import frames
from render.matchbox.liveries import PURE
from render.matchbox.painter import paint, seen_from_north, shows
from render.matchbox.window import sight
from render.painter import Painter
from rules.matchbox.desk.view import TableView

PAINTER = Painter(
    view_type=TableView,
    kinds=("volley",),
    pure=PURE,
    palette=file("matchbox", "palette.txt"),
    paint=paint,
    sight=sight,
    frames=frames,
    shows=shows,
    turned=seen_from_north,
)
