"""War Galley, the fleet game, as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from functools import partial

from msgspec import structs

from rules.dice import Dice, subseed
from rules.protocol import Request, Setup, Step
from rules.ruleset import Ruleset
from rules.squadrons.captains import answering, promise
from rules.squadrons.desk.drafts.answers import Answer
from rules.squadrons.desk.flow import game_flow, opening, requests
from rules.squadrons.desk.preview.view import FleetView
from rules.squadrons.desk.questions import QUESTIONS
from rules.squadrons.desk.shown import make_view, reasons
from rules.squadrons.desk.shown.lessons import LESSONS
from rules.squadrons.table import counting
from rules.squadrons.table.case import adjudicate
from rules.squadrons.table.events import BattleEvent
from rules.squadrons.table.sea import position_text
from rules.squadrons.table.sea.state import State
from rules.view import of_view


class Squadrons(Ruleset[State]):
    """The game of two fleets that are ordered by squadrons."""

    name = "squadrons"
    options = opening.OPTIONS
    first = opening.FIRST
    scores = True
    state_type = State
    event_type = BattleEvent
    view_type = FleetView
    questions = QUESTIONS
    lessons = LESSONS

    at = staticmethod(opening.at)
    pending = staticmethod(requests.pending)
    carry_out = staticmethod(game_flow.carry_out)
    concede = staticmethod(game_flow.concede)
    draw = staticmethod(game_flow.draw)
    call_off = staticmethod(partial(game_flow.draw, reason="called_off"))
    view = staticmethod(make_view.view)
    tally = staticmethod(counting.tally)
    strength = staticmethod(counting.strength)
    adjudicate = staticmethod(adjudicate)
    captain = staticmethod(of_view(FleetView, answering.answer))
    advise = staticmethod(of_view(FleetView, answering.advice))
    reason = staticmethod(of_view(FleetView, reasons.reason))
    foretell = staticmethod(of_view(FleetView, promise.foretell))

    def start(self, setup: Setup, dice: Dice, /) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        state, drawn = opening.start(setup, dice)
        return game_flow.set_up(state, [drawn] if drawn else [])

    def ending(self, state: State, /) -> str:
        """How it stands at its end, as a position (SQ 10.1)."""
        return position_text.write(state.position)

    def stand_in(self, state: State, request: Request, /) -> Answer:
        """A first mate's answer in the place of a captain who missed the deadline."""
        view = structs.replace(self.view(state, request.seat), captain="mate")
        given = self.captain(view, request, subseed(state.dice.seed, f"mate {request.id}"))
        return answering.absent(given)
