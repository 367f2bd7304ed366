"""React to threads, channels and servers that appear or disappear. A game without a place to post is paused."""

from __future__ import annotations

from collections.abc import Collection

from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import giving_up
from bot.lifecycle.people.calling_off import LOBBY_LOST, call_off_lobby
from bot.lifecycle.steps import clock
from bot.lifecycle.steps.playing import load_seated_game
from bot.lifecycle.steps.runner import StepRunner
from bot.services.base import GameService
from bot.services.timekeeping import Timekeeping
from bot.store import Store
from bot.store.models.records import Game
from bot.store.models.subjects import CHANNEL_KINDS
from bot.texts.whole import playable_systems


class ChannelService(GameService):
    def __init__(self, store: Store, step_runner: StepRunner, time: Timekeeping) -> None:
        super().__init__(store, step_runner)
        self._timekeeping = time
        self.moved_games: set[int] = set()
        """Games that have moved to another thread or channel since their messages were last read."""

    async def note_direct_channel(self, user_id: int, channel_id: int) -> None:
        async with self._store.write() as tx:
            await tx.players.change(user_id, dm_channel_id=channel_id)

    async def note_thread(self, game_id: int, thread_id: int) -> None:
        async with self._store.write(of_many=True) as tx:  # a battle's parent game links to its thread
            game = await tx.games.find_for_update(game_id)
            if game is None:
                return  # it has been deleted
            messages = await tx.messages.of_game(game_id)
            kinds_in_channel = ("lobby", *CHANNEL_KINDS)
            thread_messages = [
                message for message in messages if message.user_id is None and message.kind not in kinds_in_channel
            ]
            was_shown_in_channel = any(message.channel_id == game.channel_id for message in thread_messages)
            if was_shown_in_channel:
                await enqueue.repost_in_new_thread(tx, game_id, now=self.now())
            await tx.games.change(game_id, thread_id=thread_id)
            await enqueue.update_lobby(tx, game_id, now=self.now())
            await enqueue.link_battle_thread(tx, game, now=self.now())
        self.moved_games.add(game_id)
        self._note_change()

    async def threads_of_finished(self, guild_id: int) -> list[int]:
        async with self._store.read() as tx:
            return await tx.games.threads_of_finished(guild_id)

    async def note_lost_thread(self, game: Game) -> bool:
        """Continue a game whose thread was deleted in a new one. Return whether the loss is news."""
        now = self.now()
        async with self._store.write() as tx:
            current = await tx.games.find_for_update(game.id)
            if current is None or current.thread_id is None or current.thread_id != game.thread_id:
                return False
            await tx.games.change(game.id, thread_id=None)
            await enqueue.add_log_entry(tx, current, "moved", now=now)
            await enqueue.repost_in_new_thread(tx, current.id, now=now)
        self.moved_games.add(game.id)
        self._note_change()
        return True

    async def note_lost_channel(self, channel_id: int) -> None:
        """Pause the games of a deleted channel until they are moved, and tell each host how, once."""
        async with self._store.write(of_many=True) as tx:
            for game in await tx.games.open_in(channel_id):
                # A game that is being resolved will post to the channel and bring us here again.
                if game.phase != "resolving" and await enqueue.report_deleted_channel(tx, game, now=self.now()):
                    await tx.games.change(game.id, thread_id=None)
                    await clock.hold_clock(tx, game, "homeless", now=self.now())
                    await giving_up.note_ended_by_others(tx, await load_seated_game(tx, game.id), now=self.now())
        self._note_change()

    async def note_lost_server(self, guild_id: int) -> None:
        """Pause the games of a server that has removed the bot, tell their captains, and call its lobbies off."""
        async with self._store.write(of_many=True) as tx:
            for game in await tx.games.open_on(guild_id):
                # See `note_lost_channel`. A paused game already says so once the bot is back.
                now = self.now()
                if game.is_lobby:
                    await call_off_lobby(tx, await load_seated_game(tx, game.id), by=None, now=now, kind=LOBBY_LOST)
                elif game.phase != "resolving" and await clock.hold_clock(tx, game, "exiled", now=now):
                    await giving_up.note_ended_by_others(tx, await load_seated_game(tx, game.id), now=now)
                    await enqueue.report_removal_from_server(tx, game, now=now)
        self._note_change()

    async def note_joined_server(self, guild_id: int) -> None:
        """Resume the games that were paused when the server removed the bot, and send their messages."""
        async with self._store.read() as tx:
            paused_games = await tx.games.paused_on_server(guild_id)
        for game in paused_games:
            if game.system in playable_systems() and await self._timekeeping.is_held(game.id, "exiled"):
                await self._timekeeping.release_clock(game.id, "readmitted")
        async with self._store.write(of_many=True) as tx:
            await tx.messages.make_public_due(guild_id=guild_id, now=self.now())
        self._note_change()

    async def servers_with_open_games(self) -> Collection[int]:
        async with self._store.read() as tx:
            return await tx.games.servers_with_open_games()
