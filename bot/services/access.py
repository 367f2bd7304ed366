"""Who may look at a game, by any means: a command, a button, a form, a suggestion or a direct message.

Its present and former captains, people with a reserved seat, and all members of its server may. A private game is only
for its captains and its server's managers. Everybody else gets the same answer as for a game that doesn't exist.
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
"""What somebody is on a server."""
MembershipLookup = Callable[[int, int], Awaitable[Membership | None]]
"""Finds out what a user is on a server, by their Discord ids; None if that cannot be found out just now."""


class Requester(Struct, frozen=True, kw_only=True):
    """Somebody who asks, and where."""

    user_id: int
    guild_id: int | None = None
    """The server on which they ask; None: in direct messages."""
    is_manager: bool = False
    """Whether they manage that server."""


class AccessControl:
    """Looks up who may see what."""

    def __init__(self, store: Store, members: MembershipLookup) -> None:
        self._store = store
        self._membership_lookup = members

    async def require_visible(self, asker: Requester, number: int) -> Game:
        """Return a game that somebody may see.

        Raises `Refusal`: the same one if there is no such game or they may not see it; another if the game's words are
        incomplete.
        """
        async with self._store.read() as tx:
            game = await tx.games.find_for_update(number)
        if game is None or not await self._may_see(asker, game):
            raise Refusal("unknown_game", piece=f"#{number}")
        refuse_left_out(game)
        return game

    async def filter_visible(self, asker: Requester, games: Iterable[Game]) -> list[Game]:
        """Those of some games that somebody may see, in their order."""
        return [game for game in games if await self._may_see(asker, game)]

    async def _may_see(self, asker: Requester, game: Game) -> bool:
        if game.has_no_server or (asker.guild_id == game.guild_id and (asker.is_manager or not game.private)):
            return True
        async with self._store.read() as tx:
            if await tx.games.involves_user(game.id, asker.user_id):
                return True
        if asker.guild_id == game.guild_id:
            return False
        found = await self._membership_lookup(game.guild_id, asker.user_id)
        return found == "manager" or (found == "member" and not game.private)

    async def may_see_profile(self, asker: Requester, user_id: int) -> bool:
        """Return whether somebody may see another player's profile: on every server where that player has played.

        Everybody may see their own.
        """
        if asker.user_id == user_id:
            return True
        async with self._store.read() as tx:
            servers = await tx.ratings.servers_of_user(user_id)
        if asker.guild_id in servers:
            return True
        return any([await self._membership_lookup(one, asker.user_id) in ("member", "manager") for one in servers])
