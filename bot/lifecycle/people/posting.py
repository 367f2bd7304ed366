"""Limit how often one person makes the bot post for the others of a game.

A token bucket for each game and person. Each tally holds, as the time when it expires, when the bucket is full again.
"""

from __future__ import annotations

from typing import Final

from bot.errors import Refusal
from bot.lifecycle.people import tallies
from bot.store.queries.transaction import Transaction

POST: Final = "post"  # kind of the tally
MAX_AT_ONCE: Final = 10
REFILL_S: Final = 300  # after a burst, one more post is allowed each time these seconds have passed


async def count_post(tx: Transaction, game_id: int, user_id: int, *, now: int) -> None:
    """Count a post that a user causes. Raises `Refusal` if they have caused too many."""
    counted = await tallies.still_counted(tx, POST, user_id, now=now, game_id=game_id)
    full_at = max([now, *(tally.until for tally in counted)]) + REFILL_S
    allowed_at = full_at - MAX_AT_ONCE * REFILL_S
    if allowed_at > now:
        raise Refusal("posted_too_often", when=allowed_at)
    await tallies.count(tx, POST, user_id, now=now, until=full_at, game_id=game_id)
