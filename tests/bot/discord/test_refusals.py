"""The table of Discord's refusals: each code has its answer, and what has none is kept, tried again, and logged."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from bot.discord.delivery.refusals import KIND_BY_CODE, RefusalKind, parse_refusal


def refusal(status: int, body: Any) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=status, reason="")
    kinds = {403: discord.Forbidden, 404: discord.NotFound}
    kind = discord.DiscordServerError if status >= 500 else kinds.get(status, discord.HTTPException)
    return kind(response, body)


def documented() -> dict[int, str]:
    lines = (Path(__file__).parent / "discord_codes.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {int(code): said for code, said in rows}


def test_every_code_of_the_table_is_documented() -> None:
    assert documented().keys() == KIND_BY_CODE.keys()


def test_a_code_means_the_same_whatever_its_status() -> None:
    for code, meaning in KIND_BY_CODE.items():
        for status in (400, 401, 403, 404, 429):
            assert parse_refusal(refusal(status, {"code": code, "message": "no"})).kind is meaning


# What a code says, in Discord's own words, is what its meaning is about.
@pytest.mark.parametrize(
    ("words", "meanings"),
    [
        ("rate limit", {RefusalKind.LIMITED, RefusalKind.OLD_EDITS, RefusalKind.AWAY}),
        ("overloaded", {RefusalKind.AWAY}),
        ("temporarily disabled", {RefusalKind.AWAY}),
        ("Try again later", {RefusalKind.AWAY, RefusalKind.OLD_EDITS}),
        ("blocked by", {RefusalKind.FILTERED}),
        ("words that are not allowed", {RefusalKind.FILTERED}),
        ("spam", {RefusalKind.QUARANTINED}),
        ("opening direct messages", {RefusalKind.OPENING}),
        ("messages to this user", {RefusalKind.CLOSED}),
        ("older than 1 hour", {RefusalKind.OLD_EDITS}),
        ("active threads", {RefusalKind.THREADS_FULL}),
        ("announcement threads", {RefusalKind.THREADS_FULL}),
        ("Thread is locked", {RefusalKind.LOCKED}),
        ("archived thread", {RefusalKind.ASLEEP}),
        ("file uploads has been limited", {RefusalKind.NO_UPLOADS}),
        ("Request entity too large", {RefusalKind.TOO_LARGE}),
        ("File uploaded exceeds", {RefusalKind.TOO_LARGE}),
        ("Unknown guild", {RefusalKind.REMOVED}),
        ("Unknown channel", {RefusalKind.LOST_PLACE}),
        ("Unknown message", {RefusalKind.LOST_MESSAGE}),
        ("Unknown interaction", {RefusalKind.TOO_LATE}),
        ("follow up messages", {RefusalKind.TOO_LATE}),
        ("application command creates", {RefusalKind.COMMANDS}),
        ("non-text channel", {RefusalKind.NO_CHAT}),
        ("this channel type", {RefusalKind.NO_CHAT}),
        ("Cloudflare", {RefusalKind.AWAY}),
    ],
)
def test_meanings_follow_what_discord_says_of_its_codes(words: str, meanings: set[RefusalKind]) -> None:
    kinds = {KIND_BY_CODE[code] for code, said in documented().items() if words in said}
    assert kinds
    assert kinds <= meanings


@pytest.mark.parametrize(
    ("status", "code", "meaning"),
    [
        (401, 0, RefusalKind.AWAY),
        (413, 0, RefusalKind.TOO_LARGE),
        (429, 0, RefusalKind.AWAY),
        (500, 0, RefusalKind.AWAY),
        (503, 0, RefusalKind.AWAY),
        (500, 50013, RefusalKind.AWAY),
        (400, 0, RefusalKind.UNKNOWN),
        (400, 50035, RefusalKind.UNKNOWN),
        (403, 987654, RefusalKind.UNKNOWN),
        (429, 987654, RefusalKind.AWAY),
    ],
)
def test_the_status_counts_where_the_code_says_nothing(status: int, code: int, meaning: RefusalKind) -> None:
    refused = parse_refusal(refusal(status, {"code": code, "message": "no"}))
    assert (refused.kind, refused.code, refused.status) == (meaning, code, status)


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
    refused = parse_refusal(error)
    assert refused.kind is RefusalKind.AWAY
    assert "<" not in str(refused).replace("ServerDisconnectedError", "")


def test_how_long_not_to_ask_is_kept() -> None:
    refused = parse_refusal(discord.RateLimited(712.4))
    assert (refused.kind, refused.pause_s) == (RefusalKind.LIMITED, 713)


def test_every_meaning_is_used() -> None:
    assert set(RefusalKind) == {*KIND_BY_CODE.values(), RefusalKind.UNKNOWN}
