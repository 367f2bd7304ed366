"""The beginning of a campaign: map, sides, homes by lot, and fleets (CA-1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import structs

from rules.campaign.engine.case import read_position
from rules.campaign.engine.events import FleetMustered
from rules.campaign.engine.sea.maps import Home, sea_map
from rules.campaign.engine.sea.state import FIRST_FLEET, FIRST_TALENTS, Position, State, new_galley
from rules.chance.dice import Dice
from rules.core.protocol import OptionSpec, Setup, Step
from rules.core.sides import letter_of, seat_of

OPTIONS: Final = (
    OptionSpec("map", ("ring", "gulf", "east"), "ring"),
    OptionSpec("players", ("4", "3", "2", "5", "6", "7", "8"), "4"),
    OptionSpec("sides", ("alone", "sides"), "alone"),
    OptionSpec("turns", ("24", "12"), "24"),
)
FIRST_GAME_OPTIONS: Final = {"map": "gulf", "turns": "12"}


def seat_teams(options: Mapping[str, str]) -> tuple[int, ...]:
    """Return the side of each seat: two captains on the gulf, at least three on the ring; sides are equal (CA-1.3)."""
    map_name, captain_count = options.get("map", "ring"), int(options.get("players", "4"))
    if map_name == "gulf":
        captain_count = 2
    elif map_name == "ring":
        captain_count = max(3, captain_count)
    if options.get("sides") == "sides":
        captain_count += captain_count % 2
        return tuple(seat % 2 for seat in range(captain_count))
    return tuple(range(captain_count))


def begin_campaign(options: Mapping[str, str], setup: Setup, dice: Dice) -> Step:
    """Begin a campaign with these options. Raises `OrderError` for an unreadable position."""
    if setup.position:
        position = structs.replace(read_position(setup.position), turns=int(options["turns"]))
        return Step(State(dice=dice, position=position, missed=setup.missed), ())
    name, captain_count = options["map"], len(setup.teams)
    captains = "".join(map(letter_of, range(captain_count)))
    homes, dice = _draw_homes(
        sea_map(name, captain_count).homes, dice, sided=len({*setup.teams}) < captain_count and name == "ring"
    )
    galleys = tuple(
        new_galley(captain, number, home.city, holes)
        for captain, home in zip(captains, homes, strict=True)
        for number, holes in enumerate(FIRST_FLEET, 1)
    )
    ports = {port: captain for captain, home in zip(captains, homes, strict=True) for port in (home.city, home.village)}
    position = Position(
        map=name,
        captains=captains,
        teams=setup.teams,
        homes=homes,
        turns=int(options["turns"]),
        talents=dict.fromkeys(captains, FIRST_TALENTS),
        trophies=dict.fromkeys(captains, 0),
        ports=ports,
        galleys=galleys,
        next=dict.fromkeys(captains, len(FIRST_FLEET) + 1),
    )
    mustered = (
        FleetMustered(map=name, galleys=position.galleys_of(captain), seen_by=(seat_of(captain),))
        for captain in captains
    )
    return Step(State(dice=dice, position=position, missed=setup.missed), tuple(mustered))


def _draw_homes(homes: tuple[Home, ...], dice: Dice, *, sided: bool) -> tuple[tuple[Home, ...], Dice]:
    """Draw homes by lot. For sides on the ring, only the first home is drawn, as seats alternate (CA-1.3)."""
    if sided:
        lot, dice = dice.throw_die(len(homes))
        return homes[lot - 1 :] + homes[: lot - 1], dice
    homes_left = list(homes)
    assigned = []
    while homes_left:
        lot, dice = dice.throw_die(len(homes_left))
        assigned.append(homes_left.pop(lot - 1))
    return tuple(assigned), dice
