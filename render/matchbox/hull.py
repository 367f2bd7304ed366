"""A galley as a matchbox: label, prow triangle, oars and masts, and marks of its damage."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from math import cos, radians, sin
from typing import Final

from msgspec.structs import replace
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from render.drawing.canvas import OVERSAMPLING, Point, Sprite, cut_dust
from render.drawing.style import CARD, SOOT, Colour, mix_colours
from render.marks.strikes import point_between
from render.matchbox.liveries import LIVERIES, MATCH_WOOD
from rules.geometry import boxes as geometry
from rules.matchbox.engine.hull import hull_of
from rules.matchbox.engine.kinds import GALLEY
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import Galley

DECK_HEIGHT_MM: Final = 5.5
"""Height of the box's upper face above its foot, as it appears from above."""
_MAST_HEIGHT_MM: Final = 2.6  # as it appears from above
_OAR_LENGTH_MM: Final = 15.0
_FLAME_COLOURS: Final[tuple[Colour, ...]] = ((206, 52, 18), (255, 150, 36), (255, 236, 140))
_SHADOW_OFFSET_MM: Final = (3.4, 4.6)  # right and down
_SPRITE_HALF_MM: Final = 62.0  # from a galley's middle to her sprite's edge
_SPRITE_MARGIN_MM: Final = 28.0
"""For hulls other than a galley's: how far the sprite extends beyond the hull's corners."""
_PROW_LENGTH_MM: Final = 25.0  # of the triangle that shows the bow
_BOLD_PROW_EXTRA_MM: Final = 4.0  # of small hulls


def oar_hull(ship: Galley) -> tuple[Point, ...]:  # a hull's corners in mm, with room for its oars
    hull = hull_of(ship)
    return geometry.box_corners(hull._replace(half_width=hull.half_width + _OAR_LENGTH_MM + 3.0))


def is_small(scale: float, px: float) -> bool:
    """Return whether hulls at `scale` pixels a millimetre are too small for a phone."""
    return scale < 0.95 * px


def galley_sprite(ship: Galley, scale: float, *, bold: bool = False) -> Sprite:
    """Return a galley whose anchor is its middle. A `bold` one has a larger prow and no pattern."""
    heading = round(ship.pose.heading_deg * 2) / 2 % 360
    return _draw_sprite(replace(ship, pose=Pose(0.0, 0.0, heading)), round(scale, 4), bold=bold)


@lru_cache(maxsize=64)
def _draw_sprite(ship: Galley, scale: float, *, bold: bool) -> Sprite:
    oversampling = OVERSAMPLING if scale < 2.5 else 2
    image = _MatchboxPen(ship, scale, oversampling, bold=bold).paint()
    return Sprite(image, (image.width / 2, image.height / 2))


def _filled_holes(name: str, part: str, holes: int, remaining: int) -> set[int]:
    """Return the holes of a part that are still filled. Each galley loses them in its own fixed order."""
    order = sorted(range(holes), key=lambda i: blake2b(f"{name}.{part}.{i}".encode(), digest_size=4).digest())
    return set(order[:remaining])


class _MatchboxPen:
    """Draws one matchbox on an oversampled image. Soft parts are drawn at the final size."""

    def __init__(self, ship: Galley, final_scale: float, oversampling: int, *, bold: bool) -> None:
        self.ship = ship
        self.livery = LIVERIES[ship.side]
        self.bold = bold
        self.oversampling = oversampling  # pixels of this image for each final pixel
        self.scale = final_scale * oversampling  # pixels of this image a millimetre
        self.mast_holes = ship.mast_holes
        self.standing_masts = _filled_holes(ship.id, "mast", self.mast_holes, ship.masts)
        angle = radians(ship.pose.heading_deg)
        self.ahead = (sin(angle), -cos(angle))  # right and down in the picture, for a unit towards the bow
        self.abeam = (cos(angle), sin(angle))  # and to starboard
        self.kind = ship.kind
        reach_mm = _SPRITE_HALF_MM if self.kind is GALLEY else self.kind.reach_mm + _SPRITE_MARGIN_MM
        # A hull shorter than a galley's has a shorter triangle.
        self.prow_mm = _PROW_LENGTH_MM * min(1.0, self.kind.length_mm / GALLEY.length_mm)
        half = round(reach_mm * self.scale / OVERSAMPLING) * OVERSAMPLING
        self.image = Image.new("RGBA", (2 * half, 2 * half))
        self.centre = float(half)
        self.draw = ImageDraw.Draw(self.image)

    def to_pixels(self, fore: float, starboard: float, up: float = 0.0) -> Point:
        """Return a point of the box in pixels; `fore` and `starboard` are mm from its middle, `up` from the table."""
        x = self.ahead[0] * fore + self.abeam[0] * starboard
        y = self.ahead[1] * fore + self.abeam[1] * starboard - up
        return self.centre + x * self.scale, self.centre + y * self.scale

    def paint(self) -> Image.Image:
        parts = ((-1, "port", self.ship.port), (1, "starboard", self.ship.starboard))
        oars: list[tuple[int, int]] = []  # side (-1: port) and number of the oar's hole, from the bow
        lost_oars: list[tuple[int, int]] = []
        for side, part, oars_left in parts:  # `part` is a name for the random order of lost oars
            filled = _filled_holes(self.ship.id, part, self.ship.holes, oars_left)
            oars += [(side, hole) for hole in sorted(filled)]
            lost_oars += [(side, hole) for hole in range(self.ship.holes) if hole not in filled]
        # Oars on the far side are drawn behind the box, those on the near side before it.
        for side, hole in oars:
            if self.abeam[1] * side < 0:
                self._draw_oar(side, hole)
        self._draw_walls()
        self._draw_deck()
        self._draw_cargo()
        self._draw_scars(lost_oars)
        for side, hole in oars:
            if self.abeam[1] * side >= 0:
                self._draw_oar(side, hole)
        for side, hole in lost_oars:
            self._draw_hole(
                self.to_pixels(self._bench_offset(hole), side * (self.kind.half_width_mm - 2.2), DECK_HEIGHT_MM), 2.1
            )
        self._draw_masts()
        if self.ship.burning:
            self._draw_flames()
        whole = self._shadow_image(oars)
        whole.alpha_composite(self.image.reduce(self.oversampling))
        return whole

    def _bench_offset(self, hole: int) -> float:  # mm ahead of the middle
        holes = self.ship.holes
        return ((holes - 1) / 2 - hole) * (self.kind.length_mm - 8.0) / holes

    def _shadow_image(self, oars: list[tuple[int, int]]) -> Image.Image:
        scale = self.scale / self.oversampling
        size = (self.image.width // self.oversampling, self.image.height // self.oversampling)
        mask = Image.new("L", size)
        draw = ImageDraw.Draw(mask)
        dx, dy = _SHADOW_OFFSET_MM[0] * scale, _SHADOW_OFFSET_MM[1] * scale
        corners = _rectangle_corners(self.kind.half_length_mm, self.kind.half_width_mm)
        foot = [self._to_shown_pixels(self.to_pixels(*corner)) for corner in corners]
        # The box's shadow is its foot, moved, and what lies between the two.
        shadow = [(x + dx, y + dy) for x, y in foot]
        for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
            draw.polygon([foot[a], foot[b], shadow[b], shadow[a]], fill=170)
        draw.polygon(shadow, fill=170)
        shift = 1.3 * scale
        for side, hole in oars:
            inner, outer = map(self._to_shown_pixels, self._oar_ends(side, hole))
            line = [(inner[0] + shift, inner[1] + 2 * shift), (outer[0] + shift * 0.7, outer[1] + shift * 0.9)]
            draw.line(line, fill=130, width=max(1, round(2.2 * scale)))
        soft = mask.filter(ImageFilter.GaussianBlur(2.0 * scale))
        contact = Image.new("L", size)  # a sharper shadow close to the box
        ImageDraw.Draw(contact).polygon([(x + dx * 0.3, y + dy * 0.3) for x, y in foot], fill=150)
        contact = contact.filter(ImageFilter.GaussianBlur(0.9 * scale))
        image = Image.new("RGBA", size, (8, 4, 2, 0))
        image.putalpha(ImageChops.lighter(soft, contact))
        return image

    def _to_shown_pixels(self, point: Point) -> Point:  # from the oversampled image to the final one
        return (point[0] + 0.5) / self.oversampling - 0.5, (point[1] + 0.5) / self.oversampling - 0.5

    def _oar_ends(self, side: int, hole: int) -> tuple[Point, Point]:  # in pixels: at the hull, in the water
        fore = self._bench_offset(hole)
        inner = self.to_pixels(fore, side * (self.kind.half_width_mm - 0.5), 2.2)
        outer = self.to_pixels(fore - 4.5, side * (self.kind.half_width_mm + _OAR_LENGTH_MM), 0.6)
        return inner, outer

    def _draw_oar(self, side: int, hole: int) -> None:
        inner, outer = self._oar_ends(side, hole)
        self._draw_stick(inner, outer, 2.5)
        r = 2.5 * self.scale
        x, y = outer  # the match's head: its edge, its colour, a gleam
        self.draw.ellipse((x - r, y - r, x + r, y + r), fill=SOOT)
        self.draw.ellipse((x - r * 0.78, y - r * 0.78, x + r * 0.78, y + r * 0.78), fill=(84, 44, 30))
        self.draw.ellipse((x - r * 0.5, y - r * 0.62, x + r * 0.1, y - r * 0.05), fill=(164, 104, 78))

    def _draw_stick(self, a: Point, b: Point, thick_mm: float) -> None:
        self.draw.line([a, b], fill=(66, 40, 20), width=max(2, round((thick_mm + 0.9) * self.scale)))
        self.draw.line([a, b], fill=MATCH_WOOD, width=max(1, round(thick_mm * self.scale)))

    def _draw_walls(self) -> None:
        ring = _rectangle_corners(self.kind.half_length_mm, self.kind.half_width_mm)
        # How much each wall (bow, starboard, stern, port) faces down the picture, where the viewer is.
        facings = (self.ahead[1], self.abeam[1], -self.ahead[1], -self.abeam[1])
        for number, facing in enumerate(facings):
            if facing <= 0:
                continue
            a, b = ring[number], ring[(number + 1) % 4]
            is_striker = number % 2 == 1  # the long sides of a matchbox strike matches
            colour = mix_colours((70, 38, 30) if is_striker else CARD, SOOT, 0.25 + 0.35 * (1 - facing))
            self._fill_wall(a, b, 0.0, DECK_HEIGHT_MM, colour)
            if not is_striker:
                a, b = _shorten_edge(a, b, 2.0)
                self._fill_wall(a, b, 1.1, DECK_HEIGHT_MM - 1.1, mix_colours(self.livery.base, SOOT, 0.45))

    def _fill_wall(self, a: Point, b: Point, low: float, high: float, colour: Colour) -> None:
        """Fill the upright face between two points, from one height to another in mm."""
        feet, tops = ([self.to_pixels(*at, up) for at in (a, b)] for up in (low, high))
        self.draw.polygon([*feet, *tops[::-1]], fill=colour)

    def _draw_deck(self) -> None:
        livery = self.livery
        self._fill_deck(
            _rectangle_corners(self.kind.half_length_mm, self.kind.half_width_mm), mix_colours(CARD, SOOT, 0.55)
        )
        self._fill_deck(_rectangle_corners(self.kind.half_length_mm - 0.5, self.kind.half_width_mm - 0.5), CARD)
        bow = self.kind.half_length_mm - 2.3
        width = self.kind.half_width_mm - 2.3
        self._fill_deck(_rectangle_corners(bow, width), livery.base)
        # Where the triangle of the prow begins, in mm ahead of the middle.
        neck = bow - self.prow_mm - _BOLD_PROW_EXTRA_MM * self.bold
        if not self.bold:
            self._draw_pattern(bow, width, neck)
        rim = mix_colours(livery.base, SOOT, 0.5)
        self._fill_deck([(bow, 0.0), (neck - 2.0, width), (neck - 2.0, -width)], rim)
        self._fill_deck([(bow - 1.6, 0.0), (neck - 0.6, width - 1.6), (neck - 0.6, -width + 1.6)], livery.mark)

    def _draw_pattern(self, half_length: float, half_width: float, neck: float) -> None:  # aft of `neck`
        for side in (-1, 1):
            if self.livery.pattern == "stripes":
                middle_mm = side * half_width * 0.62
                boxes = [(neck - 1.0, -half_length, middle_mm - 1.7, middle_mm + 1.7)]
            else:
                boxes = [
                    (fore, fore - 4.6, side * half_width * 0.3, side * half_width) for fore in self._band_offsets()
                ]
            for fore, aft, inner, outer in boxes:
                self._fill_deck([(fore, inner), (fore, outer), (aft, outer), (aft, inner)], self.livery.mark)

    def _band_offsets(self) -> list[float]:  # of the bands' fore edges, in mm ahead of the middle
        first = self.kind.half_length_mm - self.prow_mm - 8.0
        last = -self.kind.half_length_mm + 7.0
        count = round((first - last) / 10.0) + 1
        return [first - 10.0 * number for number in range(count)]

    def _draw_cargo(self) -> None:
        """Draw what shows the kind of vessel: a tower, a joint between two boxes, cargo, or match heads (MX-2.1)."""
        dark = mix_colours(self.livery.base, SOOT, 0.75)
        width = self.kind.half_width_mm - 7.0
        neck = self.kind.half_length_mm - self.prow_mm - 4.0
        match self.ship.vessel:
            case "heavy":
                across = self.kind.half_width_mm
                self._fill_deck([(0.8, -across), (0.8, across), (-0.8, across), (-0.8, -across)], dark)
            case "merchant":
                aft = -self.kind.half_length_mm + 6.0
                self._fill_deck([(neck, -width), (neck, width), (aft, width), (aft, -width)], dark)
                for number in range(6):  # jars in two columns
                    spot = neck - 5.0 - (neck - aft - 10.0) / 2 * (number // 2), (width - 5.0) * (1 - 2 * (number % 2))
                    self._draw_disc(
                        self.to_pixels(*spot, DECK_HEIGHT_MM + 1.0), 4.4, mix_colours(MATCH_WOOD, SOOT, 0.35)
                    )
                    self._draw_disc(self.to_pixels(*spot, DECK_HEIGHT_MM + 2.0), 3.4, MATCH_WOOD)
            case "fire":
                for number in range(8):  # match heads in two columns
                    spot = neck - 3.0 - 7.5 * (number // 2), 5.0 * (1 - 2 * (number % 2))
                    self._draw_disc(self.to_pixels(*spot, DECK_HEIGHT_MM + 1.0), 3.4, SOOT)
                    self._draw_disc(self.to_pixels(*spot, DECK_HEIGHT_MM + 2.0), 2.6, _FLAME_COLOURS[0])
            case "towered":
                self._draw_tower(neck - 1.0)
            case _:
                pass

    def _draw_tower(self, fore: float) -> None:
        aft = fore - 15.0
        width = 9.0
        low, high = DECK_HEIGHT_MM, DECK_HEIGHT_MM + 13.0
        ring = [(fore, -width), (fore, width), (aft, width), (aft, -width)]
        facings = (self.ahead[1], self.abeam[1], -self.ahead[1], -self.abeam[1])  # how much each wall faces the viewer
        for i, facing in enumerate(facings):
            if facing > 0:
                colour = mix_colours(self.livery.mark, SOOT, 0.3 + 0.3 * (1 - facing))
                self._fill_wall(ring[i], ring[(i + 1) % 4], low, high, colour)
        self.draw.polygon(
            [self.to_pixels(*corner, high) for corner in ring], fill=mix_colours(self.livery.mark, SOOT, 0.35)
        )
        inner = [(f - 1.6 if f == fore else f + 1.6, s * (1 - 1.6 / width)) for f, s in ring]
        self.draw.polygon([self.to_pixels(*corner, high) for corner in inner], fill=self.livery.mark)

    def _draw_flames(self) -> None:
        spots = [(0.55, -0.35), (0.2, 0.4), (-0.15, -0.4), (-0.5, 0.3), (-0.8, -0.1)]
        feet = [
            self.to_pixels(f * self.kind.half_length_mm, s * self.kind.half_width_mm, DECK_HEIGHT_MM) for f, s in spots
        ]
        for colour, width, height in zip(_FLAME_COLOURS, (7.0, 4.8, 2.4), (20.0, 13.0, 7.0), strict=True):
            for x, y in sorted(feet, key=lambda foot: foot[1]):
                w, h = width * self.scale, height * self.scale
                edge = [(x - w, y - 0.25 * h), (x - 0.45 * w, y - 0.55 * h), (x - 0.2 * w, y - h)]
                edge += [(x + 0.45 * w, y - 0.6 * h), (x + w, y - 0.3 * h), (x + 0.6 * w, y), (x - 0.6 * w, y)]
                self.draw.polygon(edge, fill=colour)

    def _fill_deck(self, points: list[Point], colour: Colour) -> None:
        """Fill a polygon of the upper face, given in mm ahead of the middle and to starboard."""
        self.draw.polygon([self.to_pixels(*point, DECK_HEIGHT_MM) for point in points], fill=colour)

    def _draw_scars(self, lost_oars: list[tuple[int, int]]) -> None:
        """Draw worn print on the deck, and soot around holes of lost oars and masts."""
        corners = _rectangle_corners(self.kind.half_length_mm, self.kind.half_width_mm)
        deck = [self.to_pixels(*corner, DECK_HEIGHT_MM) for corner in corners]
        # Left, top, width and height of the deck, in whole pixels of the final image.
        xs, ys = zip(*deck, strict=True)
        left = int(min(xs)) // self.oversampling * self.oversampling
        top = int(min(ys)) // self.oversampling * self.oversampling
        width = int(max(xs) - left) // self.oversampling * self.oversampling + 2 * self.oversampling
        height = int(max(ys) - top) // self.oversampling * self.oversampling + 2 * self.oversampling
        deck = [(x - left, y - top) for x, y in deck]
        face = Image.new("L", (width, height))
        ImageDraw.Draw(face).polygon(deck, fill=255)
        dust = cut_dust(left, top, (width, height))
        worn_print = ImageChops.multiply(face, dust.point([max(0, 165 - level) // 3 for level in range(256)]))
        self.image.paste((*CARD, 255), (left, top), worn_print)
        spots = [(self._bench_offset(hole), side * (self.kind.half_width_mm - 1.5)) for side, hole in lost_oars]
        spots += [(self._mast_offset(i), 0.0) for i in range(self.mast_holes) if i not in self.standing_masts]
        if spots:
            self._draw_soot(spots, (left, top), face, dust)

    def _draw_soot(self, spots: list[Point], corner: tuple[int, int], face: Image.Image, dust: Image.Image) -> None:
        """Draw soot around spots of the deck (mm ahead and to starboard), within the mask `face`, rough with `dust`.

        `corner` is the upper left pixel of both masks.
        """
        left, top = corner
        width, height = face.size
        burnt = Image.new("L", (width // self.oversampling, height // self.oversampling))
        draw = ImageDraw.Draw(burnt)
        scale = self.scale / self.oversampling
        # Pillow draws ellipses half a pixel too large, which matters in small ones.
        r = 5.6 * scale - 0.5 + 0.5 / self.oversampling
        for spot in spots:
            x, y = self.to_pixels(*spot, DECK_HEIGHT_MM)
            x, y = self._to_shown_pixels((x - left, y - top))
            draw.ellipse((x - r, y - r, x + r, y + r), fill=235)
        burnt = burnt.filter(ImageFilter.GaussianBlur(1.9 * scale)).resize((width, height), Image.Resampling.BILINEAR)
        rough = dust.point([min(255, 90 + level) for level in range(256)])
        soot = ImageChops.multiply(ImageChops.multiply(burnt, face), rough)
        self.image.paste((*SOOT, 255), (left, top), soot)

    def _draw_hole(self, point: Point, radius_mm: float) -> None:
        self._draw_disc(point, radius_mm, (140, 98, 66))
        self._draw_disc(point, radius_mm * 0.72, (0, 0, 0))

    def _draw_disc(self, point: Point, radius_mm: float, colour: Colour) -> None:
        x, y = point
        r = radius_mm * self.scale
        self.draw.ellipse((x - r, y - r, x + r, y + r), fill=colour)

    def _mast_offset(self, place: int) -> float:
        """Return a mast's distance ahead of the middle, in mm. All masts are aft of the prow triangle."""
        foremost = self.kind.half_length_mm - self.prow_mm - 7.5
        aftmost = -self.kind.half_length_mm + 6.5
        if self.mast_holes == 1:
            return (foremost + aftmost) / 2
        return foremost + (aftmost - foremost) * place / (self.mast_holes - 1)

    def _draw_masts(self) -> None:
        # Masts farther up the picture are drawn first, so that nearer ones cover them.
        for place in sorted(range(self.mast_holes), key=lambda i: self.to_pixels(self._mast_offset(i), 0.0)[1]):
            foot = self.to_pixels(self._mast_offset(place), 0.0, DECK_HEIGHT_MM)
            if place not in self.standing_masts:
                self._draw_hole(foot, 2.7)
                continue
            s = self.scale
            shade = mix_colours(self.livery.base, SOOT, 0.7)
            self.draw.line([foot, (foot[0] + 4.2 * s, foot[1] + 2.6 * s)], fill=shade, width=round(2.8 * s))
            head = (foot[0], foot[1] - _MAST_HEIGHT_MM * s)
            self._draw_disc(foot, 2.7, (58, 34, 18))
            self.draw.line([foot, head], fill=(58, 34, 18), width=round(5.4 * s))
            self.draw.line([foot, head], fill=mix_colours(MATCH_WOOD, SOOT, 0.3), width=round(3.8 * s))
            self._draw_disc(head, 2.7, (58, 34, 18))
            self._draw_disc(head, 2.1, (255, 240, 206))
            self._draw_disc(head, 0.8, (206, 168, 112))


def _rectangle_corners(length: float, width: float) -> list[Point]:  # from half a length and half a width
    return [(length, -width), (length, width), (-length, width), (-length, -width)]


def _shorten_edge(a: Point, b: Point, length: float) -> tuple[Point, Point]:
    # Moves both ends of a line parallel to an axis towards each other.
    part = length / (abs(a[0] - b[0]) + abs(a[1] - b[1]))
    return point_between(a, b, part), point_between(b, a, part)
