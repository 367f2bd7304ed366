"""The levels of computer captains: how they are chosen, that they play by the rules, and who is the better."""

import random
from itertools import product
from typing import get_args

import numpy as np
import pytest
from msgspec import structs

from rules.chance.dice import derive_seed
from rules.matchbox.ai import admiral, many_rounds, prospects
from rules.matchbox.engine import notation
from rules.matchbox.engine.state import Decision, Level
from tests.arena import first_blow
from tests.arena.matches import Pairing, play
from tests.arena.runs import wilson
from tests.laws.length import times
from tests.rules.matchbox.play import FACING, GAME, SEED, answered, begin, go_on
from tests.rules.matchbox.sea_room import TABLE, fleet

pytestmark = pytest.mark.slow

LEVELS = get_args(Level)
ALL_SHOTS_ASKED = "target ask; aim ask; casualties ask; reorganize ask"


def asked_of(state, seat):
    return next(request for request in GAME.pending_requests(state) if request.seat == seat)


def answer_of(state, request, seed=SEED):
    """Return the computer's answer, which a person must be able to type."""
    answer = GAME.computer_answer(GAME.view(state, request.seat), request, seed)
    assert GAME.parse_answer(state, request, GAME.format_answer(request, answer)) == answer
    return answer


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("position", ["", FACING])
def test_the_level_is_a_choice_of_the_game_and_open_to_all(level, position):
    state = begin(position=position, captain=level).state
    assert state.captain == level
    assert {GAME.view(state, seat).captain_level for seat in (0, 1, None)} == {level}


@pytest.mark.parametrize("level", LEVELS)
def test_an_absent_captain_is_replaced_by_the_mate_at_every_level_of_computer_captains(level):
    state = begin(position=FACING, captain=level).state
    request = asked_of(state, 0)
    mate = structs.replace(GAME.view(state, 0), captain_level="mate")
    assert GAME.default_answer(state, request) == GAME.computer_answer(
        mate, request, derive_seed(state.dice.seed, f"mate {request.id}")
    )


@pytest.mark.parametrize("level", ["deckhand", "admiral"])
@pytest.mark.parametrize("count", [2, 5, 8])
def test_they_give_orders_in_any_crowd(level, count):
    position = notation.format_position(TABLE, fleet(random.Random(count), count))
    state = begin(position=position, captain=level).state
    for seat in range(times(1, 2)):
        assert len(answer_of(state, asked_of(state, seat)).lists) == len([g for g in state.galleys if g.seat == seat])


def test_the_admiral_answers_what_is_asked_in_mid_round():
    position = "1200x800 ; A1:south 4-4+4/4 @600,300^0 ; B1:north 5-5+3/5 @600,400^180 ; B2:north 5-5+3/5 @680,400^180"
    state = begin(position=position, captain="admiral").state
    state = answered(state, f"A1 XXXXF; {ALL_SHOTS_ASKED}", f"B1 XXXFF; B2 XXXFF; {ALL_SHOTS_ASKED}").state
    kinds = set()
    while state.phase == "asking":
        answers = {request.id: answer_of(state, request) for request in GAME.pending_requests(state)}
        assert all(isinstance(answer, Decision) for answer in answers.values())
        kinds |= {request.kind for request in GAME.pending_requests(state)}
        state = GAME.resolve(state, answers).state
    assert {"target", "aim", "casualties"} <= kinds


@pytest.mark.parametrize("friends", [0, 7])
def test_the_admiral_fires_at_a_galley_it_can_sink(friends):
    """Also when the admiral has almost won, whatever the orders."""
    position = "1200x800 ; A1:south 4-4+4/4 @600,300^0 ; B1:north 5-5+3/5 @600,400^180 ; B2:north 1-1+3/5 @690,400^180"
    more = [f"A{2 + number}:south 4-4+4/4 @{50 + 150 * number},70^0" for number in range(friends)]
    state = begin(position=" ; ".join((position, *more)), captain="admiral").state
    others = "".join(f"; A{2 + number} FFFFX" for number in range(friends))
    state = answered(state, f"A1 XXXXF{others}; target ask", "B1 XXXFF; B2 FXXX").state
    (request,) = GAME.pending_requests(state)
    assert request.kind == "target"
    assert answer_of(state, request) == Decision("B2")


def test_the_admirals_galleys_are_set_down_together():
    state = begin(captain="admiral").state
    while state.phase == "placing":
        state = go_on(state, answer_of).state
    for seat in (0, 1):
        first, other = (galley.pose.x_mm for galley in state.galleys if galley.seat == seat)
        assert abs(first - other) <= 126.0


def test_the_admirals_galleys_are_of_the_type_that_wins_most():
    state = begin(captain="admiral").state
    while state.phase == "placing":
        state = go_on(state, answer_of).state
    assert {galley.holes for galley in state.galleys} == {4}


def test_the_admiral_follows_its_seed_and_cannot_be_foretold():
    state = begin(position=FACING, captain="admiral").state
    request = asked_of(state, 0)
    first = answer_of(state, request)
    assert answer_of(state, request) == first
    drawn = (answer_of(state, request, derive_seed(SEED, str(number))).lists[0].orders for number in range(6))
    assert any(orders != first.lists[0].orders for orders in drawn)


def deckhands_orders(position, number=0):
    state = begin(position=position, captain="deckhand").state
    return answer_of(state, asked_of(state, 1), derive_seed(SEED, str(number))).lists


def test_a_deckhand_hardly_fires_and_is_no_open_book():
    drawn = [deckhands_orders(FACING, number)[0].orders for number in range(20)]
    assert max(orders.count("X") for orders in drawn) <= 1
    assert len(set(drawn)) > 1


@pytest.mark.parametrize(("table", "newcomer"), [*product(first_blow.TABLES, first_blow.NEWCOMERS)])
def test_a_deckhand_comes_at_you(table, newcomer):
    """A few games that are always the same; `make arena` measures it."""
    rounds = [first_blow.first_blow(duel) for duel in first_blow.duels(table, newcomer, 8)]
    assert sum(number <= first_blow.SOON for number in rounds) >= len(rounds) - 1


def test_a_deckhand_goes_round_friends_who_are_in_its_way():
    position = "1200x800 ; A1:south 6-6+2/6 @600,100^0 ; B1:north 6-6+2/6 @600,700^180 ; B2:north 6-6+2/6 @600,560^180"
    (first, _) = deckhands_orders(position)
    assert "F" in first.orders
    assert set(first.orders) - {"F"}


@pytest.mark.parametrize(("oars", "first"), [("1-6+0/6", "ZZ"), ("1-4+2/4", "ZZ"), ("6-6+2/6", "FF")])
def test_a_deckhand_who_crawls_seats_the_rowers_again(oars, first):
    (drawn,) = deckhands_orders(f"1200x800 ; A1:south 6-6+2/6 @600,100^0 ; B1:north {oars} @600,700^180")
    assert drawn.orders.startswith(first)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("weaker", "games", "galleys", "least"),
    [("deckhand", times(2, 3), 1, 0.66), pytest.param("greedy", 2, 2, 0.75, marks=pytest.mark.long)],
)
def test_the_admiral_wins(weaker, games, galleys, least):
    """A few games that are always the same; `make arena` measures it.

    An admiral who is no better than those it plays would get through in one run of eight; with `LAWS=long`, too.
    """
    played = [play(Pairing("admiral", weaker, number, galleys)) for number in range(games)]
    assert sum(game.score for game in played) >= least * games
    assert max(game.rounds for game in played) <= 20


def test_the_interval_holds_the_rate():
    low, high = wilson(160.0, 200)
    assert 0.73 < low < 0.8 < high < 0.86
    assert wilson(200.0, 200)[1] == pytest.approx(1.0)


def test_paper_wraps_stone_a_third_of_the_time():
    beats = np.array([[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]])
    mix = admiral.find_mixtures(beats[None], 1.0 - beats[None], 400)
    assert mix.first[0] == pytest.approx([1 / 3] * 3, abs=0.03)
    assert admiral.game_values(beats[None], 400)[0] == pytest.approx(0.5, abs=0.02)


def test_each_side_keeps_clear_of_what_is_always_worse():
    gains = np.array([[[3.0, 1.0], [2.0, 0.0]], [[0.0, 0.0], [1.0, 5.0]]])
    mix = admiral.find_mixtures(gains, -gains, 400)
    assert mix.first[:, 0] == pytest.approx([1.0, 0.0], abs=0.02)
    assert mix.second[0] == pytest.approx([0.0, 1.0], abs=0.02)
    assert admiral.game_values(gains, 400) == pytest.approx([1.0, 1.0], abs=0.1)


def test_prospects_are_the_same_from_either_side():
    rng = random.Random(4)
    for count in (2, 4, 7):
        galleys = fleet(rng, count)
        table, hits = many_rounds.fleet_table(galleys), np.zeros((2, count, 1))
        north = np.array([galley.side == "north" for galley in galleys])
        for worth in (prospects.win_chances, prospects.side_lead):
            here, there = worth(table, hits, north), worth(table, hits, ~north)
            assert here + there == pytest.approx(1.0)


@pytest.mark.parametrize(("enemy", "low", "high"), [("5-5+3/5", 0.5, 1.5), ("2-2+1/6", 5.0, float("inf"))])
def test_who_is_far_ahead_still_sees_what_a_hit_is_worth(enemy, low, high):
    """Where the fleets are even, a hit gains as much by the lead as by the chances."""
    position = f"1200x800 ; A1:south 5-5+3/5 @600,300^0 ; A2:south 5-5+3/5 @800,300^0 ; B1:north {enemy} @600,500^180"
    even = " ; B2:north 5-5+3/5 @800,500^180" if enemy.startswith("5") else ""
    table = many_rounds.fleet_table(notation.parse_position(position + even).galleys)
    north, none = np.arange(len(table.x)) >= 2, np.zeros((2, len(table.x), 1))
    hit = none.copy()
    hit[0, 2] = 1.0
    by_lead, by_chances = (
        float(worth(table, hit, north)[0] - worth(table, none, north)[0])
        for worth in (prospects.side_lead, prospects.win_chances)
    )
    assert low * by_chances < by_lead < high * by_chances


def test_prospects_follow_what_is_left():
    sea = notation.parse_position("1200x800 ; A1:south 5-5+3/5 @600,300^0 ; B1:north 5-5+3/5 @600,500^180").galleys
    table, north, none = many_rounds.fleet_table(sea), np.array([False, True]), np.zeros((2, 2, 1))
    assert prospects.win_chances(table, none, north)[0] == pytest.approx(0.5)
    hit = none.copy()
    hit[0, 1] = 2.0
    assert 0.55 < prospects.win_chances(table, hit, north)[0] < 0.99
    sunk = table._replace(afloat=np.array([[True], [False]]))
    assert prospects.win_chances(sunk, none, north)[0] > 0.99
    assert not prospects.apply_expected_losses(table, 9.0 * hit).afloat[1, 0]


LAME = "1200x800 ; A1:south 0-6+1/6 @600,150^0 ; B1:north 5-5+3/5 @600,700^180"
"""A galley with no oars to port, out of the enemy's reach."""


@pytest.mark.parametrize("captain", ["deckhand", "mate", "admiral"])
def test_a_captain_brings_rowers_across_to_an_empty_side(captain):
    state = begin(position=LAME, sinks="both_sides", captain=captain).state
    request = GAME.pending_requests(state)[0]
    answer = GAME.computer_answer(GAME.view(state, 0), request, SEED)
    assert "ZZ" in answer.lists[0].orders


def test_a_hint_mends_an_empty_side_and_says_so():
    state = begin(position=LAME, sinks="both_sides").state
    request, view = GAME.pending_requests(state)[0], GAME.view(state, 0)
    advice = GAME.advise(view, request, SEED)
    assert "ZZ" in advice.lists[0].orders
    assert GAME.reason_for(view, advice).key == "reason.mend"


@pytest.mark.parametrize("captain", ["deckhand", "mate", "admiral"])
def test_captains_play_on_when_galleys_float_with_an_empty_side(captain):
    crowded = "900x600 ; A1:south 1-5+2/5 @300,250^0 ; A2:south 4-0+3/5 @500,200^0 ; B1:north 0-1+0/6 @420,330^90"
    state = begin(position=crowded, sinks="both_sides", captain=captain).state
    while state.round < 4 and GAME.pending_requests(state):
        state = go_on(state, answer_of).state
    assert state.round == 4 or state.result


def test_a_galley_that_cannot_row_is_worth_less_but_something():
    galleys = notation.parse_position(LAME, sinks="both_sides").galleys
    nothing = np.zeros((2, 2, 1))
    lame = prospects.galley_strength(many_rounds.fleet_table(galleys, "both_sides"), nothing)[0, 0]
    mended = structs.replace(galleys[0], port=3, starboard=3)
    sound = prospects.galley_strength(many_rounds.fleet_table([mended, galleys[1]], "both_sides"), nothing)[0, 0]
    assert 0 < lame < sound
    assert prospects.galley_strength(many_rounds.fleet_table(galleys), nothing)[0, 0] == 0
