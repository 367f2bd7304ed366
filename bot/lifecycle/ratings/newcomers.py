"""First games between people: unrated, with hints, unless the host chooses otherwise.

A newcomer is a person who has finished fewer than three games of a kind. A host's own choice stays when newcomers join.
"""

from __future__ import annotations

from typing import Final

from bot.store.models.records import Game
from bot.store.queries.transaction import Transaction

GAMES_AS_NEWCOMER: Final = 3
_CHOSEN_FACT_PREFIX: Final = "rating_chosen."


async def is_newcomer(tx: Transaction, user_id: int, system: str) -> bool:
    finished = [row for row in await tx.ratings.of_user(user_id) if row.system == system]
    return len(finished) < GAMES_AS_NEWCOMER


async def note_choice(tx: Transaction, game_id: int) -> None:
    """Note that the host has chosen whether a game is rated."""
    await tx.facts.store(f"{_CHOSEN_FACT_PREFIX}{game_id}", "yes")


async def unrate_for_newcomer(tx: Transaction, game: Game, user_id: int) -> None:
    """Make a game unrated that a newcomer joins, unless its host has chosen that it is rated."""
    is_chosen = await tx.facts.find(f"{_CHOSEN_FACT_PREFIX}{game.id}") is not None
    if game.rated and not is_chosen and await is_newcomer(tx, user_id, game.system):
        await tx.games.change(game.id, rated=False)


async def forget_game(tx: Transaction, game_id: int) -> None:
    await tx.facts.delete([f"{_CHOSEN_FACT_PREFIX}{game_id}"])
