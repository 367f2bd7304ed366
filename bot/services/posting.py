"""Limit how often one person makes the bot post for the others of a game."""

from __future__ import annotations

from typing import Final

from bot.errors import Refusal

MAX_AT_ONCE: Final = 10
REFILL_S: Final = 300  # after a burst, one more post is allowed each time these seconds have passed
_PRUNING_SIZE: Final = 1000


class PostLimits:
    """A token bucket for each game and person, in memory: a restart fills it."""

    def __init__(self) -> None:
        self._full_at: dict[tuple[int, int], int] = {}  # when each bucket will be full again (Unix seconds)

    def count_post(self, game_id: int, user_id: int, *, now: int) -> None:
        """Count a post that a user causes. Raises `Refusal` if they have caused too many."""
        key = game_id, user_id
        full_at = max(self._full_at.get(key, now), now) + REFILL_S
        allowed_at = full_at - MAX_AT_ONCE * REFILL_S
        if allowed_at > now:
            raise Refusal("posted_too_often", when=allowed_at)
        self._full_at[key] = full_at
        if len(self._full_at) > _PRUNING_SIZE:
            self._full_at = {key: full_at for key, full_at in self._full_at.items() if full_at > now}
