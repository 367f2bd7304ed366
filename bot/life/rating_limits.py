"""Whether enough was played for a game to count on the ladder: two accounts of one person shall not climb by it.

Nobody can tell who sits behind an account. But a rating that is given away costs what a game costs: rounds in which
both sides have acted, and that only some of a week's games between the same players count.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from bot.life import forgotten
from bot.life.captains import Captains
from bot.life.playing import Playing
from bot.store.queries import Transaction
from bot.store.records import ASIDE, Answered, Captaincy

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

    def of_losers(self, teams: frozenset[int]) -> RatingLimits:
        """Return these limits where nobody rises, and none but these sides may fall."""
        fall = teams if self.losers_only is None else teams & self.losers_only
        return RatingLimits(losers_only=fall, capped_users=self.capped_users)

    @property
    def said(self) -> str:
        """As `act.unrated_<said>` in the catalogues; empty: nothing needs to be."""
        if self.losers_only is not None:
            return "brief"
        return "often" if self.capped_users else ""


async def limits_of(tx: Transaction, captains: Captains, *, gave_up: bool, now: int) -> RatingLimits:
    """What a game that has just ended, by a captain who `gave_up` or by the rules, may do to ratings.

    Giving up at once lifts nobody's rating, and a captain who had begun to play still loses.
    """
    marks = await forgotten.marks_of(tx, now=now)
    acted, rounds = await _rounds_acted(tx, captains.playing)
    least = ROUNDS_LEAST if gave_up else min(ROUNDS_LEAST, rounds)
    if any(len(those) < least for those in acted.values()):
        return RatingLimits(losers_only=frozenset(team for team, those in acted.items() if those))
    return RatingLimits(capped_users=await _met_often(tx, captains, marks, now))


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


async def _met_often(tx: Transaction, captains: Captains, marks: forgotten.Marks, now: int) -> frozenset[int]:
    """Return the users who have recently played the most rated games allowed against an opponent of this game.

    Opponents are all who have held a seat of another side, here and there, even if they gave it away at the end, or
    were forgotten since. An opponent who was put there by their own side saves nobody from a defeat.
    """
    playing = captains.playing
    held = {one: one.user_id for one in captains.held if one.user_id is not None}
    met = await tx.ratings.met(playing.game.system, held.values(), since=now - PAIR_WINDOW_S)
    for one, user_id in held.items():
        for gone in marks.of(user_id) if user_id > 0 else marks.in_seat(playing.game.id, one.seat):
            for game_id, sides in gone.sides.items():
                # In the others nobody of this game held a seat, or only some whose ratings of them were erased.
                if game_id in met:
                    met[game_id].setdefault(user_id, set()).update(sides.values())

    def often(one: Captaincy, other: Captaincy) -> bool:
        if other.put_by is not None and playing.seats[one.seat].team in captains.teams(other.put_by):
            return False
        found = [(game.get(held[one], set()), game.get(held[other], set())) for game in met.values()]
        return sum(any(mine != theirs for mine in ours for theirs in others) for ours, others in found) >= PAIR_MOST

    pairs = [(one, other) for one in held for other in held]
    against = [pair for pair in pairs if len({playing.seats[one.seat].team for one in pair}) > 1]
    return frozenset(held[one] for one, other in against if often(one, other))
