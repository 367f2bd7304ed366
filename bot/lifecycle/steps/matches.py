"""Matches: two games of the same captains, who exchange sides between them; the points of both are added.

The second game begins by itself when the first is over, with the captains that the first has then: who puts captains
into seats, or has left one, answers for it in the whole match (see `captains_of`). Ratings change once, by the result
of the match, when the second game ends. A match of which a game was called off has no result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec import structs

from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import keepsakes
from bot.lifecycle.ratings.ratings import PlayerOutcome
from bot.lifecycle.ratings.rematching import rematch_setup
from bot.lifecycle.steps.exchange import exchange_sides, seats_after_exchange
from bot.lifecycle.steps.playing import SeatedGame
from bot.store.models.records import Game, SeatRow, StepCause
from bot.store.queries.games import NewGameRow
from bot.store.queries.transaction import Transaction
from rules.core.protocol import CallOff, Result, Seat, Setup

MATCH_GAMES: Final = 2


def can_exchange_sides(teams: Sequence[int]) -> bool:
    """Return whether there are two sides of equal size, so that a match is possible."""
    sizes = Counter(teams)
    return len(sizes) == MATCH_GAMES and len(set(sizes.values())) == 1


def points_of(game: Game | None) -> tuple[float, ...]:
    """Return each side's points in a finished game of a match; empty: it is not over or was called off."""
    return tuple(msgspec.json.decode(game.points, type=list[float])) if game and game.points else ()


def match_points(first: Game | None, second: Game) -> tuple[float, ...]:
    """Return the points of both games by side of the second game; empty: the match has no result."""
    first_points, second_points = points_of(first), points_of(second)
    if not first_points or not second_points:
        return ()
    return tuple(
        first + second for first, second in zip([*first_points[1:], *first_points[:1]], second_points, strict=True)
    )


def match_outcomes(seats: Sequence[SeatRow], points: Sequence[float]) -> dict[Seat, PlayerOutcome]:
    """Return how a match ended for each seat of its second game."""
    if len(set(points)) == 1:
        return {seat.seat: "drawn" for seat in seats}
    return {seat.seat: "won" if points[seat.team] == max(points) else "lost" for seat in seats}


def side_points(seats: Sequence[SeatRow], result: Result, points: Mapping[Seat, float]) -> list[float]:
    """Return each side's points in a finished game; without `points` of the game's own, one point for a win."""
    teams = sorted({seat.team for seat in seats})
    if points:
        return [next(points[seat.seat] for seat in seats if seat.team == team) for team in teams]
    winning_teams = {seats[winner].team for winner in result.winners} or {*teams}
    return [1 / len(winning_teams) if team in winning_teams else 0.0 for team in teams]


async def finish_game(
    tx: Transaction,
    seated_game: SeatedGame,
    result: Result,
    points: Mapping[Seat, float],
    *,
    cause: StepCause,
    now: int,
) -> None:
    """Store the points of a finished game of a match, and open the second game after the first."""
    game = seated_game.game
    if isinstance(cause, CallOff):
        return
    stored_points = msgspec.json.encode(side_points(seated_game.seats, result, points)).decode()
    await tx.games.change(game.id, points=stored_points)
    if game.is_match:
        await _open_second_game(tx, seated_game, now=now)


async def _open_second_game(tx: Transaction, seated_game: SeatedGame, *, now: int) -> None:
    """Open the second game. Its seed was fixed in the lobby, before the words, which count in its dice too."""
    game = seated_game.game
    assert game.second_seed is not None  # noqa: S101 - every lobby has it
    opening = NewGameRow.copy_of(
        game,
        setup=structs.replace(await rematch_setup(tx, game), match_game=MATCH_GAMES),
        seed=game.second_seed,
        created_at=now,
        rated=game.rated,
        first_game_id=game.id,
    )
    game_id = await tx.games.add(opening)
    for seat, holder in zip(seated_game.seats, exchange_sides(seated_game.seats), strict=True):
        await tx.seats.add(
            game_id=game_id,
            seat=seat.seat,
            team=seat.team,
            user_id=holder.user_id,
            computer=holder.user_id is None,
            word=holder.word,
        )


async def second_setup(tx: Transaction, seated_game: SeatedGame) -> Setup:
    """Return the setup with which the second game begins: with the keepsakes that the captains bring now."""
    return await keepsakes.with_keepsakes(tx, seated_game, begins=False)


async def begin_second_game(tx: Transaction, game: Game, setup: Setup, *, now: int) -> None:
    """Seat the captains of a match's second game, and announce it."""
    if setup != game.setup:
        await tx.games.change(game.id, setup=setup)
    first_seats = await tx.seats.of_game(game.first_game_id or 0)
    captaincies = await tx.captaincies.of_game(game.first_game_id or 0)
    last_captaincies = {captaincy.seat: captaincy for captaincy in captaincies if captaincy.to_step is None}
    first_seat_of = {seat: first_seat for first_seat, seat in seats_after_exchange(first_seats)}
    for seat in await tx.seats.of_game(game.id):
        captaincy = last_captaincies.get(first_seat_of.get(seat.seat, -1))
        if captaincy or seat.user_id is not None:
            await tx.captaincies.begin(
                game.id,
                seat.seat,
                user_id=seat.user_id,
                from_step=0,
                put_by=captaincy.put_by if captaincy else None,
                acted=captaincy.acted if captaincy else False,
            )
    await enqueue.announce_start(tx, game.id, now=now)


async def rated_outcomes(
    tx: Transaction, seated_game: SeatedGame, outcomes: dict[Seat, PlayerOutcome]
) -> dict[Seat, PlayerOutcome]:
    """Return the outcomes by which a finished game changes ratings: in a match's second game those of the match."""
    game = seated_game.game
    if game.first_game_id is None:
        return outcomes
    points = match_points(await tx.games.find_for_update(game.first_game_id), game)
    return match_outcomes(seated_game.seats, points) if points else outcomes
