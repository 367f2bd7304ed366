"""Every failure has one line that says what to do, holds no secret, and says whether to try again."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest
from aiohttp.client_reqrep import ConnectionKey

from bot.cli import failures
from bot.cli.exiting import CannotRun
from bot.cli.failures import CLOSE_CODE_LINES, MAX_RETRY_AFTER_S, FailureKind, PortUnavailable, explain_failure
from bot.discord.identifying import TooFewIdentifies, UnreadableResponse
from bot.store import DatabaseAway, NotWritten, StoreTemporarilyUnavailable, StoreUnavailable

SECRET = "MTIzNDU2.Nzg5.c2VjcmV0"
AWKWARD = (
    f"first line\nsecond\tline of {SECRET}, Traceback (most recent call last):\n  at postgresql://galley:pass@db/x"
)
FINAL_CLOSES = (4004, 4010, 4011, 4012, 4013, 4014)
"""discord.py connects no more after these (discord/gateway.py, `_can_handle_close`)."""


def answer(status: int, **headers: str) -> Any:
    return SimpleNamespace(status=status, reason="No Reason", headers=headers)


def closed(code: int) -> discord.ConnectionClosed:
    return discord.ConnectionClosed(SimpleNamespace(close_code=code), shard_id=0, code=code)  # type: ignore[arg-type]


def of_discord_py() -> Iterator[BaseException]:
    seen: list[type[BaseException]] = [discord.DiscordException]
    for kind in seen:
        seen += [
            below for below in kind.__subclasses__() if below.__module__.startswith("discord.") and below not in seen
        ]
    made: dict[Any, Callable[[Any], None]] = {
        discord.HTTPException: lambda error: discord.HTTPException.__init__(
            error, answer(400), {"message": AWKWARD, "code": 50035}
        ),
        discord.ConnectionClosed: lambda error: discord.ConnectionClosed.__init__(
            error, SimpleNamespace(close_code=1006), shard_id=0
        ),
        discord.RateLimited: lambda error: discord.RateLimited.__init__(error, 90.0),
        discord.PrivilegedIntentsRequired: lambda error: discord.PrivilegedIntentsRequired.__init__(error, 0),
    }
    for kind in seen:
        error = kind.__new__(kind)
        begin = next((begin for of, begin in made.items() if isinstance(error, of)), None)
        if begin:
            begin(error)
        else:
            Exception.__init__(error, AWKWARD)
        yield error


def of_the_network() -> Iterator[BaseException]:
    key = ConnectionKey("discord.com", 443, is_ssl=True, ssl=True, proxy=None, proxy_auth=None, proxy_headers_hash=None)
    yield aiohttp.ClientConnectorDNSError(key, socket.gaierror(-2, "Name or service not known"))
    yield aiohttp.ClientConnectorError(key, OSError(errno.ECONNREFUSED, AWKWARD))
    yield aiohttp.ClientConnectorCertificateError(key, ssl.CertificateError(AWKWARD))
    yield aiohttp.ServerDisconnectedError(AWKWARD)
    yield aiohttp.ClientPayloadError(AWKWARD)
    yield TimeoutError()
    yield ConnectionResetError(errno.ECONNRESET, AWKWARD)
    yield UnreadableResponse()
    yield TooFewIdentifies(12, 3_600.0)


def of_ours() -> Iterator[BaseException]:
    yield from (
        StoreTemporarilyUnavailable(AWKWARD),
        StoreUnavailable(AWKWARD),
        NotWritten(AWKWARD),
        DatabaseAway(AWKWARD),
    )
    yield from (CannotRun("SETTING is wrong"), PortUnavailable("HTTP", OSError(errno.EADDRINUSE, AWKWARD)))
    yield from (OSError(errno.ENOSPC, AWKWARD), OSError(errno.EMFILE, AWKWARD), OSError(AWKWARD), MemoryError(AWKWARD))
    yield from (RuntimeError(AWKWARD), KeyError(AWKWARD), AssertionError(), ExceptionGroup(AWKWARD, [ValueError()]))


ALL = [*of_discord_py(), *map(closed, range(4000, 4016)), *of_the_network(), *of_ours()]


@pytest.mark.parametrize("error", ALL, ids=lambda error: f"{type(error).__name__} {getattr(error, 'code', '')}".strip())
def test_each_failure_is_one_line_without_secrets(error: BaseException) -> None:
    failure = explain_failure(error, [SECRET])
    assert failure.line
    assert failure.line == " ".join(failure.line.split())
    assert SECRET not in failure.line
    assert "galley:pass" not in failure.line
    assert 0 <= failure.retry_after_s <= MAX_RETRY_AFTER_S


@pytest.mark.parametrize("code", range(4000, 4016))
def test_what_discord_py_gives_up_on_is_for_a_person_and_all_else_is_tried_again(code: int) -> None:
    assert set(CLOSE_CODE_LINES) == set(FINAL_CLOSES)
    assert (explain_failure(closed(code)).kind is FailureKind.FINAL) == (code in FINAL_CLOSES)


def test_every_row_of_the_table_is_reached() -> None:
    examples = [
        *ALL,
        discord.LoginFailure(),
        PortUnavailable("HTTP", OSError(errno.EACCES, "")),
        discord.HTTPException(answer(403), "error code: 1020"),
        *(discord.HTTPException(answer(status), {"message": "", "code": 0}) for status in (401, 429, 503)),
    ]
    rows = failures._FAILURE_ROWS
    reached = {next(row for row in rows if isinstance(error, row.error) and row.predicate(error)) for error in examples}
    assert [row.line for row in rows if row not in reached] == []


@pytest.mark.parametrize(
    ("error", "kind", "says", "retry_after_s"),
    [
        (discord.RateLimited(900.0), FailureKind.PASSING, "limited", 900),
        (discord.RateLimited(1e9), FailureKind.PASSING, "limited", MAX_RETRY_AFTER_S),
        (
            discord.HTTPException(answer(429, **{"Retry-After": "40"}), "error code: 1015"),
            FailureKind.PASSING,
            "Cloudflare",
            40,
        ),
        (
            discord.HTTPException(answer(429, **{"Retry-After": "soon"}), "error code: 1015"),
            FailureKind.PASSING,
            "1015",
            0,
        ),
        (discord.Forbidden(answer(403), "error code: 1020"), FailureKind.PASSING, "Cloudflare", 0),
        (discord.Forbidden(answer(403), {"message": "", "code": 40333}), FailureKind.PASSING, "40333", 0),
        (discord.DiscordServerError(answer(502), "<html>\n<body>502</body></html>"), FailureKind.PASSING, "(502)", 0),
        (discord.HTTPException(answer(401), {"message": "401", "code": 0}), FailureKind.FINAL, "DISCORD_TOKEN", 0),
        (discord.LoginFailure(), FailureKind.FINAL, "DISCORD_TOKEN", 0),
        (discord.PrivilegedIntentsRequired(0), FailureKind.FINAL, "MEMBERS_INTENT", 0),
        (closed(4011), FailureKind.FINAL, "SHARDS", 0),
        (TooFewIdentifies(12, 3_600.0), FailureKind.PASSING, "12 connections", 3_600),
        (StoreUnavailable("x: it holds tables of another program"), FailureKind.FINAL, "another program", 0),
        (StoreTemporarilyUnavailable("x: database or disk is full"), FailureKind.PASSING, "free some space", 0),
        (StoreTemporarilyUnavailable("x: another war-galley is running"), FailureKind.PASSING, "stop that one", 0),
        (
            StoreTemporarilyUnavailable('server at "h" failed: Connection refused'),
            FailureKind.PASSING,
            "start its server",
            0,
        ),
        (PortUnavailable("HTTP", OSError(errno.EADDRINUSE, "in use")), FailureKind.PASSING, "HTTP_PORT", 0),
        (PortUnavailable("HTTP", OSError(errno.EACCES, "denied")), FailureKind.FINAL, "HTTP_PORT", 0),
        (ZeroDivisionError(), FailureKind.UNFORESEEN, "report", 0),
    ],
)
def test_it_is_known_who_can_help_and_when(
    error: BaseException, kind: FailureKind, says: str, retry_after_s: float
) -> None:
    failure = explain_failure(error)
    assert (failure.kind, failure.retry_after_s) == (kind, retry_after_s)
    assert says in failure.line


def test_each_cause_of_a_database_has_an_advice_of_its_own() -> None:
    assert len({advice for _, advice in failures.DATABASE_ADVICE}) == len(failures.DATABASE_ADVICE)
