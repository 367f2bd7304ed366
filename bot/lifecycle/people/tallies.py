"""Count what a person does against a limit, so that neither a restart, nor **Forget me**, nor a deletion resets it.

Forgotten people are counted by a number that names nobody (see `forgotten`). All counts expire by themselves.
"""

from __future__ import annotations

from bot.lifecycle.people import forgotten
from bot.store.queries.tallies import Tally
from bot.store.queries.transaction import Transaction


async def count(tx: Transaction, kind: str, user_id: int, *, now: int, until: int, game_id: int | None = None) -> None:
    """Store that a user did something that counts up to `until` (Unix seconds), in one game or (None) in all."""
    await forgotten.erase_expired(tx, now=now)
    await tx.tallies.add(kind, user_id, at=now, until=until, game_id=game_id)


async def still_counted(
    tx: Transaction, kind: str, user_id: int, *, now: int, game_id: int | None = None
) -> list[Tally]:
    """Return what still counts for a user in a game, or (None) in any, oldest first.

    It includes what they did before they were forgotten.
    """
    user_ids = await forgotten.known_user_ids(tx, user_id)
    return await tx.tallies.of_users(kind, user_ids, now=now, game_id=game_id)


async def uncount(tx: Transaction, kind: str, user_id: int, *, game_id: int) -> None:
    """Delete what counts for a user in one game."""
    await tx.tallies.delete((kind,), await forgotten.known_user_ids(tx, user_id), game_id=game_id)
