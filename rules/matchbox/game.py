"""War Galley with matchboxes as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from functools import partial

from rules.matchbox.captains import mate, promise
from rules.matchbox.desk import game_flow, make_view, opening, reasons
from rules.matchbox.desk.lessons import LESSONS
from rules.matchbox.desk.questions import QUESTIONS
from rules.matchbox.desk.view import TableView
from rules.matchbox.table import counting, kept
from rules.matchbox.table.case import adjudicate
from rules.matchbox.table.incidents import Happening
from rules.matchbox.table.state import State
from rules.ruleset import Ruleset
from rules.view import of_view


class Matchbox(Ruleset[State]):
    """The game of matchbox galleys and dropped matches."""

    name = "matchbox"
    options = opening.OPTIONS
    first = opening.FIRST
    scores = True
    takes_scenario = True  # a map of the host's own
    example_scenario = opening.EXAMPLE_MAP
    state_type = State
    event_type = Happening
    view_type = TableView
    questions = QUESTIONS
    lessons = LESSONS

    start = staticmethod(opening.start)
    dated = staticmethod(opening.dated)
    settled = staticmethod(opening.settled)
    offered = staticmethod(opening.offered)
    charted = ("map", opening.SCENARIO)
    chart = staticmethod(opening.chart)
    at = staticmethod(opening.at)
    pending = staticmethod(game_flow.pending)
    carry_out = staticmethod(game_flow.carry_out)
    concede = staticmethod(game_flow.concede)
    draw = staticmethod(game_flow.draw)
    call_off = staticmethod(partial(game_flow.draw, reason="called_off"))
    view = staticmethod(make_view.view)
    keeps = staticmethod(opening.keeps)
    held = staticmethod(kept.held)
    handed_on = staticmethod(kept.handed_on)
    keepsake = staticmethod(kept.listed)
    tally = staticmethod(counting.tally)
    strength = staticmethod(counting.strength)
    outcome = staticmethod(counting.outcome)
    adjudicate = staticmethod(adjudicate)
    captain = staticmethod(of_view(TableView, mate.answer))
    advise = staticmethod(of_view(TableView, mate.advice))
    reason = staticmethod(of_view(TableView, reasons.reason))
    foretell = staticmethod(of_view(TableView, promise.foretell))
