"""Which part of all games is a bot's own, where several play on one database."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Share(Struct, frozen=True):
    """The shards that a bot holds at one moment."""

    holder: str
    """The bot's name."""
    shards: int
    """How many there are in all."""
    held: Mapping[int, int]
    """Those that it looks after, each with the token of its lease."""
    tokens: Mapping[int, int]
    """Those, and others that it will leave to another bot once what it has in hand there is done."""

    def has(self, guild_id: int) -> bool:
        """Whether a server is in one of them."""
        return (guild_id >> 22) % self.shards in self.held
