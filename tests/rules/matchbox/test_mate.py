"""The computer captain: legal, purposeful, no clairvoyant, and never in one groove."""

import pytest

from rules.dice import subseed
from rules.matchbox.events import Rammed, VolleyDropped
from tests.rules.matchbox.play import FACING, GAME, SEED, begin, mates, only, play

FLEETS = " ; ".join(
    ["2400x1000"]
    + [f"A{n}:south 6-6+2/6 @{250 * n},{300 + 20 * n}^0" for n in range(1, 9)]
    + [f"B{n}:north 4-4+4/4 @{250 * n + 60},{520 + 10 * n}^180" for n in range(1, 9)]
)


def orders_of(state, seat=0, seed=SEED):
    request = next(request for request in GAME.pending(state) if request.seat == seat)
    answer = GAME.captain(GAME.view(state, seat), request, seed)
    assert GAME.parse(state, request, GAME.format(answer)) == answer
    return answer


@pytest.mark.parametrize(
    ("teams", "options", "most"),
    [((0, 1), {"galleys": "1"}, 20), ((0, 1), {"galleys": "2"}, 25), ((0, 1, 0, 1), {"galleys": "1"}, 25)],
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_mates_fight_it_out(teams, options, most, seed):
    def legal(state, request):
        answer = mates(f"{seed:064x}")(state, request)
        assert GAME.parse(state, request, GAME.format(answer)) == answer
        return answer

    state, events = play(begin(teams=teams, seed=f"{seed:064x}", **options), legal)
    assert state.round <= most
    assert state.outcome.reason.key in {"reason.sunk", "reason.both"}
    assert only(events, Rammed) or only(events, VolleyDropped)


def test_he_rams_what_lies_before_his_bow():
    position = FACING.replace("@600,480^180", "@640,400^90")
    answers = [orders_of(begin(position=position).state, seed=subseed(SEED, str(k))) for k in range(5)]
    assert all(answer.lists[0].orders.startswith(("F", "X")) for answer in answers)


def test_he_closes_in_from_afar():
    state = begin(position="1200x800 ; A1:south 6-6+2/6 @600,80^0 ; B1:north 6-6+2/6 @600,720^180").state
    assert orders_of(state).lists[0].orders.count("F") >= 3


def test_he_fires_when_he_cannot_row():
    state = begin(position="1200x800 ; A1:south 1-1+4/4 @600,300^0 ; B1:north 6-6+2/6 @680,300^0").state
    assert sorted(orders_of(state).lists[0].orders)[1:] == list("XXXX")


def test_he_evens_out_his_oars():
    state = begin(position="1200x800 ; A1:south 6-1+0/6 @600,80^0 ; B1:north 6-6+2/6 @600,720^180").state
    (drawn,) = orders_of(state).lists
    assert (drawn.orders[:2], drawn.wishes) == ("ZZ", ((0, 0),))


def test_he_gives_orders_to_eight_galleys():
    state = begin(position=FLEETS).state
    for seat in (0, 1):
        assert len(orders_of(state, seat).lists) == 8


def test_he_has_whims_but_they_are_the_seeds():
    state = begin(position=FLEETS).state
    answers = {GAME.format(orders_of(state, seed=subseed(SEED, str(k)))) for k in range(6)}
    assert len(answers) > 1
    assert orders_of(state) == orders_of(state)


def test_he_keeps_his_captains_standing_orders():
    state = begin(position=FACING).state
    request = GAME.pending(state)[0]
    view = GAME.view(state, 0, "aim safe; target weakest")
    standing = GAME.captain(view, request, SEED).standing
    assert (standing.aim, standing.target) == ("safe", "weakest")


def test_he_sees_only_matchboxes():
    state = begin(position=FACING).state
    with pytest.raises(TypeError, match="not a view of this game"):
        GAME.captain(object(), GAME.pending(state)[0], SEED)
