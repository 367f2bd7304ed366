from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw

from render.commission import Commission, PictureKind
from render.drawing.style import load_font
from render.films.film import Frame
from render.painter import Painter
from rules.core.protocol import Event
from tests.toygame.rules.state import Sailed, ToyView

SEA, LAND, PLAN, INK = "#cfe3ee", "#b9a77c", "#8aa0ad", "#22303a"
SIDES = {"pack": "#b5452c", "lone": "#2c5fb5"}


def paint(commission: Commission[ToyView]) -> Image.Image:
    view = commission.view
    scale = commission.width / view.sea.size[0]
    image = Image.new("RGB", (commission.width, round(scale * view.sea.size[1])), SEA)
    draw = ImageDraw.Draw(image)

    def at(x: float, y: float) -> tuple[float, float]:
        return x * scale, (view.sea.size[1] - y) * scale

    def spot(x: float, y: float, colour: str, size: float) -> None:
        east, south = at(x, y)
        draw.ellipse((east - size, south - size, east + size, south + size), fill=colour)

    for ring in view.sea.land:
        draw.polygon([at(*corner) for corner in ring], fill=LAND)
    for ship in view.planned:
        spot(ship.x, ship.y, PLAN, scale / 4)
    for ship, piece in zip(view.ships, view.pieces, strict=True):
        spot(ship.x, ship.y, SIDES[piece.side], scale / (2 if ship.id == view.focus else 3))
        draw.text(at(ship.x, ship.y), ship.id, INK, load_font(max(8, round(scale / 2))), anchor="mm")
    draw.text((8, 8), commission.caption, INK, load_font(max(10, commission.width // 40)))
    return image


def frames(commission: Commission[ToyView]) -> list[Frame]:
    return [Frame(paint(commission), 1000)] if shows(commission.view, commission.events, "round") else []


def shows(_: ToyView, events: Sequence[Event], kind: PictureKind) -> bool:
    return any(isinstance(event, Sailed) for event in events)


PAINTER = Painter(view_type=ToyView, paint=paint, film_frames=frames, has_content=shows)
