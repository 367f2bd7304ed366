"""A map of hexes: where each hex lies in a picture, and how much of the map is visible.

Lengths are in edges of a hex, so that the centres of neighbours are √3 apart. x points east, y north. The centre of the
first hex of the first column is the origin. The scale of a canvas is pixels for each edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import ceil, sqrt
from typing import Final, NamedTuple

from PIL import Image, ImageDraw

from render.drawing.backgrounds import cache_background
from render.drawing.canvas import OVERSAMPLING, Canvas, Point, Rect, Sprite
from render.drawing.marking import note_ground
from render.drawing.outlines import move_outlines
from render.drawing.style import FULL_WIDTH, Colour, load_font, scaled_px
from render.drawing.viewport import bounds_of
from rules.geometry import hexes
from rules.geometry.hexes import Hex, LowerColumns

Rgba = tuple[int, int, int, int]
HEX_HEIGHT: Final = sqrt(3)
HEX_CORNERS: Final = (
    (1.0, 0.0),
    (0.5, HEX_HEIGHT / 2),
    (-0.5, HEX_HEIGHT / 2),
    (-1.0, 0.0),
    (-0.5, -HEX_HEIGHT / 2),
    (0.5, -HEX_HEIGHT / 2),
)


@dataclass(frozen=True)
class HexGrid:
    columns: int  # number of columns
    rows: tuple[int, int]  # how many even columns (counted from 0) have, and odd ones
    lower: LowerColumns  # which columns lie half a hex lower
    land: frozenset[Hex] = frozenset()  # hexes that are land
    has_letters: bool = True  # hexes are named `C12`; else `0312`

    @cached_property
    def hexes(self) -> tuple[Hex, ...]:
        return tuple(
            hexes.hex_at(column, row, self.lower)
            for column in range(self.columns)
            for row in range(self.rows[column % 2])
        )

    def name_parts(self, here: Hex) -> tuple[str, str]:
        """Return the names of a hex's column and row, which together are the hex's name."""
        column, row = hexes.column_and_row(here, self.lower)
        if self.has_letters:
            return chr(65 + column), str(row + 1)
        return f"{column + 1:02}", f"{row + 1:02}"

    @cached_property
    def bounds(self) -> Rect:
        return hexes_box(self.hexes)

    @cached_property
    def whole_window(self) -> Rect:
        west, south, east, north = self.bounds
        return west - 0.12, south - 0.12, east + 0.12, north + 0.12

    @cached_property
    def inner_bounds(self) -> Rect:
        """Return the largest box (west, south, east, north) that contains nothing outside the hexes."""
        west, south, east, north = self.bounds
        return west + 0.5, south + HEX_HEIGHT / 2, east - 0.5, north - HEX_HEIGHT / 2

    def is_filled_by_hexes(self, window: Rect) -> bool:
        west, south, east, north = self.inner_bounds
        return window[0] >= west and window[1] >= south and window[2] <= east and window[3] <= north


@cache
def hex_centre(here: Hex) -> Point:
    x, y = hexes.hex_centre(here, 1.0)  # rules count y downwards
    return x, -y


def hex_outline(here: Hex, part: float = 1.0) -> tuple[Point, ...]:
    """Return the corners of a hex, scaled by `part` around its centre."""
    x, y = hex_centre(here)
    return tuple((x + part * dx, y + part * dy) for dx, dy in HEX_CORNERS)


def hexes_box(covered: Iterable[Hex]) -> Rect:
    """Return west, south, east and north of hexes."""
    west, south, east, north = bounds_of(map(hex_centre, covered))
    return west - 1, south - HEX_HEIGHT / 2, east + 1, north + HEX_HEIGHT / 2


def hex_boxes(covered: Iterable[Hex]) -> list[Rect]:  # one for each hex
    return [hexes_box([here]) for here in covered]


@lru_cache(maxsize=64)
def hex_sprite(
    edge_px: float,
    fill: Rgba,
    part: float = 1.0,
    *,
    rim: Rgba | None = None,
    rim_part: float = 1.0,
    rim_width: float = 0.0,
) -> Sprite:
    """Return a hex of a colour and opacity, scaled by `part`, with a rim; `rim_width` is in edges of a hex."""
    half = ceil(edge_px) * OVERSAMPLING  # of the image's side
    large_edge_px = edge_px * OVERSAMPLING
    image = Image.new("RGBA", (2 * half, 2 * half), (*fill[:3], 0))
    draw = ImageDraw.Draw(image)
    draw.polygon(
        [(half + x * large_edge_px * part, half - y * large_edge_px * part) for x, y in HEX_CORNERS], fill=fill
    )
    if rim is not None:
        ring = [(half + x * large_edge_px * rim_part, half - y * large_edge_px * rim_part) for x, y in HEX_CORNERS]
        draw.line([*ring, ring[0], ring[1]], fill=rim, width=max(OVERSAMPLING, round(rim_width * large_edge_px)))
    return Sprite(image.reduce(OVERSAMPLING), (ceil(edge_px), ceil(edge_px)))


class HexCanvas(Canvas):
    @property
    def edge_px(self) -> float:
        """Length of a hex's edge in pixels."""
        return self.scale

    def hex_pixel(self, here: Hex, dx: float = 0.0, dy: float = 0.0) -> Point:
        """Return the pixel of a point that lies `dx` edges right of and `dy` below a hex's centre."""
        x, y = hex_centre(here)
        return self.to_pixels((x + dx, y - dy))

    def hex_corners(self, here: Hex, part: float = 1.0) -> list[Point]:
        return [self.to_pixels(point) for point in hex_outline(here, part)]

    def is_in_window(self, here: Hex) -> bool:
        x, y = hex_centre(here)
        west, south, east, north = self.window
        return west < x < east and south < y < north


def note_hexes(canvas: HexCanvas, mark: str, hexes_of_kind: Iterable[Hex]) -> None:
    """Record hexes of the ground, such as land, as a mark of the picture's legend."""
    for here in hexes_of_kind:
        if canvas.is_in_window(here):
            left, top = canvas.hex_pixel(here, -1.2, -1.2)
            right, bottom = canvas.hex_pixel(here, 1.2, 1.2)
            note_ground(canvas, mark, (left, top, right, bottom))


LETTER_PX: Final = 44
"""Letters of the edge: 11 px on a phone that shows the picture 400 wide."""
_LOWER_SIDES: Final = (0, 4, 5)
"""Directions across a hex's lower sides, in `hexes.DIRECTIONS`."""
_STEPS: Final = (1, 2, 3, 5, 10, 20)  # each column or row has its name at the edge, or each second, …


class EdgeStyle(NamedTuple):
    margin_px: int  # width of the edge, at full width of the picture
    paint_ground: Callable[[tuple[int, int], int], Image.Image]
    """Returns the bare edge for a picture's size and the edge's width in pixels."""
    ink: Colour  # of lines and names
    outlines: tuple[tuple[int, int], tuple[int, int]]
    """Distance from the outer or the inner side, and thickness, of two lines; in pixels at full width."""
    level_column: int  # column of hexes beside whose middles the rows' names stand
    ends: tuple[tuple[Colour, Colour], ...] = ()
    """Ground and ink of the map's northern and southern edge, where they are visible. Empty: as everywhere."""


def visible_hexes(window: Rect, grid: HexGrid) -> Iterator[Hex]:
    west, south, east, north = window
    for here in grid.hexes:
        x, y = hex_centre(here)
        if west - 1 < x < east + 1 and south - 1 < y < north + 1:
            yield here


def mask_lines(size: tuple[int, int], window: Rect, grid: HexGrid, opacity: float, width: float) -> Image.Image:
    """Return a mask of the grid's lines, whose width is in edges of a hex."""
    oversampling = 2
    edge_px = oversampling * size[0] / (window[2] - window[0])
    mask = Image.new("L", (size[0] * oversampling, size[1] * oversampling))
    draw = ImageDraw.Draw(mask)
    thickness = max(2, round(width * edge_px))
    all_hexes = frozenset(grid.hexes)
    for here in visible_hexes(window, grid):
        ring = [((x - window[0]) * edge_px, (window[3] - y) * edge_px) for x, y in hex_outline(here)]
        # The lower three edges are drawn as upper edges of the hexes below, if there are any.
        neighbours = hexes.neighbours(here)
        path = ring[:4] if all(neighbours[side] in all_hexes for side in _LOWER_SIDES) else [*ring, ring[0]]
        # Pillow draws lines of an even width off-centre. Drawing them in both directions centres them.
        draw.line(path if thickness % 2 else [*path, *path[::-1]], fill=round(255 * opacity), width=thickness)
    return mask.reduce(oversampling)


def write_hex_names(
    image: Image.Image, window: Rect, grid: HexGrid, *, size: int, ink: Colour, level: int, below_top: float
) -> None:
    """Write the names of all hexes that fit; `below_top` is how far below a hex's upper side, in edges of a hex."""
    edge_px = image.width / (window[2] - window[0])
    for here in visible_hexes(window, grid):
        x, y = hex_centre(here)
        name = _name_mask(*grid.name_parts(here), size, level)
        across, down = (x - window[0]) * edge_px, (window[3] - y - HEX_HEIGHT / 2 + below_top) * edge_px
        half = 0.42 * size
        if name.width / 2 <= across <= image.width - name.width / 2 and half <= down <= image.height - half:
            image.paste(ink, (round(across - name.width / 2), round(down - name.height / 2)), name)


@lru_cache(maxsize=4096)
def _name_mask(column: str, row: str, size: int, level: int) -> Image.Image:
    """Return a mask of a hex's name at its final opacity (0 to 255), centred in the image."""
    parts = _text_mask(column, size, level), _text_mask(row, size, level)
    width = sum(advance for _, advance in parts)
    mask = Image.new("L", (2 * ceil(width / 2 + 1), 2 * size))
    left = (mask.width - width) / 2
    for image, advance in parts:
        mask.paste(image, (round(left), 0))
        left += advance
    return mask


@lru_cache(maxsize=2048)
def _text_mask(text: str, size: int, level: int) -> tuple[Image.Image, float]:  # a mask, and the text's width
    font = load_font(size, heavy=False)
    image = Image.new("L", (ceil(font.getlength(text)), 2 * size))
    ImageDraw.Draw(image).text((0, size), text, fill=level, font=font, anchor="lm")
    return image, font.getlength(text)


def add_edge(image: Image.Image, window: Rect, grid: HexGrid, full_width: int, style: EdgeStyle) -> Image.Image:
    """Return a map inside an edge with the names of columns and rows."""
    margin = scaled_px(style.margin_px, full_width)
    out = _draw_edge(image.size, window, grid, full_width, style).copy()
    out.paste(image, (margin, margin))
    move_outlines(margin, margin)
    return out


@cache_background
def _draw_edge(inner: tuple[int, int], window: Rect, grid: HexGrid, full_width: int, style: EdgeStyle) -> Image.Image:
    """Return an empty picture with names of columns and rows on its edge; `inner` is the map's size in pixels."""
    px = full_width / FULL_WIDTH
    margin = scaled_px(style.margin_px, full_width)
    width, height = inner[0] + 2 * margin, inner[1] + 2 * margin
    image = style.paint_ground((width, height), margin)
    draw = ImageDraw.Draw(image)
    edge_px = inner[0] / (window[2] - window[0])
    letter = LETTER_PX * px
    _, south, _, north = grid.bounds
    inks = [style.ink, style.ink]  # of the names above and below the map
    # The map's northern and southern end may have their own colours.
    is_end_visible = (window[3] >= north - 0.3, window[1] <= south + 0.3)
    for number, end in enumerate(style.ends):
        if is_end_visible[number]:
            ground, inks[number] = end
            top = number * (height - margin)
            draw.rectangle((0, top, width, top + margin), fill=ground)
    for (distance, thickness), from_inside in zip(style.outlines, (False, True), strict=True):
        at = margin - distance * px if from_inside else distance * px
        box = (at, at, width - 1 - at, height - 1 - at)
        draw.rectangle(box, outline=style.ink, width=max(1, ceil(thickness * px)))
    font = load_font(round(letter))
    for x, name in _edge_names(grid, window, edge_px, letter, style.level_column, across=True):
        if 0.4 * letter < x < inner[0] - 0.4 * letter:
            for y, ink in zip((margin * 0.5, height - margin * 0.5), inks, strict=True):
                draw.text((margin + x, y), name, fill=ink, font=font, anchor="mm")
    for y, name in _edge_names(grid, window, edge_px, letter, style.level_column, across=False):
        if 0.5 * letter < y < inner[1] - 0.5 * letter:
            for x in (margin * 0.5, width - margin * 0.5):
                draw.text((x, margin + y), name, fill=style.ink, font=font, anchor="mm")
    return image


def _edge_names(
    grid: HexGrid, window: Rect, edge_px: float, letter: float, level_column: int, *, across: bool
) -> Iterator[tuple[float, str]]:
    """Yield pixels from the map's corner and names there: of columns (`across`) or rows, as many as fit."""
    if across:
        last_column, _ = grid.name_parts(grid.hexes[-1])
        gap = (0.12 if grid.has_letters else 0.36) * letter
        room = load_font(round(letter)).getlength(last_column) + gap
        step = next(n for n in _STEPS if n * 1.5 * edge_px > room)  # each n-th column is named
        for column in range(step - 1, grid.columns, step):
            here = hexes.hex_at(column, 0, grid.lower)
            yield (hex_centre(here)[0] - window[0]) * edge_px, grid.name_parts(here)[0]
        return
    step = next(n for n in _STEPS if n * HEX_HEIGHT * edge_px > letter * 1.1)
    for row in range(step - 1, grid.rows[level_column], step):
        here = hexes.hex_at(level_column, row, grid.lower)
        yield (window[3] - hex_centre(here)[1]) * edge_px, grid.name_parts(here)[1]
