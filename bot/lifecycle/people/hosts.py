"""Games whose host was forgotten: another captain is their host now, and has opened none of them."""

from __future__ import annotations

from typing import Final

from bot.store.queries.transaction import Transaction

_INHERITED_FACT_PREFIX: Final = "inherited."


async def make_host(tx: Transaction, game_id: int, user_id: int) -> None:
    await tx.games.change(game_id, host_id=user_id)
    await tx.facts.store(f"{_INHERITED_FACT_PREFIX}{game_id}", "yes")


async def has_opened(tx: Transaction, game_id: int) -> bool:
    """Return whether the game's host has opened it."""
    return await tx.facts.find(f"{_INHERITED_FACT_PREFIX}{game_id}") is None


async def forget_game(tx: Transaction, game_id: int) -> None:
    await tx.facts.delete([f"{_INHERITED_FACT_PREFIX}{game_id}"])
