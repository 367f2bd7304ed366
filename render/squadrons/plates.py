"""Plates on and beside ships: ids with men, damage, leaders' pennants, and dice results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, cos, pi, sin
from typing import Any, Final

from PIL import Image, ImageDraw

from render.drawing.canvas import OVERSAMPLING
from render.drawing.marking import cached_image, note_sign
from render.drawing.style import CHALK, INK, Colour, load_font
from render.marks import signs
from render.marks.labels import Label
from render.marks.signs import AMBER, FAIR, GOLD, PALE, WOUND, PlateRow, SignPart
from render.seas.hexmap import HexCanvas
from render.squadrons.liveries import LIVERIES, squadron_colour
from render.squadrons.marks import ship_pixel
from rules.core.protocol import Event
from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import SIDES
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.retelling import StoryMoment

LETTER_PX: Final = 44
"""Smallest letters of plates and signs: 11 px on a phone that shows the picture 400 wide. Pictures of the whole map
have smaller ones."""
MIN_LETTER_PX: Final = 15  # at full width, in pictures of the whole map
FITTING_LETTER_PART: Final = 0.76
"""Letters of plates that lie on their ships, in edges of a hex. Such plates never overlap."""
_MAX_LETTER_PX: Final = 58
_OVERSAMPLING: Final = 2


@dataclass(frozen=True, kw_only=True)
class ShipPlate:
    ship: str  # id, which is also shown as its name
    side: int  # 0 is Blue, 1 is Red
    men: int  # aboard now
    full_men: int  # at the beginning; 0: no dots for men are drawn
    has_acted: bool = False  # this turn
    is_own: bool = False
    """Whether the ship is the viewer's own and the viewer has allies."""


def plate_letter_px(edge_px: float, px: float, *, crop: bool) -> int:
    """Return the size of letters of plates, in pixels; `crop`: the picture shows a part of the map."""
    min_size = (LETTER_PX if crop else MIN_LETTER_PX) * px
    return round(min(_MAX_LETTER_PX * px, max(FITTING_LETTER_PART * edge_px, min_size)))


def ship_plate(ship: Ship, *, own: bool = False) -> ShipPlate:
    full = 0 if ship.held else ship.ship_class.m  # prizes have no dots for men
    return ShipPlate(
        ship=ship.id, side=SIDES.index(ship.side), men=ship.manpower, full_men=full, has_acted=ship.done, is_own=own
    )


@lru_cache(maxsize=256)
def draw_plate(plate: ShipPlate, size: int) -> Image.Image:
    """Draw a plate whose letters are `size` pixels high, with a dot for each man; dark dots are lost men."""
    large_size = size * _OVERSAMPLING
    livery = LIVERIES[plate.side]
    font = load_font(round(large_size * 0.98))
    edge = max(2, round(large_size * 0.07))
    r = large_size * 0.105  # radius of a dot
    name_width = font.getlength(plate.ship)
    dots_width = plate.full_men * 2.5 * r
    width = round(max(name_width, dots_width) + 2.6 * edge)
    height = round(large_size * 0.86 + (2.6 * r if plate.full_men else 0) + 1.4 * edge)
    image = Image.new("RGBA", (width, height))
    draw = ImageDraw.Draw(image)
    rim = GOLD if plate.is_own else INK
    draw.rounded_rectangle((0, 0, width - 1, height - 1), radius=large_size * 0.2, fill=rim)
    draw.rounded_rectangle(
        (edge, edge, width - 1 - edge, height - 1 - edge), radius=large_size * 0.14, fill=livery.base
    )
    draw.text((width / 2, edge + large_size * 0.43), plate.ship, fill=livery.on_base, font=font, anchor="mm")
    y = height - edge - 1.5 * r
    for i in range(plate.full_men):
        x = width / 2 + (i - (plate.full_men - 1) / 2) * 2.5 * r
        is_alive = i < plate.men
        fill = livery.on_base if is_alive else (150, 150, 150)
        draw.ellipse((x - r, y - r, x + r, y + r), fill=fill)
        if not is_alive:
            draw.line((x - r, y + r, x + r, y - r), fill=WOUND, width=max(2, round(r * 0.8)))
    if plate.has_acted:
        d = large_size * 0.17
        box = (width - 2.2 * d, 0.2 * d, width - 0.2 * d, 2.2 * d)
        draw.ellipse(box, fill=FAIR, outline=INK, width=max(1, edge // 2))
    return image.reduce(_OVERSAMPLING)


def ship_states(ship: Ship) -> tuple[str, ...]:
    """Return the names of a ship's states, the gravest first. `fatigue` is followed by a colon and a number."""
    states = {
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
    names = [name for name, applies in states.items() if applies]
    return tuple(f"fatigue:{ship.fatigue}" if name == "fatigue" else name for name in names)


@cached_image(maxsize=256)
def draw_states(states: tuple[str, ...], size: int) -> Image.Image:
    small = round(size * 0.86)
    parts: list[SignPart] = []
    for state in states:
        name, _, number = state.partition(":")
        if name == "half":
            parts += ["·", "½"] if parts else ["½"]  # not to be read with a number before it
            note_sign("half", signs.draw_row(["½"], size))
            continue
        parts.append(signs.draw_sign(_STATE_SIGNS.get(name, name), small))
        if number:
            parts.append(number)
    return signs.draw_row(parts, size)


def join_plates(left_plate: Image.Image, right_plate: Image.Image) -> Image.Image:
    image = Image.new("RGBA", (left_plate.width + right_plate.width, max(left_plate.height, right_plate.height)))
    for plate, x in ((left_plate, 0), (right_plate, left_plate.width)):
        image.alpha_composite(plate, (x, (image.height - plate.height) // 2))
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
    side: int  # 0 is Blue, 1 is Red
    number: int
    """The number of the leader's squadron; 0 for none."""
    is_admiral: bool  # whether the leader is an admiral, whose flag is larger
    is_reduced: bool  # whether the leader's ratings are reduced


def leader_pennant(position: Position, ship: Ship) -> LeaderPennant | None:
    leader = position.leader_aboard(ship.id)
    if leader is None:
        return None
    side = SIDES.index(leader.side)
    return LeaderPennant(side=side, number=ship.squadron, is_admiral=leader.is_admiral, is_reduced=bool(leader.reduced))


@lru_cache(maxsize=64)
def draw_pennant(pennant: LeaderPennant, size: int, *, left: bool = False) -> Image.Image:
    """Draw a leader's flag; its foot is in the middle of the lower side. It flies to the right, or to the left.

    An admiral's flag is larger and has a golden star. The flag of a leader with reduced ratings is shorter.
    """
    height = round(size * (1.9 if pennant.is_admiral else 1.5))
    width = 2 * height
    image = Image.new("RGBA", (width * OVERSAMPLING, height * OVERSAMPLING))
    draw = ImageDraw.Draw(image)
    side = height * OVERSAMPLING
    pole = width * OVERSAMPLING / 2  # where the pole stands, from the left
    thickness = max(OVERSAMPLING, round(side * 0.07))
    draw.line((pole, 0, pole, side), fill=INK, width=round(thickness * 2))
    draw.line((pole, 0, pole, side), fill=CHALK, width=thickness)
    length = side * (0.62 if pennant.is_reduced else 0.96) * (-1 if left else 1)
    low = side * (0.54 if pennant.is_admiral else 0.6)
    colour = squadron_colour(pennant.side, pennant.number) if pennant.number else CHALK
    ends = ((1.0, 0.1 * side), (0.78, low * 0.55), (1.0, low))
    flag = [(pole, side * 0.02), *((pole + length * part, down) for part, down in ends), (pole, low)]
    draw.polygon(flag, fill=colour)
    draw.line([*flag, flag[0]], fill=INK, width=max(2, thickness // 2 + 1), joint="curve")
    if pennant.number:
        font = load_font(round(low * 0.98))
        draw.text((pole + length * 0.36, low * 0.53), str(pennant.number), fill=INK, font=font, anchor="mm")
    if pennant.is_admiral:
        _draw_star(draw, (pole, side * 0.2), side * 0.2)
    return image.reduce(OVERSAMPLING)


def _draw_star(draw: ImageDraw.ImageDraw, at: tuple[float, float], r: float) -> None:
    for grow, colour in ((1.3, INK), (1.0, GOLD)):
        ring = [
            (at[0] + r * grow * part * sin(i * pi / 5), at[1] - r * grow * part * cos(i * pi / 5))
            for i, part in enumerate((1.0, 0.46) * 5)
        ]
        draw.polygon(ring, fill=colour)


def dice_labels(canvas: HexCanvas, moment: StoryMoment) -> list[Label]:
    """Return a label for each roll of an act, near the ship that it affects."""
    letter = ceil(LETTER_PX * canvas.px)
    labels = []
    for number, event in enumerate(moment.events):
        image = draw_event_plate(event, letter)
        if image is not None:
            labels.append(
                plate_label(
                    canvas, image, event, moment.after, f"{moment.activation_number}.{moment.acting_ship}.{number}"
                )
            )
    return labels


def plate_label(canvas: HexCanvas, image: Image.Image, event: Event, position: Position, key: str = "") -> Label:
    ship = position.ships_by_id[ship_of_dice(event)]
    return Label(
        f"{key}{event.__struct_config__.tag}", image, ship_pixel(canvas, ship), 0.95 * canvas.edge_px, mark="dice"
    )


def ship_of_dice(event: Event) -> str:
    """Return the id of the ship beside which an event's dice are shown."""
    return str(getattr(event, "target", None) or getattr(event, "ship", ""))


@cached_image(maxsize=256)
def draw_event_plate(event: Event, size: int) -> Image.Image | None:
    return signs.draw_event_plate(PLATE_BY_EVENT, _EventPlates, event, size)


class _EventPlates(signs.PlateWriter):
    def attack_row(self, name: str, event: Any, *, ok: bool, outcome: str, edge: Colour) -> PlateRow:  # noqa: ANN401 - several
        """Return a row with dice and modifiers against the number that was needed."""
        dice = getattr(event, "dice", None) or (event.die,)
        drm = getattr(event, "drm", 0)  # modifier of the roll
        total = getattr(event, "adjusted", sum(dice) + drm)
        verdict = f"{'≥' if total >= event.need else '<'} {event.need}"
        parts: list[SignPart] = [self.draw_sign(name), *self.draw_dice(*dice), *signs.signed_text(drm)]
        if drm or len(dice) > 1:
            parts.append(f"= {total}")
        parts += [verdict, self.draw_sign(outcome)]
        return parts, edge if ok else PALE

    def ram_row(self, event: events.ShipRammed) -> PlateRow:
        ok = event.result == "rammed"
        return self.attack_row("ram", event, ok=ok, outcome="holed" if ok else "glanced", edge=WOUND)

    def rake_row(self, event: events.ShipRaked) -> PlateRow:
        side = "crippled-port" if event.side == "p" else "crippled-starboard"
        return self.attack_row("rake", event, ok=event.ok, outcome=side if event.ok else "none", edge=WOUND)

    def grapple_row(self, event: events.ShipGrappled) -> PlateRow:
        return self.attack_row("grapple", event, ok=event.ok, outcome="linked" if event.ok else "no", edge=GOLD)

    def boarding_row(self, event: events.ShipBoarded) -> PlateRow:
        ok = event.result == "captured"
        parts, edge = self.attack_row("board", event, ok=ok, outcome="prize" if ok else "no", edge=GOLD)
        return [parts[0], str(event.m), self.draw_sign("crew"), *parts[1:]], edge

    def cut_loose_row(self, event: events.CutTried | events.UnfoulTried) -> PlateRow:
        return self.attack_row("cut", event, ok=event.ok, outcome="yes" if event.ok else "no", edge=FAIR)

    def shot_row(self, event: events.ShotFired) -> PlateRow:
        sign: list[SignPart] = [self.draw_sign("shot"), *self.draw_dice(event.die)]
        hit = event.result != "-"
        outcome: list[SignPart] = ["−1", self.draw_sign("crew")] if hit else [self.draw_sign("none")]
        return [*sign, *signs.signed_text(event.drm), *outcome], AMBER if hit else PALE

    def ignition_row(self, event: events.IgnitionRolled) -> PlateRow:
        verdict = self.draw_sign("fire" if event.ok else "none")
        return [self.draw_sign("fire"), *self.draw_dice(event.die), verdict], WOUND if event.ok else PALE

    def avoidance_row(self, event: events.AvoidanceTried) -> PlateRow:
        verdict = f"{'≤' if event.die <= event.crew else '>'} {event.crew}"
        outcome = self.draw_sign("yes" if event.ok else "no")
        return [self.draw_sign("avoid"), *self.draw_dice(event.die), verdict, outcome], FAIR if event.ok else PALE

    def firefight_row(self, event: events.FireFought) -> PlateRow:
        outcome = self.draw_sign({"out": "yes", "burnt": "sunk"}.get(event.effect, "fire"))
        edge = FAIR if event.effect == "out" else WOUND
        return [self.draw_sign("fire"), *self.draw_dice(event.die), outcome], edge

    def sinking_roll_row(self, event: events.SinkRolled) -> PlateRow:
        verdict = self.draw_sign("sunk" if event.sinks else "none")
        return [self.draw_sign("holed"), *self.draw_dice(event.die), verdict], WOUND if event.sinks else PALE

    def sinking_row(self, event: events.ShipSunk) -> PlateRow:
        return [self.draw_sign("sunk"), event.ship], WOUND

    def grounding_row(self, event: events.ShipGrounded) -> PlateRow:
        return [self.draw_sign("beached"), event.ship], WOUND


PLATE_BY_EVENT: Final[dict[type[Event], Callable[[_EventPlates, Any], PlateRow]]] = {
    events.ShipRammed: _EventPlates.ram_row,
    events.ShipRaked: _EventPlates.rake_row,
    events.ShipGrappled: _EventPlates.grapple_row,
    events.ShipBoarded: _EventPlates.boarding_row,
    events.CutTried: _EventPlates.cut_loose_row,
    events.UnfoulTried: _EventPlates.cut_loose_row,
    events.ShotFired: _EventPlates.shot_row,
    events.IgnitionRolled: _EventPlates.ignition_row,
    events.AvoidanceTried: _EventPlates.avoidance_row,
    events.FireFought: _EventPlates.firefight_row,
    events.SinkRolled: _EventPlates.sinking_roll_row,
    events.ShipSunk: _EventPlates.sinking_row,
    events.ShipGrounded: _EventPlates.grounding_row,
}
