"""The part of a ruleset that reports on games: lessons, statistics, places, a chronicle, a battle's result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET, structs

from rules.core.engine import Engine, S
from rules.core.protocol import BattleOutcome, Event, Report, Request, Seat
from rules.core.view import Text, View
from rules.interface.chronicle import Chronicle
from rules.interface.hopeless import HopelessShares
from rules.interface.lessons import Lesson, LessonVerdict
from rules.interface.statistics import Statistics


class BattleForecast(NamedTuple):
    """The meaning of a running battle for its parent game so far, for one seat, in words of the parent game."""

    end: tuple[Text, ...] = ()  # when the battle ends by itself and who then wins it, and other names of own ships
    concession: tuple[Text, ...] = ()  # what happens to the seat's ships if it concedes now


class GameReports(Engine[S]):
    has_score: bool = False  # whether views have a `score`
    ships_change_sides: bool = False
    """Whether a story needs `View.captured_ships`, because events do not report captures."""
    ships_have_captains_letters: bool = True
    """Whether ids of ships begin with the letter of their captain's seat; else with a letter of the fleet, if any."""
    lessons: tuple[Lesson, ...] = ()  # what a learner is taught, in order
    hopeless_shares: HopelessShares = HopelessShares()
    has_chronicle: bool = False  # whether `compose_chronicle` is implemented

    def judge_lesson(self, lesson: str, state: S, events: Iterable[Event], /) -> LessonVerdict:
        """Return the verdict on a lesson from the state after its round and all events of it.

        Raises `KeyError` if there is no such lesson.
        """
        lessons_by_key = {known.key: known for known in self.lessons}
        verdict = lessons_by_key[lesson].judge(state, tuple(events))
        reason = Text(f"lesson.{lesson}.{verdict.reason.key}", verdict.reason.params)
        return structs.replace(verdict, reason=reason)

    def count_statistics(self, state: S, events: Iterable[Event], /) -> Mapping[Seat, Statistics]:  # noqa: ARG002 - see below
        """Return each seat's statistics from all events of a game and its final state. By default there are none."""
        return {}

    def seat_strengths(self, state: S, /) -> Mapping[Seat, float]:  # noqa: ARG002 - see below
        """Return each seat's remaining strength, in a unit of the game's own; empty: not measured.

        It must be public. It decides in which round a finished game turned (`rules/interface/turning_point.py`), and
        which sides hardly ever win any more (`rules/interface/hopeless.py`).
        """
        return {}

    def hopeless_share(self, options: Mapping[str, str], /) -> float:
        """Return the share (0 to 1) of all strength up to which a side wins fewer than 2 of 100 games; 0: unknown."""
        key = self.hopeless_shares.option
        default = next((spec.default for spec in self.options if spec.key == key), "")
        return self.hopeless_shares.shares.get(options.get(key, default), 0.0)

    def final_places(self, state: S, /) -> Mapping[Seat, int]:  # noqa: ARG002 - see below
        """Return each seat's final place, from 1, for ratings; empty: the game only has winners.

        Seats of one side share a place.
        """
        return {}

    def match_points(self, state: S, /) -> Mapping[Seat, float]:  # noqa: ARG002 - see below
        """Return each seat's points in a finished game, which a match of two games adds up; seats of a side are equal.

        Empty, by default: one point for the winners, half a point for each side if nobody won.
        """
        return {}

    def final_view(self, state: S, /) -> View:
        """Return what everyone may see of a state once the game is over. By default no more than a spectator saw."""
        return self.view(state, None)

    def compose_chronicle(self, first: S, last: S, rounds: Sequence[tuple[int, Sequence[Event]]], /) -> Chronicle:
        """Return a finished game as a story, from its first and last state and the events of each round.

        Raises `NotImplementedError` unless `has_chronicle` is set.
        """
        raise NotImplementedError

    def final_position(self, state: S, /) -> str:  # noqa: ARG002 - see below
        """Return a battle's final position in notation, for the parent game; empty: none."""
        return ""

    def battle_outcome(self, state: S, /) -> BattleOutcome | None:  # noqa: ARG002 - see below
        """Return the fate of each ship of a battle, for the parent game; None: not reported."""
        return None

    def judge_battle(self, request: Request, report: Report, /) -> tuple[Text, ...]:  # noqa: ARG002 - see below
        """Return a headline and reasons: what the result of a battle of this game means; empty: nothing to say."""
        return ()

    def foresee_battle(self, state: S, request: Request, report: Report, seat: Seat, /) -> BattleForecast:  # noqa: ARG002 - see below
        """Return what a running battle of this game means so far for a seat of the battle.

        `report` is that of the battle's present state. The forecast may use only what that seat's captain may know.
        """
        return BattleForecast()

    def battle_report(self, state: S, digest: str, /) -> Report:
        """Return the result of a battle as the answer to the parent game's request.

        `digest` is that of the battle's record.
        """
        result = self.result(state)
        winners = result.winners if result else ()
        return Report(
            digest=digest,
            winners=winners,
            ending=self.final_position(state),
            outcome=self.battle_outcome(state) or UNSET,
        )
