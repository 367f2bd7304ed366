"""Rounds a day on a machine of two cores, pictures included: `python -m tests.bench.rounds [--rounds N] [--plays N]`.

Two captains play some rounds of each game, several times, through the real bot: its commands, panels, store, worker and
pictures of full size, in simcord's Discord. What counts are the processor seconds of all of it, that Discord included,
less those in which the captains' orders are found. The anchor is work of a fixed size for Python and zlib, measured
before and after: how many of it a round takes says more than seconds do on a machine that others use.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from bot.jobs.workers import Workers
from tests.bench.processes import family, processor_s
from tests.bot.captains import in_words, wanted
from tests.sea import Sea, refs

CORES, DAY_S = 2, 86_400
WRITTEN = Path("build/rounds.json")
GAMES: dict[str, dict[str, Any]] = {
    "matchbox": {"galleys": "2"},
    "forts": {"system": "forts"},
    "ramspeed": {"system": "ramspeed"},
    "squadrons": {"system": "squadrons", "sides": "first"},
}  # what a host chooses for a duel


class Line(NamedTuple):
    game: str
    rounds: int
    cpu_s: float  # a round, in processor seconds of all processes
    workers_s: float  # the part of it that rules and pictures took, in workers
    anchors: float  # the same in anchors

    @property
    def a_day(self) -> float:
        return CORES * DAY_S / self.cpu_s


def anchor() -> float:
    """Processor seconds of a fixed piece of work: half of it Python's, half zlib's."""
    began = time.process_time()
    chance = random.Random(1)
    words = [chance.getrandbits(16) for _ in range(250_000)]
    held = bytes(word & 63 for word in sorted(words, key=lambda word: word * 2654435761 % 65536))
    zlib.compress(held * 8, 6)
    return time.process_time() - began


class Spent(NamedTuple):
    bot_s: float
    workers_s: float

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.bot_s - other.bot_s, self.workers_s - other.workers_s)


def spent() -> Spent:
    return Spent(time.process_time(), sum(map(processor_s, list(family(os.getpid()))[1:])))


async def play(sea: Sea, game: str, rounds: int) -> tuple[int, Spent]:
    """Play so many rounds after the first, or to the end: how many they were, and what they took.

    In the first the worker and the bot import, read fonts and paint the sea.
    """
    await sea.begin(sea.bela, **GAMES[game])
    reached, began, thought = 0, spent(), 0.0
    while True:
        await sea.settle()
        asked_of = [(who, await sea.asked(who, 1)) for who in (sea.anna, sea.bela)]
        # Who waits may plan as often as they like: that is no part of a round.
        waiting = [(who, one) for who, one in asked_of if one and not one.row.body.optional]
        now = waiting[0][1].row.body.round if waiting else reached + 1
        if reached <= 1 < now:
            began, thought = spent(), 0.0
        reached = max(reached, now)
        if not waiting or reached > rounds + 1:
            return reached - 2, spent() - began - Spent(thought, 0.0)
        who, asked = waiting[0]
        before = time.process_time()
        words = in_words(asked, wanted(asked))
        thought += time.process_time() - before
        await sea.write(who, words)
        if "seal" in refs(sea.reply(who)):
            await sea.press(who, sea.reply(who), "seal")


def played(game: str, rounds: int, number: int, workers: Workers) -> tuple[int, Spent]:
    """Play a game in a bot of its own; others have other dice."""
    quick = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=quick if os.access(quick, os.W_OK) else None) as folder:
        sea = Sea(f"sqlite+aiosqlite:///{folder}/games.sqlite", workers, itertools.count(1 + 1000 * number))

        async def whole() -> tuple[int, Spent]:
            async with sea.open():
                return await play(sea, game, rounds)

        return asyncio.run(whole())


def measured(game: str, rounds: int, plays: int) -> Line:
    """Play a game so many times, with workers that stay, and sum up."""
    anchors, workers, over, took = [anchor()], Workers(1), 0, Spent(0.0, 0.0)
    for number in range(plays):
        more, taken = played(game, rounds, number, workers)
        over, took = over + more, Spent(took.bot_s + taken.bot_s, took.workers_s + taken.workers_s)
        anchors.append(anchor())
    workers.close()
    cpu_s = sum(took) / over
    return Line(game, over, cpu_s, took.workers_s / over, cpu_s / min(anchors))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.rounds", description="Rounds a day, pictures included."
    )
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--plays", type=int, default=3, help="how many games of each, with dice of their own")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    asked = parser.parse_args()
    lines = []
    for game in asked.games:
        line = measured(game, asked.rounds, asked.plays)
        lines.append(line)
        sys.stdout.write(
            f"{game}: {line.cpu_s:.2f} s a round ({line.workers_s:.2f} s in workers) over {line.rounds} rounds, "
            f"{line.anchors:.2f} anchors; {line.a_day:,.0f} rounds a day on {CORES} cores\n"
        )
        sys.stdout.flush()
    WRITTEN.parent.mkdir(parents=True, exist_ok=True)
    WRITTEN.write_text(json.dumps([line._asdict() | {"a_day": line.a_day} for line in lines], indent=2) + "\n")


if __name__ == "__main__":
    main()
