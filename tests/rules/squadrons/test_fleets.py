"""Fleets are built and set down as the rules say (SQ-23, 6.F, 6.G)."""

import pytest
from msgspec import structs

from rules.squadrons.engine.notation import order_text
from rules.squadrons.engine.phases.activation import activation
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea import fleets, grid, position_text
from rules.squadrons.engine.tables import FLEETS, SCENARIOS
from tests.rules.squadrons import sea


def placed(lies, side):
    return {ship.id: ship.place for ship in lies.ships if ship.builder == side}


@pytest.mark.parametrize("points", FLEETS)
def test_stock_fleets_lie_as_they_must(points):
    lies = fleets.stock_position(points)
    assert lies.target == int(points) // 5 + 5  # V-05: 25 for 100 points
    hexes = [here for ship in lies.ships for here in ship.hexes]
    assert len(hexes) == len(set(hexes))
    for side in "BR":
        assert fleets.why_deployment_barred(lies, side, placed(lies, side)) is None
        assert fleets.fleet_cost(ship.code for ship in lies.ships_of(side)) <= int(points)
        assert len(lies.admirals(side)) == 1
    assert position_text.parse_position(position_text.format_position(lies)) == lies


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
    barred = fleets.why_roster_barred("250", codes, leaders)
    assert (barred and barred.rule) == rule


def test_v07_nine_hexes_from_the_own_edge():
    lies = fleets.stock_position("60")
    ships = placed(lies, "B")
    north = grid.parse_hex("1013")  # distance 9 of 22 rows
    assert fleets.why_deployment_barred(lies, "B", ships | {"B1": grid.HexPose(north, 0)}).rule == "SQ-23.4"
    south = grid.parse_hex("1014")
    assert fleets.why_deployment_barred(lies, "B", ships | {"B1": grid.HexPose(south, 0)}) is None
    assert fleets.why_deployment_barred(lies, "B", ships | {"B1": ships["B2"]}).rule == "SQ-02.5"
    del ships["B1"]
    assert fleets.why_deployment_barred(lies, "B", ships).code == "not_placed"


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenarios_can_be_laid_out(name):
    lies = fleets.scenario_position(name)
    assert all(len(lies.ships_of(side)) > 2 and lies.admirals(side) for side in "BR")
    assert len(lies.ships_by_hex) == 2 * len(lies.ships)
    for side in "BR":
        assert {one for squadron in command.form_squadrons(lies, side) for one in squadron.ships} == {
            ship.id for ship in lies.ships_of(side)
        }


def test_blue_gains_points_for_ships_that_break_through_the_column():
    lies = fleets.scenario_position("column")
    north = sea.changed(structs.replace(lies, phase="E"), "B1", bow=grid.parse_hex("1001"), facing=0)
    play = sea.play(north)
    activation.run_activation(play, ("B1",), order_text.parse_orders("B1: F"))
    assert play.ship_now("B1").status == "exited"
    assert play.position.bonus == (3, 0)
    # Over any other edge, or Red's, they bring nothing.
    west = sea.changed(structs.replace(lies, phase="E"), "B1", bow=grid.parse_hex("0105"), facing=5)
    play = sea.play(west)
    activation.run_activation(play, ("B1",), order_text.parse_orders("B1: F"))
    assert (play.ship_now("B1").status, play.position.bonus) == ("exited", (0, 0))
    south = sea.changed(structs.replace(lies, phase="E"), "R1", bow=grid.parse_hex("0622"), facing=3)
    play = sea.play(south)
    activation.run_activation(play, ("R1",), order_text.parse_orders("R1: F"))
    assert (play.ship_now("R1").status, play.position.bonus) == ("exited", (0, 0))
