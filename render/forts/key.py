"""The marks of this game's pictures, the most important first. Each has a sentence `mark.<name>` for legends."""

from __future__ import annotations

from typing import Final

MARKS: Final = (
    "ship",
    "flagship",
    "fort",
    "current",
    "reach",
    "start_hex",
    "threats",
    "fire_threats",
    "need",
    "fire.open",
    "fire.plunging",
    "fire.blocked",
    "blocker",
    "target",
    "track",
    "start",
    "shot_hit",
    "shot_miss",
    "hit",
    "splash",
    "die_hit",
    "die_miss",
    "siege",
    "wreck",
    "hex_name",
    "land",
    "wind.wind",
    "wind.calm",
    "wind_die",
    "sign.hex",
    "to_move",
    "signpost",
    "inset",
    "compass",
)
