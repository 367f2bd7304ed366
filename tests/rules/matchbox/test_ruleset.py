"""Whole games through the ruleset's doors: asking, carrying out, seeing, giving up, ending."""

from functools import cache

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Concede, Draft, Setup
from rules.matchbox.engine import aim
from rules.matchbox.engine.events import (
    CaptainConceded,
    GameDrawn,
    GameWon,
    PartsLost,
    RoundBegan,
    RoundEnded,
    RowersReseated,
    ShipStruck,
    VolleyDropped,
)
from rules.matchbox.engine.state import Decision, OrderList, PendingDecision, StandingOrders
from tests.rules.matchbox.play import FACING, GAME, SEED, answered, begin, go_on, only, orders, play, samplers
from tests.samples import sample_answers

ASKING = "target ask; aim ask; casualties ask; reorganize ask"
MELEE = (
    "1200x800 ; A1:south 5-5+3/5 @600,300^0 ; A2:south 6-2+2/6 @300,100^0"
    " ; B1:north 5-5+3/5 @690,330^180 ; B2:north 4-4+4/4 @510,330^180"
)
ALLIES = (
    "1200x800 ; A1:south 6-6+2/6 @300,100^0 ; C1:south 6-6+2/6 @600,100^0"
    " ; B1:north 5-5+3/5 @300,700^180 ; D1:north 4-4+4/4 @600,700^180"
)


@pytest.mark.parametrize(
    ("position", "teams", "code"),
    [
        (FACING.replace("B1", "C1"), (0, 1), "no_such_seat"),
        (FACING.replace("B1", "A2"), (0, 1), "allies_apart"),
        (FACING.replace("north", "south"), (0, 1), "enemies_together"),
        (FACING, (0, 1, 1), "seat_without_galley"),
        (FACING.replace("480", "270"), (0, 1), "hulls_overlap"),
        (FACING.replace("480", "790"), (0, 1), "position_off_table"),
        (FACING.replace("B1", "Bireme"), (0, 1), "bad_galley_id"),
        ("here and there", (0, 1), "bad_table"),
        (FACING, (0, 0), "bad_teams"),
        (FACING, (0, 2), "bad_teams"),
        (FACING, (0, 1, 1, 1, 1, 1), "bad_teams"),
        ("1200x800", (0, 1), "seat_without_galley"),
    ],
)
def test_a_position_that_is_none_is_refused(position, teams, code):
    with pytest.raises(OrderError) as error:
        begin(position=position, teams=teams)
    assert error.value.fault.code == code


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"galleys": "9"}, "unknown_option_value"),
        ({"table": "billiard"}, "unknown_option_value"),
        ({"weather": "fair"}, "unknown_option"),
    ],
)
def test_options_that_are_none_are_refused(options, code):
    with pytest.raises(OrderError) as error:
        begin(**options)
    assert error.value.fault.code == code


def test_options_left_out_are_at_their_defaults():
    plain = GAME.start(Setup(system="matchbox", teams=(0, 1)), Dice(SEED))
    assert plain == begin(galleys="2", table="fitting", deployment="sealed")
    assert (plain.state.width_mm, plain.state.height_mm) == (900.0, 600.0)


def asked_all(state, choose):
    """Play one round, answering each question with `choose`; return the kinds asked, the last state and all events."""
    kinds, events, number = [], [], state.round
    answers = orders(state, A=f"A1 XFXFX; A2 ZZFFX; {ASKING}", B=f"B1 XXFFF; B2 XFFFF; {ASKING}")
    while True:
        step = GAME.resolve(state, answers)
        events += step.events
        state = step.state
        if state.phase != "asking":
            assert state.phase == "over" or state.round == number + 1
            return kinds, state, events
        answers = {}
        for request in GAME.pending_requests(state):
            assert request.live
            kinds.append(request.kind)
            answers[request.id] = choose(state, request)


def first_choice(state, request):
    return sample_answers(GAME, state, request)[0]


def test_captains_are_asked_for_every_kind_of_decision():
    kinds, _, events = asked_all(begin(position=MELEE, seed="16").state, first_choice)
    assert set(kinds) == {"target", "aim", "casualties", "reorganize"}
    assert only(events, RowersReseated)[0].galley == "A2"
    assert [type(event) for event in events].count(RoundBegan) == 1
    assert isinstance(events[-1], RoundEnded | GameWon)


def test_events_are_given_out_once_and_the_table_stands_still_between():
    state = begin(position=MELEE, seed="16").state
    step = GAME.resolve(state, orders(state, A=f"A1 XFXFX; A2 ZZFFX; {ASKING}", B="B1 XXFFF; B2 XFFFF"))
    assert (step.state.phase, step.state.step, step.state.told) == ("asking", 1, len(step.events))
    assert step.state.before == state.galleys
    assert step.state.dice == state.dice
    (request,) = GAME.pending_requests(step.state)
    assert (request.id, request.kind, request.seat) == ("r1.1.target.A1", "target", 0)
    after = GAME.resolve(step.state, {request.id: Decision("B2")})
    assert [request.kind for request in GAME.pending_requests(after.state)] == ["aim"]
    assert not set(map(id, after.events)) & set(map(id, step.events))
    assert not only(after.events, RoundBegan)


def test_where_a_volley_may_hit_is_worked_out_only_to_be_drawn(monkeypatch):
    state = begin(position=MELEE, seed="16").state
    step = GAME.resolve(state, orders(state, A=f"A1 XFXFX; A2 ZZFFX; {ASKING}", B="B1 XXFFF; B2 XFFFF"))
    assert GAME.view(state, 0).shot_to_aim is GAME.view(state, 0).aim_map is None
    (request,) = GAME.pending_requests(step.state)
    after = GAME.resolve(step.state, {request.id: Decision("B2")}).state
    drawn = []
    monkeypatch.setattr(aim, "near_map", drawn.append)
    view = GAME.view(after, 0)
    assert (view.shot_to_aim.firer.id, view.shot_to_aim.target.id) == ("A1", "B2")
    assert not drawn
    assert view.aim_map is None
    assert drawn == [view.shot_to_aim]
    assert GAME.view(after, 1).shot_to_aim is GAME.view(after, None).shot_to_aim is None


def test_the_captain_gets_what_they_decide():
    def decide(state, request):
        return {
            "target": Decision("B2"),
            "aim": Decision("500,350"),
            "casualties": sample_answers(GAME, state, request)[-1],
            "reorganize": Decision("3-5"),
        }[request.kind]

    kinds, _, events = asked_all(begin(position=MELEE, seed="16").state, decide)
    assert (only(events, RowersReseated)[0].port, only(events, RowersReseated)[0].starboard) == (3, 5)
    volley = next(event for event in only(events, VolleyDropped) if event.by == "A1")
    assert (volley.to, volley.aim_x_mm, volley.aim_y_mm) == ("B2", 500.0, 350.0)
    assert "casualties" in kinds


def test_questions_may_be_left_to_the_standing_defaults():
    state = begin(position=MELEE, seed="16").state
    kinds_state_events = asked_all(state, GAME.default_answer)
    answers = orders(state, A="A1 XFXFX; A2 ZZFFX", B="B1 XXFFF; B2 XFFFF")
    assert kinds_state_events[2][-1] == GAME.resolve(state, answers).events[-1]
    events = [event for event in kinds_state_events[2] if isinstance(event, PartsLost | VolleyDropped | RowersReseated)]
    unasked = GAME.resolve(state, answers).events
    assert events == [event for event in unasked if isinstance(event, PartsLost | VolleyDropped | RowersReseated)]


@cache
def asking(kind):
    """Return a state in which the game asks seat 0 a question of a kind, and that request."""
    for seed in range(20):
        state = begin(position=MELEE, seed=f"{seed:02x}").state
        answers = orders(state, A=f"A1 XFXFX; A2 ZZFFX; {ASKING}", B="B1 XXFFF; B2 XFFFF")
        while state.round == 1 and not state.result:
            state = GAME.resolve(state, answers).state
            for request in GAME.pending_requests(state):
                if request.kind == kind and request.seat == 0:
                    return state, request
            answers = {request.id: first_choice(state, request) for request in GAME.pending_requests(state)}
    raise AssertionError(f"nobody is asked for {kind}")


@pytest.mark.parametrize("kind", ["target", "aim", "casualties", "reorganize"])
def test_every_choice_of_a_question_seals_it(kind):
    state, request = asking(kind)
    choices = GAME.draft_choices(state, request, EMPTY_DRAFT)
    assert [text.key for text in choices.missing_parts] == ["missing.decision"]
    options = [option for group in choices.groups for option in group.options]
    assert len(options) > 1
    assert max(len(group.options) for group in choices.groups) <= 25
    assert len({option.token for option in options}) == len(options)
    for option in options:
        assert option.seals_answer
        assert option.fault is None
        answer = GAME.parse_answer(state, request, option.draft)
        assert GAME.format_answer(request, answer) == option.draft
        assert GAME.draft_choices(state, request, Draft(option.draft)).missing_parts == ()
        assert GAME.type_text(state, request, EMPTY_DRAFT, option.draft).text == option.draft
    assert GAME.view(state, 0).first_decision == state.questions[0]
    assert GAME.computer_answer(GAME.view(state, 0), request, SEED) in [
        GAME.parse_answer(state, request, o.draft) for o in options
    ]
    assert GAME.parse_answer(
        state, request, GAME.format_answer(request, GAME.default_answer(state, request))
    ) == GAME.default_answer(state, request)


@pytest.mark.parametrize(
    ("kind", "text", "code"),
    [
        ("target", "A2", "not_a_choice"),
        ("target", "somebody", "decision_unreadable"),
        ("casualties", "9-9+9", "not_a_choice"),
        ("casualties", "all", "decision_unreadable"),
        ("reorganize", "8-0", "not_a_choice"),
        ("aim", "-5,100", "aim_off_table"),
        ("aim", "1200.1,100", "aim_off_table"),
        ("aim", "🎯", "decision_unreadable"),
        ("aim", "", "decision_unreadable"),
        ("aim", "1e3,5", "decision_unreadable"),
    ],
)
def test_what_is_no_answer_to_a_question_is_refused(kind, text, code):
    state, request = asking(kind)
    for door in (
        GAME.parse_answer,
        lambda state, request, text: GAME.type_text(state, request, EMPTY_DRAFT, text).text,
    ):
        with pytest.raises(OrderError) as error:
            door(state, request, text)
        assert error.value.fault.code == code


@pytest.mark.parametrize(
    ("kind", "text", "choice"),
    [
        ("target", " b2 ", "B2"),
        ("aim", "steady", "steady"),
        ("aim", "1", "610,440"),
        ("aim", "Biztonságos", "safe"),
        ("aim", "@600.5, 400", "600.5,400"),
        ("reorganize", "4 - 4", "4-4"),
    ],
)
def test_decisions_in_other_words(kind, text, choice):
    state, request = asking(kind)
    assert GAME.parse_answer(state, request, text) == Decision(choice)
    assert GAME.type_text(state, request, Draft("nonsense"), text).text == choice


def test_giving_up_while_galleys_are_placed():  # MB-8.1
    state = go_on(begin().state, samplers(1)).state
    step = GAME.apply_out_of_turn(state, Concede(1))
    assert [type(event) for event in (step.events[0], step.events[-1])] == [CaptainConceded, GameWon]
    assert step.state.result.winners == (0,)
    assert step.state.result.reason.key == "reason.conceded"
    assert GAME.pending_requests(step.state) == ()
    assert all(galley.seat == 0 for galley in step.state.galleys)


@pytest.mark.parametrize("deployment", ["turns", "sealed"])
def test_an_ally_who_gives_up_while_placing_leaves_the_others_to_it(deployment):  # MB-8.1
    state = begin(teams=(0, 1, 0, 1), deployment=deployment).state
    step = GAME.apply_out_of_turn(state, Concede(2))
    assert step.state.result is None
    assert 2 not in [request.seat for request in GAME.pending_requests(step.state)]
    state, _ = play(step, samplers(3), stop=lambda state: state.phase == "orders")
    assert {galley.seat for galley in state.galleys} == {0, 1, 3}


def test_the_last_to_place_may_give_up():  # MB-8.1
    state = begin(teams=(0, 1, 0, 1), galleys="1").state
    while len(state.to_place) > 1:
        state = go_on(state, samplers(5)).state
    last = GAME.pending_requests(state)[0].seat
    step = GAME.apply_out_of_turn(state, Concede(last))
    assert (step.state.phase, step.state.round) == ("orders", 1)


def test_giving_up_while_orders_are_written():  # MB-8.1
    state = begin(position=ALLIES, teams=(0, 1, 0, 1)).state
    step = GAME.apply_out_of_turn(state, Concede(2))
    assert [type(event) for event in step.events] == [CaptainConceded, ShipStruck]
    assert [galley.id for galley in step.state.lost] == ["C1"]
    assert [request.seat for request in GAME.pending_requests(step.state)] == [0, 1, 3]
    over = GAME.apply_out_of_turn(step.state, Concede(0))
    assert over.state.result.winners == (1, 3)
    assert GAME.apply_out_of_turn(over.state, Concede(1)).events == ()
    assert GAME.apply_out_of_turn(step.state, Concede(2)).events == ()


def test_giving_up_in_mid_round():  # MB-8.1
    state, request = asking("target")
    step = GAME.apply_out_of_turn(state, Concede(0))
    kinds = [type(event) for event in step.events]
    assert kinds[0] is CaptainConceded
    assert kinds.index(RoundEnded) < kinds.index(ShipStruck) < kinds.index(GameWon)
    assert step.state.result.winners == (1,)
    default = GAME.default_answer(state, request)
    first = next(event for event in only(step.events, VolleyDropped) if event.by == "A1")
    assert first.to == default.choice


def test_the_round_waits_for_others_when_one_gives_up():  # MB-8.1
    state = begin(position=MELEE, seed="16").state
    state = GAME.resolve(
        state, orders(state, A=f"A1 XFXFX; A2 ZZFFX; {ASKING}", B=f"B1 XXFFF; B2 XFFFF; {ASKING}")
    ).state
    while {request.seat for request in GAME.pending_requests(state)} != {0, 1}:
        assert state.phase == "asking"
        state = go_on(state, first_choice).state
    step = GAME.apply_out_of_turn(state, Concede(0))
    assert [type(event) for event in step.events] == [CaptainConceded]
    assert {request.seat for request in GAME.pending_requests(step.state)} == {1}
    end, events = play(step, first_choice)
    assert 0 not in [request.seat for request in GAME.pending_requests(step.state)]
    assert only(events, ShipStruck)
    assert end.result.winners == (1,)


def test_the_twentieth_round_without_a_loss_ends_in_a_draw():  # MB-8.2
    far = "2400x1000 ; A1:south 6-6+2/6 @100,80^90 ; B1:north 5-5+3/5 @2300,920^270"
    state = structs.replace(begin(position=far).state, quiet_rounds=19)
    step = answered(state, "FXLLL", "FXLLL")
    assert step.events[-1] == GameDrawn(reason="quiet", rule="MB-8.2")
    assert step.state.result.reason.key == "reason.quiet"


def test_a_first_target_is_forgotten_when_it_is_gone():
    state = begin(position=ALLIES, teams=(0, 1, 0, 1)).state
    state = structs.replace(state, standing=(StandingOrders(target="B1"), *state.standing[1:]))
    assert GAME.apply_out_of_turn(state, Concede(1)).state.standing[0] == StandingOrders()


def test_plans_are_their_owners_own():
    state = begin(position=MELEE).state
    mine = GAME.view(state, 0, Draft("A1 FFXRX; A2 ZZ; aim safe"))
    assert [plan.galley for plan in mine.planned_moves] == ["A1", "A2"]
    assert {match.galley for plan in mine.planned_moves for match in plan.matches} == {"A1", "A2"}
    assert len(mine.planned_moves[0].ghosts) == 5
    assert [text.key for text in mine.plan_lines] == ["plan.orders", "plan.orders", *["plan.shot"] * 2, "line.standing"]
    assert {shot.by for shot in mine.planned_shots} == {"A1"}
    assert mine.standing_orders.aim == "safe"
    assert mine.current_galley == "", "who has ordered all looks at all"
    assert GAME.view(state, 0, Draft("A1 FFXRX; A2 ZZ", "A2")).current_galley == "A2"
    for seat in (1, None):
        other = GAME.view(state, seat)
        assert (other.planned_moves, other.planned_shots) == ((), ())
        assert seat is not None or other.plan_lines == ()
    assert GAME.view(state, 1).standing_orders == StandingOrders()


def test_a_spectator_sees_what_lies_on_the_table():
    state, _ = asking("aim")
    seen = GAME.view(state, None)
    assert seen.laid_matches == state.lying
    assert seen.first_decision is None
    assert [piece.id for piece in seen.pieces] == ["A1", "A2", "B1", "B2"]
    assert [(gauge.key, gauge.maximum) for gauge in seen.pieces[0].gauges] == [
        ("port", 5),
        ("starboard", 5),
        ("masts", 3),
    ]
    assert seen.pieces[0].place.params["compass"] == "n"


@pytest.mark.parametrize("viewer", [1, None])
def test_states_that_differ_only_in_secrets_look_alike(viewer):
    state, _ = asking("aim")
    hidden = structs.replace(
        state,
        dice=Dice("ff", 12),
        missed="hold",
        decided={"1.target.A1": "B2"},
        told=3,
        standing=(StandingOrders(target="B2", aim="safe"), *state.standing[1:]),
        questions=tuple(structs.replace(question, choices=("?",), about="B1") for question in state.questions),
        orders=(OrderList("A1", "FFFFF"),),
        before=(),
    )
    assert GAME.view(hidden, viewer) == GAME.view(state, viewer)
    assert GAME.view(hidden, 0) != GAME.view(state, 0)


def test_all_that_a_captain_is_asked_is_in_their_view():
    state, _ = asking("target")
    questions = (*state.questions, PendingDecision(key="1.aim.A2", kind="aim", seat=0, galley="A2", step=1, about="B1"))
    state = structs.replace(state, questions=questions)
    seen = GAME.view(state, 0)
    assert len(seen.decisions) == 2
    for request in GAME.pending_requests(state):
        assert isinstance(GAME.computer_answer(seen, request, SEED), Decision)
