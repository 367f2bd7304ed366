"""Pictures of War Galley with matchboxes: boxes, matches and volleys on a coffee table."""

from data import file
from render.matchbox.film import film_frames
from render.matchbox.key import MARKS
from render.matchbox.liveries import PALETTE_COLOURS
from render.matchbox.painter import has_content, is_seen_from_north, paint, seat_liveries
from render.matchbox.window import plan_sight
from render.painter import Painter
from rules.matchbox.interface.view import TableView

PAINTER = Painter(
    view_type=TableView,
    kinds=("volley",),
    palette_colours=PALETTE_COLOURS,
    palette_file=file("matchbox", "palette.txt"),
    paint=paint,
    seat_liveries=seat_liveries,
    marks=MARKS,
    plan_sight=plan_sight,
    film_frames=film_frames,
    has_content=has_content,
    is_turned=is_seen_from_north,
)
