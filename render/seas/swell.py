"""The fine swell of open water, as tiles that fit each other on all sides, and parts that are painted alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import pi
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from render.drawing.style import Colour

Patch = tuple[int, int, int, int]  # left, top, right and bottom in pixels


def separate_patches(boxes: Iterable[Patch], size: tuple[int, int]) -> list[Patch]:
    """Return disjoint rectangles that cover all boxes, clipped to an image of this size (all in pixels)."""
    patches: list[Patch] = []
    for left, top, right, bottom in boxes:
        patch = (max(0, left), max(0, top), min(size[0], right), min(size[1], bottom))
        if patch[0] >= patch[2] or patch[1] >= patch[3]:
            continue
        while overlapped := next((other for other in patches if _overlaps(patch, other)), None):
            patches.remove(overlapped)
            left_top = (min(patch[0], overlapped[0]), min(patch[1], overlapped[1]))
            patch = (*left_top, max(patch[2], overlapped[2]), max(patch[3], overlapped[3]))
        patches.append(patch)
    return patches


def _overlaps(first: Patch, second: Patch) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


Floats32 = NDArray[np.float32]
_TILE_PX: Final = 1024  # width and height of a tile


def colour_ramp(stops: Sequence[tuple[float, Colour]]) -> NDArray[np.uint8]:
    """Return 256 colours interpolated between the stops, with shape (256, 3)."""
    levels = np.linspace(0.0, 1.0, 256)
    positions = [position for position, _ in stops]
    channels = [
        np.interp(levels, positions, [stop_colour[channel] for _, stop_colour in stops]) for channel in range(3)
    ]
    return np.stack(channels, axis=1).astype(np.uint8)


def _wave_noise(rng: np.random.Generator, down: int, across: int) -> Floats32:
    """Return smooth random heights from -1 to 1 that repeat on all sides, with `down` times `across` waves."""
    coarse = rng.standard_normal((down, across)).astype(np.float32)
    padded = np.pad(coarse, 2, mode="wrap")
    box = (2.0, 2.0, 2.0 + across, 2.0 + down)
    sheet = np.asarray(Image.fromarray(padded).resize((_TILE_PX, _TILE_PX), Image.Resampling.BICUBIC, box=box))
    return (sheet / float(np.abs(sheet).max())).astype(np.float32)


@lru_cache(maxsize=1)
def base_tiles() -> tuple[Floats32, Floats32]:
    """Return a tile of clouds of depth and a tile of crests and troughs, each from -1 to 1."""
    rng = np.random.default_rng(480)
    clouds = 0.7 * _wave_noise(rng, 5, 4) + 0.3 * _wave_noise(rng, 14, 11)
    # Whole numbers of waves make the tile repeat without seams.
    y, x = np.mgrid[0:_TILE_PX, 0:_TILE_PX].astype(np.float32) / _TILE_PX
    bend = 0.5 * _wave_noise(rng, 11, 7) + 0.16 * _wave_noise(rng, 40, 22)
    long_waves = np.cos(2 * pi * (56 * y + 9 * x) + 9.0 * bend)
    wave_strength = np.clip(0.55 + 1.5 * _wave_noise(rng, 26, 15), 0.0, 1.0)
    short_waves = np.cos(2 * pi * (123 * y - 24 * x) + 13.0 * bend)
    crests = (
        wave_strength * (np.clip(long_waves, 0.0, 1.0) ** 5 - 0.35 * np.clip(-long_waves, 0.0, 1.0) ** 2)
        + 0.11 * short_waves
    )
    return clouds.astype(np.float32), (crests / float(np.abs(crests).max())).astype(np.float32)


@lru_cache(maxsize=4)
def swell_tiles(px: float) -> tuple[Floats32, Floats32]:
    """Return the tiles of `base_tiles`, scaled by `px`."""
    side = max(16, round(_TILE_PX * px))
    clouds, crests = (
        np.asarray(Image.fromarray(tile).resize((side, side), Image.Resampling.BOX)) for tile in base_tiles()
    )
    return clouds, crests


def pave_levels(tile: Floats32, size: tuple[int, int], corner: tuple[int, int] = (0, 0)) -> Floats32:
    """Return a rectangle of an endlessly repeated tile, from `corner` on; all in pixels."""
    down, across = tile.shape
    left, top = corner[0] % across, corner[1] % down
    if left + size[0] <= across and top + size[1] <= down:
        return tile[top : top + size[1], left : left + size[0]]
    rows = (np.arange(size[1]) + top) % down
    part: Floats32 = np.take(tile[rows], (np.arange(size[0]) + left) % across, axis=1)
    return part


def pave_image(tile: Image.Image, size: tuple[int, int], corner: tuple[int, int] = (0, 0)) -> Image.Image:
    left, top = corner[0] % tile.width, corner[1] % tile.height
    if left + size[0] <= tile.width and top + size[1] <= tile.height:
        return tile.crop((left, top, left + size[0], top + size[1]))
    out = Image.new(tile.mode, size)
    for across in range(-left, size[0], tile.width):
        for down in range(-top, size[1], tile.height):
            out.paste(tile, (across, down))
    return out
