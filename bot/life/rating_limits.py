"""Whether enough was played for a game to count on the ladder: two accounts of one person shall not climb by it.

Nobody can tell who sits behind an account. But a rating that is given away costs what a game costs: rounds in which
both sides have acted, and that only some of a week's games between the same players count.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from bot.life.playing import Playing
from bot.store.queries import Transaction
from bot.store.records import ASIDE, Answered

ROUNDS_LEAST: Final = 3
"""Rounds in which a captain of each side must have given orders; all of them if the rules ended the game sooner."""
PAIR_MOST: Final = 3
"""Rated games of one system in `PAIR_WINDOW_S` between the same players; what they play besides is not rated."""
PAIR_WINDOW_S: Final = 7 * 86_400


class RatingLimits(Struct, frozen=True):
    """Whose ratings a game may not change, or not raise; with neither, it may change all."""

    losers_only: frozenset[int] | None = None
    """Too little was played: nobody rises, and of the sides only these, which have acted, fall."""
    capped_users: frozenset[int] = frozenset()
    """Users who have played often enough of late against somebody here: their ratings stay."""

    @property
    def said(self) -> str:
        """As `act.unrated_<said>` in the catalogues; empty: nothing needs to be."""
        if self.losers_only is not None:
            return "brief"
        return "often" if self.capped_users else ""


async def limits_of(tx: Transaction, playing: Playing, *, gave_up: bool, now: int) -> RatingLimits:
    """What a game that has just ended, by a captain who `gave_up` or by the rules, may do to ratings.

    Giving up at once lifts nobody's rating, and a captain who had begun to play still loses.
    """
    acted, rounds = await _rounds_acted(tx, playing)
    least = ROUNDS_LEAST if gave_up else min(ROUNDS_LEAST, rounds)
    if any(len(those) < least for those in acted.values()):
        return RatingLimits(losers_only=frozenset(team for team, those in acted.items() if those))
    return RatingLimits(capped_users=await _met_often(tx, playing, now))


async def _rounds_acted(tx: Transaction, playing: Playing) -> tuple[dict[int, set[int]], int]:
    """Return the rounds in which each side's captains gave orders that were carried out, and how many rounds had any.

    Setting up, before the first round, doesn't count.
    """
    game_id = playing.game.id
    rounds, answers = await tx.requests.rounds(game_id), await tx.answers.of(game_id)
    done = {
        request
        for _, cause in await tx.steps.causes(game_id)
        if isinstance(cause, Answered)
        for request in cause.requests
        if ASIDE not in request and request in answers and rounds[request]
    }
    acted: dict[int, set[int]] = {seat.team: set() for seat in playing.seats}
    for request in done:
        answer = answers[request]
        if answer.given_by == "captain":
            acted[playing.seats[answer.seat].team].add(rounds[request])
    return acted, len({rounds[request] for request in done})


async def _met_often(tx: Transaction, playing: Playing, now: int) -> frozenset[int]:
    """Return the users who have recently played the most rated games allowed against an opponent of this game."""
    sides = {seat.user_id: seat.team for seat in playing.seats if seat.user_id is not None}
    met = await tx.ratings.played_together(playing.game.system, sides, since=now - PAIR_WINDOW_S)

    def often(one: int, other: int) -> bool:
        against = [game for game in met if one in game and other in game and game[one] != game[other]]
        return len(against) >= PAIR_MOST

    return frozenset(one for one in sides for other in sides if sides[one] != sides[other] and often(one, other))
