"""War Galley, the fleet game, as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from functools import partial

from msgspec import structs

from rules.dice import Dice, derive_seed
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
from rules.squadrons.table.case import adjudicate_case
from rules.squadrons.table.events import GameEvent
from rules.squadrons.table.sea import position_text
from rules.squadrons.table.sea.state import State
from rules.view import accepts_any_view


class Squadrons(Ruleset[State]):
    """The game of two fleets that are ordered by squadrons."""

    name = "squadrons"
    options = opening.OPTIONS
    first = opening.FIRST_GAME_OPTIONS
    scores = True
    state_type = State
    event_type = GameEvent
    view_type = FleetView
    questions = QUESTIONS
    lessons = LESSONS

    at = staticmethod(opening.state_at)
    pending = staticmethod(requests.pending_requests)
    carry_out = staticmethod(game_flow.carry_out)
    concede = staticmethod(game_flow.concede)
    draw = staticmethod(game_flow.agree_draw)
    call_off = staticmethod(partial(game_flow.agree_draw, reason="called_off"))
    view = staticmethod(make_view.make_view)
    tally = staticmethod(counting.count_statistics)
    strength = staticmethod(counting.seat_strengths)
    adjudicate = staticmethod(adjudicate_case)
    captain = staticmethod(accepts_any_view(FleetView, answering.computer_answer))
    advise = staticmethod(accepts_any_view(FleetView, answering.advise))
    reason = staticmethod(accepts_any_view(FleetView, reasons.reason_for))
    foretell = staticmethod(accepts_any_view(FleetView, promise.describe_odds))

    def start(self, setup: Setup, dice: Dice, /) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        state, drawn = opening.initial_state(setup, dice)
        return game_flow.carry_out_set_up(state, [drawn] if drawn else [])

    def ending(self, state: State, /) -> str:
        """How it stands at its end, as a position (SQ 10.1)."""
        return position_text.format_position(state.position)

    def stand_in(self, state: State, request: Request, /) -> Answer:
        """A first mate's answer in the place of a captain who missed the deadline."""
        view = structs.replace(self.view(state, request.seat), captain="mate")
        given = self.captain(view, request, derive_seed(state.dice.seed, f"mate {request.id}"))
        return answering.mark_absent(given)
