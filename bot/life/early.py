"""When a round ends before its deadline."""

from __future__ import annotations

from collections.abc import Iterable

from bot.life.playing import Playing
from bot.store.records import RequestRow
from rules.registry import RULESETS


def ends_early(rows: Iterable[RequestRow], *, early: bool) -> bool:
    """Whether a round ends as soon as all have sealed: not while a battle goes on, from which they may learn."""
    return early and not any(row.body.battle for row in rows if row.body.optional)


def alone(playing: Playing) -> bool:
    """Whether a lobby's host plays against the computer alone, so far, a game whose rounds usually wait for their hour.

    They wait so that nobody gains by being quick. The computer doesn't, so such a game goes on early from its start.
    """
    people = sum(seat.user_id is not None for seat in playing.seats)
    return people == 1 and not RULESETS[playing.game.system].early
