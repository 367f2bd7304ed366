"""A bot without a Discord on a clock that the test sets, and how long its captains could act while it asked them.

`World` is what is outside of the bot: true time, the machine's clock, the process, and whether Discord is reached.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from bot.discord.delivery.signs import DiscordPulse
from bot.lifecycle.process.pulse import MAX_BEAT_INTERVAL_S, MAX_INTERVAL_S
from bot.services.lobby import NewGame
from bot.services.table import Services
from bot.store import Store
from bot.store.models.pace import Pace
from tests import here

START: Final = 1_790_000_000
HEARTBEAT_S: Final = 41
MIN_PHASE_S, MAX_PHASE_S = 600, 2_400
PEOPLE: Final = (here.person(1), here.person(2))
KINDS: Final = ("stopped", "killed", "frozen", "away", "refused", "deaf", "set")
"""Kinds of disturbance. The bot is stopped in order, killed, or stands still; Discord is away, or only its requests or
only its gateway are; the machine's clock is set."""


class Missed(NamedTuple):
    request: str
    could_act_s: float  # for how long its captain could have answered it
    given_s: int
    gaps: int  # how many gaps there were meanwhile
    set_back_s: float = 0.0  # by how much the clock was set back meanwhile
    system: str = ""


class _Discord:
    def __init__(self) -> None:
        self.answers = self.beats = True
        self._latency = itertools.count(1)
        self._last: float = 1.0

    def heartbeat(self) -> None:
        if self.beats:
            self._last = next(self._latency) / 1000

    def heartbeat_latencies(self) -> dict[int, float]:
        return {0: self._last}

    async def application_info(self) -> object:
        if not self.answers:
            raise OSError("away")
        return None


class World:
    """All that is outside of the bot, and a bot that is started again whenever it has ended."""

    def __init__(self, url: str, system: str, seed: str) -> None:
        self.chance: Final = random.Random(seed)
        self.missed: list[Missed] = []
        self.questions: Final[dict[tuple[int, str], tuple[float, int]]] = {}
        """Since when each question is asked, in seconds of true time, and how many seconds its captain was given."""
        self._url, self._system = url, system
        self._seeds: Iterator[int] = itertools.count()
        self._true = 0.0  # seconds since the world began
        self._clock_is_off = 0.0
        self._able: list[tuple[float, float]] = []  # spans of true time in which captains could act
        self._discord = _Discord()
        self._heartbeat_at = 0.0
        self._gap_times: list[float] = []
        self._set_back: list[tuple[float, float]] = []  # when the clock was set back, in true time, and by how much
        self._store: Store
        self._table: Services

    # --- clocks ------------------------------------------------------------------------------------------------

    def now(self) -> datetime:
        return datetime.fromtimestamp(START + self._true + self._clock_is_off, UTC)

    def _seconds(self) -> int:
        return int(self.now().timestamp())

    def _pass(self, seconds: float, *, able: bool) -> None:
        if able:
            self._able.append((self._true, self._true + seconds))
        self._true += seconds

    def _able_since(self, since: float) -> float:
        return sum(max(0.0, end - max(begin, since)) for begin, end in self._able)

    # --- the bot -----------------------------------------------------------------------------------------------

    async def start(self) -> None:
        self._store = await Store.open(self._url)
        signs = DiscordPulse(self._discord, self._seconds, over_http=False, monotonic=lambda: self._true)
        self._table = Services(
            self._store, here.workers(), self.now, self._draw, opening_limits=here.MANY_GAMES, pulse=signs
        )
        self._discord.heartbeat()
        await self._table.step_runner.recover_claims()
        await self._wake()

    def _draw(self) -> str:
        return hashlib.sha256(str(next(self._seeds)).encode()).hexdigest()

    async def end(self, *, in_order: bool) -> None:
        if in_order:
            await self._table.step_runner.gaps.store_last_beats(self._seconds())
        await self._store.close()

    async def _wake(self) -> None:
        """Let the scheduler look, and note what has been asked, and what was missed."""
        await self._table.step_runner.run_due_work()
        await self._note()

    async def _note(self) -> None:
        async with self._store.read() as tx:
            found = await tx.games.select_games(most=None)
            rows = [row for game in found for row in await tx.requests.asked_since(game.id, 0)]
            answers = {game.id: await tx.answers.of_game(game.id) for game in found}
        for row in rows:
            key = (row.game_id, row.id)
            if row.status != "closed" and row.deadline is not None:
                self.questions.setdefault(key, (self._true, row.deadline - row.asked_at))
            elif key in self.questions:
                since, given_s = self.questions.pop(key)
                answer = answers[row.game_id].get(row.id)
                if answer is not None and answer.is_late:
                    gaps = sum(at >= since for at in self._gap_times)
                    set_back_s = sum(seconds for at, seconds in self._set_back if at >= since)
                    self.missed.append(Missed(row.id, self._able_since(since), given_s, gaps, set_back_s))

    # --- what happens ------------------------------------------------------------------------------------------

    async def play(self, phase_s: int) -> None:
        """Begin a game if none goes on."""
        if self.questions:
            return
        wish = NewGame(
            system=self._system, guild_id=4_194_304, channel_id=2, locale="en", pace=Pace(seconds=phase_s), rated=False
        )
        await here.begin(self._table, wish, *PEOPLE)
        await self._wake()
        assert self.questions, "the game asks nobody anything"

    async def go_on(self, seconds: float) -> None:
        """Let time pass in which the bot runs and Discord is there, or is as it has been made."""
        until = self._true + seconds
        able = self._discord.answers and self._discord.beats
        while self._true < until:
            async with self._store.read() as tx:
                due = (await tx.agenda.due_times(self._seconds())).next_deadline
            left = until - self._true
            pause = min(MAX_INTERVAL_S, max(2.0, due - self.now().timestamp()) if due is not None else MAX_INTERVAL_S)
            if pause > left:
                self._pass(left, able=able)
                return
            self._pass(pause, able=able)
            if self._true - self._heartbeat_at >= HEARTBEAT_S:
                self._heartbeat_at = self._true
                self._discord.heartbeat()
            await self._wake()

    async def gap(self, kind: str, seconds: float) -> None:
        self._gap_times.append(self._true)
        discord = self._discord
        match kind:
            case "stopped" | "killed":
                await self.end(in_order=kind == "stopped")
                self._pass(seconds, able=False)
                await self.start()
            case "frozen":
                self._pass(seconds, able=False)
                await self._wake()  # before Discord is heard of again
            case "set":
                by = self.chance.choice([-1, 1]) * seconds
                self._clock_is_off += by
                if by < 0:
                    self._set_back.append((self._true, seconds))
            case _:
                discord.answers, discord.beats = kind == "deaf", kind == "refused"
                # It looks each minute; most of these looks are left out, as they find the same.
                await self.go_on(min(seconds, 5 * MAX_INTERVAL_S))
                if seconds > 5 * MAX_INTERVAL_S:
                    self._pass(seconds - 5 * MAX_INTERVAL_S, able=False)
                    await self._wake()
                discord.answers = discord.beats = True
                self._heartbeat_at = self._true
                discord.heartbeat()
        await self.go_on(self.chance.uniform(0, 3))

    async def be_present(self) -> None:
        """Let nobody's seat be offered for what they have missed, so that the game goes on with people."""
        async with self._store.write() as tx:
            for game in await tx.games.games_in_progress():
                for seat in await tx.seats.of_game(game.id):
                    if seat.missed or seat.offered_at is not None:
                        await tx.seats.change(game.id, seat.seat, missed=0, offered_at=None)


async def try_gaps(url: str, system: str, count: int, seed: str, *, kinds: Sequence[str] = KINDS) -> list[Missed]:
    """Play with so many gaps of random kinds at random moments, then to a deadline; return what was missed."""
    world = World(url, system, seed)
    chance = world.chance
    await world.start()
    try:
        for _ in range(count):
            phase_s = chance.randint(MIN_PHASE_S // 60, MAX_PHASE_S // 60) * 60
            await world.play(phase_s)
            await world.go_on(chance.uniform(0, 1.2 * phase_s))
            await world.gap(chance.choice(kinds), 10 ** chance.uniform(0, 6.5))
            if chance.random() < 0.3:
                await world.go_on(phase_s)
            await world.be_present()
        await world.go_on(2 * MAX_PHASE_S)
    finally:
        await world.end(in_order=False)
    return world.missed


def unfair(missed: Missed) -> bool:
    """Return whether somebody missed a deadline for which they had not had their time, to two beats a gap."""
    return missed.could_act_s < missed.given_s - MAX_BEAT_INTERVAL_S * max(1, missed.gaps)


def too_long(missed: Missed) -> bool:
    """Return whether somebody had much more time than they should: some minutes a gap.

    If the clock is set back to about when a question was asked, nobody knows by which clock that was: it isn't moved.
    """
    return missed.could_act_s > missed.given_s + 2 * MAX_BEAT_INTERVAL_S * (missed.gaps + 1) + missed.set_back_s
