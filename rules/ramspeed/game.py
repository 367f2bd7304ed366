"""Biremes … Oh My! as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from functools import partial

from msgspec import structs

from rules.dice import subseed
from rules.protocol import Request
from rules.ramspeed.captains import answering, promise
from rules.ramspeed.desk import game_flow, make_view, opening, reasons
from rules.ramspeed.desk.answers import Answer
from rules.ramspeed.desk.lessons import LESSONS
from rules.ramspeed.desk.questions import QUESTIONS
from rules.ramspeed.desk.view import SeaView
from rules.ramspeed.table import counting
from rules.ramspeed.table.case import adjudicate
from rules.ramspeed.table.events import Happening
from rules.ramspeed.table.notation import position, scenarios
from rules.ramspeed.table.state import State
from rules.ruleset import Ruleset
from rules.view import of_view


class RamSpeed(Ruleset[State]):
    """The game of fleets that order their ships line by line."""

    name = "ramspeed"
    options = opening.OPTIONS
    first = opening.FIRST
    takes_scenario = True
    ships_change_sides = True
    example_scenario = scenarios.EXAMPLE
    state_type = State
    event_type = Happening
    view_type = SeaView
    questions = QUESTIONS
    lessons = LESSONS

    start = staticmethod(opening.start)
    admit = staticmethod(opening.admit)
    at = staticmethod(opening.at)
    pending = staticmethod(game_flow.pending)
    carry_out = staticmethod(game_flow.carry_out)
    concede = staticmethod(game_flow.concede)
    draw = staticmethod(game_flow.draw)
    call_off = staticmethod(partial(game_flow.draw, reason="called_off"))
    view = staticmethod(make_view.view)
    tally = staticmethod(counting.tally)
    strength = staticmethod(counting.strength)
    adjudicate = staticmethod(adjudicate)
    captain = staticmethod(of_view(SeaView, answering.answer))
    advise = staticmethod(of_view(SeaView, answering.advice))
    reason = staticmethod(of_view(SeaView, reasons.reason))
    foretell = staticmethod(of_view(SeaView, promise.foretell))

    def ending(self, state: State, /) -> str:
        """How the game stands at its end, as a position (RS part 10.1)."""
        return position.write(state.position)

    def stand_in(self, state: State, request: Request, /) -> Answer:
        """A first mate's answer in the place of a captain who has missed the deadline."""
        view = structs.replace(self.view(state, request.seat), captain="mate")
        return answering.answer(view, request, subseed(state.dice.seed, f"mate {request.id}"))
