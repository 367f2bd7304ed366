"""The old wooden table on which the pieces lie."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from render.drawing.backgrounds import cache_background
from render.drawing.style import FLOOR, WOOD
from render.seas.swell import Floats32

_GRAIN_SHEET_PX: Final = (2048, 1024)
_PLANK_MM: Final = 118.0  # width of a plank, north to south
RIM_MM: Final = 13.0  # how much of the floor is visible around the table


def _smooth_noise(rng: np.random.Generator, rows: int, columns: int) -> Floats32:
    coarse = rng.standard_normal((rows, columns)).astype(np.float32)
    sheet = np.asarray(Image.fromarray(coarse).resize(_GRAIN_SHEET_PX, Image.Resampling.BICUBIC), dtype=np.float32)
    return sheet / float(np.abs(sheet).max())


@lru_cache(maxsize=1)
def _grain_sheet() -> NDArray[np.uint8]:
    rng = np.random.default_rng(20111)
    height = np.linspace(0.0, 1.0, _GRAIN_SHEET_PX[1], dtype=np.float32)[:, None]
    warp = _smooth_noise(rng, 9, 4) * 0.55 + _smooth_noise(rng, 30, 9) * 0.1
    rings = np.sin((height * 46.0 + warp * 21.0) * 2.0)
    streaks = _smooth_noise(rng, 420, 14)
    fibres = _smooth_noise(rng, 900, 260)
    pores = np.clip(_smooth_noise(rng, 1000, 120) - 0.42, 0.0, 1.0)
    value = 0.52 + 0.12 * rings + 0.26 * streaks + 0.14 * fibres + 0.1 * warp - 0.6 * pores
    levels: NDArray[np.uint8] = (np.clip(value, 0.0, 1.0) * 255.0).astype(np.uint8)
    return levels


@lru_cache(maxsize=1)
def chalk_dust() -> Image.Image:
    """Return a tile of opacities that chalk has on rough wood."""
    rng = np.random.default_rng(7)
    speck = rng.random((512, 1024)).astype(np.float32)
    tile = Image.fromarray((np.clip(speck * 1.5 + 0.25, 0.0, 1.0) * 255.0).astype(np.uint8))
    return tile.filter(ImageFilter.GaussianBlur(0.7))


@lru_cache(maxsize=1)
def _stain_colours() -> NDArray[np.uint8]:
    stops = np.linspace(0, 255, len(WOOD))
    levels = np.arange(256)  # from the darkest wood to the brightest
    return np.stack([np.interp(levels, stops, [c[i] for c in WOOD]) for i in range(3)], axis=1).astype(np.uint8)


def _lamp_light(size: tuple[int, int]) -> Image.Image:
    """Return light from the upper left as a brightness factor (level / 255) for each pixel."""
    y, x = np.mgrid[0:36, 0:64].astype(np.float32)
    distance = np.hypot((x / 63.0 - 0.42) * 1.15, y / 35.0 - 0.38)
    light = np.clip(1.04 - 0.62 * distance**2, 0.0, 1.0)
    return Image.fromarray((light * 255.0).astype(np.uint8)).resize(size, Image.Resampling.BICUBIC)


@cache_background
def draw_table(
    size: tuple[int, int], window_mm: tuple[float, float, float, float], table_mm: tuple[float, float]
) -> Image.Image:
    """Draw the bare table in a window (west, south, east, north in mm), as an image of a size in pixels.

    Positions of planks and edges depend on the millimetres; the grain is as sharp as the pixels at any scale. Copy the
    result before drawing on it.
    """
    west, _south, east, north = window_mm
    width, height = size
    scale = width / (east - west)
    levels = _plank_levels(width, height, north, scale)
    image = Image.fromarray(np.take(_stain_colours(), levels, axis=0))
    _draw_wear(image, (west, north), scale)
    light = _lamp_light(size)
    image = ImageChops.multiply(image, Image.merge("RGB", (light, light, light)))
    _draw_edges(image, west, north, scale, table_mm)
    return image


def _plank_levels(width: int, height: int, north: float, scale: float) -> NDArray[np.uint8]:
    """Return the brightness of each pixel of planks that lie from west to east, with seams and lit edges.

    `north` is the picture's upper edge in mm, `scale` in pixels a millimetre.
    """
    sheet = _grain_sheet()
    levels = np.empty((height, width), dtype=np.uint8)  # brightness of each pixel
    plank = int(np.floor(-north / _PLANK_MM))
    top = 0
    while top < height:
        bottom = min(height, max(top + 1, round((north + (plank + 1) * _PLANK_MM) * scale)))
        rng = np.random.default_rng(abs(1000 + plank))
        # Each plank shows another part of the sheet of grain, in another tone.
        grain_row = int(rng.integers(0, sheet.shape[0]))
        grain_column = int(rng.integers(0, sheet.shape[1]))
        tone = float(rng.uniform(0.72, 1.12))
        grain = np.take(sheet, range(grain_row, grain_row + bottom - top), axis=0, mode="wrap")
        grain = np.take(grain, range(grain_column, grain_column + width), axis=1, mode="wrap")
        levels[top:bottom] = np.clip(grain.astype(np.float32) * tone + 6.0, 0, 255).astype(np.uint8)
        seam = max(1, round(1.1 * scale))
        joint_x = sheet.shape[1] - grain_column
        if joint_x < width:
            levels[top:bottom, joint_x : joint_x + max(1, seam // 2)] //= 3
        for depth in range(seam):
            if top + depth < bottom:
                levels[top + depth] = (levels[top + depth] * (0.18 + 0.3 * depth / seam)).astype(np.uint8)
        shine = top + seam
        if shine < bottom:
            levels[shine] = np.clip(levels[shine] * 1.25 + 10.0, 0, 255).astype(np.uint8)
        top = bottom
        plank += 1
    return levels


def _draw_wear(image: Image.Image, corner: tuple[float, float], scale: float) -> None:
    west, north = corner
    # Rings that cups left, in mm on the table.
    for x, y, radius, strength in ((905.0, 640.0, 37.0, 34), (262.0, 170.0, 33.0, 26), (1890.0, 330.0, 38.0, 30)):
        r = radius * scale
        spare = 6  # pixels around the stain for its soft edge
        left, top = round((x - west) * scale - r) - spare, round((north - y) * scale - r) - spare
        side = 2 * (round(r) + spare)
        if r < 2 or left + side < 0 or top + side < 0 or left > image.width or top > image.height:
            continue
        mask = Image.new("L", (side, side))
        draw = ImageDraw.Draw(mask)
        draw.ellipse((spare + 1, spare + 1, side - spare - 1, side - spare - 1), fill=strength // 3)
        draw.arc((spare, spare, side - spare, side - spare), 20, 330, strength + 26, width=max(2, round(2.2 * scale)))
        image.paste((28, 14, 8), (left, top), mask.filter(ImageFilter.GaussianBlur(max(0.6, 0.7 * scale))))
    rng = np.random.default_rng(3)
    scratches = Image.new("L", image.size)
    draw = ImageDraw.Draw(scratches)
    for _ in range(26):
        x, y = rng.uniform(0, 2400), rng.uniform(0, 1000)
        dx, dy = rng.uniform(-70, 70), rng.uniform(-16, 16)
        line = [(x - west) * scale, (north - y) * scale, (x + dx - west) * scale, (north - y - dy) * scale]
        draw.line(line, fill=int(rng.integers(18, 48)), width=1)
    image.paste((214, 170, 118), None, scratches)


def _draw_edges(image: Image.Image, west: float, north: float, scale: float, table_mm: tuple[float, float]) -> None:
    left = (0.0 - west) * scale
    right = (table_mm[0] - west) * scale
    top, bottom = (north - table_mm[1]) * scale, north * scale
    edge_width = min(max(2, round(6.5 * scale)), int(min(right - left, bottom - top) / 2))
    shade = Image.new("L", image.size)
    shade_draw = ImageDraw.Draw(shade)
    for depth in range(edge_width):
        box = (left + depth, top + depth, right - depth, bottom - depth)
        shade_draw.rectangle(box, outline=round(130 * (1 - depth / edge_width) ** 0.7))
    image.paste((20, 10, 5), None, shade)
    draw = ImageDraw.Draw(image)
    line_width = max(1, round(0.9 * scale))
    draw.line((left, top, right, top), fill=(188, 140, 92), width=line_width)
    draw.line((left, top, left, bottom), fill=(168, 122, 78), width=line_width)
    for box in (
        (-1, -1, image.width, top - 1),
        (-1, bottom, image.width, image.height),
        (-1, -1, left - 1, image.height),
        (right, -1, image.width, image.height),
    ):
        if box[2] > box[0] and box[3] > box[1]:
            draw.rectangle(box, fill=FLOOR)
