"""The odds of an attack as signs, without words of any language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PIL import Image, ImageDraw

from render.drawing.style import Colour
from render.marks.signs import AMBER, FAIR, INK, WOUND, SignPart, draw_die, draw_row, draw_sign
from rules.ramspeed.engine.odds import ResultChance

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
    best = chances[0] if chances else None
    small = round(size * 0.86)
    parts: list[SignPart] = [draw_sign(kind, small)]
    can_miss = best is not None and best.min_roll > best.dice_count
    if best is not None and can_miss:
        dice = Image.new("RGBA", (round(small * (0.62 * best.dice_count + 0.2)), small))
        for number in range(best.dice_count):
            die = draw_die((5, 2)[number % 2], round(small * 0.72))
            dice.alpha_composite(die, (round(number * small * 0.62), round(small * (0.06 + 0.2 * (number % 2)))))
        parts += [dice, f"{best.min_roll}+"]
    if best is not None:
        # A shot kills as many men as the die shows, so no roll misses.
        parts += ["−", draw_die(0, small), draw_sign("crew", small)] if kind == "shot" and not can_miss else []
        parts += [draw_sign(best.result, small), f"{best.percent}%"] if kind != "shot" or can_miss else []
    top = draw_row(parts, size)
    if not can_miss:
        return top
    edge, bar = max(1, round(size * 0.06)), max(4, round(size * 0.3))
    image = Image.new("RGBA", (top.width, top.height + bar))
    image.alpha_composite(top)
    draw, margin = ImageDraw.Draw(image), size * 0.3
    width, low, high = top.width - 2 * margin, top.height - edge, top.height + bar - 1
    draw.rectangle((margin - edge, low, margin + width + edge, high), fill=INK)
    x = margin
    remainder = 100 - sum(odd.percent for odd in chances)
    for result, percent in (*((odd.result, odd.percent) for odd in chances), ("none", max(0, remainder))):
        end = min(margin + width, x + width * percent / 100)
        if end - x >= 1:
            draw.rectangle((x, low + edge, end - 1, high - edge), fill=_OUTCOME_COLOURS.get(result, (122, 136, 142)))
        x = end
    return image
