"""Whether enough was played for a game to count on the ladder: two accounts of one person shall not climb by it.

Nobody can tell who sits behind an account. But a rating that is given away costs what a game costs: rounds in which
both sides have acted, and that only some of a week's games between the same players count.
"""

from __future__ import annotations

from typing import Final, Literal

from bot.life.playing import Playing
from bot.store.queries import Transaction
from bot.store.records import ASIDE, Answered

ROUNDS_LEAST: Final = 3
"""Rounds in which a captain of each side must have acted himself; all of them, if the rules ended it sooner."""
PAIR_MOST: Final = 3
"""Rated games of one system in `PAIR_WINDOW_S` between the same players; what they play besides is not rated."""
PAIR_WINDOW_S: Final = 7 * 86_400

Worth = Literal["full", "brief", "often"]
"""What a game may do to ratings: all that it says; nobody rises, and only who has acted falls; nothing."""


async def worth_of(tx: Transaction, playing: Playing, *, gave_up: bool, now: int) -> tuple[Worth, frozenset[int]]:
    """What a game that has just ended is worth, by a captain who `gave_up` or by the rules; and which sides acted.

    Giving up at once neither lifts anybody, nor saves from a defeat who had begun to play.
    """
    acted, rounds = await _rounds_acted(tx, playing)
    least = ROUNDS_LEAST if gave_up else min(ROUNDS_LEAST, rounds)
    sides = frozenset(team for team, those in acted.items() if those)
    if any(len(those) < least for those in acted.values()):
        return "brief", sides
    return "often" if await _met_often(tx, playing, now) else "full", sides


async def _rounds_acted(tx: Transaction, playing: Playing) -> tuple[dict[int, set[int]], int]:
    """The rounds in which captains of each side gave orders that were carried out, and in how many anybody did."""
    game_id = playing.game.id
    rounds, answers = await tx.rounds_asked(game_id), await tx.all_answers(game_id)
    done = {
        request
        for _, cause in await tx.causes(game_id)
        if isinstance(cause, Answered)
        for request in cause.requests
        if ASIDE not in request and request in answers
    }
    acted: dict[int, set[int]] = {seat.team: set() for seat in playing.seats}
    for request in done:
        answer = answers[request]
        if answer.given_by == "captain":
            acted[playing.seats[answer.seat].team].add(rounds[request])
    return acted, len({rounds[request] for request in done})


async def _met_often(tx: Transaction, playing: Playing, now: int) -> bool:
    """Whether all who play against each other here have done so often enough of late."""
    sides = {seat.user_id: seat.team for seat in playing.seats if seat.user_id is not None}
    met = await tx.rated_together(playing.game.system, sides, since=now - PAIR_WINDOW_S)

    def often(one: int, other: int) -> bool:
        against = [game for game in met if one in game and other in game and game[one] != game[other]]
        return len(against) >= PAIR_MOST

    pairs = [(one, other) for one in sides for other in sides if sides[one] < sides[other]]
    return bool(pairs) and all(often(*pair) for pair in pairs)
