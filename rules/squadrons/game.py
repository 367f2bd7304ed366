"""The fleet game of War Galley as a `Ruleset`, the only access to it for other packages."""

from __future__ import annotations

from functools import partial

from msgspec import structs

from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Request, Setup, Step
from rules.core.ruleset import Ruleset
from rules.core.view import accepts_any_view
from rules.squadrons.ai import answering
from rules.squadrons.engine import counting
from rules.squadrons.engine.case import adjudicate_case
from rules.squadrons.engine.events import GameEvent
from rules.squadrons.engine.sea import position_text
from rules.squadrons.engine.sea.state import State
from rules.squadrons.interface.drafts.answers import Answer
from rules.squadrons.interface.flow import game_flow, opening, requests
from rules.squadrons.interface.preview.view import FleetView
from rules.squadrons.interface.questions import QUESTIONS
from rules.squadrons.interface.rule_tables import make_rule_tables
from rules.squadrons.interface.shown import make_view, reasons
from rules.squadrons.interface.shown.lessons import LESSONS


class Squadrons(Ruleset[State]):
    name = "squadrons"
    ships_have_captains_letters = False
    options = opening.OPTIONS
    first_game_options = opening.FIRST_GAME_OPTIONS
    first_game_teaches = True
    has_score = True
    state_type = State
    event_type = GameEvent
    view_type = FleetView
    questions = QUESTIONS
    lessons = LESSONS

    effective_options = staticmethod(opening.effective_options)
    state_at = staticmethod(opening.state_at)
    pending_requests = staticmethod(requests.pending_requests)
    carry_out = staticmethod(game_flow.carry_out)
    lots_of = staticmethod(opening.lots_of)
    concede = staticmethod(game_flow.concede)
    agree_draw = staticmethod(game_flow.agree_draw)
    call_off = staticmethod(partial(game_flow.agree_draw, reason="called_off"))
    view = staticmethod(make_view.make_view)
    match_points = staticmethod(game_flow.match_points)
    is_uneven = staticmethod(opening.is_uneven)
    count_statistics = staticmethod(counting.count_statistics)
    seat_strengths = staticmethod(counting.seat_strengths)
    adjudicate = staticmethod(adjudicate_case)
    rule_tables = staticmethod(make_rule_tables)
    computer_answer = staticmethod(accepts_any_view(FleetView, answering.computer_answer))
    advise = staticmethod(accepts_any_view(FleetView, answering.advise))
    reason_for = staticmethod(accepts_any_view(FleetView, reasons.reason_for))
    describe_odds = staticmethod(accepts_any_view(FleetView, answering.describe_odds))

    def start(self, setup: Setup, dice: Dice, /) -> Step:
        return game_flow.carry_out_set_up(*opening.initial_state(setup, dice))

    def final_position(self, state: State, /) -> str:
        return position_text.format_position(state.position)

    def stand_in_answer(self, state: State, request: Request, /) -> Answer:
        view = structs.replace(self.view(state, request.seat), captain="mate")
        answer = self.computer_answer(view, request, derive_seed(state.dice.seed, f"mate {request.id}"))
        return answering.mark_absent(answer)
