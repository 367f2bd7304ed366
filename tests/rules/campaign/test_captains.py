"""Computer captains of a season part, meet fleets of their size, and build in every yard that they can pay."""

from collections import Counter

from rules.campaign import GAME
from rules.chance.dice import Dice
from rules.core.protocol import Setup
from tests.arena.campaign import season

RING = {"map": "ring", "players": "4", "sides": "alone"}


def test_as_many_battles_as_the_rules_were_tried_out_with_would_be_played() -> None:
    """Specification: 0.28 a captain and turn; captains who never parted had 0.11."""
    met, turns = Counter[str](), 0
    for number in range(6):
        _, last, modes = season(RING, f"{number:08x}")
        met += modes
        turns += (last.position.turn - 1) * len(last.position.captains)
    assert 0.2 <= (met["play"] + met["busy"] + met["agreed"]) / turns <= 0.36


def test_a_captain_with_talents_builds_in_several_yards_while_they_last() -> None:
    state = GAME.start(Setup(system="campaign", teams=GAME.seats(RING), options=RING), Dice("00")).state
    most = 0
    while GAME.result(state) is None and state.position.turn < 16:
        answers = {}
        for request in GAME.pending_requests(state):
            view = GAME.view(state, request.seat)
            orders = GAME.computer_answer(view, request, "00")
            builds = orders.port_orders.build
            galleys = len(view.galleys)
            assert sum(4 + 2 * (galleys + number) for number in range(len(builds))) <= max(view.talents, 0)
            assert len({port for port, _ in builds}) == len(builds)
            most = max(most, len(builds))
            answers[request.id] = orders
        state = GAME.resolve(state, answers).state
    assert most > 1
