"""Badges beside ships: name in the side's colours, crew, damage; odds of attacks, and dice results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from PIL import Image, ImageDraw

from render.drawing.canvas import Canvas, Rect
from render.drawing.marking import cached_image
from render.drawing.style import CHALK, INK, Colour, Livery, load_font
from render.marks import signs
from render.marks.labels import Label
from render.marks.signs import AMBER, FAIR, GOLD, PALE, WOUND, SignPart, draw_die, draw_row, draw_sign
from render.ramspeed.liveries import livery_of
from rules.core.protocol import Event
from rules.ramspeed.engine import events
from rules.ramspeed.engine.odds import ResultChance
from rules.ramspeed.engine.tables import Nation
from rules.ramspeed.retelling import StoryMoment, VisibleState

LETTER_PX: Final = 44
"""Letters of badges, in pixels at full width: 11 px on a phone that shows the picture 400 wide."""
_OVERSAMPLING: Final = 2


@dataclass(frozen=True, kw_only=True)
class Badge:
    ship: str  # id, which is also shown as its name
    side: int  # 0 is the first side, 1 the second
    nation: Nation  # decides the badge's colours, with the side
    crew: int | None  # aboard now; None: only the name is shown
    full_crew: int  # at the beginning
    marks: tuple[str, ...] = ()  # names of signs of its damage
    fire: int = 0  # fire markers aboard
    fire_limit: int = 0  # fire markers that sink the ship
    lost_crew: int = 0  # in the events that the picture shows
    is_own: bool = False
    """Whether the ship is the viewer's own and the viewer has allies."""


@cached_image(maxsize=256)
def draw_badge(badge: Badge, size: int) -> Image.Image:  # `size` is the height of letters in pixels
    colours = livery_of(badge.side, badge.nation)
    large_size = size * _OVERSAMPLING
    font = load_font(large_size)
    pad = round(large_size * 0.24)
    height = round(large_size * 1.1)
    name_width = round(font.getlength(badge.ship))
    edge = max(2, round(large_size * 0.06))
    if badge.crew is None:
        image = Image.new("RGBA", (name_width + 2 * pad + edge, height))
        draw = ImageDraw.Draw(image)
        draw.rounded_rectangle((0, 0, image.width - 1, height - 1), radius=height * 0.26, fill=INK)
        _draw_name_field(draw, colours, (edge, edge, image.width - 1 - edge, height - 1 - edge), own=badge.is_own)
        draw.text((image.width / 2, height * 0.5), badge.ship, fill=colours.on_base, font=font, anchor="mm")
        return image.reduce(_OVERSAMPLING)
    # From the left: name, crew above a bar, lost crew, signs of damage, fire markers.
    crew = str(badge.crew)
    crew_width = round(font.getlength(crew))
    loss = f"−{badge.lost_crew}" if badge.lost_crew else ""
    loss_width = round(font.getlength(loss)) + (pad // 2 if loss else 0)
    icon_size = round(large_size * 0.8)
    flames = f"{badge.fire}/{badge.fire_limit}" if badge.fire else ""
    fire_width = round(font.getlength(flames)) + icon_size + pad // 2 if badge.fire else 0
    name_end = name_width + round(2.3 * pad)
    width = name_end + crew_width + loss_width + fire_width + len(badge.marks) * (icon_size + pad // 2) + 2 * pad
    image = Image.new("RGBA", (width, height))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 0, width - 1, height - 1), radius=height * 0.26, fill=INK)
    draw.rounded_rectangle((edge, edge, width - 1 - edge, height - 1 - edge), radius=height * 0.22, fill=signs.PLATE)
    _draw_name_field(draw, colours, (edge, edge, name_end, height - 1 - edge), own=badge.is_own)
    draw.text((name_end / 2 + edge / 2, height * 0.5), badge.ship, fill=colours.on_base, font=font, anchor="mm")
    x: float = name_end + pad
    has_small_crew = badge.crew == 0 or badge.crew * 4 <= badge.full_crew
    draw.text(
        (x, height * 0.43),
        crew,
        fill=WOUND if has_small_crew else CHALK,
        font=load_font(round(large_size * 0.92)),
        anchor="lm",
    )
    _draw_bar(draw, (x, height * 0.79, x + crew_width, height * 0.9), badge.crew / badge.full_crew)
    x += crew_width
    if loss:
        draw.text((x + pad // 2, height * 0.46), loss, fill=WOUND, font=font, anchor="lm")
        x += loss_width
    names = (*badge.marks, *(("fire",) if badge.fire else ()))
    for sign_name in names:
        sign = signs.draw_sign(sign_name, icon_size)
        image.alpha_composite(sign, (round(x + pad // 2), round((height - icon_size) / 2)))
        x += icon_size + pad // 2
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


def _draw_bar(draw: ImageDraw.ImageDraw, box: Rect, fill_part: float) -> None:
    left, top, right, bottom = box
    draw.rectangle(box, fill=(70, 34, 30))
    colour: Colour = FAIR
    if fill_part <= 0.5:
        colour = signs.AMBER if fill_part > 0.25 else WOUND
    if fill_part > 0:
        draw.rectangle((left, top, left + max(2.0, (right - left) * fill_part), bottom), fill=colour)


_OUTCOME_COLOURS: Final[dict[str, Colour]] = {
    "sunk": WOUND,
    "stuck": (244, 128, 36),
    "dead": AMBER,
    "bank": (244, 128, 36),
    "immobilised": (250, 226, 120),
    "linked": FAIR,
    "crew": (244, 128, 36),
    "fire": WOUND,
}


def draw_odds(kind: str, chances: Sequence[ResultChance], size: int) -> Image.Image:
    """Draw an attack's sign, its dice, the lowest roll for the best result, and the chance of that result.

    The bar below is divided by the chances of all results: red for sinking, grey for nothing.
    """
    best = chances[0] if chances else None  # results come in order, the best first
    small = round(size * 0.86)
    parts: list[SignPart] = [draw_sign(kind, small)]
    can_miss = best is not None and best.min_roll > best.dice_count  # a roll of all ones would not be enough
    if best is not None and can_miss:
        dice = Image.new("RGBA", (round(small * (0.62 * best.dice_count + 0.2)), small))
        for number in range(best.dice_count):
            die = draw_die((5, 2)[number % 2], round(small * 0.72))
            dice.alpha_composite(die, (round(number * small * 0.62), round(small * (0.06 + 0.2 * (number % 2)))))
        parts += [dice, f"{best.min_roll}+"]
    if best is not None and kind == "shot" and not can_miss:  # a shot kills as many men as the die shows
        parts += ["−", draw_die(0, small), draw_sign("crew", small)]
    elif best is not None:
        parts += [draw_sign(best.result, small), f"{best.percent}%"]
    row_image = draw_row(parts, size)
    return _add_outcome_bar(row_image, chances, size) if can_miss else row_image


def _add_outcome_bar(row_image: Image.Image, chances: Sequence[ResultChance], size: int) -> Image.Image:
    """Return a picture with a bar below it that is divided by the chances of all results, and of none of them."""
    edge = max(1, round(size * 0.06))
    bar_height = max(4, round(size * 0.3))
    image = Image.new("RGBA", (row_image.width, row_image.height + bar_height))
    image.alpha_composite(row_image)
    draw, margin = ImageDraw.Draw(image), size * 0.3
    width = row_image.width - 2 * margin
    top = row_image.height - edge
    bottom = row_image.height + bar_height - 1
    draw.rectangle((margin - edge, top, margin + width + edge, bottom), fill=INK)
    left = margin
    remainder = 100 - sum(chance.percent for chance in chances)
    for result, percent in (*((chance.result, chance.percent) for chance in chances), ("none", max(0, remainder))):
        end = min(margin + width, left + width * percent / 100)
        if end - left >= 1:
            draw.rectangle(
                (left, top + edge, end - 1, bottom - edge), fill=_OUTCOME_COLOURS.get(result, (122, 136, 142))
            )
        left = end
    return image


def dice_labels(canvas: Canvas, moment: StoryMoment) -> list[Label]:
    """Return a label for each roll of an act, near the ship that it affects."""
    size = ceil(LETTER_PX * canvas.px)
    labels = []
    for number, event in enumerate(moment.events):
        image = draw_event_plate(event, size)
        if image is not None:
            labels.append(plate_label(canvas, image, event, moment.after, number))
    return labels


def plate_label(canvas: Canvas, image: Image.Image, event: Event, fleet: VisibleState, number: int = 0) -> Label:
    """Return a label with the plate, in the middle of the ships that the event affects."""
    ships = [fleet.ships[name] for name in ships_of_dice(event) if name in fleet.ships]
    x = sum(ship.x for ship in ships) / max(1, len(ships))
    y = sum(ship.y for ship in ships) / max(1, len(ships))
    key = f"{event.__struct_config__.tag}{number}"
    return Label(key, image, canvas.to_pixels((x, y)), 0.7 * canvas.scale, mark="dice")


def ships_of_dice(event: Event) -> Iterable[str]:
    """Return the ids of the ships beside which an event's dice are shown."""
    match event:
        case events.ShipRammed() | events.HooksThrown() | events.ShotFired() | events.FireSpreadChecked():
            return (event.to,)
        case events.MeleeFought():
            return event.ships
        case events.ShipsLinked():
            return event.a, event.b
        case _:
            return (getattr(event, "ship", ""),)


def draw_event_plate(event: Event, size: int) -> Image.Image | None:
    return signs.draw_event_plate(PLATE_BY_EVENT, _EventPlates, event, size)


class _EventPlates(signs.PlateWriter):
    def ram_row(self, event: events.ShipRammed) -> signs.PlateRow:
        edge = {"sunk": WOUND, "stuck": WOUND, "dead": AMBER, "immobilised": AMBER}.get(event.result, PALE)
        return (
            [self.draw_sign("ram"), *self.draw_dice(*event.dice), *_sum_parts(event), self.draw_sign(event.result)],
            edge,
        )

    def oars_row(self, event: events.SwipeResolved) -> signs.PlateRow:
        edge = {"bank": WOUND, "immobilised": AMBER}.get(event.result, PALE)
        return (
            [self.draw_sign("swipe"), *self.draw_dice(*event.dice), *_sum_parts(event), self.draw_sign(event.result)],
            edge,
        )

    def defence_row(self, event: events.DefenceTried) -> signs.PlateRow:
        verdict = self.draw_sign("yes" if event.success else "no")
        return ([self.draw_sign(event.option), *self.draw_dice(event.die), verdict], FAIR if event.success else WOUND)

    def hooks_row(self, event: events.HooksThrown) -> signs.PlateRow:
        own_die, other_die = event.dice
        modifiers = signs.signed_text(event.modifier)
        parts: list[SignPart] = [
            self.draw_sign("grapple"),
            *self.draw_dice(own_die),
            *modifiers,
            "≥" if event.success else "<",
            *self.draw_dice(other_die, face=_DIE_FACES[1]),
        ]
        if not event.success:
            return parts, PALE
        parts.append(self.draw_sign("linked"))
        return parts, GOLD

    def shot_row(self, event: events.ShotFired) -> signs.PlateRow:
        if event.kind == "fire":
            outcome: list[SignPart] = [self.draw_sign("fire" if event.caught else "none")]
            return ([self.draw_sign("shot"), *self.draw_dice(event.die), *outcome], WOUND if event.caught else PALE)
        return ([self.draw_sign("shot"), *self.draw_dice(event.die), f"−{event.lost}", self.draw_sign("crew")], WOUND)

    def fire_spread_row(self, event: events.FireSpreadChecked) -> signs.PlateRow:
        verdict = self.draw_sign("yes" if event.caught else "no")
        return (
            [self.draw_sign("fire"), *self.draw_dice(event.die), f"{event.need}+", verdict],
            WOUND if event.caught else PALE,
        )

    def fire_row(self, event: events.FireFought) -> signs.PlateRow:
        outcome: SignPart = str(event.markers) if event.markers else self.draw_sign("yes")
        return ([self.draw_sign("fire"), *self.draw_dice(event.die), outcome], WOUND if event.markers else FAIR)

    def melee_row(self, event: events.MeleeFought) -> signs.PlateRow:
        first, second = (
            [*self.draw_dice(*thrown, face=_DIE_FACES[side]), f"−{loss}"]
            for side, (thrown, loss) in enumerate(zip(event.dice, event.inflicted, strict=True))
        )
        return ([*first, self.draw_sign("melee"), *second], GOLD)

    def sinking_row(self, event: events.ShipSunk) -> signs.PlateRow:
        return ([self.draw_sign("sunk"), event.ship], WOUND)

    def capture_row(self, event: events.ShipCaptured | events.DerelictManned) -> signs.PlateRow:
        return ([self.draw_sign("prize"), event.ship], GOLD)

    def transfer_row(self, event: events.CrewTransferred) -> signs.PlateRow:
        verdict = [] if event.done else [self.draw_sign("no")]
        return ([self.draw_sign("crew"), str(abs(event.crew)), *self.draw_dice(event.die), *verdict], PALE)


PLATE_BY_EVENT: Final[dict[type[Event], Callable[[_EventPlates, Any], signs.PlateRow]]] = {
    events.ShipRammed: _EventPlates.ram_row,
    events.SwipeResolved: _EventPlates.oars_row,
    events.DefenceTried: _EventPlates.defence_row,
    events.HooksThrown: _EventPlates.hooks_row,
    events.ShotFired: _EventPlates.shot_row,
    events.FireSpreadChecked: _EventPlates.fire_spread_row,
    events.FireFought: _EventPlates.fire_row,
    events.MeleeFought: _EventPlates.melee_row,
    events.ShipSunk: _EventPlates.sinking_row,
    events.ShipCaptured: _EventPlates.capture_row,
    events.DerelictManned: _EventPlates.capture_row,
    events.CrewTransferred: _EventPlates.transfer_row,
}


def _sum_parts(event: events.ShipRammed | events.SwipeResolved) -> list[SignPart]:
    return [*signs.signed_text(event.modifier), f"= {event.total}"]


_DIE_FACES: Final[tuple[Colour, Colour]] = (signs.BONE, (240, 158, 148))
"""Dice of the first side and of the second, or of the acting side and the other."""
