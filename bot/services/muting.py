"""Pause games whose thread takes no messages, because it is locked or a permission is missing.

All such pauses of a game together last at most `MAX_MUTED_S`. After that its clock runs, whether or not the thread
works, which means that locking a thread again and again gains no time. The clock can be stopped for this reason again
only after a message has arrived in the thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.lifecycle.outbox import enqueue
from bot.lifecycle.steps import clock
from bot.lifecycle.steps.runner import StepRunner
from bot.services.base import GameService
from bot.services.timekeeping import Timekeeping
from bot.store import Store
from bot.store.models.records import Game, LogEntryRow
from bot.store.models.subjects import LogEntrySubject, MutedSubject
from bot.store.queries.transaction import Transaction

MAX_MUTED_S: Final = 7 * 86_400
"""Maximum total seconds for which a game's clock is stopped because its thread takes no messages."""


class MutedGameService(GameService):
    def __init__(self, store: Store, step_runner: StepRunner, time: Timekeeping) -> None:
        super().__init__(store, step_runner)
        self._timekeeping = time

    async def should_stop(self, game_id: int) -> bool:
        """Return whether to stop a game whose thread takes no message; end a stop that has lasted too long."""
        now = self.now()
        async with self._store.write() as tx:
            game = await tx.games.find_for_update(game_id)
            if game is None or game.phase != "running" or game.deadline is None:
                return False
            muted_s = _muted_s(await tx.audit_log.of_game(game_id), now)
            if game.paused_at is None:
                return muted_s < MAX_MUTED_S and not await self._is_still_muted(tx, game)
            if await clock.stopping_act_kind(tx, game_id) != clock.MUTED or muted_s < MAX_MUTED_S:
                return False
            await self._resume_clock(tx, game, "ran_on")
        self._step_runner.start_advancing(game_id)
        return False

    async def stop_clock(self, game_id: int, trouble: str, *, by: int | None, in_channel: bool) -> None:
        """Stop a game's clock and tell its host why; `in_channel`: also post to its channel, which everybody can read.

        `by`: the user who caused it, if known.
        """
        now = self.now()
        async with self._store.write() as tx:
            game = await tx.games.find_for_update(game_id)
            if game is None or game.phase != "running" or game.deadline is None or game.paused_at is not None:
                return
            await clock.stop_clock(tx, game, clock.MUTED, now=now, user_id=by)
            await enqueue.report_missing_permission(tx, game, trouble, now=now, repeat=True)
            stop_entry = (await tx.audit_log.of_game(game_id))[-1]
            if in_channel:
                await tx.messages.request(game_id, MutedSubject(stop_entry.id), now=now)
        self._note_change()

    async def unmute(self, game_id: int) -> None:
        async with self._store.write() as tx:
            game = await tx.games.find_for_update(game_id)
            if game is None or await clock.stopping_act_kind(tx, game_id) != clock.MUTED:
                return
            parent = await tx.games.find_for_update(game.parent_id) if game.parent_id is not None else None
            if parent and parent.paused_at is not None and game.pace.since is not None:
                return  # it is paused together with its parent game
            await self._resume_clock(tx, game, "unmuted")
        self._step_runner.start_advancing(game_id)

    async def _resume_clock(self, tx: Transaction, game: Game, kind: clock.Ending) -> None:
        await clock.resume_clock(tx, game, kind, now=self.now())
        notices = await tx.messages.of_kinds(game.id, ("lacking", "muted"))
        await tx.messages.renew_all(notices, now=self.now())

    async def _is_still_muted(self, tx: Transaction, game: Game) -> bool:
        """Return whether nothing has arrived in the thread since the clock was last stopped for this."""
        stop_entries = [entry for entry in await tx.audit_log.of_game(game.id) if entry.kind == clock.MUTED]
        if not stop_entries:
            return False
        notice = await tx.messages.find(game.id, LogEntrySubject(stop_entries[-1].id).key)
        return notice is not None and notice.message_id is None


def _muted_s(log_entries: Sequence[LogEntryRow], now: int) -> int:
    """Return for how many seconds a game's clock has been stopped because its thread takes no messages."""
    total_s = 0
    for began_at, ended_at in clock.pauses(log_entries, [clock.MUTED]):
        until = now if ended_at is None else ended_at
        total_s += max(0, until - began_at)
    return total_s
