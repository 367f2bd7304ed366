"""The table of Discord's refusals: each code has its answer, and what has none is kept, tried again, and logged."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from bot.discord.sending.refusals import CODES, Meaning, read


def refusal(status: int, body: Any) -> discord.HTTPException:
    """An answer as discord.py raises it."""
    response: Any = SimpleNamespace(status=status, reason="")
    kinds = {403: discord.Forbidden, 404: discord.NotFound}
    kind = discord.DiscordServerError if status >= 500 else kinds.get(status, discord.HTTPException)
    return kind(response, body)


@pytest.mark.parametrize(
    ("status", "code", "meaning"),
    [
        (403, 50007, Meaning.CLOSED),
        (403, 50278, Meaning.CLOSED),
        (400, 40003, Meaning.OPENING),
        (400, 20009, Meaning.FILTERED),
        (400, 200000, Meaning.FILTERED),
        (400, 240000, Meaning.FILTERED),
        (429, 30046, Meaning.OLD_EDITS),
        (400, 50083, Meaning.ASLEEP),
        (400, 160005, Meaning.LOCKED),
        (400, 160006, Meaning.THREADS_FULL),
        (400, 160004, Meaning.THREAD_THERE),
        (403, 50001, Meaning.FORBIDDEN),
        (403, 50013, Meaning.FORBIDDEN),
        (429, 20028, Meaning.LIMITED),
        (500, 130000, Meaning.AWAY),
        (429, 40062, Meaning.AWAY),
        (400, 40005, Meaning.TOO_LARGE),
        (400, 50045, Meaning.TOO_LARGE),
        (400, 40060, Meaning.TOO_LATE),
        (404, 10062, Meaning.TOO_LATE),
        (404, 10015, Meaning.TOO_LATE),
        (401, 50027, Meaning.TOO_LATE),
        (400, 40058, Meaning.NO_CHAT),
        (400, 40067, Meaning.NO_CHAT),
        (400, 30032, Meaning.COMMANDS),
        (400, 30034, Meaning.COMMANDS),
        (404, 10003, Meaning.LOST_PLACE),
        (404, 10008, Meaning.LOST_MESSAGE),
        (404, 10007, Meaning.GONE),
        (404, 10013, Meaning.GONE),
        (401, 0, Meaning.AWAY),
        (413, 0, Meaning.TOO_LARGE),
        (429, 0, Meaning.AWAY),
        (500, 0, Meaning.AWAY),
        (503, 0, Meaning.AWAY),
        (400, 50035, Meaning.UNKNOWN),
        (403, 987654, Meaning.UNKNOWN),
    ],
)
def test_each_code_has_its_meaning(status: int, code: int, meaning: Meaning) -> None:
    found = read(refusal(status, {"code": code, "message": "no"}))
    assert (found.meaning, found.code, found.status) == (meaning, code, status)


@pytest.mark.parametrize(
    "error",
    [
        refusal(403, "<!DOCTYPE html><title>Access denied | discord.com used Cloudflare to restrict access</title>"),
        refusal(429, "error code: 1015"),
        refusal(403, "\n<html>Attention Required!</html>"),
        refusal(502, "<html>502 Bad Gateway</html>"),
        aiohttp.ClientConnectionError("refused"),
        aiohttp.ServerDisconnectedError(),
        TimeoutError(),
        ConnectionResetError(104, "reset"),
    ],
)
def test_who_stands_before_discord_is_not_discord(error: BaseException) -> None:
    found = read(error)
    assert found.meaning is Meaning.AWAY
    assert "<" not in str(found).replace("ServerDisconnectedError", "")


def test_how_long_not_to_ask_is_kept() -> None:
    found = read(discord.RateLimited(712.4))
    assert (found.meaning, found.pause_s) == (Meaning.LIMITED, 713)


def test_every_meaning_is_used() -> None:
    assert set(Meaning) - set(CODES.values()) == {Meaning.UNKNOWN}
