"""Stop games that cannot advance: texts are incomplete, the system is unknown, or a fault recurs at every try."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Final

from msgspec import structs

from bot.lifecycle.outbox import enqueue
from bot.lifecycle.steps import clock
from bot.lifecycle.steps.runner import StepRunner
from bot.services.timekeeping import Timekeeping
from bot.store import Store
from bot.texts.whole import count_borrowed, missing_words, playable_systems
from rules.core.registry import RULESETS

log = logging.getLogger(__name__)

_MAX_LOGGED: Final = 5


class StandstillService:
    def __init__(self, store: Store, rounds: StepRunner, time: Timekeeping) -> None:
        self._store = store
        self._step_runner = rounds
        self._timekeeping = time
        self.stopped_systems: frozenset[str] = frozenset()
        """Systems whose games stand still; none of their messages are sent."""

    async def find_unplayable(self) -> None:
        """Find unplayable systems, and log an error for each with what is missing and how many games stand still.

        A system that lacks texts in some languages only falls back to another language, which is logged in one line.
        """
        async with self._store.read() as tx:
            open_games = Counter(await tx.games.open_systems())
        self.stopped_systems = frozenset({*RULESETS, *open_games} - {*playable_systems()})
        for name in sorted(self.stopped_systems):
            lacks = missing_words(name) if name in RULESETS else ("no such game here",)
            fields = {"system": name, "standing_still": open_games[name], "lacks": "; ".join(lacks[:_MAX_LOGGED])}
            log.error("game left out", extra={**fields, "lacking": len(lacks)})
        for name in playable_systems():
            if lent := count_borrowed(name):
                log.info("game not told in every language", extra={"system": name, "borrowed": lent})

    async def stop_and_resume(self) -> None:
        async with self._store.write(of_many=True) as tx:
            for game in await tx.games.running_of_systems(self.stopped_systems):
                await self._timekeeping.hold_clock(tx, game, "left_out")
        async with self._store.read() as tx:
            paused = await tx.games.paused_except(self.stopped_systems)
        for game in paused:
            if await self._timekeeping.is_held(game.id, "left_out"):
                await self._timekeeping.release_clock(game.id, "taken_up")
            elif await self._timekeeping.is_held(game.id, clock.STUCK) and await self._step_runner.try_step(game.id):
                await self._timekeeping.release_clock(game.id, "mended")
        self._step_runner.on_change()

    async def stop_faulty_game(self, game_id: int) -> None:
        """Stop the clock of a game that failed again, announce it once, and log it for the operator.

        A battle's parent game announces it, too, since it will soon wait for the battle. The next start tries again,
        possibly with a version without the fault.
        """
        async with self._store.write() as tx:
            game = await tx.games.find_for_update(game_id)
            if game is None or game.phase not in ("running", "resolving") or await clock.stopping_act_kind(tx, game_id):
                return
            version = game.version + 1
            await tx.games.change(game_id, phase="running", version=version, claimed_at=None)
            game = structs.replace(game, phase="running", version=version, claimed_at=None)
            if not await self._timekeeping.hold_clock(tx, game, clock.STUCK):
                await enqueue.add_log_entry(tx, game, clock.STUCK, now=self._step_runner.now())
            if game.parent_id is not None and (parent := await tx.games.find_for_update(game.parent_id)):
                await enqueue.add_log_entry(tx, parent, "battle_stuck", now=self._step_runner.now(), number=game_id)
        fields = {"game": game_id, "system": game.system, "step": game.step_no + 1}
        log.error("game stands still", extra={**fields, "help": "/galley-host undo, or /galley-host end"})
        self._step_runner.on_change()
