"""Define a bot's share of all games, and the notifications between bots on one database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

CLOSED_VERSION: Final = 2**31
"""Higher than any draft's version. Marks a closed request."""


class HeldShards(Struct, frozen=True):
    bot_name: str  # whose shards these are
    shard_count: int  # of all bots together
    held_tokens: Mapping[int, int]  # of the bot's leases, by shard
    all_tokens: Mapping[int, int]
    """`held_tokens`, and tokens of shards that the bot leaves to another one after its present work."""

    def has_server(self, guild_id: int) -> bool:
        return (guild_id >> 22) % self.shard_count in self.held_tokens


class DraftVersion(Struct, frozen=True):
    bot_name: str  # the bot that changed the draft
    game_id: int
    request_id: str  # the request that the draft answers
    step_no: int  # the step that asked the request
    first_version: int  # version since which the draft was only extended
    last_version: int  # the present version of the draft


class Notifications(Struct, frozen=True):
    has_changes: bool  # whether other bots have left messages or deadlines
    draft_versions: Sequence[DraftVersion] = ()  # drafts that other bots have changed
