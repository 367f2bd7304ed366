"""Rounds a day on a machine of two cores, pictures included: `python -m tests.bench.rounds [GAME …]`.

Two captains play some rounds of each game, several times, through the real bot: its commands, panels, store, worker and
pictures of full size, in simcord's Discord. What counts are the processor seconds of all of it, that Discord included,
less those in which the captains' orders are found. The anchor is work of a fixed size for Python and zlib, measured
before and after: how many of it a round takes says more than seconds do on a machine that others use.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import sys
import tempfile
import time
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from bot.jobs.workers import Workers
from tests.bench.processes import family, processor_s
from tests.bot.captains import in_words, wanted
from tests.bot.conftest import IN_MEMORY
from tests.sea import Sea, refs

CORES, DAY_S = 2, 86_400
ROUNDS, PLAYS = 4, 3
GAMES: dict[str, dict[str, Any]] = {
    "matchbox": {"galleys": "2"},
    "forts": {"system": "forts"},
    "ramspeed": {"system": "ramspeed"},
    "squadrons": {"system": "squadrons", "sides": "first"},
}  # what a host chooses for a duel


def anchor() -> float:
    """Return the processor seconds of a fixed piece of work: half of it Python's, half zlib's."""
    began = time.process_time()
    chance = random.Random(1)
    words = [chance.getrandbits(16) for _ in range(250_000)]
    held = bytes(word & 63 for word in sorted(words, key=lambda word: word * 2654435761 % 65536))
    zlib.compress(held * 8, 6)
    return time.process_time() - began


class Spent(NamedTuple):
    """Processor seconds of the bot with its Discord, and of the workers."""

    bot_s: float
    workers_s: float

    def less(self, other: Spent) -> Spent:
        return Spent(self.bot_s - other.bot_s, self.workers_s - other.workers_s)


def spent_so_far() -> Spent:
    return Spent(time.process_time(), sum(map(processor_s, list(family(os.getpid()))[1:])))


async def play(sea: Sea, game: str) -> tuple[int, Spent]:
    """Play some rounds after the first, or to the end; return their number and their cost.

    In the first round the worker and the bot import, read fonts and paint the sea.
    """
    await sea.begin(sea.bela, **GAMES[game])
    reached, began, thought = 0, spent_so_far(), 0.0
    while True:
        await sea.settle()
        asked_of = [(who, await sea.asked(who, 1)) for who in (sea.anna, sea.bela)]
        # Who waits may plan as often as they like: that is no part of a round.
        waiting = [(who, pending) for who, pending in asked_of if pending and not pending.row.body.optional]
        now = waiting[0][1].row.body.round if waiting else reached + 1
        if reached <= 1 < now:
            began, thought = spent_so_far(), 0.0
        reached = max(reached, now)
        if not waiting or reached > ROUNDS + 1:
            return reached - 2, spent_so_far().less(began).less(Spent(thought, 0.0))
        who, pending = waiting[0]
        before = time.process_time()
        words = in_words(pending, wanted(pending))
        thought += time.process_time() - before
        await sea.write(who, words)
        if "seal" in refs(sea.reply(who)):
            await sea.press(who, sea.reply(who), "seal")


async def played(game: str, number: int, workers: Workers) -> tuple[int, Spent]:
    """Play a game in a bot of its own; others have other dice."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None) as folder:
        sea = Sea(f"sqlite+aiosqlite:///{folder}/games.sqlite", workers, itertools.count(1 + 1000 * number))
        async with sea.open():
            return await play(sea, game)


def main(games: Sequence[str]) -> None:
    for game in games or GAMES:
        anchors, workers, rounds, bot_s, workers_s = [anchor()], Workers(1), 0, 0.0, 0.0
        for number in range(PLAYS):
            more, took = asyncio.run(played(game, number, workers))
            rounds, bot_s, workers_s = rounds + more, bot_s + took.bot_s, workers_s + took.workers_s
            anchors.append(anchor())
        workers.close()
        round_s = (bot_s + workers_s) / rounds
        print(
            f"{game}: {round_s:.2f} s a round ({workers_s / rounds:.2f} s in workers) over {rounds} rounds, "
            f"{round_s / min(anchors):.2f} anchors; {CORES * DAY_S / round_s:,.0f} rounds a day on {CORES} cores",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
