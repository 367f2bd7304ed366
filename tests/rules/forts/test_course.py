"""Answers one by one: lists that the dice break off, plans that wait, and what the panel offers."""

import pytest

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Draft, Setup, completes_step
from rules.forts import GAME
from rules.forts.engine import sailing
from rules.forts.engine.events import ActionSkipped, PlanRun, ShipMoved, ShotFired
from tests.laws.play import tape

SEA = "two_forts 7 white wind - 3 white=west BB/BB ; wBB@G4 1 s3 ; wGA@F4 0 s2 ; rBB@R6 0 ; rGA@G7 0 ; rBR@G5 2"


def begin(position=SEA, seed="01", missed="hold", **options):
    setup = Setup(
        system="forts", teams=(0, 1), position=position, missed=missed, options={"colours": "first", **options}
    )
    return GAME.start(setup, Dice(seed=seed)).state


def request_of(state, kind):
    return next(request for request in GAME.pending_requests(state) if request.kind == kind)


def answer(state, text, kind="act"):
    request = request_of(state, kind)
    return GAME.resolve(state, {request.id: GAME.parse_answer(state, request, text)})


def seed_of(die):
    """Return a seed whose first roll is this."""
    return next(seed for seed in (f"{k:02x}" for k in range(256)) if Dice(seed).throw_die(6)[0] == die)


def test_a_list_that_the_dice_break_off_is_told_and_left_to_the_captain():
    step = answer(begin(seed=seed_of(1)), "BB*BRx1; GA>G5; BB>G3; end")
    shot, skipped = step.events
    assert isinstance(shot, ShotFired)
    assert not shot.hit
    assert skipped == ActionSkipped(action="GA>G5", reason="hex_barred", left="BB>G3; end", rule="NB-04.2")
    assert step.state.position.turn == 7


def test_the_same_list_is_carried_out_if_they_fall_well():
    step = answer(begin(seed=seed_of(6)), "BB*BRx1; GA>G5; BB>G3")
    assert [event.__struct_config__.tag for event in step.events] == ["ShotFired", "ShipSunk", "Sailed", "Sailed"]


def test_what_is_impossible_before_any_die_is_refused_whole():
    with pytest.raises(OrderError) as refused:
        answer(begin(), "BB>G3; GA>G5; BB*BR")
    assert (refused.value.fault.code, refused.value.fault.piece) == ("hex_barred", "GA>G5")


def test_a_plan_waits_while_the_enemy_acts_and_their_request_stays():
    state = begin()
    before = request_of(state, "plan")
    state = answer(state, "BB>G3").state
    assert request_of(state, "plan") == before
    state = answer(state, "any: BR>G5", "plan").state
    assert request_of(state, "plan").id != before.id
    assert state.position.turn == 7
    step = answer(state, "end")
    assert not any(isinstance(event, PlanRun) for event in step.events)
    act = request_of(step.state, "act")
    assert GAME.format_answer(act, GAME.default_answer(step.state, act)) == "plan"


def test_the_mate_sails_for_a_captain_who_left_no_plan():
    state = begin(missed="mate")
    act = request_of(state, "act")
    assert GAME.format_answer(act, GAME.default_answer(state, act)) != "pass"
    assert GAME.format_answer(act, GAME.default_answer(begin(), act)) == "pass"


def test_the_panel_offers_all_that_a_ship_may_do_and_says_what_she_may_not():
    state = begin()
    request = request_of(state, "act")
    groups = {group.key: group.options for group in GAME.draft_choices(state, request, Draft("BB")).groups}
    ship = state.position.ships[0]
    hexes = {option.token for key, options in groups.items() if key.startswith("sail") for option in options}
    assert hexes == {f"to.{label}" for label in sailing.shortest_ways(state.position, ship)}
    shots = {option.token: option.fault and option.fault.rule for option in groups["shoot"]}
    assert shots == {"at.GA.1": "NB-05.1", "at.BR.1": None, "at.BR.0": None}
    assert [option.token for option in groups["finish"]] == ["end"]
    after = answer(state, "BB>G3").state
    others = {
        group.key: group.options for group in GAME.draft_choices(after, request_of(after, "act"), EMPTY_DRAFT).groups
    }
    assert [option.token for key in ("more", "finish") for option in others[key]] == ["undo", "end"]


def test_a_draft_of_a_plan_looks_ahead():
    """A ship that the plan moved sails no farther, and shows where she would be."""
    state = begin()
    request = request_of(state, "plan")
    keys = [group.key for group in GAME.draft_choices(state, request, Draft("any: BR>H6; BR")).groups]
    assert not any(key.startswith("sail") for key in keys)
    view = GAME.view(state, request.seat, Draft("any: BR>H6; BR*BB; BR"))
    assert [(leg.ship, leg.start, leg.end) for leg in view.legs] == [("rBR", "G5", "H6")]
    assert [(aim.by, aim.to, aim.start, aim.end) for aim in view.aims] == [("rBR", "wBB", "H6", "G4")]
    assert view.current_ship == "rBR"
    assert GAME.view(state, 1 - request.seat).legs == ()


def test_the_view_says_what_blocks():
    state = begin(SEA.replace("rBR@G5 2", "rBR@S5 2"))
    lines = {(line.by, line.to): line for line in GAME.view(state, 0).fire_lines}
    assert {key: line.fire for key, line in lines.items()} == {("wBB", "rGA"): "open", ("wGA", "rGA"): "open"}
    blocked = {(line.by, line.to): line for line in GAME.view(begin(), 0).fire_lines}["wBB", "rGA"]
    assert (blocked.fire, blocked.need, [stop.ship for stop in blocked.blockers]) == ("blocked", 0, ["rBR"])


def test_answers_make_a_step_if_all_that_is_waited_for_is_answered_or_none_of_it():
    pending = GAME.pending_requests(begin())
    act, plan = (request.id for request in pending)
    assert [completes_step(pending, answers) for answers in ((), (act,), (plan,), (act, plan), (act, "else"))] == [
        False,
        True,
        True,
        True,
        False,
    ]


def test_a_wind_for_both_is_rolled_once():
    state = begin(SEA.replace(" wind ", " none ", 1), wind="round")
    dice = state.dice.blocks_drawn
    state = answer(state, "end").state
    assert state.dice.blocks_drawn == dice
    state = answer(state, "end").state
    assert state.dice.blocks_drawn == dice + 1
    assert all(not isinstance(event, ShipMoved) for event in answer(state, "end").events)


def test_every_example_can_be_typed_as_it_stands():
    seen = set()
    for number in range(8):
        for turn in (*tape("forts", number).turns[:4], *tape("forts", number).turns[4::5]):
            for request in turn.requests:
                values = GAME.example_values(turn.before, request)
                for text in values.values():
                    GAME.parse_answer(turn.before, request, text)
                    seen.add(request.kind)
    assert {"berths", "act"} <= seen


def test_in_a_calm_the_brig_is_the_example_and_the_end_where_nothing_else_can_be_done():
    def example(ships, wind):
        text = f"two_forts 1 white {wind} - 0 white=west BB/BB ; {ships} ; rBB@R6 0"
        setup = Setup(system="forts", teams=(0, 1), options={"colours": "first"}, position=text)
        state = GAME.start(setup, Dice(seed="00")).state
        act, plan = GAME.pending_requests(state)
        shot = GAME.example_values(state, plan)["orders"]
        GAME.parse_answer(state, plan, shot)
        return GAME.example_values(state, act)["orders"]

    assert example("wBB@D5 0 s3 ; wBR@D6 0 s1", "calm").startswith("BR>")
    assert example("wBB@D5 0 s3", "calm") == "end"
    assert example("wBB@Q6 0 s3", "wind").startswith("BB*BBx1; BB>")
