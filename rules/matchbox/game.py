"""War Galley with matchboxes as a `Ruleset`."""

from __future__ import annotations

from functools import partial

from rules.core.ruleset import KeepsakeRules, Ruleset
from rules.core.view import accepts_any_view
from rules.interface.hopeless import HopelessShares
from rules.matchbox.ai import mate
from rules.matchbox.engine import counting, kept
from rules.matchbox.engine.case import adjudicate_case
from rules.matchbox.engine.events import GameEvent
from rules.matchbox.engine.state import State
from rules.matchbox.interface import game_flow, make_view, opening, reasons
from rules.matchbox.interface.lessons import LESSONS
from rules.matchbox.interface.questions import QUESTIONS
from rules.matchbox.interface.rule_tables import make_rule_tables
from rules.matchbox.interface.view import TableView


class KeptCrews(KeepsakeRules[State]):
    are_brought = staticmethod(opening.uses_keepsakes)
    in_use = staticmethod(kept.keepsakes_in_use)
    after_game = staticmethod(kept.keepsakes_after)
    describe = staticmethod(kept.describe_keepsake)


class Matchbox(Ruleset[State]):
    name = "matchbox"
    options = opening.OPTIONS
    first_game_options = opening.FIRST_GAME_OPTIONS
    has_score = True
    hopeless_shares = HopelessShares.read("rules.matchbox.engine")
    accepts_scenario = True  # a map of the host's own
    example_scenario = opening.EXAMPLE_MAP
    state_type = State
    event_type = GameEvent
    view_type = TableView
    questions = QUESTIONS
    lessons = LESSONS

    start = staticmethod(opening.start_game)
    with_dependent_options = staticmethod(opening.with_dependent_options)
    relevant_options = staticmethod(opening.relevant_options)
    effective_options = staticmethod(opening.effective_options)
    chart_options = ("map", opening.SCENARIO_OPTION)
    chart_state = staticmethod(opening.chart_state)
    state_at = staticmethod(opening.state_at)
    pending_requests = staticmethod(game_flow.pending_requests)
    carry_out = staticmethod(game_flow.carry_out)
    concede = staticmethod(game_flow.concede)
    agree_draw = staticmethod(game_flow.agree_draw)
    call_off = staticmethod(partial(game_flow.agree_draw, reason="called_off"))
    view = staticmethod(make_view.make_view)
    rule_tables = staticmethod(make_rule_tables)
    keepsakes = KeptCrews()
    match_points = staticmethod(game_flow.match_points)
    is_uneven = staticmethod(opening.is_uneven)
    lots_of = staticmethod(opening.lots_of)
    count_statistics = staticmethod(counting.count_statistics)
    seat_strengths = staticmethod(counting.seat_strengths)
    battle_outcome = staticmethod(counting.battle_outcome)
    adjudicate = staticmethod(adjudicate_case)
    computer_answer = staticmethod(accepts_any_view(TableView, mate.computer_answer))
    advise = staticmethod(accepts_any_view(TableView, mate.advise))
    reason_for = staticmethod(accepts_any_view(TableView, reasons.reason_for))
    describe_odds = staticmethod(accepts_any_view(TableView, mate.describe_odds))
