"""War Galley, the fleet game, as it is seen: two fleets on the hexes of a bright sea."""

from data import file
from render.painter import Painter
from render.squadrons.film import frames
from render.squadrons.liveries import PURE
from render.squadrons.painter import paint, shows
from render.squadrons.window import sight
from rules.squadrons.desk.preview.view import FleetView

PAINTER = Painter(
    view_type=FleetView,
    kinds=("attacks",),
    pure=PURE,
    palette=file("squadrons", "palette.txt"),
    paint=paint,
    sight=sight,
    frames=frames,
    shows=shows,
)
