"""What a turn of the fleet game costs its captains by post: `python -m tests.bench.posting [--turns 6]`.

Two captains play through the real bot, on a Discord of this machine. Each presses **At the enemy** and seals, and
answers a question in the middle of a turn with one press. How long they take is only a model. They look at what all
captains are asked together after a time drawn evenly from `LOOKS_H`. A question in the middle of a turn has a message
of its own, so they look at it after a time drawn from `ASKED_H`. Both hold by day and by night. If a question waits
longer than its deadline, the captain's doctrine answers it. The output shows means by turn, and presses and messages
by captain, with doctrines that answer everything, and with those that `ask`.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from statistics import mean
from typing import Any, Final

from bot.jobs.workers import Workers
from bot.presenters.asked import PendingRequest
from tests.sea import Sea, refs

LOOKS_H: Final = (0.25, 12.0)
"""Hours, at least and at most."""
ASKED_H: Final = (0.1, 6.0)
ASKS: Final = "doctrine all: avoid=ask fire=ask retract=ask order=ask"
CAPTAINS: Final = 2
_HOUR_S: Final = 3600


@dataclass
class Turn:
    """What one turn cost, both captains together."""

    began: float
    sent: tuple[int, int]
    """Messages in the thread, and direct ones, before it."""
    hours: float = 0.0
    presses: int = 0
    told: int = 0
    direct: int = 0
    questions: int = 0
    """In the middle of the turn."""
    late: int = 0
    """Of these, those that doctrine answered."""


@dataclass
class Post:
    """A game by post."""

    sea: Sea
    asks: bool
    chance: random.Random = field(default_factory=lambda: random.Random(7))
    due: dict[str, float] = field(default_factory=dict)
    """When the captain who is asked looks, by the question's id."""

    async def played(self, battle: str, turns: int) -> list[Turn]:
        """Play so many turns, or to the end."""
        sea = self.sea
        await sea.command(sea.anna, "new", system="squadrons", battle=battle, sides="first")
        await sea.command(sea.bela, "join")
        await sea.command(sea.anna, "start")
        found = [self._began()]
        while waiting := await self._waiting():
            if waiting[0][1].row.body.round > len(found):
                self._ended(found[-1])
                if len(found) == turns:
                    return found
                found.append(self._began())
            who, asked = min(waiting, key=lambda one: self.due[one[1].row.id])
            await self._look(who, asked, found[-1])
        self._ended(found[-1])
        return found

    async def _waiting(self) -> list[tuple[Any, PendingRequest]]:
        """Who is asked what and has not answered."""
        await self.sea.settle()
        people = (self.sea.anna, self.sea.bela)
        found = [(who, one) for who in people if (one := await self.sea.asked(who, 1)) and not one.answer]
        for _, one in found:
            hours = self.chance.uniform(*(ASKED_H if one.row.body.live else LOOKS_H))
            self.due.setdefault(one.row.id, self._now() + _HOUR_S * hours)
        return found

    async def _look(self, who: Any, asked: PendingRequest, turn: Turn) -> None:
        """Let time pass until somebody looks, or until the deadline, when the question is answered for them."""
        live, when = asked.row.body.live, self.due[asked.row.id]
        late = asked.row.deadline is not None and when > asked.row.deadline
        turn.questions += live
        turn.late += late
        await self.sea.env.advance_time(
            max(1.0, (asked.row.deadline or 0) + 1 - self._now() if late else when - self._now())
        )
        await self.sea.settle()
        if late:
            return
        if not live:
            if self.asks and asked.row.body.round == 1:
                await self.sea.write(who, ASKS)
            await self.sea.press(who, self.sea.panel(who), "press all.charge")
            await self.sea.press(who, self.sea.panel(who), "seal")
            turn.presses += 2
            return
        panel = self.sea.panel(who)
        await self.sea.press(who, panel, next(name for name in refs(panel) if name.startswith("press ")))
        turn.presses += 1

    def _began(self) -> Turn:
        return Turn(self._now(), self._sent())

    def _ended(self, turn: Turn) -> None:
        told, direct = self._sent()
        turn.hours = (self._now() - turn.began) / _HOUR_S
        turn.told, turn.direct = told - turn.sent[0], direct - turn.sent[1]

    def _sent(self) -> tuple[int, int]:
        """Messages of the bot so far: in the thread, and direct ones."""
        people = (self.sea.anna, self.sea.bela)
        direct = sum(message.author.bot for who in people for message in self.sea.dms(who))
        return len(self.sea.thread.history()), direct

    def _now(self) -> float:
        return self.sea.now().timestamp()


async def game(battle: str, turns: int, number: int, *, asks: bool, workers: Workers) -> list[Turn]:
    """A game on a database of its own."""
    chance = random.Random(number)
    folder = tempfile.mkdtemp(prefix="war-galley-")
    try:
        sea = Sea(
            f"sqlite+aiosqlite:///{folder}/games.sqlite", workers, itertools.count(1000 * number), picture_width=320
        )
        async with sea.open():
            return await Post(sea, asks, chance).played(battle, turns)
    finally:
        shutil.rmtree(folder)


def row(name: str, turns: list[Turn]) -> str:
    """The means of a game, by turn and captain."""
    presses, direct = mean(one.presses for one in turns) / CAPTAINS, mean(one.direct for one in turns) / CAPTAINS
    told, hours = mean(one.told for one in turns), mean(one.hours for one in turns)
    asked, late = sum(one.questions for one in turns) / len(turns), sum(one.late for one in turns)
    figures = f"{presses:>9.1f}{direct:>9.1f}{told:>9.1f}{asked:>11.1f}{late:>7}{hours:>9.1f}"
    return f"{name:<26}{len(turns):>6}{figures}\n"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--battle", default="rams")
    parser.add_argument("--games", type=int, default=4)
    given = parser.parse_args()
    sys.stdout.write(
        f"{'':<26}{'turns':>6}{'presses':>9}{'direct':>9}{'thread':>9}{'questions':>11}{'late':>7}{'hours':>9}\n"
    )
    workers = Workers(1)
    try:
        for asks in (False, True):
            turns = [
                turn
                for number in range(1, given.games + 1)
                for turn in asyncio.run(game(given.battle, given.turns, number, asks=asks, workers=workers))
            ]
            sys.stdout.write(row(f"{given.battle}, {'asked' if asks else 'by doctrine'}", turns))
    finally:
        workers.close()


if __name__ == "__main__":
    main()
