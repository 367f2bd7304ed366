"""Biremes … Oh My! as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from functools import partial

from msgspec import structs

from rules.dice import derive_seed
from rules.protocol import Request
from rules.ramspeed.captains import answering, promise
from rules.ramspeed.desk import game_flow, make_view, opening, reasons
from rules.ramspeed.desk.answers import Answer
from rules.ramspeed.desk.lessons import LESSONS
from rules.ramspeed.desk.questions import QUESTIONS
from rules.ramspeed.desk.view import SeaView
from rules.ramspeed.table import counting
from rules.ramspeed.table.case import adjudicate_case
from rules.ramspeed.table.events import GameEvent
from rules.ramspeed.table.notation import position, scenarios
from rules.ramspeed.table.state import State
from rules.ruleset import Ruleset
from rules.view import accepts_any_view


class RamSpeed(Ruleset[State]):
    """The game of fleets that order their ships line by line."""

    name = "ramspeed"
    options = opening.OPTIONS
    first = opening.FIRST_GAME_OPTIONS
    takes_scenario = True
    ships_change_sides = True
    example_scenario = scenarios.EXAMPLE_SCENARIO
    state_type = State
    event_type = GameEvent
    view_type = SeaView
    questions = QUESTIONS
    lessons = LESSONS

    start = staticmethod(opening.start_game)
    admit = staticmethod(opening.check_setup)
    at = staticmethod(opening.state_at)
    pending = staticmethod(game_flow.pending_requests)
    carry_out = staticmethod(game_flow.carry_out)
    concede = staticmethod(game_flow.concede)
    draw = staticmethod(game_flow.agree_draw)
    call_off = staticmethod(partial(game_flow.agree_draw, reason="called_off"))
    view = staticmethod(make_view.make_view)
    tally = staticmethod(counting.count_statistics)
    strength = staticmethod(counting.seat_strengths)
    adjudicate = staticmethod(adjudicate_case)
    captain = staticmethod(accepts_any_view(SeaView, answering.computer_answer))
    advise = staticmethod(accepts_any_view(SeaView, answering.advise))
    reason = staticmethod(accepts_any_view(SeaView, reasons.reason_for))
    foretell = staticmethod(accepts_any_view(SeaView, promise.describe_odds))

    def ending(self, state: State, /) -> str:
        """How the game stands at its end, as a position (RS part 10.1)."""
        return position.format_position(state.position)

    def stand_in(self, state: State, request: Request, /) -> Answer:
        """A first mate's answer in the place of a captain who has missed the deadline."""
        view = structs.replace(self.view(state, request.seat), captain="mate")
        return answering.computer_answer(view, request, derive_seed(state.dice.seed, f"mate {request.id}"))
