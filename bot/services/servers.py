"""What a server's managers have settled: who may open games, where, how many, and in which language they are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import structs

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.steps.runner import StepRunner
from bot.services.lobby import NewGame
from bot.services.repair import Caller
from bot.store import Store
from bot.store.models.records import ServerRow
from bot.store.queries.transaction import Transaction
from bot.texts.i18n import language_for_locale
from bot.texts.style import Markup


class ServerService:
    """Settings of servers."""

    def __init__(self, store: Store, rounds: StepRunner) -> None:
        self._store = store
        self._step_runner = rounds

    async def change_settings(
        self,
        by: Caller,
        guild_id: int,
        *,
        spoken: str,
        **columns: Any,  # noqa: ANN401 - columns of `servers`
    ) -> ServerRow:
        """Set some of a server's settings; returns all as they are now. Raises `Refusal`.

        Its games go on in the language that is chosen, or else in that which its Discord is `spoken` in.
        """
        if by.managed_guild_id != guild_id:
            raise Refusal("managers_only")
        async with self._store.write(of_many=True) as tx:
            server = structs.replace(await tx.servers.find(guild_id), **columns)
            await tx.servers.store(server)
            if "locale" in columns:
                await _tell_in(tx, guild_id, server.locale or spoken, now=self._step_runner.now())
        self._step_runner.on_change()
        return server

    async def note_server_language(self, guild_id: int, locale: str) -> None:
        """A server's Discord speaks another language: so do its games from now on, unless its managers have chosen."""
        async with self._store.write(of_many=True) as tx:
            if (await tx.servers.find(guild_id)).locale is None:
                await _tell_in(tx, guild_id, language_for_locale(locale), now=self._step_runner.now())
        self._step_runner.on_change()

    async def note_present_servers(self, names: Mapping[int, str], among: Callable[[int], bool]) -> None:
        """Note on which servers the bot is by now, with their names, `among` those of which that is known."""
        async with self._store.read() as tx:
            before = {number: name for number, name in (await tx.servers.names_by_id()).items() if among(number)}
        # Of a server that Discord can't serve just now the name is unknown.
        there = {number: name[:100] or before.get(number, "") for number, name in names.items()}
        if there != before:
            async with self._store.write() as tx:
                await tx.servers.note_present(dict(there.items() - before.items()))
                await tx.servers.note_absent(before.keys() - there.keys())

    async def load_settings(self, guild_id: int) -> ServerRow:
        """What a server's managers have settled, for our own use."""
        async with self._store.read() as tx:
            return await tx.servers.find(guild_id)

    async def refuse_forbidden_channel(self, guild_id: int, channel_id: int) -> None:
        """Raise `Refusal` unless a server's games may be told in a channel."""
        async with self._store.read() as tx:
            refuse_elsewhere(await tx.servers.find(guild_id), channel_id)

    async def settings(self, by: Caller, guild_id: int) -> ServerRow:
        """A server's settings. Raises `Refusal`."""
        if by.managed_guild_id != guild_id:
            raise Refusal("managers_only")
        async with self._store.read() as tx:
            return await tx.servers.find(guild_id)


async def _tell_in(tx: Transaction, guild_id: int, language: str, *, now: int) -> None:
    """Use this language for a server's unfinished games from now on, and for the messages that wait."""
    for game in await tx.games.open_on(guild_id):
        if language_for_locale(game.locale) == language:
            continue
        await tx.games.change(game.id, locale=language)
        if game.is_lobby:
            await enqueue.update_lobby(tx, game.id, now=now)
        else:
            await enqueue.update_seals(tx, await tx.requests.open_of_game(game.id), now=now)


def refuse_elsewhere(server: ServerRow, channel_id: int) -> None:
    """Raise `Refusal` unless games may be told in a channel."""
    if server.channels and channel_id not in server.channels:
        raise Refusal("other_channels", channels=Markup(" ".join(f"<#{channel}>" for channel in server.channels)))


async def admit_new_game(tx: Transaction, wish: NewGame) -> NewGame:
    """A game that may be opened, told in the language that the server has chosen. Raises `Refusal`."""
    server = await tx.servers.find(wish.guild_id)
    role = server.creators_id
    if role is not None and role not in wish.roles and not wish.manager:
        raise Refusal("not_a_creator", role=Markup(f"<@&{role}>"))
    refuse_elsewhere(server, wish.channel_id)
    if server.most_games is not None and await tx.games.count_open(wish.guild_id) >= server.most_games:
        raise Refusal("server_full", most=server.most_games)
    return structs.replace(wish, locale=server.locale or wish.locale)
