"""A hint is plain where that costs little, and says of a shot how likely anybody is in range."""

import pytest

from bot.jobs import drafts, stored
from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.core.view import Text
from rules.matchbox import GAME
from rules.matchbox.ai import bearing, passage
from rules.matchbox.engine.events import ShipRammed

SEEDS = range(4)


def orders_request(state):
    return next(request for request in GAME.pending_requests(state) if request.kind == "orders")


def hint(state, seed):
    request = orders_request(state)
    return GAME.parse_answer(
        state, request, drafts.compute_hint("matchbox", stored.encode(state), request, f"{seed:032x}").answer
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_hint_of_a_first_game_is_plain_and_meets_nobody_bow_to_bow(seed):
    """Straight on, it met a deckhand who rows straight on, too: half of either galley was gone in round 1."""
    options = dict(GAME.first_game_options)
    setup = Setup(system="matchbox", teams=GAME.seats(options), options=options)
    state = GAME.start(setup, Dice(f"{seed:064x}")).state
    while not any(request.kind == "orders" for request in GAME.pending_requests(state)):
        state = GAME.resolve(
            state, {request.id: GAME.default_answer(state, request) for request in GAME.pending_requests(state)}
        ).state
    advised = hint(state, seed)
    (drawn,) = advised.lists
    assert passage.count_changes_and_turns((drawn.orders,)) <= (2, 2)
    assert drawn.orders.startswith("FFF")
    answers = {
        request.id: GAME.computer_answer(GAME.view(state, request.seat), request, f"{seed:064x}")
        for request in GAME.pending_requests(state)
    }
    events = GAME.resolve(state, {**answers, orders_request(state).id: advised}).events
    assert not any(isinstance(event, ShipRammed) and event.kind == "frontal" for event in events)


@pytest.mark.parametrize("title", ["break-out", "harbour"])
def test_the_first_hint_of_a_scenario_turns_no_galley_to_and_fro(title):
    """Nobody is in reach; of lists drawn by lot, all a little better than plain ones, RRLLF was the plainest."""
    options = {"scenario": title, "deployment": "ready"}
    state = GAME.start(Setup(system="matchbox", teams=(0, 1), options=options), Dice("00")).state
    north = state.sides.index("north")
    request = next(request for request in GAME.pending_requests(state) if request.seat == north)
    for drawn in GAME.advise(GAME.view(state, north), request, "05").lists:
        assert passage.count_changes_and_turns((drawn.orders,)) <= (2, 1), drawn


def test_orders_with_fewer_changes_of_course_are_plainer():
    by_plainness = [("FFFFF",), ("FFFFX",), ("LFFFF",), ("FRFFX",), ("RLFFF",)]
    assert min(by_plainness, key=passage.count_changes_and_turns) == ("FFFFF",)
    assert passage.count_changes_and_turns(("RLFFF",)) > passage.count_changes_and_turns(("LFFFF",))


def test_a_shot_that_reaches_only_an_enemy_who_stays_is_called_a_guess():
    state = GAME.state_at("900x600 ; A1:south 5-5+3/5 @450,100^0 ; B1:north 5-5+3/5 @450,390^90")
    view, request = GAME.view(state, 0), orders_request(state)
    hints = {}
    for drawn in ("FFFXX", "XFFFF"):
        (text, *_) = GAME.describe_odds(view, GAME.parse_answer(state, request, f"A1 {drawn}"), "00")
        hints[drawn] = text
    assert hints["XFFFF"] == Text("promise.vain", {"galley": "A1", "step": 1, "share": 0.0})
    share = bearing.in_range_chances(view.galleys[0], "FFFXX", view.galleys[1:], view.sea)[4]
    assert (hints["FFFXX"].key == "promise.guess") == (not share.includes_rowing)
    assert share.chance > 0
