"""A Discord that takes only so many edits at once: each press is answered, and pictures give way to what is newer.

Discord names no number, and asks to go by its answers (its documentation, "Rate Limits"): in 2026 they tell of five
requests in five seconds for the messages of a channel, and of five in two for an interaction, as each press is one.
Here it is five in a second for all edits of a place together: less room than two edits a press would take.
"""

from __future__ import annotations

import asyncio
import re
import time
import urllib.request
from collections import Counter, deque
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.crash.test_stopping import ANNA, begin, press, query, until
from tests.loopback import rest
from tests.loopback.endpoint import free_port
from tests.loopback.gateway import Gateway, living, log_lines

MOST, WINDOW_S = 5, 1.0
OLD_EDITS = 30046
UNSENT = "SELECT 1 FROM outbox WHERE sent < wanted AND kind <> 'remind'"
pytestmark = pytest.mark.timeout(300)


class Limited(Gateway):
    """A Discord that limits edits, and counts those that it refuses."""

    def __init__(self) -> None:
        super().__init__()
        self.refused = 0
        self.shown: list[tuple[int, bool]] = []
        """Of each edit of Anna's panel that was taken: how many orders it shows, and whether it brings a picture."""
        self.counting = False
        self._taken: deque[float] = deque(maxlen=MOST)

    async def _answer(self, request: web.Request) -> web.Response:
        edits = request.method == "PATCH" and "messages" in request.match_info["path"].split("/")
        if not (self.counting and edits):
            return await super()._answer(request)
        now = time.monotonic()
        if len(self._taken) == MOST and now - self._taken[0] < WINDOW_S:
            self.refused += 1
            return _too_many(self._taken[0] + WINDOW_S - now)
        self._taken.append(now)
        answer = await super()._answer(request)
        self.shown.append((ordered(self), rest.uploads(request)))
        return answer


def _too_many(wait_s: float) -> web.Response:
    body = {"message": "You are being rate limited.", "retry_after": wait_s, "global": False}
    answer = rest._json(body, 429)
    answer.headers.update({"Via": "1.1 google", "Retry-After": "1", "X-RateLimit-Scope": "user"})
    answer.headers.update({"X-RateLimit-Limit": str(MOST), "X-RateLimit-Remaining": "0"})
    answer.headers.update({"X-RateLimit-Reset-After": str(wait_s), "X-RateLimit-Bucket": "abc"})
    return answer


def ordered(discord: Gateway) -> int:
    """Return the number of orders in Anna's panel."""
    panel, _ = next(discord.panels(ANNA))
    (line,) = re.findall(r"\*\*A1\*\*((?: [FLRX])*)", str(panel["components"]))[:1] or [""]
    return len(line.split())


async def test_presses_in_quick_succession_are_all_answered_and_only_newest_pictures_take_room(tmp_path: Path) -> None:
    async with Limited().open() as discord, living(tmp_path, discord):
        await begin(discord)
        await until(lambda: _may(discord, "seal"))
        await press(discord, "seal")  # the galley stays where it was set down
        await until(lambda: _may(discord, "press") and not query(tmp_path, UNSENT))
        discord.counting = True
        wanted = [*range(1, 6), *reversed(range(5)), *range(1, 6)]
        tokens = [
            *(f"order.{letter}" for letter in "FLRFR"),
            *["order.back"] * 5,
            *(f"order.{letter}" for letter in "LLFRR"),
        ]
        for token, count in zip(tokens, wanted, strict=True):
            assert await _press(discord, token)
            # The picture of the press before may be on its way, held up by the limit; then that comes first.
            await until(lambda count=count: ordered(discord) == count)
        await until(lambda: discord.shown[-1] == (5, True))  # the last picture is that of the last press
        await until(lambda: not query(tmp_path, UNSENT))
        assert discord.refused
        counts = [count for count, _ in discord.shown]
        # Each press is answered once and in order. The answer has its picture with it where that was drawn before, for
        # the same orders; any other picture comes right after what it shows, never after something newer.
        before = zip([None, *counts], discord.shown, strict=False)
        assert [count for last, (count, picture) in before if not picture or count != last] == wanted
        assert sum(picture for _, picture in discord.shown) < len(wanted)
        ((draft,),) = query(tmp_path, "SELECT draft FROM requests WHERE seat = 0 AND status = 'open' AND draft <> ''")
        assert draft.startswith("A1 LLFRR")
        ours = [line for line in log_lines(tmp_path) if not line["logger"].startswith("discord")]
        assert not [line for line in ours if line["level"] in ("warning", "error")]


class OldEdits(Gateway):
    """A Discord in which messages are older than an hour and were edited too often."""

    def __init__(self, retry_after: float | None) -> None:
        super().__init__()
        self.old: set[str] = set()  # ids of the messages that are older than an hour
        self.refused = Counter[str]()  # edits that were refused, by their path
        self._refusal = {"message": "Maximum number of edits to messages older than 1 hour reached", "code": OLD_EDITS}
        if retry_after is not None:
            self._refusal["retry_after"] = retry_after

    async def _answer(self, request: web.Request) -> web.Response:
        path = request.match_info["path"]
        # The message that was pressed has no id there.
        message = path.split("/")[-1]
        if request.method != "PATCH" or not (message in self.old or (self.old and message == "@original")):
            return await super()._answer(request)
        self.refused[path] += 1
        answer = rest._json(self._refusal, 429)
        answer.headers["Via"] = "1.1 google"
        return answer


@pytest.mark.parametrize(
    "retry_after", [600.0, *(pytest.param(seconds, marks=pytest.mark.long) for seconds in (None, 0.3))]
)
async def test_edits_of_old_messages_are_asked_for_once_and_what_matters_is_sent_again(
    tmp_path: Path, retry_after: float | None
) -> None:
    port = free_port()
    async with OldEdits(retry_after).open() as discord, living(tmp_path, discord, HTTP_PORT=str(port)):
        await begin(discord)
        await until(lambda: _may(discord, "seal") and not query(tmp_path, UNSENT))
        ((before,),) = query(tmp_path, "SELECT step_no FROM games")
        discord.old = {message["id"] for messages in discord.channels.values() for message in messages}
        panel, refs = next(discord.panels(ANNA))
        pressing = asyncio.create_task(discord.press(ANNA, panel, next(r for r in refs if r.verb == "seal").pack()))
        # The game goes on, and its captain gets the next panel as a new message.
        await until(lambda: query(tmp_path, f"SELECT 1 FROM games WHERE step_no > {before}"))
        await until(lambda: next(discord.panels(ANNA))[0]["id"] != panel["id"] and discord.refused)
        await until(lambda: not query(tmp_path, f"{UNSENT} AND (message_id IS NULL OR kind IN ('panel', 'step'))"))
        # A press and the outbox may each ask for the same message; neither asks again at once.
        assert max(discord.refused.values()) == 1
        metrics = await asyncio.to_thread(_read, f"http://127.0.0.1:{port}/metrics")
        counted = re.findall(r'war_galley_refusals_total\{code="(\d+)",meaning="(\w+)"\} (\S+)', metrics)
        assert counted == [(str(OLD_EDITS), "old_edits", str(float(discord.refused.total())))]
        logged = [line for line in log_lines(tmp_path) if line["event"] == "Discord refused"]
        assert [(line["code"], line["game"]) for line in logged] == [(OLD_EDITS, 1)]
        assert not [line for line in log_lines(tmp_path) if line["level"] == "error"]
        pressing.cancel()


def _read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return str(answer.read().decode())


def _may(discord: Gateway, verb: str) -> bool:
    return any(ref.verb == verb for _, refs in discord.panels(ANNA) for ref in refs)


async def _press(discord: Gateway, token: str) -> Any:
    message, refs = next(discord.panels(ANNA))
    return await discord.press(ANNA, message, next(ref for ref in refs if ref.token == token).pack())
