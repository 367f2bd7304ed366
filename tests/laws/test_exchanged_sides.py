"""Games that bring the lots of another game give each team the side that it had there, so that a match is fair."""

from __future__ import annotations

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import IllegalOrder
from rules.core.protocol import Event, Setup
from rules.core.registry import RULESETS
from tests import games

SEEDS = range(8)
DRAWN = {"SidesDrawn", "ColoursDrawn", "OpponentsRolled"}
"""Events that say which side each team has."""
DRAWS_LOTS = {"matchbox", "forts", "ramspeed", "squadrons"}


def sides(events: tuple[Event, ...]) -> list[dict[str, object]]:
    drawn = [structs.asdict(event) for event in events if type(event).__name__ in DRAWN]
    others = ("die", "exchanged", "rule")
    return [{name: value for name, value in event.items() if name not in others} for event in drawn]


def setups(system: str) -> list[Setup]:
    rules = RULESETS[system]
    options = [{}, *({spec.key: value} for spec in rules.options for value in spec.values)]
    return [Setup(system=system, teams=rules.seats(chosen), options=chosen) for chosen in options]


def started(setup: Setup, seed: int) -> tuple[Event, ...] | None:
    try:
        return RULESETS[setup.system].start(setup, Dice(seed=f"{seed:064x}")).events
    except IllegalOrder:  # options that need others
        return None


@pytest.mark.parametrize("system", [system for system in games.tested if system in DRAWS_LOTS])
def test_the_same_lots_give_the_same_sides(system: str) -> None:
    seen: set[str] = set()
    for setup in setups(system):
        for seed in SEEDS:
            if (events := started(setup, seed)) is None:
                continue
            lots = RULESETS[system].lots_of(setup, events)
            seen.add(str(sides(events)))
            for other in SEEDS:
                again = started(structs.replace(setup, lots=lots), other)
                assert again is not None
                assert sides(again) == sides(events), (setup, seed, other)
    assert len(seen) > 1  # lots do differ


@pytest.mark.parametrize("system", [system for system in games.tested if system in DRAWS_LOTS])
def test_a_lot_that_no_die_has_is_refused(system: str) -> None:
    setup = Setup(system=system, teams=(0, 1))
    lots = RULESETS[system].lots_of(setup, RULESETS[system].start(setup, Dice(seed="00")).events)
    assert lots
    for name in lots:
        for wrong in (0, 7):
            with pytest.raises(IllegalOrder, match="unknown_option_value"):
                RULESETS[system].start(structs.replace(setup, lots={**lots, name: wrong}), Dice(seed="00"))
