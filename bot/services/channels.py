"""Where games are told: threads, channels and servers come and go, and a game that has no place stands still."""

from __future__ import annotations

from collections.abc import Callable, Collection

from bot.lifecycle.outbox import enqueue
from bot.lifecycle.steps.runner import StepRunner
from bot.services.timekeeping import Timekeeping
from bot.store import Store
from bot.store.models.records import Game
from bot.store.models.subjects import CHANNEL_KINDS
from bot.texts.whole import playable_systems


class ChannelService:
    """What becomes of games when Discord says that a place is there, or is no more."""

    def __init__(self, store: Store, rounds: StepRunner, time: Timekeeping) -> None:
        self._store = store
        self._step_runner = rounds
        self._timekeeping = time
        self.on_thread_moved: Callable[[int], None] = lambda _: None
        """Called with a game's number when it has got, or lost, its thread or channel."""

    async def note_direct_channel(self, user_id: int, channel_id: int) -> None:
        """Somebody's direct messages are in this channel."""
        async with self._store.write() as tx:
            await tx.players.change(user_id, dm_channel_id=channel_id)

    async def note_thread(self, game_id: int, thread_id: int) -> None:
        """A game has got its thread."""
        async with self._store.write(of_many=True) as tx:  # the game that a battle is played for tells of it, too
            game = await tx.games.find_for_update(game_id)
            if game is None:
                return  # it has been deleted
            told = await tx.messages.of_game(game_id)
            to_all = [m for m in told if m.user_id is None and m.kind not in ("lobby", *CHANNEL_KINDS)]
            if any(m.channel_id == game.channel_id for m in to_all):
                await enqueue.repost_in_new_thread(
                    tx, game_id, now=self._step_runner.now()
                )  # so far its channel was told
            await tx.games.change(game_id, thread_id=thread_id)
            await enqueue.update_lobby(tx, game_id, now=self._step_runner.now())
            await enqueue.link_battle_thread(tx, game, now=self._step_runner.now())
        self.on_thread_moved(game_id)
        self._step_runner.on_change()

    async def threads_of_finished(self, guild_id: int) -> list[int]:
        """Threads of a server's games that are over, those that ended first first."""
        async with self._store.read() as tx:
            return await tx.games.threads_of_finished(guild_id)

    async def note_lost_thread(self, game: Game) -> bool:
        """A game's thread was deleted: it goes on in another, which says so. Whether that is new."""
        now = self._step_runner.now()
        async with self._store.write() as tx:
            current = await tx.games.find_for_update(game.id)
            if current is None or current.thread_id is None or current.thread_id != game.thread_id:
                return False
            await tx.games.change(game.id, thread_id=None)
            await enqueue.add_log_entry(tx, current, "moved", now=now)
            await enqueue.repost_in_new_thread(tx, current.id, now=now)
        self.on_thread_moved(game.id)
        self._step_runner.on_change()
        return True

    async def note_lost_channel(self, channel_id: int) -> None:
        """A channel was deleted: no time passes in its games until they are moved, and each host learns how, once."""
        async with self._store.write(of_many=True) as tx:
            for game in await tx.games.open_in(channel_id):
                # A game that is being resolved has something to tell, which comes here once more.
                if game.phase != "resolving" and await enqueue.report_deleted_channel(
                    tx, game, now=self._step_runner.now()
                ):
                    await tx.games.change(game.id, thread_id=None)
                    await self._timekeeping.hold_clock(tx, game, "homeless")
        self._step_runner.on_change()

    async def note_lost_server(self, guild_id: int) -> None:
        """We were removed from a server: no time passes in its games until we are back, and their captains learn it."""
        async with self._store.write(of_many=True) as tx:
            for game in await tx.games.open_on(guild_id):
                # As above; what is paused already says so once the bot is back.
                if game.phase != "resolving" and await self._timekeeping.hold_clock(tx, game, "exiled"):
                    await enqueue.report_removal_from_server(tx, game, now=self._step_runner.now())
        self._step_runner.on_change()

    async def note_joined_server(self, guild_id: int) -> None:
        """Let games of a server that the bot has joined go on, and send what waited for it."""
        async with self._store.read() as tx:
            paused = await tx.games.paused_on_server(guild_id)
        for game in paused:
            if game.system in playable_systems() and await self._timekeeping.is_held(game.id, "exiled"):
                await self._timekeeping.release_clock(game.id, "readmitted")
        async with self._store.write(of_many=True) as tx:
            await tx.messages.make_public_due(guild_id=guild_id, now=self._step_runner.now())
        self._step_runner.on_change()

    async def servers_with_open_games(self) -> Collection[int]:
        """Servers that have games which are not over."""
        async with self._store.read() as tx:
            return await tx.games.servers_with_open_games()
