"""Free battles: every ready fleet may be had, and every fleet has room where it is placed by default."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from rules.ramspeed.engine import free_battle
from rules.ramspeed.engine.free_battle import SEA, FleetLimits, FleetShip
from rules.ramspeed.engine.state import Captain, Position, Situation
from rules.ramspeed.engine.tables import CLASS_CODES

CAPTAINS = (1, 2, 3)


@pytest.mark.parametrize(("points", "captains"), product(SEA.budgets, CAPTAINS))
def test_ready_fleets_spend_the_points_of_their_captain(points, captains):
    for number in range(captains):
        share = free_battle.captain_share(points, captains, number)
        limits = FleetLimits(points=share, max_ships=SEA.max_ships // captains, nations=("other",))
        fleets = {"stock": free_battle.stock_fleet(limits), **free_battle.fitting_fleets(limits)}
        assert len({*fleets.values()}) == len(fleets) - 1
        for fleet in fleets.values():
            assert 1 <= len(fleet) <= limits.max_ships
            assert share - 1 <= free_battle.fleet_cost(fleet) <= share
            assert len(fleet) == len(fleets["stock"])  # the side with more ships wins most games
    assert sum(free_battle.captain_share(points, captains, number) for number in range(captains)) == points


@pytest.mark.parametrize(("situation", "captains", "code"), product(get_args(Situation), CAPTAINS, CLASS_CODES))
def test_the_largest_fleets_have_room_side_by_side(situation, captains, code):
    players = [f"p{seat}" for seat in range(2 * captains)]
    seats = tuple(Captain(player, ("first", "second")[number % 2]) for number, player in enumerate(players))
    width, height = SEA.table
    position = Position(width=width, height=height, board="open", land=SEA.land, seats=seats, ships=())
    zones = free_battle.situation_zones(situation, players[::2], players[1::2])
    ships = []
    for zone in zones:
        fleet = [FleetShip(code, "other")] * (SEA.max_ships // captains)
        letter = "ABCDEF"[players.index(zone.player)]
        new = free_battle.make_ships(fleet, letter, owner=zone.player, side=position.side_of_player(zone.player))
        ships += [(zone, ship) for ship in free_battle.line_abreast(zone, new)]
    everything = [ship for _, ship in ships]
    for zone, ship in ships:
        assert free_battle.place_fault(position, zone, ship, everything) is None, (zone, ship)
