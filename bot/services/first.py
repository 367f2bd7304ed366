"""A first game against the computer, with the options that its rules propose. Each captain may have one open."""

from __future__ import annotations

from typing import Any

from bot.errors import Refusal
from bot.services import options
from bot.services.lobby import NewGame
from bot.store.models.records import Game
from bot.store.queries.transaction import Transaction
from bot.texts.whole import playable_systems
from rules.core.registry import RULESETS


def games_with_first_game() -> tuple[str, ...]:
    return tuple(name for name in playable_systems() if RULESETS[name].first_game_options is not None)


def first_game_request(system: str, **where: Any) -> NewGame:  # noqa: ANN401 - fields of `NewGame`
    """Return a request for a first game with one captain and computers. Raises `Refusal` if the system has none."""
    if system not in games_with_first_game():
        raise Refusal("no_first")
    rules = RULESETS[system]
    checked_options = options.check_options(rules, rules.first_game_options or {})
    computers = len(rules.seats(checked_options)) - 1
    return NewGame(system=system, options=checked_options, computers=computers, early=True, rated=False, **where)


async def find_open_first_game(tx: Transaction, user_id: int, request: NewGame, *, after: int = 0) -> Game | None:
    """Return the user's open first game with the requested options, even if it is paused.

    Games with ids up to `after` are ignored.
    """
    for game in await tx.games.of_user(user_id):
        is_as_requested = game.system == request.system and game.setup.options == request.options
        if game.id <= after or game.host_id != user_id or not is_as_requested:
            continue
        seats = await tx.seats.of_game(game.id)
        if all(seat.computer or seat.user_id == user_id for seat in seats):
            return game
    return None
