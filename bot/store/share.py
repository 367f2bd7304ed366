"""Which part of all games is a bot's own, where several play on one database, and what they tell each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

CLOSED_VERSION: Final = 2**31
"""Higher than the version of any draft: nobody may change it any more."""


class HeldShards(Struct, frozen=True):
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


class DraftVersion(Struct, frozen=True):
    """Which version a draft has by now, as the bot tells the others that has changed it."""

    by: str
    """The bot's name."""
    game_id: int
    request_id: str
    step_no: int
    first: int
    """Since this version it was only added to."""
    last: int


class Notifications(Struct, frozen=True):
    """What other bots have said."""

    changed: bool
    """Whether messages may be wanted, or deadlines set, that we have not looked for."""
    drafted: Sequence[DraftVersion] = ()
