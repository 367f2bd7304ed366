"""Pictures of The Sailing Season: a sea chart and its films."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from data import file
from render.campaign.chart import draw_chart, seat_liveries
from render.campaign.colours import CAPTAIN_COLOURS, SIEGE_COLOUR
from render.campaign.film import film_frames
from render.campaign.key import MARKS
from render.commission import Commission, PictureKind
from render.painter import Painter
from render.seas.parchment import INK
from rules.campaign.engine.events import BattleMet, GalleysSighted, PortFell
from rules.campaign.interface.view import SeasonView
from rules.campaign.retelling import visible_state
from rules.core.protocol import Event


def paint(commission: Commission[SeasonView]) -> Image.Image:
    return draw_chart(commission, visible_state(commission.view)).image


def has_content(_: SeasonView, events: Sequence[Event], kind: PictureKind) -> bool:
    return kind != "round" or any(isinstance(event, BattleMet | PortFell | GalleysSighted) for event in events)


PAINTER = Painter(
    view_type=SeasonView,
    palette_colours=(*CAPTAIN_COLOURS.values(), SIEGE_COLOUR, INK),
    seat_colours=tuple(CAPTAIN_COLOURS.values()),
    palette_file=file("campaign", "palette.txt"),
    paint=paint,
    seat_liveries=seat_liveries,
    marks=MARKS,
    film_frames=film_frames,
    has_content=has_content,
)
