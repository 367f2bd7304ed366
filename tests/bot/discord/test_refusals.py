"""The table of Discord's refusals: each code has its answer, and what has none is kept, tried again, and logged."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from bot.discord.sending.refusals import CODES, MET, NOT_MET, Meaning, read


def refusal(status: int, body: Any) -> discord.HTTPException:
    """An answer as discord.py raises it."""
    response: Any = SimpleNamespace(status=status, reason="")
    kinds = {403: discord.Forbidden, 404: discord.NotFound}
    kind = discord.DiscordServerError if status >= 500 else kinds.get(status, discord.HTTPException)
    return kind(response, body)


def documented() -> dict[int, str]:
    """Discord's codes with what its documentation says of them."""
    lines = (Path(__file__).parent / "discord_codes.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {int(code): said for code, said in rows}


def test_every_documented_code_has_a_decided_meaning_and_no_other_has() -> None:
    assert documented().keys() == CODES.keys()
    unreachable = {code for codes in NOT_MET.values() for code in codes}
    assert unreachable.isdisjoint(MET)
    assert unreachable | MET.keys() == documented().keys()
    assert Meaning.UNKNOWN not in MET.values()


@pytest.mark.parametrize("code", list(MET))
def test_a_code_means_the_same_whatever_its_status(code: int) -> None:
    found = {read(refusal(status, {"code": code, "message": "no"})).meaning for status in (400, 401, 403, 404, 429)}
    assert found == {MET[code]}


# What a code says, in Discord's own words, is what its meaning is about.
@pytest.mark.parametrize(
    ("words", "meanings"),
    [
        ("rate limit", {Meaning.LIMITED, Meaning.OLD_EDITS, Meaning.AWAY}),
        ("overloaded", {Meaning.AWAY}),
        ("temporarily disabled", {Meaning.AWAY}),
        ("Try again later", {Meaning.AWAY, Meaning.OLD_EDITS, Meaning.UNKNOWN}),
        ("blocked by", {Meaning.FILTERED}),
        ("words that are not allowed", {Meaning.FILTERED}),
        ("spam", {Meaning.QUARANTINED}),
        ("opening direct messages", {Meaning.OPENING}),
        ("messages to this user", {Meaning.CLOSED}),
        ("older than 1 hour", {Meaning.OLD_EDITS}),
        ("active threads", {Meaning.THREADS_FULL}),
        ("announcement threads", {Meaning.THREADS_FULL}),
        ("Thread is locked", {Meaning.LOCKED}),
        ("archived thread", {Meaning.ASLEEP}),
        ("file uploads has been limited", {Meaning.NO_UPLOADS}),
        ("Request entity too large", {Meaning.TOO_LARGE}),
        ("File uploaded exceeds", {Meaning.TOO_LARGE}),
        ("Unknown guild", {Meaning.REMOVED, Meaning.UNKNOWN}),
        ("Unknown channel", {Meaning.LOST_PLACE}),
        ("Unknown message", {Meaning.LOST_MESSAGE}),
        ("Unknown interaction", {Meaning.TOO_LATE}),
        ("follow up messages", {Meaning.TOO_LATE}),
        ("application command creates", {Meaning.COMMANDS}),
        ("non-text channel", {Meaning.NO_CHAT}),
        ("this channel type", {Meaning.NO_CHAT}),
        ("Cloudflare", {Meaning.AWAY}),
    ],
)
def test_meanings_follow_what_discord_says_of_its_codes(words: str, meanings: set[Meaning]) -> None:
    found = {CODES[code] for code, said in documented().items() if words in said}
    assert found
    assert found <= meanings


@pytest.mark.parametrize(
    ("status", "code", "meaning"),
    [
        (401, 0, Meaning.AWAY),
        (413, 0, Meaning.TOO_LARGE),
        (429, 0, Meaning.AWAY),
        (500, 0, Meaning.AWAY),
        (503, 0, Meaning.AWAY),
        (500, 50013, Meaning.AWAY),
        (400, 0, Meaning.UNKNOWN),
        (400, 50035, Meaning.UNKNOWN),
        (403, 987654, Meaning.UNKNOWN),
        (429, 987654, Meaning.AWAY),
    ],
)
def test_the_status_counts_where_the_code_says_nothing(status: int, code: int, meaning: Meaning) -> None:
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
    assert set(Meaning) == set(CODES.values())
