"""What stands on and beside ships: ids with their men, what they have suffered, leaders' pennants."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin
from typing import Final

from PIL import Image, ImageDraw

from render.drawing.canvas import OVERSAMPLING
from render.drawing.style import CHALK, load_font
from render.marks import signs
from render.marks.signs import FAIR, GOLD, INK, WOUND, SignPart
from render.squadrons.liveries import LIVERIES, squadron_colour
from rules.squadrons.engine.notation.orders import SIDES
from rules.squadrons.engine.sea.state import Position, Ship

LETTER_PX: Final = 44
"""Of plates and signs in a crop, at least, in pixels at full width: 11 on a phone that shows the picture 400 wide."""
MIN_LETTER_PX: Final = 15
"""The same where all of the map is shown."""
FITTING_LETTER_PART: Final = 0.76
"""Letters of a plate that lies on its ship, in edges of a hex: no two such plates cover each other."""
_MAX_LETTER_PX: Final = 58
"""Pixels at full width: no letters are larger."""
_OVERSAMPLING: Final = 2


@dataclass(frozen=True, kw_only=True)
class ShipPlate:
    """A ship's id and her men."""

    ship: str
    side: int
    men: int
    full_men: int
    has_acted: bool = False
    is_own: bool = False
    """The viewer's own, if they have allies."""


def plate_letter_px(scale: float, unit: float, *, crop: bool) -> int:
    """Pixels of the letters of plates at so many pixels an edge, in a picture of this unit."""
    return round(
        min(_MAX_LETTER_PX * unit, max(FITTING_LETTER_PART * scale, (LETTER_PX if crop else MIN_LETTER_PX) * unit))
    )


def ship_plate(ship: Ship, *, own: bool = False) -> ShipPlate:
    """What is written on a ship."""
    full = 0 if ship.held else ship.ship_class.m
    return ShipPlate(
        ship=ship.id, side=SIDES.index(ship.side), men=ship.manpower, full_men=full, has_acted=ship.done, is_own=own
    )


@lru_cache(maxsize=256)
def draw_plate(of: ShipPlate, size: int) -> Image.Image:
    """A plate, its letters so many pixels high; below them a dot for each of her men, those lost are dark."""
    big = size * _OVERSAMPLING
    livery, face = LIVERIES[of.side], load_font(round(big * 0.98))
    name = face.getlength(of.ship)
    edge, r = max(2, round(big * 0.07)), big * 0.105
    dots = of.full_men * 2.5 * r
    wide = round(max(name, dots) + 2.6 * edge)
    high = round(big * 0.86 + (2.6 * r if of.full_men else 0) + 1.4 * edge)
    image = Image.new("RGBA", (wide, high))
    draw = ImageDraw.Draw(image)
    rim = GOLD if of.is_own else INK
    draw.rounded_rectangle((0, 0, wide - 1, high - 1), radius=big * 0.2, fill=rim)
    draw.rounded_rectangle((edge, edge, wide - 1 - edge, high - 1 - edge), radius=big * 0.14, fill=livery.base)
    draw.text((wide / 2, edge + big * 0.43), of.ship, fill=livery.on_base, font=face, anchor="mm")
    y = high - edge - 1.5 * r
    for i in range(of.full_men):
        x = wide / 2 + (i - (of.full_men - 1) / 2) * 2.5 * r
        there = i < of.men
        fill = livery.on_base if there else (150, 150, 150)
        draw.ellipse((x - r, y - r, x + r, y + r), fill=fill)
        if not there:
            draw.line((x - r, y + r, x + r, y - r), fill=WOUND, width=max(2, round(r * 0.8)))
    if of.has_acted:
        d = big * 0.17
        box = (wide - 2.2 * d, 0.2 * d, wide - 0.2 * d, 2.2 * d)
        draw.ellipse(box, fill=FAIR, outline=INK, width=max(1, edge // 2))
    return image.reduce(_OVERSAMPLING)


def ship_states(ship: Ship) -> tuple[str, ...]:
    """Names of what a ship has suffered, the gravest first, with a number after a colon where there is one."""
    found = {
        "captured": ship.held in ("CAP", "CAP0"),
        "recaptured": ship.held == "REC",
        "rammed": bool(ship.rammed),
        "crippled-port": ship.crippled_port,
        "crippled-starboard": ship.crippled_starboard,
        "aground": bool(ship.aground),
        "fatigue": ship.fatigue > 0,
        "half": ship.half_speed,
        "mast": ship.mast_down,
        "sails": ship.sails,
    }
    return tuple(f"fatigue:{ship.fatigue}" if name == "fatigue" else name for name, there in found.items() if there)


@lru_cache(maxsize=256)
def draw_states(some: tuple[str, ...], size: int) -> Image.Image:
    """Signs of what a ship has suffered, letters so many pixels high."""
    small = round(size * 0.86)
    parts: list[SignPart] = []
    for one in some:
        name, _, number = one.partition(":")
        if name == "half":
            parts.append("½")
            continue
        parts.append(signs.draw_sign(_STATE_SIGNS.get(name, name), small))
        if number:
            parts.append(number)
    return signs.draw_row(parts, size)


def join_plates(one: Image.Image, other: Image.Image) -> Image.Image:
    """Two plates in one."""
    image = Image.new("RGBA", (one.width + other.width, max(one.height, other.height)))
    for each, left in ((one, 0), (other, one.width)):
        image.alpha_composite(each, (left, (image.height - each.height) // 2))
    return image


_STATE_SIGNS: Final = {
    "captured": "prize",
    "recaptured": "retaken",
    "rammed": "holed",
    "fatigue": "sweat",
    "aground": "beached",
}


@dataclass(frozen=True, kw_only=True)
class LeaderPennant:
    """A leader's pennant."""

    side: int
    number: int
    """The number of the leader's squadron; 0: none."""
    is_admiral: bool
    is_reduced: bool


def leader_pennant(position: Position, ship: Ship) -> LeaderPennant | None:
    """The pennant that a ship flies; None if there is no leader aboard."""
    leader = position.leader_aboard(ship.id)
    if leader is None:
        return None
    side = SIDES.index(leader.side)
    return LeaderPennant(side=side, number=ship.squadron, is_admiral=leader.is_admiral, is_reduced=bool(leader.reduced))


@lru_cache(maxsize=64)
def draw_pennant(of: LeaderPennant, size: int, *, left: bool = False) -> Image.Image:
    """A leader's flag in the squadron's colour, with its number, its foot in the middle of the lower side.

    An admiral's is larger, with a golden star; that of a leader whose ratings are reduced is cut short. It flies to
    the right, or to the left.
    """
    high = round(size * (1.9 if of.is_admiral else 1.5))
    wide = 2 * high
    image = Image.new("RGBA", (wide * OVERSAMPLING, high * OVERSAMPLING))
    draw, side, pole = ImageDraw.Draw(image), high * OVERSAMPLING, wide * OVERSAMPLING / 2
    thick = max(OVERSAMPLING, round(side * 0.07))
    draw.line((pole, 0, pole, side), fill=INK, width=round(thick * 2))
    draw.line((pole, 0, pole, side), fill=CHALK, width=thick)
    long, low = side * (0.62 if of.is_reduced else 0.96) * (-1 if left else 1), side * (0.54 if of.is_admiral else 0.6)
    colour = squadron_colour(of.side, of.number) if of.number else CHALK
    ends = ((1.0, 0.1 * side), (0.78, low * 0.55), (1.0, low))
    flag = [(pole, side * 0.02), *((pole + long * part, down) for part, down in ends), (pole, low)]
    draw.polygon(flag, fill=colour)
    draw.line([*flag, flag[0]], fill=INK, width=max(2, thick // 2 + 1), joint="curve")
    if of.number:
        face = load_font(round(low * 0.98))
        draw.text((pole + long * 0.36, low * 0.53), str(of.number), fill=INK, font=face, anchor="mm")
    if of.is_admiral:
        _draw_star(draw, (pole, side * 0.2), side * 0.2)
    return image.reduce(OVERSAMPLING)


def _draw_star(draw: ImageDraw.ImageDraw, at: tuple[float, float], r: float) -> None:
    for grow, colour in ((1.3, INK), (1.0, GOLD)):
        ring = [
            (at[0] + r * grow * part * sin(i * pi / 5), at[1] - r * grow * part * cos(i * pi / 5))
            for i, part in enumerate((1.0, 0.46) * 5)
        ]
        draw.polygon(ring, fill=colour)
