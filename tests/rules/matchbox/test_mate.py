"""The computer captain: legal, purposeful, no clairvoyant, and never in one groove."""

import math
import random

import pytest

from rules.chance.dice import derive_seed
from rules.core.protocol import Draft
from rules.geometry import boxes
from rules.matchbox.ai import battle, prospects
from rules.matchbox.engine import hull, laying
from rules.matchbox.engine.events import ShipRammed, VolleyDropped
from rules.matchbox.engine.kinds import GALLEY
from rules.matchbox.engine.notation import format_position as written_as
from rules.matchbox.engine.notation import parse_position
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.volley import RANGE_MM
from tests.arena.matches import Pairing
from tests.arena.matches import play as play_pairing
from tests.laws.length import times
from tests.rules.matchbox.play import FACING, GAME, SEED, begin, mates, only, play
from tests.rules.matchbox.sea_room import fleet, strong

pytestmark = pytest.mark.slow


def bearing_of(of, to):
    here, there = hull.hull_middle(of), hull.hull_middle(to)
    return math.degrees(math.atan2(there.x - here.x, there.y - here.y))


FLEETS = " ; ".join(
    ["2400x1000"]
    + [f"A{n}:south 6-6+2/6 @{250 * n},{300 + 20 * n}^0" for n in range(1, 9)]
    + [f"B{n}:north 4-4+4/4 @{250 * n + 60},{520 + 10 * n}^180" for n in range(1, 9)]
)


def orders_of(state, seat=0, seed=SEED):
    request = next(request for request in GAME.pending_requests(state) if request.seat == seat)
    answer = GAME.computer_answer(GAME.view(state, seat), request, seed)
    assert GAME.parse_answer(state, request, GAME.format_answer(request, answer)) == answer
    return answer


@pytest.mark.parametrize(
    ("teams", "options", "most"),
    [((0, 1), {"galleys": "1"}, 20), ((0, 1), {"galleys": "2"}, 25), ((0, 1, 0, 1), {"galleys": "1"}, 25)],
)
@pytest.mark.parametrize("seed", range(1, times(2, 7)))
def test_mates_fight_it_out(teams, options, most, seed):
    """Games that are always the same, of each setup one: mates who need twice as long are noticed in all of them."""

    def legal(state, request):
        answer = mates(f"{seed:064x}")(state, request)
        assert GAME.parse_answer(state, request, GAME.format_answer(request, answer)) == answer
        return answer

    state, events = play(begin(teams=teams, seed=f"{seed:064x}", **options), legal)
    assert state.round <= most
    assert state.result.reason.key in {"reason.sunk", "reason.both"}
    assert only(events, ShipRammed) or only(events, VolleyDropped)


def test_it_rams_what_lies_before_its_bow():
    position = FACING.replace("@600,480^180", "@640,400^90")
    answers = [orders_of(begin(position=position).state, seed=derive_seed(SEED, str(k))) for k in range(5)]
    assert all(answer.lists[0].orders.startswith(("F", "X")) for answer in answers)


def test_it_closes_in_from_afar():
    state = begin(position="1200x800 ; A1:south 6-6+2/6 @600,80^0 ; B1:north 6-6+2/6 @600,720^180").state
    assert orders_of(state).lists[0].orders.count("F") >= 3


def test_it_fires_when_it_cannot_row():
    state = begin(position="1200x800 ; A1:south 1-1+4/4 @600,300^0 ; B1:north 6-6+2/6 @680,300^0").state
    assert sorted(orders_of(state).lists[0].orders)[1:] == list("XXXX")


def test_it_evens_out_its_oars():
    state = begin(position="1200x800 ; A1:south 6-1+0/6 @600,80^0 ; B1:north 6-6+2/6 @600,720^180").state
    (drawn,) = orders_of(state).lists
    assert (drawn.orders[:2], drawn.wishes) == ("ZZ", ((0, 0),))


def in_reach(galley, step, drawn, foes, table):
    """Return if one of these enemies may be in range then, lying still, rowing on, or bearing away."""
    pose = galley.pose
    for letter in drawn[:step]:
        pose = hull.push_back(laying.pose_after_order(pose, letter), table)
    for foe in foes:
        for plan in ("", "FFFFF", "LFFFF", "RFFFF"):
            there = foe.pose
            for letter in plan[: min(step, foe.port, foe.starboard)]:
                there = hull.push_back(laying.pose_after_order(there, letter), table)
            if boxes.box_gap(GALLEY.make_box(pose), GALLEY.make_box(there)) <= RANGE_MM + 1e-6:
                return True
    return False


@pytest.mark.parametrize("share", range(times(1, 8)))
def test_it_never_fires_out_of_reach_while_it_can_row_and_closes_in_when_nothing_can_be_hit(share):
    rng, closed = random.Random(share), 0
    for number in range(40):
        table = rng.choice((Sea(600.0, 450.0), Sea(1200.0, 800.0), Sea(2400.0, 1000.0)))
        galleys = fleet(rng, rng.choice((2, 2, 3)), table)
        galleys = strong(galleys) if number % 2 else galleys
        state = begin(position=written_as(table, galleys)).state
        for drawn in orders_of(state, seed=f"{number:04x}").lists:
            galley = next(each for each in galleys if each.id == drawn.galley)
            foes = [foe for foe in galleys if foe.side != galley.side]
            letters, moves = drawn.orders.replace("ZZ", "--"), min(galley.port, galley.starboard)
            rows = sum(letters.count(letter) for letter in "FLR")
            idle = [step for step, letter in enumerate(letters, 1) if letter == "X"]
            idle = [step for step in idle if not in_reach(galley, step, letters, foes, table)]
            # The rules ask for five orders (MB-3.7): what is fired at nothing comes when no move is left.
            assert not idle or (rows >= moves and set(letters[idle[0] - 1 :]) == {"X"}), (state, drawn)
            end = galley.pose
            for letter in letters:
                end = hull.push_back(laying.pose_after_order(end, letter), table)
            before, after = (
                min(boxes.box_gap(GALLEY.make_box(pose), hull.hull_of(foe)) for foe in foes)
                for pose in (galley.pose, end)
            )
            ahead = abs((bearing_of(galley.pose, foes[0].pose) - galley.pose.heading_deg + 180) % 360 - 180) < 45
            if before > 620 and moves >= 4 and ahead:
                closed += 1
                assert after < before - 90, (state, drawn)
    assert closed


def test_it_has_whims_but_they_are_the_seeds():
    state = begin(position=FLEETS).state
    request = GAME.pending_requests(state)[0]
    first = orders_of(state)
    assert orders_of(state) == first
    others = (orders_of(state, seed=derive_seed(SEED, str(k))) for k in range(3))
    assert any(GAME.format_answer(request, other) != GAME.format_answer(request, first) for other in others)


@pytest.mark.parametrize("turned", [(0, 0), (30, 330), (90, 270)])
def test_its_galleys_keep_clear_of_each_other(turned):
    """Two that would meet if both rowed on towards the enemy, or are as close as they may be placed."""
    there = " ; ".join(f"A{n}:south 5-5+3/5 @{525 + 100 * n},200^{turned[n - 1]}" for n in (1, 2))
    position = f"1200x800 ; {there} ; B1:north 6-6+2/6 @660,420^180 ; B2:north 6-6+2/6 @560,440^180"
    for number in range(times(2, 40)):
        state = begin(position=position).state
        answers = {
            request.id: orders_of(state, request.seat, derive_seed(SEED, f"{number}"))
            for request in GAME.pending_requests(state)
        }
        rams = only(GAME.resolve(state, answers).events, ShipRammed)
        assert not [ram for ram in rams if ram.by[0] == ram.to[0]]


def test_friends_who_are_near_are_thought_of_together():
    galleys = parse_position(FLEETS).galleys
    parts = battle.split_groups([galley for galley in galleys if galley.side == "south"])
    assert [tuple(galley.id for galley in part) for part in parts] == [
        ("A1", "A2"),
        ("A3", "A4"),
        ("A5", "A6"),
        ("A7", "A8"),
    ]
    seen = battle.local_battle(parts[1], galleys, (2400.0, 1000.0), {"A2": "XXFFF"}, prospects.win_chances)
    assert [seen.galleys[number].id for number in seen.own] == ["A3", "A4"]
    assert {seen.galleys[number].id for number in seen.enemies} == {"B2", "B3", "B4"}
    assert ([seen.galleys[number].id for number in seen.friends], seen.friends_orders) == (["A2"], ("XXFFF",))
    unknown = battle.local_battle(parts[1], galleys, (2400.0, 1000.0), {}, prospects.win_chances)
    assert unknown.friends_orders == ("FFFFF",)  # a galley without orders is expected to row on


@pytest.mark.parametrize(("galleys", "games", "least"), [pytest.param(1, 12, 7.5, marks=pytest.mark.long), (2, 4, 2.5)])
def test_it_is_better_than_one_that_comes_straight_on(galleys, games, least):
    """A few games that are always the same; `make arena` measures it."""
    assert sum(play_pairing(Pairing("mate", "greedy", number, galleys)).score for number in range(games)) >= least


def test_it_keeps_the_captains_standing_orders():
    state = begin(position=FACING).state
    request = GAME.pending_requests(state)[0]
    view = GAME.view(state, 0, Draft("aim safe; target weakest"))
    standing = GAME.computer_answer(view, request, SEED).standing
    assert (standing.aim, standing.target) == ("safe", "weakest")
