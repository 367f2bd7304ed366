"""Whether enough was played for a game to count on the ladder: two accounts of one person shall not climb by it.

Nobody can tell who sits behind an account. But a rating that is given away costs what a game costs: rounds in which
both sides have acted, and that only some of a week's games between the same players count.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from msgspec import Struct

from bot.lifecycle.people import forgotten
from bot.lifecycle.people.captains import Captains
from bot.lifecycle.steps import undo
from bot.lifecycle.steps.playing import SeatedGame
from bot.store.models.records import SET_ASIDE_MARK, RequestsAnswered, StepCause
from bot.store.queries.transaction import Transaction
from rules.core.protocol import AgreeDraw, CallOff, Concede, Seat

MIN_ROUNDS: Final = 3
"""Rounds in which a captain of each side must have given orders; all of them if the rules ended the game sooner."""
MAX_GAMES_PER_PAIR: Final = 3
"""Rated games of one system in `PAIR_WINDOW_S` between the same players; what they play besides is not rated."""
PAIR_WINDOW_S: Final = 7 * 86_400


class RatingLimits(Struct, frozen=True):
    """Whose ratings a game may not raise, and whose it may not lower; with none of them, it may change all."""

    losers_only: frozenset[int] | None = None
    """Too little was played: nobody rises, and of the sides only these, which had an opponent or acted, fall."""
    capped_users: frozenset[int] = frozenset()
    """Users who have played often enough of late against somebody here: they don't rise."""
    spared_users: frozenset[int] = frozenset()
    """Those of them who don't fall either: nobody could bring that about once they saw that they would lose."""

    def for_losers_only(self, teams: frozenset[int]) -> RatingLimits:
        """Return these limits where nobody rises, and none but these sides may fall."""
        fall = teams if self.losers_only is None else teams & self.losers_only
        return RatingLimits(losers_only=fall, capped_users=self.capped_users, spared_users=self.spared_users)

    def forbids(self, user_id: int, change: int) -> bool:
        """Whether somebody's rating may not change by so many points, because of how often they have met others."""
        return user_id in (self.spared_users if change < 0 else self.capped_users)

    @property
    def explanation_key(self) -> str:
        """As `act.unrated_<said>` in the catalogues; empty: nothing needs to be."""
        if self.losers_only is not None:
            return "brief"
        return "often" if self.capped_users else ""


async def limits_of(tx: Transaction, captains: Captains, *, gave_up: bool, now: int) -> RatingLimits:
    """What a game that has just ended, by a captain who `gave_up` or by the rules, may do to ratings.

    Giving up at once lifts nobody's rating, and a captain who had begun to play still loses. So does one who let the
    first mate play against somebody who did play: else who orders only once they see that they win would never lose.
    """
    marks = await forgotten.load_forgotten(tx, now=now)
    acted, played = await count_sides_played(tx, captains.seated_game, gave_up=gave_up)
    if not all(played.values()):
        return RatingLimits(losers_only=frozenset(team for team, did in acted.items() if did or any(played.values())))
    return await _limits_for_frequent_opponents(tx, captains, marks, now)


async def ended_by_captains(tx: Transaction, playing: SeatedGame, losers: Collection[Seat], cause: StepCause) -> bool:
    """Whether captains rather than the rules brought about how a game ended, of which `cause` was the last step.

    So did one of those who lost who gave up in its last round, also if that was played to its end first. Who gave up
    before that left it to their allies how it would end.
    """
    if isinstance(cause, AgreeDraw | CallOff | Concede):
        return True
    game_id = playing.game.id
    late = undo.recently_conceded_seats(
        await tx.steps.causes_of_game(game_id), await tx.requests.rounds_by_request(game_id)
    )
    return not late.isdisjoint(losers)


async def count_sides_played(
    tx: Transaction, playing: SeatedGame, *, gave_up: bool
) -> tuple[dict[int, bool], dict[int, bool]]:
    """Whether the captains of each side have given any orders, and whether in as many rounds as must be played."""
    acted, rounds = await _rounds_ordered(tx, playing)
    least = MIN_ROUNDS if gave_up else min(MIN_ROUNDS, rounds)
    return {team: bool(those) for team, those in acted.items()}, {
        team: len(those) >= least for team, those in acted.items()
    }


async def _rounds_ordered(tx: Transaction, playing: SeatedGame) -> tuple[dict[int, set[int]], int]:
    """Return the rounds in which each side's captains gave orders that were carried out, and how many rounds had any.

    Setting up, before the first round, doesn't count.
    """
    game_id = playing.game.id
    rounds, answers = await tx.requests.rounds_by_request(game_id), await tx.answers.of_game(game_id)
    done = {
        request
        for _, cause in await tx.steps.causes_of_game(game_id)
        if isinstance(cause, RequestsAnswered)
        for request in cause.requests
        if SET_ASIDE_MARK not in request and request in answers and rounds[request]
    }
    acted: dict[int, set[int]] = {seat.team: set() for seat in playing.seats}
    for request in done:
        answer = answers[request]
        if answer.given_by == "captain":
            acted[playing.seats[answer.seat].team].add(rounds[request])
    return acted, len({rounds[request] for request in done})


async def _limits_for_frequent_opponents(
    tx: Transaction, captains: Captains, marks: forgotten.ForgottenUsers, now: int
) -> RatingLimits:
    """Limit those who have met an opponent of this game in as many rated games as count, before it began or ended.

    Opponents are all who have held a seat of another side, here and there, even if they gave it away at the end, or
    were forgotten since. Who would lose could still play the games that are missing against a second account: so they
    don't fall only if they had met an opponent of the first hour that often before it began, or have met them all.
    """
    playing = captains.seated_game
    first = await tx.steps.find(playing.game.id, 0)
    began = first.resolved_at if first else playing.game.created_at
    before = await _frequent_pairs(tx, captains, marks, since=began - PAIR_WINDOW_S, until=began)
    lately = await _frequent_pairs(tx, captains, marks, since=now - PAIR_WINDOW_S, until=now)
    held = {one: one.user_id for one in captains.captaincies if one.user_id is not None}
    team = {one: playing.seats[one.seat].team for one in held}
    capped, spared = set(), set()
    for one, user_id in held.items():
        others = [other for other in held if team[other] != team[one]]
        met_before = [other for other in others if (user_id, held[other]) in before]
        met_lately = [other for other in others if (user_id, held[other]) in lately]
        if met_before or met_lately:
            capped.add(user_id)
        there = any(other.from_step == 0 and other.put_by is None for other in met_before)
        if there or (met_lately and len(met_lately) == len(others)):
            spared.add(user_id)
    return RatingLimits(capped_users=frozenset(capped), spared_users=frozenset(spared))


async def _frequent_pairs(
    tx: Transaction, captains: Captains, marks: forgotten.ForgottenUsers, *, since: int, until: int
) -> set[tuple[int, int]]:
    """Return the pairs of this game's users who met on two sides in as many rated games of that time as count."""
    game = captains.seated_game.game
    held = [(one.seat, one.user_id) for one in captains.captaincies if one.user_id is not None]
    users = {user_id for _, user_id in held}
    met = await tx.ratings.sides_in_shared_games(game.system, users, since=since, until=until)
    for seat, user_id in held:
        for gone in marks.records_of(user_id) if user_id > 0 else marks.records_in_seat(game.id, seat):
            for game_id, sides in gone.sides.items():
                # In the others nobody of this game held a seat, or only some whose ratings of them were erased.
                if game_id in met:
                    met[game_id].setdefault(user_id, set()).update(sides.values())

    def often(one: int, other: int) -> bool:
        found = [(sides.get(one, set()), sides.get(other, set())) for sides in met.values()]
        return (
            sum(any(mine != theirs for mine in ours for theirs in others) for ours, others in found)
            >= MAX_GAMES_PER_PAIR
        )

    return {(one, other) for one in users for other in users if often(one, other)}
