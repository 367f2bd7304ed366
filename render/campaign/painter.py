"""The door to pictures of The Sailing Season: its sea chart and its films."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from data import file
from render.campaign.chart import COLOURS, SIEGE, chart
from render.campaign.film import frames
from render.commission import Commission, Kind
from render.painter import Painter
from render.parchment import INK
from rules.campaign.desk.view import SeasonView
from rules.campaign.retelling import seen
from rules.campaign.table.events import BattleMet, PortFell, Sighted
from rules.protocol import Event


def paint(asked: Commission[SeasonView]) -> Image.Image:
    """Draw what a seat knows, north up."""
    return chart(asked, seen(asked.view)).image


def shows(_: SeasonView, events: Sequence[Event], kind: Kind) -> bool:
    """Whether anything could be seen of a turn, for a picture of that."""
    return kind != "round" or any(isinstance(event, BattleMet | PortFell | Sighted) for event in events)


PAINTER = Painter(
    view_type=SeasonView,
    pure=(*COLOURS.values(), SIEGE, INK),
    seats=tuple(COLOURS.values()),
    palette=file("campaign", "palette.txt"),
    paint=paint,
    frames=frames,
    shows=shows,
)
