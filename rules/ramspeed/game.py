"""Biremes … Oh My! as a `Ruleset`, the only interface of this game to the other packages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from msgspec import structs

from rules.chance.dice import derive_seed
from rules.core.protocol import Request
from rules.core.rulebook import RuleTable
from rules.core.ruleset import Ruleset
from rules.core.view import accepts_any_view
from rules.interface.hopeless import HopelessShares
from rules.ramspeed.ai import answering
from rules.ramspeed.engine import counting
from rules.ramspeed.engine.case import adjudicate_case
from rules.ramspeed.engine.events import GameEvent
from rules.ramspeed.engine.notation import position, scenarios
from rules.ramspeed.engine.state import State
from rules.ramspeed.interface import game_flow, make_view, opening, reasons
from rules.ramspeed.interface.lessons import LESSONS
from rules.ramspeed.interface.order_drafts import Answer
from rules.ramspeed.interface.questions import QUESTIONS
from rules.ramspeed.interface.rule_tables import make_rule_tables
from rules.ramspeed.interface.view import SeaView


class RamSpeed(Ruleset[State]):
    name = "ramspeed"
    options = opening.OPTIONS
    first_game_options = opening.FIRST_GAME_OPTIONS
    accepts_scenario = True
    ships_change_sides = True
    ships_have_captains_letters = False
    has_score = True
    example_scenario = scenarios.EXAMPLE_SCENARIO
    state_type = State
    event_type = GameEvent
    view_type = SeaView
    questions = QUESTIONS
    lessons = LESSONS
    hopeless_shares = HopelessShares.read("rules.ramspeed.engine")

    start = staticmethod(opening.start_game)
    with_dependent_options = staticmethod(opening.with_dependent_options)
    check_setup = staticmethod(opening.check_setup)
    state_at = staticmethod(opening.state_at)
    pending_requests = staticmethod(game_flow.pending_requests)
    carry_out = staticmethod(game_flow.carry_out)
    lots_of = staticmethod(opening.lots_of)
    concede = staticmethod(game_flow.concede)
    agree_draw = staticmethod(game_flow.agree_draw)
    call_off = staticmethod(partial(game_flow.agree_draw, reason="called_off"))
    view = staticmethod(make_view.make_view)
    count_statistics = staticmethod(counting.count_statistics)
    seat_strengths = staticmethod(counting.seat_strengths)
    adjudicate = staticmethod(adjudicate_case)
    computer_answer = staticmethod(accepts_any_view(SeaView, answering.computer_answer))
    advise = staticmethod(accepts_any_view(SeaView, answering.advise))
    reason_for = staticmethod(accepts_any_view(SeaView, reasons.reason_for))
    describe_odds = staticmethod(accepts_any_view(SeaView, answering.describe_odds))

    def rule_tables(self) -> Mapping[str, RuleTable]:
        return make_rule_tables()

    def final_position(self, state: State, /) -> str:
        return position.format_position(state.position)

    def stand_in_answer(self, state: State, request: Request, /) -> Answer:
        """Return a first mate's answer for a captain who missed the deadline."""
        view = structs.replace(self.view(state, request.seat), captain="mate")
        return answering.computer_answer(view, request, derive_seed(state.dice.seed, f"mate {request.id}"))
