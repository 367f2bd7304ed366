"""Reaction rams (SQ-12), which no case of `adjudicate` can show."""

import pytest
from msgspec import structs

from rules.chance.dice import ListedDice
from rules.squadrons.engine import events
from rules.squadrons.engine.notation.order_text import parse_orders
from rules.squadrons.engine.notation.orders import DoctrineLine, Doctrines
from rules.squadrons.engine.phases.activation import activation
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea import position_text
from rules.squadrons.engine.sea.state import RuleOptions

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


def test_m28_a_crew_that_is_too_slow_does_not_ram():
    play = carried_out(ACROSS, "B1: F3", [4])
    assert kinds(play) == ["moved", "moved", "reaction_rolled", "moved"]


def test_a_galley_that_crosses_a_bow_is_rammed_and_stops():
    play = carried_out(ACROSS, "B1: F3", [3, 5, 5])
    assert kinds(play) == ["moved", "moved", "reaction_rolled", "ram", "retract", "stopped"]
    rammed = next(event for event in play.events if isinstance(event, events.ShipRammed))
    assert (rammed.by, rammed.target, rammed.ra, rammed.need, rammed.drm) == ("R1", "B1", 7, 10, 0)
    assert play.ship_now("B1").rammed == "R1"
    assert play.ship_now("R1").ram_tried
    assert play.position.fouls == (("R1", "B1"),)
    assert play.events[-1].rule == "SQ-13.14"


def test_a_reaction_ram_that_fails_harms_its_own_ship_and_shakes_the_mover():
    play = carried_out(ACROSS, "B1: F3 | else F", [3, 1, 1])
    assert kinds(play)[:4] == ["moved", "moved", "reaction_rolled", "ram"]
    assert (play.ship_now("R1").half_speed, play.ship_now("R1").collided, play.ship_now("B1").half_speed) == (
        True,
        True,
        False,
    )
    assert play.runs["B1"].strength_loss == 1
    assert [event.mp for event in play.events if isinstance(event, events.ShipMoved)] == [1, 2, 4]


def test_it_is_tried_once_a_turn():
    play = carried_out([*ACROSS], "B1: F3", [3, 1, 1])
    assert play.ship_now("R1").ram_tried
    again = carried_out(["B1 5@1310SE C", "R1 5@1512N C HS"], "B1: F3", [])
    assert "reaction_rolled" not in kinds(again)


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
