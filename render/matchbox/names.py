"""Names on the table, each beside what it names, and below a name the galley's state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace
from PIL import Image, ImageDraw, ImageFont

from render.drawing.canvas import OVERSAMPLING, Canvas, Point, text_size
from render.drawing.style import CARD, CHALK, EMBER, FULL_WIDTH, NAME_SIZE, SOOT, WARM, Colour, load_font
from render.marks.labels import Label, Obstacle, PlacedLabels, box_obstacle, draw_leads, lay_labels, place_labels
from render.matchbox import marks
from render.matchbox.hull import is_small, oar_hull
from render.matchbox.liveries import LIVERIES
from rules.matchbox.engine.hull import hull_corners, hull_middle
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import Galley, LaidMatch

_PLATE_HEIGHT_PX: Final = 46
_PADDING_PX: Final = 9  # at both ends of a plate
_STROKE_WIDTH_PX: Final = 18  # room for the stroke between the numbers of oars
_SAIL_WIDTH_PX: Final = 40


def _plate_size(ship: Galley, px: float) -> tuple[int, int]:
    texts_width = sum(_text_width(text, px) for text in (ship.port, ship.starboard, ship.masts, _skill_letters(ship)))
    return round(texts_width + (2 * _PADDING_PX + _STROKE_WIDTH_PX + _SAIL_WIDTH_PX) * px), round(_PLATE_HEIGHT_PX * px)


@lru_cache(maxsize=64)
def plate_image(ship: Galley, px: float) -> Image.Image:
    """Draw a galley's state: from the left, oars to port, a stroke, oars to starboard, a sail, masts and skills.

    `px` is the size of a pixel of a picture at full width, in pixels of this one.
    """
    width, height = _plate_size(ship, px)
    plate = Image.new("RGBA", (width * OVERSAMPLING, height * OVERSAMPLING))
    pen = ImageDraw.Draw(plate)
    edge = max(1, round(3 * px * OVERSAMPLING))
    box = (0, 0, width * OVERSAMPLING - 1, height * OVERSAMPLING - 1)
    pen.rounded_rectangle(
        box, radius=10 * px * OVERSAMPLING, fill=(*SOOT, 225), outline=LIVERIES[ship.side].letter, width=edge
    )
    x = _PADDING_PX * px
    middle = height / 2
    texts: list[tuple[float, int | str, Colour]] = [(x, ship.port, _state_colour(ship.port, ship.holes))]
    x += _text_width(ship.port, px)
    stroke = [((x + _STROKE_WIDTH_PX / 2 * px) * OVERSAMPLING, y * height * OVERSAMPLING) for y in (0.2, 0.8)]
    pen.line([*stroke], fill=CARD, width=max(OVERSAMPLING, round(4 * px * OVERSAMPLING)))
    x += _STROKE_WIDTH_PX * px
    texts.append((x, ship.starboard, _state_colour(ship.starboard, ship.holes)))
    x += _text_width(ship.starboard, px) + _SAIL_WIDTH_PX * 0.34 * px
    sail = [(0.0, 0.74), (0.27, 0.22), (0.54, 0.74)]
    tint = _state_colour(ship.masts, ship.mast_holes)
    pen.polygon([((x + a * _SAIL_WIDTH_PX * px) * OVERSAMPLING, b * height * OVERSAMPLING) for a, b in sail], fill=tint)
    x += _SAIL_WIDTH_PX * 0.66 * px
    texts += [(x, ship.masts, tint), (x + _text_width(ship.masts, px), _skill_letters(ship), CARD)]
    image = plate.reduce(OVERSAMPLING)
    letters = ImageDraw.Draw(image)
    for text_left, value, colour in texts:
        letters.text((text_left, middle), str(value), fill=colour, font=_plate_font(px), anchor="lm")
    return image


def _plate_font(px: float) -> ImageFont.FreeTypeFont:
    return load_font(round(LETTER_PX * px))


def _skill_letters(ship: Galley) -> str:
    """Return the letters of the crew's promotions (MX-4.5) after a space, or an empty string."""
    return f" {ship.crew.upper()}" if ship.crew else ""


def _text_width(text: int | str, px: float) -> float:
    return _plate_font(px).getlength(str(text))


def _state_colour(remaining: int, full: int) -> Colour:  # of a number of oars or masts
    if remaining == full:
        return CARD
    return EMBER if remaining <= 1 else WARM


LETTER_PX: Final = 44
"""Letters of plates, order numbers and ranges, in pixels at full width: 11 px on a phone that shows it 400 wide."""
_NAME_DISTANCE_MM: Final = 33.0  # of a name from its galley's middle
_COIN_WEIGHT: Final = 10**9  # no name covers an order's number
_ORIGIN_POSE: Final = Pose(0.0, 0.0, 0.0)
_NO_OFFSETS: Mapping[str, Point] = MappingProxyType({})


class Coin(Label):
    """The label with an order's number."""


def ship_label(canvas: Canvas, ship: Galley, lost: int = 0, *, badge: bool = False) -> Label:
    """Return a label with a galley's name, the oars and masts it just lost, and with `badge` its state."""
    loss = f"−{lost}" if lost else ""
    near = canvas.to_pixels(hull_middle(ship.pose, ship.kind))
    colour = LIVERIES[ship.side].letter
    px = round(canvas.px, 4)
    plain = _name_image(ship.id, colour, px, loss=loss)
    if not badge:
        return Label(ship.id, plain, near, _NAME_DISTANCE_MM * canvas.scale, mark="losses" if loss else "name")
    # Galleys in the same state share one cached plate.
    plate = plate_image(replace(ship, id="", seat=0, pose=_ORIGIN_POSE), px)
    image = Image.new("RGBA", (max(plain.width, plate.width), plain.height + plate.height), (*SOOT, 0))
    image.paste(plain, ((image.width - plain.width) // 2, 0))
    image.paste(plate, ((image.width - plate.width) // 2, plain.height))
    mark = "losses" if loss else "plate"
    return Label(ship.id, image, near, _NAME_DISTANCE_MM * canvas.scale, smaller=plain, mark=mark)


def lost_ship_label(canvas: Canvas, ship: Galley) -> Label:
    image = _name_image(ship.id, LIVERIES[ship.side].letter, round(canvas.px, 4), is_crossed_out=True)
    near = canvas.to_pixels(hull_middle(ship.pose, ship.kind))
    return Label(ship.id, image, near, marks.WRECK_RADIUS_MM * canvas.scale, mark="lost_name")


def order_number_label(canvas: Canvas, text: str, ship: Galley, pose: Pose) -> Label:
    """Return a coin in the colours of a galley's side, to be placed on a pose."""
    livery = LIVERIES[ship.side]
    image = _coin_image(text, livery.base, livery.on_base, round(canvas.px, 4))
    near = canvas.to_pixels(hull_middle(pose, ship.kind))
    return Coin(text, image, near, 0.0, has_lead=False, offset=(0.0, 0.0), mark="order_number")


def range_label(canvas: Canvas, text: str, at_mm: Point) -> Label:
    image = _name_image(text, CHALK, round(canvas.px, 4), size=LETTER_PX)
    return Label(text, image, canvas.to_pixels(at_mm), 0.0, has_lead=False, offset=(0.0, 0.0), mark="range")


def fire_label(canvas: Canvas, text: str, at_mm: Point) -> Label:
    image = _name_image(text, EMBER, round(canvas.px, 4), size=LETTER_PX)
    return Label(text, image, canvas.to_pixels(at_mm), 6 * canvas.px, mark="line_of_fire")


@lru_cache(maxsize=128)
def _name_image(
    text: str, colour: Colour, px: float, *, loss: str = "", size: int = NAME_SIZE, is_crossed_out: bool = False
) -> Image.Image:
    """Draw words with a halo; after them what was lost, or across them a line."""
    letter_px = round(size * px)
    width, height = text_size(text, letter_px)
    whole_width = width + (text_size(loss, letter_px)[0] if loss else 0)
    blank = Image.new("RGBA", (whole_width, height), (*SOOT, 0))
    canvas = Canvas(blank, (0.0, 0.0, whole_width, height), round(px * FULL_WIDTH))
    canvas.draw_text((0.0, 0.0), text, letter_px, colour)
    if loss:
        canvas.draw_text((width, 0.0), loss, letter_px, EMBER)
    if is_crossed_out:
        ends = [(0.0, 0.62 * height), (width, 0.42 * height)]
        canvas.draw_line(ends, EMBER, max(3.0, 7 * px), chalk=False, shadow=True)
    return canvas.image


@lru_cache(maxsize=64)
def _coin_image(text: str, base: Colour, colour: Colour, px: float) -> Image.Image:
    size = round(LETTER_PX * px)
    width, height = max(text_size(text, size)[0], round(1.1 * size)) + round(0.3 * size), round(1.16 * size)
    image = Image.new("RGBA", (width, height), (*base, 0))
    draw = ImageDraw.Draw(image)
    box = (0, 0, width - 1, height - 1)
    draw.rounded_rectangle(box, radius=height / 2, fill=base, outline=CHALK, width=max(1, round(3 * px)))
    draw.text((width / 2, height / 2), text, fill=colour, font=load_font(size), anchor="mm")
    return image


def place_names(
    canvas: Canvas,
    names: Iterable[Label],
    ships: Iterable[Galley],
    laid_matches: Iterable[LaidMatch],
    *,
    preferred_offsets: Mapping[str, Point] = _NO_OFFSETS,
    others: Iterable[Obstacle] = (),
) -> PlacedLabels:
    """Place names off hulls, oars and matches; names of things outside the window are omitted.

    Order numbers are placed first and may cover matches.
    """
    width, height = canvas.image.size
    visible = [name for name in names if 0 < name.near[0] < width and 0 < name.near[1] < height]
    ships, others = list(ships), list(others)
    obstacles = [*name_obstacles(canvas, ships, ()), *others]
    coins = place_labels(canvas, (name for name in visible if isinstance(name, Coin)), obstacles)
    obstacles = [
        *name_obstacles(canvas, ships, laid_matches),
        *others,
        *(box_obstacle(box, _COIN_WEIGHT) for _, box in coins),
    ]
    other_names = (name for name in visible if not isinstance(name, Coin))
    return [*coins, *place_labels(canvas, other_names, obstacles, preferred_offsets)]


def write_names(
    canvas: Canvas,
    names: Sequence[Label],
    ships: Iterable[Galley],
    laid_matches: Iterable[LaidMatch],
    *,
    others: Iterable[Obstacle] = (),
) -> None:
    placed = place_names(canvas, names, ships, laid_matches, others=others)
    draw_leads(canvas, placed)
    lay_labels(canvas, placed)


def name_obstacles(canvas: Canvas, ships: Iterable[Galley], laid_matches: Iterable[LaidMatch]) -> Iterable[Obstacle]:
    """Yield what names should not cover: hulls, oars, heading arrows, order matches."""
    for ship in ships:
        yield Obstacle(tuple(canvas.to_pixels(p) for p in hull_corners(ship.pose, ship.kind)), 100)
        yield Obstacle(tuple(canvas.to_pixels(p) for p in oar_hull(ship)), 25)
        if is_small(canvas.scale, canvas.px):
            yield Obstacle(tuple(marks.heading_arrow(canvas, ship.pose, 4.0 * canvas.px)), 60)
    for match in laid_matches:
        ends = ((match.tail_x_mm, match.tail_y_mm), (match.head_x_mm, match.head_y_mm))
        yield Obstacle(tuple(canvas.to_pixels(p) for p in ends), 4)
