"""Concessions and the end of a game, which are the same in every game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

from msgspec import structs

from rules.core.protocol import Event, Result, Seat, Step
from rules.core.view import Text


class CaptainConceded(Event, frozen=True, kw_only=True, tag="GaveUp"):
    """A captain gave up. A game that reports more extends this event."""

    weight: ClassVar[Literal[0, 1, 2, 3]] = 2
    may_reveal = False

    seat: Seat  # the captain who gave up


class SeatTakenUp(Event, frozen=True, kw_only=True, tag="TookUp"):
    """Another captain took the seat of one who had conceded."""

    weight: ClassVar[Literal[0, 1, 2, 3]] = 2

    seat: Seat  # the seat that got a new captain


def end_game(state: Any, events: Iterable[Event], winners: Iterable[Seat], reason: Text, **changes: Any) -> Step:  # noqa: ANN401 - any game's state and fields
    """Return the last step of a game, with its result and these changes of the state. A draw has no winners."""
    outcome = Result(winners=tuple(winners), reason=reason)
    return Step(structs.replace(state, result=outcome, **changes), tuple(events))
