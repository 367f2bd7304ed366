"""Pictures of War Galley, the fleet game: two fleets on the hexes of a bright sea."""

from data import file
from render.painter import Painter
from render.squadrons.film import film_frames
from render.squadrons.key import MARKS
from render.squadrons.liveries import PALETTE_COLOURS
from render.squadrons.painter import has_content, paint
from render.squadrons.scene import plan_sight, seat_liveries
from rules.squadrons.interface.preview.view import FleetView

PAINTER = Painter(
    view_type=FleetView,
    kinds=("attacks",),
    palette_colours=PALETTE_COLOURS,
    palette_file=file("squadrons", "palette.txt"),
    paint=paint,
    seat_liveries=seat_liveries,
    marks=MARKS,
    plan_sight=plan_sight,
    film_frames=film_frames,
    has_content=has_content,
)
