"""The interface that every game implements, and all that chat, storage and pictures know of a game.

A game is one `Ruleset`. Its parts, by purpose, each in a module of its own:

- `SetupRules`: the options, seats and scenarios of a lobby;
- `Engine`: requests, steps, views, and the end of a game;
- `AnswerDrafts`, `ComputerCaptain`: how captains and the computer answer requests;
- `GameReports`: lessons, statistics, places, the chronicle, a battle's result;
- `KeepsakeRules`: for games whose captains keep something from one game to the next.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic

from rules.core.answering import AnswerDrafts
from rules.core.engine import S
from rules.core.keepsakes import KeepsakeUpdate
from rules.core.protocol import Seat
from rules.core.reports import GameReports
from rules.core.rulebook import RuleTable
from rules.core.view import Text


class KeepsakeRules(ABC, Generic[S]):
    """The rules of a game for keepsakes, which players carry from one game to the next."""

    @abstractmethod
    def are_brought(self, options: Mapping[str, str], /) -> bool:
        """Return whether captains bring keepsakes to a game with these options."""

    @abstractmethod
    def in_use(self, state: S, /) -> Mapping[Seat, Sequence[int]]:
        """Return, by seat, the numbers of keepsakes that are in this game and cannot be in another; empty: none."""

    @abstractmethod
    def after_game(self, state: S, /, *, taught: bool) -> Mapping[Seat, Sequence[KeepsakeUpdate]]:
        """Return how a finished game changes each captain's keepsakes; empty: not at all.

        `taught` is False if too little was played. Nobody gains by such a game, but captains may lose.
        """

    @abstractmethod
    def describe(self, body: str, /, *, away: bool = False) -> Text:
        """Return a sentence that describes a keepsake. If it is `away` in a game, describe it as it was before.

        Raises `OrderError` if it cannot be read.
        """


class Ruleset(AnswerDrafts[S], GameReports[S]):
    """A game. Every method is pure: it changes nothing, and equal arguments give equal results."""

    data_package: str  # the package that contains its texts (`en.po`, `hu.po`); by default `data.<name>`
    keepsakes: KeepsakeRules[S] | None = None  # None: captains bring no keepsakes

    def __init_subclass__(cls) -> None:
        if "data_package" not in cls.__dict__ and "name" in cls.__dict__:
            cls.data_package = f"data.{cls.name}"

    def effective_options(
        self,
        options: Mapping[str, str],
        /,
        *,
        has_own_scenario: bool,  # noqa: ARG002 -- a game may need it
    ) -> dict[str, str]:
        """Return the options that hold, with a value for each, where a chosen value leaves it to the scenario.

        `has_own_scenario` says whether the host handed in a scenario of their own.
        """
        return {**options}

    def rule_tables(self) -> Mapping[str, RuleTable]:
        """Return the tables of the rulebook by key. By default there is none."""
        return {}
