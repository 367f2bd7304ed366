"""Stored states are decoded only in jobs, once in each; so are events, except for what the bot says in words."""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import msgspec
import pytest

import bot
from bot.jobs.workers import Workers
from tests.here import Here
from tests.here import workers as in_process
from tests.sea import AFAR, Sea

BOT = Path(bot.__file__).parent
HOUR_S = 3_600
READERS = ((msgspec.json, "decode"), (json, "loads"))


def asking_room() -> str:
    """The room of `bot` from which something is decoded, but for `bot/jobs`."""
    frame = sys._getframe()
    while frame := frame.f_back:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(BOT) and (room := path.relative_to(BOT).parts[0]) != "jobs":
            return room
    return ""


class Noting(Here):
    """Does jobs in this process, and notes which texts are decoded in each job, and where outside of all."""

    def __init__(self) -> None:
        super().__init__()
        self.outside: defaultdict[str, set[str]] = defaultdict(set)
        """Rooms that had a text decoded while no job was done, by text."""
        self.jobs: list[tuple[str, Counter[str]]] = []  # names of the jobs, with how often each text was decoded in it
        self._in_job = False

    def submit(self, job: Any, most_s: float) -> Future[Any]:
        self.jobs.append((job.func.__name__, Counter()))
        self._in_job = True
        try:
            return super().submit(job, most_s)
        finally:
            self._in_job = False

    def noting(self, decode: Callable[..., Any]) -> Callable[..., Any]:
        def decoded(text: Any, *args: Any, **more: Any) -> Any:
            if isinstance(text, str) and self._in_job:
                self.jobs[-1][1][text] += 1
            elif isinstance(text, str):
                self.outside[text].add(asking_room())
            return decode(text, *args, **more)

        return decoded


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Noting:
    worker = Noting()
    for module, name in READERS:
        monkeypatch.setattr(module, name, worker.noting(getattr(module, name)))
    return worker


@pytest.fixture
def workers(here: Noting) -> Iterator[Workers]:
    pool = in_process(here)
    yield pool
    assert pool.job_count == 0


def stored(sea: Sea) -> tuple[set[str], set[str]]:
    """Return the texts of all states, and of all events that are longer than an empty list."""
    steps = sea.rows("steps")["steps"]
    return {step["state"] for step in steps}, {step["events"] for step in steps} - {"[]"}


async def test_a_job_decodes_a_state_once_and_the_event_loop_none(sea: Sea, here: Noting) -> None:
    await sea.begin_at(AFAR, sea.bela, phase="24h")
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.env.advance_time(25 * HOUR_S)
    await sea.settle()
    await sea.command(sea.anna, "status")
    await sea.command(sea.anna, "log")
    await sea.command(sea.anna, "table")
    await sea.concede(sea.anna, 1)
    states, events = stored(sea)
    assert sea.rows("games")["games"][0]["phase"] == "over"
    assert (len(states), len(events)) == (3, 2)
    assert [sum(decoded[state] for state in states) for name, decoded in here.jobs if name == "carry_out_answers"] == [
        1
    ]
    assert [(name, state) for name, decoded in here.jobs for state in states if decoded[state] > 1] == []
    assert any(decoded[event] for _, decoded in here.jobs for event in events)
    assert here.outside, "what the database holds besides is decoded here"
    assert here.outside.keys() & states == set()
    assert {room for event in events for room in here.outside[event]} <= {"presenters"}
