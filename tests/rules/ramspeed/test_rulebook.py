"""Rules of the rulebook that no case can show."""

from __future__ import annotations

from rules.ramspeed.interface.opening import OPTIONS


def test_the_game_plays_one_battle() -> None:
    keys = {spec.key for spec in OPTIONS}
    assert not {"campaign", "map"} & keys
