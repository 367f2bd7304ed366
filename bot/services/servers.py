"""A server's settings: who may open games, where, how many, and in which language."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import structs

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.steps.runner import StepRunner
from bot.services.base import GameService
from bot.services.lobby import NewGame
from bot.services.repair import Caller
from bot.store import Store
from bot.store.models.records import ServerRow
from bot.store.queries.transaction import Transaction
from bot.texts.i18n import language_for_locale
from bot.texts.style import Markup
from bot.texts.whole import playable_systems


class ServerService(GameService):
    def __init__(self, store: Store, step_runner: StepRunner) -> None:
        super().__init__(store, step_runner)
        self._presence_lock = asyncio.Lock()

    async def change_settings(
        self,
        caller: Caller,
        guild_id: int,
        *,
        spoken: str,
        **columns: Any,  # noqa: ANN401 - columns of `servers`
    ) -> ServerRow:
        """Change a server's settings and return all of them. Raises `Refusal`.

        The server's games use the chosen language, or else `spoken`, the language of the server on Discord.
        """
        if caller.managed_guild_id != guild_id:
            raise Refusal("managers_only")
        async with self._store.write(of_many=True) as tx:
            server = structs.replace(await tx.servers.find(guild_id), **columns)
            await tx.servers.store(server)
            if "locale" in columns:
                await _change_language(tx, guild_id, server.locale or spoken, now=self.now())
        self._note_change()
        return server

    async def note_server_language(self, guild_id: int, locale: str) -> None:
        """Use a server's new Discord language for its games, unless its managers have chosen one."""
        async with self._store.write(of_many=True) as tx:
            if (await tx.servers.find(guild_id)).locale is None:
                await _change_language(tx, guild_id, language_for_locale(locale), now=self.now())
        self._note_change()

    async def note_present_servers(self, names: Mapping[int, str], among: Callable[[int], bool]) -> None:
        """Store the names of the servers that the bot is on; `among` selects those that this process knows of."""
        async with self._presence_lock:  # a server may remove the bot and add it again at once
            async with self._store.read() as tx:
                stored_names = await tx.servers.names_by_id()
            known = {guild_id: name for guild_id, name in stored_names.items() if among(guild_id)}
            # The name of a server that Discord cannot serve at the moment is unknown.
            present = {guild_id: name[:100] or known.get(guild_id, "") for guild_id, name in names.items()}
            if present != known:
                async with self._store.write() as tx:
                    await tx.servers.note_present(dict(present.items() - known.items()))
                    await tx.servers.note_absent(known.keys() - present.keys())

    async def load_settings(self, guild_id: int) -> ServerRow:
        async with self._store.read() as tx:
            return await tx.servers.find(guild_id)

    async def refuse_forbidden_channel(self, guild_id: int, channel_id: int) -> None:
        async with self._store.read() as tx:
            refuse_elsewhere(await tx.servers.find(guild_id), channel_id)

    async def settings(self, caller: Caller, guild_id: int) -> ServerRow:
        if caller.managed_guild_id != guild_id:
            raise Refusal("managers_only")
        async with self._store.read() as tx:
            return await tx.servers.find(guild_id)


async def _change_language(tx: Transaction, guild_id: int, language: str, *, now: int) -> None:
    """Use a language for all open games of a server."""
    for game in await tx.games.open_on(guild_id):
        if language_for_locale(game.locale) == language:
            continue
        await tx.games.change(game.id, locale=language)
        if game.is_lobby:
            await enqueue.update_lobby(tx, game.id, now=now)
        else:
            await enqueue.update_seals(tx, await tx.requests.open_of_game(game.id), now=now)


def refuse_elsewhere(server: ServerRow, channel_id: int) -> None:
    if server.channels and channel_id not in server.channels:
        raise Refusal("other_channels", channels=Markup(" ".join(f"<#{channel}>" for channel in server.channels)))


async def admit_new_game(tx: Transaction, request: NewGame) -> NewGame:
    """Return a request for a new game in the server's language. Raises `Refusal` if the server does not allow it."""
    server = await tx.servers.find(request.guild_id)
    role_id = server.creators_id  # the role that may open games; None: everybody may
    if role_id is not None and role_id not in request.roles and not request.manager:
        raise Refusal("not_a_creator", role=Markup(f"<@&{role_id}>"))
    refuse_elsewhere(server, request.channel_id)
    if (
        server.most_games is not None
        and await tx.games.count_open(request.guild_id, playable_systems()) >= server.most_games
    ):
        raise Refusal("server_full", most=server.most_games)
    return structs.replace(request, locale=server.locale or request.locale)
