"""War Galley with matchboxes as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rules.dice import Dice
from rules.matchbox.events import Happening
from rules.matchbox.state import TABLES, Answer, State
from rules.matchbox.view import TableView
from rules.protocol import Act, Choices, OptionSpec, Request, Result, Seat, Setup, Step
from rules.view import View

_OPTIONS: Final = (
    OptionSpec("galleys", ("1", "2", "3", "4", "5", "6", "7", "8"), "2"),
    OptionSpec("table", tuple(TABLES), "kitchen"),
    OptionSpec("deployment", ("turns", "sealed"), "turns"),
)


class Matchbox:
    """The game of matchbox galleys and dropped matches."""

    name = "matchbox"
    options = _OPTIONS
    captains = (1, 2, 3, 4)
    state_type = State
    event_type = Happening
    view_type = TableView

    def start(self, setup: Setup, dice: Dice) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        raise NotImplementedError

    def pending(self, state: State) -> tuple[Request, ...]:
        """Who must answer what now; empty when the game is over."""
        raise NotImplementedError

    def parse(self, state: State, request: Request, text: str) -> Answer:
        """Read a complete, legal answer. Raises `OrderError` on anything else."""
        raise NotImplementedError

    def format(self, answer: Answer) -> str:
        """Write an answer in canonical notation."""
        raise NotImplementedError

    def choices(self, state: State, request: Request, draft: str) -> Choices:
        """What may be pressed after this draft."""
        raise NotImplementedError

    def amend(self, state: State, request: Request, draft: str, text: str) -> str:
        """Put typed text into the draft. Raises `OrderError` if it cannot be read or breaks a rule."""
        raise NotImplementedError

    def default(self, state: State, request: Request) -> Answer:
        """The answer when the deadline has passed."""
        raise NotImplementedError

    def resolve(self, state: State, answers: Mapping[str, Answer]) -> Step:
        """Carry out the answers to all pending requests, by request id."""
        raise NotImplementedError

    def act(self, state: State, act: Act) -> Step:
        """Carry out what a captain did unasked (MB-8.1)."""
        raise NotImplementedError

    def view(self, state: State, seat: Seat | None, draft: str = "") -> TableView:
        """What a seat may see."""
        raise NotImplementedError

    def result(self, state: State) -> Result | None:
        """How it ended, or None while it goes on."""
        return state.outcome

    def captain(self, view: View, request: Request, seed: str) -> Answer:
        """The computer captain's answer."""
        raise NotImplementedError

    def samples(self, state: State, request: Request) -> Sequence[Answer]:
        """A finite, representative set of legal answers."""
        raise NotImplementedError
