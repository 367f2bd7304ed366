"""What a server's managers have settled: who may open games, where, how many, and in which language they are told."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from bot.doors.lobby import NewGame
from bot.doors.repair import Caller
from bot.errors import Refusal
from bot.store import Store
from bot.store.queries import Transaction
from bot.store.records import ServerRow
from bot.words.i18n import Said


class Servers:
    """Settings of servers."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def change(self, by: Caller, guild_id: int, **columns: Any) -> ServerRow:  # noqa: ANN401 - columns of `servers`
        """Set some of a server's settings; as they are now. Raises `Refusal`."""
        if by.manages != guild_id:
            raise Refusal("managers_only")
        async with self._store.write() as tx:
            server = structs.replace(await tx.server(guild_id), **columns)
            await tx.keep_server(server)
        return server

    async def standing(self, guild_id: int) -> ServerRow:
        """What a server's managers have settled, for our own use."""
        async with self._store.read() as tx:
            return await tx.server(guild_id)

    async def admit(self, guild_id: int, channel_id: int) -> None:
        """Raise `Refusal` unless a server's games may be told in a channel."""
        async with self._store.read() as tx:
            refuse_elsewhere(await tx.server(guild_id), channel_id)

    async def settings(self, by: Caller, guild_id: int) -> ServerRow:
        """A server's settings. Raises `Refusal`."""
        if by.manages != guild_id:
            raise Refusal("managers_only")
        async with self._store.read() as tx:
            return await tx.server(guild_id)


def refuse_elsewhere(server: ServerRow, channel_id: int) -> None:
    """Raise `Refusal` unless games may be told in a channel."""
    if server.channels and channel_id not in server.channels:
        raise Refusal("other_channels", channels=Said(" ".join(f"<#{channel}>" for channel in server.channels)))


async def admitted(tx: Transaction, wish: NewGame) -> NewGame:
    """A game that may be opened, told in the language that the server has chosen. Raises `Refusal`."""
    server = await tx.server(wish.guild_id)
    role = server.creators_id
    if role is not None and role not in wish.roles and not wish.manager:
        raise Refusal("not_a_creator", role=Said(f"<@&{role}>"))
    refuse_elsewhere(server, wish.channel_id)
    if server.most_games is not None and await tx.open_games(wish.guild_id) >= server.most_games:
        raise Refusal("server_full", most=server.most_games)
    return structs.replace(wish, locale=server.locale or wish.locale)
