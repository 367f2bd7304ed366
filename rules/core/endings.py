"""What happens in every game alike: captains give up, and the game ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

from msgspec import structs

from rules.core.protocol import Event, Result, Seat, Step
from rules.core.view import Text


class CaptainConceded(Event, frozen=True, kw_only=True, tag="GaveUp"):
    """A captain gave up; a game with more to say of it adds to this."""

    weight: ClassVar[Literal[0, 1, 2, 3]] = 2
    may_reveal = False

    seat: Seat


class SeatTakenUp(Event, frozen=True, kw_only=True, tag="TookUp"):
    """Another captain took up the seat of one who had given up."""

    weight: ClassVar[Literal[0, 1, 2, 3]] = 2

    seat: Seat


def end_game(state: Any, told: Iterable[Event], winners: Iterable[Seat], reason: Text, **changes: Any) -> Step:  # noqa: ANN401 - any game's state and fields
    """The last step of a game: its outcome, these changes of its state, and what happened.

    Nobody has won if there are no winners.
    """
    outcome = Result(winners=tuple(winners), reason=reason)
    return Step(structs.replace(state, result=outcome, **changes), tuple(told))
