"""Which part of all games is a bot's own, where several play on one database, and what they tell each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

CLOSED_VERSION: Final = 2**31
"""Higher than the version of any draft: nobody may change it any more."""


class HeldShards(Struct, frozen=True):
    """The shards that a bot holds at one moment."""

    bot_name: str
    """The bot's name."""
    shard_count: int
    """How many there are in all."""
    held_tokens: Mapping[int, int]
    """Those that it looks after, each with the token of its lease."""
    all_tokens: Mapping[int, int]
    """Those, and others that it will leave to another bot once what it has in hand there is done."""

    def has_server(self, guild_id: int) -> bool:
        """Whether a server is in one of them."""
        return (guild_id >> 22) % self.shard_count in self.held_tokens


class DraftVersion(Struct, frozen=True):
    """Which version a draft has by now, as the bot tells the others that has changed it."""

    bot_name: str
    """The bot's name."""
    game_id: int
    request_id: str
    step_no: int
    first_version: int
    """Since this version it was only added to."""
    last_version: int


class Notifications(Struct, frozen=True):
    """What other bots have said."""

    has_changes: bool
    """Whether messages may be wanted, or deadlines set, that we have not looked for."""
    draft_versions: Sequence[DraftVersion] = ()
