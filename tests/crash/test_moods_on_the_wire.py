"""The whole bot, with discord.py's own client, on a Discord that is overloaded and loses its connections."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from aiohttp import web

from bot.discord.ids import CustomId
from tests.crash.test_stopping import ANNA, begin, press, query, until
from tests.loopback import rest
from tests.loopback.gateway import Gateway, choosable, living, log_lines
from tests.loopback.rest import CHANNEL, NONCES_KEPT_S

UNKNOWN, TIMED_OUT = 4000, 4009
"""Codes with which Discord closes a connection: for no known reason, and for a session that has timed out."""
UNDOES = ("order.back", "order.clear")
UNSENT = "SELECT 1 FROM outbox WHERE sent < wanted AND kind <> 'remind'"
pytestmark = pytest.mark.timeout(300)


class Mood(NamedTuple):
    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = {}
    heard: bool = False  # whether it has done what was asked all the same


def too_many(*, everywhere: bool) -> Mood:
    scope = {"X-RateLimit-Global": "true", "X-RateLimit-Scope": "global"} if everywhere else {}
    bucket = {"X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "0.2"}
    headers = {"Via": "1.1 google", "Retry-After": "1", "X-RateLimit-Bucket": "abc", **(scope or bucket)}
    body = {"message": "You are being rate limited.", "retry_after": 0.2, "global": everywhere}
    return Mood(429, body, headers)


FAILED = {"message": "", "code": 0}
FINE = None
BY_CLOUDFLARE = Mood(429, {"message": "error code: 1015"})
"""Cloudflare's answer to a client with too many requests, which do not reach Discord."""


class Moody(Gateway):
    def __init__(self, *moods: Mood | None) -> None:
        super().__init__()
        self.moods = list(moods)
        """Answers to the next announcements, in order; later ones succeed."""
        self.edits: list[Mood | None] = []  # answers to the next edits of announcements
        self.threads: list[Mood | None] = []  # answers to the next threads of announcements
        self.lists = True  # whether the latest messages of a place are told to who asks for them

    async def _answer(self, request: web.Request) -> web.Response:
        match request.method, request.match_info["path"].split("/"):
            case "POST", ["channels", place, "messages"] if int(place) not in self.direct.values():
                waiting = self.moods
            case "PATCH", ["channels", place, "messages", _] if int(place) not in self.direct.values():
                waiting = self.edits
            case "POST", ["channels", _, "messages", _, "threads"]:
                waiting = self.threads
            case "GET", ["channels", _, "messages"] if not self.lists:
                return rest._json([])
            case _:
                waiting = []
        mood = waiting.pop(0) if waiting else FINE
        if mood is None or mood.heard:
            answer = await super()._answer(request)
        if mood is not None:
            answer = rest._json(mood.body, mood.status)
            answer.headers.update(mood.headers)
        return answer

    def shown(self, *places: int) -> list[int]:
        return [message["components"][0]["id"] for place in places for message in self.channels[place]]

    def thread(self) -> int:
        (thread,) = self.channels.keys() - {CHANNEL, *self.direct.values()}
        return thread


def all_sent(folder: Path) -> bool:
    waiting = (UNSENT, "SELECT 1 FROM removals", "SELECT 1 FROM games WHERE phase = 'resolving'")
    return not any(query(folder, statement) for statement in waiting)


def told_once(folder: Path, discord: Moody) -> None:
    """Check that every wanted message stands once where it belongs, in the wanted order."""
    public = "SELECT mark FROM outbox WHERE sent > 0 AND user_id IS NULL AND kind {} ORDER BY id"
    assert discord.shown(CHANNEL) == [number for (number,) in query(folder, public.format("= 'lobby'"))]
    shown_numbers = discord.shown(discord.thread())
    assert shown_numbers == [number for (number,) in query(folder, public.format("<> 'lobby'"))]
    direct = discord.shown(*discord.direct.values())
    wanted = query(folder, "SELECT mark FROM outbox WHERE message_id IS NOT NULL AND user_id IS NOT NULL ORDER BY mark")
    assert sorted(direct) == [number for (number,) in wanted]
    assert not query(folder, "SELECT 1 FROM outbox WHERE problem IS NOT NULL")


def resolved_once(folder: Path) -> None:
    """Check that all answers were carried out in one step, and no claim was taken from anybody."""
    causes = " ".join(cause for (cause,) in query(folder, "SELECT cause FROM steps"))
    answered = [number for (number,) in query(folder, "SELECT id FROM requests WHERE status = 'closed'")]
    assert answered
    assert [len(re.findall(f'"{re.escape(number)}"', causes)) for number in answered] == [1] * len(answered)
    assert not [line for line in log_lines(folder) if line["event"] == "taking over a claim"]


def to_do(discord: Moody) -> tuple[dict[str, Any], CustomId, str | None] | None:
    """Return Anna's next press towards sealed orders: the message, the component and the picked value."""
    for message, _ in discord.panels(ANNA):
        for ref, values in sorted(choosable(message), key=lambda part: part[0].verb != "seal"):
            if ref.verb in ("seal", "press") and ref.token not in UNDOES:
                return message, ref, None
            if ref.verb == "pick" and ref.token != "standing" and values:
                return message, ref, values[0]
    return None


async def until_sealable(discord: Moody) -> None:
    while not (todo := to_do(discord)) or todo[1].verb != "seal":
        await until(lambda: to_do(discord))
        message, ref, value = to_do(discord) or pytest.fail("nothing to press")
        if ref.verb != "seal":
            await discord.press(ANNA, message, ref.pack(), value)


GOES_ON = """
SELECT 1 FROM requests WHERE seat = 0 AND status = 'open' UNION SELECT 1 FROM games WHERE phase = 'over'
"""  # whether Anna is asked again; a duel may end in its second round, as dice fall


async def play_on(folder: Path, discord: Moody, *, steps: int) -> None:
    ((before,),) = query(folder, "SELECT step_no FROM games")
    while query(folder, "SELECT step_no FROM games")[0][0] < before + steps:
        await until_sealable(discord)
        await press(discord, "seal")
        await until(lambda: query(folder, GOES_ON))


async def test_each_message_stands_once_and_in_order_after_any_answer_of_discords(tmp_path: Path) -> None:
    bad = (
        *(too_many(everywhere=False), FINE, too_many(everywhere=True), FINE),
        *(Mood(502, FAILED), FINE, Mood(503, FAILED), FINE, BY_CLOUDFLARE, FINE),
    )
    async with Moody(*bad).open() as discord, living(tmp_path, discord):
        discord.threads = [Mood(502, FAILED, heard=True)]
        # What arrived unheard: the bot asks for the thread again, and knows no picture of such an edit.
        discord.guard.expected |= {"thread of a message", "kept attachment"}
        discord.edits = [too_many(everywhere=False), Mood(503, FAILED), Mood(502, FAILED, heard=True)]
        await begin(discord)
        await play_on(tmp_path, discord, steps=2)
        await until(lambda: all_sent(tmp_path))
        assert not discord.moods
        assert not discord.edits
        assert not discord.threads
        told_once(tmp_path, discord)
        resolved_once(tmp_path)


# discord.py itself asks again after the one, and not after the other: then either Discord's memory of nonces
# or the latest messages of the place are enough.
@pytest.mark.parametrize(
    ("status", "keeps_s", "lists"), [pytest.param(500, NONCES_KEPT_S, False, marks=pytest.mark.long), (503, 0, True)]
)
@pytest.mark.long
async def test_what_arrived_unheard_is_not_said_again(
    tmp_path: Path, status: int, keeps_s: int, *, lists: bool
) -> None:
    async with Moody().open() as discord, living(tmp_path, discord):
        discord.nonces_kept_s, discord.lists = keeps_s, lists
        discord.moods = [Mood(status, FAILED, heard=True) for _ in range(2)]
        await begin(discord)
        await until(lambda: all_sent(tmp_path))
        await play_on(tmp_path, discord, steps=1)
        await until(lambda: all_sent(tmp_path))
        assert not discord.moods
        told_once(tmp_path, discord)


@pytest.mark.parametrize(("code", "valid"), [(UNKNOWN, True), pytest.param(TIMED_OUT, False, marks=pytest.mark.long)])
async def test_a_connection_that_is_lost_in_the_middle_of_a_round(tmp_path: Path, code: int, *, valid: bool) -> None:
    async with Moody().open() as discord, living(tmp_path, discord):
        await begin(discord)
        await until(lambda: to_do(discord) and all_sent(tmp_path))
        await play_on(tmp_path, discord, steps=1)
        await until_sealable(discord)
        sealing = asyncio.create_task(press(discord, "seal"))
        await until(lambda: query(tmp_path, "SELECT 1 FROM games WHERE phase = 'resolving'"))
        discord.resumable = valid
        await discord.hang_up(code)
        await until(lambda: discord.resumes or discord.identifies > 1)
        await sealing
        await until(lambda: all_sent(tmp_path))
        await play_on(tmp_path, discord, steps=1)
        await until(lambda: all_sent(tmp_path))
        assert (discord.identifies, discord.resumes) == ((1, 1) if valid else (2, 0))
        told_once(tmp_path, discord)
        resolved_once(tmp_path)
        assert not [line for line in log_lines(tmp_path) if line["level"] == "error"]


async def test_what_is_pressed_while_the_connection_is_lost_counts_once_it_is_back(tmp_path: Path) -> None:
    async with Moody().open() as discord, living(tmp_path, discord):
        await begin(discord)
        await until(lambda: to_do(discord) and all_sent(tmp_path))
        await discord.hang_up(UNKNOWN)
        await until_sealable(discord)
        await press(discord, "seal")
        await until(lambda: query(tmp_path, "SELECT 1 FROM requests WHERE seat = 0 AND status = 'closed'"))
        await until(lambda: all_sent(tmp_path))
        assert (discord.identifies, discord.resumes) == (1, 1)
        told_once(tmp_path, discord)
        resolved_once(tmp_path)
