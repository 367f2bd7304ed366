"""Limit rating changes so that two accounts of one person cannot climb by playing each other.

Nobody can tell who owns an account. But a rating that is given away costs a game: rounds in which both sides have
acted, and only some games a week between the same players count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, Protocol

from msgspec import Struct

from bot.lifecycle.people import forgotten
from bot.lifecycle.people.captains import Captains, LinkedGame
from bot.lifecycle.people.rounds import MIN_ROUNDS, answered_rounds
from bot.lifecycle.steps import undo
from bot.lifecycle.steps.playing import SeatedGame
from bot.store.models.records import StepCause
from bot.store.queries.transaction import Transaction
from rules.core.protocol import AgreeDraw, CallOff, Concede, Seat

MAX_GAMES_PER_PAIR: Final = 3
PAIR_WINDOW_S: Final = 7 * 86_400


class SharedGamesQuery(Protocol):
    """Finds games that ended between two times, with the sides of some users in them, by game and user."""

    async def __call__(
        self, system: str, user_ids: Iterable[int], /, *, since: int, until: int
    ) -> dict[int, dict[int, set[int]]]: ...


class RatingLimits(Struct, frozen=True):
    losers_only: frozenset[int] | None = None  # sides whose ratings may fall, while none may rise; None: no limit
    capped_users: frozenset[int] = frozenset()  # users whose rating may not rise
    spared_users: frozenset[int] = frozenset()
    """Capped users whose rating may not fall either: they could not have arranged this once they were losing."""

    def for_losers_only(self, teams: frozenset[int]) -> RatingLimits:
        falling_teams = teams if self.losers_only is None else teams & self.losers_only
        return RatingLimits(losers_only=falling_teams, capped_users=self.capped_users, spared_users=self.spared_users)

    def forbids(self, user_id: int, change: int) -> bool:
        return user_id in (self.spared_users if change < 0 else self.capped_users)

    @property
    def explanation_key(self) -> str:
        """The `…` of the key `act.unrated_…` that explains the limits; "" if there is nothing to explain."""
        if self.losers_only is not None:
            return "brief"
        return "often" if self.capped_users else ""


async def limits_of(tx: Transaction, captains: Captains, *, gave_up: bool, now: int) -> RatingLimits:
    """Return the limits for a game that has just ended, by its captains' decision (`gave_up`) or by the rules.

    Conceding at once raises nobody's rating, and a captain who had begun to play still loses. So does one who left the
    play to stand-ins against an active opponent; otherwise captains could order only once they see that they win.
    """
    forgotten_users = await forgotten.load_forgotten(tx, now=now)
    # By side: whether it gave any orders, and whether it did in enough rounds.
    has_acted, has_played = await count_sides_played(
        tx, captains.seated_game, gave_up=gave_up, first_game=captains.first_game
    )
    if not all(has_played.values()):  # then nobody rises
        any_has_played = any(has_played.values())
        falling_teams = frozenset(team for team, acted in has_acted.items() if acted or any_has_played)
        return RatingLimits(losers_only=falling_teams)
    return await _limits_for_frequent_opponents(tx, captains, forgotten_users, now)


async def ended_by_captains(
    tx: Transaction, seated_game: SeatedGame, losers: Collection[Seat], cause: StepCause
) -> bool:
    """Return whether captains ended the game by their decision, or a loser has conceded since the last round began."""
    if isinstance(cause, AgreeDraw | CallOff | Concede):
        return True
    game_id = seated_game.game.id
    seats_that_gave_up = undo.recently_conceded_seats(
        await tx.steps.causes_of_game(game_id), await tx.requests.rounds_by_request(game_id)
    )
    return not seats_that_gave_up.isdisjoint(losers)


async def count_sides_played(
    tx: Transaction, seated_game: SeatedGame, *, gave_up: bool, first_game: LinkedGame | None = None
) -> tuple[dict[int, bool], dict[int, bool]]:
    """Return, by side, whether its captains gave any orders, and whether they did in enough rounds.

    That is `MIN_ROUNDS`, or all rounds if the rules ended the game sooner. With the `first_game` of a match, the rounds
    of both games count, and the rules must have ended both.
    """
    rounds_by_team, round_count = await _count_rounds_ordered(tx, seated_game)
    if first_game is not None:
        first = first_game.captains.seated_game
        first_rounds_by_team, first_round_count = await _count_rounds_ordered(tx, first)
        teams = {(first.seats[old].team, seated_game.seats[new].team) for old, new in first_game.seat_pairs}
        for first_team, team in teams:
            rounds_by_team[team] += first_rounds_by_team[first_team]
        round_count += first_round_count
        (_, first_cause) = (await tx.steps.causes_of_game(first.game.id))[-1]
        gave_up = gave_up or await ended_by_captains(tx, first, [seat.seat for seat in first.seats], first_cause)
    required_rounds = MIN_ROUNDS if gave_up else min(MIN_ROUNDS, round_count)
    has_acted = {team: bool(rounds) for team, rounds in rounds_by_team.items()}
    has_played = {team: rounds >= required_rounds for team, rounds in rounds_by_team.items()}
    return has_acted, has_played


async def _count_rounds_ordered(tx: Transaction, seated_game: SeatedGame) -> tuple[dict[int, int], int]:
    # Returns in how many rounds captains of each side gave orders in person, and the number of resolved rounds.
    rounds = await answered_rounds(tx, seated_game.game.id)
    rounds_by_team: dict[int, set[int]] = {seat.team: set() for seat in seated_game.seats}
    for answered in rounds:
        if answered.is_in_person:
            rounds_by_team[seated_game.seats[answered.seat].team].add(answered.round)
    round_count = len({answered.round for answered in rounds})
    return {team: len(rounds_ordered) for team, rounds_ordered in rounds_by_team.items()}, round_count


async def _limits_for_frequent_opponents(
    tx: Transaction, captains: Captains, forgotten_users: forgotten.ForgottenUsers, now: int
) -> RatingLimits:
    """Return limits for users who have met an opponent too often in rated games, before this one began or ended.

    Opponents are all who have held a seat of another side, in either game, even if they gave it away or were
    forgotten, but not those who were put there and gave no orders. Who has met one too often doesn't rise (is capped),
    and doesn't fall (is spared) only if that was an original opponent before this game began, or they have met all
    opponents: otherwise a loser could still play the missing games against a second account.
    """
    seated_game = captains.seated_game
    first_of_all = captains.first_game.captains.seated_game.game if captains.first_game else seated_game.game
    first_step = await tx.steps.find(first_of_all.id, 0)
    began = first_step.resolved_at if first_step else first_of_all.created_at
    games = tx.ratings.sides_in_shared_games
    pairs_before = await _frequent_pairs(captains, forgotten_users, games, since=began - PAIR_WINDOW_S, until=began)
    pairs_lately = await _frequent_pairs(captains, forgotten_users, games, since=now - PAIR_WINDOW_S, until=now)
    user_of_tenure = {
        tenure: captaincy.user_id
        for tenure in captains.tenures
        if (captaincy := tenure.captaincy).user_id is not None and captaincy.has_played
    }
    team_of = {tenure: seated_game.seats[tenure.seat].team for tenure in user_of_tenure}
    capped, spared = set(), set()
    for tenure, user_id in user_of_tenure.items():
        opponents = [other for other in user_of_tenure if team_of[other] != team_of[tenure]]
        met_before = [other for other in opponents if (user_id, user_of_tenure[other]) in pairs_before]
        met_lately = [other for other in opponents if (user_id, user_of_tenure[other]) in pairs_lately]
        if met_before or met_lately:
            capped.add(user_id)
        knew_opponent = any(other.is_original for other in met_before)
        if knew_opponent or (met_lately and len(met_lately) == len(opponents)):
            spared.add(user_id)
    return RatingLimits(capped_users=frozenset(capped), spared_users=frozenset(spared))


async def have_trained_often(tx: Transaction, captains: Captains, *, now: int) -> bool:
    """Return whether opponents have met in `MAX_GAMES_PER_PAIR` games that taught their keepsakes, in the last days."""
    pairs = await _frequent_pairs(
        captains,
        await forgotten.load_forgotten(tx, now=now),
        tx.keepsakes.sides_in_teaching_games,
        since=now - PAIR_WINDOW_S,
        until=now,
    )
    return any(captains.teams_of(user_id).isdisjoint(captains.teams_of(other)) for user_id, other in pairs)


async def _frequent_pairs(
    captains: Captains,
    forgotten_users: forgotten.ForgottenUsers,
    sides_in_games: SharedGamesQuery,
    *,
    since: int,
    until: int,
) -> set[tuple[int, int]]:
    """Return pairs of users who were opponents in at least `MAX_GAMES_PER_PAIR` games that `sides_in_games` finds."""
    captaincies = [tenure.captaincy for tenure in captains.tenures if tenure.captaincy.has_played]
    seats_held = [(captaincy, captaincy.user_id) for captaincy in captaincies if captaincy.user_id is not None]
    users = {user_id for _, user_id in seats_held}
    # A negative number stands for a user who was forgotten in this game, or in the first game of its match.
    known_users = {user_id for user_id in users if user_id > 0}
    teams_by_game = await sides_in_games(captains.seated_game.game.system, known_users, since=since, until=until)
    teams_by_game.pop(captains.seated_game.game.id, None)  # it may have ended already
    for captaincy, user_id in seats_held:
        records = (
            forgotten_users.records_of(user_id)
            if user_id in known_users
            else forgotten_users.records_in_seat(captaincy.game_id, captaincy.seat)
        )
        for record in records:
            for game_id, sides in record.sides.items():
                # A game that was not found is too old, was erased, or has no known user of this game for a pair.
                if game_id in teams_by_game:
                    teams_by_game[game_id].setdefault(user_id, set()).update(sides.values())

    def met_often(user: int, other: int) -> bool:
        sides = [(teams.get(user, set()), teams.get(other, set())) for teams in teams_by_game.values()]
        were_opponents = [
            any(team != other_team for team in user_teams for other_team in other_teams)
            for user_teams, other_teams in sides
        ]
        return sum(were_opponents) >= MAX_GAMES_PER_PAIR

    return {(user, other) for user in users for other in users if met_often(user, other)}
