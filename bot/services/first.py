"""A first game against the computer, with what its rules propose for that: one for each captain at a time."""

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
    """Games that propose a first one, by name; whose button comes first is the first."""
    return tuple(name for name in playable_systems() if RULESETS[name].first_game_options is not None)


def first_game_request(system: str, **where: Any) -> NewGame:  # noqa: ANN401 - fields of `NewGame`
    """A first game as it is asked for: the computer has all seats but one. Raises `Refusal` if there is none."""
    if system not in games_with_first_game():
        raise Refusal("no_first")
    rules = RULESETS[system]
    chosen = options.check_options(rules, rules.first_game_options or {})
    computers = len(rules.seats(chosen)) - 1
    return NewGame(system=system, options=chosen, computers=computers, early=True, rated=False, **where)


async def find_open_first_game(tx: Transaction, user_id: int, wish: NewGame, *, after: int = 0) -> Game | None:
    """The first game that somebody has open already, be it paused: of the same options, and nobody else plays in it.

    Games up to the number `after` don't count.
    """
    for game in (one for one in await tx.games.of_user(user_id) if one.id > after):
        same = game.system == wish.system and game.setup.options == wish.options
        if game.host_id != user_id or not same:
            continue
        if all(seat.computer or seat.user_id == user_id for seat in await tx.seats.of_game(game.id)):
            return game
    return None
