"""Games whose words are not whole, or that this bot does not know: they stand still, and no time passes in them."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Final

from bot.doors.timekeeping import Timekeeping
from bot.life.rounds import Rounds
from bot.store import Store
from bot.words.whole import borrowed, lacking, playable
from rules.registry import RULESETS

log = logging.getLogger(__name__)

_SHOWN_MOST: Final = 5
"""Of what a game's words lack, as many things are logged."""


class Standstill:
    """Finds once, when the bot starts, which games cannot be told."""

    def __init__(self, store: Store, rounds: Rounds, time: Timekeeping) -> None:
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
        self.systems = frozenset({*RULESETS, *there} - {*playable()})
        for name in sorted(self.systems):
            lacks = lacking(name) if name in RULESETS else ("no such game here",)
            told = {"system": name, "standing_still": there[name], "lacks": "; ".join(lacks[:_SHOWN_MOST])}
            log.error("game left out", extra={**told, "lacking": len(lacks)})
        for name in playable():
            if lent := borrowed(name):
                log.info("game not told in every language", extra={"system": name, "borrowed": lent})

    async def hold(self) -> None:
        """Stop the clocks of their running games, and let those go on that have been mended since the last start."""
        async with self._store.write() as tx:
            for game in await tx.games.running_of(self.systems):
                await self._time.hold(tx, game, "left_out")
        async with self._store.read() as tx:
            paused = await tx.games.paused_but(self.systems)
        for game in paused:
            if await self._time.held(game.id, "left_out"):
                await self._time.readmit(game.id, "taken_up")
        self._rounds.changed()
