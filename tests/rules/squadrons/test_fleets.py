"""Fleets are built and set down as the rules say (SQ-23, 6.F, 6.G)."""

import pytest

from rules.squadrons import command, fleets, grid, position
from rules.squadrons.tables import FLEETS, SCENARIOS


def placed(sea, side):
    return {ship.id: ship.place for ship in sea.ships if ship.builder == side}


@pytest.mark.parametrize("points", FLEETS)
def test_stock_fleets_lie_as_they_must(points):
    sea = fleets.stock(points)
    assert sea.target == int(points) // 5 + 5  # V-05: 25 for 100 points
    hexes = [here for ship in sea.ships for here in ship.hexes]
    assert len(hexes) == len(set(hexes))
    for side in "BR":
        assert fleets.deploy_barred(sea, side, placed(sea, side)) is None
        assert fleets.cost(ship.code for ship in sea.of(side)) <= int(points)
        assert len(sea.admirals(side)) == 1
    assert position.parse(position.write(sea)) == sea


def test_both_fleets_look_the_same_from_their_own_edge():
    sea = fleets.stock("250")
    for side, facing in (("B", 0), ("R", 3)):
        rows = {grid.column_and_row(ship.stern)[1] for ship in sea.of(side)}
        assert {fleets.from_edge(sea, side, row) for row in rows} == {3}
        assert {ship.facing for ship in sea.of(side)} == {facing}


def test_a_large_fleet_of_transports_takes_several_lines():
    sea = fleets.tournament("400", {"B": ["T"] * 100, "R": ["T"] * 100}, {"B": ["Bold"], "R": ["Grand"]})
    assert fleets.deploy_barred(sea, "B", placed(sea, "B")) is None
    assert fleets.deploy_barred(sea, "R", placed(sea, "R")) is None
    assert len(sea.occupied) == 200


@pytest.mark.parametrize(
    ("codes", "leaders", "rule"),
    [
        (["10"] * 11 + ["7", "2"], ["Bold"], "SQ-23.1"),  # 256 points
        (["5"] * 19, ["Bold", "SqC", "SqC"], None),  # 247
        ([], ["Bold"], "SQ-23.1"),
        (["5", "99"], ["Bold"], "SQ-23.2"),
        (["5"] * 9, ["SqC"], "SQ-23.3"),
        (["5"] * 9, ["Bold", "Grand"], "SQ-23.3"),
        (["5"] * 9, ["Bold", "SqC", "SqC", "SqC"], "SQ-23.3"),
        (["5"] * 9, ["Bold", "Nelson"], "SQ-23.3"),
        (["5"] * 2, ["Bold", "SqC", "SqC"], "SQ-23.8"),
    ],
)
def test_v06_what_a_fleet_may_be(codes, leaders, rule):
    barred = fleets.roster_barred("250", codes, leaders)
    assert (barred and barred.rule) == rule


def test_v07_nine_hexes_from_the_own_edge():
    sea = fleets.stock("60")
    ships = placed(sea, "B")
    north = grid.read_hex("1013")  # distance 9 of 22 rows
    assert fleets.deploy_barred(sea, "B", ships | {"B1": grid.Place(north, 0)}).rule == "SQ-23.4"
    south = grid.read_hex("1014")
    assert fleets.deploy_barred(sea, "B", ships | {"B1": grid.Place(south, 0)}) is None
    assert fleets.deploy_barred(sea, "B", ships | {"B1": ships["B2"]}).rule == "SQ-02.5"
    del ships["B1"]
    assert fleets.deploy_barred(sea, "B", ships).code == "not_placed"


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenarios_can_be_laid_out(name):
    sea = fleets.scenario(name)
    assert all(len(sea.of(side)) > 2 and sea.admirals(side) for side in "BR")
    assert len(sea.occupied) == 2 * len(sea.ships)
    for side in "BR":
        assert {one for squadron in command.squadrons(sea, side) for one in squadron.ships} == {
            ship.id for ship in sea.of(side)
        }
