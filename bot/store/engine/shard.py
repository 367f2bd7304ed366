"""Define a bot's share of all games, and the notifications between bots on one database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

CLOSED_VERSION: Final = 2**31
"""Higher than any draft's version. Marks a closed request."""


class HeldShards(Struct, frozen=True):
    bot_name: str
    shard_count: int
    held_tokens: Mapping[int, int]
    all_tokens: Mapping[int, int]
    """`held_tokens`, and tokens of shards that the bot leaves to another one after its present work."""

    def has_server(self, guild_id: int) -> bool:
        return (guild_id >> 22) % self.shard_count in self.held_tokens


class DraftVersion(Struct, frozen=True):
    bot_name: str
    game_id: int
    request_id: str
    step_no: int
    first_version: int
    """The version since which the draft was only extended."""
    last_version: int


class Notifications(Struct, frozen=True):
    has_changes: bool
    draft_versions: Sequence[DraftVersion] = ()
