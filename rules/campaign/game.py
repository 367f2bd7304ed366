"""The Sailing Season as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from rules.campaign.captains import captain as captain_of_season
from rules.campaign.desk import game_flow, make_view, opening, reasons
from rules.campaign.desk.lessons import LESSONS
from rules.campaign.desk.questions import QUESTIONS
from rules.campaign.desk.view import SeasonView
from rules.campaign.retelling import chronicle as chronicles
from rules.campaign.table import counting
from rules.campaign.table.case import adjudicate_case, read_position
from rules.campaign.table.events import GameEvent
from rules.campaign.table.sea.state import State
from rules.dice import Dice, derive_seed
from rules.protocol import Request, Setup, Step
from rules.ruleset import Ruleset
from rules.view import accepts_any_view


class Campaign(Ruleset[State]):
    """The game of fleets on a sea map, whose battles are games of their own."""

    name = "campaign"
    options = opening.OPTIONS
    first = opening.FIRST_GAME_OPTIONS
    early = False
    asks_on = True
    chronicled = True
    missed_most = 3
    state_type = State
    event_type = GameEvent
    view_type = SeasonView
    questions = QUESTIONS
    lessons = LESSONS

    pending = staticmethod(game_flow.pending_requests)
    carry_out = staticmethod(game_flow.carry_out)
    concede = staticmethod(game_flow.concede)
    draw = staticmethod(game_flow.agree_draw)
    call_off = staticmethod(partial(game_flow.agree_draw, reason="called_off"))
    view = staticmethod(make_view.make_view)
    tally = staticmethod(counting.count_statistics)
    revealed = staticmethod(chronicles.final_view)
    chronicle = staticmethod(chronicles.compose_chronicle)
    places = staticmethod(chronicles.final_places)
    adjudicate = staticmethod(adjudicate_case)
    captain = staticmethod(accepts_any_view(SeasonView, captain_of_season.computer_answer))
    advise = staticmethod(accepts_any_view(SeasonView, captain_of_season.hint_orders))
    reason = staticmethod(accepts_any_view(SeasonView, reasons.reason_for))

    def stand_in(self, state: State, request: Request, /) -> Any:  # noqa: ANN401 - of any question
        """What the computer answers for a captain who is late, or away (CA-14.1)."""
        seed = derive_seed(state.dice.seed, f"mate {request.id}")
        return captain_of_season.stand_in_orders(make_view.make_view(state, request.seat), seed)

    def start(self, setup: Setup, dice: Dice, /) -> Step:
        """Begin a campaign. Raises `OrderError` for a setup it does not allow."""
        return opening.begin_campaign(self.chosen(setup, "CA-1.3"), setup, dice)

    def seats(self, options: Mapping[str, str], /) -> tuple[int, ...]:
        """The side of each seat (CA-1.3)."""
        return opening.seat_teams(options)

    def at(self, position: str, /) -> State:
        """A position as cases have it, to be looked at."""
        return State(dice=Dice(seed="00"), position=read_position(position))

    def strength(self, state: State, /) -> Mapping[int, float]:
        """Each seat's laurels, which all know (CA-12.3, CA-13.1)."""
        position = state.position
        return {seat: float(position.laurels(letter)) for seat, letter in enumerate(position.captains)}
