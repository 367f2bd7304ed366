"""Games that count for nobody, though they were opened to be rated: their rematches are rated all the same."""

from __future__ import annotations

from typing import Final

from bot.store.models.records import Game
from bot.store.queries.transaction import Transaction

_RATED_FACT_PREFIX: Final = "meant_rated."
"""What is remembered of a game that is rated no more."""


async def make_unrated(tx: Transaction, game: Game) -> None:
    """From now on a game is not rated, whatever it was opened as."""
    if game.rated:
        await tx.games.change(game.id, rated=False)
        await tx.facts.store(f"{_RATED_FACT_PREFIX}{game.id}", "yes")


async def was_opened_rated(tx: Transaction, game: Game) -> bool:
    """Whether a game was opened to be rated, whatever came of it."""
    return game.rated or await tx.facts.find(f"{_RATED_FACT_PREFIX}{game.id}") is not None


async def forget_game(tx: Transaction, game_id: int) -> None:
    """Remember nothing more of a game that is deleted."""
    await tx.facts.delete([f"{_RATED_FACT_PREFIX}{game_id}"])
