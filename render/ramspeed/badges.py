"""Badges beside ships: name in the side's colours, crew, damage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from PIL import Image, ImageDraw

from render.drawing.canvas import Rect
from render.drawing.style import CHALK, Colour, Livery, load_font
from render.marks import signs
from render.marks.signs import FAIR, GOLD, INK, WOUND
from render.ramspeed.liveries import livery_of
from rules.ramspeed.engine.tables import Nation

LETTER_PX: Final = 44
"""Letters of badges, in pixels at full width: 11 px on a phone that shows the picture 400 wide."""
_OVERSAMPLING: Final = 2


@dataclass(frozen=True, kw_only=True)
class Badge:
    ship: str
    side: int
    nation: Nation
    crew: int | None
    """None: only the name is shown."""
    full_crew: int
    marks: tuple[str, ...] = ()
    fire: int = 0
    fire_limit: int = 0
    """Fire markers that sink the ship."""
    lost_crew: int = 0
    is_own: bool = False
    """Whether the ship is the viewer's own and the viewer has allies."""


def draw_badge(badge: Badge, size: int) -> Image.Image:
    return _draw_badge_image(badge, size).copy()


@lru_cache(maxsize=256)
def _draw_badge_image(badge: Badge, size: int) -> Image.Image:
    colours = livery_of(badge.side, badge.nation)
    large_size = size * _OVERSAMPLING
    font = load_font(large_size)
    pad, height = round(large_size * 0.24), round(large_size * 1.1)
    name = round(font.getlength(badge.ship))
    edge = max(2, round(large_size * 0.06))
    if badge.crew is None:
        image = Image.new("RGBA", (name + 2 * pad + edge, height))
        draw = ImageDraw.Draw(image)
        draw.rounded_rectangle((0, 0, image.width - 1, height - 1), radius=height * 0.26, fill=INK)
        _draw_name_field(draw, colours, (edge, edge, image.width - 1 - edge, height - 1 - edge), own=badge.is_own)
        draw.text((image.width / 2, height * 0.5), badge.ship, fill=colours.on_base, font=font, anchor="mm")
        return image.reduce(_OVERSAMPLING)
    crew = f"{badge.crew}"
    number = round(font.getlength(crew))
    loss = f"−{badge.lost_crew}" if badge.lost_crew else ""
    lost = round(font.getlength(loss)) + (pad // 2 if loss else 0)
    icon = round(large_size * 0.8)
    flames = f"{badge.fire}/{badge.fire_limit}" if badge.fire else ""
    burning = round(font.getlength(flames)) + icon + pad // 2 if badge.fire else 0
    name_end = name + round(2.3 * pad)
    width = name_end + number + lost + burning + len(badge.marks) * (icon + pad // 2) + 2 * pad
    image = Image.new("RGBA", (width, height))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 0, width - 1, height - 1), radius=height * 0.26, fill=INK)
    draw.rounded_rectangle((edge, edge, width - 1 - edge, height - 1 - edge), radius=height * 0.22, fill=signs.PLATE)
    _draw_name_field(draw, colours, (edge, edge, name_end, height - 1 - edge), own=badge.is_own)
    draw.text((name_end / 2 + edge / 2, height * 0.5), badge.ship, fill=colours.on_base, font=font, anchor="mm")
    x: float = name_end + pad
    low = badge.crew == 0 or badge.crew * 4 <= badge.full_crew
    draw.text(
        (x, height * 0.43), crew, fill=WOUND if low else CHALK, font=load_font(round(large_size * 0.92)), anchor="lm"
    )
    _draw_bar(draw, (x, height * 0.79, x + number, height * 0.9), badge.crew / badge.full_crew)
    x += number
    if loss:
        draw.text((x + pad // 2, height * 0.46), loss, fill=WOUND, font=font, anchor="lm")
        x += lost
    names = (*badge.marks, *(("fire",) if badge.fire else ()))
    for sign_name in names:
        sign = signs.draw_sign(sign_name, icon)
        image.alpha_composite(sign, (round(x + pad // 2), round((height - icon) / 2)))
        x += icon + pad // 2
    if badge.fire:
        draw.text(
            (x + pad // 4, height * 0.48),
            flames,
            fill=(255, 206, 96),
            font=load_font(round(large_size * 0.8)),
            anchor="lm",
        )
    return image.reduce(_OVERSAMPLING)


def _draw_name_field(draw: ImageDraw.ImageDraw, colours: Livery, box: Rect, *, own: bool) -> None:
    left, top, right, bottom = box
    draw.rounded_rectangle(box, radius=(bottom - top) * 0.24, fill=colours.base)
    draw.rectangle((right - (bottom - top) * 0.3, top, right, bottom), fill=colours.base)
    thickness = (bottom - top) * 0.11
    if colours.pattern == "stripes":
        for y in (top + thickness * 0.5, bottom - thickness * 1.5):
            draw.rectangle((left + thickness * 1.6, y, right, y + thickness), fill=colours.mark)
    else:
        for x in (left + thickness * 0.9, right - thickness * 1.2):
            draw.rectangle((x, top + thickness, x + thickness * 1.2, bottom - thickness), fill=colours.mark)
    if own:
        draw.rounded_rectangle(box, radius=(bottom - top) * 0.24, outline=GOLD, width=max(2, round(thickness * 0.8)))


def _draw_bar(draw: ImageDraw.ImageDraw, box: Rect, part: float) -> None:
    left, top, right, bottom = box
    draw.rectangle(box, fill=(70, 34, 30))
    colour: Colour = FAIR if part > 0.5 else signs.AMBER if part > 0.25 else WOUND
    if part > 0:
        draw.rectangle((left, top, left + max(2.0, (right - left) * part), bottom), fill=colour)
