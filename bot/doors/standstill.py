"""Games that can't go on: they stand still, and no time passes in them.

Of some the words are not whole, or this bot does not know them; others meet a fault of ours at every try.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import Final

from msgspec import structs

from bot.doors.timekeeping import Timekeeping
from bot.life import clock, enqueue
from bot.life.rounds import StepRunner
from bot.store import Store
from bot.words.whole import count_borrowed, missing_words, playable_systems
from rules.registry import RULESETS

log = logging.getLogger(__name__)

_MAX_LOGGED: Final = 5
"""Of what a game's words lack, as many things are logged."""


class StandstillService:
    """Finds once, when the bot starts, which games cannot be told."""

    def __init__(self, store: Store, rounds: StepRunner, time: Timekeeping) -> None:
        self._store = store
        self._rounds = rounds
        self._time = time
        self.systems: frozenset[str] = frozenset()
        """Games that stand still, by name: nothing of them is sent."""

    async def look(self) -> None:
        """Find them, and log one error for each: what it lacks, and how many of its games stand still.

        A game that lacks words in some languages only uses another language there; that is one line of the log.
        """
        async with self._store.read() as tx:
            there = Counter(await tx.games.systems_open())
        self.systems = frozenset({*RULESETS, *there} - {*playable_systems()})
        for name in sorted(self.systems):
            lacks = missing_words(name) if name in RULESETS else ("no such game here",)
            told = {"system": name, "standing_still": there[name], "lacks": "; ".join(lacks[:_MAX_LOGGED])}
            log.error("game left out", extra={**told, "lacking": len(lacks)})
        for name in playable_systems():
            if lent := count_borrowed(name):
                log.info("game not told in every language", extra={"system": name, "borrowed": lent})

    async def hold(self) -> None:
        """Stop the clocks of their running games, and let those go on that have been mended since the last start."""
        async with self._store.write(of_many=True) as tx:
            for game in await tx.games.running_of(self.systems):
                await self._time.hold(tx, game, "left_out")
        async with self._store.read() as tx:
            paused = await tx.games.paused_but(self.systems)
        for game in paused:
            if await self._time.held(game.id, "left_out"):
                await self._time.readmit(game.id, "taken_up")
            elif await self._time.held(game.id, clock.STUCK) and await self._rounds.could_go_on(game.id):
                await self._time.readmit(game.id, "mended")
        self._rounds.changed()

    async def stop(self, game_id: int) -> None:
        """Stop the clock of a game that has met a fault again: its thread learns of it once, and so does the operator.

        Of a battle the game for which it is fought learns of it, too: before long it will wait for its end.
        It is tried once more at the next start, which may be that of a version without the fault.
        """
        async with self._store.write() as tx:
            game = await tx.games.find(game_id)
            if game is None or game.phase not in ("running", "resolving") or await clock.stopping_act_kind(tx, game_id):
                return
            version = game.version + 1
            await tx.games.change(game_id, phase="running", version=version, claimed_at=None)
            game = structs.replace(game, phase="running", version=version, claimed_at=None)
            if not await self._time.hold(tx, game, clock.STUCK):
                await enqueue.add_log_entry(tx, game, clock.STUCK, now=self._rounds.now())
            if game.parent_id is not None and (above := await tx.games.find(game.parent_id)):
                await enqueue.add_log_entry(tx, above, "battle_stuck", now=self._rounds.now(), number=game_id)
        told = {"game": game_id, "system": game.system, "step": game.step_no + 1}
        log.error("game stands still", extra={**told, "help": "/galley-host undo, or /galley-host end"})
        self._rounds.changed()
