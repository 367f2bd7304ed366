"""The points of a match of two games."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bot.lifecycle.steps import matches
from bot.presenters.source import GameSource
from bot.store.models.records import SeatRow
from bot.texts.i18n import Localizer
from bot.texts.style import Markup


class MatchEnd(Struct, frozen=True, kw_only=True):
    points: tuple[float, ...]  # by side: of the first game, or after the second of both
    second_game: int | None  # the number of the second game after the first; None after the second


async def read_match_end(source: GameSource) -> MatchEnd | None:
    """Return the points of a match after one of its games; None: the game is in no match, or was called off."""
    game = source.game
    if game.is_match:
        second_game = await source.tx.games.second_game_of(game.id)
        if second_game is None:  # the operator has deleted it
            return None
        points, second_id = matches.points_of(game), second_game.id
    elif game.first_game_id is not None:
        first_game = await source.tx.games.find_without_lock(game.first_game_id)
        points, second_id = matches.match_points(first_game, game), None
    else:
        return None
    return MatchEnd(points=points, second_game=second_id) if points else None


def match_lines(localizer: Localizer, match: MatchEnd | None, seats: Sequence[SeatRow]) -> list[Markup]:
    """Return the points of a match: after its first game with the number of the second, after that with the winners."""
    if match is None:
        return []
    points = [
        localizer.say("match.side", who=[seat.seat for seat in seats if seat.team == team], points=side_points)
        for team, side_points in enumerate(match.points)
    ]
    if match.second_game is not None:
        return [localizer.say("match.first_over", points=points, number=match.second_game)]
    outcomes = matches.match_outcomes(seats, match.points)
    winners = [seat for seat, outcome in outcomes.items() if outcome == "won"]
    if not winners:
        return [localizer.say("match.drawn", points=points)]
    return [localizer.say("match.won", points=points, who=winners)]
