"""Nobody's ships act twice in a turn when their captain gives up after acting."""

from typing import Final

import pytest

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Concede, Request, Setup
from rules.ramspeed.engine.state import LiveTurn, State
from rules.ramspeed.game import RamSpeed

GAME: Final = RamSpeed()


def _live(state: State) -> LiveTurn:
    assert state.live is not None
    return state.live


def _ally_follows(state: State) -> bool:
    """Return if an ally of the captain who acts first has a player-turn later in this turn, but not right after."""
    first, _, *later = _live(state).order
    return any(state.position.side_of_player(player) == state.position.side_of_player(first) for player in later)


def _begun() -> State:
    options = {"scenario": "corvus", "sides": "first", "mode": "live", "captains": "2"}
    setup = Setup(system="ramspeed", teams=GAME.seats(options), options=options)
    games = (GAME.start(setup, Dice(seed=f"{seed:02x}")).state for seed in range(60))
    return next(filter(_ally_follows, games))


def _asked(state: State) -> Request:
    return next(request for request in GAME.pending_requests(state) if not request.optional)


def _answered(state: State, text: str) -> State:
    request = _asked(state)
    return GAME.resolve(state, {request.id: GAME.parse_answer(state, request, text)}).state


@pytest.mark.parametrize("done_first", [False, True])
def test_no_ship_acts_twice_in_a_turn_because_her_captain_gives_up(done_first: bool) -> None:
    state = _begun()
    seat, turn = _asked(state).seat, state.position.turn
    ship = state.position.ships_of(state.player_of(seat))[0].id
    state = _answered(state, f"{ship}: fwd 2")
    if done_first:
        state = _answered(state, "done")
    state = GAME.apply_out_of_turn(state, Concede(seat=seat)).state
    heir, there = state.position.ship_by_id(ship).owner, state.position.ship_by_id(ship)
    while _live(state).order[0] != heir:
        state = _answered(state, "done")
    assert state.position.turn == turn
    with pytest.raises(OrderError):
        _answered(state, f"{ship}: fwd 2")
    while state.position.turn == turn:
        state = _answered(state, "done")
    assert state.position.ship_by_id(ship) == there
    while _live(state).order[0] != heir:
        state = _answered(state, "done")
    assert _answered(state, f"{ship}: fwd 2").position.ship_by_id(ship) != there, "in the next turn she obeys her heir"
