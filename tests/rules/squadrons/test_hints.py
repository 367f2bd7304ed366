"""Hints, first mates and charges: nothing is advised that would stop while the enemies stand where they are."""

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.protocol import Draft, Setup
from rules.squadrons import GAME
from rules.squadrons.ai import answering
from rules.squadrons.engine.tables import SCENARIOS
from rules.squadrons.interface.shown import reasons
from tests.laws.length import times

SEALED, LIVE = "turn", "squadron"
TURNS = times(1, 2)


def would_stop(state, request, text):
    return [
        warning.params for warning in GAME.draft_warnings(state, request, Draft(text)) if warning.key == "warn.stopped"
    ]


def pressed(state, request, token, draft=""):
    groups = GAME.draft_choices(state, request, Draft(draft)).groups
    return next(option.draft for group in groups for option in group.options if option.token == token)


@pytest.mark.parametrize(
    ("battle", "order", "turns"), [("rams", SEALED, TURNS), ("column", LIVE, TURNS), ("60", SEALED, TURNS)]
)
@pytest.mark.slow
def test_nothing_that_is_advised_would_stop(battle, order, turns):
    options = {"battle": battle, "order": order, "captain": "mate"}
    state = GAME.start(Setup(system="squadrons", teams=(0, 1), options=options), Dice(seed="0b")).state
    tried = 0
    while not GAME.result(state) and state.position.turn <= turns:
        requests = [request for request in GAME.pending_requests(state) if not (request.ahead or request.optional)]
        answers = {}
        for request in requests:
            view = GAME.view(state, request.seat)
            answers[request.id] = GAME.computer_answer(view, request, "5e")
            if request.kind not in ("orders", "act"):
                continue
            for answer in (answers[request.id], GAME.advise(view, request, "5e")):
                assert not would_stop(state, request, GAME.format_answer(request, answer))
                tried += 1
            if request.kind == "orders":
                assert not would_stop(state, request, pressed(state, request, "all.charge"))
        state = GAME.resolve(state, answers).state
    assert tried >= 2 * turns


def test_what_is_offered_first_keeps_its_place_whatever_is_chosen():
    state = GAME.start(Setup(system="squadrons", teams=(0, 1), options={"battle": "rams"}), Dice(seed="0b")).state
    request = GAME.pending_requests(state)[0]
    fresh = GAME.draft_choices(state, request, Draft(""))
    assert [group.key for group in fresh.groups] == ["unit", "course", "orders"]
    assert [option.token for option in fresh.groups[2].options] == ["all.charge", "all.stay", "speed.C", "speed.M"]
    for token in ("course.F2", "all.charge", "all.stay", "speed.M"):
        begun = GAME.draft_choices(state, request, Draft(pressed(state, request, token)))
        for before, after in zip(fresh.groups, begun.groups, strict=False):
            assert (before.key, [option.token for option in before.options if before.style == "buttons"]) == (
                after.key,
                [option.token for option in after.options if after.style == "buttons"],
            )
        assert [form.token for form in begun.forms if form.is_offered] == ["doctrine", "habits", "squadron"]


def test_speeds_are_said_in_a_line_each_however_many_ships_have_them():
    state = GAME.start(
        Setup(system="squadrons", teams=(0, 1), options={"battle": "rams", "sides": "first"}), Dice(seed="0b")
    ).state
    request = next(request for request in GAME.pending_requests(state) if request.seat == 0)
    lines = GAME.draft_choices(state, request, Draft("B1 M\nB2 C\nB4 M\nB3 C")).lines
    ship_lists = [line.params["target"] for line in lines if line.key.startswith("line.pace.")]
    assert [[warning.params["ship"] for warning in ships] for ships in ship_lists] == [["B1", "B4"], ["B2", "B3"]]


@pytest.mark.slow
def test_no_ship_of_a_large_fleet_that_is_sent_at_the_enemy_would_stop_for_another():
    setup = Setup(system="squadrons", teams=(0, 1), options={"battle": "250", "sides": "first"})
    state = GAME.start(setup, Dice(seed="0b")).state
    for _ in (1, 2):
        requests = GAME.pending_requests(state)
        charges = {request.id: pressed(state, request, "all.charge") for request in requests}
        for asked in requests:
            assert not GAME.draft_warnings(state, asked, Draft(charges[asked.id]))
        state = GAME.resolve(
            state, {request.id: GAME.parse_answer(state, request, charges[request.id]) for request in requests}
        ).state


def test_a_hint_promises_less_than_the_dice_of_an_attack_that_enemies_may_escape():
    state = GAME.state_at("squadrons 3 A 44x28 - vp=55 limit=12 bonus=0/0 lost=-/- ; B1 5@2316NW C ; R1 5@1512N C")
    request = GAME.pending_requests(state)[0]
    view = GAME.view(state, request.seat)
    answer = GAME.advise(view, request, "00")
    dice = reasons.best_attack(view.position, answer).odds.chance
    (promised,) = GAME.describe_odds(view, answer, "00")
    assert promised.params["told"] <= promised.params["done"] <= 1
    assert promised.params["told"] < dice


def test_a_hint_leaves_fewer_enemies_beside_the_admiral_than_a_computer_captain_does(monkeypatch):
    """In the second turn of a small battle with a Steady admiral, against what computer captains order."""
    steady = structs.replace(SCENARIOS["rams"], leaders=("BL1 Steady@B2", "RL1 Steady@R3"))
    monkeypatch.setitem(SCENARIOS, "rams", steady)
    options = {"battle": "rams", "sides": "second"}
    state = GAME.start(Setup(system="squadrons", teams=GAME.seats(options), options=options), Dice("01")).state

    def answers(at):
        return {
            request.id: GAME.computer_answer(
                structs.replace(GAME.view(at, request.seat), captain="mate"), request, "00"
            )
            for request in GAME.pending_requests(at)
        }

    while state.position.turn < 2:
        state = GAME.resolve(state, answers(state)).state
    request = next(request for request in GAME.pending_requests(state) if GAME.view(state, request.seat).side == "R")
    view = structs.replace(GAME.view(state, request.seat), captain="admiral")

    def beside(advised):
        count = 0
        for number in range(4):
            begun = structs.replace(state, dice=Dice(f"{number:02x}"))
            after = GAME.resolve(begun, answers(begun) | {request.id: advised}).state.position
            (leader,) = after.admirals("R")
            count += len(after.enemies_beside(after.ship_by_id(leader.ship)))
        return count

    hint = GAME.advise(view, request, "00")
    assert beside(hint) < beside(answering.computer_answer(view, request, "00", work=answering.MAX_HINT_TURNS))
