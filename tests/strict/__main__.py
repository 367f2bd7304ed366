"""Plays the five games and a week of a season in a Discord that refuses what the real one refuses: `make strict`.

Captains press, type, use forms and commands. Between their answers hours pass, so that messages grow old; Discord is
away, limits edits and blocks the address; threads are archived and locked; captains are replaced. Every refusal is
printed by rule and code. Exits with 1 if there was one that this script had not asked for.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import itertools
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import discord

from bot.cli.demo import THINKING_TIME_S, DemoError, DemoMatch
from bot.config import BotSettings
from bot.discord.app import build_bot
from bot.jobs.workers import Workers
from bot.presenters.asked import PendingRequest
from bot.sandbox import acts
from bot.sandbox.strict import DiscordError, RateLimits, ScriptedRefusal
from bot.sandbox.strict.values import rate_limited
from bot.sandbox.world import REFUSAL_HEADING, SandboxWorld
from rules.core.registry import RULESETS

DAY_H = 24
WEEK = 7
MAX_ANSWERS = 400  # a game that needs more has gone wrong
SEASON = "campaign"


class Trial(DemoMatch):
    """A game of two captains with disturbances."""

    def __init__(self, world: SandboxWorld, system: str, options: dict[str, str], seed: int) -> None:
        super().__init__(world, system, options, seed)
        self.answers = 0
        self.guard = world.env.guard
        self.world = world

    @property
    def thread(self) -> int:
        backend = self.world.env.backend
        return max(number for number, channel in backend.channels.items() if channel.parent_id == self.world.channel_id)

    async def play_on(self, trials: Sequence[Disturbance], *, most: int = MAX_ANSWERS) -> None:
        """Answer what is asked, with a disturbance after each of the first answers."""
        left = list(trials)
        while self.answers < most and await self.answer_once():
            if left:
                await left.pop(0)(self)
        for disturb in left:
            await disturb(self)

    async def pass_days(self, days: int) -> None:
        """Answer what is asked each day, and let the day pass."""
        for _ in range(days):
            while await self.answer_once():
                pass
            await self.advance(DAY_H)

    async def answer_once(self) -> bool:
        """Answer one question; return whether there was one."""
        pending = await self._first()
        if pending:
            await self._give_answer(pending)
            self.answers += 1
        return pending is not None

    async def advance(self, hours: int) -> None:
        await self._perform(acts.Advance(hours=hours))

    async def command(self, player: int, name: str, **options: str) -> None:
        await self._perform(acts.Slash(player=player, channel=self.world.channel_id, command=name, options=options))

    async def _first(self) -> PendingRequest | None:
        for captain in self._captain_ids:
            if pending := await self._open_request(captain):
                return pending
        return None

    async def _perform(self, act: acts.AnyAction) -> acts.ActionReply:
        reply = await self.world.perform(act)
        if trouble := [line for line in reply.trouble if not line.startswith(REFUSAL_HEADING)]:
            raise DemoError("; ".join(trouble))
        return reply

    @contextmanager
    def ordered(self, *orders: ScriptedRefusal) -> Iterator[None]:
        """Refuse calls within the block."""
        self.guard.scripted += orders
        try:
            yield
        finally:
            for order in orders:
                self.guard.scripted.remove(order)

    @contextmanager
    def expecting(self, *rules: str) -> Iterator[None]:
        """Expect refusals by these rules within the block."""
        before = {*self.guard.expected}
        self.guard.expected |= {*rules}
        try:
            yield
        finally:
            self.guard.expected = before


Disturbance = Callable[[Trial], Awaitable[None]]


async def grow_old(trial: Trial) -> None:
    """Let messages grow older than an hour, and the edits of them pass that follow."""
    await trial.advance(2)


async def go_away(trial: Trial) -> None:
    """Let Discord be away for an hour."""
    away = ScriptedRefusal(method="*", path_part="/", refusal=DiscordError(status=503, message="Service unavailable"))
    with trial.ordered(away):
        await trial.advance(1)
    await trial.advance(1)


async def limit_old_edits(trial: Trial) -> None:
    """Limit edits of messages older than an hour, with a long, a short and no time to try again."""
    await trial.advance(2)
    text = "Maximum number of edits to messages older than 1 hour reached. Try again later"
    for retry_after in (600.0, 0.5, None):
        refusal = rate_limited(retry_after, scope="shared", json_code=30046, message=text)
        old = ScriptedRefusal(method="PATCH", path_part="/messages/", refusal=refusal, times=3)
        old.predicate = lambda call: call.parts[0] == "channels"
        with trial.ordered(old):
            await trial.answer_once()
    await trial.advance(2)


async def block(trial: Trial) -> None:
    """Let Cloudflare block the address, in three ways."""
    host = trial.world.players[0]
    with trial.expecting("Cloudflare block", "Cloudflare 1015", "Cloudflare 1020"):
        for code in (40333, 1015, 1020):
            trial.guard.state.cloudflare = code
            await trial._perform(acts.Send(player=host, channel=trial._direct_channel(host), text="help"))
            await trial.advance(1)
        trial.guard.state.cloudflare = 0
    await trial.advance(1)


async def archive(trial: Trial) -> None:
    """Let a moderator archive the thread."""
    trial.world.env.backend.edit_channel(trial.thread, {}, thread_metadata={"archived": True})
    with trial.expecting("archived thread"):
        await trial.answer_once()
        await trial.advance(1)


async def lock(trial: Trial) -> None:
    """Let a moderator lock the thread, and unlock it three hours later."""
    backend = trial.world.env.backend
    backend.edit_channel(trial.thread, {}, thread_metadata={"locked": True})
    with trial.expecting("locked thread"):
        await trial.answer_once()
        await trial.advance(3)
    backend.edit_channel(trial.thread, {}, thread_metadata={"locked": False})
    await trial.advance(2)


async def replace_captains(trial: Trial) -> None:
    """Let a manager replace the second captain four times within some minutes: the thread is renamed each time."""
    guild = trial.world.guild
    role = guild.create_role("umpire", permissions=discord.Permissions(manage_guild=True))
    dora = guild.add_member(trial.world.env.create_user("dora"), roles=[role])
    with trial.expecting("renames"):
        _, second, third = trial.world.players
        for player in (third, second, third, second):
            await trial.command(
                dora.id, "galley-host replace", game=str(trial._game), whose="#2", substitute=str(player)
            )
    await trial.advance(1)


async def restart(trial: Trial) -> None:
    await trial._perform(acts.Restart())


DISTURBANCES: tuple[Disturbance, ...] = (
    replace_captains,
    archive,
    lock,
    block,
    grow_old,
    restart,
    limit_old_edits,
    go_away,
)


class Outcome(NamedTuple):
    name: str
    answers: int
    refused: Counter[tuple[str, int, int, bool]]  # by rule, status, code, and whether it was asked for
    unexpected: list[str]
    fault: str
    seconds: float


async def play(name: str, system: str, *, days: int, seed: int, most: int, workers: Workers, folder: Path) -> Outcome:
    """Play one game to its end, or a season for some days."""
    began = time.monotonic()
    numbers = itertools.count()

    def chance() -> str:
        return hashlib.sha256(f"{seed}/{next(numbers)}".encode()).hexdigest()

    def bot(clock: Callable[[], datetime]) -> discord.Client:
        database = f"sqlite+aiosqlite:///{folder / f'{name}.sqlite'}"
        return build_bot(
            BotSettings(database_url=database, _env_file=None), clock=clock, workers=workers, chance=chance
        )

    fault = ""
    async with SandboxWorld.open(bot, reproducible=True, thinking_time_s=THINKING_TIME_S) as world:
        world.env.server_state.rates = RateLimits()  # time passes after each act
        trial = Trial(world, system, {}, seed)
        try:
            await trial.open_and_start()
            if days:
                await trial.pass_days(days)
            else:
                await trial.play_on(DISTURBANCES, most=most)
        except DemoError as error:
            fault = str(error)
        entries = world.env.guard.refused
    refused = Counter(
        (entry.refusal.rule or "ordered", entry.refusal.status, entry.refusal.code, entry.expected) for entry in entries
    )
    unexpected = [str(entry) for entry in entries if not entry.expected]
    return Outcome(name, trial.answers, refused, unexpected, fault, time.monotonic() - began)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def report(outcome: Outcome) -> None:
    say(f"{outcome.name}: {outcome.answers} answers, {outcome.seconds:.0f} s")
    for (rule, status, code, expected), count in sorted(outcome.refused.items()):
        say(f"  {count:>4} × {status} {code or '-':>6}  {rule}{'' if expected else '  NOT ASKED FOR'}")
    for line in outcome.unexpected:
        say(f"  refused: {line[:300]}")
    if outcome.fault:
        say(f"  ended early: {outcome.fault[:300]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", help="of these games alone")
    parser.add_argument("--answers", type=int, default=MAX_ANSWERS, help="end a game after so many answers")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    wanted = [system for system in RULESETS if system in (options.games or RULESETS)]
    runs = [(system, system, 0) for system in wanted]
    if SEASON in wanted:
        runs.append(("week of a season", SEASON, WEEK))
    workers = Workers()
    bad = False
    with tempfile.TemporaryDirectory() as folder:
        for seed, (name, system, days) in enumerate(runs, 1):
            outcome = asyncio.run(
                play(name, system, days=days, seed=seed, most=options.answers, workers=workers, folder=Path(folder))
            )
            report(outcome)
            bad |= bool(outcome.unexpected or outcome.fault)
    workers.close()
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
