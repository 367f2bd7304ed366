"""Games that became unrated although they were opened as rated. Their rematches are rated."""

from __future__ import annotations

from typing import Final

from bot.store.models.records import Game
from bot.store.queries.transaction import Transaction

_RATED_FACT_PREFIX: Final = "meant_rated."


async def make_unrated(tx: Transaction, game: Game) -> None:
    if game.rated:
        await tx.games.change(game.id, rated=False)
        await tx.facts.store(f"{_RATED_FACT_PREFIX}{game.id}", "yes")


async def was_opened_rated(tx: Transaction, game: Game) -> bool:
    """Return whether a game was opened as rated, even if it became unrated later."""
    return game.rated or await tx.facts.find(f"{_RATED_FACT_PREFIX}{game.id}") is not None


async def forget_game(tx: Transaction, game_id: int) -> None:
    await tx.facts.delete([f"{_RATED_FACT_PREFIX}{game_id}"])
