"""War Galley, the fleet game, as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import structs

from rules.dice import Dice, subseed
from rules.lessons import Lesson, Verdict
from rules.protocol import EMPTY, Draft, Event, OptionSpec, Request, Seat, Setup, Step
from rules.ruleset import Question, Ruleset
from rules.squadrons.captains import answering
from rules.squadrons.desk.drafts.answers import Answer, Sheet
from rules.squadrons.desk.flow import game_flow, opening, requests
from rules.squadrons.desk.preview.view import FleetView
from rules.squadrons.desk.questions import QUESTIONS
from rules.squadrons.desk.shown import lessons, make_view, reasons
from rules.squadrons.table import counting
from rules.squadrons.table.case import adjudicate
from rules.squadrons.table.events import BattleEvent
from rules.squadrons.table.sea import position_text
from rules.squadrons.table.sea.state import State
from rules.tally import Tally
from rules.view import Text, View, own


class Squadrons(Ruleset[State]):
    """The game of two fleets that are ordered by squadrons."""

    name = "squadrons"
    options: tuple[OptionSpec, ...] = opening.OPTIONS
    first = opening.FIRST
    state_type = State
    event_type = BattleEvent
    view_type = FleetView
    questions: Mapping[str, Question[State, Any]] = QUESTIONS
    lessons: tuple[Lesson, ...] = lessons.LESSONS

    def start(self, setup: Setup, dice: Dice) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        state, drawn = opening.start(setup, dice)
        return game_flow.set_up(state, [drawn] if drawn else [])

    def at(self, position: str) -> State:
        """Any position of the game's notation, to be looked at."""
        return opening.at(position)

    def ending(self, state: State) -> str:
        """How it stands at its end, as a position (SQ 10.1)."""
        return position_text.write(state.position)

    def pending(self, state: State) -> tuple[Request, ...]:
        """Who must answer what now."""
        return requests.pending(state)

    def resolve(self, state: State, answers: Mapping[str, Answer]) -> Step:
        """Carry out answers by request id. Raises `ValueError` if they make no step."""
        return game_flow.resolve(state, answers)

    concede = staticmethod(game_flow.concede)
    draw = staticmethod(game_flow.draw)

    def view(self, state: State, seat: Seat | None, draft: Draft = EMPTY) -> FleetView:
        """What a seat may see."""
        return make_view.view(state, seat, draft)

    def captain(self, view: View, request: Request, seed: str) -> Answer:
        """The computer captain's answer. Raises `TypeError` for a view of another game."""
        ours = own(view, FleetView)
        mine = [piece.id for piece in ours.pieces if piece.seat == request.seat and piece.afloat]
        return answering.answer(ours, request, seed, mine)

    def advise(self, view: View, request: Request, seed: str) -> Answer:
        """Whoever plays the empty seats, a captain's adviser is an admiral."""
        ours = structs.replace(own(view, FleetView), captain="admiral")
        mine = [piece.id for piece in ours.pieces if piece.seat == request.seat and piece.afloat]
        answer = answering.answer(ours, request, seed, mine, work=answering.HINT)
        return structs.replace(answer, doctrines=()) if isinstance(answer, Sheet) else answer

    def stand_in(self, state: State, request: Request) -> Answer:
        """In the place of one who has missed his deadline a first mate answers."""
        view = structs.replace(self.view(state, request.seat), captain="mate")
        given = self.captain(view, request, subseed(state.dice.seed, f"mate {request.id}"))
        return answering.absent(given)

    def judge(self, lesson: str, state: State, events: Iterable[Event]) -> Verdict:  # noqa: ARG002 - its events say all
        """What came of a lesson."""
        return lessons.judge(lesson, events)

    def tally(self, state: State, events: Iterable[Event]) -> Mapping[Seat, Tally]:
        """What each captain did and threw in a game."""
        return counting.tally(state, events)

    def strength(self, state: State) -> Mapping[Seat, float]:
        """What each captain has left: the points of his ships, less for those that cannot fight."""
        return counting.strength(state)

    def adjudicate(self, case: bytes) -> dict[str, Any]:
        """Carry out a case (SQ 10.2)."""
        return adjudicate(case)

    def reason(self, view: View, answer: Answer) -> Text:
        """One reason for an answer. Raises `TypeError` for a view of another game."""
        return reasons.reason(own(view, FleetView), answer)
