"""The Sailing Season as a `Ruleset`, the only interface of this game to the other packages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from rules.campaign.ai import captain as captain_of_season
from rules.campaign.engine import counting
from rules.campaign.engine.case import adjudicate_case, read_position
from rules.campaign.engine.events import GameEvent
from rules.campaign.engine.sea.naming import place_names
from rules.campaign.engine.sea.state import State
from rules.campaign.interface import forecasts, game_flow, make_view, opening, rehearsal
from rules.campaign.interface.lessons import LESSONS
from rules.campaign.interface.questions import QUESTIONS
from rules.campaign.interface.rule_tables import make_rule_tables
from rules.campaign.interface.view import SeasonView
from rules.campaign.retelling import chronicle as chronicles
from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Request, Setup, Step
from rules.core.rulebook import RuleTable
from rules.core.ruleset import Ruleset
from rules.core.view import Text, accepts_any_view
from rules.interface.hopeless import HopelessShares


class Campaign(Ruleset[State]):
    name = "campaign"
    options = opening.OPTIONS
    first_game_options = opening.FIRST_GAME_OPTIONS
    resolves_early = False
    asks_after_concession = True
    has_chronicle = True
    hopeless_shares = HopelessShares.read("rules.campaign.engine")
    max_missed_deadlines = 3
    state_type = State
    event_type = GameEvent
    view_type = SeasonView
    questions = QUESTIONS
    lessons = LESSONS

    pending_requests = staticmethod(game_flow.pending_requests)
    carry_out = staticmethod(game_flow.carry_out)
    judge_battle = staticmethod(game_flow.judge_battle)
    foresee_battle = staticmethod(forecasts.foresee_battle)
    concede = staticmethod(game_flow.concede)
    agree_draw = staticmethod(game_flow.agree_draw)
    call_off = staticmethod(partial(game_flow.agree_draw, reason="called_off"))
    view = staticmethod(make_view.make_view)
    count_statistics = staticmethod(counting.count_statistics)
    final_view = staticmethod(chronicles.final_view)
    compose_chronicle = staticmethod(chronicles.compose_chronicle)
    final_places = staticmethod(chronicles.final_places)
    adjudicate = staticmethod(adjudicate_case)
    computer_answer = staticmethod(accepts_any_view(SeasonView, captain_of_season.computer_answer))
    advise = staticmethod(accepts_any_view(SeasonView, captain_of_season.hint_orders))
    reason_for = staticmethod(accepts_any_view(SeasonView, rehearsal.reason_for))

    def stand_in_answer(self, state: State, request: Request, /) -> Any:  # noqa: ANN401 - of any question
        """Return the computer's orders for a captain who is late or away (CA-14.1)."""
        seed = derive_seed(state.dice.seed, f"mate {request.id}")
        return captain_of_season.stand_in_orders(make_view.make_view(state, request.seat), seed)

    def coded_names(self, state: State) -> Mapping[str, Text]:
        position = state.position
        codes = tuple(position.sea_map.places)
        return dict(zip(codes, place_names(position.map, *codes), strict=True))

    def start(self, setup: Setup, dice: Dice, /) -> Step:
        return opening.begin_campaign(self.option_values(setup, "CA-1.3"), setup, dice)

    def seats(self, options: Mapping[str, str], /) -> tuple[int, ...]:
        return opening.seat_teams(options)

    def state_at(self, position: str, /) -> State:
        return State(dice=Dice(seed="00"), position=read_position(position))

    def rule_tables(self) -> Mapping[str, RuleTable]:
        return make_rule_tables()

    def seat_strengths(self, state: State, /) -> Mapping[int, float]:
        """Return each seat's laurels, which are public (CA-12.3, CA-13.1)."""
        position = state.position
        return {seat: float(position.laurels_of(letter)) for seat, letter in enumerate(position.captains)}
