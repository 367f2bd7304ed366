"""Let captains see, rename, dismiss and fetch what they keep from game to game."""

from __future__ import annotations

from typing import Final

from bot.errors import Refusal
from bot.jobs import play
from bot.jobs.workers import Workers
from bot.lifecycle.people import keepsakes
from bot.lifecycle.steps.playing import load_seated_game, refuse_left_out
from bot.lifecycle.steps.runner import StepRunner
from bot.services.base import GameService
from bot.store import Store
from bot.store.models.records import KeepsakeRow
from bot.store.queries.transaction import Transaction
from bot.texts.names import visible_name
from rules.core.keepsakes import OWN_NOTE_NUMBER

MAX_NAME_CHARS: Final = 24  # maximum characters of a keepsake's name, several of which fit into a line


class KeepsakeService(GameService):
    def __init__(self, store: Store, workers: Workers, step_runner: StepRunner) -> None:
        super().__init__(store, step_runner)
        self._workers = workers

    async def of_user(self, user_id: int) -> list[KeepsakeRow]:
        async with self._store.read() as tx:
            return [row for row in await tx.keepsakes.of_user(user_id) if row.number != OWN_NOTE_NUMBER]

    async def require_keepsake(self, user_id: int, system: str, number: int) -> KeepsakeRow:
        async with self._store.read() as tx:
            return await _require_keepsake(tx, user_id, system, number)

    async def rename_keepsake(self, user_id: int, system: str, number: int, name: str) -> None:
        """Rename a keepsake; games that have begun keep the old name. Raises `Refusal`."""
        visible = visible_name(name)[:MAX_NAME_CHARS].strip()
        if not visible:
            raise Refusal("keepsake_nameless")
        async with self._store.write() as tx:
            await tx.keepsakes.lock_all()
            await tx.keepsakes.change(await _require_keepsake(tx, user_id, system, number), name=visible)

    async def delete_keepsake(self, user_id: int, system: str, number: int) -> None:
        async with self._store.write() as tx:
            await tx.keepsakes.lock_all()
            keepsake = await _require_keepsake(tx, user_id, system, number)
            if not await tx.keepsakes.delete_unused(keepsake):
                raise Refusal("keepsake_away", number=keepsake.game_id or 0)

    async def fetch_home(self, user_id: int, system: str, number: int) -> None:
        now = self.now()
        async with self._store.read() as tx:
            keepsake = await _require_keepsake(tx, user_id, system, number)
            if keepsake.game_id is None:
                raise Refusal("keepsake_home")
            seated_game = await load_seated_game(tx, keepsake.game_id)
            last_step = await tx.steps.find(keepsake.game_id, seated_game.game.step_no)
            fetchable_at = await keepsakes.fetchable_from(tx, seated_game.game, last_step) if last_step else 0
        refuse_left_out(seated_game.game)
        if last_step is None:
            raise Refusal("not_started")
        if fetchable_at > now:
            raise Refusal("keepsake_goes_on", number=keepsake.game_id, when=fetchable_at)
        losses = await self._workers.run_step(
            seated_game.game.host_id, play.keepsakes_if_untaught, system, last_step.state
        )
        async with self._store.write() as tx:
            await keepsakes.fetch_home(tx, seated_game, user_id, losses, now=now)
        self._note_change()


async def _require_keepsake(tx: Transaction, user_id: int, system: str, number: int) -> KeepsakeRow:
    rows = [row for row in await tx.keepsakes.of_users([user_id], system) if row.number == number != OWN_NOTE_NUMBER]
    if not rows:
        raise Refusal("keepsake_gone")
    return rows[0]
