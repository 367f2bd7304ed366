"""Find the colours of each game's pictures for `data/<game>/palette.txt`: `python -m tests.pictures.palettes`.

Colours are gathered from every golden and timed picture of a game. Those that its painter calls pure are in the palette
as they are; the others are the middles of 256 clusters, found where hues count for more than brightness, as an eye sees
them. Rare colours count for more than their share of pixels, so that small things keep theirs.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from render.commission import Commission
from render.drawing.encode import COLOUR_COUNT
from render.drawing.style import Colour
from render.films.film import COMMON_COLOURS
from render.registry import PAINTERS
from rules.core.view import View
from tests.pictures import bench, golden, positions

Floats = NDArray[np.float64]
FOLDER: Final = Path(__file__).parents[2] / "data"
_SHARE: Final = 0.65
"""The exponent of a colour's number of pixels: 1 would be its share, 0 would make all alike."""
_HUES: Final = 1.6
"""The weight of a difference in hue against one in brightness."""
_ROUNDS: Final = 30


_BITS: Final = 5
"""Of a level, by which pixels are counted."""
_LEVELS_TO_SIGHT: Final = np.array(
    [
        [1 / np.sqrt(3), _HUES / np.sqrt(2), _HUES / np.sqrt(6)],
        [1 / np.sqrt(3), -_HUES / np.sqrt(2), _HUES / np.sqrt(6)],
        [1 / np.sqrt(3), 0.0, -2 * _HUES / np.sqrt(6)],
    ]
)
"""Turns red, green and blue into brightness and two hues."""


def main() -> None:
    for game in golden.GOLDEN:
        images, pure = painted(game)
        levels = palette(images, pure)
        lines = [bytes(colour).hex() for colour in levels.tolist()]
        (FOLDER / game / "palette.txt").write_text("\n".join(lines) + "\n")
        sys.stdout.write(f"{game}: {len(images)} pictures, {len(pure)} pure colours\n")


def painted(game: str) -> tuple[list[Image.Image], list[Colour]]:
    """A game's pictures before they are encoded, and the colours that its palette must have."""
    images: list[Image.Image] = []
    pure: dict[Colour, None] = {}

    def draw(view: View, events: Sequence[Any] = (), **fields: Any) -> Any:
        painter = PAINTERS[type(view)]
        pure.update(dict.fromkeys((*COMMON_COLOURS, *painter.palette_colours)))
        images.append(painter.paint(Commission(view=view, events=events, names=positions.NAMES, **fields)))

    golden.GOLDEN[game](draw)
    for work in bench.STILLS[game](draw).values():
        work()
    return images, list(pure)


def palette(images: Sequence[Image.Image], pure: Sequence[Colour]) -> NDArray[np.uint8]:
    """The 256 colours in which these pictures look most like themselves, red, green and blue by row."""
    colours, weights = _counted(images)
    seen, fixed = colours @ _LEVELS_TO_SIGHT, np.array(pure) @ _LEVELS_TO_SIGHT
    middles = _spread(seen, weights, fixed)
    colours_found = colours[: COLOUR_COUNT - len(pure)]
    for _ in range(_ROUNDS):
        nearest = ((middles**2).sum(axis=1) - 2 * seen @ middles.T).argmin(axis=1)
        heavy = np.bincount(nearest, weights, COLOUR_COUNT)
        sums = np.stack([np.bincount(nearest, weights * part, COLOUR_COUNT) for part in colours.T], axis=1)
        colours_found = np.where(heavy[:, None] > 0, sums / np.maximum(heavy, 1e-9)[:, None], 0.0)[len(pure) :]
        middles[len(pure) :] = colours_found @ _LEVELS_TO_SIGHT
    return np.concatenate((np.array(pure), np.round(colours_found))).astype(np.uint8)


def _counted(images: Sequence[Image.Image]) -> tuple[Floats, Floats]:
    """The colours of these pictures, each the mean of those with the same first bits, and how much each counts."""
    pixels = np.concatenate([np.asarray(image).reshape(-1, 3) for image in images])
    red, green, blue = (pixels >> (8 - _BITS)).astype(np.int64).T
    cell, cells = (red << 2 * _BITS) | (green << _BITS) | blue, 1 << 3 * _BITS
    count = np.bincount(cell, minlength=cells)
    sums = np.stack([np.bincount(cell, part, cells) for part in pixels.T], axis=1)
    there = count > 0
    return sums[there] / count[there, None], count[there].astype(np.float64) ** _SHARE


def _spread(seen: Floats, weights: Floats, fixed: Floats) -> Floats:
    """Colours to begin with: those that are kept, then one after another what matters most and is far from all."""
    chosen = list(fixed)
    far = np.min([((seen - colour) ** 2).sum(axis=1) for colour in fixed], axis=0)
    while len(chosen) < COLOUR_COUNT:
        chosen.append(seen[(far * weights).argmax()])
        far = np.minimum(far, ((seen - chosen[-1]) ** 2).sum(axis=1))
    return np.array(chosen)


if __name__ == "__main__":
    main()
