"""Pictures of Biremes … Oh My!: oared ships on a sea with inches."""

from data import file
from render.painter import Painter
from render.ramspeed.film import film_frames
from render.ramspeed.key import MARKS
from render.ramspeed.liveries import PALETTE_COLOURS
from render.ramspeed.painter import has_content, paint, plan_sight
from render.ramspeed.scene import is_seen_from_north, seat_liveries
from rules.ramspeed.interface.view import SeaView

PAINTER = Painter(
    view_type=SeaView,
    kinds=("attacks",),
    palette_colours=PALETTE_COLOURS,
    palette_file=file("ramspeed", "palette.txt"),
    paint=paint,
    seat_liveries=seat_liveries,
    marks=MARKS,
    plan_sight=plan_sight,
    film_frames=film_frames,
    has_content=has_content,
    is_turned=is_seen_from_north,
)
