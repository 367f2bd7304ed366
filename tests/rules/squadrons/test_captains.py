"""What the good captain does: rams when it pays, keeps away from beaks, withdraws the crippled; all of it legal."""

import pytest
from msgspec import structs

from rules.dice import Dice
from rules.protocol import Setup
from rules.squadrons import GAME, fleets, position, rehearsal
from rules.squadrons.captains import admiral, danger
from rules.squadrons.orders import Cut, Grapple, Move, Orders, Ram
from tests.arena import squadrons as arena

HEAD = "squadrons 3 E 44x28 - vp=55 limit=12 bonus=0/0 lost=-/- ; "


def planned(*ships, names=("B1",), fixed=True):
    lying = position.parse(HEAD + " ; ".join(ships))
    return lying, {ship.id: plan for ship, plan in admiral.plans(lying, names, fixed=fixed)}


def test_he_rams_when_the_odds_pay_and_rows_hard_for_it():
    _, plans = planned("B1 5@2316NW C", "R1 5@1512N C done", fixed=False)
    plan = plans["B1"]
    assert (plan.speed, plan.attack, plan.target) == ("M", "ram", "R1")
    assert plan.odds.chance > 0.7
    assert isinstance(plan.line.steps[-1], Ram)


def test_he_rams_nobody_who_is_rammed_already_or_against_whom_there_is_no_hope():
    _, plans = planned("B1 5@1613NW C", "R1 5@1512N C RAM:B9")
    assert plans["B1"].attack != "ram"
    _, plans = planned("B1 L@1613NW M", "R1 8@1512N C done")
    assert plans["B1"].attack != "ram"


def test_men_who_outnumber_the_enemy_grapple_him():
    _, plans = planned("B1 10@1612N C", "R1 cat3@1512N C CRp CRs D1 done")
    assert isinstance(plans["B1"].line.steps[-1], Grapple)


def test_a_crippled_or_tired_galley_does_not_row_at_the_enemy():
    lying, plans = planned("B1 5@2018N C F3", "R1 5@2012S C")
    ship = lying.ship("B1")
    found = danger.dangers(lying, "B", speeds_set=True)
    before = danger.loss(found, ship, ship.place, helpless=False)
    assert danger.loss(found, ship, plans["B1"].place, helpless=False) <= before
    assert plans["B1"].place.bow[1] >= ship.bow[1] or plans["B1"].place == ship.place


def test_whoever_is_held_by_stronger_men_cuts_herself_loose():
    _, plans = planned("B1 3@1612N C", "R1 5m@1512N C", "grap B1 R1")
    assert isinstance(plans["B1"].line.steps[0], Cut)


@pytest.mark.parametrize("which", ["rams", "column", "100"])
def test_all_that_he_orders_is_legal_and_no_two_go_to_one_hex(which):
    lying = fleets.stock(which) if which.isdigit() else fleets.scenario(which)
    names = [ship.id for ship in lying.of("B")]
    plans = admiral.plans(lying, names, fixed=False)
    for ship, plan in plans:
        lying = admiral.with_ship(lying, structs.replace(ship, speed=plan.speed))
    orders = Orders(tuple(plan.line for _, plan in plans))
    assert rehearsal.first_fault(lying, orders) is None
    assert any(isinstance(step, Move) for _, plan in plans for step in plan.line.steps)


def test_battles_of_captains_end():
    battle = arena.play(arena.Pairing("admiral", "greedy", 1, "60"))
    assert battle.reason
    assert battle.turns <= arena.LIMIT


@pytest.mark.parametrize("order", ["turn", "squadron"])
def test_an_admiral_plays_by_answers_that_are_read_back(order):
    options = {"battle": "60", "captain": "admiral", "order": order, "limit": "6"}
    state = GAME.start(Setup(system="squadrons", teams=(0, 1), options=options), Dice(seed="07")).state
    told = set()
    while (asked := GAME.pending(state)) and state.position.turn <= 2:
        answers = {}
        for request in asked:
            view = GAME.view(state, request.seat)
            answers[request.id] = GAME.captain(view, request, "00")
            text = GAME.format(request, answers[request.id])
            assert GAME.format(request, GAME.parse(state, request, text)) == text
            told.add(GAME.reason(view, answers[request.id]).key)
        state = GAME.resolve(state, answers).state
    assert state.position.turn == 3
    assert "reason.nearer" in told


def test_a_hint_says_the_odds_of_what_it_advises():
    lying = HEAD.replace(" 3 E ", " 3 A ") + "B1 5@2316NW C ; R1 5@1512N C"
    state = GAME.at(lying)
    request = GAME.pending(state)[0]
    view = GAME.view(state, request.seat)
    reason = GAME.reason(view, GAME.advise(view, request, "00"))
    assert reason.key == "reason.ram"
    assert reason.params == {"ship": "B1", "to": "R1", "chance": 26 / 36, "need": 6}
