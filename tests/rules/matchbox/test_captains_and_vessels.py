"""Computer captains among special vessels, reefs and boarders, in positions whose best answer is plain."""

import numpy as np
import pytest

from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.geometry import boxes
from rules.matchbox.ai import bearing, prospects
from rules.matchbox.ai.battle import local_battle
from rules.matchbox.engine import hull
from rules.matchbox.engine import round as rounds
from rules.matchbox.engine.events import FireShipStruck, ReefStruck
from rules.matchbox.engine.notation import parse_position
from rules.matchbox.engine.round import RoundOutcome
from rules.matchbox.engine.state import FleetOrders, OrderList
from rules.matchbox.game import Matchbox

GAME = Matchbox()
LEVELS = ("mate", "admiral")
FAR_FOE = "B1:north 5-5+3/5 @1000,700^180"


def computer_orders(position: str, level: str, **options: str) -> FleetOrders:
    """Return the orders of a computer captain of the south."""
    setup = Setup(system="matchbox", teams=(0, 1), position=position, options={"captain": level, **options})
    state = GAME.start(setup, Dice("0123" * 16)).state
    answer = GAME.computer_answer(GAME.view(state, 0), GAME.pending_requests(state)[0], "7" * 64)
    assert isinstance(answer, FleetOrders)
    return answer


def carried_out(position: str, answer: FleetOrders, **enemy: str) -> RoundOutcome:
    """Carry out a round with these enemy orders; the south fires nowhere near anybody."""
    table = parse_position(position)
    lists = [*answer.lists, *(OrderList(name, drawn) for name, drawn in enemy.items())]
    off = {f"{galley.id}@{step}": (0.0, 0.0) for galley in table.galleys for step in range(1, 6)}
    return rounds.run_round(table.sea, table.galleys, lists, {}, Dice("00"), {}, aims=off)


@pytest.mark.parametrize("level", ["deckhand", *LEVELS])
@pytest.mark.parametrize("foe", [FAR_FOE, "B1:north 5-5+3/5 @600,600^180"])
def test_who_burns_puts_the_fire_out_first(level, foe):
    answer = computer_orders(f"1200x800 ; A1:south 5-5+3/5 @600,200^0 burning ; {foe}", level)
    assert answer.lists[0].orders.startswith("ZZ")


def test_a_hint_to_put_the_fire_out_says_why():
    setup = Setup(
        system="matchbox", teams=(0, 1), position=f"1200x800 ; A1:south 5-5+3/5 @200,100^0 burning ; {FAR_FOE}"
    )
    state = GAME.start(setup, Dice("0123" * 16)).state
    answer = GAME.parse_answer(state, GAME.pending_requests(state)[0], "A1 ZZFFF")
    assert GAME.reason_for(GAME.view(state, 0), answer).key == "reason.put_out"


@pytest.mark.parametrize("level", LEVELS)
def test_nobody_grapples_who_burns(level):
    """She could be taken, if she did not burn (MX-2.8)."""
    position = "1200x800 ; A1:south 4-4+4/4 @600,300^0 ; B1:north 5-5+0/5 @655,300^0{} ; B2:north 5-5+3/5 @100,700^180"
    assert "G" in computer_orders(position.format(""), level, boarding="on").lists[0].orders
    assert "G" not in computer_orders(position.format(" burning"), level, boarding="on").lists[0].orders


@pytest.mark.parametrize("level", LEVELS)
def test_a_merchant_turns_away_from_enemies(level):
    """She would go straight at them, if she were a galley."""
    position = "1200x800 ; A1:south 3-3+1/3m @600,200^0 ; A2:south 5-5+3/5 @200,150^0 ; B1:north 5-5+3/5 @600,620^180"
    after = carried_out(position, computer_orders(position, level)).galleys
    there = boxes.to_box_frame(hull.hull_middle(after[-1].pose), hull.hull_of(after[0]))
    assert there.x < 0, "the enemy lies ahead of her"


@pytest.mark.parametrize("level", LEVELS)
def test_a_heavy_galley_turns_as_long_as_it_takes(level):
    """By 30° at a time (MX-2.2); others turn at an enemy abeam with two orders."""
    answer = computer_orders("1200x800 ; A1:south 8-8+4/8h @200,200^0 ; B1:north 5-5+3/5 @800,260^270", level)
    assert answer.lists[0].orders.startswith("RRR")


def test_deep_draught_keeps_off_reefs():
    """Every forward over them would cost an oar or a mast (MX-1.15)."""
    position = (
        "1200x800 ; reef:300,330 900,330 900,480 300,480 ; A1:south 8-8+4/8h @500,300^0 ; "
        "A2:south 8-8+4/8h @640,300^0 ; B1:north 5-5+3/5 @500,620^180 ; B2:north 5-5+3/5 @640,620^180"
    )
    events = carried_out(position, computer_orders(position, "mate")).events
    assert not [event for event in events if isinstance(event, ReefStruck)]


@pytest.mark.parametrize("level", LEVELS)
def test_nobody_lies_in_the_way_of_a_fire_ship(level):
    position = (
        f"1200x800 ; A1:south 5-5+3/5 @600,250^0 ; B1:north 4-4+0/4f @600,420^180 ; {FAR_FOE.replace('B1', 'B2')}"
    )
    events = carried_out(position, computer_orders(position, level), B1="FFFF").events
    assert not [event for event in events if isinstance(event, FireShipStruck)]


def test_who_has_only_merchants_and_fire_ships_left_has_lost_to_captains_too():
    """MX-2.9."""
    table = parse_position(
        "1200x800 ; A1:south 5-5+3/5 @600,300^0 ; B1:north 5-5+3/5 @600,500^180 ; B2:north 3-3+1/3m @900,700^180"
    )
    there = local_battle(table.galleys[:1], table.galleys, table.sea, {}, prospects.win_chances)
    sunk = there.start._replace(afloat=np.array([[True], [False], [True]]))
    nothing = np.zeros((2, 3, 1)), np.zeros((3, 1), bool)
    assert (
        there._table_worth(sunk, *nothing) > 0.99 > there._replace(reserves=(True, True))._table_worth(sunk, *nothing)
    )


def test_a_tower_is_taken_to_fire_over_islands():
    """MX-2.5."""
    island = "1200x800 ; island:560,380 640,380 640,420 560,420"
    foe = "B1:north 1-1+3/5 @600,490^0"
    for build, bears in (("4-4+4/4t", 1.0), ("4-4+4/4", 0.0)):
        table = parse_position(f"{island} ; A1:south {build} @600,370^0 ; {foe}")
        chances = bearing.in_range_chances(table.galleys[0], "XXXXF", table.galleys[1:], table.sea)
        assert chances[1].chance == bears
