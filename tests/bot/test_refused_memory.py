"""Inputs from strangers that the bot refuses leave nothing in its memory."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from bot.discord.ids import CustomId
from bot.jobs import trials
from bot.record import checking
from bot.record.bundle import pack_records
from bot.sandbox import private
from tests.fuzz.forger import Forger
from tests.sea import AFAR, Sea, refs

INPUTS = 200
BLANKS = b" " * 2**21
"""A zip of 20 KiB with four of these held 8 MiB for ever, each time that it was refused."""
WORD = CustomId(verb="word", game=3).pack()


async def in_this_process(_limits: object, _most_s: float, job: Callable[..., Any], /, *args: Any) -> Any:
    """Do an untrusted job here, where all that its exception refers to would stay in the bot's memory."""
    return job(*args)


def held() -> tuple[int, int, int]:
    """The exceptions and tracebacks, the tasks, and the bytes of memory that this process holds."""
    for _ in range(2):
        gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    things = gc.get_objects()
    faults = sum(isinstance(thing, BaseException | TracebackType) for thing in things)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return faults, len(asyncio.all_tasks()), pages * os.sysconf("SC_PAGE_SIZE")


async def test_two_hundred_refused_inputs_leave_no_memory_behind(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (checking, trials):
        monkeypatch.setattr(module, "run_in_own_process", in_this_process)
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(sea.anna, "new", galleys="1", table="kitchen", deployment="ready", points="36")
    await sea.command(sea.bela, "join", game="2")
    await sea.command(sea.anna, "start", game="2")
    await sea.command(sea.cili, "new", system="ramspeed")
    lobby = sea.channel.last_message
    forger = Forger(sea, sea.cili)

    async def scenario(**values: Any) -> str:
        form = await sea.click_only(sea.cili, lobby, refs(lobby)["scenario"])
        result = await sea.cili.submit_modal(form, values)
        await sea.env.settle()
        return sea.said(result)

    async def typed(text: str) -> str:
        panel = sea.panel(sea.bela)
        return await sea.send_form(sea.bela, panel, await sea.open_form(sea.bela, panel), text)

    def forged(number: int, verb: str) -> str:
        return CustomId(verb=verb, game=1, request=f"r1.orders.{number}", token="orders.A1").pack()

    inputs: list[Callable[[int], Awaitable[str]]] = [
        lambda number: sea.command(
            sea.cili, "verify", file=("game.json", b'{"kind":"finished"}' + BLANKS + b"%d" % number)
        ),
        lambda number: sea.command(
            sea.cili, "verify", file=("games.zip", pack_records([(n, BLANKS + b"%d" % number) for n in range(4)]))
        ),
        lambda number: scenario(file=("sea.toml", b"#" * 60_000 + b"\nships = %d" % number)),
        lambda number: scenario(text=f"{'#' * 3_500}\nships = {number}"),
        lambda number: sea.write(sea.anna, f"#1 A1 {'Q' * 900}{number}"),
        lambda number: sea.write(sea.anna, f"#2 {'9x5 ' * 200}{number}"),
        lambda number: typed(f"{'nonsense ' * 100}{number}"),
        lambda number: forger.send(CustomId(verb="word_sent", game=1).pack(), f"late {number}", opened_by=WORD),
        lambda number: forger.press(forged(number, "form_sent")),
        lambda number: sea.command(sea.cili, "new", phase=f"{'soon ' * 9}{number}"),
    ]

    async def send(numbers: range) -> None:
        for number in numbers:
            kept = sea.rows("games", "answers", "requests", "seats")
            assert await inputs[number % len(inputs)](number), number
            assert sea.rows("games", "answers", "requests", "seats") == kept, number
        await sea.settle()
        # What simcord keeps of each call and upload is none of the bot's.
        sea.env.http_requests.clear()
        sea.env.backend.transcript.clear()
        private.uploaded_files(sea.env.backend).clear()

    await send(range(2 * len(inputs)))
    faults, tasks, size = held()
    await send(range(1000, 1000 + INPUTS))
    faults_after, tasks_after, size_after = held()
    assert faults_after <= faults
    assert tasks_after <= tasks
    assert size_after < 1.1 * size, (size, size_after)
