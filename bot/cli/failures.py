"""Explain to the host, in one line, any failure that keeps the bot from running, and whether to try again."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from types import UnionType
from typing import Any, Final, NamedTuple

import aiohttp
import discord

from bot.cli.exiting import CannotRun
from bot.discord.identifying import TooFewIdentifies, UnreadableResponse
from bot.store import NotWritten, StoreTemporarilyUnavailable, StoreUnavailable


class FailureKind(StrEnum):
    FINAL = "final"
    PASSING = "passing"
    UNFORESEEN = "unforeseen"
    """The failure is unknown. The bot shows the traceback and tries again later."""


class Failure(NamedTuple):
    kind: FailureKind
    line: str
    """One line without secrets that names the failure and what to do about it."""
    retry_after_s: float = 0.0  # the least wait that Discord has asked for; 0: none


class PortUnavailable(Exception):
    def __init__(self, setting: str, error: OSError) -> None:
        super().__init__(f"{setting}_HOST and {setting}_PORT cannot be had: {error.strerror or error}")
        self.errno = error.errno


MAX_RETRY_AFTER_S: Final = 86_400.0
"""The longest wait that is accepted from Discord. Its limits on sessions end within a day."""
_MAX_CHARACTERS: Final = 500
_MIN_SECRET_CHARS: Final = 6
_BAD_TOKEN_LINE: Final = "Discord does not accept DISCORD_TOKEN; copy it again from the developer portal"  # noqa: S105
_INTENTS_LINE: Final = (
    "MEMBERS_INTENT=true needs the Server Members Intent: switch it on in the developer portal under Bot, "
    "or set MEMBERS_INTENT=false"
)
_UPGRADE_LINE: Final = "Discord does not understand this version any more (code {error.code}); upgrade war-galley"
CLOSE_CODE_LINES: Final = {
    4004: _BAD_TOKEN_LINE,
    4010: "Discord does not accept the number of a shard; set SHARDS to the same number for all bots",
    4011: "the bot is on too many servers for one connection; set SHARDS, as docs/running.md says under Several bots",
    4012: _UPGRADE_LINE,
    4013: _UPGRADE_LINE,
    4014: _INTENTS_LINE,
}
_WAIT_ADVICE: Final = "nothing to do unless it lasts; see discordstatus.com"
_REPORT_ADVICE: Final = "please report it, with the lines above"

DATABASE_ADVICE: Final = (  # pattern in the error's text, and what to do
    (r"another war-galley", "stop that one, or give this one a database of its own"),
    (r"full|No space|quota|disk I/O error", "free some space on its disk; if there is enough, the disk may be broken"),
    (r"Connection refused|Is the server running", "start its server"),
    (r"starting up|shutting down|recovery", "its server will take connections soon"),
    (r"resolve|Name or service", "check the host's name in DATABASE_URL, and the network"),
    (r"too many clients|remaining connection slots", "give its server more connections, or free some"),
    (r"[Pp]ermission|read-?only|unable to open|denied", "let the bot write there, or mount what is missing"),
    (r"locked", "close the other program that uses the file"),
)
_OTHER_DATABASE_ADVICE: Final = "see the log of the database"


class _FailureRow(NamedTuple):
    error: type[BaseException] | UnionType  # the class of errors that it explains
    kind: FailureKind
    line: str
    """A template with `{error}`, the `{name}` of its class and, for databases, `{advice}`."""
    predicate: Callable[[Any], bool] = lambda _: True  # whether the row applies to an error of this class


_FAILURE_ROWS: Final = (
    _FailureRow(CannotRun, FailureKind.FINAL, "{error}"),
    _FailureRow(PortUnavailable, FailureKind.PASSING, "{error}", lambda error: error.errno == errno.EADDRINUSE),
    _FailureRow(PortUnavailable, FailureKind.FINAL, "{error}"),
    _FailureRow(
        StoreTemporarilyUnavailable | NotWritten,
        FailureKind.PASSING,
        "the database cannot be used just now: {error}; {advice}",
    ),
    _FailureRow(StoreUnavailable, FailureKind.FINAL, "the database cannot be opened: {error}"),
    _FailureRow(discord.LoginFailure, FailureKind.FINAL, _BAD_TOKEN_LINE),
    _FailureRow(discord.PrivilegedIntentsRequired, FailureKind.FINAL, _INTENTS_LINE),
    *(
        _FailureRow(discord.ConnectionClosed, FailureKind.FINAL, line, lambda error, code=code: error.code == code)  # type: ignore[misc]
        for code, line in CLOSE_CODE_LINES.items()
    ),
    _FailureRow(
        discord.ConnectionClosed,
        FailureKind.PASSING,
        f"Discord has closed the connection (code {{error.code}}); {_WAIT_ADVICE}",
    ),
    _FailureRow(discord.GatewayNotFound, FailureKind.PASSING, f"Discord names no gateway; {_WAIT_ADVICE}"),
    _FailureRow(
        discord.RateLimited,
        FailureKind.PASSING,
        "Discord has limited the bot's requests for {error.retry_after:.0f} s; "
        "if that happens often, look for another program with the same token",
    ),
    _FailureRow(
        TooFewIdentifies,
        FailureKind.PASSING,
        "only {error.remaining} connections to Discord remain for the next {error.reset_after_s:.0f} s; "
        "look for what connects again and again, such as another program with the same token",
    ),
    _FailureRow(
        UnreadableResponse | discord.InvalidData,
        FailureKind.PASSING,
        "what answers is not Discord; check the network for a proxy or a login page",
    ),
    _FailureRow(
        discord.HTTPException,
        FailureKind.PASSING,
        "Cloudflare keeps this machine's address away from Discord ({error.text}); "
        "wait, stop what else asks Discord from here, or use another address",
        lambda error: re.fullmatch(r"error code: 10\d\d", error.text.strip()) is not None,
    ),
    _FailureRow(discord.HTTPException, FailureKind.FINAL, _BAD_TOKEN_LINE, lambda error: error.status == 401),
    _FailureRow(
        discord.HTTPException,
        FailureKind.PASSING,
        "Discord has limited the bot's requests; stop what else asks Discord from here",
        lambda error: error.status == 429,
    ),
    _FailureRow(
        discord.HTTPException,
        FailureKind.PASSING,
        f"Discord is out of order ({{error.status}}); {_WAIT_ADVICE}",
        lambda error: error.status >= 500,
    ),
    _FailureRow(
        discord.HTTPException,
        FailureKind.PASSING,
        "Discord refuses the request ({error.status}, code {error.code}); look the bot up in the developer portal",
    ),
    _FailureRow(
        discord.DiscordException,
        FailureKind.UNFORESEEN,
        f"discord.py does not go on ({{name}}: {{error}}); {_REPORT_ADVICE}",
    ),
    _FailureRow(
        aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError,
        FailureKind.PASSING,
        "Discord's certificate cannot be checked; set the machine's clock, and install its CA certificates",
    ),
    _FailureRow(
        aiohttp.ClientConnectorDNSError,
        FailureKind.PASSING,
        "{error.host} cannot be found; check the network and the name servers of this machine",
    ),
    _FailureRow(
        aiohttp.ClientError,
        FailureKind.PASSING,
        "Discord cannot be reached ({name}: {error}); check the network and the firewall",
    ),
    _FailureRow(TimeoutError, FailureKind.PASSING, "Discord does not answer in time; check the network"),
    _FailureRow(
        OSError,
        FailureKind.PASSING,
        "the disk is full; free some space",
        lambda error: error.errno in (errno.ENOSPC, errno.EDQUOT),
    ),
    _FailureRow(
        OSError,
        FailureKind.PASSING,
        "the bot may open no more files; raise its limit (ulimit -n, LimitNOFILE)",
        lambda error: error.errno in (errno.EMFILE, errno.ENFILE),
    ),
    _FailureRow(OSError, FailureKind.PASSING, "the operating system refuses something: {error}"),
    _FailureRow(MemoryError, FailureKind.PASSING, "there is not enough memory; give the bot more, or set WORKERS=1"),
    _FailureRow(BaseException, FailureKind.UNFORESEEN, f"a fault of the bot ({{name}}: {{error}}); {_REPORT_ADVICE}"),
)
"""The first matching row is used."""


def explain_failure(error: BaseException, secrets: Iterable[str] = ()) -> Failure:
    """Return what an exception at login, at the gateway or of the database means for the host.

    `secrets` are removed from the line.
    """
    row = next(row for row in _FAILURE_ROWS if isinstance(error, row.error) and row.predicate(error))
    text = row.line.format(error=error, name=type(error).__name__, advice=_database_advice(str(error)))
    for secret in secrets:
        if len(secret) >= _MIN_SECRET_CHARS:  # a shorter one would match ordinary words
            text = text.replace(secret, "…")
    line = re.sub(r"[^\s'\"/]*@(?=\S)", "…@", " ".join(text.split()))  # a user and a password before a host
    return Failure(row.kind, line[:_MAX_CHARACTERS], min(_retry_after_s(error), MAX_RETRY_AFTER_S))


def _database_advice(text: str) -> str:
    return next((advice for cause, advice in DATABASE_ADVICE if re.search(cause, text)), _OTHER_DATABASE_ADVICE)


def _retry_after_s(error: BaseException) -> float:
    match error:
        case discord.RateLimited():
            return error.retry_after
        case TooFewIdentifies():
            return error.reset_after_s
        case discord.HTTPException():
            header = error.response.headers.get("Retry-After", "")
            return float(header) if re.fullmatch(r"\d{1,9}(\.\d+)?", header) else 0.0
    return 0.0
