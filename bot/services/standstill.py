"""Stop games whose texts are incomplete or whose system is unknown; resume them when they can be played."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Final

from bot.lifecycle.steps import clock
from bot.lifecycle.steps.runner import StepRunner
from bot.services.base import GameService
from bot.services.timekeeping import Timekeeping
from bot.store import Store
from bot.texts.whole import count_borrowed, missing_words, playable_systems
from rules.core.registry import RULESETS

log = logging.getLogger(__name__)

_MAX_LOGGED: Final = 5


class StandstillService(GameService):
    def __init__(self, store: Store, step_runner: StepRunner, time: Timekeeping) -> None:
        super().__init__(store, step_runner)
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
            missing = missing_words(name) if name in RULESETS else ("no such game here",)
            fields = {"system": name, "standing_still": open_games[name], "lacks": "; ".join(missing[:_MAX_LOGGED])}
            log.error("game left out", extra={**fields, "lacking": len(missing)})
        for name in playable_systems():
            if borrowed_count := count_borrowed(name):
                log.info("game not told in every language", extra={"system": name, "borrowed": borrowed_count})

    async def stop_and_resume(self) -> None:
        async with self._store.write(of_many=True) as tx:
            for game in await tx.games.running_of_systems(self.stopped_systems):
                await clock.hold_clock(tx, game, "left_out", now=self.now())
        async with self._store.read() as tx:
            paused = await tx.games.paused_except(self.stopped_systems)
        for game in paused:
            if await self._timekeeping.is_held(game.id, "left_out"):
                await self._timekeeping.release_clock(game.id, "taken_up")
            elif await self._timekeeping.is_held(game.id, clock.STUCK) and await self._step_runner.try_step(game.id):
                await self._timekeeping.release_clock(game.id, "mended")
        self._note_change()
