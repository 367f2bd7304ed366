"""Trying targets, each try with a chance of its own, so that one alone can be seen again."""

from __future__ import annotations

import itertools
import logging
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from traceback import format_exception
from typing import Final

from bot.discord.ids import parse_custom_id
from bot.jobs.workers import Workers
from tests.fuzz import mutate
from tests.fuzz.forger import Forger
from tests.fuzz.targets import TARGETS, forged_id
from tests.sea import AFAR, Sea

SEA: Final = "presses"  # the target that presses forged buttons of the real bot
TYPED: Final = "A1 FFXRF; aim ask"
_TAKING_TEXT: Final = ("again", "correct", "meant")
"""Verbs that take up what was typed, from the message below which they stand: they are tried first."""
MOST_FALLEN: Final = 5  # tries that fell over, after which a target is left


@dataclass
class Found:
    tries: int = 0
    longest_s: float = 0.0
    longest: int = 0  # number of the longest try
    fallen: dict[int, BaseException] = field(default_factory=dict)  # exceptions by number of the try


def chance(target: str, seed: int, number: int) -> Random:
    return Random(f"{target} {seed} {number}")


def once(target: str, seed: int, number: int) -> None:
    """Try once, and raise any error."""
    TARGETS[target](chance(target, seed, number))


def fuzz(target: str, seed: int, seconds: float = 0.0, *, tries: int = 0) -> Found:
    result, until = Found(), time.monotonic() + seconds
    while (result.tries < tries or time.monotonic() < until) and len(result.fallen) < MOST_FALLEN:
        begun = time.monotonic()
        try:
            once(target, seed, result.tries)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what was sought
            result.fallen[result.tries] = error
        if (took := time.monotonic() - begun) > result.longest_s:
            result.longest_s, result.longest = took, result.tries
        result.tries += 1
    return result


async def presses(seed: int, seconds: float = 0.0, *, first: int = 0, tries: int = 0) -> Found:
    """Press forged buttons in a running game for so many seconds, or so often."""
    workers = Workers(1)
    try:
        with tempfile.TemporaryDirectory() as folder:
            sea = Sea(f"sqlite+aiosqlite:///{Path(folder) / 'games.sqlite'}", workers, itertools.count(1))
            async with sea.open():
                result = await pressed(sea, seed, seconds=seconds, first=first, tries=tries)
                sea.faults.clear()
                return result
    finally:
        workers.close()


async def pressed(sea: Sea, seed: int, *, seconds: float = 0.0, first: int = 0, tries: int = 0) -> Found:
    """Press forged buttons, as a captain and as a stranger, below forged texts; what the bot logs as a fault is one."""
    await sea.begin_at(AFAR, sea.bela)
    verbs = sorted(sea.bot.router.handlers, key=lambda verb: (verb not in _TAKING_TEXT, verb))
    forgers = [Forger(sea, sea.anna), Forger(sea, sea.anna, direct=True), Forger(sea, sea.cili)]
    result, until = Found(), time.monotonic() + seconds
    while (result.tries < tries or time.monotonic() < until) and len(result.fallen) < MOST_FALLEN:
        number, begun = first + result.tries, time.monotonic()
        rng = chance(SEA, seed, number)
        verb = verbs[number // len(forgers) % len(verbs)]
        custom_id = _for_verb(rng, verb, rng.choice(sorted(sea.bot.router.repeat_command)))
        values = [mutate.text(rng, "galley.A1", most=2)[:100] or "x"] if rng.random() < 0.3 else None
        quoting = mutate.text(rng, TYPED, most=3).strip() if verb in _TAKING_TEXT or rng.random() < 0.2 else ""
        if number % 7 == 0 and quoting:
            await sea.write(sea.anna, quoting)
        await forgers[number % len(forgers)].press(custom_id, values=values, quoting=quoting)
        if sea.faults:
            result.fallen[number] = AssertionError(f"{custom_id!r} {values} {quoting!r}: {_told(sea.faults)}")
            sea.faults.clear()
        if (took := time.monotonic() - begun) > result.longest_s:
            result.longest_s, result.longest = took, number
        result.tries += 1
    return result


def _told(faults: list[logging.LogRecord]) -> str:
    return "\n".join("".join(format_exception(record.exc_info[1])) for record in faults if record.exc_info)


def _for_verb(rng: Random, verb: str, command: str) -> str:
    """A custom id that this verb is given: forged, but one that is read as ours; some name a command."""
    while True:
        ref = parse_custom_id(forged_id(rng))
        if ref is not None:
            token = mutate.text(rng, rng.choice(("1", "order.F", "A1 FFF", "x=A1 FF", "0")), most=2)
            token = command if verb == "again" and rng.random() < 0.8 else token
            request = rng.choice((ref.request, "r1.orders.0", "matchbox"))
            custom_id = f"wg/{verb}/{rng.choice((1, ref.game))}/{rng.choice((0, ref.version))}/{request}/{token}"[:100]
            if parse_custom_id(custom_id):
                return custom_id
