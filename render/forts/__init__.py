"""Pictures of Naval Battle: ships and forts on a parchment of hexes."""

from data import file
from render.forts.film import film_frames
from render.forts.key import MARKS
from render.forts.painter import has_content, paint, plan_sight, seat_liveries
from render.forts.ships import PALETTE_COLOURS
from render.painter import Painter
from rules.forts.interface.view import HexView

PAINTER = Painter(
    view_type=HexView,
    kinds=("volley",),
    palette_colours=PALETTE_COLOURS,
    palette_file=file("forts", "palette.txt"),
    paint=paint,
    seat_liveries=seat_liveries,
    marks=MARKS,
    plan_sight=plan_sight,
    film_frames=film_frames,
    has_content=has_content,
    has_small_map=True,
)
