"""Wind, sails and land, which are options and stand in no case (SQ-06.13 to 06.15, SQ-08)."""

import pytest
from msgspec import structs

from rules.chance.dice import ListedDice
from rules.squadrons.engine.notation import order_text
from rules.squadrons.engine.notation.order_text import parse_orders
from rules.squadrons.engine.notation.orders import DoctrineLine, Doctrines
from rules.squadrons.engine.phases.activation import activation
from rules.squadrons.engine.phases.aftermath import recovery
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea import grid, position_text
from rules.squadrons.engine.sea.state import RuleOptions, Wind
from rules.squadrons.interface.preview import attack_plans, best_attacks, track_preview
from tests.rules.squadrons import sea

NORTH = 0
WINDY = {"options": RuleOptions(wind=True), "wind": Wind(1, NORTH)}


def act(lies, orders, *dice, names=("B1",)):
    play = sea.play(lies, *dice)
    activation.run_activation(play, names, order_text.parse_orders(orders))
    return play


def under_sail(*records, **fields):
    return sea.changed(sea.lies(*records, **{**WINDY, **fields}), "B1", sails=True)


@pytest.mark.parametrize(
    ("facing", "wind", "points"),
    [
        ("N", Wind(1, 0), 6),
        ("NE", Wind(1, 0), 6),  # M-26: into a stern/flank hexside
        ("NW", Wind(2, 0), 6),
        ("SE", Wind(1, 0), 5),
        ("S", Wind(1, 0), 5),
        ("N", Wind(0, 0), 5),
    ],
)
def test_m26_what_the_wind_adds(facing, wind, points):
    lies = under_sail(f"B1 5@1512{facing} C", wind=wind)
    assert moves.movement_allowance(lies, lies.ship_by_id("B1")) == points
    assert moves.movement_allowance(sea.changed(lies, "B1", sails=False), lies.ship_by_id("B1")) == points
    bare = sea.changed(lies, "B1", sails=False)
    assert moves.movement_allowance(bare, bare.ship_by_id("B1")) == 5


def test_a_tremiola_gains_two_also_at_max():
    for speed, points in (("C", 7), ("M", 9)):
        lies = under_sail(f"B1 Trm@1512N {speed}")
        assert moves.movement_allowance(lies, lies.ship_by_id("B1")) == points


@pytest.mark.parametrize(("kind", "speeds"), [("5", {"C"}), ("Trm", {"C", "M"})])
def test_under_sail_only_a_tremiola_is_offered_full_speed(kind, speeds):
    lies = under_sail(f"B1 {kind}@1512N C", "R1 5@1410N C")
    assert {plan.speed for speed in "CM" for plan in attack_plans.best_attacks(lies, "B1", speed)} == speeds
    assert track_preview.with_speeds(lies, {"B1": "M"}).ship_by_id("B1").speed == max(speeds)
    (doing,) = best_attacks.plan_each(lies, ("B1",), "00")
    assert doing.speed in speeds


def test_sails_go_up_before_moving_and_cost_a_point():
    lies = sea.lies("B1 5@1512N C", **WINDY)
    play = act(lies, "B1: sail up F5")
    assert play.ship_now("B1").sails
    assert [event.mp for event in sea.told(play, "moved")] == [2, 3, 4, 5, 6]
    play = act(play.position, "B1: sail down F4")
    assert not play.ship_now("B1").sails
    assert [event.mp for event in sea.told(play, "moved")] == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("records", "orders", "rule"),
    [
        (["B1 5@1512N C"], "B1: F sail up", "SQ-08.1"),
        (["B1 5@1512N M"], "B1: sail up", "SQ-08.1"),
        (["B1 5@1512N C", "R1 5@1612N C"], "B1: sail up", "SQ-08.1"),
        (["B1 5@1512N C"], "B1: sail down", "SQ-08.1"),
        (["B1 5@1512N C"], "B1: sail up ts", "SQ-06.10"),
        (["B1 5@1512N C"], "B1: sail up TA", "SQ-06.10"),
    ],
)
def test_what_sails_forbid(records, orders, rule):
    play = act(sea.lies(*records, **WINDY), orders, 1)
    assert [event.rule for event in sea.told(play, "stopped")] == [rule]


def test_without_the_option_there_are_no_sails():
    play = act(sea.lies("B1 5@1512N C"), "B1: sail up")
    assert [event.rule for event in sea.told(play, "stopped")] == ["SQ-08.1"]


def test_m27_a_mast_goes_down_in_a_collision():
    lies = sea.changed(sea.lies("B1 5@1614NW C", "R1 5@1512N C", **WINDY), "B1", sails=True)
    play = act(lies, "B1: ram R1", 1, 1)
    ship = play.ship_now("B1")
    assert (ship.mast_down, ship.no_sails, ship.sails) == (True, True, False)
    assert moves.movement_allowance(play.position, ship) == 3
    after = sea.play(play.position)
    recovery.run_phase_g(after)
    assert not after.ship_now("B1").mast_down
    assert after.ship_now("B1").no_sails


@pytest.mark.parametrize(
    ("before", "dice", "after"),
    [
        (Wind(1, 0), (1, 1), Wind(0, 5)),
        (Wind(0, 0), (1, 1), Wind(0, 5)),
        (Wind(1, 3), (1, 2), Wind(0, 3)),
        (Wind(1, 3), (2, 2), Wind(1, 2)),
        (Wind(1, 3), (3, 4), Wind(1, 3)),
        (Wind(1, 5), (5, 5), Wind(1, 0)),
        (Wind(1, 5), (5, 6), Wind(2, 5)),
        (Wind(2, 5), (6, 6), Wind(2, 0)),
    ],
)
def test_the_wind_changes(before, dice, after):
    play = sea.play(sea.lies("B1 5@1512N C", options=RuleOptions(wind=True, wind_changes=True), wind=before), *dice)
    turn_start.change_wind(play)
    assert play.position.wind == after


SHORE = {"options": RuleOptions(land=True), "land": (grid.parse_hex("1511"),)}


def test_a_ship_that_enters_land_runs_aground():
    play = act(sea.lies("B1 5@1512N C", **SHORE), "B1: F2")
    ship = play.ship_now("B1")
    assert (ship.aground, str(ship.place)) == (3, "1511N")
    assert [event.rule for event in sea.told(play, "stopped")] == ["SQ-13.14"]


@pytest.mark.parametrize(
    ("die", "result", "place"), [(3, "freed", "1512N"), (5, "stays", "1511N"), (6, "wrecked", None)]
)
def test_m25_a_ship_aground_tries_to_get_off(die, result, place):
    lies = sea.changed(sea.lies("B1 5@1511N C", turn=4, **SHORE), "B1", aground=3)
    play = act(lies, "", die)
    assert sea.told(play, "groundRolled")[0].result == result
    ship = play.ship_now("B1")
    assert (str(ship.place) if ship.is_afloat else None) == place
    assert ship.aground == (3 if result == "stays" else 0)


def test_she_does_not_try_in_the_turn_in_which_she_ran_aground():
    lies = sea.changed(sea.lies("B1 5@1511N C", turn=3, **SHORE), "B1", aground=3)
    assert act(lies, "").events == []


def test_nobody_rams_or_rakes_a_ship_aground():
    lies = sea.changed(sea.lies("B1 5@1614NW C", "R1 5@1512N C", **SHORE), "R1", aground=2)
    play = act(lies, "B1: ram R1")
    assert [event.rule for event in sea.told(play, "stopped")] == ["SQ-13.3"]


HEAD = "squadrons 3 E 44x28 - vp=55 limit=12 bonus=0/0 lost=-/- ; "


def carried_out(ships, orders, dice, *, on=True, word="on"):
    lying = structs.replace(
        position_text.parse_position(HEAD + " ; ".join(ships)), options=RuleOptions(reaction_ram=on)
    )
    doctrines = Doctrines((DoctrineLine(who="R", values={"rram": word, "avoid": "off", "fire": "off"}),))
    play = TurnInProgress(lying, ListedDice(tuple(dice)), doctrines)
    activation.run_activation(play, ("B1",), parse_orders(orders))
    return play


# R1 lies at 1512, facing north: 1511 is her Bow hex. B1 comes from the west, and crosses it with her flank.
ACROSS = ["B1 5@1310SE C", "R1 5@1512N C"]


def kinds(play):
    return [event.__struct_config__.tag for event in play.events]


@pytest.mark.parametrize(("on", "word"), [(False, "on"), (True, "off")])
def test_only_where_it_is_switched_on_and_wanted(on, word):
    play = carried_out(ACROSS, "B1: F3", [], on=on, word=word)
    assert kinds(play) == ["moved", "moved", "moved"]


@pytest.mark.parametrize(
    "ships",
    [
        ["B1 5@1508S C", "R1 5@1512N C"],  # Bow to bow: no flank is shown.
        ["B1 5@1310SE C", "R1 T@1512N C"],  # No ram.
        ["B1 5@1310SE C", "R1 5@1512N C CRp"],
        ["B1 5@1310SE C", "B2 5@1512N C", "R1 5@3020N C"],  # Her own side's bow.
    ],
)
def test_who_does_not_ram_in_reaction(ships):
    play = carried_out(ships, "B1: F2", [])
    assert kinds(play) == ["moved", "moved"]


@pytest.mark.parametrize(
    ("records", "line"),
    [
        (["B1 5@1519N C", "R1 5@1508S C"], "sail down F4"),
        (["B1 5@1527N C", "R1 5@1503S C"], "F6"),  # far away she keeps the wind's point
        (["B1 Trm@1519N C", "R1 5@1508S C"], "F7"),  # tremiolas fight under sail
    ],
)
def test_computer_captains_lower_sails_before_they_meet_the_enemy(records, line):
    (planned,) = best_attacks.plan_each(under_sail(*records), ("B1",), "00")
    assert order_text.format_line(planned.line) == f"B1: {line}"
