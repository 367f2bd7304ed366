"""Decide who may see a game, by any means: command, button, form, suggestion or direct message.

Captains and former captains, people with a reserved seat, and all members of the game's server may. A private game is
only for its captains and its server's managers. Everybody else gets the same answer as for a game that does not exist.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Literal

from msgspec import Struct

from bot.errors import Refusal
from bot.lifecycle.steps.playing import refuse_left_out
from bot.store import Store
from bot.store.models.records import Game

Membership = Literal["none", "member", "manager"]
MembershipLookup = Callable[[int, int], Awaitable[Membership | None]]
"""Return a user's membership of a server, by (server id, user id); None if it is unknown at the moment."""


class Requester(Struct, frozen=True, kw_only=True):
    user_id: int  # who asks to see a game
    guild_id: int | None = None  # the server where they ask; None in direct messages
    is_manager: bool = False  # whether they manage that server


class AccessControl:
    def __init__(self, store: Store, members: MembershipLookup) -> None:
        self._store = store
        self._membership_lookup = members

    async def require_visible(self, asker: Requester, number: int) -> Game:
        """Return a game that the user may see.

        Raises the same `Refusal` whether the game does not exist or the user may not see it; another one if the texts
        of its system are incomplete.
        """
        async with self._store.read() as tx:
            game = await tx.games.find_for_update(number)
        if game is None or not await self._may_see(asker, game):
            raise Refusal("unknown_game", piece=f"#{number}")
        refuse_left_out(game)
        return game

    async def filter_visible(self, asker: Requester, games: Iterable[Game]) -> list[Game]:
        return [game for game in games if await self._may_see(asker, game)]

    async def _may_see(self, asker: Requester, game: Game) -> bool:
        if game.has_no_server or (asker.guild_id == game.guild_id and (asker.is_manager or not game.private)):
            return True
        async with self._store.read() as tx:
            if await tx.games.involves_user(game.id, asker.user_id):
                return True
        if asker.guild_id == game.guild_id:
            return False  # the game is private
        membership = await self._membership_lookup(game.guild_id, asker.user_id)
        return membership == "manager" or (membership == "member" and not game.private)

    async def may_see_profile(self, asker: Requester, user_id: int) -> bool:
        """Return whether the user may see a player's profile: they share a server on which the player has played."""
        if asker.user_id == user_id:
            return True
        async with self._store.read() as tx:
            servers = await tx.ratings.servers_of_user(user_id)
        if asker.guild_id in servers:
            return True
        return any(
            [await self._membership_lookup(guild_id, asker.user_id) in ("member", "manager") for guild_id in servers]
        )
