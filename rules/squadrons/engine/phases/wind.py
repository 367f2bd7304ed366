"""Phase A of a turn: the wind (SQ 6.C)."""

from __future__ import annotations

from msgspec import structs

from rules.squadrons.engine import events
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea.state import Wind
from rules.squadrons.engine.tables import TABLES


def change_wind(play: TurnInProgress) -> None:
    """Phase A: Change the wind, or choose its first direction; nothing without the option (6.C)."""
    position = play.position
    if not position.options.wind:
        return
    table = TABLES.wind
    if position.wind is None:
        play.position = structs.replace(position, wind=Wind(table.start, play.throw_die("wind_changed") - 1))
        return
    dice = play.throw_two_dice("wind_changed")
    strength, turn = table.rows[sum(dice) - 2]
    new_wind = Wind(
        min(table.most, max(0, position.wind.strength + strength)),
        (position.wind.direction + turn) % 6,
    )
    play.position = structs.replace(position, wind=new_wind)
    play.add_event(events.WindChanged(dice=dice, wind=new_wind, rule="SQ-08.2"))
