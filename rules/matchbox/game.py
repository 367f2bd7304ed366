"""War Galley with matchboxes as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from functools import partial

from rules.matchbox.captains import mate, promise
from rules.matchbox.desk import game_flow, make_view, opening, reasons
from rules.matchbox.desk.lessons import LESSONS
from rules.matchbox.desk.questions import QUESTIONS
from rules.matchbox.desk.view import TableView
from rules.matchbox.table import counting, kept
from rules.matchbox.table.case import adjudicate_case
from rules.matchbox.table.incidents import GameEvent
from rules.matchbox.table.state import State
from rules.ruleset import Ruleset
from rules.view import accepts_any_view


class Matchbox(Ruleset[State]):
    """The game of matchbox galleys and dropped matches."""

    name = "matchbox"
    options = opening.OPTIONS
    first = opening.FIRST_GAME_OPTIONS
    scores = True
    takes_scenario = True  # a map of the host's own
    example_scenario = opening.EXAMPLE_MAP
    state_type = State
    event_type = GameEvent
    view_type = TableView
    questions = QUESTIONS
    lessons = LESSONS

    start = staticmethod(opening.start_game)
    dated = staticmethod(opening.with_edition)
    settled = staticmethod(opening.with_dependent_options)
    offered = staticmethod(opening.relevant_options)
    charted = ("map", opening.SCENARIO_OPTION)
    chart = staticmethod(opening.chart_state)
    at = staticmethod(opening.state_at)
    pending = staticmethod(game_flow.pending_requests)
    carry_out = staticmethod(game_flow.carry_out)
    concede = staticmethod(game_flow.concede)
    draw = staticmethod(game_flow.agree_draw)
    call_off = staticmethod(partial(game_flow.agree_draw, reason="called_off"))
    view = staticmethod(make_view.make_view)
    keeps = staticmethod(opening.uses_keepsakes)
    held = staticmethod(kept.keepsakes_in_use)
    handed_on = staticmethod(kept.keepsakes_after)
    keepsake = staticmethod(kept.describe_keepsake)
    tally = staticmethod(counting.count_statistics)
    strength = staticmethod(counting.seat_strengths)
    outcome = staticmethod(counting.battle_outcome)
    adjudicate = staticmethod(adjudicate_case)
    captain = staticmethod(accepts_any_view(TableView, mate.computer_answer))
    advise = staticmethod(accepts_any_view(TableView, mate.advise))
    reason = staticmethod(accepts_any_view(TableView, reasons.reason_for))
    foretell = staticmethod(accepts_any_view(TableView, promise.describe_odds))
