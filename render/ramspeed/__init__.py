"""Biremes … Oh My!, as it is seen: oared ships to scale on a deep sea."""

from data import file
from render.painter import Painter
from render.ramspeed.film import film_frames
from render.ramspeed.liveries import PALETTE_COLOURS
from render.ramspeed.painter import has_content, paint
from render.ramspeed.scene import is_seen_from_north
from render.ramspeed.window import plan_sight
from rules.ramspeed.desk.view import SeaView

PAINTER = Painter(
    view_type=SeaView,
    kinds=("attacks",),
    pure=PALETTE_COLOURS,
    palette=file("ramspeed", "palette.txt"),
    paint=paint,
    sight=plan_sight,
    frames=film_frames,
    shows=has_content,
    turned=is_seen_from_north,
)
